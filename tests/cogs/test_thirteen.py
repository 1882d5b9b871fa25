"""Thirteen through Discord: whole matches by command, from the board and from direct messages, and what people read there."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import pytest

from bot.engines import games
from bot.engines.base import Round
from bot.engines.cards import NUMBER
from bot.engines.match import Match
from bot.engines.thirteen import PASS, combination, kind_of
from bot.tables.table import Table

from .limits import choices_within_limits, within_limits
from .night import Night, raw
from .playing import NAMES, WATCHER, HandMessage, LeakWatch, PrivateHands, begin, lay, legal, pack_codes, plain, running

THIRTEEN = games()['thirteen']
PACK = [rank + suit for rank in '3456789TJQKA2' for suit in 'SCDH']
MANY = '3S 3C 4S 4C 5S 5C 6S 6C 7S 7C 8S 8C 9S'
"""Six pairs in a row: singles, pairs, sequences of 3 to 7 and double sequences of 3 to 6 pairs."""
LONG = '3S 4D 5H 6C 7C 8S 9D TH JC QS KD AH 2S'
"""Every length of a sequence. (Dealt, it would win at once.)"""


SEED = 'thirteen'
"""Deals no instant win in the first games."""


@pytest.fixture(autouse=True)
def dealt(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Every match is dealt by `SEED`, or by the seed that this is called with."""

    def by(seed: str) -> None:
        monkeypatch.setattr(secrets, 'token_hex', lambda _: seed)

    by(SEED)
    return by


def cards(text: str) -> list[int]:
    return [NUMBER[code] for code in text.split()]


def sign(code: str) -> str:
    return code[0].replace('T', '10') + '♠♣♦♥'['SCDH'.index(code[1])]


def signs(text: str) -> str:
    return ' '.join(f'`{sign(code)}`' for code in text.split())


def position(*hands: str, turn: int = 0, on: str = '', owner: int = 3, **facts: Any) -> Round:
    """A position; players whose hand is not given hold one card each."""
    held = [*hands]
    spare = [code for code in PACK if code not in ' '.join([*hands, on])]
    held += [spare.pop() for _ in range(4 - len(hands))]
    zones = {'hands': [cards(hand) for hand in held], 'played': cards(on)}
    return THIRTEEN.position(4, {'target': 10}, zones, {'turn': turn, 'to_beat': cards(on), 'owner': owner if on else None, **facts})


async def at(night: Night, *hands: str, **facts: Any) -> Round:
    """Lays out a position at a table of four, which is opened where there is none."""
    if night.bot.host.in_channel(night.channel.id) is None:
        await begin(night, 'thirteen', 4)
    return await lay(night, position(*hands, **facts))


async def command(night: Night, name: str, text: str, *, direct: bool = False) -> str:
    """Plays what is typed by slash command."""
    act = night.direct if direct else night.slash
    return plain(await (act(name, 'thirteen pass') if text == 'pass' else act(name, 'thirteen play', cards=text)))


def written(text: str, rng: Random) -> str:
    """A move as people might type it."""
    if text == 'pass':
        return text
    codes = text.split()
    rng.shuffle(codes)
    ways = (str, str.lower, sign, lambda code: sign(code)[::-1] if code[0] != 'T' else code, lambda code: code.replace('T', '10').lower())
    return rng.choice((' ', ',', ', ', '')).join(rng.choice(ways)(code) for code in codes)


async def pick(hand: HandMessage, move: str) -> None:
    """Plays a move from a hand, in two steps where it takes two."""
    legal_moves = legal(running(hand.night.table))
    if move not in hand.offered():
        kind = class_of(move)
        assert await hand.choose('class', kind) == ''
        within_limits(raw(hand.message))
        assert set(hand.options('choose')) == {text for text in legal_moves if text != 'pass' and class_of(text) == kind}
    assert ('pass' in hand.buttons()) == ('pass' in legal_moves)
    said = await (hand.press('play', move) if move == 'pass' else hand.choose('choose', move))
    assert said == ''


def class_of(text: str) -> str:
    kind = kind_of(combination(cards(text)))
    return f'{kind.kind}.{kind.length}'


