from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.base import Event, MoveError, NotYourTurnError, RoundOverError, UnreadableMoveError
from bot.engines.cards import shuffled
from bot.engines.match import Match
from bot.engines.options import OptionError
from bot.engines.superman import CARDS, GAME, POINTS, SUPERMAN, SupermanRound, turn_up

COLOURS, NUMBERS = 'BRGY', '1234'
FILLER = 'B1 B1 R1 R1 G1 G1 Y1 Y1 B2 B2'
"""Stock where a position needs one and nothing is said of it."""


def cards(text: str) -> list[int]:
    return [GAME.card(card) for card in text.split()]


def texts(numbers: Iterable[int | None]) -> str:
    return ' '.join(CARDS[card] for card in numbers if card is not None)


def at(up: str, *hands: str, stock: str = '', followup: str = 'same', **facts: Any) -> SupermanRound:
    """Seat 0 is to move unless the facts say otherwise."""
    zones = {'hands': [cards(hand) for hand in hands], 'stock': cards(stock), 'pile': cards(up)}
    return GAME.position(len(hands), GAME.full_options({'superman_followup': followup}), zones, {'turn': 0} | facts)


def hand(round_: SupermanRound, seat: int) -> list[str]:
    return texts(round_.observation(seat).cards('hands', seat)).split()


def pile(round_: SupermanRound) -> str:
    return texts(round_.observation(None).cards('pile'))


def legal(round_: SupermanRound) -> set[str]:
    return {round_.format_move(move) for move in round_.legal_moves()}


def play(round_: SupermanRound, *moves: str) -> list[Event]:
    """Plays moves, checked, each by the seat on turn; returns all events."""
    return [event for text in moves for event in round_.play(round_.turn, round_.parse_move(text))]


def refused(round_: SupermanRound, text: str) -> str:
    """The reason for which a move is refused; nothing may have changed by that."""
    before = round_.copy()
    with pytest.raises(MoveError) as error:
        round_.play(round_.turn, round_.parse_move(text))
    assert round_ == before
    return error.value.code


def turned(stock: str) -> tuple[str, str]:
    """The first up card of a stock and what remains of it, each with the next card first."""
    rest = cards(stock)[::-1]
    up = turn_up(rest)
    return texts([up]), texts(reversed(rest))


# --- the test positions of section 000 --------------------------------------------------------------------------------


def test_000_01_a_superman_turned_first_goes_into_the_middle_of_the_stock() -> None:
    assert turned('S R1 B2 Y3 G4 R2') == ('R1', 'B2 S Y3 G4 R2')


@pytest.mark.parametrize(('seats', 'size', 'rest'), [(2, 7, 21), (3, 5, 20), (4, 5, 15), (5, 5, 10)])
def test_000_02_the_deal(seats: int, size: int, rest: int) -> None:
    round_ = GAME.deal(seats, GAME.full_options({}), 'seed', 0, None)
    assert [len(hand(round_, seat)) for seat in range(seats)] == [size] * seats
    assert len(round_.observation(None).cards('stock')) == rest
    assert len(pile(round_).split()) == 1


def test_000_03_number_or_colour() -> None:
    assert legal(at('Y3', 'Y1 R3 B2 G4', 'B1', stock='B1 B1 R1 R1 G1 G1 Y1 B2 R2')) == {'play Y1', 'play R3'}


def test_000_04_a_drawn_card_is_not_played() -> None:
    round_ = at('Y3', 'B2 G4', 'B1', stock='Y4 B1')
    assert legal(round_) == {'draw'}
    play(round_, 'draw')
    assert hand(round_, 0) == ['B2', 'G4', 'Y4']
    assert round_.turn == 1


def test_000_05_no_draw_with_a_superman_in_hand() -> None:
    round_ = at('Y3', 'B2 S', 'B1', stock='B1 R1 R1 G1 G1')
    assert refused(round_, 'draw') == 'draw-while-able'
    assert legal(round_) == {'play S'}


