"""Taking a move back: what is kept for that, and whether the move has shown too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..engines.base import Round, Zone
from ..engines.match import Match


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A move that may be taken back, and the match before it."""

    round_no: int
    ply: int
    seat_no: int
    user_id: int
    """Who made the move."""
    match: Match
    turn_no: int
    """As in `Table`, like `reminded`."""
    used: float
    """Seconds that the decision took."""
    time_bank: float
    """Seconds that were left of their time bank before it."""
    reminded: bool


def only_own_cards_shown(before: Round[Any], after: Round[Any], mover: int) -> bool:
    """Whether a move of the seat `mover` showed nobody a card that they had not seen, except cards that the mover could see."""
    zones, new_zones = before.zones(), after.zones()
    known = _visible(zones, mover)
    for viewer in (None, *range(before.seats)):
        new = _visible(new_zones, viewer) - _visible(zones, viewer)
        if (viewer == mover and new) or new - known:
            return False
    return True


def _visible(zones: Sequence[Zone], viewer: int | None) -> Counter[int]:
    """The cards that a seat, or a spectator, can see."""
    return Counter(card for zone in zones if zone.seen_by is None or viewer in zone.seen_by for card in zone.cards if card is not None)