def check_board(night: Night, table: Table) -> None:
    """The board shows what lies and whose it is, how many cards each holds, who has passed, who is out, and the points."""
    assert table.match is not None
    facts, text = table.observation(None).facts, plain(night.board_text())
    lies = ' '.join(THIRTEEN.card_text(card) for card in facts['to_beat'])
    if lies:
        assert re.search(rf'\*\*To beat:\*\* .+ by {NAMES[facts["owner"]]}\n{re.escape(signs(lies))}\n', text)
    else:
        assert ('`3♠` must be in the first play.' in text) == facts['opening']
        assert (f'The table is clear. {NAMES[table.turn]} leads any combination.' in text) != facts['opening']
    passed = ', '.join(NAMES[seat] for seat in facts['passed'])
    assert re.findall(r'-# Passed: (.+)', text) == ([passed] if passed else [])
    for seat, name in enumerate(NAMES[:4]):
        held = len(table.observation(None).cards('hands', seat))
        note = f'{held} card{"s" * (held != 1)}' if held else f'out, place {facts["out"].index(seat) + 1}'
        total = table.match.totals[seat]
        mark = f'▶ **{name}{" 👑" * (seat == 0)}**' if seat == table.turn else f'▫️ {name}{" 👑" * (seat == 0)}'
        assert f'{mark} · {note} · {total} point{"s" * (total != 1)}\n' in text


# --- whole matches ----------------------------------------------------------------------------------------------------


def choice(round_: Round, rng: Random, way: str) -> str:
    """Mostly a sensible move; by command with any lower suits."""
    move = THIRTEEN.greedy(round_.observation(round_.turn)) if rng.random() < 0.8 else rng.choice(list(round_.legal_moves()))
    if 'command' in way and move != PASS:
        move = rng.choice([exact for exact in round_.exact_moves() if exact != PASS and kind_of(exact) == kind_of(move)])
    return round_.format_move(move)


def match_seed(way: str, target: int, plies: int, rounds: int) -> str:
    """A seed whose match, played as `play_out` plays it, has so many rounds and no more plies than that."""
    for number in count():
        seed, played = f'thirteen {number}', 0
        match, rng = Match(THIRTEEN, 4, {'target': target}, seed), Random(seed)
        while not match.over and played <= plies:
            if match.round.over:
                match.next_round()
                continue
            match.apply(match.round.parse_move(choice(match.round, rng, way)))
            played += 1
        if match.over and match.number + 1 == rounds and played >= 20:
            return seed
    raise AssertionError


async def play_out(night: Night, way: str, rng: Random) -> None:
    """Plays a match to its end, and looks at everything after every move."""
    table, audience, hands = night.table, LeakWatch(night, NAMES[:4], pack_codes), PrivateHands(night)
    number = 0
    while table.state == 'playing':
        assert table.match is not None
        audience.look(table)
        check_board(night, table)
        round_ = table.match.round
        name, before = NAMES[round_.turn], table.position
        text = choice(round_, rng, way)
        how = ('command', 'direct command', 'board', 'direct')[number % 4] if way == 'mixed' else way
        if 'command' in how:
            await command(night, name, written(text, Random(number)), direct=how == 'direct command')
        else:
            await pick(await hands.of(name) if how == 'board' else HandMessage.sent(night, name), text)
        assert table.position != before or table.state != 'playing', f'{text} was not played'
        number += 1
    assert table.state == 'finished'


@pytest.mark.parametrize(
    ('way', 'target', 'plies', 'rounds'),
    [('command', 3, 50, 1), ('direct command', 3, 50, 1), ('board', 3, 50, 1), ('direct', 3, 50, 1), ('mixed', 4, 80, 2)],
)
async def test_a_whole_match(night: Night, dealt: Callable[[str], None], way: str, target: int, plies: int, rounds: int) -> None:
    seed = match_seed(way, target, plies, rounds)
    dealt(seed)
    table = await begin(night, 'thirteen', 4, target=target)
    await play_out(night, way, Random(seed))
    text = plain(night.board_text())
    within_limits(raw(night.board()))
    assert table.match is not None
    [winner] = table.match.winners
    assert 'the match is over' in text
    assert f'🥇 {NAMES[winner]}' in text
    board, players = await night.bot.store.leaderboard(night.guild.id, 'thirteen', 'all', 'wins')
    assert players == 4
    assert [one.name for one in board if one.wins] == [NAMES[winner]]


# --- the board --------------------------------------------------------------------------------------------------------


async def test_the_board_shows_what_lies_who_has_passed_and_who_is_out(night: Night) -> None:
    table = await begin(night, 'thirteen', 4)
    await lay(night, position('3S 4S', '5S', '6S 7S 8S', '', turn=0, on='TC TH', owner=2, passed=[1], out=[3]))
    text = plain(night.board_text())
    for line in (
        '### Thirteen · round 1',
        '**To beat:** pair by Cem',
        '`10♣` `10♥`',
        '▶ **Ann 👑** · 2 cards · 0 points',
        '-# Passed: Bob',
        '▫️ Bob · 1 card · 0 points',
        '▫️ Cem · 3 cards · 0 points',
        '▫️ Dora · out, place 1 · 0 points',
        '-# Points to win: 10',
    ):
        assert line in text.splitlines()
    assert 'Bombs' not in text
    check_board(night, table)