def test_000_06_after_a_superman_the_same_player_plays_any_card() -> None:
    round_ = at('Y3', 'S B2 G4', 'R1 B1', stock='R2')
    play(round_, 'play S')
    assert round_.turn == 0
    assert legal(round_) == {'play B2', 'play G4', 'stop'}
    play(round_, 'play B2')
    assert pile(round_).split()[-1] == 'B2'
    assert hand(round_, 0) == ['G4']
    assert round_.turn == 1
    assert legal(round_) == {'play B1'}


def test_000_07_superman_after_superman() -> None:
    round_ = at('R2', 'S S G1', 'B4', stock='R1')
    play(round_, 'play S', 'play S', 'play G1')
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [0, 4])


def test_000_08_a_superman_as_the_last_card_ends_the_run() -> None:
    round_ = at('R2', 'S', 'Y3 S', stock='R1')
    play(round_, 'play S')
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [0, 28])


def test_000_09_the_follow_up_may_be_declined() -> None:
    round_ = at('R2', 'S B2', 'G4 Y1', stock='R1')
    play(round_, 'play S', 'stop')
    assert hand(round_, 0) == ['B2']
    assert round_.turn == 1
    assert legal(round_) == {'play G4', 'play Y1'}
    assert refused(round_, 'draw') == 'draw-while-able'


def test_000_10_pass_with_an_empty_stock() -> None:
    round_ = at('R2', 'B1', 'R4')
    assert refused(round_, 'draw') == 'stock-empty'
    play(round_, 'pass')
    assert round_.turn == 1


def test_000_11_no_pass_while_the_stock_has_cards() -> None:
    round_ = at('R2', 'B1', 'R4', stock='Y4')
    assert refused(round_, 'pass') == 'pass-with-stock'
    assert legal(round_) == {'draw'}


def test_000_12_the_run_is_over_when_nobody_can_play() -> None:
    round_ = at('G3', 'G4 B1', 'R2', 'Y3')
    play(round_, 'play G4')
    assert (round_.over, round_.reason, round_.points) == (True, 'blocked', [1, 2, 3])


def test_000_13_a_superman_in_any_hand_keeps_the_run_going() -> None:
    round_ = at('G3', 'G4 B1', 'R2', 'S')
    play(round_, 'play G4')
    assert not round_.over
    assert round_.turn == 1
    assert legal(round_) == {'pass'}


def test_000_14_what_is_left_counts() -> None:
    round_ = at('R2', 'R1', 'B4 Y1 S', stock='R1')
    play(round_, 'play R1')
    assert round_.points == [0, 30]


def test_000_15_somebody_reaches_the_target_and_the_lowest_wins() -> None:
    match = Match(GAME, 3, {'target': 100}, 'seed')
    match.totals = [96, 40, 99]
    match.round = at('R2', 'B2 G4', 'R1', '', turn=1)
    match.play(1, match.round.parse_move('play R1'))
    assert match.round.points == [6, 0, 0]
    assert (match.over, match.winners, match.totals) == (True, [1], [102, 40, 99])


def test_000_16_the_lowest_may_be_shared() -> None:
    match = Match(GAME, 3, {'target': 100}, 'seed')
    match.totals = [101, 33, 33]
    assert GAME.winners(match.options, match.totals, match.number + 1, match.round) == [1, 2]


# --- the table of section 000, row by row -------------------------------------------------------------------------------


def test_two_to_five_players() -> None:
    assert list(GAME.seats) == [2, 3, 4, 5]
    for seats in (1, 6):
        with pytest.raises(OptionError):
            Match(GAME, seats, {}, 'seed')


def test_the_pack_is_two_of_each_number_and_colour_and_four_supermen() -> None:
    pack = Counter(texts(GAME.pack(2)).split())
    assert pack == Counter({colour + number: 2 for colour in COLOURS for number in NUMBERS} | {'S': 4})
    assert pack.total() == 36


