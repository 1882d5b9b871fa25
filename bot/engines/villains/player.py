"""A simple player of the villain-capture game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..base import Observation
from .cards import HELPER_TYPES, POINTS, TYPES, printed_points, villain_points
from .moves import CAPTURE, DISCARD, DRAW, MOST_PLOTS, MOST_WEAPONS, PASS, SECOND, SKIP, VillainsMove, capture_moves

_RISK: Final = 5
"""Points: what the player expects the opponents to add for each weapon or plot that still fits."""
_HELP: Final = 3
"""Points: what the player expects the active seat to add in its second window for each card in its hand."""


def choose(observation: Observation[VillainsMove]) -> VillainsMove:
    """The move of `Game.greedy`: declares the capture worth most that has a good chance to succeed, with as few hero points as it takes,
    and helps a villain only if that is likely to set it free."""
    moves = observation.legal
    hand = observation.known('hands', observation.viewer)
    phase = observation.facts['phase']
    if phase == DRAW:
        # max takes the first of equal moves: from the deck, unless a discarded card makes a better capture possible at once.
        return max(moves, key=lambda move: _plan(sorted([*hand, *move.cards]))[0])
    if phase == DISCARD:
        return max(moves, key=lambda move: (_plan(_without(hand, move.cards))[0], -printed_points(move.cards)))
    if phase == CAPTURE:
        return _plan(hand)[1]
    villain = observation.known('villain')
    hero = printed_points(observation.known('hero'))
    adds = moves[1:]
    if phase == SECOND:
        needed = villain_points(villain) + 1 - hero
        adds = tuple(move for move in adds if 0 < needed <= printed_points(move.cards))
    else:
        feared = hero + _HELP * len(observation.cards('hands', observation.facts['active']))
        adds = tuple(move for move in adds if villain_points(villain) < hero and villain_points([*villain, *move.cards]) >= feared)
    return min(adds, key=lambda move: printed_points(move.cards), default=PASS)


def _plan(hand: Sequence[int]) -> tuple[int, VillainsMove]:
    """The best capture of a sorted hand and the printed points that it would bring; 0 and SKIP when none is safe enough."""
    best, points, spent = SKIP, 0, 0
    reserve = sum(POINTS[card] for card in hand if TYPES[card] in HELPER_TYPES)
    for move in capture_moves(hand):
        side, heroes = move.villain, move.hero
        brings, costs = printed_points(side), printed_points(heroes)
        if (brings, -costs) > (points, -spent):
            reach = reserve + sum(POINTS[card] for card in heroes if TYPES[card] == 'S')
            room = MOST_WEAPONS + MOST_PLOTS + 1 - len(side)
            if reach > villain_points(side) + _RISK * room:
                best, points, spent = move, brings, costs
    return points, best


def _without(hand: Sequence[int], cards: Iterable[int]) -> list[int]:
    """The hand that is left when these cards are gone."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left