_LIES = {
    '8H': 'single card',
    '8S 8H': 'pair',
    '8S 8C 8H': 'three of a kind',
    '8S 8C 8D 8H': 'four of a kind',
    '9S TH JD': 'sequence of 3',
    '3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS': 'sequence of 12',
    '3S 3H 4S 4H 5S 5H': '3 pairs in a row',
    '2D': 'single card',
    '2S 2D': 'pair',
    '2S 2C 2D': 'three of a kind',
}
_BOMBS = {'2D': 'four of a kind, or 3 or more pairs', '2S 2D': '4 or more pairs', '2S 2C 2D': '5 or more pairs'}


async def test_the_kind_of_what_lies_is_told_and_which_bombs_beat_it(night: Night) -> None:
    for lies, kind in _LIES.items():
        await at(night, '3C 4C', on=lies)
        text = plain(night.board_text())
        assert f'**To beat:** {kind} by Dora\n{signs(lies)}\n' in text
        assert re.findall(r'-# Bombs beat it too: (.+) in a row\.', text) == ([_BOMBS[lies]] if lies in _BOMBS else [])


async def test_the_board_before_the_first_play_and_when_the_cards_are_cleared(night: Night) -> None:
    table = await begin(night, 'thirteen', 4)
    holder = NAMES[table.turn]
    assert '`3♠` must be in the first play.' in plain(night.board_text())
    assert f'{holder} holds 3♠ and leads. That card must be in the first play.' in plain(night.board_text())
    await at(night, '5H 6H', '4S 4C', '7S 7C', '8S 8C')
    for name in ('Ann', 'Bob', 'Cem', 'Dora'):
        await command(night, name, '5h' if name == 'Ann' else 'pass')
    text = plain(night.board_text())
    assert 'The table is clear. Ann leads any combination.' in text
    assert '-# Nobody beat that. The cards are cleared and Ann leads.' in text
    await at(night, '5H', '4S 4C', '7S 7C', '8S 8C')
    for name in ('Ann', 'Bob', 'Cem', 'Dora'):
        await command(night, name, '5h' if name == 'Ann' else 'pass')
    assert 'The table is clear. Bob leads any combination.' in plain(night.board_text())


async def test_a_bomb_is_told(night: Night) -> None:
    await at(night, '8S 8C 8D 8H 3S', on='2D', owner=3)
    assert await command(night, 'Ann', '8h8s8c8d') == '💣 Ann bombs with 8♠, 8♣, 8♦, 8♥!'
    assert '-# 💣 Ann bombs with 8♠, 8♣, 8♦, 8♥!' in plain(night.board_text())


async def test_pass_is_always_on_the_board_and_gives_nothing_away(night: Night) -> None:
    await at(night, '8S 8C', '9S', turn=0)
    assert await night.press('Bob', 'Pass') == 'It is not your turn: Ann plays next.'
    assert 'no seat' in await night.press(WATCHER, 'Pass')
    assert 'You lead, so you must play something.' in await night.press('Ann', 'Pass')
    await command(night, 'Ann', '8s')
    await night.press('Bob', 'Pass')
    assert '-# Passed: Bob' in plain(night.board_text())


# --- how a game ends --------------------------------------------------------------------------------------------------


async def test_places_and_points_at_the_end_of_a_game_and_of_the_match(night: Night) -> None:
    table = await begin(night, 'thirteen', 4, target=4)
    await lay(night, position('', '5H', '6S 6C', '', turn=1, out=[3, 0], target=4))
    await command(night, 'Bob', '5h')
    text = plain(night.board_text())
    for line in (
        '### Thirteen · round 2',
        '-# Bob is out in place 3: 1 point.',
        '-# Cem is left with 2 cards and gets no points.',
        '-# Dora won the last round and leads.',
        '-# Round 1 is over. Three players are out of cards. Points: 1. Dora +3, 2. Ann +2, 3. Bob +1, 4. Cem +0.',
        '▫️ Ann 👑 · 13 cards · 2 points',
        '▶ **Dora** · 13 cards · 3 points',
    ):
        assert line in text.splitlines()
    await lay(night, position('', '5H', '6S 6C', '', turn=1, out=[0, 3], target=4))
    await command(night, 'Bob', '5h')
    assert table.state == 'playing', 'the highest total is shared'
    assert 'Points: 1. Ann +3, 2. Dora +2, 3. Bob +1, 4. Cem +0.' in plain(night.board_text())
    await lay(night, position('', '5H', '6S 6C', '', turn=1, out=[0, 3], target=4))
    await command(night, 'Bob', '5h')
    assert table.state == 'finished'
    text = plain(night.board_text())
    for line in ('**Ann** wins the match.', '🥇 Ann · 8', '🥈 Dora · 7', '🥉 Bob · 3', '4. Cem · 0'):
        assert line in text
    assert 'Round 3 is over. Three players are out of cards. Points: 1. Ann +3, 2. Dora +2, 3. Bob +1, 4. Cem +0.' in text


