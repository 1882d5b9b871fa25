from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, combinations, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.engines.base import Event, MoveError, NotYourTurnError, RoundOverError, UnreadableMoveError
from bot.engines.cards import CARDS, NUMBER
from bot.engines.match import Match
from bot.engines.options import OptionError
from bot.engines.thirteen import GAME, PASS, ThirteenRound, beats, cards_of, combination, kind_of

RANKS, SUITS = '3456789TJQKA2', 'SCDH'
PACK = [rank + suit for rank in RANKS for suit in SUITS]
OPTIONS = GAME.full_options({})

FOURS, EIGHTS, NINES = '4S 4C 4D 4H', '8S 8C 8D 8H', '9S 9C 9D 9H'
PAIRS_3_5, PAIRS_3_6 = '3S 3C 4S 4C 5S 5D', '3S 3C 4S 4C 5S 5D 6S 6C'
PAIRS_3_7 = PAIRS_3_6 + ' 7S 7C'


def cards(text: str) -> list[int]:
    return [NUMBER[card] for card in text.split()]


def texts(numbers: Iterable[int]) -> str:
    return ' '.join(CARDS[card] for card in numbers)


def move(text: str) -> int:
    made = combination(cards(text))
    assert made, f'{text} is no combination'
    return made


def at(*hands: str, turn: int = 0, on: str = '', owner: int = 3, **facts: Any) -> ThirteenRound:
    """A position from the hands of seats 0, 1, …; those that are not given hold one card each."""
    spare = [card for card in PACK if not any(card in hand.split() for hand in (*hands, on))]
    held = [cards(hand) for hand in hands] + [cards(spare.pop()) for _ in range(4 - len(hands))]
    return GAME.position(
        4, OPTIONS, {'hands': held, 'played': cards(on)}, {'turn': turn, 'to_beat': cards(on), 'owner': owner if on else None, **facts}
    )


def opening(hands: dict[int, str], number: int = 0, before: ThirteenRound | None = None) -> ThirteenRound:
    """A dealt round in which these seats hold these cards, and the others the rest."""
    held = {seat: cards(hand) for seat, hand in hands.items()}
    rest = [NUMBER[card] for card in PACK if NUMBER[card] not in set(chain(*held.values()))]
    Random(2).shuffle(rest)
    zones = {'hands': [held.get(seat, []) for seat in range(4)], 'played': []}
    for hand in zones['hands']:
        while len(hand) < 13:
            hand.append(rest.pop())
    return GAME.opening(4, OPTIONS, zones, number, before, 0)


def ended(winner: int) -> ThirteenRound:
    """A finished round that this seat has won."""
    out = [(winner + step) % 4 for step in range(3)]
    return GAME.position(4, OPTIONS, {}, {'turn': 0, 'out': out})


def play(round_: ThirteenRound, *moves: str) -> list[Event]:
    """Plays moves, checked, each by the seat on turn; returns all events."""
    return list(chain(*(round_.play(round_.turn, round_.parse_move(text)) for text in moves)))


def refused(round_: ThirteenRound, text: str) -> str:
    """The reason for which a move is refused; nothing may have changed by that."""
    before = round_.copy()
    with pytest.raises(MoveError) as error:
        round_.play(round_.turn, round_.parse_move(text))
    assert round_ == before
    assert error.value.code in GAME.reasons
    return error.value.code


def legal(round_: ThirteenRound) -> list[str]:
    return sorted(round_.format_move(move) for move in round_.exact_moves())


# --- the test positions of section 002 --------------------------------------------------------------------------------


def test_002_01_the_first_lead_holds_the_3_of_spades() -> None:
    round_ = opening({2: '3S 3D 4C 5H 6S 8C 8D TH JC QD KS KC AH'})
    assert (round_.turn, round_.start) == (2, 2)
    assert legal(round_) == ['3S', '3S 3D', '3S 4C 5H', '3S 4C 5H 6S']
    assert [refused(round_, text) for text in ('3D', '4C 5H 6S', 'pass')] == ['three-of-spades', 'three-of-spades', 'pass-on-lead']
    for seat in (0, 1, 3):
        with pytest.raises(NotYourTurnError) as error:
            round_.play(seat, round_.legal_moves()[0])
        assert error.value.params == {'seat': 2}


def test_002_02_a_pair_is_ranked_by_its_higher_suit() -> None:
    assert legal(at('8C 8H', on='8S 8D')) == ['8C 8H', 'pass']
    assert refused(at('8S 8D', on='8C 8H'), '8S 8D') == 'too-low'


def test_002_03_sequences() -> None:
    round_ = at('5H 6H 7H 6S 7S 8S 5D 6D 7C 8H', on='5S 6C 7D')
    for text in ('5H 6H 7H', '6S 7S 8S'):
        assert round_.is_legal(round_.parse_move(text))
    assert refused(round_, '5D 6D 7C') == 'too-low'
    assert refused(round_, '5H 6D 7H 8S') == 'wrong-length'


