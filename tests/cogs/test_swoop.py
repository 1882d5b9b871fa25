"""SWOOP through Discord: whole matches by command, from the board and from direct messages, and what people read there."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from bot.engines import games
from bot.engines.base import Round
from bot.engines.match import Match
from bot.tables.table import Table
from bot.ui.board import board
from bot.ui.hand import hand

from .limits import choices_within_limits, within_limits
from .night import Night, controls_of, raw, texts_of
from .playing import NAMES, WATCHER, HandMessage, PrivateHands, begin, lay, legal, running

SWOOP = games()['swoop']


def spaced(text: str) -> str:
    """A text with ordinary spaces for those where no line may break."""
    return text.replace('\N{NO-BREAK SPACE}', ' ')


def cards(text: str) -> list[int | None]:
    """`7 7 W -`: cards, and places without one."""
    return [None if card == '-' else SWOOP.card(card) for card in text.split()]


async def put(
    night: Night, own: str, slots: str = '- - - -', mysteries: str = '- - - -', pile: str = '', *, others: str = '1 1', **rest: Any
) -> Round:
    """Lays out a position (the first seat to move, the others with the same hand each) and has everything rendered."""
    table = night.table
    assert table.match is not None
    seats = table.match.seats
    zones = {
        'hands': [cards(own), *(cards(others) for _ in range(seats - 1))],
        'boards': [cards(slots)],
        'mysteries': [cards(mysteries)],
        'pile': cards(pile),
    }
    return await lay(night, SWOOP.position(seats, table.match.options, zones, {'turn': 0, **rest}))


async def command(night: Night, name: str, text: str, *, direct: bool = False, **more: Any) -> str:
    """Plays a move by its slash command."""
    verb, _, rest = text.partition(' ')
    options = {'slot': rest} if verb == 'turn' else {'cards': rest} if rest else {}
    return await (night.direct if direct else night.slash)(name, f'swoop {verb}', **options, **more)


# --- hands ---------------------------------------------------------------------------------------------------------------


def labels(mine: HandMessage) -> dict[str, str]:
    """The labels of a hand's buttons, by action and argument."""
    found = [(one['custom_id'].split(':'), one['label']) for one in controls_of(raw(mine.message)) if one['type'] == 2]
    return {f'{parts[1]}:{parts[-1]}': label for parts, label in found}


async def play(mine: HandMessage, move: str) -> str:
    """Plays a move from a hand by as many presses as it takes; what was said besides."""
    verb, *rest = move.split()
    if move not in mine.offered():
        if verb == 'turn':
            assert await mine.press('turn', move) == ''
            return await mine.press('sure', move)
        if verb == 'play':
            assert await mine.choose('some', rest[0]) == ''
            check_step(mine)
        if move not in mine.offered():
            assert await mine.choose('board', str(sum(1 << int(part[1]) for part in rest if part[0] == 'b'))) == ''
            check_step(mine)
    return await (mine.choose('choose', move) if move in mine.options('choose') else mine.press('play', move))


def check_step(mine: HandMessage) -> None:
    """In the middle of a choice everything else of the hand is still there, and what is offered is legal."""
    night, table, message = mine.night, mine.night.table, mine.message
    assert contents(raw(message)) == contents(expected_hand(night, table, mine.name, direct=mine.direct).to_components())
    assert set(mine.offered()) <= set(legal(running(table)))
    within_limits(raw(message))


# --- what may be seen ----------------------------------------------------------------------------------------------------


def contents(components: Iterable[dict[str, Any]]) -> list[str]:
    """The texts of a message or a view, without labels."""
    texts = []
    for part in components:
        texts += [part['content']] if 'content' in part else []
        texts += contents(part.get('components') or [])
    return texts


def texts(components: Iterable[dict[str, Any]]) -> list[str]:
    """All texts and custom ids, but for the button that says whether the last move may be taken back."""
    components = list(components)
    ids = [control['custom_id'] for control in controls_of(components) if ':take-back:' not in control['custom_id']]
    return [*(text for text in texts_of(components) if text != 'Take back'), *ids]


def redealt(table: Table, name: str, night: Night, rng: Random) -> Table:
    """The same table with all cards dealt anew that this person may not know."""
    assert table.match is not None
    match = table.match.copy()
    match.round = SWOOP.determinise(table.observation(night.person(name).id), rng)
    return replace(table, match=match, last_move=None)


def expected_hand(night: Night, table: Table, name: str, *, direct: bool) -> Any:
    words = night.bot.chat.languages.of_person(night.person(name).id, night.guild.id)
    return hand(table, night.person(name).id, night.bot.chat.game_view(table), words, server='Club', direct=direct, pictures=True)[0]


