"""The cards of the villain-capture game, and what the two sides of an attempt count.

A card is an index of CARDS: villains first, then weapons and plots, then the hero's cards, each part in the order of the ids.
So a sorted hand is grouped by side, and sorting a side by number sorts it by id too, with its villain first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Final, NamedTuple

ATTACHED_TYPES: Final = 'WO'
"""Weapons and plots, which strengthen a villain."""
HELPER_TYPES: Final = 'PAE'
"""Powers, allies and equipment, which help a hero at any time; Superman cards only come with the declaration."""
HERO_TYPES: Final = 'S' + HELPER_TYPES
VILLAIN_TYPES: Final = 'V' + ATTACHED_TYPES


class Card(NamedTuple):
    """What is printed on a card."""

    id: str
    name: str
    type: str
    """S Superman, P power, A ally, E equipment; V villain, W weapon, O plot."""
    points: int
    copies: int
    bonus: int
    """Points added to the villain's side, once, when one of `partners` is on it too."""
    partners: tuple[int, ...]
    special: str | None
    """`x-ray`, or None."""
    note: str


def _printed() -> tuple[Card, ...]:
    rows = json.loads(files(__package__).joinpath('cards.json').read_text('utf-8'))['cards']
    rows.sort(key=lambda row: (row['type'] != 'V', row['type'] in HERO_TYPES, row['id']))
    numbers = {row['id']: number for number, row in enumerate(rows)}
    return tuple(
        Card(
            row['id'], row['name'], row['type'], row['points'], row['copies'],
            row['bonus']['points'] if row['bonus'] else 0, tuple(numbers[name] for name in row['bonus']['with']) if row['bonus'] else (),
            row['special'], row['note'],
        )
        for row in rows
    )  # fmt: skip


CARDS: Final = _printed()
NUMBERS: Final = {card.id: number for number, card in enumerate(CARDS)}
"""The cards by id."""
PACK: Final = tuple(number for number, card in enumerate(CARDS) for _ in range(card.copies))
IDS: Final = tuple(card.id for card in CARDS)
TYPES: Final = tuple(card.type for card in CARDS)
POINTS: Final = tuple(card.points for card in CARDS)
_BONUS: Final = tuple(card.bonus for card in CARDS)
_BITS: Final = tuple(1 << number for number in range(len(CARDS)))
_PARTNERS: Final = tuple(sum(_BITS[partner] for partner in card.partners) for card in CARDS)
"""Each card's partners, as bits."""
FIRST_ATTACHED: Final = TYPES.count('V')
"""The first weapon or plot; all cards below are villains."""
FIRST_HERO: Final = min(TYPES.index(kind) for kind in HERO_TYPES)
"""The first of the hero's cards, which are the rest."""
XRAY: Final = next(number for number, card in enumerate(CARDS) if card.special == 'x-ray')


class Bonus(NamedTuple):
    """One bonus that counts in an attempt."""

    card: int
    """The card that carries it."""
    points: int
    partner: int
    """The card it counts with (of several, the first)."""


def villain_total(cards: Iterable[int]) -> tuple[int, list[Bonus]]:
    """The points of a villain's side, bonuses included, and these bonuses one by one."""
    side = list(cards)
    bonuses = [
        Bonus(card, CARDS[card].bonus, min(partner for partner in CARDS[card].partners if partner in side))
        for card in side
        if not set(CARDS[card].partners).isdisjoint(side)
    ]
    return sum(POINTS[card] for card in side) + sum(bonus.points for bonus in bonuses), bonuses


def villain_points(side: Sequence[int]) -> int:
    """The points of `villain_total`, without the list of bonuses and so much faster."""
    total = there = wanted = 0
    for card in side:
        total += POINTS[card]
        there |= _BITS[card]
        wanted |= _PARTNERS[card]
    if wanted & there:
        for card in side:
            if _PARTNERS[card] & there:
                total += _BONUS[card]
    return total


def printed_points(cards: Iterable[int]) -> int:
    """The printed points: what a hero's side counts, and what the cards of a prison are worth."""
    return sum(map(POINTS.__getitem__, cards))


def missing(villain: Iterable[int], hero: Iterable[int]) -> int:
    """How many points the hero's side still needs to exceed the villain's; 0 when it does."""
    return max(0, villain_total(villain)[0] + 1 - printed_points(hero))


def strongest_hero(cards: Iterable[int]) -> int:
    """The points of the strongest hero's side that can be put together from these cards: it has one Superman at most."""
    superman = helpers = 0
    for card in cards:
        if card >= FIRST_HERO:
            points = POINTS[card]
            if TYPES[card] != 'S':
                helpers += points
            elif points > superman:
                superman = points
    return superman + helpers