def test_number_and_colour_are_not_tied() -> None:
    """Every character has every number, once, and all sixteen pairs show two characters; as far as they are known, the printed ones."""
    shown = {card: GAME.characters(GAME.card(card)) for card in CARDS[:SUPERMAN]}
    assert all(len(characters) == 2 for characters in shown.values())
    numbers = sorted((character, card[1]) for card, characters in shown.items() for character in characters)
    characters = {'Clark Kent', 'Lois Lane', 'Superboy', 'Superdog (Krypto)', 'Green Kryptonite', 'Supergirl', 'Jimmy Olsen', 'Perry White'}
    assert numbers == sorted((character, number) for character in characters for number in NUMBERS)
    assert 'Lois Lane' in shown['R2']
    assert 'Green Kryptonite' in shown['G4']
    assert 'Superboy' in shown['Y3']
    assert GAME.characters(SUPERMAN) == ['Superman']


def test_a_superman_has_neither_number_nor_colour() -> None:
    """On top of the pile it can be matched by everything, and it fits everything."""
    held = ' '.join(CARDS[:SUPERMAN])
    assert legal(at('S', held, 'R1')) == {f'play {card}' for card in CARDS[:SUPERMAN]}
    for up in CARDS:
        assert legal(at(up, 'S', 'S', stock='R1')) == {'play S'}


@pytest.mark.parametrize('seats', GAME.seats)
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left(seats: int) -> None:
    """And the rest of the shuffled pack is the stock, its first card turned up."""
    round_ = GAME.deal(seats, GAME.full_options({}), 'seed', 3, None)
    pack = GAME.pack(seats)
    shuffled_pack = [pack[place] for place in shuffled(range(36), 'seed', 3)]
    size = len(hand(round_, 0))
    for turn in range(seats):
        assert hand(round_, (round_.start + turn) % seats) == texts(sorted(shuffled_pack[turn : seats * size : seats])).split()
    stock = next(zone.cards for zone in round_.zones() if zone.name == 'stock')
    assert (pile(round_), texts(stock)) == turned(texts(shuffled_pack[seats * size :]))


def test_a_superman_is_never_the_first_up_card() -> None:
    options = GAME.full_options({})
    opened = [pile(GAME.deal(2, options, 'seed', number, None)) for number in range(300)]
    assert set(opened) == set(CARDS[:SUPERMAN])


def test_supermen_one_after_the_other_go_into_the_middle() -> None:
    assert turned('S S R1 B2 Y3 G4') == ('R1', 'S S B2 Y3 G4')
    assert turned('S R1 B2 Y3 G4') == ('R1', 'B2 S Y3 G4')
    assert turned('R1 S S') == ('R1', 'S S')


def test_the_seat_at_the_dealers_left_starts() -> None:
    for seed in range(20):
        round_ = GAME.deal(4, GAME.full_options({}), str(seed), 0, None)
        assert round_.dealer is not None
        assert round_.start == round_.turn == (round_.dealer + 1) % 4


def test_the_first_dealer_is_drawn() -> None:
    dealers = Counter(GAME.deal(4, GAME.full_options({}), str(seed), 0, None).dealer for seed in range(400))
    assert set(dealers) == {0, 1, 2, 3}
    assert min(dealers.values()) > 60


def test_play_goes_clockwise() -> None:
    round_ = at('R2', 'R1 B1', 'R1 B1', 'R3 B3', stock=FILLER)
    turns = []
    for text in ('play R1', 'play R1', 'play R3'):
        turns.append(round_.turn)
        play(round_, text)
    assert [*turns, round_.turn] == [0, 1, 2, 0]


@pytest.mark.parametrize('up', CARDS[:SUPERMAN])
def test_a_match_is_the_same_number_or_the_same_colour(up: str) -> None:
    held = ' '.join(CARDS[:SUPERMAN])
    fitting = {f'play {card}' for card in CARDS[:SUPERMAN] if card[0] == up[0] or card[1] == up[1]}
    assert legal(at(up, held, 'R1', stock='S')) == fitting


def test_after_a_superman_the_next_player_plays_any_card_where_the_table_wants_it_so() -> None:
    round_ = at('Y3', 'S B2 G4', 'R1 B1', stock='R2', followup='next')
    play(round_, 'play S')
    assert round_.turn == 1
    assert legal(round_) == {'play R1', 'play B1'}


def test_a_follow_up_needs_no_match_and_ends_the_turn() -> None:
    round_ = at('B1', 'S Y4 Y4 G3', 'R1', stock='R2')
    play(round_, 'play S', 'play G3')
    assert (pile(round_), round_.turn) == ('B1 S G3', 1)