def check_secrets(night: Night, table: Table, names: Iterable[str], rng: Random) -> None:
    """Boards and hands do not change when the cards that their reader may not know are dealt anew, so they tell nothing of them."""
    public = board(redealt(table, WATCHER, night, rng), night.bot.chat.game_view(table), night.bot.chat.languages.of_server(night.guild.id))
    assert texts(public.to_components()) == texts(raw(night.board()))
    for name in names:
        twin = expected_hand(night, redealt(table, name, night, rng), name, direct=True)
        assert texts(twin.to_components()) == texts(raw(night.hand_message(name)))


def check_board(night: Night, table: Table) -> None:
    """The board tells of everybody how many cards there are in the hand, what lies on the board, and how many mysteries are left."""
    observation, text = table.observation(None), night.board_text()
    lines = re.findall(r'✋([0-9]+) `([^`]+)` ❓([0-4]) · ([0-9]+)$', text, re.MULTILINE)
    assert len(lines) == observation.seats
    for seat, (held, places, mysteries, total) in enumerate(lines):
        slots = zip(observation.cards('boards', seat), observation.cards('mysteries', seat), strict=True)
        expected = ['–' if mystery is None else '?' if card is None else SWOOP.card_text(card) for card, mystery in slots]
        assert places.split() == expected
        assert int(total) == (table.match.totals[seat] if table.match else None)
        assert int(held) == len(observation.cards('hands', seat))
        assert int(mysteries) == sum(card is not None for card in observation.cards('mysteries', seat))
    pile = [SWOOP.card_text(card) for card in observation.cards('pile') if card is not None]
    if pile:
        equal = next((number for number, card in enumerate(reversed(pile)) if card != pile[-1]), len(pile))
        assert f'**Pile: {len(pile)} card' in text
        assert f'Top: {" ".join([f"`{pile[-1]}`"] * equal)} — ' in text
    else:
        assert 'The pile is empty' in text


def check_answer(night: Night, table: Table, before: Match, move: str, answer: str) -> None:
    """The answer to a command says what everybody saw, and what the player can do now, and nothing else."""
    words, seat = night.bot.chat.languages.of_server(night.guild.id), before.round.turn
    events = before.play(seat, before.round.parse_move(move))
    lines = [words.event(table, event) for event in events]
    if table.state == 'playing' and table.turn == seat:
        lines.append(words.legal(legal(running(table))))
    assert answer == '\n'.join(lines)


# --- whole matches -----------------------------------------------------------------------------------------------------


def choice(round_: Round, rng: Random) -> str:
    """Mostly by plain sense."""
    sensible = round_.format_move(SWOOP.greedy(round_.observation(round_.turn)))
    return sensible if rng.random() < 0.7 else rng.choice(legal(round_))


def short_match(seats: int) -> str:
    """A seed whose match of one round, played by `choice`, is short and has everything in it: parts of a number, mysteries turned
    at the risk of the pile, additions, and piles taken."""
    for number in count():
        seed, plies, seen = f'swoop {number}', 0, set()
        match, rng = Match(SWOOP, seats, {'rounds': 1}, seed), Random(seed)
        while not match.over and plies < 25 + 9 * seats:
            round_ = match.round
            text = choice(round_, rng)
            seen.add(text.split()[0])
            if text.startswith('turn') and any(zone.name == 'pile' and zone.cards and zone.cards[-1] != 12 for zone in round_.zones()):
                seen.add('risk')
            match.apply(round_.parse_move(text))
            plies += 1
        if match.over and seen >= {'play', 'turn', 'add', 'take', 'risk'}:
            return seed
    raise AssertionError


async def play_out(night: Night, way: str, names: Sequence[str], rng: Random) -> None:
    """Plays a match to its end, and looks at everything after every move."""
    table, hands, shuffle = night.table, PrivateHands(night), Random('hidden')
    while table.state == 'playing':
        assert table.match is not None
        check_board(night, table)
        check_secrets(night, table, names, shuffle)
        name, before, match = names[table.turn], table.position, table.match.copy()
        text = choice(match.round, rng)
        if way == 'command':
            more = {'sure': True} if text.startswith('turn') else {}
            check_answer(night, table, match, text, await command(night, name, text, **more))
        else:
            mine = HandMessage.sent(night, name) if way == 'direct' else await hands.of(name)
            assert sorted(mine.offered()) == sorted(at_once(match.round))
            assert await play(mine, text) == ''
            if way == 'board' and table.state == 'playing':
                twin = expected_hand(night, redealt(table, name, night, shuffle), name, direct=False)
                assert texts(raw(mine.message)) == texts(twin.to_components())
        assert table.position != before or table.state != 'playing', f'{text} was not played'
    assert table.state == 'finished'


