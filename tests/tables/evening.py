"""Real tables and a real database in virtual time, without Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.storage import Store
from bot.tables.host import Host
from bot.tables.seats import Person, Seat
from bot.tables.table import Table

from ..virtual_time import VirtualTime

ANN, BOB, CEM, DORA = (Person(number, name) for number, name in enumerate(('Ann', 'Bob', 'Cem', 'Dora'), 1))
COMPUTER = 1.0
"""Seconds before a seat that plays by itself makes its move."""


@dataclass
class Heard:
    """What the host told."""

    changes: list[int] = field(default_factory=list)
    announced: list[tuple[str, Sequence[int]]] = field(default_factory=list)
    former: list[Seat] = field(default_factory=list)
    """The seats that others have taken over, as they were."""
    reminded: list[tuple[int, float]] = field(default_factory=list)
    """Seat and second of each reminder."""
    time: VirtualTime = field(default_factory=VirtualTime)

    def changed(self, table: Table) -> None:
        self.changes.append(table.id)

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        self.announced.append((code, tuple(user_ids)))

    def replaced(self, table: Table, former: Seat) -> None:
        self.former.append(former)

    def remind(self, table: Table, seat_no: int) -> None:
        self.reminded.append((seat_no, self.time.now))


@dataclass
class Evening:
    """One host with its database and its time."""

    store: Store
    time: VirtualTime
    heard: Heard
    host: Host

    async def begin(self, *people: Person, game: str = 'superman', pace: str = 'live', **options: Any) -> Table:
        table = await self.host.open(1, 10, game, people[0], options, most=len(people), pace=pace)
        for person in people[1:]:
            await self.host.join(table.id, person)
        return await self.host.start(table.id, people[0].id)

    async def restart(self) -> Table:
        """A new host with what is stored; its only table."""
        self.host.pause()
        self.host = Host(self.store, self.time.clock, self.heard, lobby_expiry=3600, computer_delay=COMPUTER)
        (table,) = await self.host.restore()
        self.host.resume()
        return table

    async def move(self, table: Table, text: str | None = None) -> str:
        """The first legal move, or this one, by the player on turn."""
        assert table.match is not None
        round_ = table.match.round
        text = text or round_.format_move(round_.legal_moves()[0])
        await self.host.play(table.id, table.seats[table.turn].person.id, text, interaction_id=None)
        return text

    async def until_turn_of(self, table: Table, person: Person) -> None:
        """Moves for the others until this person has to."""
        while table.seats[table.turn].person.id != person.id:
            if table.seats[table.turn].auto:
                await self.time.pass_(COMPUTER)
            else:
                await self.move(table)

    async def moves(self, table: Table) -> list[tuple[int, str]]:
        """Seat and maker (`player`, `clock`, `computer`) of every stored move."""
        stored = await self.store.table(table.id)
        assert stored is not None
        return [(seat, by) for _, _, seat, _, by in stored.moves]

    async def results(self, person: Person) -> list[tuple[int, bool, bool, bool]]:
        """Place, won, left, rated of a person's results, newest first."""
        profile = await self.store.profile(person.id, 1)
        return [(past.result.place, past.result.won, past.result.left, past.result.rated) for past in profile.last]


@asynccontextmanager
async def an_evening(folder: Path) -> AsyncIterator[Evening]:
    """An evening with its database in this folder."""
    time = VirtualTime()
    store = await Store.open(folder / 'night.sqlite3', spawn=asyncio.create_task)
    heard = Heard(time=time)
    yield Evening(store, time, heard, Host(store, time.clock, heard, lobby_expiry=3600, computer_delay=COMPUTER))
    await time.rest()
    await store.close()
