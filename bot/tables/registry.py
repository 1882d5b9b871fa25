"""The open tables, and where to find them."""

from __future__ import annotations

import asyncio

from .table import Table


class Registry:
    """Every open table by its id, by its channel and by its server; the three say the same at any time."""

    def __init__(self) -> None:
        self.by_id: dict[int, Table] = {}
        """The oldest first."""
        self.by_channel: dict[int, Table] = {}
        self.by_guild: dict[int, dict[int, Table]] = {}
        """By server, its tables by id, the oldest first."""
        self.locks: dict[int, asyncio.Lock] = {}
        """By the id of an open table, the lock that is held while it changes; made when it is first needed."""

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