def at_once(round_: Round) -> list[str]:
    """The legal moves that a hand plays in one press: all of a number, each SWOOP card, and what cannot cost anything."""
    observation, moves = round_.observation(round_.turn), legal(round_)
    pile = observation.cards('pile')
    if 'done' in moves:
        return moves
    plays = [move for move in moves if move.startswith('play')]
    most = {number: max(size(move) for move in plays if move.split()[1] == number) for number in {move.split()[1] for move in plays}}
    free = [move for move in moves if move.startswith('turn') and (not pile or pile[-1] == 12)]
    return [move for move in plays if size(move) == most[move.split()[1]]] + free + [move for move in moves if move == 'take']


def size(move: str) -> int:
    """How many cards a move plays or adds."""
    return sum(int(part[1:]) if part[0] == 'h' else 1 for part in move.split() if re.fullmatch(r'[hb][0-9]+', part))


@pytest.mark.parametrize(('way', 'seats'), [('command', 3), ('command', 11), ('board', 4), ('direct', 3)])
async def test_a_whole_match(night: Night, monkeypatch: pytest.MonkeyPatch, way: str, seats: int) -> None:
    seed = short_match(seats)
    monkeypatch.setattr(secrets, 'token_hex', lambda _: seed)
    table = await begin(night, 'swoop', seats, rounds=1, **({'seats': seats} if seats > 8 else {}))
    await play_out(night, way, NAMES[:seats], Random(seed))
    text = night.board_text()
    assert table.match is not None
    assert 'the match is over' in text
    assert 'A player is out of cards.' in text
    for seat in table.match.winners:
        assert f'🥇 {NAMES[seat]} · 0' in text


async def test_a_match_by_commands_in_direct_messages(night: Night) -> None:
    table = await begin(night, 'swoop', 3, rounds=1)
    await put(night, '7 7 3', '3 - - -', '2 - - -', '9', others='12 1')
    assert await command(night, 'Ann', 'play 7 7', direct=True) == 'Ann plays 7×2 from the hand.'
    assert await command(night, 'Bob', 'play 1 h1', direct=True) == 'Bob plays one 1 from the hand.'
    assert await command(night, 'Cem', 'play 1', direct=True) == 'Cem plays one 1 from the hand.'
    assert 'Play an equal or lower number' in await command(night, 'Ann', 'play all 3', direct=True)
    assert (await command(night, 'Ann', 'take', direct=True)).startswith('Ann can’t play and takes the pile, 5 cards.')
    for name in ('Bob', 'Cem'):
        assert await command(night, name, 'play 12', direct=True)
    assert table.state == 'finished'


# --- opening -----------------------------------------------------------------------------------------------------------


async def test_the_options(night: Night) -> None:
    assert 'Without a number of rounds or a point limit' in await night.slash('Ann', 'swoop open', rounds=0)
    await night.slash('Ann', 'swoop open', seats=11)
    text = night.board_text()
    assert 'Rounds: one each · Point limit: off' in text
    assert '1 of 11' in text
    for name in NAMES[1:3]:
        await night.press(name, 'Join')
    await night.press('Ann', 'Start')
    assert 'Rounds: 3 · Point limit: off' in night.board_text()
    await night.slash('Ann', 'table end')
    await night.slash('Ann', 'swoop open', rounds=0, target=50)
    assert 'Rounds: off · Point limit: 50' in night.board_text()
    assert night.table.options == {'rounds': None, 'target': 50}


# --- what people read --------------------------------------------------------------------------------------------------