def test_002_04_what_is_a_combination() -> None:
    assert kind_of(move('QS KD AH')) == ('sequence', 3, NUMBER['AH'])
    assert kind_of(move('QS QD KS KD AS AD')) == ('double', 3, NUMBER['AD'])
    for text in ('KS AD 2H', '2S 3D 4H', 'KS KD AS AD 2S 2D', '3S 3D 4S 4D'):
        assert combination(cards(text)) == PASS
        assert refused(at(text + ' 9C'), text) in ('no-combination', 'two-in-sequence')


def test_002_05_on_a_single_2() -> None:
    round_ = at(f'2C 2D 2H {FOURS} 3S 3C 5S 5D 6S 6C AH', on='2S')
    for text in ('2H', FOURS, PAIRS_3_5, PAIRS_3_6):
        assert text in legal(round_)
    assert refused(round_, 'AH') == 'too-low'
    assert refused(round_, '2C 2D') == 'wrong-kind'


def test_002_06_on_a_pair_of_2s() -> None:
    round_ = at(f'2C 2H {PAIRS_3_7} 4D 4H', on='2S 2D')
    for text in ('2C 2H', PAIRS_3_6, PAIRS_3_7):
        assert text in legal(round_)
    assert [refused(round_, text) for text in (FOURS, PAIRS_3_5)] == ['bomb-too-small', 'bomb-too-small']


def test_002_07_on_three_2s() -> None:
    round_ = at(f'2H {PAIRS_3_7} 4D 4H', on='2S 2C 2D')
    assert PAIRS_3_7 in legal(round_)
    assert [refused(round_, text) for text in (PAIRS_3_6, FOURS)] == ['bomb-too-small', 'bomb-too-small']


def test_002_08_only_2s_are_bombed() -> None:
    for on, bomb in (('AH', FOURS), ('KS KC KD', FOURS), ('AS AH', PAIRS_3_6)):
        assert refused(at(f'{PAIRS_3_6} 4D 4H', on=on), bomb) == 'bomb-without-twos'


def test_002_09_on_four_of_a_kind() -> None:
    round_ = at('2S 9D', f'{FOURS} 3C', f'{NINES} TS TC JS JC 2H', '3D')
    play(round_, '2S', FOURS)
    assert NINES in legal(round_)
    assert [refused(round_, text) for text in ('9S 9C TS TC JS JC', '2H')] == ['bomb-on-bomb', 'wrong-kind']


def test_002_10_on_three_pairs() -> None:
    round_ = at('2S TD', f'{PAIRS_3_5} KS', f'3D 3H 4D 4H 5C 5H 6S 6C 7S 7C 8S 8C {NINES} TH', 'JD')
    play(round_, '2S', PAIRS_3_5)
    assert '3D 3H 4D 4H 5C 5H' in legal(round_)
    assert '6S 6C 7S 7C 8S 8C' in legal(round_)
    assert {len(text.split()) for text in legal(round_)} == {1, 6}
    assert [refused(round_, text) for text in ('6S 6C 7S 7C 8S 8C 9S 9C', NINES)] == ['bomb-on-bomb', 'bomb-on-bomb']


def test_002_11_cleared_at_once_when_all_others_have_passed() -> None:
    round_ = at('5S KS', '4C 4D', '9C 3C', 'TD TC')
    play(round_, '5S', 'pass', '9C', 'pass')
    assert round_.turn == 0
    assert play(round_, 'pass')[-1] == Event('cleared', 2, {})
    assert (round_.turn, round_.facts()['to_beat'], round_.facts()['passed']) == (2, [], [])


def test_002_12_a_bomb_does_not_let_one_back_in() -> None:
    round_ = at(f'5S {EIGHTS} KS', '7S 7C 7D 7H 3C', '2S 9S 9C 9D 9H 3D', 'TD TC')
    play(round_, '5S', 'pass', '2S', 'pass', EIGHTS)
    assert (round_.turn, round_.facts()['passed']) == (2, [1, 3])
    assert NINES in legal(round_)
    play(round_, 'pass')
    assert round_.turn == 0
    assert not round_.last


def test_002_13_who_leads_when_the_last_player_is_out() -> None:
    round_ = at('JS 3S', 'KD', '4C 5C', '6C 7C')
    events = play(round_, 'JS', 'KD', 'pass', 'pass')
    assert Event('out', 1, {'place': 1, 'n': 3}) in events
    assert round_.turn == 0
    assert play(round_, 'pass')[-1] == Event('inherited', 2, {'seat': 1})
    assert (round_.turn, round_.facts()['to_beat'], round_.facts()['out']) == (2, [], [1])


def test_002_14_the_last_cards_may_still_be_beaten() -> None:
    round_ = at('JS 3S', 'KD', 'KH 5C', '6C 7C')
    play(round_, 'JS', 'KD', 'KH', 'pass', 'pass')
    assert (round_.turn, round_.last) == (2, PASS)