def test_a_follow_up_may_empty_the_hand() -> None:
    round_ = at('B1', 'S Y4', 'R1 R1', stock='R2')
    play(round_, 'play S', 'play Y4')
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [0, 2])


def test_there_is_no_draw_and_no_pass_in_a_follow_up() -> None:
    round_ = at('B1', 'S Y4', 'R1', stock='R2')
    play(round_, 'play S')
    assert refused(round_, 'draw') == refused(round_, 'pass') == 'follow-up'
    assert refused(round_, 'play R1') == 'not-held'


def test_the_played_pile_is_never_shuffled_again() -> None:
    round_ = at('B1 B2 B3 R2', 'G1', 'R4')
    play(round_, 'pass')
    assert list(round_.observation(None).cards('stock')) == []
    assert pile(round_) == 'B1 B2 B3 R2'


def test_the_run_is_checked_after_the_last_card_is_drawn() -> None:
    round_ = at('R2', 'B1', 'B4', stock='G3')
    play(round_, 'draw')
    assert (round_.over, round_.reason, round_.points) == (True, 'blocked', [4, 4])


def test_a_stop_may_end_the_run() -> None:
    """Not while anybody holds a card: on a Superman everything fits."""
    round_ = at('R2', 'S B1', 'B4')
    play(round_, 'play S', 'stop')
    assert not round_.over
    assert legal(round_) == {'play B4'}


def test_a_match_goes_on_below_the_target() -> None:
    match = Match(GAME, 3, {'target': 100}, 'seed')
    match.totals = [99, 0, 33]
    assert GAME.winners(match.options, match.totals, match.number + 1, match.round) == []


def test_the_deal_moves_to_the_left() -> None:
    match = Match(GAME, 3, {'target': 20}, 'deal')
    rng = Random(1)
    dealers = [match.round.dealer]
    while not match.over:
        if match.round.over:
            match.next_round()
            dealers.append(match.round.dealer)
        match.apply(rng.choice(match.round.legal_moves()))
    assert len(dealers) > 2
    assert all(after == (before + 1) % 3 for before, after in pairwise(dealers) if before is not None)


@pytest.mark.parametrize(('options', 'fine'), [
    ({'target': 1}, True), ({'target': 19}, True), ({'target': 500}, True), ({'superman_followup': 'next'}, True), ({}, True),
    ({'target': 0}, False), ({'target': 501}, False), ({'target': None}, False), ({'target': '100'}, False), ({'target': True}, False),
    ({'superman_followup': 'other'}, False), ({'superman_followup': None}, False), ({'targets': 100}, False),
])  # fmt: skip
def test_options(options: dict[str, Any], fine: bool) -> None:
    if fine:
        assert dict(Match(GAME, 2, options, 'seed').options) == {'target': 100, 'superman_followup': 'same'} | options
    else:
        with pytest.raises(OptionError):
            Match(GAME, 2, options, 'seed')


@pytest.mark.parametrize('seats', GAME.seats)
def test_with_target_1_a_match_is_a_single_round(seats: int) -> None:
    reasons = set()
    for number in range(60):
        match, rng = Match(GAME, seats, {'target': 1}, f'one {number}'), Random(number)
        while not match.round.over:
            match.apply(rng.choice(match.round.legal_moves()))
        assert match.over
        points = match.round.points
        assert match.winners == [seat for seat in range(seats) if points[seat] == min(points)]
        reasons.add(match.round.reason)
    assert reasons <= {'out', 'blocked'}


# --- refusals ---------------------------------------------------------------------------------------------------------

REFUSALS = {
    'not-held': (at('R2', 'R1', 'B4', stock='B1'), 'play R3'),
    'no-match': (at('R2', 'R1 B4', 'B4', stock='B1'), 'play B4'),
    'follow-up': (at('R2', 'R1 B4', 'B4', stock='B1', follow_up=True), 'draw'),
    'nothing-to-stop': (at('R2', 'R1 B4', 'B4', stock='B1'), 'stop'),
    'draw-while-able': (at('R2', 'R1', 'B4', stock='B1'), 'draw'),
    'stock-empty': (at('R2', 'B1', 'R4'), 'draw'),
    'pass-while-able': (at('R2', 'R1', 'B4'), 'pass'),
    'pass-with-stock': (at('R2', 'B1', 'B4', stock='B1'), 'pass'),
}


