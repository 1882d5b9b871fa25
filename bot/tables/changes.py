"""The changes of a table: each is stored first, and only then made. The caller holds the table's lock (`Host._locked`).

Unless they say otherwise, all of them raise StorageError when the database fails; then the table has not changed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from .. import storage
from ..clock import Clock
from ..engines import games
from ..engines.match import Match
from ..engines.options import OptionError
from ..storage import Finish, StorageError, Store
from . import results, rows
from .events import TableEvents
from .registry import Registry
from .seats import Person, Seats, next_host, seated, with_seat
from .table import Table
from .take_back import TakeBack
from .time_control import IDLE, TIME_CONTROLS
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

    async def open(
        self,
        guild_id: int,
        channel_id: int,
        game_id: str,
        people: Sequence[Person],
        options: Mapping[str, Any],
        most: int | None,
        pace: str,
        watchers: tuple[int, ...] = (),
    ) -> Table:
        """Opens a table where these people sit, the first of them its host. Other parameters as of `Host.open`.

        Raises OptionError, TableError as `Registry.opening`, or ChannelTakenError when another table is open in the channel.
        """
        game, host, now = games()[game_id], people[0], self._clock.now()
        full = game.full_options(options)
        most = game.usual_seats[-1] if most is None else most
        if most not in game.seats:
            raise OptionError('seats', low=game.seats[0], high=game.seats[-1])
        seats = seated(people, most)
        row = storage.NewTable(guild_id, channel_id, game_id, full, host.id, most, pace, now, rows.seat_rows(seats), watchers)
        with self._registry.opening(guild_id, host.id):
            await self._store.remember_person(host.id, host.name)
            table_id = await self._store.create_table(row)
            table = Table(table_id, guild_id, channel_id, game, full, most, host.id, now, seats=seats, watchers=watchers)
            table.time_control, table.since, table.touched = TIME_CONTROLS[pace], now, now
            self._registry.add(table)
        return table

    async def reseat(self, table: Table, seats: Seats) -> None:
        """Gives the table these seats, and another host when its host is no longer there."""
        host_id = next_host(seats, table.host_id)
        seated = self._store.set_seats(table.id, rows.seat_rows(seats), at=self._clock.now())
        if host_id == table.host_id:
            await seated
        else:
            # writes that are asked for together are stored together
            await asyncio.gather(seated, self._store.update_table(table.id, host_id=host_id, votes=[]))
            table.votes = frozenset()
        table.seats, table.host_id, table.touched = seats, host_id, self._clock.now()
        table.votes &= {person.id for person in table.people}

    async def hand_over(self, table: Table, user_id: int) -> None:
        """Makes this person the host."""
        await self._store.update_table(table.id, host_id=user_id, votes=[])
        table.host_id, table.votes = user_id, frozenset()

    async def vote(self, table: Table, user_id: int) -> None:
        """Notes that this person wants the host removed."""
        votes = table.votes | {user_id}
        await self._store.update_table(table.id, votes=sorted(votes))
        table.votes = votes

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

    async def leave(self, table: Table, user_id: int) -> None:
        """Takes a person away; a table where nobody plays any more is over. Raises TableError as `Table.without`."""
        seats = table.without(user_id)
        if any(not seat.auto for seat in seats):
            await self.reseat(table, seats)
            self._events.changed(table)
        elif table.state == 'lobby':
            await self.close(table, 'empty')
        else:
            await self.reseat(table, seats)
            await self.abandon(table, 'everyone-away' if any(not seat.departed for seat in seats) else 'nobody-left')

    # --- the match ---------------------------------------------------------------------------------------------------

    async def start(self, table: Table) -> None:
        """Deals the first round. Raises AlreadyStartedError when the database has the match already."""
        seed, now = secrets.token_hex(32), self._clock.now()
        dealt = table.deal(seed)
        seat_rows, end_rows = rows.seat_rows(table.seats), [rows.end_row(end, now) for end in dealt.ends]
        if dealt.match.over:
            async with self.finishing(table, dealt.match, now) as finish:
                await self._store.start_match(table.id, seed, seat_rows, at=now, round_ends=end_rows, finish=finish)
        else:
            await self._store.start_match(table.id, seed, seat_rows, at=now, round_ends=end_rows)
        table.begin(dealt)
        table.fresh_time(now)
        table.touched = now
        if dealt.match.over:
            self.retire(table, 'finished', 'finished')

    async def take_back(self, table: Table, last: TakeBack) -> None:
        """Takes the last move back."""
        now = self._clock.now()
        await self._store.remove_move(table.id, last.round_no, last.ply, at=now)
        table.take_back(last, now)

    # --- the end -----------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def finishing(self, table: Table, match: Match, now: float, last_by: storage.By | None = None) -> AsyncIterator[Finish]:
        """The end of a match whose last move was made `last_by`, to be stored at once."""
        async with self._rating:
            rates = results.rates(table) and last_by != 'computer'
            old = await self._store.ratings(*results.rating_keys(table)) if rates else None
            yield results.finished(table, match, now, old)

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
