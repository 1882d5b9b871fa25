"""Shuffling and dealing, and the cards of the ordinary 52-card pack.

The shuffle is the only source of chance in a match, and anyone can repeat it in any language. SHAKE-256 of `<seed>/<label>`
(UTF-8) gives eight bytes for each card. In every byte the bit 0x40 is cleared; then each eight bytes are a double-precision number
(IEEE 754, sign and exponent first) that is neither infinite nor "not a number". The cards are sorted by these numbers, the
lowest first. All orders are equally likely but for equal numbers, which even 300 cards get less than once in 2**40 shuffles.
(Why doubles: Python sorts them quickest, and playouts shuffle often.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import partial
from hashlib import shake_256
from struct import unpack
from typing import Final

_FINITE: Final = bytes(byte & ~0x40 for byte in range(256))


def shuffled(cards: Sequence[int], seed: str, label: str | int) -> list[int]:
    """The cards in the order that the seed gives them for this label (in a match: the number of the round)."""
    count = len(cards)
    digest = shake_256(f'{seed}/{label}'.encode()).digest(8 * count)
    numbers = iter(unpack(f'>{count}d', digest.translate(_FINITE)))
    return sorted(cards, key=partial(next, numbers))  # asked once for each card, in their order


def drawn(count: int, seed: str, label: str) -> int:
    """A number from 0 to `count` - 1 that the seed gives for this label: who deals, or starts, first.

    It is the first 16 bytes of the SHAKE-256 of `<seed>/<label>`, as a number with its highest byte first, modulo `count`.
    """
    return int.from_bytes(shake_256(f'{seed}/{label}'.encode()).digest(16)) % count


def deal_hands(cards: list[int], seats: int, size: int, start: int = 0) -> list[list[int]]:
    """The hands by seat when the first cards of the pack are dealt one at a time, first to seat `start`, until each has `size` cards."""
    return [cards[(seat - start) % seats : seats * size : seats] for seat in range(seats)]


RANKS: Final = 'A23456789TJQK'
SUITS: Final = 'SCDH'
CARDS: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Texts of the 52 cards; the card's int is its place here: suit * 13 + rank, ace 0 to king 12."""
NUMBER: Final = {text: number for number, text in enumerate(CARDS)}

_SUIT_SIGNS: Final = {'♠': 'S', '♣': 'C', '♦': 'D', '♥': 'H', '♤': 'S', '♧': 'C', '♢': 'D', '♡': 'H'}
_CARD: Final = re.compile(r'(10|[A2-9TJQK])\s*([SCDH])|([SCDH])\s*(10|[A2-9TJQK])')


def normal(text: str) -> str:
    """Typed text made plain: compatibility forms folded, suit signs as letters, upper case, no variation selectors."""
    text = unicodedata.normalize('NFKC', text).replace('\N{VARIATION SELECTOR-16}', '').replace('\N{VARIATION SELECTOR-15}', '')
    return ''.join(_SUIT_SIGNS.get(sign, sign) for sign in text).upper()


def read_cards(text: str) -> list[int] | None:
    """Cards in any usual notation (`10h`, `th`, `♥10`, `QS`), separated by commas, spaces or nothing (`3♠,4♠`, `3s 4s`, `3s4s`); None
    when the text holds anything else."""
    cards: list[int] = []
    plain = re.sub(r'[\s,;+&]+', ' ', normal(text)).strip()
    at = 0
    while at < len(plain):
        found = _CARD.match(plain, at)
        if found is None:
            return None
        rank, suit = found[1] or found[4], found[2] or found[3]
        cards.append(NUMBER[('T' if rank == '10' else rank) + suit])
        at = found.end()
        while at < len(plain) and plain[at] == ' ':
            at += 1
    return cards