def instant_seed(kind: str, number: int = 0) -> tuple[str, int]:
    """A seed whose deal with this number is won at once in this way, and the seat that wins; the deals before are not."""
    for attempt in count():
        seed = f'{kind} {number} {attempt}'
        match = Match(THIRTEEN, 4, {}, seed)
        while not match.round.over and match.number < number:
            match.round = position('', '5H', '6S 6C', '', turn=1, out=[3, 0])
            match.apply(match.round.parse_move('5H'))
            match.next_round()
        dealt = match.round.dealt()[0]
        if match.number == number and dealt.kind == kind:
            return seed, dealt.seat or 0
    raise AssertionError


def told_hand(text: str, words: str) -> list[str]:
    """The cards of the hand that a line with these words names."""
    [line] = [line for line in text.splitlines() if words in line]
    return [code for code in PACK if code in pack_codes(line)]


async def test_a_match_that_begins_with_an_instant_win(night: Night, dealt: Callable[[str], None]) -> None:
    seed, winner = instant_seed('four-twos')
    dealt(seed)
    hand = Match(THIRTEEN, 4, {}, seed).round.zones()[winner].cards
    table = await begin(night, 'thirteen', 4)
    text = plain(night.board_text())
    assert told_hand(text, f'⚡ {NAMES[winner]} was dealt four 2s and wins at once: ') == [THIRTEEN.card_text(card or 0) for card in hand]
    assert '### Thirteen · round 2' in text
    assert f'-# {NAMES[winner]} won the last round and leads.' in text
    assert 'Round 1 is over. A player was dealt a winning hand: four 2s, or every rank from 3 to ace. Points: ' in text
    assert f'{NAMES[winner]} 3' in text
    check_board(night, table)
    LeakWatch(night, NAMES[:4], pack_codes).look(table)


async def test_an_instant_win_in_a_later_game_ends_the_match(night: Night, dealt: Callable[[str], None]) -> None:
    seed, winner = instant_seed('four-twos', 1)
    dealt(seed)
    table = await begin(night, 'thirteen', 4)
    assert table.match is not None
    table.match.totals = [7 if seat == winner else 0 for seat in range(4)]
    *out, last = [seat for seat in range(4) if seat != winner]
    hands = ['6S 6C' if seat == winner else '5H' if seat == last else '' for seat in range(4)]
    await lay(night, position(*hands, turn=last, out=out))
    await command(night, NAMES[last], '5h')
    assert table.state == 'finished'
    text = plain(night.board_text())
    assert f'🥇 {NAMES[winner]}' in text
    assert len(told_hand(text, f'⚡ {NAMES[winner]} was dealt four 2s and wins at once: ')) == 13
    assert text.index('Round 1 is over') < text.index('Round 2 is over'), 'the game that the move ended, and the one the deal won'


async def test_a_sequence_from_3_to_ace_is_told_with_the_hand(night: Night) -> None:
    table = await begin(night, 'thirteen', 4)
    hands = [cards(hand) for hand in ('3C 3D 3H 4S 4C 4D 5S 5C 5D 6S 6C 6D 7S', LONG, '4H 6H 7D 7H', '8C 8D 8H 9S')]
    round_ = THIRTEEN.opening(4, {'target': 10}, {'hands': hands, 'played': []}, 0, None, 0)
    table.recent.extend(round_.dealt())
    await night.render()
    assert told_hand(plain(night.board_text()), '⚡ Bob was dealt every rank from 3 to ace and wins at once: ') == LONG.split()


# --- the hand and its picker ------------------------------------------------------------------------------------------


async def hand_of(night: Night, name: str, where: str) -> HandMessage:
    return await HandMessage.opened(night, name) if where == 'board' else HandMessage.sent(night, name)