def test_002_15_the_next_with_cards_leads() -> None:
    round_ = at('6S 3S', '4C 4D', '5C 5D', '9D')
    play(round_, '6S', 'pass', 'pass', '9D', 'pass')
    assert (round_.turn, round_.last) == (0, PASS)


def test_002_16_four_2s_win_at_once() -> None:
    round_ = opening({1: '2S 2C 2D 2H 3C 4C 5D 7H 8S 9C JD QH KS', 2: '3S 4S 6D 7C 9D TH JC QS KD AH 9H 8H 8C'})
    assert (round_.over, round_.reason, round_.points, round_.start) == (True, 'instant', [0, 3, 0, 0], 2)
    assert round_.dealt() == [Event('four-twos', 1, {'cards': cards('3C 4C 5D 7H 8S 9C JD QH KS 2S 2C 2D 2H')})]
    with pytest.raises(RoundOverError):
        round_.play(2, move('3S'))
    assert GAME.deal(4, OPTIONS, 'any', 1, round_).start == 1


def test_002_17_a_sequence_from_3_to_ace_wins_at_once() -> None:
    sequence = '3S 4D 5H 6C 7C 8S 9D TH JC QS KD AH 9H'
    round_ = opening({3: sequence, 0: '2S 3C 3D 4S 4C 5S 5C 6S 6D 7S 7D 8C 8D', 1: '2C 3H 4H 5D 6H 7H 8H 9S 9C TS TC TD JS'})
    assert (round_.over, round_.points) == (True, [0, 0, 0, 3])
    assert round_.dealt() == [Event('three-to-ace', 3, {'cards': cards('3S 4D 5H 6C 7C 8S 9D 9H TH JC QS KD AH')})]
    round_ = opening({3: sequence, 1: '2S 2C 2D 2H 3C 4C 5D 7H 8H 9C JD QH KS'})
    assert round_.points == [0, 3, 0, 0]


def test_002_18_later_games_open_freely() -> None:
    round_ = opening({3: '3S 4S', 1: '7D 8S'}, number=1, before=ended(1))
    assert round_.turn == 1
    assert not round_.over
    play(round_, '7D')
    assert round_.turn == 2


def test_002_19_over_when_the_third_is_out() -> None:
    round_ = at('', '2H 3S', '', '9D', turn=3, on='8S', owner=1, out=[2, 0])
    events = play(round_, '9D')
    assert (round_.over, round_.reason, round_.points) == (True, 'out', [2, 0, 3, 1])
    assert events[-2:] == [Event('out', 3, {'place': 3, 'n': 1}), Event('left', 1, {'n': 2})]


def test_002_20_a_shared_highest_total_plays_on() -> None:
    match = finished([11, 11, 7, 7])
    assert match.winners == []
    match.next_round()
    assert match.number == 1


def finished(totals: list[int], **options: Any) -> Match:
    """A match just after a game, with these totals."""
    match = Match(GAME, 4, options, 'totals')
    while not match.round.over:
        match.apply(match.round.legal_moves()[0])
    match.totals = totals
    match.winners = GAME.winners(match.options, match.totals, match.number + 1, match.round)
    return match


# --- the rules, row by row --------------------------------------------------------------------------------------------


def test_four_players_thirteen_cards() -> None:
    for seats in (2, 3, 5):
        with pytest.raises(OptionError):
            Match(GAME, seats, {}, 'x')
    zones = Match(GAME, 4, {}, 'x').round.zones()
    assert [len(zone.cards) for zone in zones] == [13, 13, 13, 13, 0]
    assert sorted(chain(*(zone.cards for zone in zones))) == sorted(GAME.pack(4)) == list(range(52))


def test_ranks_and_suits_from_low_to_high() -> None:
    assert [CARDS[card] for card in GAME.pack(4)] == PACK
    singles = [move(card) for card in PACK]
    assert all(beats(high, low) and not beats(low, high) for low, high in combinations(singles, 2))


def test_a_leader_may_not_pass_and_a_follower_always_may() -> None:
    assert refused(at('3S 4S'), 'pass') == 'pass-on-lead'
    round_ = at('2H 3S', on='3C')
    assert legal(round_) == ['2H', 'pass']
    play(round_, 'pass')
    assert round_.turn == 1


def test_nobody_is_asked_twice() -> None:
    round_ = at('3S 9S', '4S 8S', '5S 7S', '6S TS')
    play(round_, '3S', '4S', 'pass', 'pass', '9S')
    assert round_.facts()['passed'] == [2, 3] == [seat for seat in range(4) if not round_.free >> seat & 1 and round_.hands[seat]]


def test_a_player_beside_one_who_went_out_and_all_others_passed() -> None:
    """The last free player beats the last cards of one who went out: nobody else is free, so the cards are cleared at once."""
    round_ = at('JS AS 3S', 'KD', '4C 5C', '6C 7C')
    events = play(round_, 'JS', 'KD', 'pass', 'pass', 'AS')
    assert events[-1] == Event('cleared', 0, {})
    assert (round_.turn, round_.last) == (0, PASS)