async def test_the_board_of_a_position(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '7 7 W', '12 - 3 -', '1 1 1 -', '11 9 9 6 6 6', others='6 2')
    text = night.board_text()
    for line in (
        '**Pile: 6 cards** (top last) `11×1` `9×2` `6×3`',
        'Top: `6` `6` `6` — 🔥 **one more 6 makes a SWOOP!**',
        'Next: **6 or lower**, or SWOOP 💥W',
        '-# swept away: 0 · not dealt: 0',
        '▶ **Ann 👑** · ✋3 `12 ? 3 –` ❓3 · 0',
        '▫️ Bob · ✋2 `– – – –` ❓0 · 0',
    ):
        assert line in spaced(text).splitlines()
    await command(night, 'Ann', 'play W h1')
    text = night.board_text()
    assert '## 💥 SWOOP! 💥\nAnn sweeps 7 cards away and plays on.' in text
    assert '**The pile is empty.**\nNext: **any number**, or SWOOP 💥W' in text
    assert '-# 💥 **SWOOP!** Ann sweeps 7 cards away and plays on.' in text
    assert '-# swept away: 7 · not dealt: 0' in text
    await command(night, 'Ann', 'play 3 b2')
    text = night.board_text()
    assert '## 💥' not in text
    assert 'Top: `3` — 3 more make a SWOOP' in text
    assert '-# Ann uncovers the mystery under b2.' in text


async def test_a_swoop_over_three_players_is_seen_coming_and_celebrated(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '5 5 2', others='5 2')
    await command(night, 'Ann', 'play 5×2')
    assert 'Top: `5` `5` — 2 more make a SWOOP' in night.board_text()
    await command(night, 'Bob', 'play 5')
    assert 'Top: `5` `5` `5` — 🔥 **one more 5 makes a SWOOP!**' in night.board_text()
    cem = HandMessage.sent(night, 'Cem')
    menu = cem.menu('choose')
    assert menu is not None
    assert [(option['label'], option.get('description')) for option in menu['options']] == [
        ('5×1 from the hand', '💥 SWOOP!'),
        ('2×1 from the hand', None),
    ]
    await play(cem, 'play 5 h1')
    assert '## 💥 SWOOP! 💥\nCem sweeps 4 cards away and plays on.' in night.board_text()
    assert '💥 **SWOOP!** 5×4 in a row: Cem sweeps 4 cards away and plays on.' in night.board_text()
    assert cem.offered() == ['play 2 h1']


async def test_a_hand(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '7 7 12 W W 10', '7 - 3 -', '1 1 1 -', '8', others='6 2')
    ann = await HandMessage.opened(night, 'Ann')
    for line in (
        '`12×1` `10×1` `7×2` `W×2`',
        'Board: `b0 7` `b1 ?` `b2 3` `b3 –`',
        '-# In hand: 6 · on the board: 2 · mysteries: 3',
        '-# Points in your hand and on your board: 140',
        '-# `?` is an uncovered mystery. You may turn it.',
        '⚠️ Bob has only 2 cards left!',
    ):
        assert line in spaced(ann.text).splitlines()
    menu = ann.menu('choose')
    assert menu is not None
    assert [(option['value'], option['label'], option.get('description')) for option in menu['options']] == [
        ('play 7 h2 b0', '7×3: 2 from the hand, b0', 'uncovers the mystery under b0'),
        ('play 3 b2', '3×1 from the board: b2', 'uncovers the mystery under b2'),
        ('play W h1', '💥W×1 from the hand', '💥 SWOOP!'),
    ]
    assert list(ann.options('some')) == ['7']
    assert labels(ann) == {'turn:turn 1': 'Turn mystery 1', 'refresh:': 'Refresh'}
    await ann.choose('some', '7')
    assert ann.offered() == ['play 7 h2 b0', 'play 7 h2', 'play 7 h1 b0', 'play 7 h1', 'play 7 b0']
    assert running(night.table).turn == 0
    await ann.press('refresh', 'back')
    assert list(ann.options('some')) == ['7']
    await play(ann, 'play 7 h1 b0')
    assert 'Ann plays 7×2: 1 from the hand and b0 from the board.' in night.board_text()


async def test_nothing_fits(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '9 10', '- 12 - -', '2 1 - -', '6 4')
    ann = HandMessage.sent(night, 'Ann')
    assert labels(ann) == {'turn:turn 0': 'Turn mystery 0', 'play:take': 'Take the pile (2 cards)'}
    await ann.press('play', 'take')
    assert 'Ann can’t play and takes the pile, 2 cards.' in night.board_text()
    assert '`10×1` `9×1` `6×1` `4×1`' in HandMessage.sent(night, 'Ann').text


async def test_the_board_has_a_button_for_what_needs_no_card(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '9 10', '- - - -', '2 1 - -', '6 4')
    assert 'It is not your turn' in await night.press('Bob', 'Take the pile')
    assert 'right after you turn a mystery' in await night.press('Ann', 'Add nothing')
    assert (await night.press('Ann', 'Take the pile')).startswith('Ann can’t play and takes the pile, 2 cards.')


