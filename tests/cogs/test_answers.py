"""Answers that Discord does not take: what was asked for is done all the same, and the person hears of it another way."""

from __future__ import annotations

import logging

import pytest

from bot.ui.language import Language

from .night import Night
from .test_clocks import pinged

pytestmark = pytest.mark.simcord(settle_timeout=20)

WORD = 'Discord did not accept my answer in time, so here it is:'


def refuse_answers(night: Night, method: str, code: int, status: int = 404) -> None:
    """Discord takes acknowledgements, but no answers after them."""
    night.env.inject_error(method, '/webhooks/*', status=status, code=code, message='refused', times=None)


@pytest.mark.parametrize('code', [10015, 50027, 10062])
async def test_a_refused_answer_comes_by_direct_message(night: Night, code: int, expected_warnings: list[str]) -> None:
    expected_warnings.append('done, but the answer could not be sent')
    await night.begin('Ann', 'Bob')
    refuse_answers(night, 'POST', code)
    before = len(night.stored()['move'])
    await night.move()
    assert len(night.stored()['move']) == before + 1, 'the move is kept'
    who = next(name for name in ('Ann', 'Bob') if night.told(name))
    (said,) = night.told(who)
    assert said.startswith(WORD + '\n')
    assert night.said() == [], 'nothing of it in public'


async def test_a_refused_answer_with_closed_direct_messages_is_told_of_without_its_content(
    night: Night, expected_warnings: list[str]
) -> None:
    expected_warnings.append('done, but the answer could not be sent')
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    night.close_direct(name)
    refuse_answers(night, 'POST', 50027, 401)
    await night.slash(name, 'superman play', card='B9')
    await night.slash(name, 'settings mine', pings=False)
    assert pinged(night)[-2:] == [[night.person(name).id], []], 'no ping for those who want none'
    lost = 'that worked, but Discord did not accept my answer. Use `/hand` to see where the game stands.'
    assert night.said()[-1] == f'<@{night.person(name).id}>, {lost}'


async def test_a_refused_hand_is_told_of(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings.append('done, but the answer could not be sent')
    await night.begin('Ann', 'Bob')
    refuse_answers(night, 'POST', 10015)
    await night.press('Ann', 'My hand')
    (said,) = night.told('Ann')
    assert said.endswith('Discord did not accept my answer. Use `/hand` to see where the game stands.')


async def test_a_hand_that_was_dismissed_while_its_button_was_pressed_comes_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    hand = await night.open_hand(name)
    night.env.inject_error('PATCH', '/webhooks/*', status=404, code=10008, message='Unknown Message', times=1)
    since = night.last_id(name)
    await night.play_from(name, hand, night.legal()[0])
    assert 'Your hand' in night.seen_by(name, since)
    assert len(night.stored()['move']) == 1


@pytest.mark.parametrize(
    ('custom_id', 'logged'),
    [
        ('t:play:1:0.0:play 2C T2', 't:play:1'),
        ('t:pick:12::W W W', 't:pick:12'),
        ('t:play:1:play 2C T2', 't'),
        ('lb:1:kings:2C', 'lb'),
        ('rules:kings:2C', 'rules'),
        ('2C', '2C'),
        ('x' * 90 + ':2C', 'x' * 20),
    ],
)
async def test_the_log_shows_no_card_of_a_press(
    night: Night, custom_id: str, logged: str, caplog: pytest.LogCaptureFixture, expected_warnings: list[str]
) -> None:
    expected_warnings.append('Unknown interaction')
    await night.begin('Ann', 'Bob')
    press = night.a_press('Ann', night.board(), custom_id)
    night.env.inject_error('POST', '/interactions/*', status=404, code=10062, message='Unknown interaction', times=1)
    await night.deliver(press)
    (line,) = [record.getMessage() for record in caplog.records if record.name == 'bot.chat.replies']
    assert line.startswith(f"component '{logged}' by user ")


async def test_at_debug_the_log_shows_no_hand_and_no_token(night: Night, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await night.begin('Ann', 'Bob')
    await night.press('Ann', 'My hand')
    await night.move()
    for name in ('discord.gateway', 'discord.http', 'discord.webhook.async_'):
        assert not logging.getLogger(name).isEnabledFor(logging.DEBUG), name
    assert 'Your hand' not in caplog.text
    assert 'interaction_token' not in caplog.text


async def test_the_log_tells_where_the_time_went(night: Night, caplog: pytest.LogCaptureFixture, expected_warnings: list[str]) -> None:
    expected_warnings.append('Unknown interaction')
    await night.begin('Ann', 'Bob')
    press = night.a_press('Ann', night.board(), 'x:nothing')
    night.env.inject_error('POST', '/interactions/*', status=404, code=10062, message='Unknown interaction', times=1)
    caplog.set_level(logging.WARNING)
    await night.deliver(press)
    (line,) = [record.getMessage() for record in caplog.records if record.name == 'bot.chat.replies']
    who, where = night.person('Ann').id, f'server {night.guild.id}, channel {night.channel.id}'
    said = f"component 'x' by user {who} in {where}: Unknown interaction (10062), it has expired: "
    assert line == said + '0.0 s old when received, 0.0 s when answered'


# --- lists of moves -----------------------------------------------------------------------------------------------------------


def listed(moves: list[str]) -> str:
    return Language('en', {}).legal(moves)


def test_up_to_twelve_moves_are_listed() -> None:
    moves = [f'play B{number}' for number in range(12)]
    assert listed(moves) == 'You can: ' + ', '.join(f'`{move}`' for move in moves)
    assert listed([*moves, 'draw', 'pass']) == 'You can: ' + ', '.join(f'`{move}`' for move in moves) + ' and 2 more'


def test_of_long_moves_fewer_are_listed() -> None:
    moves = [letter * 200 for letter in 'abcd']
    assert listed(moves) == f'You can: `{moves[0]}`, `{moves[1]}`, `{moves[2]}` and 1 more'
    assert listed(['x' * 601, 'draw']) == f'You can: `{"x" * 601}` and 1 more', 'one at the least'