@pytest.mark.parametrize('where', ['board', 'direct'])
@pytest.mark.parametrize('held', [MANY, LONG, '3S 3C 3D 3H 4S 4C 4D 4H 5S 5C 5D 5H 2S'])
async def test_the_picker_asks_for_the_kind_first_then_for_the_top_card(night: Night, where: str, held: str) -> None:
    round_ = await at(night, held)
    hand, before = await hand_of(night, 'Ann', where), night.everything()
    board = night.board_text()
    assert hand.menu('choose') is None
    kinds, seen = hand.options('class'), []
    for kind in kinds:
        assert await hand.choose('class', kind) == ''
        within_limits(raw(hand.message))
        offered = hand.options('choose')
        assert {class_of(text) for text in offered} == {kind}
        assert list(offered.values()) == [' '.join(map(sign, text.split())) for text in offered]
        assert [kind_of(combination(cards(text))).top for text in offered] == sorted(
            (kind_of(combination(cards(text))).top for text in offered), key=lambda card: PACK.index(THIRTEEN.card_text(card))
        )
        seen += list(offered)
    assert sorted(seen) == sorted(legal(round_))
    assert night.everything() == before
    assert night.board_text() == board, 'nothing leaves the hand before it is played'
    move = seen[-1]
    assert await hand.choose('choose', move) == ''
    assert night.table.turn == 1
    assert signs(move) in plain(night.board_text())


async def test_the_first_step_names_the_kinds_and_how_many_there_are(night: Night) -> None:
    await at(night, MANY)
    hand = HandMessage.sent(night, 'Ann')
    assert list(hand.options('class').values()) == [
        'single card',
        'pair',
        *(f'sequence of {n}' for n in range(3, 8)),
        *(f'{n} pairs in a row' for n in range(3, 7)),
    ]
    menu = hand.menu('class')
    assert menu is not None
    assert [option['description'] for option in menu['options'][:3]] == ['13 to choose from', '6 to choose from', '9 to choose from']
    await hand.choose('class', 'double.4')
    menu = hand.menu('choose')
    assert menu is not None
    assert menu['placeholder'] == 'Which 4 pairs in a row …'
    assert not any(option.get('description') for option in menu['options'])
    assert list(hand.options('choose').values()) == ['3♠ 3♣ 4♠ 4♣ 5♠ 5♣ 6♠ 6♣', '4♠ 4♣ 5♠ 5♣ 6♠ 6♣ 7♠ 7♣', '5♠ 5♣ 6♠ 6♣ 7♠ 7♣ 8♠ 8♣']
    first = hand.menu('class')
    assert first is not None
    assert [option['value'] for option in first['options'] if option.get('default')] == ['double.4']


async def test_few_combinations_are_one_menu(night: Night) -> None:
    await at(night, '4S 4C 7D 8D 9D')
    hand = HandMessage.sent(night, 'Ann')
    assert hand.menu('class') is None
    assert hand.offered() == ['4S', '4C', '7D', '8D', '9D', '4S 4C', '7D 8D 9D']
    menu = hand.menu('choose')
    assert menu is not None
    assert [option['description'] for option in menu['options']] == ['single card'] * 5 + ['pair', 'sequence of 3']


async def test_a_hand_tells_how_one_stands(night: Night) -> None:
    await at(night, '3S 5S 6C 9D', '4H', '7C', '', on='8D', owner=2, passed=[1], out=[3])
    ann = HandMessage.sent(night, 'Ann')
    assert '`3♠` `5♠` `6♣` `9♦`\n-# To choose exact suits, type the cards:\n-# `/thirteen play 5s 6c 7d`' in ann.text
    assert '**To beat:** single card by Cem\n`8♦`' in ann.text
    assert ann.offered() == ['9D', 'pass']
    bob, cem, dora = (HandMessage.sent(night, name) for name in ('Bob', 'Cem', 'Dora'))
    assert '`4♥`\n-# You have passed. You can’t play until the cards are cleared.' in bob.text
    assert 'It is Ann’s turn.' in bob.text
    assert 'No cards left.' in dora.text
    assert bob.offered() == cem.offered() == dora.offered() == []
    await ann.press('play', 'pass')
    await at(night, '3S', '4H', on='8D')
    assert '-# Nothing in your hand beats this. Pass.' in ann.text
    assert ann.offered() == ['pass']


