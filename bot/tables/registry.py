"""The open tables, and where to find them."""

from __future__ import annotations

import asyncio

from .table import Table, TableError


class Registry:
    """Every open table: by its id, by its channel, by its server and by the people who sit there."""

    def __init__(self) -> None:
        self._tables: dict[int, Table] = {}
        self._by_channel: dict[int, Table] = {}
        self._by_guild: dict[int, dict[int, Table]] = {}
        self._locks: dict[int, asyncio.Lock] = {}

    @property
    def tables(self) -> list[Table]:
        """Every open table, oldest first."""
        return list(self._tables.values())

    def get(self, table_id: int) -> Table | None:
        """The open table with this id, or None."""
        return self._tables.get(table_id)

    def table(self, table_id: int) -> Table:
        """The open table with this id. Raises TableError `table-over`."""
        table = self._tables.get(table_id)
        if table is None:
            raise TableError('table-over')
        return table

    def in_channel(self, channel_id: int) -> Table | None:
        """The open table in this channel or thread."""
        return self._by_channel.get(channel_id)

    def tables_of(self, user_id: int) -> list[Table]:
        """The open tables where this user sits, in all servers, oldest first."""
        return [table for table in self._tables.values() if table.seat_of(user_id) is not None]

    def tables_in(self, guild_id: int) -> list[Table]:
        """The open tables in this server, oldest first."""
        return list(self._by_guild.get(guild_id, {}).values())

    def lock(self, table_id: int) -> asyncio.Lock:
        """The lock that is held while this open table changes."""
        return self._locks.setdefault(table_id, asyncio.Lock())

    def add(self, table: Table) -> None:
        """Adds an open table."""
        self._tables[table.id] = table
        self._by_guild.setdefault(table.guild_id, {})[table.id] = table
        self._by_channel[table.channel_id] = table

    def remove(self, table: Table) -> None:
        """Removes a table that is over."""
        del self._tables[table.id]
        del self._by_guild[table.guild_id][table.id]
        self._locks.pop(table.id, None)
        if self._by_channel.get(table.channel_id) is table:
            del self._by_channel[table.channel_id]

    def move(self, table: Table, channel_id: int) -> None:
        """The table goes on in another channel."""
        self._by_channel.pop(table.channel_id, None)
        table.channel_id = channel_id
        self._by_channel[channel_id] = table
