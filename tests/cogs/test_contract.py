"""What every game owes to the people who play it on Discord, for every game that is found.

A game whose board, hand, menus, commands and texts pass here can be opened, played and finished in a channel and in direct messages.
Nothing here knows a game: moves are told from their texts, cards from how the game writes them.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from babel.messages.pofile import read_po

from bot.engines import games
from bot.engines.base import Game, Round
from bot.engines.match import Match
from bot.engines.options import Option
from bot.tables.table import Person, Seat, Table
from bot.tables.time_control import TIME_CONTROLS
from bot.text import fields
from bot.ui.board import board
from bot.ui.game_view import GameView
from bot.ui.hand import hand
from bot.ui.language import Language, catalogues
from bot.ui.rules import SHORT, rules

from .limits import choices_within_limits, command_within_limits, within_limits
from .night import Night, controls_of, raw
from .playing import NAMES, HandMessage, LeakWatch, PrivateHands, begin, lay, legal, plain, running

GAMES = games()
every_game = pytest.mark.parametrize('game', GAMES.values(), ids=list(GAMES))
SIZES = [(game, seats) for game in GAMES.values() for seats in game.seats]
every_size = pytest.mark.parametrize(('game', 'seats'), SIZES, ids=[f'{game.id}-{seats}' for game, seats in SIZES])
EXTREMES = [(game, seats) for game, seats in SIZES if seats in (game.seats[0], game.seats[-1])]
least_and_most = pytest.mark.parametrize(('game', 'seats'), EXTREMES, ids=[f'{game.id}-{seats}' for game, seats in EXTREMES])

LONG_NAMES = [f'{name} ' + '*_`~|' * 6 for name in NAMES]
"""As long as Discord allows, or longer, and twice as long when they are escaped."""
COMMON = {'back', 'refresh', 'take-back', 'rules', 'hand'}
"""What buttons do in every game."""


# --- playing in the engine alone ----------------------------------------------------------------------------------------


def cautious(round_: Round, rng: Random) -> str:
    """A sensible move as a rule, else any."""
    move = round_.game.greedy(round_.observation(round_.turn)) if rng.random() < 0.7 else rng.choice(list(round_.legal_moves()))
    return round_.format_move(move)


def careless(round_: Round, rng: Random) -> str:
    """Any move."""
    return round_.format_move(rng.choice(list(round_.legal_moves())))


def stubborn(round_: Round, rng: Random) -> str:
    """The last of the legal moves, so that rounds grow long."""
    return round_.format_move(round_.legal_moves()[-1])


POLICIES = (cautious, careless)


def short_options(game: Game) -> dict[str, Any]:
    """Options with which a match is over soon: every number the lowest, or off where that is what it usually is."""
    return {option.name: option.low for option in game.options if not option.choices and option.default is not None}


@cache
def short_match(game: Game, seats: int) -> tuple[str, tuple[str, ...]]:
    """The seed and the moves of the shortest of some matches."""
    found = []
    for number, policy in product(range(8), POLICIES):
        seed, moves, rng = f'contract {number}', [], Random(number)
        match = Match(game, seats, short_options(game), seed)
        while not match.over and len(moves) < 400:
            if match.round.over:
                match.next_round()
                continue
            moves.append(policy(match.round, rng))
            match.apply(match.round.parse_move(moves[-1]))
        found.append((not match.over, len(moves), seed, tuple(moves)))
    unfinished, _, seed, plan = min(found)
    assert not unfinished, 'no match came to its end'
    return seed, plan


@cache
def kinds_of_moves(game: Game, needed: tuple[str, ...] = ()) -> Mapping[tuple[str, int], tuple[Round, str]]:
    """By first word (none where that is a card) and number of words, a move of that kind and a position where it is legal.

    They come from matches at the least and the most seats; from as many as it takes, within reason, to find the moves that are `needed`.
    """
    cards = {game.card_text(card) for seats in game.seats for card in game.pack(seats)}
    found: dict[tuple[str, int], tuple[Round, str]] = {}
    for number in range(30):
        if number >= 3 and all((text.split()[0], len(text.split())) in found for text in needed):
            break
        for policy, seats in product((*POLICIES, stubborn), sorted({game.seats[0], game.seats[-1]})):
            match, rng = Match(game, seats, {}, f'kinds {number}'), Random(number)
            for _ in range(150 if policy is not stubborn else 400):
                if match.over:
                    break
                if match.round.over:
                    match.next_round()
                    continue
                for text in legal(match.round):
                    words = text.split()
                    kind = '' if words[0] in cards else words[0], len(words)
                    if kind not in found:
                        found[kind] = match.round.copy(), text
                match.apply(match.round.parse_move(policy(match.round, rng)))
    return found


# --- playing through Discord --------------------------------------------------------------------------------------------


def group_of(night: Night, game: Game) -> dict[str, dict[str, Any]]:
    """The subcommands of the game's command as Discord gets them, by name."""
    command = night.bot.tree.get_command(game.id)
    assert command is not None, f'no command /{game.id}'
    return {part['name']: part for part in command.to_dict(night.bot.tree)['options']}


