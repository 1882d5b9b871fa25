"""Kings in the Corner through Discord: whole matches by command, from the board and from direct messages, and what people read there."""

from __future__ import annotations

import re
import secrets
from itertools import count
from random import Random
from typing import Any

import pytest

from bot.engines import games
from bot.engines.base import Round
from bot.engines.cards import CARDS, NUMBER
from bot.engines.match import Match
from bot.tables.table import Table

from .limits import choices_within_limits, within_limits
from .night import Night, controls_of, raw
from .playing import NAMES, HandMessage, LeakWatch, PrivateHands, begin, lay, legal, pack_codes, plain, shown

KINGS = games()['kings']
STALLS = ('T0', 'T1', 'T2', 'T3', 'K0', 'K1', 'K2', 'K3')


async def slash(night: Night, name: str, used: str, **options: Any) -> str:
    return plain(await night.slash(name, used, **options))


def sign(code: str) -> str:
    return code[0].replace('T', '10') + '♠♣♦♥'['SCDH'.index(code[1])]


def cards(text: str) -> list[int]:
    return [NUMBER[code] for code in text.split()]


async def put(night: Night, *hands: str, stock: str = '', **rest: Any) -> Round:
    """Lays out a position at the table (piles by stall, bottom card first; the first seat to move) and has everything rendered."""
    table = night.table
    assert table.match is not None
    stalls = {name: cards(rest.pop(name)) for name in STALLS if name in rest}
    zones = {'hands': [cards(hand) for hand in hands], 'stock': cards(stock), 'stalls': stalls}
    zones |= {name: rest.pop(name) for name in ('chips', 'pot') if name in rest}
    return await lay(night, KINGS.position(len(hands), table.match.options, zones, {'turn': 0, **rest}))


async def command(night: Night, name: str, text: str, *, direct: bool = False) -> str:
    """Plays a move by its slash command."""
    verb, *rest = text.split()
    options: dict[str, Any] = {}
    if verb == 'play':
        options = dict(zip(('card', 'stall'), rest, strict=True))
    elif verb == 'move':
        options = dict(zip(('from', 'to'), rest, strict=True))
    elif rest:
        options = {'draw': False}
    return plain(await (night.direct if direct else night.slash)(name, f'kings {verb}', **options))


def worth_offering(round_: Round) -> list[str]:
    """The legal moves, but of several empty stalls of a kind only the first."""
    observation = round_.observation(round_.turn)
    empty = [stall for stall in STALLS if not observation.cards('stalls', stall)]
    spare = {stall for stall in empty if stall != next(other for other in empty if other[0] == stall[0])}
    return [text for text in legal(round_) if text.split()[-1] not in spare]


def check_board(night: Night, table: Table) -> None:
    """The board shows the bottom and the top card of every tabbed stall, the top card of every king stall, and chips that add up to 80."""
    assert table.match is not None
    observation, text = table.observation(None), plain(night.board_text())
    drawn = dict(re.findall(r'([TK][0-3]) (\S+ *[0-9]*)(?= +K|$)', text.split('```')[1], re.MULTILINE))
    for stall in STALLS:
        pile = [sign(KINGS.card_text(card)) for card in observation.cards('stalls', stall) if card is not None]
        ends = '…'.join(dict.fromkeys(pile[:1] + pile[-1:] if stall[0] == 'T' else pile[-1:])) or '—'
        assert drawn[stall].split() == [ends, *([str(len(pile))] if pile else [])]
    pot = re.search(r'Pot: ([0-9]+) chips?', text)
    players = [int(chips) for chips in re.findall(r' cards? · ([0-9]+) chips?', text)]
    aside = re.search(r'aside ([0-9]+)', text)
    assert pot is not None
    assert players == observation.counters['chips']
    assert int(pot[1]) + sum(players) + (int(aside[1]) if aside else 0) == 80
    assert '= 80 chips' in text


