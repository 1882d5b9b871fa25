"""Moves of the villain-capture game: what they are, how a record writes them, and which ones a hand offers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .cards import CARDS, FIRST_ATTACHED, FIRST_HERO, IDS, POINTS, TYPES, strongest_hero, villain_points

DRAW, DISCARD, CAPTURE, OPPONENTS, SECOND = 'draw', 'discard', 'capture', 'opponents', 'second'
"""The phases of a turn. In `opponents` each opponent has a window, in `second` the active seat a second one."""

MOST_WEAPONS, MOST_PLOTS = 2, 1
"""How many of each can be with one villain."""


class VillainsMove(NamedTuple):
    """One decision. The fields that its kind does not use are empty."""

    kind: str
    """`draw`, `discard`, `capture`, `skip`, `add` or `pass`."""
    cards: tuple[int, ...] = ()
    """Sorted: the card drawn (none: from the deck), the cards discarded, the cards added."""
    villain: tuple[int, ...] = ()
    """The villain's side of a capture, sorted, so the villain comes first."""
    hero: tuple[int, ...] = ()
    """The hero's side of a capture, sorted."""
    xray: int | None = None
    """The seat whose hand X-Ray Vision looks at."""


SKIP: Final = VillainsMove('skip')
PASS: Final = VillainsMove('pass')
DRAW_DECK: Final = VillainsMove('draw')
DRAWS: Final = tuple(VillainsMove('draw', (card,)) for card in range(len(CARDS)))
"""By card: drawing it from the discard pile."""
DISCARDS: Final = tuple(VillainsMove('discard', (card,)) for card in range(len(CARDS)))
"""By card: discarding it alone."""


class _Adds(dict[tuple[int, ...], VillainsMove]):
    """The moves of an opponent's window by the cards added, sorted, at most three; made when first asked for. Adding none is to pass."""

    def __missing__(self, cards: tuple[int, ...]) -> VillainsMove:
        move = self[cards] = VillainsMove('add', cards)
        return move


_ADDS: Final = _Adds({(): PASS})
_new: Final = tuple.__new__
"""Makes a move in half the time that `VillainsMove(...)` takes; a hand can offer hundreds."""


def capture_move(cards: Iterable[int], xray: int | None = None) -> VillainsMove:
    """The move that plays these cards as a capture, each on the side of its type; `xray` is the seat whose hand is looked at."""
    side = sorted(cards)
    at = bisect_left(side, FIRST_HERO)
    return VillainsMove('capture', (), tuple(side[:at]), tuple(side[at:]), xray)


def format_move(move: VillainsMove) -> str:
    """The text of a move in a record."""
    kind, cards, villain, hero, xray = move
    if kind == 'draw':
        return f'draw discard {IDS[cards[0]]}' if cards else 'draw deck'
    words = [kind]
    if kind == 'discard':
        words += sorted(IDS[card] for card in cards)
    elif kind == 'capture':
        words += [*(IDS[card] for card in villain), '|', *(IDS[card] for card in hero)]
    elif kind == 'add':
        words += [IDS[card] for card in cards]
    if xray is not None:
        words += ['xray', str(xray)]
    return ' '.join(words)


# --- what a hand offers ---------------------------------------------------------------------------------------------


_Sets = list[tuple[tuple[int, ...], int]]
"""Sets of cards, each sorted, with their printed points."""


def capture_moves(hand: Sequence[int]) -> list[VillainsMove]:
    """SKIP, and every capture that a sorted hand can declare without a look at another hand."""
    moves = [SKIP]
    strongest = strongest_hero(hand)
    villains = [card for card in hand if card < FIRST_ATTACHED and POINTS[card] < strongest]
    if not villains:
        return moves
    heroes = _hero_sides(hand, superman=True)
    attachments = _attachments(hand, MOST_WEAPONS, MOST_PLOTS)
    for villain in dict.fromkeys(villains):
        room = strongest - POINTS[villain]
        for attached, points in attachments:
            if points < room:
                side = (villain, *attached)
                against = villain_points(side)
                moves += [_new(VillainsMove, ('capture', (), side, cards, None)) for cards, total in heroes if total > against]
    return moves


def opponent_moves(hand: Sequence[int], weapons: int, plots: int) -> list[VillainsMove]:
    """PASS, and every move that adds at most this many weapons and plots of a sorted hand to the villain's side."""
    return [_ADDS[cards] for cards, _ in _attachments(hand, weapons, plots)]


def second_moves(hand: Sequence[int]) -> list[VillainsMove]:
    """PASS, and every move that adds cards of a sorted hand to the hero's side, without a look at another hand."""
    sides = _hero_sides(hand, superman=False)
    return [PASS, *[_new(VillainsMove, ('add', cards, (), (), None)) for cards, _ in sides[1:]]]


def _attachments(hand: Sequence[int], weapons: int, plots: int) -> _Sets:
    """Every set of at most this many weapons and plots of the hand, the empty one first."""
    armed: _Sets = [((), 0)]
    with_plot: _Sets = []
    for card in hand:
        if card >= FIRST_HERO:
            break
        if card >= FIRST_ATTACHED:
            points = POINTS[card]
            if TYPES[card] == 'O':
                if plots:
                    with_plot += [((*cards, card), total + points) for cards, total in armed]
            elif weapons:
                armed += [((*cards, card), total + points) for cards, total in armed if len(cards) < weapons]
                with_plot += [((*cards, card), total + points) for cards, total in with_plot if len(cards) <= weapons]
    return armed + with_plot


def _hero_sides(hand: Sequence[int], superman: bool) -> _Sets:
    """Every set of the hero's cards of the hand, the empty one first; with `superman` also those with one Superman card."""
    plain: _Sets = [((), 0)]
    led: _Sets = []
    last = -1
    for card in hand:
        if card >= FIRST_HERO and card != last:
            points = POINTS[card]
            if TYPES[card] != 'S':
                led += [((*cards, card), total + points) for cards, total in led]
                plain += [((*cards, card), total + points) for cards, total in plain]
            elif superman:
                led += [((*cards, card), total + points) for cards, total in plain]
            last = card
    return plain + led
