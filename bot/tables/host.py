"""The open tables, and what people can do there. Every change goes one way: take the table's lock, check, store, change, tell.

Nothing is told that is not stored, and nothing stored is lost: after a restart `restore` replays the stored moves. The host knows no
Discord; it tells what happens (`TableEvents`), and takes time and background work from a `Clock`.

Every call that acts on a table takes its id first. Unless its description says otherwise, it raises TableError `table-over` when the table
is not open any more, TableError `stale` when the database already has something that this table did not know, StorageError when the
database fails, and what is listed there; then nothing has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from .. import storage
from ..clock import Clock
from ..engines.base import Event
from ..storage import StorageError, Store
from . import rows
from .changes import Changes
from .events import TableEvents
from .recovery import Recovery
from .registry import Registry
from .seats import Person, with_seat
from .table import Draft, Position, Table, TableError
from .time_control import IDLE, NONE
from .timers import Timers


class Host:
    """All open tables of the bot, and the one way in which they change."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        events: TableEvents,
        *,
        lobby_expiry: float = 3600.0,
        computer_delay: float = 1.0,
        per_person: int = 0,
        per_server: int = 0,
    ) -> None:
        """`lobby_expiry`: seconds after which a table that nobody starts is closed, counted from when somebody last sat down;
        `computer_delay`: seconds before the computer player makes its move; the others as in `Registry`."""
        self._store = store
        self._clock = clock
        self._events = events
        self.timers = Timers(clock, events, self._act, lobby_expiry=lobby_expiry, computer_delay=computer_delay)
        self._registry = Registry(per_person=per_person, per_server=per_server)
        self._changes = Changes(store, clock, events, self._registry, self.timers)
        self._recovery = Recovery(store, clock, events, self._registry, self.timers, self._changes)

    # --- finding -----------------------------------------------------------------------------------------------------

    @property
    def tables(self) -> list[Table]:
        """Every open table, oldest first."""
        return list(self._registry.by_id.values())

    def table(self, table_id: int) -> Table:
        """The open table with this id. Raises TableError `table-over`."""
        table = self._registry.by_id.get(table_id)
        if table is None:
            raise TableError('table-over')
        return table

    def is_closed(self, table_id: int) -> bool:
        """Whether this table is no longer open."""
        return table_id not in self._registry.by_id

    def in_channel(self, channel_id: int) -> Table | None:
        """The open table in this channel or thread."""
        return self._registry.by_channel.get(channel_id)

    def tables_of(self, user_id: int) -> list[Table]:
        """The open tables where this user sits, in all servers, oldest first."""
        return [table for table in self._registry.by_id.values() if table.seat_of(user_id) is not None]

    def tables_in(self, guild_id: int) -> list[Table]:
        """The open tables in this server, oldest first."""
        return list(self._registry.by_guild.get(guild_id, {}).values())

    @asynccontextmanager
    async def _locked(self, table_id: int) -> AsyncIterator[Table]:
        """The open table with this id, for one caller at a time; brought to what is stored when that is not sure.

        Raises TableError `table-over`, also when the table ended during the wait for it; `stale` or `already-started` when the database
        already has a move or a start that was not known here; or StorageError.
        """
        table = self.table(table_id)
        async with self._registry.locks.setdefault(table_id, asyncio.Lock()):
            if table_id not in self._registry.by_id:
                raise TableError('table-over')
            try:
                if table_id in self.timers.failing:
                    table.turn_begins(self._clock.now())  # an outage costs nobody a turn
                    if await self._recovery.reload(table):
                        raise TableError('stale')
                try:
                    yield table
                except storage.AlreadyStartedError:
                    await self._recovery.reload(table)
                    raise TableError('already-started') from None
                except storage.DuplicatePlyError:
                    await self._recovery.reload(table)
                    raise TableError('stale') from None
            except StorageError:
                self.timers.failed(table)
                raise
            self.timers.failing.pop(table_id, None)

    # --- sitting down and leaving ------------------------------------------------------------------------------------

    async def open(
        self,
        guild_id: int,
        channel_id: int,
        game_id: str,
        person: Person,
        options: Mapping[str, Any],
        *,
        most: int | None = None,
        pace: str = NONE,
    ) -> Table:
        """Opens a table in a channel and seats `person` there as its host.

        `options` are house rules of the game, the others have their defaults; `most` people may sit there, by default the usual number;
        `pace` is the id of a time control (`TIME_CONTROLS`). Raises OptionError, TableError `channel-taken`, `too-many-hosted`,
        `too-many-here`, or StorageError.
        """
        return await self._opened(self._changes.open(guild_id, channel_id, game_id, [person], options, most, pace))

    async def rematch(self, table_id: int, person: Person) -> Table:
        """Opens a new table like one that has ended, for the same people and watchers; `person`, one of them, is its host.

        Raises TableError `no-table`, `not-ended`, `not-played`, or as `open`.
        """
        stored = await self._store.table(table_id)
        old = rows.without_match(stored) if stored else None
        if stored is None or old is None:
            raise TableError('no-table')
        if stored.row.state not in ('finished', 'abandoned'):
            raise TableError('not-ended')
        if old.seat_of(person.id) is None:
            raise TableError('not-played')
        people, pace = [person, *old.people], stored.row.pace
        opening = self._changes.open(old.guild_id, old.channel_id, old.game.id, people, old.options, old.most, pace, old.watchers)
        return await self._opened(opening)

    async def _opened(self, opening: Awaitable[Table]) -> Table:
        """The table that is opened by this. Raises as `open`."""
        try:
            table = await opening
        except storage.ChannelTakenError as taken:
            await self._recovery.find(taken.table_id)
            raise TableError('channel-taken') from None
        self._events.changed(table)
        self.timers.set(table)
        return table

    async def join(self, table_id: int, person: Person) -> Table:
        """Seats this person; in a match, on a seat that the computer player plays. Raises TableError as `Table.joined`."""
        async with self._locked(table_id) as table:
            before, seats = table.seats, table.joined(person)
            await self._store.remember_person(person.id, person.name)
            await self._changes.reseat(table, seats)
            if table.state == 'playing':
                seat_no = table.seat(person.id)
                former = before[seat_no]
                if former.person.id == person.id:
                    table.recent.append(Event('seat-back', seat_no, {}))
                else:
                    self._events.replaced(table, former)
                    table.recent.append(Event('seat-replaced', seat_no, {'name': person.name}))
            else:
                table.turn_begins(self._clock.now())
            self._events.changed(table)
            self.timers.set(table)
            if person.id in table.watchers:
                with suppress(StorageError):  # the seat is theirs; at worst they are told of the start twice
                    await self._changes.watch(table, person.id, False)
        self.timers.set(table)
        return table

    async def watch(self, table_id: int, user_id: int, watching: bool) -> Table:
        """Puts a person among those who are told when the match starts, or takes them out. Raises TableError `already-seated`."""
        async with self._locked(table_id) as table:
            if watching and table.seat_of(user_id) is not None:
                raise TableError('already-seated')
            await self._changes.watch(table, user_id, watching)
            self._events.changed(table)
        return table

    async def return_to_seat(self, table_id: int, user_id: int) -> Table:
        """Gives a seat that the computer player plays back to the person who was away. Raises TableError `not-seated`, `not-away`."""
        async with self._locked(table_id) as table:
            seat_no = table.seat(user_id)
            if not table.seats[seat_no].away:
                raise TableError('not-away')
            await self._changes.reseat(table, with_seat(table.seats, seat_no, away=False, idle=0))
            table.recent.append(Event('seat-back', seat_no, {}))
            self._events.changed(table)
        self.timers.set(table)
        return table

    async def leave(self, table_id: int, user_id: int) -> Table:
        """Takes this person away from the table; another person becomes the host if they were, and a table without people is closed.

        In a match the computer player plays their seat on. Raises TableError `not-seated`.
        """
        async with self._locked(table_id) as table:
            await self._changes.leave(table, user_id)
        self.timers.set(table)
        return table

    async def remove(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> bool:
        """Takes somebody else away from the table; whether they are gone.

        The host and moderators decide alone. Anyone else at the table can ask for a host who does nothing (`Table.host_idle`) to be
        removed: that is a vote, and the host goes when more than half of the others want it.
        Raises TableError `host-only`, `host-busy`, `not-seated`.
        """
        async with self._locked(table_id) as table:
            table.seat(user_id)
            if by != table.host_id and not moderator:
                if user_id != table.host_id or table.seat_of(by) is None:
                    raise TableError('host-only')
                if not table.host_idle(self._clock.now()):
                    raise TableError('host-busy')
                await self._changes.vote(table, by)
                others = {person.id for person in table.people} - {user_id}
                if 2 * len(table.votes & others) <= len(others):
                    self._events.changed(table)
                    return False
            await self._changes.leave(table, user_id)
        self.timers.set(table)
        return True

    async def hand_over(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> Table:
        """Makes somebody at the table its host. Raises TableError `host-only`, `not-seated`."""
        async with self._locked(table_id) as table:
            _require_host(table, by, moderator)
            table.seat(user_id)
            await self._changes.hand_over(table, user_id)
            self._events.changed(table)
        return table

    # --- starting and ending -----------------------------------------------------------------------------------------

    async def start(self, table_id: int, by: int, *, moderator: bool = False) -> Table:
        """Deals the first round. Raises TableError `host-only`, `too-few`, `already-started`."""
        async with self._locked(table_id) as table:
            table.require('lobby')
            _require_host(table, by, moderator)
            table.require_ready()
            await self._changes.start(table)
            self._events.changed(table)
        if table.watchers:
            self._events.announce(table, 'started', table.watchers)
        self.timers.set(table)
        return table

    async def end(self, table_id: int, by: int, *, moderator: bool) -> Table:
        """Closes the table, whatever is going on there. Raises TableError `host-only`."""
        async with self._locked(table_id) as table:
            _require_host(table, by, moderator)
            await self._changes.stop(table, 'ended-by-host')
        return table

    async def stop(self, table_id: int, reason: str) -> None:
        """Closes a table that cannot go on, for the reason `outcome.<reason>`."""
        async with self._locked(table_id) as table:
            await self._changes.stop(table, reason)

    # --- playing -----------------------------------------------------------------------------------------------------

    async def play(self, table_id: int, user_id: int, text: str, *, interaction_id: int | None, made_for: Position | None = None) -> Draft:
        """Plays the move that this text names, for the seat of this user; returns when it is stored.

        `interaction_id` makes sure that an interaction which Discord delivers twice moves once; `made_for` is the position for which a
        button was made. Raises MoveError when the rules refuse the move, and TableError `not-seated`, `not-started`, `stale`, `duplicate`.
        """
        async with self._locked(table_id) as table:
            if interaction_id is not None and interaction_id == table.last_interaction and made_for not in (None, table.position):
                raise TableError('duplicate')
            draft = table.draft_of(user_id, text, made_for)
            await self._move(table, draft, 'player', interaction_id)
            seat = table.seats[draft.seat_no]
            if table.open and (seat.idle or seat.away):
                await self._changes.set_idle(table, draft.seat_no, 0)
            self._events.changed(table)
        self.timers.set(table)
        return draft

    async def _move(self, table: Table, draft: Draft, by: storage.By, interaction_id: int | None = None) -> None:
        """Stores a move and makes it, and ends the match when that was its last. Raises TableError `duplicate`, or DuplicatePlyError."""
        now = self._clock.now()
        row = storage.MoveRow(table.id, draft.round_no, draft.ply, draft.seat_no, draft.text, interaction_id, by, now)
        end_rows = [rows.end_row(end, now) for end in draft.ends]
        match_over = bool(draft.ends) and draft.match.over
        try:
            if match_over:
                async with self._changes.finishing(table, draft.match, now, by) as finish:
                    await self._store.add_move(row, end_rows, finish)
            else:
                await self._store.add_move(row, end_rows)
        except storage.DuplicateInteractionError:
            raise TableError('duplicate') from None
        table.commit(draft, by_player=by == 'player', now=now)
        table.last_interaction = interaction_id
        table.computer_played |= by == 'computer'
        if match_over:
            self._changes.retire(table, 'finished', 'finished')

    async def take_back(self, table_id: int, user_id: int, made_for: Position | None = None) -> Table:
        """Takes back the last move (`Table.may_take_back` says when); `made_for` as in `play`.

        Raises TableError `not-seated`, `not-started`, `no-take-back`, `stale`.
        """
        async with self._locked(table_id) as table:
            table.require_position(made_for)
            await self._changes.take_back(table, table.may_take_back(table.seat(user_id)))
            self._events.changed(table)
        self.timers.set(table)
        return table

    # --- time --------------------------------------------------------------------------------------------------------

    async def _act(self, table_id: int, position: Position) -> None:
        """Does what is due at a table in this position: closes a lobby that nobody started, or moves for a player who does not."""
        try:
            async with self._locked(table_id) as table:
                if table_id in self.timers.failing:
                    # tries whether the database works, and stores that what was refused has not happened
                    await self._changes.reseat(table, table.seats)
                    self._events.changed(table)
                if table.position != position:
                    return
                match self.timers.due(table):
                    case 'expired':
                        waiting = [person.id for person in table.people]
                        await self._changes.close(table, 'expired')
                        self._events.announce(table, 'expired', waiting)
                    case 'everyone-away':
                        await self._changes.abandon(table, 'everyone-away')
                    case 'untouched':
                        people = [person.id for person in table.people]
                        await self._changes.abandon(table, 'untouched')
                        self._events.announce(table, 'untouched', people)
                    case 'computer':
                        await self._move_by_computer(table)
                    case 'clock':
                        await self._move_by_clock(table)
        except (TableError, StorageError):  # the store has logged it
            return
        self.timers.set(table)

    async def _move_by_computer(self, table: Table) -> None:
        assert table.match is not None
        move = table.game.greedy(table.match.round.observation(table.turn))
        await self._move(table, table.draft(table.turn, move), 'computer')
        self._events.changed(table)

    async def _move_by_clock(self, table: Table) -> None:
        """Makes the default move of the game, and hands the seat to the computer player when that happens too often in a row."""
        assert table.match is not None
        seat_no, move = table.turn, table.match.round.default_move()
        await self._move(table, table.draft(seat_no, move), 'clock')
        table.recent.append(Event('seat-timed-out', seat_no, {}))
        if table.state == 'playing':
            idle = table.seats[seat_no].idle + 1
            await self._changes.set_idle(table, seat_no, idle)
            if idle >= IDLE:
                table.recent.append(Event('seat-away', seat_no, {}))
        self._events.changed(table)

    def pause(self) -> None:
        """Discord cannot be reached: no time passes at any table. Does nothing while time is paused."""
        self.timers.pause()

    def resume(self) -> None:
        """Discord is there again: time goes on where it stood still. Does nothing unless time is paused."""
        self.timers.resume(self.tables)

    def suspend(self, table_id: int, code: str) -> None:
        """Time stands still at this table, for the reason `waiting.<code>`, until `unsuspend`. Stores nothing."""
        table = self.table(table_id)
        if table.waiting_for != code:
            table.waiting_for = code
            self.timers.set(table)

    def unsuspend(self, table_id: int) -> None:
        """Time passes again at this table; the player on turn has their full time. Stores nothing."""
        table = self.table(table_id)
        if table.waiting_for:
            table.waiting_for = ''
            table.turn_begins(self._clock.now())
            self.timers.set(table)
            self._events.changed(table)

    # --- where the messages are --------------------------------------------------------------------------------------

    async def board_posted(self, table_id: int, channel_id: int, message_id: int) -> None:
        """Stores where the board is, also for a table that is over. When StorageError is raised, the table knows it until a restart."""
        if (table := self._registry.by_id.get(table_id)) is not None:
            table.board_channel, table.board_message = channel_id, message_id
        await self._store.update_table(table_id, board_channel_id=channel_id, board_message_id=message_id)

    async def hand_sent(self, table_id: int, user_id: int, channel_id: int, message_id: int) -> None:
        """Stores where a person's hand is in their direct messages. When StorageError is raised, the table knows it until a restart.

        Raises TableError `not-seated` when they do not sit here any more.
        """
        async with self._locked(table_id) as table:
            seat_no = table.seat(user_id)
            table.seats = with_seat(table.seats, seat_no, hand_channel=channel_id, hand_message=message_id)
            await self._store.set_hand_message(table_id, seat_no, channel_id, message_id)

    async def move_to(self, table_id: int, channel_id: int) -> None:
        """Goes on in another channel. Raises TableError `channel-taken`."""
        async with self._locked(table_id) as table:
            try:
                await self._store.update_table(table_id, channel_id=channel_id)
            except storage.ChannelTakenError as taken:
                await self._recovery.find(taken.table_id)
                raise TableError('channel-taken') from None
            self._registry.move(table, channel_id)

    # --- after a restart ---------------------------------------------------------------------------------------------

    async def restore(self) -> list[Table]:
        """Brings back every open table as it was after the last stored move, with fresh time for everyone; returns them.

        Time stands still until `resume`: nobody can move before Discord is there. A table whose stored moves the rules refuse is closed
        (outcome `damaged`) and returned as such; its position is never guessed. Raises StorageError.
        """
        return await self._recovery.restore()

    async def unshown(self) -> list[Table]:
        """Ended tables whose end people may not have seen yet, as they ended. Raises StorageError."""
        return await self._recovery.unshown()


def _require_host(table: Table, user_id: int, moderator: bool) -> None:
    if user_id != table.host_id and not moderator:
        raise TableError('host-only')