@pytest.mark.parametrize('code', GAME.reasons)
def test_every_reason(code: str) -> None:
    round_, text = REFUSALS[code]
    assert refused(round_, text) == code


def test_a_refusal_says_which_card_and_what_lies_on_top() -> None:
    round_ = at('R2', 'R1 B4', 'B4', stock='B1')
    with pytest.raises(MoveError) as error:
        round_.play(0, round_.parse_move('b4'))
    assert error.value.params == {'card': GAME.card('B4'), 'top': GAME.card('R2')}


def test_other_seats_have_to_wait_and_nobody_plays_on_after_the_end() -> None:
    round_ = at('R2', 'R1', 'R4', stock='B1')
    with pytest.raises(NotYourTurnError) as error:
        round_.play(1, round_.parse_move('play R4'))
    assert error.value.params == {'seat': 0}
    play(round_, 'play R1')
    with pytest.raises(RoundOverError):
        round_.play(1, round_.parse_move('play R4'))


# --- reading moves ----------------------------------------------------------------------------------------------------

ANY = at('R2', 'R1', 'R4', stock='B1')


@pytest.mark.parametrize(('typed', 'meant'), [
    ('play Y3', 'play Y3'), ('y3', 'play Y3'), ('3y', 'play Y3'), ('Y 3', 'play Y3'), ('y-3', 'play Y3'), ('yellow 3', 'play Y3'),
    ('YELLOW3', 'play Y3'), ('3 yellow', 'play Y3'), ('  play   yellow,3 ', 'play Y3'), ('Ｙ３', 'play Y3'), ('Play 3-Yellow', 'play Y3'),
    ('blue 1', 'play B1'), ('2red', 'play R2'), ('green-4', 'play G4'), ('y³', 'play Y3'),
    ('s', 'play S'), ('superman', 'play S'), ('PLAY SUPERMAN', 'play S'), ('wild', 'play S'),
    ('Draw', 'draw'), ('d', 'draw'), ('PASS', 'pass'), (' stop ', 'stop'),
])  # fmt: skip
def test_wide_input(typed: str, meant: str) -> None:
    assert ANY.format_move(ANY.parse_move(typed)) == meant


@pytest.mark.parametrize('typed', [
    '', ' ', 'play', 'play play y3', 'y', '3', 'y5', 'y0', 'y33', 'yy3', 'yel 3', 'purple 3', 'y3 b2', 'y3!', 'superman 2', 'draw 2',
    'play draw', '@everyone', '`y3`', 'y\x003', 'draw\u202e', '\ud800', '🦸',
    'y' * 4000, 'play ' * 800, '\ufdfa' * 4000, ' ' * 4000, '-' * 4000, 'y' + '-' * 4000,
])  # fmt: skip
def test_what_cannot_be_read(typed: str) -> None:
    with pytest.raises(UnreadableMoveError) as error:
        ANY.parse_move(typed)
    assert error.value.code == 'unreadable'


@given(st.text())
def test_any_text_is_a_move_or_unreadable(typed: str) -> None:
    try:
        move = ANY.parse_move(typed)
    except UnreadableMoveError:
        return
    assert ANY.parse_move(ANY.format_move(move)) == move


# --- events -----------------------------------------------------------------------------------------------------------


def test_what_the_table_sees() -> None:
    round_ = at('Y3', 'S B2', 'B1 G4', 'R1 R3', stock='Y4 B1')
    assert play(round_, 'play S', 'stop') == [Event('played', 0, {'card': SUPERMAN}), Event('stopped', 0, {})]
    round_ = at('Y3', 'B2', 'B1 G4', 'R1 R3', stock='Y4 B1')
    assert play(round_, 'draw') == [Event('drew', 0, {}), Event('drew-card', 0, {'card': GAME.card('Y4')}, (0,))]
    round_ = at('Y3', 'B2', 'Y4')
    assert play(round_, 'pass') == [Event('passed', 0, {})]


