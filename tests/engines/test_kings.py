"""Kings in the Corner: every row of its rules, the test positions 001-01 to 001-17, and properties of random hands."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engines import games
from bot.engines.base import Event, IllegalMoveError, MoveError, Observation, Round, UnreadableMoveError, nest
from bot.engines.cards import CARDS, NUMBER, shuffled
from bot.engines.match import Match
from bot.engines.options import OptionError
from bot.text import Catalogues

KINGS = games()['kings']
TEXTS = Catalogues.load()
STALLS = ['T0', 'T1', 'T2', 'T3', 'K0', 'K1', 'K2', 'K3']
EVERY_MOVE = [
    *(f'play {card} {stall}' for card in CARDS for stall in STALLS),
    *(f'move {source} {target}' for source in STALLS for target in STALLS),
    'end',
    'end nodraw',
]


def cards(text: str) -> list[int]:
    return [NUMBER[card] for card in text.split()]


def table(*hands: str, stock: str = '', chips: list[int] | None = None, pot: int | None = None, **rest: Any) -> Round:
    """A position: a hand a seat, piles by stall, bottom card first; seat 0 to move unless `turn` says otherwise."""
    stalls = {name: cards(rest.pop(name)) for name in STALLS if name in rest}
    zones: dict[str, Any] = {'hands': [cards(hand) for hand in hands], 'stock': cards(stock), 'stalls': stalls}
    if chips is not None:
        zones['chips'] = chips
    if pot is not None:
        zones['pot'] = pot
    return KINGS.position(len(hands), KINGS.full_options({}), zones, {'turn': 0, **rest})


def play(round_: Round, *moves: str) -> list[Event]:
    """Plays the moves for the seat on turn; returns what everybody saw."""
    return [event for move in moves for event in round_.play(round_.turn, round_.parse_move(move))]


def legal(round_: Round) -> set[str]:
    return {round_.format_move(move) for move in round_.legal_moves()}


def refused(round_: Round, move: str) -> str:
    """The reason why a move is refused; fails when it is not."""
    before = round_.copy()
    with pytest.raises(MoveError) as error:
        play(round_, move)
    assert round_ == before
    assert said(error.value)
    return error.value.code


def said(error: MoveError) -> str:
    key = f'kings.reason.{error.code}' if error.code in KINGS.reasons else f'reason.{error.code}'
    return TEXTS.get('en', key, **{'example': '', **error.params})


def told(events: list[Event]) -> list[str]:
    """The kinds of the events, each checked to have a text."""
    for event in events:
        assert TEXTS.get('en', f'kings.event.{event.kind}', player='Ann', **event.params)
    return [event.kind for event in events]


def hand(round_: Round, seat: int) -> list[str]:
    return [CARDS[card] for card in nest(round_.zones())['hands'][seat]]


def stall(round_: Round, name: str) -> list[str]:
    return [CARDS[card] for card in nest(round_.zones())['stalls'][name]]


def chips(round_: Round) -> tuple[list[int], int]:
    counters = round_.counters()
    return counters['chips'], counters['pot']


def blocked(match: Match) -> None:
    """Every turn passes without a play and without a draw until the hand is over."""
    while not match.round.over:
        match.play(match.round.turn, match.round.parse_move('end nodraw'))


# --- the test positions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('seats', 'each', 'aside'), [(2, 40, 0), (3, 26, 2), (4, 20, 0), (5, 16, 0), (6, 13, 2)])
def test_001_01_chips_are_shared_out_and_every_player_antes_one(seats: int, each: int, aside: int) -> None:
    round_ = Match(KINGS, seats, {}, 'chips').round
    assert round_.counters() == {'chips': [each - 1] * seats, 'pot': seats, 'aside': aside}


def test_001_02_one_rank_lower_and_the_other_colour() -> None:
    round_ = table('7H 7C 9H', '2C', T0='8S')
    assert 'play 7H T0' in legal(round_)
    assert refused(round_, 'play 7C T0') == 'wrong-colour'
    assert refused(round_, 'play 9H T0') == 'wrong-rank'
    play(round_, 'play 7H T0')
    assert stall(round_, 'T0') == ['8S', '7H']


def test_001_03_nothing_goes_on_an_ace() -> None:
    round_ = table('KD 2H', '2C', T0='AS')
    assert refused(round_, 'play KD T0') == 'king-to-empty-king-stall'
    assert refused(round_, 'play 2H T0') == 'on-ace'


def test_001_04_a_king_stall_starts_with_a_king_and_a_king_goes_nowhere_else() -> None:
    round_ = table('KH QS 3C', '2C', T0='9C')
    assert refused(round_, 'play KH T1') == 'king-to-empty-king-stall'
    assert refused(round_, 'play QS K0') == 'king-stall-start'
    play(round_, 'play KH K0', 'play QS K0')
    assert stall(round_, 'K0') == ['KH', 'QS']


def test_001_05_an_empty_tabbed_stall_takes_any_card_and_a_pile_leaves_one() -> None:
    round_ = table('5C 9H', '2C', T0='JH', T1='JD', T3='4D 3C')
    play(round_, 'play 5C T2', 'move T3 T2')
    assert stall(round_, 'T2') == ['5C', '4D', '3C']
    assert stall(round_, 'T3') == []
    assert 'play 9H T3' in legal(round_)


def test_001_06_only_a_whole_pile_moves_and_only_where_its_bottom_card_fits() -> None:
    round_ = table('2S', '2C', T0='9H 8S', T1='9D')
    assert refused(round_, 'move 8S T1') == 'part-of-pile'
    assert refused(round_, 'move T0 T1') == 'bottom-no-fit'


def test_001_07_a_pile_moves_onto_a_king_stall_and_never_out_of_one() -> None:
    round_ = table('2S', '2C', K0='KH QS', T0='JD TC', T1='KS')
    play(round_, 'move T0 K0')
    assert stall(round_, 'K0') == ['KH', 'QS', 'JD', 'TC']
    assert stall(round_, 'T0') == []
    assert {refused(round_, f'move K0 {target}') for target in STALLS} == {'from-king-stall'}


def test_001_08_a_king_in_a_tabbed_stall_is_built_on_and_moved_by_anyone() -> None:
    round_ = table('QD 2S', '3S 9S', stock='5C 6C', T0='9C', T1='KS', T2='9D', T3='9H')
    play(round_, 'play QD T1', 'end')
    assert round_.turn == 1
    assert stall(round_, 'T1') == ['KS', 'QD']
    before = chips(round_)
    play(round_, 'move T1 K0', 'end')
    assert stall(round_, 'K0') == ['KS', 'QD']
    assert stall(round_, 'T1') == []
    assert chips(round_) == before


@pytest.mark.parametrize('top', ['8S', '2S'], ids=['able to play', 'unable to play'])
def test_001_09_a_turn_without_a_play_costs_one_chip(top: str) -> None:
    round_ = table('7H', '2C', '3C', '4C', stock='6C 7C', chips=[19] * 4, pot=4, T0=top, T1='9C', T2='9S', T3='JC')
    events = play(round_, 'end')
    assert chips(round_) == ([18, 19, 19, 19], 5)
    assert hand(round_, 0) == ['6C', '7H']
    assert round_.turn == 1
    assert told(events) == ['no-play', 'drew', 'drew-card']


def test_001_10_a_king_held_past_the_first_turn_costs_three_chips() -> None:
    round_ = table('KC 5D 9S', '2C', '3C', '4C', stock='2H 3H', chips=[19] * 4, pot=4, T0='6S')
    events = play(round_, 'play 5D T0', 'end')
    assert chips(round_) == ([16, 19, 19, 19], 7)
    assert stall(round_, 'K0') == ['KC']
    assert hand(round_, 0) == ['9S', '2H']
    assert told(events) == ['played', 'king-fine', 'king-placed', 'drew', 'drew-card']


def test_001_11_the_king_placed_by_the_rules_is_no_play() -> None:
    round_ = table('KC 5D 9S', '2C', '3C', '4C', stock='2H 3H', chips=[19] * 4, pot=4, T0='6S')
    events = play(round_, 'end')
    assert chips(round_) == ([15, 19, 19, 19], 8)
    assert stall(round_, 'K0') == ['KC']
    assert hand(round_, 0) == ['9S', '5D', '2H']
    assert told(events) == ['king-fine', 'king-placed', 'no-play', 'drew', 'drew-card']


def test_001_12_a_drawn_king_is_placed_and_ends_the_turn() -> None:
    round_ = table('4S QC', 'QS 2H', stock='KD 8C', K0='KH', T0='5D', T1='JS', T2='JC', T3='9C', played=True)
    events = play(round_, 'end')
    assert stall(round_, 'K1') == ['KD']
    assert hand(round_, 0) == ['4S', 'QC']
    assert round_.turn == 1
    assert nest(round_.zones())['stock'] == cards('8C')
    assert told(events) == ['king-drawn']
    assert events[0].params['card'] == NUMBER['KD']
    assert events[0].seen_by is None
    with pytest.raises(MoveError) as error:
        round_.play(0, round_.parse_move('play QC K1'))
    assert error.value.code == 'not-your-turn'
    assert 'play QS K1' in legal(round_)


def test_001_13_not_drawing_costs_one_chip_while_there_is_a_stock() -> None:
    round_ = table('4S', '2C', '3C', '4C', stock='2H 3H 4H 5H 6H 7H 8H 9H TH JH', chips=[19] * 4, pot=4, played=True)
    events = play(round_, 'end nodraw')
    assert chips(round_) == ([18, 19, 19, 19], 5)
    assert hand(round_, 0) == ['4S']
    assert told(events) == ['no-draw']
    empty = table('4S', '2C', '3C', '4C', chips=[19] * 4, pot=4, played=True)
    assert refused(empty, 'end nodraw') == 'nodraw-stock-empty'
    assert told(play(empty, 'end')) == ['ended']
    assert chips(empty) == ([19] * 4, 4)


def test_001_14_out_of_cards_wins_the_pot_at_once() -> None:
    round_ = table('6D', '2C 3C 4C 5C', '9C TC', stock='2H', chips=[20, 20, 20], pot=9, T0='7S')
    events = play(round_, 'play 6D T0')
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [15, 0, 0])
    assert chips(round_) == ([35, 16, 18], 0)
    assert hand(round_, 0) == []
    assert told(events) == ['played', 'paid', 'paid', 'won-pot']


def test_001_15_a_player_pays_no_more_than_he_has() -> None:
    round_ = table('6D', '2C 3C 4C 5C', '9C TC', stock='2H', chips=[20, 3, 20], pot=9, T0='7S')
    events = play(round_, 'play 6D T0')
    assert round_.points == [14, 0, 0]
    assert chips(round_) == ([34, 0, 18], 0)
    assert told(events) == ['played', 'paid', 'forgiven', 'paid', 'won-pot']


@pytest.mark.parametrize(('before', 'after'), [(88, 103), (84, 99)])
def test_001_16_the_first_to_reach_the_target_wins(before: int, after: int) -> None:
    match = Match(KINGS, 3, {}, 'sixteen')
    dealer = match.round.dealer
    match.totals = [before, 40, 50]
    match.round = table('6D', '2C 3C 4C 5C', '9C TC', stock='2H', chips=[20, 20, 20], pot=9, T0='7S', dealer=dealer)
    match.play(0, match.round.parse_move('play 6D T0'))
    assert match.totals == [after, 40, 50]
    assert match.winners == ([0] if after >= 100 else [])
    if after < 100:
        match.next_round()
        assert match.round.dealer == (dealer + 1) % 3
        assert match.round.start == (dealer + 2) % 3
        assert match.round.counters() == {'chips': [25, 25, 25], 'pot': 3, 'aside': 2}


def test_001_17_a_round_of_turns_without_a_play_and_without_a_stock_blocks_the_hand() -> None:
    round_ = table('2S', '2C', '3C', chips=[20, 20, 20], pot=18, T0='9C')
    play(round_, 'end', 'end')
    assert not round_.over
    events = play(round_, 'end')
    assert (round_.over, round_.reason, round_.points) == (True, 'blocked', [0, 0, 0])
    assert chips(round_) == ([19, 19, 19], 21)
    assert told(events) == ['no-play', 'ended', 'blocked']


# --- the rows of the rules ----------------------------------------------------------------------------------------------


def test_players_two_to_six() -> None:
    for seats in (1, 7):
        with pytest.raises(OptionError):
            Match(KINGS, seats, {}, 'seats')
    assert list(KINGS.seats) == [2, 3, 4, 5, 6]


def test_pack_of_52_without_jokers() -> None:
    pack = [KINGS.card_text(card) for card in KINGS.pack(4)]
    assert sorted(pack) == sorted(rank + suit for rank in 'A23456789TJQK' for suit in 'SCDH')
    assert all(KINGS.card(text) == NUMBER[text] for text in pack)


@pytest.mark.parametrize('seats', KINGS.seats)
def test_deal_seven_each_one_at_a_time_from_the_dealers_left_and_four_to_the_tabbed_stalls(seats: int) -> None:
    match = Match(KINGS, seats, {}, 'deal')
    round_, order = match.round, shuffled(KINGS.pack(seats), 'deal', 0)
    zones = nest(round_.zones())
    for place in range(seats):
        seat = (round_.dealer + 1 + place) % seats
        assert zones['hands'][seat] == sorted(order[place : 7 * seats : seats])
    assert [zones['stalls'][name] for name in STALLS] == [[card] for card in order[7 * seats : 7 * seats + 4]] + [[]] * 4
    assert zones['stock'] == order[7 * seats + 4 :]
    assert len(zones['stock']) == 48 - 7 * seats


def test_a_king_turned_up_stays_until_someone_moves_it_and_nobody_has_to() -> None:
    round_ = table('2S', '3S', stock='5C 6C', T0='KS')
    assert 'move T0 K0' in legal(round_)
    play(round_, 'end', 'move T0 K2')
    assert stall(round_, 'K2') == ['KS']


def test_ante_is_paid_once_a_hand_and_not_each_turn() -> None:
    round_ = table('4S', '2C', stock='2H 3H', chips=[39, 39], pot=2, T0='5D', played=True)
    play(round_, 'end')
    assert chips(round_) == ([39, 39], 2)


def test_the_dealers_left_starts_and_turns_go_clockwise() -> None:
    round_ = Match(KINGS, 4, {}, 'start').round
    assert round_.turn == round_.start == (round_.dealer + 1) % 4
    turns = []
    for _ in range(5):
        turns.append(round_.turn)
        play(round_, 'end')
    assert turns == [(round_.start + turn) % 4 for turn in range(5)]


def test_building_takes_either_suit_of_the_other_colour_and_the_ace_is_lowest() -> None:
    round_ = table('7D 7H 7S 7C AD AS KS', '3C', T0='8S', T1='2C', T2='AH')
    assert legal(round_) - {'end'} == {
        'play 7D T0', 'play 7H T0', 'play AD T1', 'play KS K0', 'play KS K1', 'play KS K2', 'play KS K3',
        *(f'play {card} T3' for card in ('7D', '7H', '7S', '7C', 'AD', 'AS')),
        'move T2 T1',
    }  # fmt: skip


def test_an_empty_tabbed_stall_takes_any_card_but_a_king() -> None:
    round_ = table('AS 9D QH KD', '2C', T0='4S', T1='4C', T2='4H')
    assert {move for move in legal(round_) if move.endswith('T3')} == {'play AS T3', 'play 9D T3', 'play QH T3'}


def test_a_king_from_the_hand_goes_to_any_empty_king_stall_only() -> None:
    round_ = table('KD 2H', '2C', T0='4S', K1='KS')
    assert {move for move in legal(round_) if 'KD' in move} == {'play KD K0', 'play KD K2', 'play KD K3'}
    assert refused(round_, 'play KD K1') == 'king-to-empty-king-stall'


def test_the_order_within_a_turn_is_free_and_the_fine_falls_due_at_its_end() -> None:
    round_ = table('KC 5D 9S', '2C', stock='2H', chips=[39, 39], pot=2, T0='6S')
    play(round_, 'play 5D T0', 'play KC K3', 'end')
    assert chips(round_) == ([39, 39], 2)
    assert stall(round_, 'K3') == ['KC']


def test_each_king_is_fined_and_placed_in_the_order_spades_clubs_diamonds_hearts() -> None:
    round_ = table('KH KD KC 4S', '2C', stock='2H 3H', chips=[39, 39], pot=2, T0='6S', K1='KS', played=True)
    events = play(round_, 'end')
    assert chips(round_) == ([30, 39], 11)
    assert [stall(round_, name) for name in ('K0', 'K1', 'K2', 'K3')] == [['KC'], ['KS'], ['KD'], ['KH']]
    assert told(events) == ['king-fine', 'king-placed'] * 3 + ['drew', 'drew-card']


def test_a_pile_may_go_to_tabbed_and_king_stalls_and_a_king_pile_to_any_empty_king_stall() -> None:
    round_ = table('2H', '2C', T0='QD JC', T1='KC', T2='KS QH', T3='5S', K0='KH')
    assert {move for move in legal(round_) if move.startswith('move')} == {
        'move T0 T1', 'move T1 K1', 'move T1 K2', 'move T1 K3', 'move T2 K1', 'move T2 K2', 'move T2 K3'
    }  # fmt: skip
    play(round_, 'move T2 K2')
    assert stall(round_, 'K2') == ['KS', 'QH']
    assert refused(round_, 'move T0 T2') == 'to-empty-tabbed'
    assert refused(round_, 'move T1 K0') == 'king-to-empty-king-stall'
    assert refused(round_, 'move T0 K1') == 'king-stall-start'
    assert refused(round_, 'move T2 T1') == 'nothing-to-move'
    assert refused(round_, 'move T3 T3') == 'same-stall'


def test_only_cards_of_the_own_hand_are_played() -> None:
    round_ = table('7H', '7C 2S', T0='8S', T1='8D', turn=1)
    assert refused(round_, 'play 7H T0') == 'not-held'
    assert refused(round_, 'play 7C T0') == 'wrong-colour'
    play(round_, 'play 7C T1')
    assert hand(round_, 1) == ['2S']


def test_nobody_has_to_play() -> None:
    round_ = table('7H', '2C', stock='2H', T0='8S')
    assert {'play 7H T0', 'end', 'end nodraw'} <= legal(round_)


@pytest.mark.parametrize('move', ['play 7H T0', 'move T0 T1', 'move T2 K0'])
def test_a_card_a_pile_or_a_king_is_a_play(move: str) -> None:
    round_ = table('7H 2C', '2S', stock='3H', chips=[39, 39], pot=2, T0='8S', T1='9D', T2='KD')
    events = play(round_, move, 'end')
    assert 'no-play' not in told(events)
    assert chips(round_) == ([39, 39], 2)


def test_the_drawn_card_is_told_to_its_owner_only_and_the_last_one_to_all() -> None:
    round_ = table('7H', '2C', stock='3H', played=True)
    events = play(round_, 'end')
    assert [(event.kind, event.seen_by) for event in events] == [('drew', None), ('drew-card', (0,)), ('stock-empty', None)]


def test_the_clock_ends_a_turn_as_not_drawn() -> None:
    round_ = table('7H', '2C', stock='3H', T0='8S')
    assert round_.format_move(round_.default_move()) == 'end nodraw'
    empty = table('7H', '2C', T0='8S')
    assert empty.format_move(empty.default_move()) == 'end'


def test_a_drawn_king_is_no_play_and_cannot_end_the_hand() -> None:
    round_ = table('7H', '2C', stock='KS 3H', chips=[39, 39], pot=2)
    assert told(play(round_, 'end')) == ['no-play', 'king-drawn']
    assert chips(round_) == ([38, 39], 3)
    assert not round_.over


def test_the_end_of_a_turn_goes_in_order_fine_no_play_draw() -> None:
    round_ = table('KC 7H', '2C', stock='KS 3H', chips=[9, 39], pot=2)
    assert told(play(round_, 'end')) == ['king-fine', 'king-placed', 'no-play', 'king-drawn']
    assert [stall(round_, name) for name in ('K0', 'K1')] == [['KC'], ['KS']]
    short = table('KC 7H', '2C', stock='KS 3H', chips=[2, 39], pot=2)
    assert told(play(short, 'end nodraw')) == ['king-fine', 'forgiven', 'king-placed', 'no-play', 'forgiven', 'no-draw', 'forgiven']
    assert chips(short) == ([0, 39], 4)


def test_kings_placed_by_the_rules_can_end_the_hand_and_the_no_play_chip_is_still_due() -> None:
    round_ = table('KC KD', '2C 3C', stock='KS 3H', chips=[39, 39], pot=2)
    assert told(play(round_, 'end')) == ['king-fine', 'king-placed', 'king-fine', 'king-placed', 'no-play', 'paid', 'won-pot']
    assert (round_.reason, round_.points) == ('out', [2 + 6 + 1 + 2, 0])
    played = table('KC', '2C 3C', stock='KS 3H', chips=[39, 39], pot=2, played=True)
    play(played, 'end nodraw')
    assert played.points == [2 + 3 + 2, 0]


def test_with_an_empty_stock_there_is_only_end_and_no_penalty() -> None:
    round_ = table('7H', '2C', chips=[39, 39], pot=2, played=True)
    assert legal(round_) == {'end', *(f'play 7H {name}' for name in STALLS[:4])}
    play(round_, 'end')
    assert chips(round_) == ([39, 39], 2)


def test_a_play_starts_the_count_of_empty_turns_again() -> None:
    round_ = table('2S 9D', '2C 9S', '3C', T0='3D', T1='9C', T2='9H', T3='JH')
    play(round_, 'end', 'play 2C T0', 'end', 'end', 'end')
    assert not round_.over
    play(round_, 'end')
    assert round_.reason == 'blocked'


def test_turns_that_began_with_a_stock_do_not_count_for_the_first_kind_of_block() -> None:
    round_ = table('2S', '2C', '3C', stock='9H', T0='9C')
    play(round_, 'end nodraw', 'end nodraw', 'end', 'end', 'end')
    assert not round_.over
    play(round_, 'end')
    assert round_.reason == 'blocked'


def test_players_away_from_the_table_block_the_hand_after_two_rounds_stock_or_not() -> None:
    round_ = table('2S', '2C', '3C', stock='9H 8H', chips=[20, 20, 20], pot=18, T0='9C')
    play(round_, *['end nodraw'] * 5)
    assert not round_.over
    play(round_, 'end nodraw')
    assert (round_.reason, round_.points) == ('blocked', [0, 0, 0])
    assert chips(round_) == ([16, 16, 16], 30)
    drawn = table('2S', '2C', '3C', stock='9H 8H', T0='9C')
    play(drawn, *['end nodraw'] * 5, 'end', *['end nodraw'] * 5)
    assert not drawn.over


def test_three_blocked_hands_in_a_row_end_the_match_and_ties_are_shared() -> None:
    match = Match(KINGS, 3, {}, 'away')
    match.totals = [30, 70, 70]
    for hands in (1, 2, 3):
        assert not match.over
        blocked(match)
        if hands < 3:
            assert match.winners == []
            match.next_round()
            assert match.round.counters() == {'chips': [25, 25, 25], 'pot': 3, 'aside': 2}
    assert match.winners == [1, 2]
    assert match.totals == [30, 70, 70]


def test_a_hand_that_is_won_breaks_the_row_of_blocked_hands() -> None:
    match = Match(KINGS, 2, {}, 'away')
    for _ in range(2):
        blocked(match)
        match.next_round()
    round_ = match.round
    match.round = table('6D', '2C', T0='7S', dealer=round_.dealer, blocked=round_.facts()['blocked'])
    match.play(0, match.round.parse_move('play 6D T0'))
    match.next_round()
    assert match.round.facts()['blocked'] == 0
    blocked(match)
    assert not match.over


def test_the_row_of_blocked_hands_is_told() -> None:
    events = play(table('2S', '2C', T0='9C', blocked=1), 'end', 'end')
    assert events[-1] == Event('blocked', None, {'n': 2})
    assert '2 blocked rounds in a row' in TEXTS.get('en', 'kings.event.blocked', **events[-1].params)


def test_the_hand_ends_in_the_middle_of_a_turn_with_a_king_too() -> None:
    round_ = table('KS', '2C', stock='3H', chips=[39, 39], pot=2)
    play(round_, 'play KS K0')
    assert (round_.over, round_.points) == (True, [3, 0])
    with pytest.raises(MoveError) as error:
        play(round_, 'end')
    assert error.value.code == 'round-over'


def test_the_next_hand_is_dealt_one_seat_to_the_left_with_new_chips() -> None:
    match = Match(KINGS, 4, {}, 'next')
    first, rng = match.round, Random(1)
    while not match.round.over:
        match.apply(rng.choice(match.round.legal_moves()))
    match.next_round()
    assert match.round.dealer == (first.dealer + 1) % 4
    assert match.round.turn == (first.dealer + 2) % 4
    assert match.round.counters() == {'chips': [19] * 4, 'pot': 4, 'aside': 0}
    assert match.round.facts()['turns'] == 0


@pytest.mark.parametrize(('target', 'fine'), [(20, True), (500, True), (19, False), (501, False)])
def test_target_from_20_to_500(target: int, fine: bool) -> None:
    if fine:
        assert Match(KINGS, 2, {'target': target}, 'target').options == {'target': target}
    else:
        with pytest.raises(OptionError):
            Match(KINGS, 2, {'target': target}, 'target')
    assert Match(KINGS, 2, {}, 'target').options == {'target': 100}


def test_the_target_of_the_table_counts() -> None:
    match = Match(KINGS, 2, {'target': 20}, 'short')
    match.totals = [16, 0]
    match.round = table('6D', '2C 3C', chips=[20, 20], pot=2, T0='7S')
    match.play(0, match.round.parse_move('play 6D T0'))
    assert (match.totals, match.winners) == ([20, 0], [0])


# --- what is typed --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'move'),
    [
        ('7h t0', 'play 7H T0'),
        ('play 7H T0', 'play 7H T0'),
        ('PLAY 7H → T0', 'play 7H T0'),
        ('♥7 to T0', 'play 7H T0'),
        ('7♥️ T0', 'play 7H T0'),
        ('7h->t0', 'play 7H T0'),
        ('seven of hearts on T0', 'play 7H T0'),
        ('7 of hearts, 8s', 'play 7H T0'),
        ('7H on 8S', 'play 7H T0'),
        ('7h', 'play 7H T0'),
        ('play 7h', 'play 7H T0'),
        ('10c on t2', 'play TC T2'),
        ('T C T2', 'play TC T2'),
        ('king of spades K1', 'play KS K1'),
        ('ks king stall 1', 'play KS K1'),
        ('play K♠ K1', 'play KS K1'),
        ('KS', 'play KS K1'),
        ('5d tabbed stall 3', 'play 5D T3'),
        ('move T1 K1', 'move T1 K1'),
        ('t1 to k0', 'move T1 K0'),
        ('move pile t1 onto t0', 'move T1 T0'),
        ('qd->k0', 'move T1 K0'),
        ('QD on KC', 'move T1 K0'),
        ('t1', 'move T1 K0'),
        ('move qd', 'move T1 K0'),
        ('end', 'end'),
        ('End turn', 'end'),
        ('draw', 'end'),
        ('pass', 'end'),
        ('end nodraw', 'end nodraw'),
        ('END, no draw', 'end nodraw'),
        ('end without drawing', 'end nodraw'),
    ],
)
def test_moves_can_be_typed_in_many_ways(text: str, move: str) -> None:
    round_ = table('7H TC KS 5D', '2C', stock='3H', T0='8S', T1='QD', T2='JH', T3='AS', K0='KC')
    assert round_.format_move(round_.parse_move(text)) == move


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('', 'unreadable'),
        ('play', 'unreadable'),
        ('move', 'unreadable'),
        ('7', 'unreadable'),
        ('1H T0', 'unreadable'),
        ('7H T0 T1', 'unreadable'),
        ('7H 🔥 T0', 'unreadable'),
        ('end everything', 'unreadable'),
        ("7H T0'; drop table", 'unreadable'),
        ('\x00\u202e7H T0', 'unreadable'),
        ('٧H T0', 'unreadable'),
        ('7H' * 5000, 'unreadable'),
        (' ' * 100_000, 'unreadable'),
        ('7H T4', 'no-such-stall'),
        ('move K9 T0', 'no-such-stall'),
        ('7H on 9S', 'not-on-top'),
        ('7H on QD', 'not-on-top'),
        ('move JC T0', 'part-of-pile'),
        ('3H', 'fits-nowhere'),
        ('move T2', 'fits-nowhere'),
        ('9D', 'which-stall'),
    ],
)
def test_text_that_is_no_move_is_refused_with_a_reason(text: str, code: str) -> None:
    round_ = table('7H 9D', '2C', stock='3S', T0='TS', T1='QD JC', T2='5H', T3='TC', K0='KC')
    before = round_.copy()
    with pytest.raises(UnreadableMoveError) as error:
        round_.parse_move(text)
    assert error.value.code == code
    assert said(error.value)
    assert round_ == before


def test_a_pile_without_a_place_is_not_read_as_going_to_an_empty_tabbed_stall() -> None:
    with pytest.raises(UnreadableMoveError) as error:
        table('9D', '2C', T0='5H').parse_move('t0')
    assert error.value.code == 'fits-nowhere'


def test_a_card_that_fits_in_two_places_is_asked_for_and_the_moves_are_named() -> None:
    round_ = table('9D', '2C', T0='TS', T1='4C', T2='4S', T3='TC')
    with pytest.raises(UnreadableMoveError) as error:
        round_.parse_move('9d')
    assert error.value.params['moves'] == ['play 9D T0', 'play 9D T3']
    assert set(error.value.params['moves']) <= legal(round_)


def test_reading_a_move_tells_nothing_about_any_hand() -> None:
    mine = table('9D', '2C', T0='TS', T1='4C', T2='4S', T3='4H')
    other = table('8D', '9D', T0='TS', T1='4C', T2='4S', T3='4H')
    assert mine.parse_move('9d') == other.parse_move('9d')
    assert refused(other, '9d') == 'not-held'


def test_a_card_that_is_covered_in_a_king_stall_is_found_no_more_than_one_in_a_hand_or_the_stock() -> None:
    covered = table('9D', '2C', stock='3S', T0='TS', K0='KC QD JS')
    elsewhere = table('9D', 'QD', stock='3S', T0='TS', K0='KC')
    for text in ('qd', 'move qd T0', 'qd on ts'):
        reasons = [refused(round_, text) for round_ in (covered, elsewhere)]
        assert 'from-king-stall' not in reasons, text
        if text != 'qd':
            assert reasons == ['not-held'] * 2
    assert refused(covered, 'js t0') == 'from-king-stall', 'the top card is seen'


@given(st.text(max_size=120) | st.text('0123456789ATJQKSCDH♠♥ \t,->endplaymov', max_size=30))
def test_any_text_is_a_move_or_is_refused(text: str) -> None:
    round_ = table('7H 9D', '2C', stock='3S', T0='TS', T1='QD JC', T2='5H', K0='KC', K1='KS', K2='KD', K3='KH')
    before = round_.copy()
    try:
        answer = round_.format_move(round_.parse_move(text))
    except UnreadableMoveError as error:
        answer = said(error)
    assert answer
    assert round_ == before


def test_every_move_reads_back() -> None:
    round_ = table('7H', '2C')
    assert [round_.format_move(round_.parse_move(text)) for text in EVERY_MOVE] == EVERY_MOVE


# --- positions -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('piles', [{'T0': '8S 7C'}, {'T0': '8S 9H'}, {'K0': 'QH'}, {'T0': '8S', 'T1': '8S'}])
def test_a_position_that_cannot_be_is_refused(piles: dict[str, str]) -> None:
    with pytest.raises(ValueError, match='pile|twice'):
        table('2S', '2C', **piles)


def test_facts_tell_who_can_still_hold_a_king() -> None:
    match = Match(KINGS, 3, {}, 'kings')
    rng, seen = Random(1), set()
    while not match.round.over:
        observation = match.round.observation(match.round.turn)
        for _ in range(20):
            guess = KINGS.determinise(observation, rng)
            assert guess.observation(guess.turn) == observation
            assert sorted(card for zone in guess.zones() for card in zone.cards if card is not None) == list(range(52))
            turns = guess.facts()['turns']
            for seat in range(3):
                holds = any(card % 13 == 12 for card in nest(guess.zones())['hands'][seat])
                assert not (holds and turns > (seat - guess.start) % 3)
                if holds and seat != guess.turn:
                    seen.add(turns)
        match.apply(KINGS.greedy(observation))
    assert seen == {0, 1}


@pytest.mark.parametrize('viewer', [None, 0, 1, 2])
def test_a_sampled_position_gives_kings_to_everybody_who_may_hold_one(viewer: int | None) -> None:
    """Those whose first turn has not ended, the seat on turn among them; and nobody else."""
    match, rng = Match(KINGS, 3, {}, 'kings'), Random(2)
    for ended in range(4):
        round_ = match.round
        assert round_.facts()['turns'] == ended
        holders = set()
        for _ in range(60):
            guess = KINGS.determinise(round_.observation(viewer), rng)
            for seat, cards_held in enumerate(nest(guess.zones())['hands']):
                if seat != viewer and any(card % 13 == 12 for card in cards_held):
                    holders.add(seat)
        still_to_move = {(round_.start + step) % 3 for step in range(ended, 3)}
        assert holders == still_to_move - {viewer}
        turn = round_.turn
        while not round_.over and round_.turn == turn:
            match.play(turn, round_.parse_move('end'))


# --- the greedy player ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('round_', 'move'),
    [
        (table('KS 7H', '2C', stock='3H', T0='8S'), 'play KS K0'),
        (table('7H 2S', '2C', stock='3H', T0='8S', T1='9D'), 'move T0 T1'),
        (table('7H 2S', '2C', stock='3H', T0='8S', T1='TC'), 'play 7H T0'),
        (table('9D 5H 4S', '2C', stock='3H', T0='TS', T1='6C', T2='2D', T3='JC'), 'play 5H T1'),
        (table('9H 8S 7D JC', '2C', stock='3H', T0='5S', T1='5H'), 'play 9H T2'),
        (table('9H', '2C', stock='3H', T0='5S', T1='5H', T2='5D', T3='5C'), 'end'),
    ],
    ids=['king', 'free a stall', 'card', 'longer run', 'start of a run', 'draw'],
)
def test_greedy_plays_by_plain_sense(round_: Round, move: str) -> None:
    observation = round_.observation(0)
    assert round_.format_move(KINGS.greedy(observation)) == move


def test_greedy_beats_random() -> None:
    rng, wins = Random(3), 0
    for number in range(40):
        round_ = KINGS.deal(2, KINGS.full_options({}), f'greedy {number}', 0, None)
        while not round_.over:
            observation = round_.observation(round_.turn)
            round_.apply(KINGS.greedy(observation) if round_.turn == 0 else rng.choice(observation.legal))
        wins += round_.points[0] > 0
    assert wins >= 30


# --- properties of random hands -----------------------------------------------------------------------------------------------


def by_the_rules(round_: Round) -> set[str]:
    """The legal moves once more, from the texts of the cards alone: every card to every stall, every pile to every stall."""
    zones = nest(round_.zones())
    mine = [CARDS[card] for card in zones['hands'][round_.turn]]
    piles = {name: [CARDS[card] for card in pile] for name, pile in zones['stalls'].items()}
    ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K']

    def red(card: str) -> bool:
        return card[1] in 'DH'

    def covers(card: str, pile: list[str]) -> bool:
        return bool(pile) and ranks.index(pile[-1][0]) - ranks.index(card[0]) == 1 and red(card) != red(pile[-1])

    def starts(card: str, name: str) -> bool:
        return not piles[name] and (card[0] == 'K') == (name[0] == 'K')

    plays = {f'play {card} {name}' for card in mine for name in STALLS if covers(card, piles[name]) or starts(card, name)}
    moves = {
        f'move {source} {target}'
        for source in ('T0', 'T1', 'T2', 'T3')
        for target in STALLS
        if piles[source] and source != target
        if covers(piles[source][0], piles[target]) or (target[0] == 'K' and starts(piles[source][0], target))
    }
    return plays | moves | {'end'} | ({'end nodraw'} if zones['stock'] else set())


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.text(max_size=5), st.randoms(use_true_random=False))
def test_a_random_hand_keeps_the_chips_the_cards_and_the_piles_and_ends(seats: int, seed: str, rng: Random) -> None:
    round_ = KINGS.deal(seats, KINGS.full_options({}), seed, 0, None)
    plies = 0
    while not round_.over:
        moves = [round_.format_move(move) for move in round_.legal_moves()]
        assert len(set(moves)) == len(moves)
        assert set(moves) == by_the_rules(round_)
        assert list(round_.legal_moves()) == list(round_.copy().legal_moves())
        seat, move = round_.turn, rng.choice(round_.legal_moves())
        paid = sum(event.params['n'] for event in round_.copy().play(seat, move) if event.kind in PAYMENTS)
        before = round_.counters()['pot']
        told(round_.play(seat, move))
        assert round_.counters()['pot'] == (0 if round_.reason == 'out' else before + paid)
        counters = round_.counters()
        assert sum(counters['chips']) + counters['pot'] + counters['aside'] == 80
        assert min(counters['chips']) >= 0
        assert sorted(card for zone in round_.zones() for card in zone.cards if card is not None) == list(range(52))
        for name, pile in nest(round_.zones())['stalls'].items():
            assert all(under % 13 == card % 13 + 1 and (under >= 26) != (card >= 26) for under, card in pairwise(pile))
            assert not pile or name[0] == 'T' or pile[0] % 13 == 12
        for place in range(seats):
            if round_.facts()['turns'] > (place - round_.start) % seats:
                assert not any(card.startswith('K') for card in hand(round_, place))
        plies += 1
        assert plies < 1000
    if round_.reason == 'out':
        winner = next(seat for seat in range(seats) if not hand(round_, seat))
        assert [seat for seat in range(seats) if round_.points[seat]] == [winner]
    else:
        assert round_.points == [0] * seats


PAYMENTS = {'king-fine', 'no-play', 'no-draw', 'paid'}


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6), st.integers(0, 60))
def test_every_move_is_legal_or_refused_with_a_reason(seats: int, seed: int, plies: int) -> None:
    round_ = KINGS.deal(seats, KINGS.full_options({}), str(seed), 0, None)
    rng = Random(seed)
    for _ in range(plies):
        if not round_.over:
            round_.apply(rng.choice(round_.legal_moves()))
    if round_.over:
        return
    expected, before = by_the_rules(round_), round_.copy()
    for text in EVERY_MOVE:
        move = round_.parse_move(text)
        assert round_.is_legal(move) == (text in expected)
        if text not in expected:
            with pytest.raises(IllegalMoveError) as error:
                round_.play(round_.turn, move)
            assert error.value.code in KINGS.reasons
            assert said(error.value)
    assert round_ == before


def test_every_reason_and_every_paragraph_has_its_text() -> None:
    for code, section in KINGS.reasons.items():
        assert TEXTS.has('en', f'kings.reason.{code}')
        assert section in KINGS.sections
    for section in KINGS.sections:
        assert TEXTS.has('en', f'kings.rules.{section}.title')
        assert 0 < len(TEXTS.get('en', f'kings.rules.{section}.body')) <= 1500
    assert len(TEXTS.get('en', 'kings.rules.short')) <= 1800


def test_an_observation_shows_own_cards_stalls_and_chips_only() -> None:
    round_ = table('7H', '2C', stock='3H', T0='8S')
    seen: Observation = round_.observation(0)
    assert seen.cards('hands', 0) == cards('7H')
    assert list(seen.cards('hands', 1)) == list(seen.cards('stock')) == [-1]
    assert seen.cards('stalls', 'T0') == cards('8S')
    assert seen.counters == {'chips': [39, 39], 'pot': 2, 'aside': 0}