async def command_for(night: Night, game: Game, name: str, wanted: str, *, direct: bool) -> tuple[str, dict[str, Any]]:
    """The command and its options that say this move: each option as its autocomplete offers it.

    A command is named by the first word of its moves; moves without such a word are those of `play`. An option that is true or false
    is false when the move has a word for that: `no` and the option's name.
    """
    commands, words = group_of(night, game), wanted.split()
    verb = words.pop(0) if words[0] in commands else 'play'
    assert verb in commands, f'no command for {wanted}'
    options: dict[str, Any] = {}
    for option in commands[verb].get('options') or []:
        if option['type'] == 5:
            options[option['name']] = f'no{option["name"]}' not in words
            continue
        value = await offered_value(night, name, f'{game.id} {verb}', option['name'], words, options, direct=direct)
        assert value is not None or not option['required'], f'{wanted}: {option["name"]} is not offered'
        if value is not None:
            options[option['name']] = value
            for word in value.split():
                words.remove(word)
    return f'{game.id} {verb}', options


async def offered_value(
    night: Night, name: str, command: str, option: str, words: Sequence[str], filled: Mapping[str, Any], *, direct: bool
) -> str | None:
    """The value of an option that the autocomplete offers and that has the most of these words, and no others."""
    person, fits = night.person(name), []
    for typed in ('', ' '.join(words), *words):
        if direct:
            choices = await person.user.autocomplete(command, option, typed, **filled)
        else:
            choices = await person.autocomplete(night.channel, command, option, typed, **filled)
        choices_within_limits(choices)
        values = [choice['value'].split() for choice in choices]
        fits += [value for value in values if all(value.count(word) <= words.count(word) for word in value)]
        if any(len(value) == len(words) for value in fits):
            break
    return ' '.join(min(fits, key=lambda value: (-len(value), words.index(value[0])))) if fits else None


async def by_command(night: Night, game: Game, name: str, wanted: str, *, direct: bool) -> None:
    """Plays a move by its command, and sees that it is the one that was played."""
    command, options = await command_for(night, game, name, wanted, direct=direct)
    said = await (night.direct if direct else night.slash)(name, command, **options)
    assert night.last_move() == wanted, f'/{command} {options} played {night.last_move()} instead of {wanted}: {said}'