# --- computer players -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('up', 'held', 'other', 'chosen'), [
    ('Y3', 'Y1 R3 S', 'R1 R1 R2', 'play R3'),  # the card worth most first
    ('Y3', 'Y1 S', 'R1 R1', 'play S'),  # somebody is about to go out: the dearest card has to go
    ('Y3', 'B1 S', 'R1 R1 R2', 'play S'),
    ('Y3', 'B1', 'R1 R1 R2', 'draw'),
])  # fmt: skip
def test_greedy(up: str, held: str, other: str, chosen: str) -> None:
    round_ = at(up, held, other, stock='G1 G1')
    assert round_.format_move(GAME.greedy(round_.observation(0))) == chosen


def test_the_move_for_a_player_whose_time_is_up() -> None:
    assert ANY.format_move(at('Y3', 'B1', 'R1', stock='G1').default_move()) == 'draw'
    assert ANY.format_move(at('Y3', 'B1', 'Y1').default_move()) == 'pass'
    assert ANY.format_move(at('S', 'B1', 'R1', stock='G1', follow_up=True).default_move()) == 'stop'


# --- properties -------------------------------------------------------------------------------------------------------


def by_definition(round_: SupermanRound) -> set[str]:
    """The legal moves once more, from the cards on the table and the words of the rules."""
    held, top, follow_up = hand(round_, round_.turn), pile(round_).split()[-1], round_.facts()['follow_up']
    if follow_up:
        return {f'play {card}' for card in held} | {'stop'}
    fitting = {f'play {card}' for card in held if 'S' in (card, top) or card[0] == top[0] or card[1] == top[1]}
    return fitting or ({'draw'} if round_.observation(None).cards('stock') else {'pass'})


def worth(held: list[str]) -> int:
    return sum(25 if card == 'S' else int(card[1]) for card in held)


matches = st.builds(
    Match,
    st.just(GAME),
    st.sampled_from(GAME.seats),
    st.fixed_dictionaries({'target': st.just(20), 'superman_followup': st.sampled_from(['same', 'next'])}),
    st.text(max_size=5),
)


@given(matches, st.randoms(use_true_random=False))
def test_a_run_from_the_deal_to_its_end(match: Match, rng: Random) -> None:
    round_ = match.round
    assert isinstance(round_, SupermanRound)
    seats = range(match.seats)
    pack = Counter(GAME.pack(match.seats))
    while not round_.over:
        assert legal(round_) == by_definition(round_)
        seat, before = round_.turn, {other: hand(round_, other) for other in seats}
        move = rng.choice(round_.legal_moves())
        match.play(seat, move)
        assert Counter(card for zone in round_.zones() for card in zone.cards) == pack
        for other in seats:
            if other != seat:
                assert hand(round_, other) == before[other]
        drawn = round_.format_move(move) == 'draw'
        assert len(hand(round_, seat)) - len(before[seat]) == (1 if drawn else -1 if move <= SUPERMAN else 0)
    held = [hand(round_, seat) for seat in seats]
    assert round_.points == [worth(cards) for cards in held] == match.totals
    assert round_.reason == ('out' if [] in held else 'blocked')
    if round_.reason == 'blocked':
        top = pile(round_).split()[-1]
        assert not round_.observation(None).cards('stock')
        assert not any('S' in (card, top) or card[0] == top[0] or card[1] == top[1] for cards in held for card in cards)


@given(matches, st.randoms(use_true_random=False))
def test_a_match_ends_when_somebody_reaches_the_target(match: Match, rng: Random) -> None:
    runs = []
    while True:
        while not match.round.over:
            match.apply(rng.choice(match.round.legal_moves()))
        runs.append(match.round.points)
        assert match.totals == [sum(points) for points in zip(*runs, strict=True)]
        assert match.over == (max(match.totals) >= 20)
        if match.over:
            break
        match.next_round()
    assert match.winners == [seat for seat in range(match.seats) if match.totals[seat] == min(match.totals)]


def test_points() -> None:
    assert dict(zip(CARDS, POINTS, strict=True)) == {card: worth([card]) for card in CARDS}
