"""What the host tells, passed on to the messages that show it and to the people it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..clock import Clock
from ..tables.seats import Seat
from ..tables.table import Table
from .notices import Notices


class Watcher(Protocol):
    """Hears of changed tables: boards, hands, presence."""

    def changed(self, table: Table) -> None: ...


class HandWatcher(Watcher, Protocol):
    """Hears of seats that have changed hands, too."""

    def replaced(self, table: Table, former: Seat) -> None: ...


class TableUpdates:
    """Hears of everything at the tables (`bot.tables.events.TableEvents`). The host needs it from the beginning and the messages need the
    host, so they are connected when all are built."""

    def __init__(self, clock: Clock, notices: Notices) -> None:
        self._clock = clock
        self._notices = notices

    def connect(self, boards: Watcher, hands: HandWatcher, private_hands: Watcher, presence: Watcher) -> None:
        self._boards, self._hands, self._private_hands, self._presence = boards, hands, private_hands, presence

    def show(self, table: Table) -> None:
        """Brings the board and all hands of this table up to date."""
        self._boards.changed(table)
        self._hands.changed(table)
        self._private_hands.changed(table)

    def changed(self, table: Table) -> None:
        self.show(table)
        self._presence.changed(table)

    def replaced(self, table: Table, former: Seat) -> None:
        self._hands.replaced(table, former)

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        self._clock.spawn(self._notices.ping(table, code, user_ids))

    def remind(self, table: Table, seat_no: int) -> None:
        if table.deadline is not None:
            self._clock.spawn(self._notices.remind(table, seat_no, table.deadline))