async def by_hand(night: Night, hand: HandMessage, rng: Random, look: Callable[[], None]) -> str:
    """Plays a move that the hand offers, after some steps through menus of the game's own; gives its text.

    Nothing may be played before a press that says so.
    """
    table = night.table
    for step in range(40):
        round_, before = running(table), table.position
        offered = [text for text in hand.offered() if text in legal(round_)]
        assert offered == hand.offered(), f'offered, but not legal: {set(hand.offered()) - set(offered)}'
        steps = own_steps(hand)
        if offered and (not steps or step > 3 or rng.random() < 0.4):
            wanted = cautious(round_, rng)
            wanted = wanted if wanted in offered else rng.choice(offered)
            await (hand.choose('choose', wanted) if wanted in hand.options('choose') else hand.press('play', wanted))
            assert night.last_move() == wanted
            return wanted
        assert steps, 'the hand offers nothing to the player on turn'
        control = rng.choice(steps)
        action, argument = control['custom_id'].split(':')[1], control['custom_id'].rpartition(':')[2]
        if control['type'] == 3:
            values = [option['value'] for option in control['options']]
            count = rng.randint(max(1, control.get('min_values', 1)), min(control.get('max_values', 1), len(values)))
            await hand.choose(action, *rng.sample(values, count))
        else:
            await hand.press(action, argument)
        look()
        if table.state != 'playing' or table.position != before:
            return night.last_move()
    raise AssertionError('no move after 40 presses')


def own_steps(hand: HandMessage) -> list[dict[str, Any]]:
    """The menus and buttons of a hand that neither play a move nor exist in every game."""
    controls = [control for control in controls_of(raw(hand.message)) if not control.get('disabled')]
    return [control for control in controls if control['custom_id'].split(':')[1] not in {'choose', 'play', *COMMON}]


# --- what is looked for after every step -----------------------------------------------------------------------------------


def english(night: Night) -> Language:
    return Language('en', night.bot.chat.game_views)


def card_names(game: Game, game_view: GameView, language: Language) -> Callable[[str], set[str]]:
    """Finds the cards that a text names, as the game writes them in records and in sentences.

    A number or a single letter alone can mean anything; what those give away is seen by `test_hidden_cards_change_nothing`.
    """
    names: dict[str, str] = {}
    for seats in game.seats:
        for card in game.pack(seats):
            for name in (game.card_text(card), plain(game_view.card(card, language))):
                if len(name) > 1 and not name.isdigit():
                    names[name] = game.card_text(card)
    if not names:
        return lambda text: set()
    longest_first = '|'.join(map(re.escape, sorted(names, key=len, reverse=True)))
    pattern = re.compile(rf'(?<![\w/-])(?:{longest_first})(?![\w-])')
    return lambda text: {names[found] for found in pattern.findall(plain(text))}


async def start(night: Night, monkeypatch: pytest.MonkeyPatch, game: Game, seats: int, seed: str) -> Table:
    """A match with this seed and `short_options`."""
    monkeypatch.setattr(secrets, 'token_hex', lambda _: seed)
    given = {'seats': seats} if len(game.seats) > 1 else {}
    for option, name in zip(game.options, group_of(night, game)['open']['options'], strict=False):
        if option.name in short_options(game):
            given[name['name']] = short_options(game)[option.name]
    return await begin(night, game.id, seats, **given)


# --- matches ------------------------------------------------------------------------------------------------------------------


@least_and_most
async def test_a_match_by_command(night: Night, monkeypatch: pytest.MonkeyPatch, game: Game, seats: int) -> None:
    """Whole with the least seats; else its first moves."""
    seed, plan = short_match(game, seats)
    table = await start(night, monkeypatch, game, seats, seed)
    watch = LeakWatch(night, NAMES[:seats], card_names(game, night.bot.chat.game_views[game.id], english(night)))
    for wanted in plan if seats == game.seats[0] else plan[:12]:
        watch.look(table)
        await by_command(night, game, NAMES[table.turn], wanted, direct=False)
    if seats == game.seats[0]:
        assert table.state == 'finished'
        assert table.match is not None
        within_limits(raw(night.board()))
        assert all(f'🥇 {NAMES[seat]}' in night.board_text() for seat in table.match.winners)
        rows, count = await night.bot.store.leaderboard(night.guild.id, game.id, 'all', 'wins')
        assert count == seats
        assert {row.name for row in rows if row.wins} == {NAMES[seat] for seat in table.match.winners}