def test_a_player_who_had_passed_may_inherit_the_lead() -> None:
    round_ = at('6S 9S', '4C 4D', '5C 5D', '7D 3C')
    play(round_, '6S', 'pass', 'pass', '7D', '9S')
    assert round_.out == [0]
    assert round_.turn == 3
    assert play(round_, 'pass')[-1] == Event('inherited', 1, {'seat': 0})
    assert round_.facts()['passed'] == []


def test_going_out_when_nobody_is_free_clears_at_once() -> None:
    round_ = at('6S AS', 'KD', '5C 5D', '7D 3C')
    play(round_, '6S', 'KD', 'pass', 'pass', 'AS')
    assert (round_.out, round_.turn, round_.last) == ([1, 0], 2, PASS)


def test_bombs_may_be_led_and_followed_as_plain_combinations() -> None:
    round_ = at(f'{FOURS} 3H', f'{NINES} TS TC JS JC 2S', 'AS', '3S')
    assert play(round_, FOURS) == [Event('led', 0, {'cards': cards(FOURS)})]
    assert legal(round_) == [NINES, 'pass']
    assert play(round_, NINES) == [Event('bombed', 1, {'cards': cards(NINES)})]


def test_the_suit_of_the_last_card_decides_between_equal_double_sequences() -> None:
    assert beats(move('3D 3H 4D 4H 5C 5H'), move(PAIRS_3_5))
    assert not beats(move('3D 3H 4D 4H 5S 5C'), move('3S 3C 4S 4C 5D 5H'))


def test_the_longest_sequences() -> None:
    sizes = {kind_of(move)[:2] for move in at(' '.join(PACK), '', '', '').legal_moves()}
    assert {length for kind, length in sizes if kind == 'sequence'} == set(range(3, 13))
    assert {length for kind, length in sizes if kind == 'double'} == set(range(3, 7))
    assert combination(cards(PAIRS_3_7 + ' 8S 8C 9S 9C')) == PASS


def test_a_double_sequence_is_led() -> None:
    assert {text for text in legal(at(PAIRS_3_5)) if len(text.split()) == 6} == {PAIRS_3_5}


def test_suits_in_a_sequence_are_free_and_2s_are_never_in_one() -> None:
    assert kind_of(move('3S 4H 5C 6D 7S 8S 9H TC JD QS KH AC')) == ('sequence', 12, NUMBER['AC'])
    round_ = at('KS AS 2S 3S 4S KD AD 2D')
    assert not [text for text in legal(round_) if len(text.split()) > 2]
    assert refused(round_, 'KS AS 2S') == 'two-in-sequence'
    assert refused(round_, 'KS KD AS AD 2S 2D') == 'two-in-sequence'
    assert refused(round_, 'AS 3S 4S') == 'no-combination'


def test_four_of_a_kind_on_a_single_2_only() -> None:
    assert beats(move(FOURS), move('2H'))
    assert not beats(move(FOURS), move('2S 2C'))
    assert not beats(move(FOURS), move('2S 2C 2D'))


@pytest.mark.parametrize(
    ('one', 'three', 'winner'), [('AS 3D', 'AC 4D', 3), ('AH 3D', 'AD 4D', 1), ('AC 3D', 'AS AD', 3), ('AS AH', 'AC AD', 1)]
)
def test_between_two_sequences_the_higher_ace_wins(one: str, three: str, winner: int) -> None:
    spades, hearts = (' '.join(rank + suit for rank in RANKS[:11]) for suit in 'SH')
    round_ = opening({1: f'{spades} {one}', 3: f'{hearts} {three}'})
    assert (round_.reason, round_.points.index(3), sum(round_.points)) == ('instant', winner, 3)
    assert round_.dealt() == [Event('three-to-ace', winner, {'cards': round_.zones()[winner].cards})]
    assert round_.zones()[winner].seen_by is None


def test_an_instant_win_in_a_later_game() -> None:
    assert opening({0: '2S 2C 2D 2H'}, number=3, before=ended(2)).points == [3, 0, 0, 0]


def test_the_deal_goes_on_after_an_instant_win() -> None:
    seed = next(f'{n}' for n in range(400) if GAME.deal(4, OPTIONS, f'{n}', 0, None).over)
    match = Match(GAME, 4, {}, seed)
    winner = match.round.points.index(3)
    assert (match.totals, match.winners, match.round.reason) == (match.round.points, [], 'instant')
    match.next_round()
    assert match.round.start == winner
    match = Match(GAME, 4, {'target': 3}, seed)
    assert match.winners == [winner]


def test_the_winner_leads_the_next_game() -> None:
    match = finished([0, 0, 0, 0])
    winner = match.round.out[0]
    match.next_round()
    assert (match.round.turn, match.round.start, match.round.dealer) == (winner, winner, None)
    assert match.round.dealt() == [Event('leads', winner, {})]


