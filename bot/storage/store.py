"""The one door to the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from platformdirs import user_data_path

from .values import (
    Finish,
    Move,
    NewTable,
    OpenSeat,
    Order,
    Profile,
    Rating,
    RoundEnd,
    Seat,
    Standing,
    StoredTable,
    TableChange,
)

Spawn = Callable[[Coroutine[Any, Any, None]], object]
"""Starts a coroutine in the background."""


def default_url() -> str:
    """The database that is used when none is named: an SQLite file in the user's data folder."""
    return f'sqlite:///{user_data_path("cardnight") / "cardnight.sqlite3"}'


class Store:
    """The database. Every write is stored when its call returns; writes that wait at the same time share one transaction.

    Every method raises StorageError when the database does not do its work, and nothing is stored then.
    """

    @classmethod
    async def open(cls, url: str | Path | None = None, *, spawn: Spawn = asyncio.create_task, backup_dir: Path | None = None) -> Store:
        """Opens the database and brings it up to date; makes it, and its folder, where there is none.

        An SQLite file is checked first, and backed up beside itself (or in `backup_dir`) before it is upgraded. `spawn` starts
        the writer, which ends by itself as soon as nothing waits. Raises StorageError, `newer` for a file of a newer version.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Waits for the writes that have begun, and lets go of the database."""
        raise NotImplementedError

    # --- tables -----------------------------------------------------------------------------------------------------

    async def create_table(self, new: NewTable) -> int:
        """Opens a table in the lobby; returns its id. Raises ChannelTaken when the channel has an open table."""
        raise NotImplementedError

    async def update_table(self, table_id: int, *, at: float | None = None, **columns: Unpack[TableChange]) -> None:
        """Changes columns of a table; `at` becomes its time of change. Raises NoSuchTable, and ChannelTaken for a new channel."""
        raise NotImplementedError

    async def set_seats(self, table_id: int, seats: Sequence[Seat], *, at: float | None = None) -> None:
        """Replaces all seats of a table. Raises NoSuchTable."""
        raise NotImplementedError

    async def set_hand_message(self, table_id: int, seat: int, channel_id: int | None, message_id: int | None) -> None:
        """Remembers where a seat's hand is shown."""
        raise NotImplementedError

    async def set_watching(self, table_id: int, user_id: int, watching: bool) -> None:
        """Puts a person on the list of those who watch a table, or takes them off it."""
        raise NotImplementedError

    async def start_match(
        self,
        table_id: int,
        seed: str,
        seats: Sequence[Seat],
        *,
        at: float,
        round_ends: Sequence[RoundEnd] = (),
        finish: Finish | None = None,
    ) -> None:
        """Takes a table out of the lobby with its final seats. Raises AlreadyStarted when it is not in the lobby, NoSuchTable.

        `round_ends` and `finish` are for matches that the deal decides.
        """
        raise NotImplementedError

    async def add_move(self, move: Move, round_ends: Sequence[RoundEnd] = (), finish: Finish | None = None) -> None:
        """Stores a move together with the rounds and the match that it ends.

        Raises DuplicateInteraction, or DuplicatePly when another move stands there; then nothing of it is stored.
        """
        raise NotImplementedError

    async def finish(self, finish: Finish) -> None:
        """Ends a match without a move. Does nothing when the match has ended already. Raises NoSuchTable."""
        raise NotImplementedError

    def open_tables(self) -> AsyncIterator[StoredTable]:
        """All tables in the lobby or playing, by id; only some of them are in memory at any time."""
        raise NotImplementedError

    async def table(self, table_id: int) -> StoredTable | None:
        """Any table, also a finished one; None when there is none."""
        raise NotImplementedError

    async def seats_of(self, user_id: int) -> list[OpenSeat]:
        """The seats that a person has at open tables, in all servers."""
        raise NotImplementedError

    # --- leaderboards -----------------------------------------------------------------------------------------------

    async def ratings(self, guild_ids: Iterable[int], games: Iterable[str], user_ids: Iterable[int]) -> dict[tuple[int, str, int], Rating]:
        """The ratings there are, by (server, game, person)."""
        raise NotImplementedError

    async def leaderboard(
        self, guild_id: int, game: str, period: str, by: Order, *, offset: int = 0, limit: int = 10, min_matches: int = 0
    ) -> tuple[list[Standing], int]:
        """A page of a leaderboard, and how many people are on it. Server `EVERYWHERE` and game `ALL_GAMES` are possible.

        `period` is one of `periods`. By rating, only people whose rating rests on `min_matches` rated matches are on it.
        """
        raise NotImplementedError

    async def my_rank(self, guild_id: int, game: str, period: str, by: Order, user_id: int, *, min_matches: int = 0) -> Standing | None:
        """A person's own line of a leaderboard; None when they are not on it."""
        raise NotImplementedError

    async def profile(self, user_id: int, guild_id: int, *, last: int = 10) -> Profile:
        """What a person has done in a server, or with `EVERYWHERE` in all: by game, and their last results."""
        raise NotImplementedError

    # --- servers and people -----------------------------------------------------------------------------------------

    async def remember_guild(self, guild_id: int, name: str, locale: str) -> None:
        """Keeps a server's name and language."""
        raise NotImplementedError

    async def remember_person(self, user_id: int, name: str) -> None:
        """Keeps a person's name."""
        raise NotImplementedError

    async def guild_settings(self, guild_id: int) -> dict[str, Any]:
        """A server's settings; empty when there are none."""
        raise NotImplementedError

    async def set_guild_settings(self, guild_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a server's settings; plain JSON values."""
        raise NotImplementedError

    async def person_settings(self, user_id: int) -> dict[str, Any]:
        """A person's settings; empty when there are none."""
        raise NotImplementedError

    async def set_person_settings(self, user_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a person's settings; plain JSON values."""
        raise NotImplementedError