@least_and_most
async def test_a_match_by_menus_and_buttons(night: Night, monkeypatch: pytest.MonkeyPatch, game: Game, seats: int) -> None:
    seed, _ = short_match(game, seats)
    table = await start(night, monkeypatch, game, seats, seed)
    watch = LeakWatch(night, NAMES[:seats], card_names(game, night.bot.chat.game_views[game.id], english(night)))
    hands, rng = PrivateHands(night), Random(seed)
    for _ in range(min(20, 60 // seats)):
        watch.look(table)
        hand = await hands.of(NAMES[table.turn])
        await by_hand(night, hand, rng, lambda: watch.look(table))
        if table.state != 'playing':
            break


@least_and_most
async def test_a_match_from_direct_messages(night: Night, monkeypatch: pytest.MonkeyPatch, game: Game, seats: int) -> None:
    """By the hands there and by command in turns."""
    seed, _ = short_match(game, seats)
    table = await start(night, monkeypatch, game, seats, seed)
    watch = LeakWatch(night, NAMES[:seats], card_names(game, night.bot.chat.game_views[game.id], english(night)))
    rng = Random(seed)
    for number in range(min(20, 60 // seats)):
        watch.look(table)
        name = NAMES[table.turn]
        if number % 2:
            await by_command(night, game, name, cautious(running(table), rng), direct=True)
        else:
            await by_hand(night, HandMessage.sent(night, name), rng, lambda: watch.look(table))
        if table.state != 'playing':
            break


async def at_table(night: Night, round_: Round) -> Round:
    """Makes this position the one that is played, at a table with its number of seats."""
    table = night.bot.host.in_channel(night.channel.id)
    if table is None or len(table.seats) != round_.seats:
        if table is not None:
            await night.slash(NAMES[0], 'table end')
        await begin(night, round_.game.id, round_.seats, **({'seats': round_.seats} if len(round_.game.seats) > 1 else {}))
    return await lay(night, round_.copy())


@every_game
async def test_every_kind_of_move_by_command(night: Night, game: Game) -> None:
    """Also those that the matches above do not happen to have."""
    found = kinds_of_moves(game, tuple(night.bot.chat.game_views[game.id].always()))
    for round_, wanted in sorted(found.values(), key=lambda found: found[0].seats):
        await at_table(night, round_)
        await by_command(night, game, NAMES[round_.turn], wanted, direct=False)


@every_game
async def test_every_button_of_the_board_plays_its_move(night: Night, game: Game) -> None:
    """Each move that the board offers at all times is one that comes up, and is played where it does."""
    game_view = night.bot.chat.game_views[game.id]
    for text in game_view.always():
        found = [round_ for round_, move in kinds_of_moves(game, tuple(game_view.always())).values() if move == text]
        assert found, f'{text} is never legal'
        round_ = await at_table(night, found[0])
        [button] = [control for control in controls_of(raw(night.board())) if control['custom_id'].endswith(f':{text}')]
        assert button['label'] == game_view.button_label(text, english(night))
        await night.press(NAMES[round_.turn], button['label'])
        assert night.last_move() == text


# --- every position, without Discord ------------------------------------------------------------------------------------------


def positions(game: Game, seats: int, policy: Callable[[Round, Random], str], plies: int) -> Iterator[Table]:
    """A table in every position of a match, to its end or so many plies."""
    people = tuple(Seat(Person(number, name)) for number, name in enumerate(LONG_NAMES[:seats], 1))
    table = Table(1, 1, 1, game, short_options(game), seats, 1, 0.0, seats=people)
    table.begin(table.deal(f'positions {seats}'))
    rng = Random(seats)
    for _ in range(plies):
        yield table
        table.commit(table.draft(table.turn, policy(running(table), rng)), by_player=False)
        if table.match is not None and table.match.over:
            table.state = 'finished'
            yield table
            break


def shown_to(table: Table, user_id: int | None, game_view: GameView, language: Language) -> str:
    """All that this user sees, or with None what everyone sees; within Discord's limits."""
    if user_id is None:
        components: Any = board(table, game_view, language).to_components()
        within_limits(components)
        return json.dumps(components)
    view, picture = hand(table, user_id, game_view, language, server='Club', direct=True, pictures=True)
    within_limits(view.to_components())
    return json.dumps(view.to_components()) + repr(picture)


@every_size
async def test_every_position_can_be_shown_and_hidden_cards_change_nothing(night: Night, game: Game, seats: int) -> None:
    """Boards and hands of whole matches. What somebody sees stays the same when the cards that they may not see are dealt differently."""
    game_view, language, rng = night.bot.chat.game_views[game.id], english(night), Random(seats)
    for policy in POLICIES if seats in (game.seats[0], game.seats[-1]) else POLICIES[:1]:
        for table in positions(game, seats, policy, 200 // seats):
            for viewer in (None, *range(1, seats + 1)):
                if viewer in (None, table.turn + 1) or rng.random() < 1 / seats:
                    seen = shown_to(table, viewer, game_view, language)
                    with dealt_differently(table, viewer, rng):
                        assert shown_to(table, viewer, game_view, language) == seen, f'{viewer} sees what they may not'


@contextmanager
def dealt_differently(table: Table, viewer: int | None, rng: Random) -> Iterator[None]:
    """The table with all cards that this viewer may not see dealt at random among their places, for a moment."""
    assert table.match is not None
    round_ = table.match.round
    if table.state == 'playing':
        table.match.round = table.game.determinise(table.observation(viewer), rng)
    yield
    table.match.round = round_


# --- opening a table --------------------------------------------------------------------------------------------------------


def opened_with(option: Option) -> list[tuple[Any, Any]]:
    """Values that Discord takes for an option, and what each means to the engine: limits and choices, and 0 where that turns it off."""
    if option.choices:
        return [(choice, choice) for choice in option.choices]
    off = [(0, None)] if option.nullable and option.default is not None else []
    return [(option.low, option.low), (option.high, option.high), *off]


@every_game
async def test_open_has_the_options_and_seats_of_the_engine(night: Night, game: Game) -> None:
    *options, pace = group_of(night, game)['open']['options']
    if len(game.seats) > 1:
        seats = options.pop()
        assert (seats['name'], seats['type'], seats['required']) == ('seats', 4, False)
        assert (seats['min_value'], seats['max_value']) == (game.seats[0], game.seats[-1])
    assert (pace['name'], pace['type'], pace['required']) == ('pace', 3, False)
    assert [choice['value'] for choice in pace['choices']] == list(TIME_CONTROLS)
    for declared, option in zip(options, game.options, strict=True):
        assert option.name.endswith(declared['name'])
        assert not declared['required']
        if option.choices:
            assert declared['type'] == 3
            assert tuple(choice['value'] for choice in declared['choices']) == option.choices
            assert 'min_value' not in declared
        else:
            low = 0 if option.nullable and option.default is not None else option.low
            assert (declared['type'], declared['min_value'], declared['max_value']) == (4, low, option.high)
            assert {str(option.low), str(option.high)} <= set(re.findall('[0-9]+', declared['description']))


@every_game
async def test_a_table_is_opened_with_every_limit_and_choice(night: Night, game: Game) -> None:
    names = [option['name'] for option in group_of(night, game)['open']['options']]
    await night.slash('Ann', f'{game.id} open')
    assert game.full_options(night.table.options) == game.full_options({}), 'nothing given means the defaults'
    assert night.table.most == game.usual_seats[-1]
    await night.press('Ann', 'Leave')
    for name, option in zip(names, game.options, strict=False):
        for value, meant in opened_with(option):
            given, wanted = {name: value}, {option.name: meant}
            if meant is None:  # a match without the one end needs another
                rest = [(other, one) for other, one in zip(names, game.options, strict=False) if one.nullable and one is not option]
                given |= {other: one.high for other, one in rest}
                wanted |= {one.name: one.high for _, one in rest}
            await night.slash('Ann', f'{game.id} open', **given)
            assert game.full_options(night.table.options) == game.full_options(wanted)
            await night.press('Ann', 'Leave')
    if len(game.seats) > 1:
        for seats in (game.seats[0], game.seats[-1]):
            await night.slash('Ann', f'{game.id} open', seats=seats)
            assert night.table.most == seats
            await night.press('Ann', 'Leave')


@every_game
async def test_values_beyond_the_limits_are_refused(night: Night, game: Game) -> None:
    """Discord lets nobody send them; they are refused all the same."""
    *names, _ = [option['name'] for option in group_of(night, game)['open']['options']]
    for name, option in zip(names, game.options, strict=False):
        wrong: Sequence[Any] = ('nonsense',) if option.choices else (-1, option.high + 1)
        for value in wrong:
            [said] = await night.deliver(night.a_command('Ann', f'{game.id} open', **{name: value}))
            assert f'`{option.name}`' in said
            assert night.bot.host.in_channel(night.channel.id) is None
    for seats in (game.seats[0] - 1, game.seats[-1] + 1) if len(game.seats) > 1 else ():
        [said] = await night.deliver(night.a_command('Ann', f'{game.id} open', seats=seats))
        assert said
        assert night.bot.host.in_channel(night.channel.id) is None


# --- texts ------------------------------------------------------------------------------------------------------------------


@cache
def texts(game_id: str) -> list[tuple[str, re.Pattern[str]]]:
    """The keys of the English texts of a game, and of all games, with what the text looks like when it is filled in."""
    folder = Path(__file__).parents[2] / 'bot/locales/en/LC_MESSAGES'
    found = []
    for part in [path for path in folder.glob('*.po') if path.stem == game_id or path.stem not in GAMES]:
        with part.open('rb') as file:
            messages = [message for message in read_po(file, locale='en') if message.id]
        for message in messages:
            plural = isinstance(message.id, tuple | list)
            for text in message.string if plural else (message.string,):
                wanted = re.escape(str(text))
                for name in fields(str(text)):
                    wanted = wanted.replace(re.escape(f'{{{name}}}'), '.+')
                found.append((str(message.id[0] if plural else message.id), re.compile(wanted)))
    return found


def in_catalogue(game: Game, kinds: str, text: str) -> bool:
    """Whether a text is one of the catalogue whose key has one of these words, joined by `|`, as a part."""
    return any(re.search(rf'(^|\.)({kinds})(\.|$)', key) and pattern.fullmatch(text) for key, pattern in texts(game.id))


@every_game
async def test_every_command_and_option_has_its_text(night: Night, game: Game) -> None:
    command = night.bot.tree.get_command(game.id)
    assert command is not None
    payload = command.to_dict(night.bot.tree)
    command_within_limits(payload)
    described = [payload, *payload['options'], *(option for part in payload['options'] for option in part.get('options') or [])]
    assert [part['name'] for part in described if not in_catalogue(game, 'command|option', part['description'])] == []
    assert [part['name'] for part in described if '{' in part['description']] == []


@every_game
async def test_every_bare_move_has_its_button(night: Night, game: Game) -> None:
    game_view, language = night.bot.chat.game_views[game.id], english(night)
    bare = [verb for verb, words in kinds_of_moves(game, tuple(game_view.always())) if verb and words == 1]
    for text in {*bare, *game_view.always()}:
        label = game_view.button_label(text, language)
        assert 1 <= len(label) <= 80
        assert in_catalogue(game, 'button', label)


@every_game
def test_every_name_has_its_text(game: Game) -> None:
    keys = [f'{game.id}.{name}' for name in ('name', 'tagline', 'command', 'command.open', f'rules.{SHORT}')]
    for option in game.options:
        keys += [f'{game.id}.option.{option.name}', f'{game.id}.option.{option.name}.help']
        keys += [f'{game.id}.choice.{choice}' for choice in option.choices]
    keys += [f'{game.id}.rules.{section}.{part}' for section in game.sections for part in ('title', 'body')]
    keys += [f'{game.id}.reason.{code}' for code in game.reasons]
    assert [key for key in keys if not catalogues().has('en', key)] == []
    assert set(game.reasons.values()) <= set(game.sections)


@every_game
async def test_every_paragraph_of_the_rules_is_within_the_limits(night: Night, game: Game) -> None:
    for section in (SHORT, *game.sections):
        within_limits(rules(night.bot.chat.game_views[game.id], section, english(night)).to_components())