def test_points_by_place() -> None:
    match = finished([0, 0, 0, 0])
    out = match.round.out
    assert [match.round.points[seat] for seat in out] == [3, 2, 1]
    assert sum(match.round.points) == 6


@pytest.mark.parametrize(
    ('target', 'totals', 'winners'),
    [
        (10, [9, 9, 9, 9], []),
        (10, [10, 3, 2, 1], [0]),
        (10, [10, 12, 2, 1], [1]),
        (10, [12, 12, 2, 1], []),
        (10, [9, 10, 10, 8], []),
        (3, [0, 3, 2, 1], [1]),
        (50, [49, 3, 2, 1], []),
        (50, [49, 3, 2, 50], [3]),
    ],
)
def test_the_end_of_the_match(target: int, totals: list[int], winners: list[int]) -> None:
    assert finished(totals, target=target).winners == winners


def test_the_option() -> None:
    assert OPTIONS == {'target': 10}
    for target in (2, 51, None, '10', True):
        with pytest.raises(OptionError):
            GAME.full_options({'target': target})


# --- a second opinion: the rules written out over texts ---------------------------------------------------------------


def rank_of(card: str) -> int:
    return RANKS.index(card[0])


def strength(card: str) -> tuple[int, int]:
    return rank_of(card), SUITS.index(card[1])


def classify(chosen: Sequence[str]) -> tuple[str, int] | None:
    """Kind and length by the table's words, or None for what is no combination."""
    counts = Counter(map(rank_of, chosen))
    if len(counts) == 1:
        return ('single', 'pair', 'three', 'four')[len(chosen) - 1], 1
    ranks = sorted(counts)
    in_a_row = all(low + 1 == high for low, high in pairwise(ranks))
    if len(ranks) < 3 or not in_a_row or RANKS.index('2') in ranks:
        return None
    if set(counts.values()) == {1}:
        return 'sequence', len(ranks)
    if set(counts.values()) == {2}:
        return 'double', len(ranks)
    return None


def value(kind: str, chosen: Sequence[str]) -> tuple[int, ...]:
    top = max(map(strength, chosen))
    return top[:1] if kind in ('three', 'four') else top


def may_beat(chosen: Sequence[str], on_table: Sequence[str]) -> bool:
    mine, other = classify(chosen), classify(on_table)
    assert mine
    assert other
    if mine == other:
        return value(mine[0], chosen) > value(mine[0], on_table)
    if {card[0] for card in on_table} != {'2'}:
        return False
    pairs = mine[1] if mine[0] == 'double' else 0
    return {1: mine[0] == 'four' or pairs >= 3, 2: pairs >= 4, 3: pairs >= 5, 4: False}[len(on_table)]


def subsets(hand: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return chain.from_iterable(combinations(hand, size) for size in range(1, len(hand) + 1))


def in_order(chosen: Iterable[str]) -> str:
    return ' '.join(sorted(chosen, key=strength))


def check_position(hand: Sequence[str], on_table: Sequence[str], *, first: bool = False) -> None:
    """Compares everything that the engine says of this hand, with this to beat (or a lead), with the second opinion."""
    round_ = at(' '.join(hand), on=' '.join(on_table), opening=first)
    expected = {} if not on_table else {'pass': PASS}
    for chosen in subsets(hand):
        kind = classify(chosen)
        made = combination(map(NUMBER.__getitem__, chosen))
        if kind is None:
            assert made == PASS, chosen
            continue
        assert kind_of(made) == (*kind, NUMBER[max(chosen, key=strength)])
        may = may_beat(chosen, on_table) if on_table else not first or '3S' in chosen
        assert round_.is_legal(made) == may, (chosen, on_table)
        if on_table:
            assert beats(made, combination(map(NUMBER.__getitem__, on_table))) == may
        if may:
            expected[in_order(chosen)] = made
        else:
            assert round_.why_not(made).code in GAME.reasons
    exact = round_.exact_moves()
    assert len(exact) == len(set(exact))
    assert {round_.format_move(move): move for move in exact} == expected
    stand_in = {kind_of(move): move for move in round_.legal_moves() if move}
    assert len(stand_in) + bool(on_table) == len(round_.legal_moves())
    assert set(round_.legal_moves()) <= set(exact)
    assert {kind_of(move) for move in exact if move} == set(stand_in)
    for made in exact:
        if made:
            others = [sorted(map(strength, map(CARDS.__getitem__, cards_of(same)))) for same in (stand_in[kind_of(made)], made)]
            assert all(low <= high for low, high in zip(*others, strict=True))


def deal_near(rng: Random, size: int, ranks: str) -> list[str]:
    """Cards of these ranks only, so that there are sets, sequences and bombs."""
    return rng.sample([rank + suit for rank in ranks for suit in SUITS], size)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PACK), min_size=1, max_size=9, unique=True))