# --- mysteries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('direct', [False, True])
async def test_a_mystery_that_could_cost_the_pile_is_turned_only_when_confirmed(night: Night, direct: bool) -> None:
    table = await begin(night, 'swoop', 3)
    await put(night, '9 3', '- - - -', '12 1 - -', '6 4', others='1 1 1 1 1 1 1')
    ann = HandMessage.sent(night, 'Ann') if direct else await HandMessage.opened(night, 'Ann')
    position = table.position
    assert await ann.press('turn', 'turn 0') == ''
    # of the 108 cards Ann sees a 9, a 3, a 6 and a 4; 12 SWOOP cards and 8 of each number are there
    for line in (
        '**Turn mystery 0?** If it is higher than 4, you take 3 cards.',
        '-# 60 % of the cards you can’t see are higher than 4.',
        '**Pile: 2 cards** (top last) `6×1` `4×1`',
        'Next: **4 or lower**, or SWOOP 💥W',
    ):
        assert line in ann.text.splitlines()
    assert round(100 * (8 * 8 - 2) / (108 - 4)) == 60
    assert labels(ann) == {'sure:turn 0': 'Yes, turn it', 'refresh:back': '◀ Back'}
    await ann.press('refresh', 'back')
    assert 'turn:turn 0' in labels(ann)
    assert table.position == position
    await ann.press('turn', 'turn 0')
    await ann.press('sure', 'turn 0')
    assert '12 is higher than 4. Ann takes the pile, 3 cards.' in night.board_text()
    assert '`12×1` `9×1` `6×1` `4×1` `3×1`' in ann.text


async def test_a_command_asks_too_unless_one_says_that_one_is_sure(night: Night) -> None:
    table = await begin(night, 'swoop', 3)
    await put(night, '9 3', '- - - -', '2 1 - -', '6 4')
    position = table.position
    for used, options in (('turn', {'slot': '0'}), ('turn', {'slot': 'M0'}), ('play', {'cards': 'mystery 0'})):
        answer = await night.slash('Ann', f'swoop {used}', **options)
        assert '**Turn mystery 0?** If it is higher than 4, you take 3 cards.' in answer
        assert 'Yes, turn it' in answer
        assert table.position == position
    private = max((one for one in night.channel.history(viewer=night.person('Ann')) if one.flags.ephemeral), key=lambda one: one.id)
    ann = HandMessage(night, 'Ann', private.id, direct=False)
    await ann.press('sure', 'turn 0')
    assert 'Ann turns the mystery in place 0: 2!' in night.board_text()
    assert 'Your hand' in ann.text
    await put(night, '9 3', '- - - -', '2 1 - -', '6 4')
    assert await night.slash('Ann', 'swoop turn', slot='1', sure=True) == 'Ann turns the mystery in place 1: 1!'


@pytest.mark.parametrize('pile', ['', '12', '12 12'])
async def test_nothing_is_asked_when_a_mystery_costs_nothing(night: Night, pile: str) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '9 3', '- - - -', '12 1 - -', pile)
    assert labels(HandMessage.sent(night, 'Ann')) == {'play:turn 0': 'Turn mystery 0', 'play:turn 1': 'Turn mystery 1'}
    assert await night.slash('Ann', 'swoop turn', slot='0') == 'Ann turns the mystery in place 0: 12!'


async def test_adding_to_a_mystery(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '6 6 2', '- 6 9 -', '6 7 8 -', '7 6')
    await night.slash('Ann', 'swoop turn', slot='0', sure=True)
    text = night.board_text()
    for line in ('**Pile: 3 cards** (top last) `7×1` `6×2`', 'Top: `6` `6` — 2 more make a SWOOP', 'Next: Ann may add more 6s.'):
        assert line in text.splitlines()
    ann = HandMessage.sent(night, 'Ann')
    assert labels(ann) == {'play:add h2 b1': 'Add all 3', 'play:done': 'Add nothing'}
    assert sorted(ann.options('choose')) == ['add b1', 'add h1', 'add h1 b1', 'add h2']
    menu = ann.menu('choose')
    assert menu is not None
    assert {option['value']: option.get('description') for option in menu['options']} == {
        'add h2': '💥 SWOOP!',
        'add h1 b1': '💥 SWOOP! · uncovers the mystery under b1',
        'add h1': None,
        'add b1': 'uncovers the mystery under b1',
    }
    before = running(night.table).copy()
    for way, says in (
        ({}, 'Ann adds 6×3.'),
        ({'cards': 'h1'}, 'Ann adds one 6.'),
        ({'cards': 'two'}, 'Ann adds 6×2.'),
        ({'cards': 'add b1'}, 'Ann adds one 6.'),
    ):
        assert (await night.slash('Ann', 'swoop add', **way)).startswith(says)
        assert night.table.match is not None
        night.table.match.round = before.copy()
    assert (await night.slash('Ann', 'swoop play', cards='6 6')).startswith('Ann adds 6×2.')
    night.table.match.round = before.copy()
    assert await night.slash('Ann', 'swoop done') == 'Ann adds nothing.'


