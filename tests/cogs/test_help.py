"""`/rules` and `/help`, and what Discord shows of the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from bot.engines import games
from bot.ui.language import catalogues

from .night import Night, controls_of, raw

GAMES = sorted(games())
SUPERMAN = games()['superman']
ENGLISH = Path(__file__).parents[2] / 'bot/locales/en/LC_MESSAGES'


def text(key: str) -> str:
    return catalogues().get('en', key)


def menu(message: Any) -> dict[str, Any]:
    [control] = controls_of(raw(message))
    return control


async def asked(night: Night, name: str, **options: str) -> Any:
    """The private message that `/rules` brings."""
    return (await night.person(name).slash(night.channel, 'rules', **options)).response.message


# --- /rules -----------------------------------------------------------------------------------------------------------------


async def test_rules_name_the_games_when_none_is_meant(night: Night) -> None:
    said = await night.slash('Ann', 'rules')
    assert said.startswith('Which game? There is no table here, so name one: ')
    assert all(f'`{game_id}`' in said for game_id in night.bot.chat.game_views)
    assert await night.direct('Ann', 'rules') == said
    said = await night.slash('Ann', 'rules', game='poker')
    assert said.startswith('I don’t know that game. I know: ')
    assert all(f'`{game_id}`' in said for game_id in night.bot.chat.game_views)


async def test_rules_of_every_game_in_every_paragraph(night: Night) -> None:
    assert 'superman' in night.bot.chat.game_views
    for game_id, game_view in night.bot.chat.game_views.items():
        said = await night.slash('Ann', 'rules', game=game_id)
        assert said.startswith(f'### Rules · {text(f"{game_id}.name")}\n{text(f"{game_id}.rules.short")}\n')
        for section in game_view.game.sections:
            title, body = text(f'{game_id}.rules.{section}.title'), text(f'{game_id}.rules.{section}.body')
            for typed in (section, title, f' {title.upper()} '):
                said = await night.slash('Ann', 'rules', game=game_id, about=typed)
                assert said.startswith(f'### Rules · {text(f"{game_id}.name")}\n### {title}\n{body}\n')


async def test_rules_of_the_game_at_the_table(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    for name in ('Ann', 'Watcher'):
        assert (await night.slash(name, 'rules')).startswith('### Rules · Superman (1978)\n**Goal.**')
        assert text('superman.rules.draw.body') in await night.slash(name, 'rules', about='draw')
    assert (await night.direct('Ann', 'rules')).startswith('### Rules · Superman (1978)\n**Goal.**')
    assert (await night.direct('Watcher', 'rules')).startswith('Which game?')
    board = raw(night.board())
    assert (await night.press('Watcher', 'Rules')).startswith('### Rules · Superman (1978)\n**Goal.**')
    assert raw(night.board()) == board


async def test_turning_the_pages_of_the_rules(night: Night) -> None:
    message = await asked(night, 'Ann', game='superman', about='goal')
    assert menu(message)['placeholder'] == 'Read more about …'
    values = [option['value'] for option in menu(message)['options']]
    assert values == ['short', *SUPERMAN.sections]
    for value in values:
        await night.person('Ann').select(message, [value], custom_id=menu(message)['custom_id'])
        [message] = night.channel.history(viewer=night.person('Ann'))
        assert [option['value'] for option in menu(message)['options'] if option.get('default')] == [value]
        shown = text('superman.rules.short') if value == 'short' else text(f'superman.rules.{value}.body')
        assert shown in str([part['content'] for part in raw(message)[0]['components'] if 'content' in part][1:]).replace('\\n', '\n')
    await night.restart()
    await night.person('Ann').select(message, ['goal'], custom_id=menu(message)['custom_id'])
    [message] = night.channel.history(viewer=night.person('Ann'))
    assert [option['value'] for option in menu(message)['options'] if option.get('default')] == ['goal']


async def test_rules_are_found_by_what_is_typed(night: Night) -> None:
    person = night.person('Ann')
    offered = await person.autocomplete(night.channel, 'rules', 'game', '')
    assert offered == [{'name': text(f'{game_id}.name'), 'value': game_id} for game_id in sorted(night.bot.chat.game_views)]
    assert await person.autocomplete(night.channel, 'rules', 'game', 'SUPERMAN (') == [{'name': 'Superman (1978)', 'value': 'superman'}]
    assert await person.autocomplete(night.channel, 'rules', 'game', 'poker') == []
    assert await person.autocomplete(night.channel, 'rules', 'about', '') == [], 'no game is meant yet'
    titles = [{'name': text(f'superman.rules.{section}.title'), 'value': section} for section in SUPERMAN.sections]
    assert await person.autocomplete(night.channel, 'rules', 'about', '', game='superman') == titles
    assert await person.autocomplete(night.channel, 'rules', 'about', 'ING', game='superman') == [
        choice for choice in titles if 'ing' in choice['name'].lower()
    ]
    assert await person.autocomplete(night.channel, 'rules', 'about', 'x', game='poker') == []
    await night.slash('Ann', 'superman open')
    assert await person.autocomplete(night.channel, 'rules', 'about', '') == titles
    assert await person.user.autocomplete('rules', 'about', 'draw') == [{'name': 'Drawing', 'value': 'draw'}]


# --- /help ------------------------------------------------------------------------------------------------------------------


async def test_help(night: Night) -> None:
    said = await night.slash('Ann', 'help')
    for game_id in night.bot.chat.game_views:
        assert f'- `/{game_id} open` · **{text(f"{game_id}.name")}**: {text(f"{game_id}.tagline")}' in said
    assert await night.direct('Ann', 'help') == said
    assert len(said) < 1500


def mentioned() -> Iterator[tuple[str, str]]:
    """Every command that a text speaks of, with the key of the text."""
    for part in sorted(ENGLISH.glob('*.po')):
        with part.open('rb') as file:
            for message in read_po(file):
                for form in message.string if isinstance(message.string, tuple | list) else (message.string,):
                    for command in re.findall(r'`/([a-z]+(?: [a-z-]+(?![a-z:-]))?)', str(form)):
                        yield str(message.id), command


async def test_every_command_that_a_text_speaks_of_exists(night: Night) -> None:
    commands = {command.qualified_name for command in night.bot.tree.walk_commands()}
    wrong = {(key, command) for key, command in mentioned() if command not in commands and command.split()[0] not in games()}
    assert not wrong
    assert {('help.text', 'table join'), ('refusal.section', 'rules'), ('demo.hint', 'superman open')} <= set(mentioned())


# --- what Discord shows of the commands -----------------------------------------------------------------------------------------


async def test_commands_are_announced_with_descriptions(night: Night) -> None:
    [announced] = [request.json for request in night.env.http_requests if request.method == 'PUT' and request.path.endswith('/commands')]
    assert {command['name'] for command in announced} >= {'table', 'hand', 'superman', 'rules', 'help', 'leaderboard', 'profile'}
    for command in announced:
        assert command['contexts'] == [0, 1], command['name']
        assert command['integration_types'] == [0], command['name']
    [superman] = [command for command in announced if command['name'] == 'superman']
    assert {option['name'] for option in superman['options']} == {'open', 'play', 'draw', 'pass', 'stop'}


@pytest.mark.parametrize('game_id', GAMES)
def test_every_paragraph_fits_where_it_is_shown(game_id: str) -> None:
    game = games()[game_id]
    assert len(game.sections) < 25
    assert len(text(f'{game_id}.rules.short')) <= 1800
    assert set(game.reasons.values()) <= set(game.sections)
    for section in game.sections:
        assert len(text(f'{game_id}.rules.{section}.title')) <= 100
        assert len(text(f'{game_id}.rules.{section}.body')) <= 1500