def test_every_subset_of_a_small_hand(hand: list[str]) -> None:
    check_position(hand, [])
    if '3S' in hand:
        check_position(hand, [], first=True)


@settings(max_examples=120, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 9), st.integers(3, 6), st.integers(6, 9))
def test_every_answer_of_a_small_hand(rng: Random, lowest: int, span: int, size: int) -> None:
    near = deal_near(rng, min(2 * size, 4 * len(RANKS[lowest : lowest + span])), RANKS[lowest : lowest + span])
    hand, rest = near[:size], near[size:]
    assume(rest)
    for on_table in rng.sample(led := [chosen for chosen in subsets(rest[:8]) if classify(chosen)], min(3, len(led))):
        check_position(hand, on_table)


@pytest.mark.parametrize('span', [4, 6, 8, 13])
def test_every_subset_of_thirteen_cards(span: int) -> None:
    check_position(deal_near(Random(span), 13, RANKS[:span]), [])


@pytest.mark.parametrize('on_table', ['2S', '2S 2D', '2S 2C 2D', FOURS, '3S 3C 4S 4C 5S 5C', '5H 6C 7D', '6S 6C 6D', '6C 6D', 'KD'])
def test_thirteen_cards_against(on_table: str) -> None:
    near = [card for card in PACK if card not in on_table.split() and card[0] in '56789TQ2']
    check_position(Random(on_table).sample(near, 13), on_table.split())


def test_beating_is_an_order() -> None:
    """Over combinations without a card in common: never both ways, and on 2s by bombs."""
    rng = Random(5)
    seen = Counter[tuple[str, str]]()
    for _ in range(300):
        cards_ = deal_near(rng, 14, RANKS[-6:])
        made = [[chosen for chosen in subsets(part) if classify(chosen)] for part in (cards_[:7], cards_[7:])]
        for one, other in zip(*(rng.sample(part, min(20, len(part))) for part in made), strict=False):
            first, second = (combination(map(NUMBER.__getitem__, chosen)) for chosen in (one, other))
            assert beats(first, second) == may_beat(one, other)
            assert not (beats(first, second) and beats(second, first))
            seen[kind_of(first).kind, kind_of(second).kind] += beats(first, second)
    assert seen['pair', 'pair']
    assert seen['single', 'single']


# --- reading and writing moves ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'canonical'),
    [
        ('10h 10d', 'TD TH'),
        ('3♠,4♠,5♥', '3S 4S 5H'),
        ('3s4s5h', '3S 4S 5H'),
        ('5H-3S-4S', '3S 4S 5H'),
        ('♥10', 'TH'),
        ('th', 'TH'),
        ('  2d   2s ', '2S 2D'),
        ('Play as; ad & ah', 'AS AD AH'),
        ('3♠️ 3♥️', '3S 3H'),
        ('\uff13\uff33', '3S'),
        ('PASS', 'pass'),
        (' Pass\n', 'pass'),
        ('play pass', 'pass'),
    ],
)
def test_moves_are_read_wide(text: str, canonical: str) -> None:
    round_ = at('3S')
    assert round_.format_move(round_.parse_move(text)) == canonical


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('', 'unreadable'),
        ('  ', 'unreadable'),
        ('play', 'unreadable'),
        ('3', 'unreadable'),
        ('11S', 'unreadable'),
        ('1S', 'unreadable'),
        ('3S 4', 'unreadable'),
        ('pass 3S', 'unreadable'),
        ('3S pass', 'unreadable'),
        ('joker', 'unreadable'),
        ('{0.__class__}', 'unreadable'),
        ('\x00', 'unreadable'),
        ('\ud800', 'unreadable'),
        ('3S ' * 100_000, 'unreadable'),
        ('3' * 1_000_000, 'unreadable'),
        ('\u0301' * 100_000, 'unreadable'),
        ('\ufdfa' * 200, 'unreadable'),
        ('3S 3S', 'twice'),
        ('3S ♠3', 'twice'),
        ('3S 5S', 'no-combination'),
        ('3S 3D 4S', 'no-combination'),
        ('3S 3D 4S 4D', 'no-combination'),
        (' '.join(PACK[:48]), 'no-combination'),
        (' '.join(PACK), 'two-in-sequence'),
        ('AS 2S', 'two-in-sequence'),
        ('2S 3D 4H', 'two-in-sequence'),
    ],
)
def test_what_is_no_move(text: str, code: str) -> None:
    round_ = at('3S')
    with pytest.raises(UnreadableMoveError) as error:
        round_.parse_move(text)
    assert error.value.code == code
    assert code == 'unreadable' or code in GAME.reasons


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    round_ = at('3S')
    try:
        made = round_.parse_move(text)
    except UnreadableMoveError:
        return
    assert round_.parse_move(round_.format_move(made)) == made


