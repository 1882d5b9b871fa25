"""What becomes due at the open tables: reminders and deadlines, moves of the computer player, the end of a lobby that nobody starts, and
the next try after a write that failed.

Each table has one timer at most, set to what is due there next. What it does then is decided at that moment, from the table as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, Final, Literal

from ..clock import Backoff, Clock, Handle
from .events import TableEvents
from .table import Position, Table
from .time_control import GRACE, UNTOUCHED

ASLEEP: Final = 20.0
"""Seconds. When a timer fires later than that, the whole process or machine stood still, and nobody could move meanwhile."""
RETRY_PAUSES: Final = (5.0, 15.0, 60.0)
"""Seconds until a table is tried again after the database has failed: the first time, the second, and then always the last."""

Due = Literal['expired', 'everyone-away', 'untouched', 'computer', 'clock']
"""What there is to do at a table: to close a lobby that nobody started, to end a match where everyone is away or that nobody has touched
for `UNTOUCHED` seconds, or to make a move for a seat that the computer player plays, or for a player whose time is up."""


class Timers:
    """The timers of the open tables, and which of them wait for the database."""

    def __init__(
        self,
        clock: Clock,
        events: TableEvents,
        act: Callable[[int, Position], Coroutine[Any, Any, None]],
        *,
        lobby_expiry: float,
        computer_delay: float,
    ) -> None:
        """`act` is run in the background when there may be something to do at the table with this id, in this position. `lobby_expiry` and
        `computer_delay` as in `Host`, in seconds."""
        self._clock = clock
        self._events = events
        self._act = act
        self._lobby_expiry = lobby_expiry
        self.computer_delay = computer_delay
        self._handles: dict[int, Handle] = {}
        self.failing: dict[int, Backoff] = {}
        """The tables whose last write has failed, so that it is not sure what is stored, by id."""
        self._paused_at: float | None = None

    # --- one timer ---------------------------------------------------------------------------------------------------

    def set(self, table: Table) -> None:
        """Sets the timer of a table to what is due there next."""
        self._cancel(table.id)
        due_at = self._due_at(table)
        if due_at is not None and self._paused_at is None:
            now = self._clock.now()
            # where nothing is due soon, the next person who acts finds out whether the database works again
            if (backoff := self.failing.get(table.id)) is not None and due_at != table.touched + UNTOUCHED:
                due_at = now + backoff.pause
            due_at = max(due_at, now)
            fire = partial(self._fire, table, table.position, due_at)
            self._handles[table.id] = self._clock.call_later(due_at - now, fire)

    def forget(self, table_id: int) -> None:
        """The table is over: nothing is due there any more."""
        self._cancel(table_id)
        self.failing.pop(table_id, None)

    def due(self, table: Table) -> Due | None:
        """What there is to do at this open table now; None when nothing is due."""
        now = self._clock.now()
        if self._paused_at is not None:
            return None
        if table.state == 'lobby':
            return 'expired' if now >= table.since + self._lobby_expiry else None
        if now >= table.touched + UNTOUCHED:
            return 'untouched'
        if table.waiting_for:
            return None
        if all(seat.auto for seat in table.seats):
            return 'everyone-away'
        if table.seats[table.turn].auto:
            return 'computer'
        return 'clock' if table.deadline is not None and now >= table.deadline + GRACE else None

    def _cancel(self, table_id: int) -> None:
        if (handle := self._handles.pop(table_id, None)) is not None:
            handle.cancel()

    def _due_at(self, table: Table) -> float | None:
        """When the timer has to fire, in seconds since the epoch; None when nothing will be due."""
        if table.state == 'lobby':
            return table.since + self._lobby_expiry
        if table.state != 'playing':
            return None
        if not table.waiting_for and table.seats[table.turn].auto:
            return self._clock.now() + self.computer_delay
        if table.deadline is None or table.time_control is None:
            return table.touched + UNTOUCHED
        return table.deadline + GRACE if table.reminded else table.deadline - table.time_control.remind

    def _fire(self, table: Table, position: Position, due_at: float) -> None:
        del self._handles[table.id]
        if table.position != position:
            return
        now = self._clock.now()
        if now - due_at > ASLEEP:
            table.turn_begins(now)
            self.set(table)
            self._events.changed(table)
        elif table.deadline is None or table.time_control is None or table.reminded or table.id in self.failing:
            self._clock.spawn(self._act(table.id, position))
        else:
            if now >= table.deadline - table.time_control.remind:
                table.reminded = True
                self._events.remind(table, table.turn)
            self.set(table)

    # --- time that does not count ------------------------------------------------------------------------------------

    def pause(self) -> None:
        """No time passes at any table from now on. Does nothing while it is paused."""
        if self._paused_at is None:
            self._paused_at = self._clock.now()
            for handle in self._handles.values():
                handle.cancel()
            self._handles.clear()

    def resume(self, tables: Iterable[Table]) -> None:
        """Time goes on at these tables, all that are open, where it stood still. Does nothing unless it is paused."""
        if self._paused_at is not None:
            gone, self._paused_at = self._clock.now() - self._paused_at, None
            for table in tables:
                table.since += gone
                self.set(table)
                if table.deadline is not None:
                    self._events.changed(table)

    # --- when the database fails -------------------------------------------------------------------------------------

    def failed(self, table: Table) -> None:
        """A write of this table has failed: the timer tries again, after longer and longer pauses. What people try meanwhile neither
        lengthens the pause nor puts the next try off."""
        if table.id not in self.failing:
            self.failing[table.id] = Backoff(RETRY_PAUSES)
        elif table.id in self._handles:
            return
        self.failing[table.id].failed()
        self.set(table)
