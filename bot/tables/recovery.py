"""What happens after a write that failed, and after a restart: what counts is what is stored.

A write that has failed may have been stored nevertheless, when only the answer was lost. So before anything else happens at the table, it
is compared with what is stored.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final

from ..clock import Clock
from ..storage import Store, StoredTable
from . import rows
from .changes import Changes
from .events import TableEvents
from .registry import Registry
from .table import Table
from .timers import Timers

log: Final = logging.getLogger(__name__)

ENDS: Final = 500
"""The most ended tables whose end is shown after a restart."""


class Recovery:
    """Brings the open tables to what is stored."""

    def __init__(self, store: Store, clock: Clock, events: TableEvents, registry: Registry, timers: Timers, changes: Changes) -> None:
        self._store = store
        self._clock = clock
        self._events = events
        self._registry = registry
        self._timers = timers
        self._changes = changes

    async def reload(self, table: Table) -> bool:
        """Brings a table to what is stored; whether that is another position. Raises StorageError."""
        stored = await self._store.table(table.id)
        assert stored is not None
        before = table.state, table.position[0], table.ply
        if stored.row.state not in ('lobby', 'playing'):
            self._changes.retire(table, stored.row.state, stored.row.reason or stored.row.state)
        else:
            rebuilt = rows.rebuild(stored)
            if before == (rebuilt.state, rebuilt.position[0], rebuilt.ply):
                return False
            table.adopt(rebuilt)
            if before[0] == 'lobby':
                table.fresh_time(self._clock.now())
                if table.watchers:
                    self._events.announce(table, 'started', table.watchers)
            table.turn_begins(self._clock.now())
        log.info(
            'table %d in server %d: a write that seemed to have failed was stored; the table goes on from there', table.id, table.guild_id
        )
        self._events.changed(table)
        self._timers.set(table)
        return True

    async def find(self, table_id: int) -> None:
        """Takes in a table that is stored and not known here, as its opening seemed to have failed. Raises StorageError."""
        if table_id in self._registry.by_id:
            return
        stored = await self._store.table(table_id)
        if stored is not None and stored.row.state in ('lobby', 'playing') and table_id not in self._registry.by_id:
            table = rows.rebuild(stored)
            log.info('table %d in server %d was stored although opening it seemed to have failed', table.id, table.guild_id)
            self._registry.add(table)
            table.fresh_time(self._clock.now())
            self._events.changed(table)
            self._timers.set(table)

    async def restore(self) -> list[Table]:
        """As `Host.restore`."""
        restored = []
        async for stored in self._store.open_tables():
            try:
                table = rows.rebuild(stored)
            except Exception as error:  # whatever is stored of one table, the others come back
                damaged = await self._close_damaged(stored, error)
                if damaged is not None:
                    restored.append(damaged)
            else:
                self._registry.add(table)
                restored.append(table)
        if restored:
            self._timers.pause()
        for table in restored:
            now = self._clock.now()
            table.fresh_time(now)
            table.waited = max(0.0, now - table.touched)
            self._events.changed(table)
            self._timers.set(table)
        return restored

    async def unshown(self) -> list[Table]:
        """The ended tables that people may still see as running, as they ended. Raises StorageError."""
        found = []
        for stored in await self._store.unshown_tables(ENDS):
            try:
                found.append(rows.rebuild(stored))
            except Exception as error:
                log.info('table %d has ended and cannot be replayed, so its end is not shown: %s', stored.row.id, type(error).__name__)
                await self._store.shown(stored.row.id)
        return found

    async def _close_damaged(self, stored: StoredTable, error: Exception) -> Table | None:
        """Closes a table that cannot be replayed; the table without its match, or None where not even that can be read."""
        row = stored.row
        why = '; '.join([f'{type(error).__name__}: {error}', *getattr(error, '__notes__', [])])
        log.error('table %d cannot be replayed and is closed as damaged (server %d, %s): %s', row.id, row.guild_id, row.game, why)
        await self._store.update_table(row.id, at=self._clock.now(), state='closed', reason='damaged')
        table = None
        with suppress(Exception):
            table = rows.without_match(stored)
        if table is not None:
            table.state, table.outcome = 'closed', 'damaged'
        return table
