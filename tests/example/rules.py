"""Ninety-nine: the rules, position by position."""

from __future__ import annotations

import pytest

from bot.engines import games
from bot.engines.base import IllegalMoveError, Round

GAME = games()['ninetynine']


def at(*hands: str, count: int) -> Round:
    """A position with these hands, seat 0 on turn, and some cards in the stock."""
    zones = {'hands': [[GAME.card(card) for card in hand.split()] for hand in hands], 'stock': [GAME.card('2C'), GAME.card('3C')]}
    return GAME.position(len(hands), GAME.full_options({}), zones, {'turn': 0, 'count': count})


def legal(round_: Round) -> list[str]:
    return [round_.format_move(move) for move in round_.legal_moves()]


@pytest.mark.parametrize(('card', 'count'), [('AS', 51), ('9S', 59), ('TS', 60), ('JS', 60), ('QS', 60), ('KS', 50)])
def test_what_a_card_counts(card: str, count: int) -> None:
    round_ = at(card, '5H', count=50)
    round_.apply(round_.parse_move(card))
    assert round_.facts()['count'] == count


def test_a_card_is_drawn_after_a_play_and_only_its_player_sees_it() -> None:
    round_ = at('AS 4S', '5H', count=0)
    events = round_.play(0, round_.parse_move('as'))
    assert [(event.kind, event.seen_by) for event in events] == [('played', None), ('drew', (0,))]
    assert round_.observation(0).known('hands', 0) == sorted([GAME.card('4S'), GAME.card('2C')])
    assert round_.observation(1).known('hands', 0) == []


def test_the_count_may_reach_99_but_not_go_above() -> None:
    round_ = at('9S TS KS', '5H', count=90)
    assert legal(round_) == ['play 9S', 'play KS']
    with pytest.raises(IllegalMoveError) as refused:
        round_.check(0, round_.parse_move('10♠'))
    assert (refused.value.code, refused.value.params) == ('above-limit', {'card': GAME.card('TS'), 'count': 100})


def test_whoever_cannot_play_folds_and_loses_the_round() -> None:
    round_ = at('5S 6S', '5H', count=99)
    assert legal(round_) == ['fold']
    round_.apply(round_.parse_move('fold'))
    assert (round_.over, round_.points, round_.reason) == (True, [1, 0], 'folded')


def test_nobody_folds_who_can_play() -> None:
    round_ = at('KS', '5H', count=99)
    with pytest.raises(IllegalMoveError) as refused:
        round_.check(0, round_.parse_move('fold'))
    assert refused.value.code == 'can-play'
