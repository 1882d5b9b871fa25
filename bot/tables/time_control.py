"""How much time a table gives its players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The time that players have."""

    id: str
    move: float
    """Seconds for a move."""
    time_bank: float
    """Seconds that a player may take beyond that, in the whole match."""
    remind: float
    """How many seconds before the deadline the player is reminded."""


LIVE: Final = TimeControl('live', 90, 180, 30)
RELAXED: Final = TimeControl('relaxed', 24 * 3600, 0, 3 * 3600)
NONE: Final = 'none'
TIME_CONTROLS: Final[dict[str, TimeControl | None]] = {'live': LIVE, 'relaxed': RELAXED, NONE: None}
"""By id; None where nobody is hurried."""

GRACE: Final = 2.0
"""Seconds after the deadline for a move that is still on its way."""
IDLE: Final = 2
"""How many missed deadlines in a row hand a seat to the computer player, until the person is back."""
UNTOUCHED: Final = 30 * 86_400.0
"""Seconds after which a match ends that nobody has touched."""
HOST_IDLE: Final = 300.0
"""Seconds after which people may vote their host out of a lobby where nothing happens."""
