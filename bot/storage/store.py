"""The one door to the database. The statements are in `tables`, `leaderboards` and `people`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, Unpack

from . import leaderboards, people, schema, sql, tables
from .database import Database, Work, database
from .values import (
    ClosedLobby,
    Finish,
    MoveRow,
    NewTable,
    Order,
    Profile,
    Rating,
    RoundEndRow,
    SeatRow,
    Standing,
    StoredTable,
    TableChange,
)
from .versions import upgrade
from .writer import Spawn, Writer

_log = logging.getLogger(__name__)

T = TypeVar('T')

_CHUNK: Final = 500
"""How many tables are read at a time."""


class Store:
    """The database. Every write is stored when its call returns; writes that wait at the same time share one transaction.

    Every method raises StorageError when the database fails. Then nothing is stored, with one exception: when the connection to
    PostgreSQL is lost (`unreachable`) just while a write is being committed, nobody can know; a later `DuplicatePlyError` shows that
    it was stored.
    """

    def __init__(self, opened: Database, spawn: Spawn) -> None:
        """For `open`."""
        self._database = opened
        self._writer = Writer(opened, spawn)
        self._closed = False

    @classmethod
    async def open(cls, url: str | Path | None = None, *, spawn: Spawn = asyncio.create_task, backup_dir: Path | None = None) -> Store:
        """Opens the database and brings it up to date; makes it, and its folder, where there is none (see `default_url`).

        An SQLite file is checked first, and backed up beside itself (or in `backup_dir`) before it is upgraded. `spawn` starts
        the writer, which ends by itself as soon as nothing waits. Raises StorageError, `newer` for a database of a newer version.
        """
        opened = database(url)
        try:
            saved = await upgrade(opened, backup_dir)
        except BaseException:
            await opened.close()
            raise
        if saved:
            _log.info('The database has been upgraded. A backup of the old one is in %s.', saved)
        return cls(opened, spawn)

    async def close(self) -> None:
        """Waits for the writes that have begun, and closes the database."""
        self._closed = True
        await self._writer.finish()
        await self._database.close()

    async def _read(self, work: Work[T]) -> T:
        if self._closed:
            raise RuntimeError('the store is closed')
        return await self._database.read(work)

    async def _write(self, about: str, work: Work[T] | None, move: MoveRow | None = None) -> T:
        if self._closed:
            raise RuntimeError('the store is closed')
        return await self._writer.write(about, work, move)

    # --- tables -----------------------------------------------------------------------------------------------------

    async def create_table(self, new: NewTable) -> int:
        """Opens a table in the lobby; returns its id. Raises ChannelTakenError when the channel has an open table."""
        return await self._write(f'new table in channel {new.channel_id}', partial(tables.create, new))

    async def update_table(self, table_id: int, *, at: float | None = None, **columns: Unpack[TableChange]) -> None:
        """Changes columns of a table; `at` becomes its time of change. Raises NoSuchTableError, and ChannelTakenError for a new channel."""
        unknown = columns.keys() - TableChange.__annotations__.keys()
        if unknown:
            raise TypeError(f'a table has no {", ".join(sorted(unknown))} to change')
        changes = dict(columns) if at is None else {**columns, 'changed': at}
        await self._write(f'table {table_id}', partial(tables.update, table_id, changes))

    async def set_seats(self, table_id: int, seats: Sequence[SeatRow], *, at: float | None = None) -> None:
        """Replaces all seats of a table. Raises NoSuchTableError."""
        await self._write(f'table {table_id}', partial(tables.set_seats, table_id, list(seats), at))

    async def set_hand_message(self, table_id: int, seat: int, channel_id: int | None, message_id: int | None) -> None:
        """Remembers where a seat's hand is shown."""
        await self._write(f'table {table_id}', partial(tables.set_hand_message, table_id, seat, channel_id, message_id))

    async def set_watching(self, table_id: int, user_id: int, watching: bool) -> None:
        """Puts a person on the list of those who watch a table, or takes them off it. Raises NoSuchTableError."""
        await self._write(f'table {table_id}', partial(tables.set_watching, table_id, user_id, watching))

    async def start_match(
        self,
        table_id: int,
        seed: str,
        seats: Sequence[SeatRow],
        *,
        at: float,
        round_ends: Sequence[RoundEndRow] = (),
        finish: Finish | None = None,
    ) -> None:
        """Takes a table out of the lobby with its final seats. Raises AlreadyStartedError when it is not in the lobby, NoSuchTableError.

        `round_ends` and `finish` are for what the deal itself decides.
        """
        work = partial(tables.start_match, table_id, seed, list(seats), at, list(round_ends), finish)
        await self._write(f'table {table_id}', work)

    async def add_move(self, move: MoveRow, round_ends: Sequence[RoundEndRow] = (), finish: Finish | None = None) -> None:
        """Stores a move together with the rounds and the match that it ends.

        Raises DuplicateInteractionError, DuplicatePlyError when another move has this place, or NoSuchTableError; then nothing is stored.
        """
        work = partial(tables.end, move.table_id, list(round_ends), finish) if round_ends or finish else None
        await self._write(f'table {move.table_id}, round {move.round}, ply {move.ply}', work, move)

    async def remove_move(self, table_id: int, round: int, ply: int, *, at: float | None = None) -> None:
        """Deletes the last move of a running round and counts it as taken back; `at` becomes the table's time of change.

        Does nothing when it is not stored.
        """
        await self._write(f'table {table_id}, round {round}, ply {ply}', partial(tables.remove_move, table_id, round, ply, at))

    async def finish(self, finish: Finish) -> None:
        """Ends a match without a move. Does nothing when the table is not open any more. Raises NoSuchTableError."""
        await self._write(f'table {finish.table_id}', partial(tables.end, finish.table_id, [], finish))

    async def open_tables(self) -> AsyncIterator[StoredTable]:
        """All tables in the lobby or playing, by id; only some of them are in memory at any time.

        A table with values that cannot be read is closed, with the reason `damaged`, and left out.
        """
        ids = await self._read(tables.open_ids)
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            try:
                found = await self._read(partial(tables.stored, tables.open_between(chunk[0], chunk[-1])))
            except ValueError:  # text that is not JSON, or not UTF-8
                found = [table for table_id in chunk if (table := await self._readable(table_id)) is not None]
            for table in found:
                yield table

    async def _readable(self, table_id: int) -> StoredTable | None:
        try:
            return await self.table(table_id)
        except ValueError:
            _log.error('table %d holds values that cannot be read and is closed', table_id)
            await self.update_table(table_id, state='closed', reason='damaged')
            return None

    async def table(self, table_id: int) -> StoredTable | None:
        """Any table, also a finished one; None when there is none."""
        found = await self._read(partial(tables.stored, schema.game_table.c.id == table_id))
        return found[0] if found else None

    async def unshown_tables(self, most: int) -> list[StoredTable]:
        """Ended tables whose last board and hands are not known to be shown (`shown`), at most so many, the newest."""
        found = []
        for table_id in await self._write('unshown tables', partial(tables.unshown_ids, most)):
            with suppress(ValueError):
                if (table := await self.table(table_id)) is not None:
                    found.append(table)
        return found

    async def shown(self, table_id: int) -> None:
        """The last board and the last hands of an ended table are shown."""
        await self._write(f'table {table_id}', partial(tables.shown, table_id))

    async def closed_lobbies(self) -> list[ClosedLobby]:
        """The tables that were closed before their match began, those first that were closed first."""
        return await self._read(tables.closed_lobbies)

    async def delete_closed_lobby(self, table_id: int) -> None:
        """Deletes one of them, with all that belongs to it. Does nothing when it is no such table."""
        await self._write(f'table {table_id}', partial(tables.delete, table_id))

    async def last_table(self, channel_id: int) -> int | None:
        """The id of the last table of a channel whose match has ended; None when there was none."""
        return await self._read(partial(tables.last_ended, channel_id))

    # --- leaderboards -----------------------------------------------------------------------------------------------

    async def ratings(self, guild_ids: Iterable[int], games: Iterable[str], user_ids: Iterable[int]) -> dict[tuple[int, str, int], Rating]:
        """The ratings there are, by (server, game, person)."""
        return await self._read(partial(leaderboards.ratings, list(guild_ids), list(games), list(user_ids)))

    async def leaderboard(
        self, guild_id: int, game: str, period: str, by: Order, *, offset: int = 0, limit: int = 10, min_matches: int = 0
    ) -> tuple[list[Standing], int]:
        """A page of a leaderboard, and how many people are on it. Server `EVERYWHERE` and game `ALL_GAMES` are possible.

        `period` is one of `periods`. By rating, only people whose rating rests on `min_matches` rated matches are on it.
        """
        return await self._read(partial(leaderboards.page, guild_id, game, period, by, offset, limit, min_matches))

    async def my_rank(self, guild_id: int, game: str, period: str, by: Order, user_id: int, *, min_matches: int = 0) -> Standing | None:
        """A person's line of a leaderboard; None when they are not on it."""
        return await self._read(partial(leaderboards.line_of_one, guild_id, game, period, by, user_id, min_matches))

    async def profile(self, user_id: int, guild_id: int, *, last: int = 10) -> Profile:
        """What a person has done in a server, or with `EVERYWHERE` in all of them: by game, and their last results."""
        return await self._read(partial(leaderboards.profile, user_id, guild_id, last))

    # --- servers and people -----------------------------------------------------------------------------------------

    async def remember_person(self, user_id: int, name: str) -> None:
        """Keeps a person's name."""
        await self._write(f'person {user_id}', partial(people.remember, user_id, name))

    async def guild_settings(self, guild_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The settings of these servers, by id; empty where there are none."""
        return await self._read(partial(people.settings, schema.guild, list(guild_ids)))

    async def set_guild_settings(self, guild_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a server's settings; plain JSON values."""
        await self._write(f'server {guild_id}', partial(sql.put, schema.guild, {'id': guild_id, 'settings': dict(settings)}))

    async def person_settings(self, user_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The settings of these people, by id; empty where there are none."""
        return await self._read(partial(people.settings, schema.person, list(user_ids)))

    async def set_person_settings(self, user_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a person's settings; plain JSON values."""
        await self._write(f'person {user_id}', partial(sql.put, schema.person, {'id': user_id, 'settings': dict(settings)}))