async def test_a_run_of_four_in_the_middle_of_a_play(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '6 2', '- - - -', '6 - - -', '7 6 6 6')
    await night.slash('Ann', 'swoop turn', slot='0', sure=True)
    assert 'Top: `6` `6` `6` `6` — 🔥 **a SWOOP when this play ends!**' in night.board_text()
    assert (await night.slash('Ann', 'swoop done')).startswith('Ann adds nothing.\n💥 **SWOOP!** 6×4 in a row')


# --- what is refused ---------------------------------------------------------------------------------------------------

_START = ('7 7 9 W', '- 3 9 7', '- 1 1 1', '8')
_ADDING = ('6 6 2', '- 6 9 -', '- 7 8 -', '7 6')
_WRONG = [
    (_START, 'not-held', 'play 7 7 7 7', 'You don’t have that many 7s in your hand (you have 2).'),
    (_START, 'mixed', 'play 7 9', 'All cards of a play must be the same number. 7, 9 do not go together.'),
    (_START, 'too-high', 'play 9', '9 is higher than the 8 on the pile'),
    (_START, 'board-empty', 'play b0', 'There is no card left in place `b0` of your board.'),
    (_START, 'board-number', 'play 7 b1', 'The card in place `b1` of your board is 3.'),
    (_START, 'one-swoop', 'play W W', 'Play SWOOP cards one at a time.'),
    (_START, 'covered', 'turn 1', 'The mystery in place 1 is still covered by your board card `b1`.'),
    (_START, 'mystery-gone', 'turn 0', 'There is no mystery left in place 0.'),
    (_START, 'nothing-to-add', 'add h1', 'You can only `add` cards, or add nothing with `done`, right after'),
    (_START, 'take-while-able', 'take', 'You have a card that you can play'),
    (_START, 'no-pass', 'play pass', 'You can’t pass in SWOOP.'),
    (_START, 'no-slot', 'turn 4', 'There is no place 4'),
    (_START, 'unreadable', 'play banana', 'I can’t read that as a move in this game.'),
    (_START, 'unreadable', 'play ' + '7' * 3000, 'I can’t read that as a move in this game.'),
    (('7',), 'pile-empty', 'take', 'The pile is empty, so there is nothing to take'),
    (('', '- - - -', '1 - - -', '1'), 'must-turn', 'take', 'You have only mysteries left'),
    (_ADDING, 'adding', 'take', 'You have just turned 6. First `add` more'),
    (_ADDING, 'add-number', 'add 2', 'You can only add cards of the same number to the mystery you turned: 6, not 2.'),
]


def test_every_reason_is_tried() -> None:
    assert {code for _, code, _, _ in _WRONG} == {*SWOOP.reasons, 'unreadable'}


async def test_a_wrong_move_is_refused_with_its_reason_and_the_legal_moves(night: Night) -> None:
    table = await begin(night, 'swoop', 3)
    for position, code, move, says in _WRONG:
        round_ = await put(night, *position, adding=position == _ADDING)
        before, at = round_.copy(), table.position
        answer = await command(night, 'Ann', move)
        assert answer.startswith(says)
        moves = legal(round_)
        more = f' and {len(moves) - 12} more' if len(moves) > 12 else ''
        assert answer.splitlines()[-1] == 'You can: ' + ', '.join(f'`{one}`' for one in moves[:12]) + more
        assert ('-# Rules: “' in answer) == (code in SWOOP.reasons)
        assert running(table) == before
        assert table.position == at


async def test_others_wait_for_their_turn(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, *_START)
    for text in ('play 7', 'turn 1', 'add h1', 'done', 'take'):
        assert await command(night, 'Bob', text) == 'It is not your turn: Ann plays next.'
        assert 'no seat' in await command(night, WATCHER, text)
    assert (await HandMessage.opened(night, 'Bob')).offered() == []


# --- stale and hostile presses -----------------------------------------------------------------------------------------


