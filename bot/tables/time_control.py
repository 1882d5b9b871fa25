"""How much time a table gives its players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Seconds for a decision, seconds that a player may overdraw in a whole match, and when to remind, before the deadline."""

    id: str
    move: float
    time_bank: float
    remind: float


LIVE: Final = TimeControl('live', 90, 180, 30)
RELAXED: Final = TimeControl('relaxed', 24 * 3600, 0, 3 * 3600)
NONE: Final = 'none'
TIME_CONTROLS: Final[dict[str, TimeControl | None]] = {'live': LIVE, 'relaxed': RELAXED, NONE: None}
"""By id; None means that nobody is hurried."""

GRACE: Final = 2.0
"""Seconds after the deadline that a move may still be on its way."""
IDLE: Final = 2
"""After so many deadlines in a row a seat is played by the simple computer player until its owner is back."""
HOST_IDLE: Final = 300.0
"""After so many seconds in which nothing happens in a lobby its people may vote their host out."""