@pytest.mark.parametrize('where', ['board', 'direct'])
async def test_a_hand_is_redrawn_in_its_place_when_it_has_played(night: Night, where: str) -> None:
    await at(night, MANY)
    hand = await hand_of(night, 'Ann', where)
    await pick(hand, '3S 4S 5S')
    assert signs('3C 4C 5C 6S 6C 7S 7C') + '\n' + signs('8S 8C 9S') in hand.text
    assert 'It is Bob’s turn.' in hand.text
    assert hand.offered() == []


# --- a choice that has grown old --------------------------------------------------------------------------------------


@pytest.mark.parametrize('where', ['board', 'direct'])
@pytest.mark.parametrize(('action', 'value'), [('class', 'pair.1'), ('choose', '3S 3C')])
async def test_a_picker_of_an_earlier_position_starts_over(night: Night, where: str, action: str, value: str) -> None:
    await at(night, MANY, '9C', '9D', '9H')
    hand = await hand_of(night, 'Ann', where)
    await hand.choose('class', 'pair.1')
    old = hand.menu(action)
    assert old is not None
    await command(night, 'Ann', '3s')
    for name in ('Bob', 'Cem', 'Dora'):
        await command(night, name, 'pass')
    position = night.table.position
    [said] = await night.deliver(night.a_press('Ann', hand.message, old['custom_id'], [value]))
    assert 'The game has moved on' in said
    assert night.table.position == position
    assert hand.menu('choose') is None
    assert await hand.choose('class', 'pair.1') == ''
    assert list(hand.options('choose')) == ['4S 4C', '5S 5C', '6S 6C', '7S 7C', '8S 8C']


async def test_a_kind_that_is_not_there_starts_over(night: Night) -> None:
    await at(night, MANY)
    hand = await HandMessage.opened(night, 'Ann')
    before = night.everything()
    for values in (['banana.3'], ['four.1'], ['pair.1', 'single.1'], ['']):
        await hand.choose('class', 'pair.1')
        menu = hand.menu('class')
        assert menu is not None
        await night.deliver(night.a_press('Ann', hand.message, menu['custom_id'], values))
        assert hand.menu('choose') is None
        assert hand.menu('class') is not None
    assert night.everything() == before


async def test_a_picker_serves_only_whose_turn_it_is(night: Night) -> None:
    await at(night, MANY, '9C TC')
    ann, bob = await HandMessage.opened(night, 'Ann'), await HandMessage.opened(night, 'Bob')
    menu = ann.menu('class')
    assert menu is not None
    await night.press(WATCHER, 'My hand')
    before = night.everything()
    await night.deliver(night.a_press('Bob', bob.message, menu['custom_id'], ['pair.1']))
    assert bob.offered() == []
    assert not pack_codes(bob.text) & set(MANY.split())
    [said] = await night.deliver(night.a_press(WATCHER, night.board(), menu['custom_id'], ['pair.1']))
    assert 'no seat' in said
    assert night.everything() == before


async def test_a_half_made_choice_outlives_what_does_not_move_the_game(night: Night) -> None:
    await at(night, MANY)
    hand = HandMessage.sent(night, 'Ann')
    await hand.choose('class', 'sequence.4')
    await night.slash(WATCHER, 'table watch')
    await night.slash('Bob', 'hand')
    await command(night, 'Bob', '9C')
    assert list(hand.options('choose')) == [
        *('3S 4S 5S 6S', '3S 4S 5S 6C'), *('4S 5S 6S 7S', '4S 5S 6S 7C'), *('5S 6S 7S 8S', '5S 6S 7S 8C'), '6S 7S 8S 9S',
    ]  # fmt: skip
    await hand.choose('choose', '4S 5S 6S 7C')
    assert night.table.turn == 1


async def test_a_half_made_choice_goes_when_the_game_moves(night: Night) -> None:
    await at(night, MANY)
    hand = HandMessage.sent(night, 'Ann')
    await hand.choose('class', 'sequence.4')
    await command(night, 'Ann', '9s')
    assert hand.offered() == []
    assert 'It is Bob’s turn.' in hand.text


async def test_a_half_made_choice_after_a_restart_and_after_the_end(night: Night) -> None:
    table = await begin(night, 'thirteen', 4)
    leader = table.turn
    await command(night, NAMES[leader], '3s')
    for _ in range(3):
        await command(night, NAMES[table.turn], 'pass')
    assert table.turn == leader
    hand = await HandMessage.opened(night, NAMES[leader])
    kind = list(hand.options('class'))[-1]
    await hand.choose('class', kind)
    step = hand.options('choose')
    await night.restart()
    assert hand.options('choose') == step
    assert await hand.choose('class', kind) == ''
    menu = hand.menu('class')
    assert menu is not None
    await hand.choose('choose', next(iter(step)))
    await night.slash('Ann', 'table end')
    [said] = await night.deliver(night.a_press(hand.name, hand.message, menu['custom_id'], [kind]))
    assert said.endswith('no longer open.')