async def test_a_choice_that_was_begun_is_stale_when_the_game_went_on(night: Night) -> None:
    table = await begin(night, 'swoop', 3)
    await put(night, '7 7 9 W', '7 - - -', '1 - - -', '8')
    ann = await HandMessage.opened(night, 'Ann')
    await ann.choose('some', '7')
    begun = ann.menu('choose')
    assert begun is not None
    await night.slash('Ann', 'swoop play', cards='W')
    position = table.position
    assert list(ann.options('some')) == ['7'], 'the hand has been brought up to date'
    (told,) = await night.deliver(night.a_press('Ann', ann.message, begun['custom_id'], ['play 7 h1']))
    assert 'moved on' in told
    assert table.position == position
    assert list(ann.options('some')) == ['7']
    direct = HandMessage.sent(night, 'Ann')
    await direct.choose('some', '7')
    assert 'play 7 h1' in direct.offered()
    stale = direct.menu('choose')
    assert stale is not None
    await night.slash('Ann', 'swoop play', cards='9')
    assert direct.offered() == []
    (told,) = await night.deliver(night.a_press('Ann', direct.message, stale['custom_id'], ['play 7 h1']))
    assert 'moved on' in told
    assert running(table).turn == 1


async def test_a_begun_choice_stays_while_the_position_stays_and_over_a_restart(night: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = next(seed for seed in map(str, count()) if any(' h2' in text for text in legal(Match(SWOOP, 3, {'rounds': 1}, seed).round)))
    monkeypatch.setattr(secrets, 'token_hex', lambda _: seed)
    table = await begin(night, 'swoop', 3, rounds=1)
    name = NAMES[table.turn]
    mine, private = HandMessage.sent(night, name), await HandMessage.opened(night, name)
    number = next(iter(mine.options('some')))
    for one in (mine, private):
        await one.choose('some', number)
    await night.slash(WATCHER, 'table watch')
    await night.slash(WATCHER, 'table show')
    for one in (mine, private):
        assert one.menu('some') is None
        assert f'play {number} h1' in one.offered()
    await night.restart()
    assert running(night.table).turn == table.turn
    private.night = mine.night = night
    await private.choose('choose', f'play {number} h1')
    assert night.table.position == (0, 1)


async def test_hostile_presses(night: Night) -> None:
    table = await begin(night, 'swoop', 3)
    await put(night, '7 7 9 W', '7 - - -', '1 - - -', '8')
    ann, before = await HandMessage.opened(night, 'Ann'), running(table).copy()
    for action, argument, values in (
        ('some', '', ['99']),
        ('some', '', ['']),
        ('some', '', ['7', '9']),
        ('some', '', []),
        ('board', 'play.7', ['16']),
        ('board', 'play.٧', ['1']),
        ('board', 'turn.0', ['1']),
        ('board', '', ['x' * 100]),
        ('turn', 'turn 9', []),
        ('turn', 'play 7 h1', []),
        ('turn', '', []),
        ('nonsense', '', []),
    ):
        custom_id = f't:{action}:{table.id}:0.0:{argument}'
        await night.deliver(night.a_press('Ann', ann.message, custom_id, values))
        assert running(table) == before
        for name in ('Bob', WATCHER):
            await night.deliver(night.a_press(name, night.board(), custom_id, values))
            assert running(table) == before
    assert 'Pile: 1 card' in night.board_text()
    assert list(ann.options('some')) == ['7']


# --- autocomplete --------------------------------------------------------------------------------------------------------


async def suggested(night: Night, name: str, used: str, option: str, typed: str = '') -> dict[str, str]:
    choices = await night.person(name).autocomplete(night.channel, used, option, typed)
    choices_within_limits(choices)
    return {choice['value']: choice['name'] for choice in choices}


async def test_autocomplete_offers_what_is_legal(night: Night) -> None:
    await begin(night, 'swoop', 3)
    await put(night, '11 7 7 3 W W', '7 3 - -', '1 1 1 -', '8')
    assert list((await suggested(night, 'Ann', 'swoop play', 'cards')).items()) == [
        ('7 h2 b0', '7×3: 2 from the hand, b0'),
        ('3 h1 b1', '3×2: 1 from the hand, b1'),
        ('W h1', '💥W×1 from the hand'),
        ('7 h2', '7×2 from the hand'),
        ('7 h1 b0', '7×2: 1 from the hand, b0'),
        ('7 h1', '7×1 from the hand'),
        ('7 b0', '7×1 from the board: b0'),
        ('3 h1', '3×1 from the hand'),
        ('3 b1', '3×1 from the board: b1'),
    ]
    for typed, first in (('7', '7 h1'), ('7 7', '7 h2'), ('7×3', '7 h2 b0'), ('all 7', '7 h2 b0'), ('b1', '3 b1'), ('play two 7s', '7 h2')):
        assert next(iter(await suggested(night, 'Ann', 'swoop play', 'cards', typed))) == first
    assert set(await suggested(night, 'Ann', 'swoop play', 'cards', '7')) == {'7 h1', '7 h2', '7 b0', '7 h1 b0', '7 h2 b0'}
    assert list(await suggested(night, 'Ann', 'swoop play', 'cards', 'sw')) == ['W h1']
    assert list(await suggested(night, 'Ann', 'swoop play', 'cards', '11')) == []
    assert await suggested(night, 'Ann', 'swoop play', 'cards', 'x' * 100) == {}
    assert await suggested(night, 'Ann', 'swoop turn', 'slot') == {'2': 'mystery 2'}
    assert await suggested(night, 'Ann', 'swoop turn', 'slot', '1') == {}
    assert await suggested(night, 'Ann', 'swoop add', 'cards') == {}
    for name in ('Bob', WATCHER):
        for used, option in (('play', 'cards'), ('add', 'cards'), ('turn', 'slot')):
            assert await suggested(night, name, f'swoop {used}', option, '7') == {}
    await put(night, '6 6 2', '- 6 9 -', '- 7 8 -', '7 6', adding=True)
    assert next(iter((await suggested(night, 'Ann', 'swoop add', 'cards')).items())) == ('h2 b1', '6×3: 2 from the hand, b1')
    assert set(await suggested(night, 'Ann', 'swoop add', 'cards')) == {'h1', 'h2', 'b1', 'h1 b1', 'h2 b1'}
    assert set(await suggested(night, 'Ann', 'swoop add', 'cards', 'b1')) == {'b1', 'h1 b1', 'h2 b1'}


# --- the longest hands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('seats', 'direct'), [(8, False), (11, True)])
async def test_the_longest_hand_and_the_longest_names_are_within_the_limits(night: Night, seats: int, direct: bool) -> None:
    """Nearly all cards of the pack in one hand and on its board: every legal move can be reached, in steps of 25 options at most."""
    names = [chr(ord('A') + seat) + '*' * 31 for seat in range(seats)]
    await night.slash(names[0], 'swoop open', seats=seats)
    for name in names[1:]:
        await night.press(name, 'Join')
    await night.press(names[0], 'Start')
    table = night.table
    rest = SWOOP.pack(seats)
    for card in (*cards('7 7 7 7 1 1 1 1 12'), *cards('2 ' * (seats - 1))):
        rest.remove(card or 0)
    assert len(rest) > 140
    own = ' '.join(map(SWOOP.card_text, rest))
    round_ = await put(night, own, '7 7 7 7', '1 1 1 1', '12', others='2')
    events = round_.copy().play(0, round_.parse_move('play 7 h3 b0 b1 b2 b3'))
    for _ in range(3):
        table.recent.extend(events[:2])
    await night.render()
    within_limits(raw(night.board()))
    mine = HandMessage.sent(night, names[0]) if direct else await HandMessage.opened(night, names[0])
    reached = set(mine.offered())
    for number in list(mine.options('some')):
        await mine.choose('some', number)
        reached |= offered_in_steps(mine)
        for slots in list(mine.options('board')):
            await mine.choose('board', slots)
            reached |= offered_in_steps(mine)
            await mine.press('refresh', 'back')
            await mine.choose('some', number)
        await mine.press('refresh', 'back')
    assert reached == set(legal(round_))
    for typed in ('', '7'):
        assert len(await suggested(night, names[0], 'swoop play', 'cards', typed)) == 25
    assert next(iter(await suggested(night, names[0], 'swoop play', 'cards', '7 h5 b1 b2 b3'))) == '7 h5 b1 b2 b3'
    assert f'and {len(legal(round_)) - 12} more' in await night.slash(names[0], 'swoop play', cards='7 x99')

    round_ = await put(night, own, '- 7 7 7', '- 1 1 1', '12 7', others='2', adding=True)
    mine = HandMessage.sent(night, names[0]) if direct else await HandMessage.opened(night, names[0])
    reached = set(mine.offered())
    for slots in list(mine.options('board')):
        await mine.choose('board', slots)
        reached |= offered_in_steps(mine)
        await mine.press('refresh', 'back')
    assert reached == set(legal(round_))


def offered_in_steps(mine: HandMessage) -> set[str]:
    """What a hand offers in the middle of a choice; fails when Discord would not take it."""
    within_limits(raw(mine.message))
    return set(mine.offered())
