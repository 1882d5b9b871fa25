"""What the open tables tell those who show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .seats import Seat
from .table import Table


class TableEvents(Protocol):
    """Hears what happens at the tables. Nothing here waits for Discord."""

    def changed(self, table: Table) -> None:
        """The table looks different, or has ended."""

    def replaced(self, table: Table, former: Seat) -> None:
        """Somebody else has taken a seat over; `former` is the seat before that."""

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        """These people are to be told something in the table's channel: the text `announce.<code>`."""

    def remind(self, table: Table, seat_no: int) -> None:
        """The deadline of the player on this seat is near."""