# --- commands ---------------------------------------------------------------------------------------------------------


_TYPED = (
    '5H 6C 7D', '7d 5h 6c', '7♦5♥6♣', '5♥, 6♣, 7♦', '♥5 ♣6 ♦7', 'h5 c6 d7', '5h6c7d', ' PLAY 5h+6c+7d ', '5\ufe0f♥️ 6♣︎ 7♦︎'
)  # fmt: skip


async def test_exact_cards_in_any_order_and_notation(night: Night) -> None:
    for typed in _TYPED:
        await at(night, '5S 5H 6S 6C 7S 7D TH')
        assert await command(night, 'Ann', typed) == 'Ann leads 5♥, 6♣, 7♦.', typed
        held = night.table.observation(night.person('Ann').id).cards('hands', 0)
        assert [THIRTEEN.card_text(card or 0) for card in held] == ['5S', '6S', '7S', 'TH']
        assert signs('5S 6S 7S TH') in HandMessage.sent(night, 'Ann').text


async def test_the_ten_and_a_pass_in_any_notation(night: Night) -> None:
    for typed, move in (('10h', 'TH'), ('♥10', 'TH'), ('th', 'TH'), ('10♠ tc', 'TS TC')):
        await at(night, 'TS TC TH 3D')
        await command(night, 'Ann', typed)
        assert signs(move) in plain(night.board_text())
    await at(night, '3D', on='8S')
    await night.slash('Ann', 'thirteen play', cards='PASS')
    assert '-# Passed: Ann' in plain(night.board_text())


async def suggested(night: Night, name: str, typed: str = '') -> dict[str, str]:
    choices = await night.person(name).autocomplete(night.channel, 'thirteen play', 'cards', typed)
    choices_within_limits(choices)
    return {choice['value']: plain(choice['name']) for choice in choices}


async def test_autocomplete_offers_what_is_legal(night: Night) -> None:
    round_ = await at(night, '5S 5C 5H 6D 7C TH')
    assert await suggested(night, 'Ann') == {
        '5S': '5♠ · single card',
        '5C': '5♣ · single card',
        '5H': '5♥ · single card',
        '6D': '6♦ · single card',
        '7C': '7♣ · single card',
        'TH': '10♥ · single card',
        '5S 5C': '5♠ 5♣ · pair',
        '5S 5H': '5♠ 5♥ · pair',
        '5S 5C 5H': '5♠ 5♣ 5♥ · three of a kind',
        '5S 6D 7C': '5♠ 6♦ 7♣ · sequence of 3',
    }
    assert set(await suggested(night, 'Ann')) == set(legal(round_))
    for typed in ('10h', 'th', '10♥', '♥10', 'TH ', '10'):
        assert list(await suggested(night, 'Ann', typed)) == ['TH'], typed
    assert list(await suggested(night, 'Ann', 'pair')) == ['5S 5C', '5S 5H', '5C 5H']
    assert list(await suggested(night, 'Ann', '5c 5h')) == ['5C 5H', '5S 5C 5H'], 'the lower suits as they were typed'
    assert list(await suggested(night, 'Ann', '5♥, 6')) == ['5H 6D 7C']
    assert list(await suggested(night, 'Ann', '6d7c5c')) == ['5C 6D 7C']
    for typed in ('9h', 'x' * 90, '5s 5s 5s zz', '`', '5s,,'):
        assert set(await suggested(night, 'Ann', typed)) <= {'5S', '5S 5C', '5S 5H', '5S 5C 5H', '5S 6D 7C'}
    for name in ('Bob', WATCHER):
        for typed in ('', '5', '5s'):
            assert await suggested(night, name, typed) == {}


async def test_autocomplete_of_a_hand_with_many_combinations(night: Night) -> None:
    round_ = await at(night, MANY)
    assert len(legal(round_)) > 40
    assert len(await suggested(night, 'Ann')) == 25
    assert set(await suggested(night, 'Ann', 'pairs in a row')) == {text for text in legal(round_) if class_of(text).startswith('double')}
    exact = {round_.format_move(move) for move in round_.exact_moves()}
    for typed in ('3c', '4c 5c', 'sequence of 5', '9s'):
        found = await suggested(night, 'Ann', typed)
        assert found
        assert set(found) <= exact
    longest = '3C 4S 5C 6S 7C 8C 9S'
    assert list(await suggested(night, 'Ann', longest)) == [longest]
    await command(night, 'Ann', longest)
    assert signs(longest) in plain(night.board_text())


