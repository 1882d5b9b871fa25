"""The open tables, and where to find them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from .table import Table, TableError


class Registry:
    """Every open table by its id, by its channel and by its server; the three say the same at any time."""

    def __init__(self, *, per_person: int = 0, per_server: int = 0) -> None:
        """The most open tables that one person may host, and the most in one server; 0 for no limit."""
        self._per_person, self._per_server = per_person, per_server
        self._opening: Counter[tuple[str, int]] = Counter()
        """By `person` or `server` and its id, how many tables are just being opened."""
        self.by_id: dict[int, Table] = {}
        """The oldest first."""
        self.by_channel: dict[int, Table] = {}
        self.by_guild: dict[int, dict[int, Table]] = {}
        """By server, its tables by id, the oldest first."""
        self.locks: dict[int, asyncio.Lock] = {}
        """By the id of an open table, the lock that is held while it changes; made when it is first needed."""

    @contextmanager
    def opening(self, guild_id: int, host_id: int) -> Iterator[None]:
        """While this person opens a table in this server. Raises TableError `too-many-hosted` or `too-many-here` (with `n`, the limit)."""
        person, server = ('person', host_id), ('server', guild_id)
        if self._per_person:
            hosted = sum(table.host_id == host_id for table in self.by_id.values())
            if hosted + self._opening[person] >= self._per_person:
                raise TableError('too-many-hosted', n=self._per_person)
        if self._per_server and len(self.by_guild.get(guild_id, {})) + self._opening[server] >= self._per_server:
            raise TableError('too-many-here', n=self._per_server)
        self._opening.update((person, server))
        try:
            yield
        finally:
            self._opening.subtract((person, server))
            self._opening += Counter()  # forgets what is 0

    def add(self, table: Table) -> None:
        """Adds an open table."""
        self.by_id[table.id] = self.by_channel[table.channel_id] = table
        self.by_guild.setdefault(table.guild_id, {})[table.id] = table

    def remove(self, table: Table) -> None:
        """Removes a table that is over."""
        del self.by_id[table.id], self.by_guild[table.guild_id][table.id]
        self.locks.pop(table.id, None)
        if self.by_channel.get(table.channel_id) is table:
            del self.by_channel[table.channel_id]

    def move(self, table: Table, channel_id: int) -> None:
        """The table goes on in another channel."""
        self.by_channel.pop(table.channel_id, None)
        table.channel_id = channel_id
        self.by_channel[channel_id] = table