@pytest.mark.parametrize('junk', [-1, 1 << 80, (1 << 52) | 1, move('3S 3C') ^ 1, (5 << 52) | 7, 3, 0b11111])
def test_a_number_that_is_no_combination_is_not_legal(junk: int) -> None:
    round_ = at('3S 3C 3D 4S 5S')
    assert not round_.is_legal(junk)
    with pytest.raises(MoveError) as error:
        round_.play(0, junk)
    assert error.value.code in ('no-combination', 'not-held')


def test_who_cares_names_the_exact_cards() -> None:
    round_ = at('3S 3C 4S 4D 5H KS')
    named = round_.parse_move('3c 4d 5h')
    assert named not in round_.legal_moves()
    assert kind_of(named) == kind_of(round_.parse_move('3S 4S 5H'))
    play(round_, '5h 4d 3c')
    assert texts(round_.zones()[0].cards) == '3S 4S KS'


# --- refusals, events, facts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('hand', 'on', 'text', 'code', 'params'),
    [
        ('3S', '', '4S', 'not-held', {'cards': '4S'}),
        ('3S 3C', '5S', '3S 3C 3D', 'not-held', {'cards': '3D'}),
        ('3S', '4S', '3S', 'too-low', {'cards': '4S'}),
        ('5S 5C', '4S', '5S 5C', 'wrong-kind', {'cards': '4S'}),
        ('5S 5C 5D', '4S 4C', '5S 5C 5D', 'wrong-kind', {'cards': '4S 4C'}),
        ('5S 6C 7D 8H', '3S 4C 5D', '5S 6C 7D 8H', 'wrong-length', {'cards': '3S 4C 5D', 'n': 3}),
        (FOURS, '3S', FOURS, 'bomb-without-twos', {'cards': '3S'}),
        (FOURS, '2S 2C', FOURS, 'bomb-too-small', {'cards': '2S 2C', 'n': 4}),
        (PAIRS_3_6, '2S 2C 2H', PAIRS_3_6, 'bomb-too-small', {'cards': '2S 2C 2H', 'n': 5}),
        (PAIRS_3_6, EIGHTS, PAIRS_3_6, 'bomb-on-bomb', {'cards': EIGHTS}),
    ],
)
def test_refusals(hand: str, on: str, text: str, code: str, params: dict[str, Any]) -> None:
    round_ = at(hand, on=on)
    assert refused(round_, text) == code
    error = round_.why_not(round_.parse_move(text))
    assert {name: texts(value) if name == 'cards' else value for name, value in error.params.items()} == params


def test_what_everybody_sees() -> None:
    round_ = at(f'3S {FOURS}', '5S 2C', 'TS TC', 'JS JC')
    assert play(round_, '3S', '5S', 'pass', 'pass', 'pass') == [
        Event('led', 0, {'cards': cards('3S')}),
        Event('beat', 1, {'cards': cards('5S')}),
        Event('passed', 2, {}),
        Event('passed', 3, {}),
        Event('passed', 0, {}),
        Event('cleared', 1, {}),
    ]
    assert play(round_, '2C', 'pass', 'pass', FOURS) == [
        Event('led', 1, {'cards': cards('2C')}),
        Event('out', 1, {'place': 1, 'n': 3}),
        Event('passed', 2, {}),
        Event('passed', 3, {}),
        Event('bombed', 0, {'cards': cards(FOURS)}),
        Event('out', 0, {'place': 2, 'n': 2}),
        Event('inherited', 2, {'seat': 0}),
    ]
    assert texts(round_.zones()[-1].cards) == f'3S 5S 2C {FOURS}'


@pytest.mark.parametrize('number', [0, 1])
def test_a_deal_is_the_opening_of_its_zones(number: int) -> None:
    before = ended(2) if number else None
    for seed in map(str, range(60)):
        round_ = GAME.deal(4, OPTIONS, seed, number, before)
        assert round_ == GAME.opening(4, OPTIONS, zones_of(round_), number, before, 0)
        if round_.over:
            continue
        starts_with_3 = {move & 1 for move in round_.legal_moves()}
        assert starts_with_3 == {1} if number == 0 else starts_with_3 >= {0}
        assert number == 0 or round_.turn == 2


def test_without_the_3_of_spades_the_seat_drawn_leads_anything() -> None:
    zones = {'hands': [cards('4S'), cards('5S'), cards('6S'), cards('7S')], 'played': []}
    round_ = GAME.opening(4, OPTIONS, zones, 0, None, 3)
    assert (round_.turn, legal(round_)) == (3, ['7S'])


def test_the_opening_is_told() -> None:
    round_ = opening({2: '3S'})
    assert round_.dealt() == [Event('opens', 2, {'card': NUMBER['3S']})]


def test_facts_tell_the_table() -> None:
    round_ = at('5S KS', '4C 4D', '9C 3C', 'TD TC', on='4S', owner=3)
    play(round_, '5S', 'pass')
    assert round_.facts() == {
        'turn': 2, 'start': 0, 'dealer': None, 'opening': False,
        'to_beat': cards('5S'), 'owner': 0, 'passed': [1], 'out': [], 'instant': None,
    }  # fmt: skip