async def play_out(night: Night, seats: int, way: str, rng: Random) -> None:
    """Plays a match to its end, mostly by plain sense, and looks at everything after every move."""
    table, watch, hands = night.table, LeakWatch(night, NAMES[:seats], pack_codes), PrivateHands(night)
    last = ''
    while table.state == 'playing':
        assert table.match is not None
        watch.look(table)
        check_board(night, table)
        round_ = table.match.round
        name, before = NAMES[round_.turn], table.position
        if 'command' in way:
            text = choice(round_, legal(round_), rng)
            await command(night, name, text, direct=way == 'direct command')
        else:
            hand = await hands.of(name, refresh=name != last) if way == 'board' else HandMessage.sent(night, name)
            assert sorted(hand.offered()) == sorted(worth_offering(round_))
            text = choice(round_, hand.offered(), rng)
            await night.play_from(name, hand.message, text)
        last = name
        assert table.position != before or table.state != 'playing', f'{text} was not played'
    assert table.state == 'finished'


def short_match(seats: int, way: str, *, long: bool) -> str:
    """A seed whose match, played as `play_out` plays it, is short: one hand, or when `long` at least two."""
    for number in count():
        seed, plies = f'kings {number}', 0
        match, rng = Match(KINGS, seats, {'target': 20}, seed), Random(seed)
        while not match.over and plies < 90:
            round_ = match.round
            moves = legal(round_) if 'command' in way else worth_offering(round_)
            match.apply(round_.parse_move(choice(round_, moves, rng)))
            plies += 1
            if match.round.over and not match.over:
                match.next_round()
        if match.over and (match.number > 0 if long else plies <= 45):
            return seed
    raise AssertionError


def choice(round_: Round, moves: list[str], rng: Random) -> str:
    sensible = round_.format_move(KINGS.greedy(round_.observation(round_.turn)))
    return sensible if sensible in moves and rng.random() < 0.7 else rng.choice(moves)


@pytest.mark.parametrize('seats', [2, 6])
@pytest.mark.parametrize('way', ['command', 'direct command', 'board', 'direct'])
async def test_a_whole_match(night: Night, monkeypatch: pytest.MonkeyPatch, way: str, seats: int) -> None:
    seed = short_match(seats, way, long=seats == 2 and way != 'direct command')
    monkeypatch.setattr(secrets, 'token_hex', lambda _: seed)
    table = await begin(night, 'kings', seats, target=20)
    await play_out(night, seats, way, Random(seed))
    text = plain(night.board_text())
    within_limits(raw(night.board()))
    assert table.match is not None
    assert 'the match is over' in text
    for seat in table.match.winners:
        assert f'🥇 {NAMES[seat]}' in text
    board, number = await night.bot.store.leaderboard(night.guild.id, 'kings', 'all', 'wins')
    assert number == seats
    assert {one.name for one in board if one.wins} == {NAMES[seat] for seat in table.match.winners}


# --- what people read -------------------------------------------------------------------------------------------------


async def test_the_board_of_a_new_hand(night: Night) -> None:
    await begin(night, 'kings', 3)
    await put(night, '7H', '2C', '3C', stock='4S 5S', T0='9S 8D', T1='TH', K0='KD QS JD', pot=7, chips=[23, 25, 23])
    text = plain(night.board_text())
    assert [line.rstrip() for line in text.split('```')[1].strip().splitlines()] == [
        'tabbed        king stalls',
        'T0 9♠…8♦   2  K0 J♦      3',
        'T1 10♥     1  K1 —',
        'T2 —          K2 —',
        'T3 —          K3 —',
    ]
    for line in (
        '**Pot: 7 chips** · stock: 2 cards',
        '-# pot 7 + players 71 + set aside 2 = 80 chips',
        '-# New round: 26 chips each, and everyone has put 1 of them in the pot.',
        '▫️ Bob · 1 card · 25 chips · 0 points',
    ):
        assert line in text
    assert '7♥' not in text


async def test_a_hand_tells_what_can_be_played_and_what_ending_the_turn_costs(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, 'KH 7H 9S TC', '2C', stock='4S 5S', T0='8S', T1='JS', T2='JD', T3='KC QD')
    message = night.hand_message('Ann')
    text = shown(message)
    for line in (
        'Black: `10♣` `9♠`',
        'Red: `K♥` `7♥`',
        'So 7♥ is 7H',
        'Place your king, or pay 3 chips when you end your turn.',
        'You have not played yet. Ending your turn now costs 1 chip.',
        '**It is your turn.**',
    ):
        assert line in text
    buttons = [control for control in controls_of(raw(message)) if ':play:' in control['custom_id']]
    labels = {control['custom_id'].rpartition(':')[2]: plain(control['label']) for control in buttons}
    assert labels == {
        'play 7H T0': '7♥ → T0, on 8♠',
        'play TC T2': '10♣ → T2, on J♦',
        'move T1 T3': 'T1 (J♠) → T3, on Q♦',
        'move T3 K0': 'T3 (K♣…Q♦) → K0, empty',
        'play KH K0': 'K♥ → K0, empty',
        'end': 'End and draw (4 chips)',
        'end nodraw': 'End, no draw (5 chips)',
    }


