"""The ordinary 52 cards as people read them."""

from __future__ import annotations

from typing import Final

SIGNS: Final = {'S': '♠', 'C': '♣', 'D': '♦', 'H': '♥'}


def sign(code: str) -> str:
    """A card as it is shown, from its text in a record: `10♥` for `TH`. The suit has a shape of its own, so colour carries no meaning."""
    return ('10' if code[0] == 'T' else code[0]) + SIGNS[code[1]]