def test_hands_are_hidden_and_a_hand_that_won_at_once_is_shown() -> None:
    round_ = opening({1: '2S 2C 2D 2H'})
    assert set(round_.observation(0).cards('hands', 1)) > set(cards('2S 2C 2D 2H'))
    assert set(round_.observation(None).cards('hands', 0)) == {-1}
    running = opening({1: '3S 2C 2D 2H'})
    assert [set(running.observation(seat).cards('hands', 1)) == {-1} for seat in (None, 0, 1, 2)] == [True, True, False, True]


def test_who_opens_is_known_to_hold_the_3_of_spades() -> None:
    round_ = opening({2: '3S'})
    for seed in range(30):
        for viewer in (None, 0, 1, 3):
            guess = GAME.determinise(round_.observation(viewer), Random(seed))
            assert NUMBER['3S'] in guess.zones()[2].cards
            assert guess.legal_moves()
            assert sorted(chain(*(zone.cards for zone in guess.zones()))) == list(range(52))
            assert guess.observation(viewer) == round_.observation(viewer)


def test_time_up() -> None:
    assert texts(cards_of(at('5S 4C 9D').default_move())) == '4C'
    assert at('5S 4C 9D', on='3S').default_move() == PASS
    first = opening({2: '3S'})
    assert texts(cards_of(first.default_move())) == '3S'


def test_a_pass_has_no_kind() -> None:
    with pytest.raises(ValueError, match='no combination'):
        kind_of(PASS)


# --- whole matches ----------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**9), st.integers(3, 9))
def test_random_matches(seed: int, target: int) -> None:
    rng = Random(seed)
    match = Match(GAME, 4, {'target': target}, str(seed))
    while True:
        round_ = match.round
        locked: set[int] = set()
        while not round_.over:
            seat, on_table = round_.turn, round_.last
            assert round_.hands[seat]
            assert seat not in locked
            moves = round_.legal_moves()
            assert round_.default_move() in moves
            made = rng.choice(moves)
            assert round_.parse_move(round_.format_move(made)) == made
            again = GAME.position(4, match.options, zones_of(round_), round_.facts())
            assert again == round_
            assert again.legal_moves() == moves
            match.play(seat, made)
            if not round_.last:
                locked = set()
            elif not made:
                locked.add(seat)
            assert not on_table or made == PASS or beats(made, on_table)
            assert sorted(chain(*(zone.cards for zone in round_.zones()))) == list(range(52))
        assert GAME.position(4, match.options, zones_of(round_), round_.facts()) == round_
        assert sorted(round_.points) in ([0, 1, 2, 3], [0, 0, 0, 3])
        if match.over:
            break
        match.next_round()
    assert max(match.totals) >= target
    assert match.winners == [match.totals.index(max(match.totals))]


def zones_of(round_: ThirteenRound) -> dict[str, Any]:
    *hands, played = round_.zones()
    return {'hands': [list(zone.cards) for zone in hands], 'played': list(played.cards)}


def test_the_simple_player_beats_random_ones() -> None:
    rng = Random(1)
    points = [0, 0]
    for number in range(12):
        match = Match(GAME, 4, {}, f'greedy {number}')
        while not match.over:
            if match.round.over:
                match.next_round()
                continue
            round_ = match.round
            simple = round_.turn % 2 == number % 2
            made = GAME.greedy(round_.observation(round_.turn)) if simple else rng.choice(round_.legal_moves())
            match.play(round_.turn, made)
        for seat, total in enumerate(match.totals):
            points[seat % 2 == number % 2] += total
    assert points[True] > 2 * points[False]


@pytest.mark.parametrize(
    ('hand', 'on', 'choice'),
    [
        ('3S 4C 5D 9H 9S', '', '3S 4C 5D'),
        ('3S 3C 9S TS JS 2H', '', '3S 3C'),
        ('2H 9S 9C KD', '8H', 'KD'),
        ('2H 9S 9C', '8H', '9S'),
        ('2H 3S 4S 5S 6S 7S', 'KH', 'pass'),
        (f'{FOURS} 5S 6S 7S 8S', '2S', 'pass'),
        (FOURS, '2S', FOURS),
        (f'{FOURS} 7H', '', '7H'),
        ('2S 2C', '', '2S 2C'),
    ],
)
def test_plain_sense(hand: str, on: str, choice: str) -> None:
    others = ['QS QC QD QH JC JD', 'TC TD TH 8S 8C 8D', 'KS KC AS AC AD AH']
    round_ = at(hand, *others, on=on)
    assert round_.format_move(GAME.greedy(round_.observation(0))) == choice


def test_no_single_for_a_player_with_one_card() -> None:
    round_ = at('3S 3C 9H', 'KD')
    assert round_.format_move(GAME.greedy(round_.observation(0))) == '3S 3C'
    round_ = at('3S 5C 9H', 'KD')
    assert round_.format_move(GAME.greedy(round_.observation(0))) == '9H'
