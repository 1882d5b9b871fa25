"""SWOOP: every row of its rules, the test positions 004-01 to 004-23, and a second opinion by a slow and simple referee."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engines import games
from bot.engines.base import (
    HIDDEN,
    Event,
    IllegalMoveError,
    MoveError,
    NotYourTurnError,
    Observation,
    Round,
    RoundOverError,
    UnreadableMoveError,
    Zone,
    nest,
)
from bot.engines.cards import shuffled
from bot.engines.match import Match
from bot.engines.options import OptionError
from bot.engines.swoop import CARDS, POINTS, SWOOP, run
from bot.text import Catalogues

GAME = games()['swoop']
TEXTS = Catalogues.load()
OTHERS = (3, 4, 5, 6, 7, 8, 9, 10, 11)


def cards(text: str) -> list[int | None]:
    """`7 7 W -`: cards, and places without one."""
    return [None if card == '-' else GAME.card(card) for card in text.split()]


def table(hand: str = '', board: str = '- - - -', mysteries: str = '- - - -', pile: str = '', **rest: Any) -> Round:
    """Seat 0 of three has these cards and is to move; the others hold a 1 each, unless `others` says what is in their hands."""
    others = [cards(other) for other in rest.pop('others', ('1', '1'))]
    zones = {'hands': [cards(hand), *others], 'boards': [cards(board)], 'mysteries': [cards(mysteries)], 'pile': cards(pile)}
    seats = 1 + len(others)
    return GAME.position(seats, GAME.full_options({}, seats), zones, {'turn': 0, **rest})


def play(round_: Round, *moves: str) -> list[Event]:
    """Plays the moves for the seat on turn; returns what everybody saw, each with its text."""
    events = [event for move in moves for event in round_.play(round_.turn, round_.parse_move(move))]
    for event in events:
        assert event.seen_by is None
        assert TEXTS.get('en', f'swoop.event.{event.kind}', player='Ann', **event.params)
    return events


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def legal(round_: Round) -> set[str]:
    return {round_.format_move(move) for move in round_.legal_moves()}


def refused(round_: Round, move: str) -> str:
    """The reason why a move is refused; fails when it is not, when it has no text, or when anything has changed."""
    before = round_.copy()
    with pytest.raises(MoveError) as error:
        play(round_, move)
    assert round_ == before
    code = error.value.code
    key = f'swoop.reason.{code}' if code in GAME.reasons else f'reason.{code}'
    assert TEXTS.get('en', key, **error.value.params)
    return code


def zone(round_: Round, name: str, seat: int | None = None) -> str:
    """The cards of a zone as text."""
    zones = nest(round_.zones())[name]
    return ' '.join('-' if card is None else GAME.card_text(card) for card in (zones if seat is None else zones[seat]))


# --- the test positions -----------------------------------------------------------------------------------------------


def test_004_01_several_from_hand_and_board() -> None:
    round_ = table('7 7 3', '7 - - -', '9 - - -')
    assert kinds(play(round_, '7 7 b0')) == ['played-both', 'uncovered']
    assert (zone(round_, 'pile'), zone(round_, 'hands', 0), zone(round_, 'boards', 0)) == ('7 7 7', '3', '- - - -')
    assert round_.turn == 1
    play(round_, 'play 1 h1')
    assert round_.over  # seat 1 had just that card
    round_ = table('7 7 3', '7 - - -', '9 - - -', others=('5 5', '5 5'))
    play(round_, 'play 7 h2 b0', 'play 5 h1', 'play 5 h1')
    assert 'turn 0' in legal(round_)


def test_004_02_equal_or_lower_and_one_number() -> None:
    round_ = table('8 7 6 6 1', pile='7')
    assert refused(round_, '8') == 'too-high'
    assert refused(round_, '7 6') == 'mixed'
    for text in ('6 6', '1'):
        twin = round_.copy()
        play(twin, text)
        assert twin.turn == 1


def test_004_03_a_swoop_over_three_players() -> None:
    round_ = table('5 5 2', others=('5 2', '5 2'))
    play(round_, '5 5', '5')
    assert round_.turn == 2
    assert kinds(play(round_, '5')) == ['played-hand', 'swoop-number']
    assert (round_.turn, zone(round_, 'pile'), zone(round_, 'out')) == (2, '', '5 5 5 5')
    assert legal(round_) == {'play 2 h1'}


def test_004_04_a_run_of_five() -> None:
    round_ = table('5 5 1', pile='5 5 5')
    swoop = play(round_, '5 5')[-1]
    assert (swoop.kind, swoop.params) == ('swoop-number', {'card': 5, 'run': 5, 'n': 5})
    assert (round_.turn, zone(round_, 'pile')) == (0, '')


def test_004_05_higher_is_refused_though_it_would_make_four() -> None:
    assert refused(table('9 1', pile='9 9 9 8'), '9') == 'too-high'


def test_004_06_one_swoop_card_a_play() -> None:
    round_ = table('W W 12', pile='12 4')
    assert refused(round_, 'W W') == refused(round_, 'play W h2') == 'one-swoop'
    swoop = play(round_, 'W')[-1]
    assert (swoop.kind, swoop.params) == ('swoop-card', {'n': 3})
    assert (round_.turn, zone(round_, 'pile'), zone(round_, 'out')) == (0, '', '12 4 W')
    assert legal(round_) == {'play W h1', 'play 12 h1'}
    play(round_, 'W')
    assert round_.turn == 0


def test_004_07_only_take() -> None:
    round_ = table('9 10', '12 11 12 9', '1 1 1 1', '6 4')
    assert legal(round_) == {'take'}
    assert kinds(play(round_, 'take')) == ['took']
    assert (zone(round_, 'hands', 0), zone(round_, 'pile'), round_.turn) == ('4 6 9 10', '', 1)
    round_ = table('9 10', '12 11 12 9', '1 1 1 1', '6 4', others=('12 3', '1'))
    play(round_, 'take')
    assert legal(round_) == {'play 12 h1', 'play 3 h1'}


@pytest.mark.parametrize(('hand', 'board'), [('9 10 W', '12 11 12 9'), ('9 10', '12 11 W 9'), ('9 10', '12 11 3 9'), ('9 10 4', '- - - -')])
def test_004_08_no_taking_while_able(hand: str, board: str) -> None:
    assert refused(table(hand, board, '1 1 1 1', '6 4'), 'take') == 'take-while-able'


def test_004_09_no_taking_nothing_and_no_passing() -> None:
    round_ = table('9 10')
    assert refused(round_, 'take') == 'pile-empty'
    assert refused(round_, 'pass') == 'no-pass'


def test_004_10_a_covered_mystery() -> None:
    assert refused(table('9', '- 10 - -', '- 2 - -'), 'turn 1') == 'covered'


def test_004_11_adding_to_a_mystery() -> None:
    round_ = table('6 6 2', mysteries='6 - - -', pile='7')
    assert kinds(play(round_, 'turn 0')) == ['turned']
    assert (zone(round_, 'pile'), round_.turn) == ('7 6', 0)
    assert legal(round_) == {'add h1', 'add h2', 'done'}
    declined = round_.copy()
    assert kinds(play(round_, 'add h2')) == ['added']
    assert (zone(round_, 'pile'), round_.turn) == ('7 6 6 6', 1)
    assert kinds(play(declined, 'done')) == ['done']
    assert (zone(declined, 'pile'), zone(declined, 'hands', 0), declined.turn) == ('7 6', '2 6 6', 1)


def test_004_12_a_mystery_that_is_too_high() -> None:
    round_ = table('11 11 11', mysteries='11 - - -', pile='12 9 8 7 7', others=('12 2', '1'))
    events = play(round_, 'turn 0')
    assert kinds(events) == ['turned', 'turned-too-high']
    assert (events[0].params, events[1].params) == ({'card': 11, 'slot': 0}, {'card': 11, 'top': 7, 'n': 6})
    assert (zone(round_, 'hands', 0), zone(round_, 'pile'), zone(round_, 'mysteries', 0)) == ('7 7 8 9 11 11 11 11 12', '', '- - - -')
    assert round_.turn == 1
    assert legal(round_) == {'play 12 h1', 'play 2 h1'}


def test_004_13_only_mysteries_left() -> None:
    round_ = table('', mysteries='- - 5 -', pile='4')
    assert refused(round_, 'take') == 'must-turn'
    assert legal(round_) == {'turn 2'}


def test_004_14_take_or_turn() -> None:
    assert legal(table('9', mysteries='- - 5 -', pile='4')) == {'take', 'turn 2'}


def test_004_15_the_last_mystery() -> None:
    round_ = table('', mysteries='- - - 3', pile='4', others=('1', '12'))
    assert kinds(play(round_, 'turn 3')) == ['turned', 'out']
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [0, 5, 10])
    round_ = table('', mysteries='- - - 5', pile='4')
    play(round_, 'turn 3')
    assert (round_.over, zone(round_, 'hands', 0), round_.turn) == (False, '4 5', 1)


def test_004_16_out_with_a_swoop_card() -> None:
    round_ = table('W', pile='8 3')
    assert kinds(play(round_, 'swoop')) == ['played-hand', 'swoop-card', 'out']
    assert (round_.over, round_.points, zone(round_, 'pile'), zone(round_, 'out')) == (True, [0, 5, 5], '', '8 3 W')


def test_004_17_turning_what_was_just_uncovered() -> None:
    round_ = table('9', '- - 5 -', '- - 11 -', '5 5 5')
    play(round_, 'b2')
    assert legal(round_) == {'play 9 h1', 'turn 2'}
    round_ = table('9', '- - 5 -', '- - 11 -', '5', others=('2 2', '2 2'))
    play(round_, 'b2')
    assert round_.turn == 1
    assert refused(round_, 'turn 2') == 'mystery-gone'
    with pytest.raises(NotYourTurnError):
        round_.play(0, round_.parse_move('turn 2'))
    play(round_, '2', '2')
    assert 'turn 2' in legal(round_)


def test_004_18_playing_on_after_a_swoop_is_a_duty() -> None:
    round_ = table('W 12', pile='1')
    play(round_, 'W')
    assert legal(round_) == {'play 12 h1'}
    play(round_, '12')
    assert (round_.over, round_.points[0]) == (True, 0)


def test_004_19_a_mystery_makes_the_fourth() -> None:
    round_ = table('9', mysteries='4 - - -', pile='10 4 4 4')
    assert kinds(play(round_, 'turn 0')) == ['turned', 'swoop-number']
    assert (round_.turn, zone(round_, 'out')) == (0, '10 4 4 4 4')


def test_004_20_a_mystery_is_a_swoop_card() -> None:
    round_ = table('9', mysteries='W - - -', pile='2')
    assert kinds(play(round_, 'turn 0')) == ['turned', 'swoop-card']
    assert (round_.turn, zone(round_, 'pile'), zone(round_, 'out')) == (0, '', '2 W')


def test_004_21_scoring() -> None:
    zones = {
        'hands': [cards('3 12'), cards('2'), []],
        'boards': [cards('W - - -')],
        'mysteries': [cards('1 - - -')],
    }
    round_ = GAME.position(3, GAME.full_options({}, 3), zones, {'turn': 1})
    play(round_, '2')
    assert round_.points == [70, 0, 0]
    assert POINTS == (50, 5, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10)


def test_004_22_a_round_for_each_player_and_ties_are_shared() -> None:
    match = random_match(4, {}, 'a')
    assert match.options == {'rounds': 4, 'target': None}
    assert match.number == 3
    match.totals = [60, 35, 35, 90]
    assert GAME.winners(match.options, match.totals, match.number + 1, match.round) == [1, 2]
    match.number = 2
    assert GAME.winners(match.options, match.totals, match.number + 1, match.round) == []


@pytest.mark.parametrize(
    ('seats', 'decks', 'out'), [(3, 2, 51), (4, 2, 32), (5, 2, 13), (6, 3, 48), (7, 3, 29), (8, 3, 10), (9, 4, 45), (10, 4, 26), (11, 4, 7)]
)
def test_004_23_decks_and_cards_out_of_play(seats: int, decks: int, out: int) -> None:
    assert len(GAME.pack(seats)) == decks * 54
    round_ = Match(GAME, seats, {}, 'x').round
    zones = nest(round_.zones())
    assert len(zones['out']) == out
    assert Counter(every_card(round_)) == Counter(GAME.pack(seats))


# --- the rules, row by row --------------------------------------------------------------------------------------------


def every_card(round_: Round) -> list[int]:
    return [card for zone in round_.zones() for card in zone.cards if card is not None]


def random_match(seats: int, options: dict[str, Any], seed: str) -> Match:
    match, rng = Match(GAME, seats, options, seed), Random(seed)
    while True:
        while not match.round.over:
            match.apply(rng.choice(match.round.legal_moves()))
        if match.over:
            return match
        match.next_round()


def test_players() -> None:
    assert (GAME.seats, GAME.usual_seats) == (range(3, 12), range(3, 9))
    for seats in (2, 12):
        with pytest.raises(OptionError) as error:
            Match(GAME, seats, {}, 'x')
        assert error.value.params == {'low': 3, 'high': 11}


def test_one_deck() -> None:
    assert Counter(GAME.pack(3)) == {SWOOP: 12} | dict.fromkeys(range(1, 13), 8)
    assert [GAME.card_text(card) for card in range(13)] == ['W', *map(str, range(1, 13))]
    assert all(GAME.card(GAME.card_text(card)) == card for card in range(13))
    for text in ('', 'w', '0', '13', '01', 'B1', '7s'):
        with pytest.raises(KeyError):
            GAME.card(text)


@pytest.mark.parametrize('seats', GAME.seats)
def test_the_deal(seats: int) -> None:
    zones = nest(Match(GAME, seats, {}, 'deal').round.zones())
    assert [len(hand) for hand in zones['hands']] == [11] * seats
    for name in ('boards', 'mysteries'):
        assert [len(four) for four in zones[name]] == [4] * seats
        assert None not in chain.from_iterable(zones[name])
    assert zones['pile'] == []


def test_board_and_mysteries_come_before_the_hand() -> None:
    """Nobody chooses them: the first four cards that a seat is dealt are its mysteries, the next four its board."""
    options = GAME.full_options({}, 3)
    pack = shuffled(GAME.pack(3), 'order', 5)
    zones = nest(GAME.deal(3, options, 'order', 5, None).zones())
    for seat in range(3):
        dealt = pack[seat:57:3]
        assert (zones['mysteries'][seat], zones['boards'][seat], zones['hands'][seat]) == (dealt[:4], dealt[4:8], sorted(dealt[8:]))
    assert zones['out'] == pack[57:]


@pytest.mark.parametrize('seats', [3, 8, 11])
def test_each_round_is_begun_by_the_next_seat(seats: int) -> None:
    match, rng, starts = Match(GAME, seats, {}, 'start'), Random(1), []
    while True:
        starts.append(match.round.start)
        assert match.round.dealer is None
        assert match.round.turn == match.round.start
        while not match.round.over:
            match.apply(rng.choice(match.round.legal_moves()))
        if match.over:
            break
        match.next_round()
    assert starts == [(starts[0] + number) % seats for number in range(seats)]


def test_the_first_starting_seat_is_random() -> None:
    assert {Match(GAME, 3, {}, f'seed {number}').round.start for number in range(40)} == {0, 1, 2}


def test_anything_goes_on_an_empty_pile() -> None:
    assert legal(table('12 1 W')) == {'play 12 h1', 'play 1 h1', 'play W h1'}


def test_a_play_has_no_upper_limit() -> None:
    round_ = table('3 3 3 3 3 3 3 1', '3 3 3 3', '1 1 1 1', '3')
    swoop = play(round_, 'all 3s')[-1]
    assert swoop.params == {'card': 3, 'run': 12, 'n': 12}


def test_every_part_of_a_number_is_a_play() -> None:
    assert legal(table('3 3', '3 - 3 9', '1 1 1 1', '3')) == {
        'play 3 h1', 'play 3 h2', 'play 3 b0', 'play 3 b2', 'play 3 b0 b2',
        'play 3 h1 b0', 'play 3 h1 b2', 'play 3 h1 b0 b2', 'play 3 h2 b0', 'play 3 h2 b2', 'play 3 h2 b0 b2', 'turn 1',
    }  # fmt: skip


def test_mysteries_are_turned_one_at_a_time_and_by_choice() -> None:
    assert legal(table('3', '- 9 - -', '1 1 1 -', '3')) == {'play 3 h1', 'turn 0', 'turn 2'}


def test_adding_is_from_hand_and_board() -> None:
    round_ = table('6 2', '- 6 9 -', '6 7 8 -', '7')
    play(round_, 'turn 0')
    assert legal(round_) == {'add h1', 'add b1', 'add h1 b1', 'done'}
    assert kinds(play(round_, 'add h1 b1')) == ['added', 'uncovered']
    assert zone(round_, 'pile') == '7 6 6 6'


def test_a_swoop_after_a_mystery_is_judged_when_the_play_closes() -> None:
    round_ = table('6 2', mysteries='6 - - -', pile='6 6 6')
    assert kinds(play(round_, 'turn 0')) == ['turned']
    twin = round_.copy()
    assert kinds(play(round_, 'add h1')) == ['added', 'swoop-number']
    assert (zone(round_, 'out'), round_.turn) == ('6 6 6 6 6', 0)
    assert kinds(play(twin, 'done')) == ['done', 'swoop-number']
    assert (zone(twin, 'out'), zone(twin, 'hands', 0), twin.turn) == ('6 6 6 6', '2 6', 0)


def test_a_mystery_that_matches_nothing_closes_at_once() -> None:
    round_ = table('5 2', mysteries='6 - - -', pile='7')
    assert kinds(play(round_, 'turn 0')) == ['turned']
    assert (round_.turn, zone(round_, 'pile')) == (1, '7 6')


def test_a_mystery_on_an_empty_pile_is_always_legal() -> None:
    round_ = table('5', mysteries='12 - - -')
    play(round_, 'turn 0')
    assert (round_.turn, zone(round_, 'pile')) == (1, '12')


def test_only_equal_numbers_on_top_make_a_swoop() -> None:
    round_ = table('5 5 5 1', pile='5 4')
    assert refused(round_, '5 5 5') == 'too-high'
    round_ = table('4 4 1', pile='4 5 4')
    play(round_, '4 4')
    assert (round_.turn, zone(round_, 'pile')) == (1, '4 5 4 4 4')
    assert [run(pile) for pile in ([], [4], [4, 5], [5, 4, 4], [4, 4, 4, 4, 4])] == [0, 1, 1, 2, 5]


def test_a_pile_of_high_numbers_may_follow_a_swoop() -> None:
    round_ = table('2 12', pile='2 2 2')
    play(round_, '2')
    assert legal(round_) == {'play 12 h1'}


def test_a_swoop_card_in_hand_and_one_on_the_board_are_two_moves() -> None:
    round_ = table('W W 1', 'W - 2 W', '1 - 1 1')
    assert {move for move in legal(round_) if 'W' in move} == {'play W h1', 'play W b0', 'play W b3'}
    assert kinds(play(round_, 'play W b3')) == ['played-board', 'uncovered', 'swoop-card']
    assert 'turn 3' in legal(round_)


def test_no_swoop_by_number_of_higher_cards_below() -> None:
    round_ = table('3 1', pile='3 3 3 2')
    assert refused(round_, '3') == 'too-high'


def test_out_at_once_when_the_last_card_makes_a_swoop() -> None:
    round_ = table('5', pile='5 5 5')
    assert kinds(play(round_, '5')) == ['played-hand', 'swoop-number', 'out']
    assert round_.reason == 'out'
    for seat in range(3):
        with pytest.raises(RoundOverError):
            round_.play(seat, round_.parse_move('5'))


def test_out_by_adding_the_last_card() -> None:
    round_ = table('6', mysteries='6 - - -', pile='7')
    play(round_, 'turn 0')
    assert not round_.over
    play(round_, 'add h1')
    assert (round_.over, round_.points) == (True, [0, 5, 5])


def test_mysteries_left_keep_a_player_in() -> None:
    round_ = table('6', mysteries='- - 1 -', pile='7')
    play(round_, '6')
    assert not round_.over


# --- the match --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('seats', GAME.seats)
def test_a_match_has_a_round_for_each_seat(seats: int) -> None:
    match = random_match(seats, {}, 'end')
    assert match.options == {'rounds': seats, 'target': None}
    assert match.number + 1 == seats
    assert match.winners == [seat for seat, total in enumerate(match.totals) if total == min(match.totals)]


def test_a_target_ends_the_match_after_the_round() -> None:
    match = random_match(3, {'rounds': None, 'target': 300}, 'target')
    assert max(match.totals) >= 300
    assert max(total - points for total, points in zip(match.totals, match.round.points, strict=True)) < 300
    assert match.winners == GAME.best(match.totals)


def test_with_both_whichever_comes_first() -> None:
    assert random_match(4, {'rounds': 2, 'target': 2000}, 'both').number == 1
    early = random_match(4, {'rounds': 50, 'target': 50}, 'both')
    assert early.number == 0
    assert max(early.totals) >= 50


def test_options() -> None:
    assert GAME.full_options({}) == {'target': None}
    assert GAME.full_options({}, 7) == {'rounds': 7, 'target': None}
    assert GAME.full_options({'target': 100}, 7) == {'rounds': 7, 'target': 100}
    assert GAME.full_options({'rounds': 1, 'target': None}) == {'rounds': 1, 'target': None}
    assert GAME.full_options(GAME.full_options({'target': 60}), 5) == {'rounds': 5, 'target': 60}
    for seats in (None, 3):
        for chosen in ({'rounds': None}, {'rounds': None, 'target': None}):
            with pytest.raises(OptionError) as error:
                GAME.full_options(chosen, seats)
            assert error.value.code == 'no-end'
            assert TEXTS.get('en', 'reason.no-end')
    wrong: list[dict[str, Any]] = [
        {'rounds': 0}, {'rounds': 51}, {'rounds': '3'}, {'rounds': True}, {'rounds': 2.0}, {'target': 49}, {'target': 2001}, {'limit': 3},
    ]  # fmt: skip
    for chosen in wrong:
        with pytest.raises(OptionError):
            Match(GAME, 3, chosen, 'x')


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'move'),
    [
        ('play 7 h2 b0 b3', 'play 7 h2 b0 b3'),
        ('PLAY 7 B3 H2 B0', 'play 7 h2 b0 b3'),
        ('7 7 b0', 'play 7 h2 b0'),
        ('7,7', 'play 7 h2'),
        ('7', 'play 7 h1'),
        ('7 x2', 'play 7 h2'),
        ('7 ×3', 'play 7 h3'),
        ('7×2', 'play 7 h2'),
        ('7x5', 'play 7 h3 b0 b3'),
        ('W×1', 'play W h1'),
        ('3x 7', 'play 7 h3'),
        ('two 7s', 'play 7 h2'),
        ('Play Three 7s.', 'play 7 h3'),
        ('all 7s', 'play 7 h3 b0 b3'),
        ('7 all', 'play 7 h3 b0 b3'),
        ('7 7 7 7 7', 'play 7 h3 b0 b3'),
        ('five 7s', 'play 7 h3 b0 b3'),
        ('7 b0', 'play 7 b0'),
        ('7 h0 b0', 'play 7 b0'),
        ('7 h1 b0', 'play 7 h1 b0'),
        ('b0 b3', 'play 7 b0 b3'),
        ('b2', 'play W b2'),
        ('4', 'play 4 b1'),
        ('swoop', 'play W h1'),
        ('SWOOP!', 'play W h1'),
        ('w', 'play W h1'),
        ('play wild', 'play W h1'),
        ('w b2', 'play W b2'),
        ('１２', 'play 12 h1'),
        ('turn 2', 'turn 2'),
        ('Turn b2', 'turn 2'),
        ('turn mystery 2', 'turn 2'),
        ('mystery 2', 'turn 2'),
        ('m2', 'turn 2'),
        (' TAKE ', 'take'),
        ('take the pile!', 'take'),
        ('Done', 'done'),
        ('add h2 b1', 'add h2 b1'),
        ('add b1', 'add b1'),
        ('add 7 7', 'add h2'),
    ],
)
def test_what_can_be_read(text: str, move: str) -> None:
    round_ = table('7 7 7 W 12', '7 4 W 7', '1 1 1 1')
    assert round_.format_move(round_.parse_move(text)) == move


@pytest.mark.parametrize(
    ('text', 'move'),
    [
        ('6', 'add h1'),
        ('6 6', 'add h2'),
        ('b1', 'add b1'),
        ('h2', 'add h2'),
        ('two', 'add h2'),
        ('add three', 'add h2 b1'),
        ('all', 'add h2 b1'),
        ('add all', 'add h2 b1'),
        ('add 6 6 b1', 'add h2 b1'),
        ('play 6', 'play 6 h1'),
        ('done', 'done'),
    ],
)
def test_what_can_be_read_while_a_mystery_waits(text: str, move: str) -> None:
    round_ = table('6 6 2', '- 6 9 -', '6 7 8 -', '7')
    play(round_, 'turn 0')
    assert round_.format_move(round_.parse_move(text)) == move


HOSTILE = [
    '', ' ', 'play', 'add', 'turn', 'h2', 'all', 'two', 'b0 b0', '7 b0 b0', '7 h1 h2', '7 h2 x2', '7 7 h2', 'all 7 b0', 'all two 7s',
    '0', '13', '7 0', '-7', '7.5e3', '7 h0', 'x0 7', '7 h100', '7x0', '7x2 x2', '7x2 7', '2x7', '７７７',
    'play play 7', 'add play 7', 'play take', 'pass now',
    'turn two', 'turn 22', 'turn -1', 'turn ٢', '٧', '7 x٢', '7\0', 'd' * 4000, '7 ' * 3000, '7' * 100_000, '{card}', '@everyone',
    '🂡', '\u202e7', 'W W', 'None', "'; drop table move; --",
]  # fmt: skip


@pytest.mark.parametrize('text', HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text(text: str) -> None:
    round_ = table('7 7 7 12', '7 4 2 7', '1 1 1 1')
    assert refused(round_, text) in ('unreadable', 'not-held', 'one-swoop')


@given(st.text(alphabet='playturnadoetkswxhbm 0123456789,×WALL', max_size=30) | st.text(max_size=40))
def test_any_text_is_a_move_or_a_refusal(text: str) -> None:
    round_ = table('7 7 7 W 12', '7 4 W -', '1 1 1 1', '9 8')
    before = round_.copy()
    refusal: MoveError | None = None
    try:
        move = round_.parse_move(text)
        assert round_.parse_move(round_.format_move(move)) == move
        if not round_.is_legal(move):
            refusal = round_.why_not(move)
    except UnreadableMoveError as error:
        refusal = error
    assert refusal is None or refusal.code == 'unreadable' or refusal.code in GAME.reasons
    assert round_ == before


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_every_reason() -> None:
    start = table('7 7 9 W', '- 3 9 7', '- 1 1 1', '8')
    seen = {
        refused(start, text)
        for text in ('7 7 7 7', '7 9', '9', '7 b0', '7 b1', 'W W', 'turn 1', 'turn 0', 'add h1', 'take', 'pass', 'turn 4', 'b0', '7 b4')
    }
    assert refused(table('7'), 'take') == 'pile-empty'
    assert refused(table('', mysteries='1 - - -', pile='1'), 'take') == 'must-turn'
    adding = table('6 6 2', '- 6 9 -', '6 7 8 -', '7')
    play(adding, 'turn 0')
    seen |= {refused(adding, text) for text in ('play 6', 'add 2', 'add b2', 'add h3', 'add b0', 'take', 'turn 0', 'play W h1')}
    assert seen | {'pile-empty', 'must-turn'} == set(GAME.reasons)


@pytest.mark.parametrize(
    ('text', 'code', 'params'),
    [
        ('7 x4', 'not-held', {'card': 7, 'n': 2}),
        ('play 5', 'not-held', {'card': 5, 'n': 0}),
        ('9', 'too-high', {'card': 9, 'top': 8}),
        ('7 9', 'mixed', {'cards': [7, 9]}),
        ('7 b0', 'board-empty', {'slot': 0}),
        ('b0', 'board-empty', {'slot': 0}),
        ('b1 b2', 'mixed', {'cards': [3, 9]}),
        ('7 b1', 'board-number', {'slot': 1, 'card': 3}),
        ('turn 1', 'covered', {'slot': 1}),
        ('turn 0', 'mystery-gone', {'slot': 0}),
        ('turn 7', 'no-slot', {'slot': 7}),
        ('done', 'nothing-to-add', {}),
    ],
)
def test_what_a_refusal_says(text: str, code: str, params: dict[str, Any]) -> None:
    round_ = table('7 7 9 W', '- 3 9 7', '- 1 1 1', '8')
    with pytest.raises(MoveError) as error:
        play(round_, text)
    assert (error.value.code, error.value.params) == (code, params)


def test_while_a_mystery_waits_only_adding_is_legal() -> None:
    round_ = table('6 6 2', '- 6 9 -', '6 7 8 -', '7')
    play(round_, 'turn 0')
    assert [refused(round_, text) for text in ('play 2', 'take', 'turn 0', 'add 2', '2', 'add b2', 'add b0', 'add h3')] == [
        'adding', 'adding', 'adding', 'add-number', 'add-number', 'board-number', 'board-empty', 'not-held',
    ]  # fmt: skip


def test_a_refusal_tells_nothing_of_the_hand_to_others() -> None:
    """Whoever is not to move gets the same answer whatever the player to move holds."""
    answers = set()
    for hand in ('7 7 7 9', '9'):
        round_ = table(hand, pile='8')
        for text in ('all 7s', '7 7', '7', 'W'):
            with pytest.raises(NotYourTurnError) as error:
                round_.play(1, round_.parse_move(text))
            answers.add((error.value.code, tuple(error.value.params.items())))
    assert answers == {('not-your-turn', (('seat', 0),))}


def test_texts() -> None:
    for section in GAME.sections:
        assert TEXTS.get('en', f'swoop.rules.{section}.title')
        assert TEXTS.get('en', f'swoop.rules.{section}.body')
    assert set(GAME.reasons.values()) <= set(GAME.sections)
    for key in ('name', 'tagline', 'end.out', 'rules.short'):
        assert TEXTS.get('en', f'swoop.{key}')
    for option in GAME.options:
        assert TEXTS.get('en', f'swoop.option.{option.name}')
        limits = {'low': option.low, 'high': option.high, 'default': option.default}
        assert TEXTS.get('en', f'swoop.option.{option.name}.help', **limits)


# --- what is seen -----------------------------------------------------------------------------------------------------


def test_what_everyone_saw() -> None:
    round_ = table('7 7 3', '7 2 7 -', '9 3 1 -')
    events = play(round_, 'play 7 h2 b0 b2')
    assert [(event.kind, event.seat, dict(event.params)) for event in events] == [
        ('played-both', 0, {'card': 7, 'n': 4, 'hand': 2, 'slots': 'b0, b2'}),
        ('uncovered', 0, {'slots': 'b0, b2', 'n': 2}),
        ('swoop-number', 0, {'card': 7, 'run': 4, 'n': 4}),
    ]


def test_an_observation_shows_the_own_hand_the_boards_and_the_pile() -> None:
    match = Match(GAME, 4, {}, 'hidden')
    rng = Random(4)
    while match.round.facts()['swept'] < 6:
        match.apply(rng.choice(match.round.legal_moves()))
    *_, undealt, swept = match.round.zones()
    assert (undealt.name, swept.name) == ('out', 'out')
    zones = {(zone.name, zone.at): zone for zone in match.round.zones()}
    for viewer in (0, 1, 2, 3, None):
        observation = match.round.observation(viewer)
        for name in ('hands', 'mysteries'):
            for seat in range(4):
                there = zones[name, seat].cards
                shown = observation.cards(name, seat)
                if (name, seat) == ('hands', viewer):
                    assert shown == there
                else:
                    assert list(shown) == [None if card is None else HIDDEN for card in there]
        for seat in range(4):
            assert observation.cards('boards', seat) == zones['boards', seat].cards
        assert observation.cards('pile') == zones['pile', None].cards
        assert observation.zones[-2].cards == (HIDDEN,) * len(undealt.cards)
        assert observation.zones[-1].cards == swept.cards
        assert observation.facts['swept'] == len(swept.cards)


@pytest.mark.parametrize('seats', [3, 6, 11])
def test_a_determinised_position_keeps_what_was_swept(seats: int) -> None:
    rng = Random(seats)
    round_ = Match(GAME, seats, {}, 'determine').round
    while not round_.over:
        for viewer in (round_.turn, (round_.turn + 1) % seats, None):
            seen = round_.observation(viewer)
            guess = GAME.determinise(seen, rng)
            assert guess.observation(viewer) == seen
            assert Counter(every_card(guess)) == Counter(GAME.pack(seats))
            assert guess.zones()[-1] == round_.zones()[-1]
            if viewer == round_.turn:
                assert guess.legal_moves() == round_.legal_moves()
        round_.apply(rng.choice(round_.legal_moves()))


# --- for a player whose time is up --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('position', 'move'),
    [
        (table('7 7 9 W', '8 - - -', '1 - - -', '8'), 'play 8 b0'),
        (table('7 7 9 W', '9 7 - -', '1 1 - -', '8'), 'play 7 h1'),
        (table('9 W', 'W 9 - -', '1 1 - -', '8'), 'play W h1'),
        (table('9', 'W 9 - W', '1 1 - 1', '8'), 'play W b0'),
        (table('9', '- 9 - -', '1 1 - -', '8'), 'take'),
        (table('', '- - - -', '- 1 - 1', '8'), 'turn 1'),
        (table('12', '- - - -', '- 1 - 1'), 'play 12 h1'),
    ],
)
def test_the_move_of_the_clock(position: Round, move: str) -> None:
    assert position.format_move(position.default_move()) == move


def test_the_clock_adds_nothing() -> None:
    round_ = table('6 6 2', mysteries='6 - - -', pile='7')
    play(round_, 'turn 0')
    assert round_.format_move(round_.default_move()) == 'done'


def greedy(round_: Round) -> str:
    return round_.format_move(GAME.greedy(round_.observation(round_.turn)))


MANY = ('1 2 3 4 5', '1 2 3 4 5')


@pytest.mark.parametrize(
    ('position', 'move'),
    [
        (table('7 7 8 2', pile='9', others=MANY), 'play 8 h1'),
        (table('7 7 8 2', '7 - - -', '1 - - -', '7', others=MANY), 'play 7 h2 b0'),
        (table('8 8 2 2', pile='8 2 2', others=MANY), 'play 2 h2'),
        (table('7 W', pile='8', others=MANY), 'play 7 h1'),
        (table('9 W', pile='8', others=MANY), 'play W h1'),
        (table('7 W', pile='8', others=('1 1', '1 2 3 4 5')), 'play W h1'),
        (table('9', mysteries='1 - - -', pile='8', others=MANY), 'turn 0'),
        (table('7', mysteries='1 - - -', pile='8', others=MANY), 'play 7 h1'),
        (table('7', mysteries='1 - - -', others=MANY), 'turn 0'),
        (table('9', '9 - - -', mysteries='1 - - -', pile='8', others=MANY), 'take'),
    ],
)
def test_plain_sense(position: Round, move: str) -> None:
    assert greedy(position) == move


def test_plain_sense_adds_all() -> None:
    round_ = table('6 6 2', '- 6 9 -', '6 7 8 -', '7')
    play(round_, 'turn 0')
    assert greedy(round_) == 'add h2 b1'


@pytest.mark.parametrize('seats', [3, 5, 8])
def test_plain_sense_beats_chance(seats: int) -> None:
    wins = 0
    for number in range(60):
        match, rng, clever = Match(GAME, seats, {'rounds': 1}, f'sense {number}'), Random(number), number % seats
        round_ = match.round
        while not round_.over:
            match.apply(GAME.greedy(round_.observation(clever)) if round_.turn == clever else rng.choice(round_.legal_moves()))
        wins += clever in match.winners
    assert wins > 60 * 2 / seats


def test_plain_sense_sees_only_the_observation() -> None:
    """It decides the same in every position that looks the same."""
    rng, round_ = Random(7), Match(GAME, 4, {}, 'no peeking').round
    while not round_.over:
        seen: Observation = round_.observation(round_.turn)
        move = GAME.greedy(seen)
        assert all(GAME.greedy(GAME.determinise(seen, rng).observation(round_.turn)) == move for _ in range(3))
        round_.apply(move)


@pytest.mark.parametrize('seats', GAME.seats)
@pytest.mark.parametrize('player', ['greedy', 'clock'])
def test_matches_without_chance_end(seats: int, player: str) -> None:
    for number in range(3):
        match, plies = Match(GAME, seats, {'rounds': 2}, f'{player} {number}'), 0
        while not match.over:
            round_ = match.round
            if round_.over:
                match.next_round()
                continue
            match.apply(GAME.greedy(round_.observation(round_.turn)) if player == 'greedy' else round_.default_move())
            plies += 1
            assert plies < 20_000


# --- a second opinion -------------------------------------------------------------------------------------------------


class Referee:
    """The rules once more, slow and simple: plain lists of cards, every question answered by looking at all of them."""

    def __init__(self, round_: Round) -> None:
        zones = nest(round_.zones())
        self.hands, self.boards, self.mysteries = zones['hands'], zones['boards'], zones['mysteries']
        self.pile, self.out = zones['pile'], zones['out']
        self.turn, self.adding, self.over = round_.turn, False, False

    def playable(self, card: int) -> bool:
        return card == SWOOP or not self.pile or card <= self.pile[-1]

    def mine(self) -> list[tuple[str, int]]:
        """Every single card in hand and on the board, with its place."""
        hand = [('h', card) for card in self.hands[self.turn]]
        return hand + [(f'b{slot}', card) for slot, card in enumerate(self.boards[self.turn]) if card is not None]

    def legal(self) -> set[str]:
        if self.adding:
            return {'done'} | {self.text(['add'], places) for places in self.choices(self.pile[-1])}
        moves = {
            self.text(['play', CARDS[card]], places)
            for card in {card for _, card in self.mine() if self.playable(card)}
            for places in self.choices(card)
            if card != SWOOP or len(places) == 1
        }
        able = bool(moves)
        for slot in range(4):
            if self.mysteries[self.turn][slot] is not None and self.boards[self.turn][slot] is None:
                moves.add(f'turn {slot}')
        if self.pile and not able and self.mine():
            moves.add('take')
        return moves

    def choices(self, card: int) -> list[tuple[str, ...]]:
        places = [place for place, other in self.mine() if other == card]
        hand, board = [place for place in places if place == 'h'], [place for place in places if place != 'h']
        subsets = [some for size in range(len(board) + 1) for some in combinations(board, size)]
        return [('h',) * count + some for count in range(len(hand) + 1) for some in subsets if count or some]

    @staticmethod
    def text(words: list[str], places: tuple[str, ...]) -> str:
        hand = places.count('h')
        return ' '.join(words + [f'h{hand}'] * bool(hand) + [place for place in places if place != 'h'])

    def play(self, move: str) -> None:
        words = move.split()
        if words[0] == 'take':
            self.take()
        elif words[0] == 'turn':
            slot = int(words[1])
            card, self.mysteries[self.turn][slot] = self.mysteries[self.turn][slot], None
            fits = self.playable(card)
            self.pile.append(card)
            if not fits:
                self.take()
            elif card != SWOOP and any(other == card for _, other in self.mine()):
                self.adding = True
            else:
                self.close()
        else:
            if words[0] != 'done':
                self.put(GAME.card(words[1]) if words[0] == 'play' else self.pile[-1], words)
            self.adding = False
            self.close()

    def put(self, card: int, words: list[str]) -> None:
        for word in words:
            if word[0] == 'h':
                for _ in range(int(word[1:])):
                    self.hands[self.turn].remove(card)
                    self.pile.append(card)
            elif word[0] == 'b':
                self.boards[self.turn][int(word[1])] = None
                self.pile.append(card)

    def take(self) -> None:
        self.hands[self.turn] = sorted(self.hands[self.turn] + self.pile)
        self.pile = []
        self.turn = (self.turn + 1) % len(self.hands)

    def close(self) -> None:
        swoop = self.pile[-1] == SWOOP or (len(self.pile) >= 4 and len(set(self.pile[-4:])) == 1)
        if swoop:
            self.out += self.pile
            self.pile = []
        if not self.mine() and self.mysteries[self.turn] == [None] * 4:
            self.over = True
        elif not swoop:
            self.turn = (self.turn + 1) % len(self.hands)

    def points(self) -> list[int]:
        return [
            sum({0: 50, 10: 10, 11: 10, 12: 10}.get(card, 5) for card in [*hand, *board, *mystery] if card is not None)
            for hand, board, mystery in zip(self.hands, self.boards, self.mysteries, strict=True)
        ]


def agree(round_: Round, referee: Referee) -> None:
    zones = nest(round_.zones())
    assert zones == {
        'hands': referee.hands, 'boards': referee.boards, 'mysteries': referee.mysteries, 'pile': referee.pile, 'out': referee.out,
    }  # fmt: skip
    assert round_.over == referee.over
    if round_.over:
        assert round_.points == referee.points()
        return
    assert round_.turn == referee.turn
    texts = [round_.format_move(move) for move in round_.legal_moves()]
    assert len(texts) == len(set(texts))
    assert set(texts) == referee.legal()


@pytest.mark.parametrize('seats', GAME.seats)
@pytest.mark.parametrize('clever', [False, True])
def test_the_referee_agrees(seats: int, clever: bool) -> None:
    for number in range(4):
        rng = Random(f'{seats} {number}')
        round_ = Match(GAME, seats, {}, f'referee {number}').round
        referee = Referee(round_)
        agree(round_, referee)
        while not round_.over:
            takes = [move for move in round_.legal_moves() if move.kind in ('take', 'turn')]
            move = rng.choice(takes) if clever and takes else rng.choice(round_.legal_moves())
            before = round_.copy()
            round_.apply(move)
            referee.play(before.format_move(move))
            agree(round_, referee)
            assert before.parse_move(before.format_move(move)) == move


CARD = st.sampled_from([SWOOP, *range(1, 13)] + [5, 5, 9])
NUMBER = CARD.filter(bool)


@st.composite
def positions(draw: st.DrawFn, most: int = 25) -> Round:
    """Any position of seat 0, hands of any length, only what could lie on the table."""
    hands = [draw(st.lists(CARD, max_size=most)), [1], [1]]
    mysteries = draw(st.lists(CARD | st.none(), min_size=4, max_size=4))
    board = [None if under is None else draw(CARD | st.none()) for under in mysteries]
    if not hands[0] and mysteries == [None] * 4:
        hands[0] = [draw(CARD)]
    zones: dict[str, Any] = {'hands': hands, 'boards': [board], 'mysteries': [mysteries], 'pile': draw(st.lists(NUMBER, max_size=8))}
    return GAME.position(3, GAME.full_options({}, 3), zones, {'turn': 0})


@given(positions(), st.data())
def test_the_referee_agrees_anywhere(round_: Round, data: st.DataObject) -> None:
    referee = Referee(round_)
    agree(round_, referee)
    for _ in range(4):
        if round_.over:
            break
        move = data.draw(st.sampled_from(list(round_.legal_moves())))
        text = round_.format_move(move)
        assert round_.is_legal(round_.parse_move(text))
        round_.apply(move)
        referee.play(text)
        agree(round_, referee)


@settings(max_examples=40)
@given(positions())
def test_legal_is_what_the_list_says(round_: Round) -> None:
    """Of all the moves that can be written, exactly those of the list are legal; the others have a reason."""
    every = [*(f'turn {slot}' for slot in range(4)), 'take', 'done']
    boards = [some for size in range(5) for some in combinations(('b0', 'b1', 'b2', 'b3'), size)]
    for hand in (0, 1, 2, 5):
        for board in boards:
            places = ' '.join([f'h{hand}'] * bool(hand) + list(board))
            if places:
                every += [f'add {places}', *(f'play {card} {places}' for card in CARDS)]
    allowed = legal(round_)
    for text in every:
        move = round_.parse_move(text)
        assert round_.format_move(move) == text
        assert round_.is_legal(move) == (text in allowed)
        if text not in allowed:
            with pytest.raises(IllegalMoveError) as error:
                round_.check(0, move)
            assert error.value.code in GAME.reasons


@given(positions(), st.data())
def test_a_position_can_be_written_down_and_copied(round_: Round, data: st.DataObject) -> None:
    for _ in range(3):
        if round_.over:
            return
        again = GAME.position(3, round_.options, nest(round_.zones()) | round_.counters(), round_.facts())
        assert again == round_
        twin = round_.copy()
        move = data.draw(st.sampled_from(list(round_.legal_moves())))
        round_.apply(move)
        assert twin == again
        twin.play(0 if twin.turn == 0 else twin.turn, move)
        assert twin == round_
        assert again.legal_moves()


def test_a_hand_of_more_than_a_hundred_cards() -> None:
    pack = Counter(GAME.pack(11))
    hand = [card for card, count in pack.items() for _ in range(count - 2)]
    board: list[int | None] = [5, 5, 9, SWOOP]
    zones: dict[str, Any] = {'hands': [hand, [1], [1]], 'boards': [board], 'mysteries': [[1, 1, 1, 1]], 'pile': [12]}
    round_ = GAME.position(3, GAME.full_options({}, 3), zones, {'turn': 0})
    assert len(hand) == 216 - 26
    agree(round_, Referee(round_))
    moves = round_.legal_moves()
    assert len(moves) == 10 * 14 + (15 * 4 - 1) + (15 * 2 - 1) + 2
    assert all(isinstance(zone, Zone) for zone in round_.zones())
    play(round_, 'all 5s')
    assert (round_.turn, zone(round_, 'boards', 0)) == (0, '- - 9 W')
