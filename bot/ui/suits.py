"""The cards of the ordinary pack as people read them."""

from __future__ import annotations

from typing import Final

_SIGNS: Final = {'S': '♠\ufe0e', 'C': '♣\ufe0e', 'D': '♦\ufe0e', 'H': '♥\ufe0e'}
"""With the selector that asks for text: as emoji, the black suits can hardly be seen on a dark ground."""


def card_sign(code: str) -> str:
    """A card's code as it is shown: `10♥` for `TH`. It can be typed like that too."""
    return ('10' if code[0] == 'T' else code[0]) + _SIGNS[code[1]]


def padded(text: str, width: int) -> str:
    """The text, padded with blanks to this width in a code block; variation selectors take up no place."""
    return text + ' ' * (width - len(text) + text.count('\ufe0e'))