async def test_every_move_redraws_the_hand_with_the_moves_that_are_legal_now(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H 6S 9S KH', '2C', stock='4S 5S', T0='8S', T1='JC', T2='2D', T3='9C')
    hand = await HandMessage.opened(night, 'Ann')
    for move in ('play KH K0', 'play 7H T0', 'play 6S T0'):
        assert night.table.match is not None
        round_ = night.table.match.round
        assert sorted(hand.offered()) == sorted(HandMessage.sent(night, 'Ann').offered()) == sorted(worth_offering(round_))
        assert move in hand.offered()
        await night.play_from('Ann', hand.message, move)
    assert hand.offered() == ['end', 'end nodraw']
    assert 'Nothing else fits. End your turn.' in hand.text
    assert 'You have not played yet' not in hand.text
    assert await slash(night, 'Ann', 'kings end') == 'Ann draws a card and ends the turn.\nYou drew 4♠.'
    assert 'You drew 4♠.' in shown(night.hand_message('Ann'))
    assert '4♠' not in plain(night.board_text())


async def test_a_button_of_an_earlier_position_plays_nothing_and_the_hand_is_drawn_anew(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H 6S', '2C', stock='4S', T0='8S', T1='9C', T2='9S', T3='JC')
    hand = await HandMessage.opened(night, 'Ann')
    old = next(control['custom_id'] for control in controls_of(raw(hand.message)) if control['custom_id'].endswith(':end'))
    await slash(night, 'Ann', 'kings play', card='7h')
    await night.deliver(night.a_press('Ann', hand.message, old))
    assert night.table.turn == 0
    assert hand.offered() == ['play 6S T0', 'end', 'end nodraw']


async def test_an_answer_to_a_command_tells_what_can_be_played_next(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H 6S 9S', '2C', stock='4S', T0='8S', T1='9C', T2='9D', T3='JC')
    assert await slash(night, 'Ann', 'kings play', card='seven of hearts') == (
        'Ann plays 7♥ to T0.\nYou can: `play 6S T0`, `move T0 T2`, `end`, `end nodraw`'
    )
    assert (await slash(night, 'Ann', 'kings move', **{'from': 't0'})).startswith('Ann moves the pile in T0 (8♠, 7♥) to T2.\nYou can: ')
    assert (await slash(night, 'Ann', 'kings play', card='9♠', stall='T0')).startswith('Ann plays 9♠ to T0.\nYou can: ')


@pytest.mark.parametrize(('draw', 'says'), [(True, 'draws a card'), (False, 'without drawing and pays 1 chip to the pot')])
async def test_a_turn_without_a_play_tells_what_each_chip_is_for(night: Night, draw: bool, says: str) -> None:
    await begin(night, 'kings', 2)
    await put(night, 'KS 7H', '2C', stock='4S 5S', T0='8D', T1='9C', T2='9D', T3='JC')
    answer = await slash(night, 'Ann', 'kings end', draw=draw)
    for text in (answer, plain(night.board_text())):
        assert 'Ann ends the turn with K♠ in hand and pays a fine of 3 chips to the pot.' in text
        assert 'K♠ is placed in K0.' in text
        assert 'Ann played nothing this turn and pays 1 chip to the pot.' in text
        assert says in text
    check_board(night, night.table)


async def test_a_drawn_king_is_announced(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H', '2C', stock='KD 5S', T0='8D', T1='9C', T2='9D', T3='JC')
    await night.press('Ann', 'End turn')
    announced = '**Ann draws a king.** K♦ goes to K0 at once, and the turn is over.'
    assert announced in plain(night.board_text())
    assert announced in shown(night.hand_message('Ann'))


async def test_the_end_of_a_hand_tells_who_pays_what(night: Night) -> None:
    await begin(night, 'kings', 3, target=20)
    await put(night, '7H', '2C 3C', '4C', stock='KD 5S', T0='8S', chips=[20, 1, 20], pot=37)
    await slash(night, 'Ann', 'kings play', card='7H', stall='T0')
    text = plain(night.board_text())
    for line in (
        'Bob pays 1 chip to the pot for cards left in hand.',
        'Bob is out of chips, so 1 chip is forgiven.',
        'Cem pays 1 chip to the pot for cards left in hand.',
        'Ann is out of cards, takes all 39 chips from the pot and scores 39 points.',
        'A player is out of cards.',
    ):
        assert line in text
    assert '🥇 Ann · 39' in text


async def test_a_hand_that_is_about_to_be_blocked_says_so(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H', '2C', stock='KD 5S', T0='8D', T1='9C', T2='9D', T3='JC')
    for name in ('Ann', 'Bob', 'Ann'):
        await slash(night, name, 'kings end', draw=False)
    assert '3 turns in a row without a play or a draw. After 4 the round is blocked.' in plain(night.board_text())
    await slash(night, 'Bob', 'kings end', draw=False)
    assert 'It was blocked: for too many turns in a row, nobody played.' in plain(night.board_text())


@pytest.mark.parametrize('seats', [2, 3])
async def test_without_a_stock_a_hand_is_blocked_sooner(night: Night, seats: int) -> None:
    await begin(night, 'kings', seats)
    await put(night, *['7H', '2C', '2S'][:seats], T0='8D', T1='9C', T2='9D', T3='JC')
    await slash(night, 'Ann', 'kings end')
    assert f'1 turn without a play or a draw. After {seats} in a row the round is blocked.' in plain(night.board_text())
    for name in NAMES[1:seats]:
        assert 'It was blocked' not in night.board_text()
        await slash(night, name, 'kings end')
    assert 'It was blocked: for too many turns in a row, nobody played.' in plain(night.board_text())


# --- what is refused --------------------------------------------------------------------------------------------------

_WRONG = [
    ('not-held', 'play 5C T0', 'You don’t hold 5♣'),
    ('wrong-rank', 'play 9H T0', '9♥ does not go on 8♠ in T0. A card must be exactly one rank lower'),
    ('wrong-colour', 'play 7C T0', '7♣ does not go on 8♠ in T0. Red goes on black and black on red'),
    ('on-ace', 'play 9H K1', '9♥ does not go on A♠ in K1. The ace is the lowest card'),
    ('king-to-empty-king-stall', 'play KH T0', 'K♥ can’t go to T0. A king'),
    ('king-stall-start', 'play 7H K2', '7♥ can’t go to K2. The first card in a king stall must be a king'),
    ('from-king-stall', 'move K0 T0', 'Nothing can be moved from K0'),
    ('nothing-to-move', 'move T3 T0', 'There is no pile in T3'),
    ('same-stall', 'move T0 T0', 'The pile is already in T0'),
    ('to-empty-tabbed', 'move T0 T3', 'The pile in T0 can’t go to T3'),
    ('bottom-no-fit', 'move T0 T1', 'The pile in T0 can’t go on 10♦ in T1. The bottom card of the pile, 8♠,'),
    ('nodraw-stock-empty', 'end nodraw', 'There is no draw to refuse'),
    ('no-such-stall', 'play 7H T7', 'There is no stall T7'),
    ('part-of-pile', 'move QC T1', 'Q♣ is not the bottom card of the pile in T2'),
    ('not-on-top', 'play 7H JC', 'J♣ is not the top card of any pile'),
    ('fits-nowhere', 'move T1', '10♦ does not fit anywhere now'),
    ('which-stall', 'play 7H', '7♥ can go to more than one stall. Choose one: `play 7H T0`, `play 7H T3`.'),
    ('unreadable', 'play banana', 'I can’t read that as a move in this game.'),
]


def test_every_reason_is_tried() -> None:
    assert {code for code, _, _ in _WRONG} == {*KINGS.reasons, 'unreadable'}


async def test_a_wrong_move_is_refused_with_its_reason_and_the_legal_moves(night: Night) -> None:
    table = await begin(night, 'kings', 2)
    round_ = await put(night, '7H 7C 9H KH', '2C', T0='8S', T1='TD', T2='KD QC', K0='KS', K1='KC QH JS TH 9S 8H 7S 6H 5S 4H 3S 2H AS')
    before, position = round_.copy(), table.position
    for code, move, says in _WRONG:
        verb, *rest = move.split()
        options: dict[str, Any] = dict(zip(('card', 'stall') if verb == 'play' else ('from', 'to'), rest, strict=False))
        answer = await slash(night, 'Ann', f'kings {verb}', **({'draw': False} if verb == 'end' else options))
        assert answer.startswith(says)
        assert answer.endswith('You can: ' + ', '.join(f'`{one}`' for one in legal(round_)))
        assert ('-# Rules: “' in answer) == (code in KINGS.reasons)
        assert (table.match.round if table.match else None) == before
        assert table.position == position


async def test_others_wait_for_their_turn(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, '7H', '2C', stock='4S', T0='8S')
    assert await slash(night, 'Bob', 'kings end') == 'It is not your turn: Ann plays next.'
    assert await night.press('Bob', 'End turn') == 'It is not your turn: Ann plays next.'
    assert 'no seat' in await night.press('Watcher', 'End turn')
    assert (await HandMessage.opened(night, 'Bob')).offered() == []


# --- autocomplete and long hands ---------------------------------------------------------------------------------------


async def suggested(night: Night, name: str, command: str, option: str, typed: str = '', **filled: str) -> dict[str, str]:
    choices = await night.person(name).autocomplete(night.channel, command, option, typed, **filled)
    choices_within_limits(choices)
    return {choice['value']: plain(choice['name']) for choice in choices}


async def test_autocomplete_offers_what_is_legal(night: Night) -> None:
    await begin(night, 'kings', 2)
    await put(night, 'TH 7H 6S KH', '2C', stock='4S', T0='8S', T1='JC', T2='JD TS', K0='KS QD')
    assert await suggested(night, 'Ann', 'kings play', 'card') == {
        'TH': '10♥ (TH) → T1, T3',
        '7H': '7♥ (7H) → T0, T3',
        '6S': '6♠ (6S) → T3',
        'KH': 'K♥ (KH) → K1, K2, K3',
    }
    for typed in ('10h', 'th', '10♥', 'TH '):
        assert list(await suggested(night, 'Ann', 'kings play', 'card', typed)) == ['TH']
    assert await suggested(night, 'Ann', 'kings play', 'card', 'x' * 90) == {}
    assert await suggested(night, 'Ann', 'kings play', 'stall', card='♥10') == {'T1': 'T1, on J♣', 'T3': 'T3, empty'}
    assert await suggested(night, 'Ann', 'kings play', 'stall', '8', card='7H') == {'T0': 'T0, on 8♠'}
    assert list(await suggested(night, 'Ann', 'kings play', 'stall', card='?')) == ['T0', 'T1', 'T3', 'K1', 'K2', 'K3']
    assert await suggested(night, 'Ann', 'kings move', 'from') == {'T1': 'T1 (J♣)'}
    assert await suggested(night, 'Ann', 'kings move', 'to', **{'from': 't1'}) == {'K0': 'K0, on Q♦'}
    for name in ('Bob', 'Watcher'):
        for command, option in (('play', 'card'), ('play', 'stall'), ('move', 'from'), ('move', 'to')):
            assert await suggested(night, name, f'kings {command}', option) == {}


async def test_the_longest_hand_is_within_the_limits(night: Night) -> None:
    """41 cards: the seven that were dealt, and all that the stock held for two players, none of them a king."""
    await begin(night, 'kings', 2)
    piles = {'T0': '8S', 'T1': '8C', 'T2': '8D'}
    held = [code for code in CARDS if code[0] not in '8K' and code != '2C'][:41]
    round_ = await put(night, ' '.join(held), '2C', stock='8H', **piles)
    hand = await HandMessage.opened(night, 'Ann')
    within_limits(raw(hand.message))
    within_limits(raw(night.hand_message('Ann')))
    within_limits(raw(night.board()))
    assert sorted(hand.offered()) == sorted(worth_offering(round_))
    assert len(await suggested(night, 'Ann', 'kings play', 'card')) == 25
    assert len(await suggested(night, 'Ann', 'kings play', 'card', '♥')) == sum(code[1] == 'H' for code in held)
    refusal = await slash(night, 'Ann', 'kings play', card='2C')
    assert f'and {len(legal(round_)) - 12} more' in refusal
