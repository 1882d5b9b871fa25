"""What the host tells, passed on to the messages that show it and to the people it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from ..clock import Clock
from ..storage import StorageError, Store
from ..tables.seats import Seat
from ..tables.table import Table
from .notices import Notices


class Watcher(Protocol):
    """Hears of changed tables: boards, hands, presence, tidying."""

    def changed(self, table: Table) -> None: ...


class MessageWatcher(Watcher, Protocol):
    """Knows, too, whether the end of a table is shown."""

    def shows_end(self, table: Table) -> bool: ...


class HandWatcher(MessageWatcher, Protocol):
    """Hears of seats that have changed hands, too."""

    def replaced(self, table: Table, former: Seat) -> None: ...


class TableUpdates:
    """Hears of everything at the tables (`bot.tables.events.TableEvents`). The host needs it from the beginning and the messages need the
    host, so they are connected when all are built."""

    def __init__(self, clock: Clock, notices: Notices, store: Store) -> None:
        self._clock = clock
        self._notices = notices
        self._store = store
        self._given_up: set[int] = set()
        """Ended tables of which a message could not be brought up to date; a restart tries again."""

    def connect(self, boards: MessageWatcher, hands: HandWatcher, private_hands: Watcher, presence: Watcher, tidying: Watcher) -> None:
        self._boards, self._hands, self._private_hands, self._presence, self._tidying = boards, hands, private_hands, presence, tidying

    def show(self, table: Table) -> None:
        """Brings the board and all hands of this table up to date."""
        self._boards.changed(table)
        self._hands.changed(table)
        self._private_hands.changed(table)

    def end_shown(self, table: Table, *, given_up: bool) -> None:
        """A message of an ended table shows its end, or cannot be brought up to date; when all do, that is stored."""
        if given_up:
            self._given_up.add(table.id)
        elif table.id not in self._given_up and self._boards.shows_end(table) and self._hands.shows_end(table):
            self._clock.spawn(self._store_shown(table.id))

    async def _store_shown(self, table_id: int) -> None:
        with suppress(StorageError):  # at the worst it is shown once more after a restart
            await self._store.shown(table_id)

    def changed(self, table: Table) -> None:
        self.show(table)
        self._presence.changed(table)
        self._tidying.changed(table)

    def replaced(self, table: Table, former: Seat) -> None:
        self._hands.replaced(table, former)

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        self._clock.spawn(self._notices.ping(table, code, user_ids))

    def remind(self, table: Table, seat_no: int) -> None:
        if table.deadline is not None:
            self._clock.spawn(self._notices.remind(table, seat_no, table.deadline))
