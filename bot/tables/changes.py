"""The changes of a table: each is stored first, and only then made. The caller holds the table's lock (`Recovery.locked`).

Unless they say otherwise, all of them raise StorageError when the database fails; then the table has not changed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Final

from .. import storage
from ..clock import Clock
from ..engines.base import Match
from ..storage import Finish, StorageError, Store
from . import results, rows
from .events import TableEvents
from .registry import Registry
from .seats import Seats, next_host, with_seat
from .table import Draft, Table, TableError, TakeBack
from .time_control import IDLE
from .timers import Timers

log: Final = logging.getLogger(__name__)


class Changes:
    """Stores what changes at a table, and then changes it."""

    def __init__(self, store: Store, clock: Clock, events: TableEvents, registry: Registry, timers: Timers) -> None:
        self._store = store
        self._clock = clock
        self._events = events
        self._registry = registry
        self._timers = timers
        self._rating = asyncio.Lock()
        """Held from reading ratings to storing the new ones, as two matches of the same people may end at once."""

    # --- people ------------------------------------------------------------------------------------------------------

    async def reseat(self, table: Table, seats: Seats) -> None:
        """Gives the table these seats, and another host when its host is no longer there."""
        host_id = next_host(seats, table.host_id)
        seated = self._store.set_seats(table.id, rows.seat_rows(seats), at=self._clock.now())
        if host_id == table.host_id:
            await seated
        else:
            # writes that are asked for together are stored together
            await asyncio.gather(seated, self._store.update_table(table.id, host_id=host_id))
            table.votes = frozenset()
        table.seats, table.host_id = seats, host_id
        table.votes &= {person.id for person in table.people}

    async def hand_over(self, table: Table, user_id: int) -> None:
        """Makes this person the host."""
        await self._store.update_table(table.id, host_id=user_id)
        table.host_id, table.votes = user_id, frozenset()

    async def watch(self, table: Table, user_id: int, watching: bool) -> None:
        """Puts a person among the watchers, or takes them out."""
        await self._store.set_watching(table.id, user_id, watching)
        others = tuple(watcher for watcher in table.watchers if watcher != user_id)
        table.watchers = (*others, user_id) if watching else others

    async def set_idle(self, table: Table, seat_no: int, idle: int) -> None:
        """Notes how many deadlines in a row a person has missed; `IDLE` of them hand the seat to the computer player.

        Never raises StorageError: this follows a move that is stored already. What cannot be stored now is stored with the next change of
        the seats.
        """
        table.seats = with_seat(table.seats, seat_no, idle=idle, away=idle >= IDLE)
        try:
            await self._store.set_seats(table.id, rows.seat_rows(table.seats), at=self._clock.now())
        except StorageError as error:
            log.debug('table %d in server %d: missed deadlines are not stored yet: %s', table.id, table.guild_id, error)

    # --- the match ---------------------------------------------------------------------------------------------------

    async def start(self, table: Table) -> None:
        """Deals the first round. Raises AlreadyStarted when the database has the match already."""
        seed, now = secrets.token_hex(32), self._clock.now()
        dealt = table.deal(seed)
        seat_rows, end_rows = rows.seat_rows(table.seats), [rows.end_row(end, now) for end in dealt.ends]
        if dealt.match.over:
            async with self._rating:
                finish = await self._finish(table, dealt.match, now)
                await self._store.start_match(table.id, seed, seat_rows, at=now, round_ends=end_rows, finish=finish)
        else:
            await self._store.start_match(table.id, seed, seat_rows, at=now, round_ends=end_rows)
        table.begin(dealt)
        table.fresh_time(now)
        if dealt.match.over:
            self.retire(table, 'finished', 'finished')

    async def move(self, table: Table, draft: Draft, by: storage.By, interaction_id: int | None = None) -> None:
        """Makes a move, and ends the match when that was its last.

        Raises TableError `duplicate` for an interaction that has made a move already, and DuplicatePly when the database has another move
        in its place.
        """
        now = self._clock.now()
        row = storage.MoveRow(table.id, draft.round_no, draft.ply, draft.seat_no, draft.text, interaction_id, by, now)
        end_rows = [rows.end_row(end, now) for end in draft.ends]
        try:
            if draft.match.over:
                async with self._rating:
                    await self._store.add_move(row, end_rows, await self._finish(table, draft.match, now, by))
            else:
                await self._store.add_move(row, end_rows)
        except storage.DuplicateInteraction:
            raise TableError('duplicate') from None
        table.charge_time_bank(draft.seat_no, now)
        table.commit(draft, by_player=by == 'player')
        table.computer_played |= by == 'computer'
        table.turn_begins(now)
        if draft.match.over:
            self.retire(table, 'finished', 'finished')

    async def take_back(self, table: Table, last: TakeBack) -> None:
        """Takes the last move back."""
        await self._store.remove_move(table.id, last.round_no, last.ply)
        table.take_back(last)
        table.turn_begins(self._clock.now())

    async def _finish(self, table: Table, match: Match, now: float, by: storage.By | None = None) -> Finish:
        """The end of a match, with the last move made `by`."""
        rates = results.rates(table) and by != 'computer'
        return results.finished(table, match, now, await self._store.ratings(*results.rating_keys(table)) if rates else None)

    # --- the end -----------------------------------------------------------------------------------------------------

    async def stop(self, table: Table, reason: str) -> None:
        """Closes the table, or abandons its match, for the reason `outcome.<reason>`."""
        if table.state == 'playing':
            await self.abandon(table, reason)
        else:
            await self.close(table, reason)

    async def abandon(self, table: Table, reason: str) -> None:
        """Ends a match before its end. It is kept in the records, but rates and ranks nobody."""
        assert table.match is not None
        await self._store.finish(results.abandoned(table, table.match, reason, self._clock.now()))
        self.retire(table, 'abandoned', reason)
        self._events.changed(table)

    async def close(self, table: Table, reason: str) -> None:
        """Closes a table in the lobby."""
        await self._store.update_table(table.id, at=self._clock.now(), state='closed', reason=reason)
        self.retire(table, 'closed', reason)
        self._events.changed(table)

    def retire(self, table: Table, state: str, reason: str) -> None:
        """The table is over; what is stored says so already."""
        table.state, table.outcome, table.last_move, table.waiting_for = state, reason, None, ''
        self._timers.forget(table.id)
        self._registry.remove(table)
