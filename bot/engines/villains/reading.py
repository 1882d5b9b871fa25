"""Reads moves of the villain-capture game as people type them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import Final

from ..base import UnreadableMoveError
from .cards import CARDS, NUMBERS
from .moves import CAPTURE, DISCARD, DRAW, DRAW_DECK, DRAWS, OPPONENTS, PASS, SECOND, SKIP, VillainsMove, capture_move

_LONGEST: Final = 4000
"""Characters; a longer text is no move."""
_VERBS: Final = {'draw': 'draw', 'take': 'draw', 'discard': 'discard', 'capture': 'capture', 'add': 'add'}
_BARE: Final = {DRAW: 'draw', DISCARD: 'discard', CAPTURE: 'capture', OPPONENTS: 'add', SECOND: 'add'}
"""By phase: the move that cards without a verb stand for."""
_VERB: Final = re.compile(rf'({"|".join(_VERBS)})\b[ :,]*(.*)')
_DECK: Final = re.compile(r'draw|(?:(?:draw|take) )?(?:from )?(?:the )?deck')
_PILE: Final = re.compile(r'^(?:from )?(?:the )?discards?(?: pile)?\b[ :,]*| from (?:the )?discards?(?: pile)?$')
_LOOK: Final = re.compile(r'(?:^|[ ,;])x-?ray ([0-9]{1,3})$')
_ODD: Final = re.compile(r"[^\w\s,;+&.:'’‑–—-]")
_TOKEN: Final = re.compile(r'[^\W_]+|[,;+]')
_MARKS: Final = frozenset(',;+')
_FILLERS: Final = frozenset({'and', 'plus', 'using', 'with'})
_SMALL: Final = frozenset({'a', 'and', 'in', 'of', 'over', 'than', 'the'})
_CANDIDATES: Final = 12
"""At most this many cards are named when a text fits several."""


def parse_move(text: str, phase: str) -> VillainsMove:
    """The move that a text names, as `Round.parse_move` demands.

    A card is known by its id, its name, or the beginning of either or of a word in it, if only one card fits. A capture without `|`
    puts each card on the side of its type. Cards without a verb are the move that the phase asks for.
    """
    if len(text) > _LONGEST or not _TOKEN.search(text):
        raise UnreadableMoveError('unreadable')
    plain = ' '.join(unicodedata.normalize('NFKC', text).casefold().split())
    if plain in ('skip', 'pass'):
        return SKIP if plain == 'skip' else PASS
    if _DECK.fullmatch(plain):
        return DRAW_DECK
    found = _VERB.fullmatch(plain)
    verb, rest = (_VERBS[found[1]], found[2]) if found else (_BARE[phase], plain)
    unknown = 'unknown-card' if found else 'unreadable'
    if verb == 'draw':
        cards = _read(_PILE.sub('', rest), unknown)
        if len(cards) != 1:
            raise UnreadableMoveError('draw-one')
        return DRAWS[cards[0]]
    if verb == 'discard':
        return VillainsMove('discard', tuple(sorted(_read(rest, unknown))))
    xray = None
    look = _LOOK.search(rest)
    if look:
        rest, xray = rest[: look.start()], int(look[1])
    sides = rest.split('|')
    if len(sides) > (2 if verb == 'capture' else 1):
        raise UnreadableMoveError('unreadable')
    read = [tuple(sorted(_read(side, unknown))) for side in sides]
    if not any(read):
        raise UnreadableMoveError('nothing-named')
    if verb == 'add':
        return VillainsMove('add', read[0], xray=xray)
    if len(read) == 1:
        return capture_move(read[0], xray)
    return VillainsMove('capture', villain=read[0], hero=read[1], xray=xray)


def _words(text: str) -> list[str]:
    """The words of a text in lower case, and the marks between its parts."""
    return _TOKEN.findall(text.replace('&', ' and ').replace("'", '').replace('’', ''))


def _keys(first: bool) -> list[tuple[str, int]]:
    """The names of the cards without spaces: whole, or else from each later word on that can stand for the card, with the cards."""
    keys = []
    for number, card in enumerate(CARDS):
        words = [word for word in _words(card.name.casefold()) if word not in _MARKS]
        starts = [0] if first else [at for at in range(1, len(words)) if words[at] not in _SMALL]
        keys += [(''.join(words[at:]), number) for at in starts]
    return sorted(keys)


_NAMES: Final = _keys(first=True)
_PARTS: Final = _keys(first=False)
_EXACT: Final = dict(_NAMES)
_MOST_WORDS: Final = max(len(_words(card.name)) for card in CARDS)


def _starting(keys: list[tuple[str, int]], begin: str) -> list[int]:
    """The cards with a key that begins like this, in card order."""
    at = bisect_left(keys, (begin, 0))
    cards = set()
    while at < len(keys) and keys[at][0].startswith(begin):
        cards.add(keys[at][1])
        at += 1
    return sorted(cards)


def _read(text: str, unknown: str) -> list[int]:
    """The cards that a text names. Raises UnreadableMoveError: `unknown`, or `ambiguous` when a name fits several."""
    ids = text.split()
    if all(word in NUMBERS for word in ids):
        return [NUMBERS[word] for word in ids]
    if _ODD.search(text):
        raise UnreadableMoveError(unknown)
    cards: list[int] = []
    words = _words(text)
    at = 0
    while at < len(words):
        card, used = _read_one(words[at : at + _MOST_WORDS])
        if card is not None:
            cards.append(card)
        elif words[at] not in _FILLERS | _MARKS:
            raise UnreadableMoveError(unknown)
        at += used
    return cards


def _read_one(words: list[str]) -> tuple[int | None, int]:
    """The card that the first of these words name, and how many words that takes, as many as possible; (None, 1) when there is none.

    Raises UnreadableMoveError (`ambiguous`) when they fit several cards.
    """
    for used in range(len(words), 0, -1):
        name = ''.join(word for word in words[:used] if word not in _MARKS)
        if words[used - 1] in _MARKS:
            continue
        if name in _EXACT:
            return _EXACT[name], used
        # A comma can stand inside a whole name ("Truth, Justice, & the American Way"), but it ends a shortened one.
        if _MARKS.isdisjoint(words[:used]):
            fits = _starting(_NAMES, name) or _starting(_PARTS, name)
            if len(fits) == 1:
                return fits[0], used
            if fits:
                raise UnreadableMoveError('ambiguous', cards=fits[:_CANDIDATES])
    return None, 1