# --- what is refused --------------------------------------------------------------------------------------------------

_WRONG: list[tuple[str, str, dict[str, Any], str, str]] = [
    ('not-held', '5S 6S', {}, '5C', 'You don’t hold 5♣.'),
    ('twice', '5S 6S', {}, '5s 5♠', 'You named 5♠ twice, but there is only one of each card.'),
    ('no-combination', '5S 6S 8S', {}, '5s 6s', '5♠, 6♠ is not a combination. You can play a single card,'),
    ('two-in-sequence', 'KS AS 2S', {}, '2s ks as', 'K♠, A♠, 2♠ is not a combination. A 2 can’t be part of a sequence'),
    ('three-of-spades', '3S 4S 5S 6S', {'opening': True}, '4s 5s 6s', 'The first play of a match must include 3♠'),
    ('pass-on-lead', '5S 6S', {}, 'pass', 'You lead, so you must play something.'),
    ('wrong-kind', '5S 5C 9S', {'on': '4H'}, '5s 5c', '4♥ can only be beaten by a combination of the same kind.'),
    ('wrong-length', '5S 6S 7S 8S', {'on': '4S 5D 6H'}, '5s 6s 7s 8s', 'can only be beaten by a sequence of the same length: 3 cards.'),
    ('too-low', '5S 9S', {'on': '6H'}, '5s', 'That is not higher than 6♥. The highest card decides: first its rank'),
    ('bomb-without-twos', '5S 5C 5D 5H', {'on': 'AH'}, '5s 5c 5d 5h', 'You can’t bomb A♥. A bomb only beats 2s'),
    ('bomb-too-small', '5S 5C 5D 5H', {'on': '2S 2H'}, '5s 5c 5d 5h', 'for 2♠, 2♥. You need a double sequence of at least 4 pairs.'),
    ('bomb-on-bomb', '5S 5C 5D 5H', {'on': '6S 6C 7S 7C 8S 8C'}, '5s 5c 5d 5h', 'can only be beaten by a higher bomb of the same type'),
    ('unreadable', MANY, {}, 'banana', 'I can’t read that as a move in this game.'),
    ('unreadable', MANY, {}, 'x' * 300, 'I can’t read that as a move in this game.'),
]  # fmt: skip


def test_every_reason_is_tried() -> None:
    assert {code for code, *_ in _WRONG} == {*THIRTEEN.reasons, 'unreadable'}


async def test_a_wrong_move_is_refused_with_its_reason_and_the_legal_moves(night: Night) -> None:
    for code, held, facts, typed, says in _WRONG:
        round_ = await at(night, held, **facts)
        before, position = round_.copy(), night.table.position
        answer = await command(night, 'Ann', typed)
        assert says in answer.splitlines()[0]
        assert ('-# Rules: “' in answer) == (code in THIRTEEN.reasons)
        moves = [f'`{text}`' for text in legal(round_)]
        more = f' and {len(moves) - 12} more' if len(moves) > 12 else ''
        assert answer.splitlines()[-1].startswith(f'You can: {", ".join(moves[:12])}{more}')
        assert await command(night, 'Ann', typed, direct=True) == answer
        assert running(night.table) == before
        assert night.table.position == position
    assert night.stored()['move'] == []


async def test_others_wait_for_their_turn(night: Night) -> None:
    await at(night, '5S', '6S')
    await night.press(WATCHER, 'My hand')
    before = night.everything()
    assert await command(night, 'Bob', '6s') == 'It is not your turn: Ann plays next.'
    assert await command(night, 'Bob', 'pass') == 'It is not your turn: Ann plays next.'
    assert 'no seat' in await command(night, WATCHER, '5s')
    assert night.everything() == before


# --- the table --------------------------------------------------------------------------------------------------------


async def test_a_table_takes_exactly_four(night: Night) -> None:
    await night.slash('Ann', 'thirteen open')
    assert 'Seats: 1 of 4 taken' in night.board_text()
    for name in NAMES[1:3]:
        await night.press(name, 'Join')
    assert 'One more player is needed.' in night.board_text()
    assert '4 players' in await night.press('Ann', 'Start')
    assert night.table.state == 'lobby'
    await night.press('Dora', 'Join')
    assert 'full' in await night.press('Emil', 'Join')
    assert 'Emil' not in night.board_text()
    await night.press('Ann', 'Start')
    assert night.table.state == 'playing'
