"""The open tables. Every change goes one way: the table's lock, check, store, take over, tell.

Nothing is told that is not stored, and nothing stored is lost: after a restart `restore` replays the stored moves. The host
knows no Discord; it tells its audience, and takes time and background work from a `Clock`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, Protocol

from .. import storage
from ..clock import Clock, Handle
from ..engines import games
from ..engines.base import Event, Match, OptionError
from ..storage import Finish, StorageError, Store
from . import results, rows
from .table import Draft, Person, Seat, Table, TableError
from .time_control import GRACE, IDLE, NONE, TIME_CONTROLS

log: Final = logging.getLogger(__name__)

ASLEEP: Final = 20.0
"""A timer that fires so many seconds late did not wait: the process stood still."""
RETRY: Final = 5.0
"""Seconds until the host tries again what the database refused."""


class TableEvents(Protocol):
    """Who hears of what happens at the tables."""

    def changed(self, table: Table) -> None:
        """The table looks different, or has ended."""

    def replaced(self, table: Table, former: Seat) -> None:
        """Somebody else has taken this seat over; `former` is how it was."""

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        """A word to these people in the table's channel, with the text `announce.<code>`."""

    def remind(self, table: Table, seat: int) -> None:
        """The deadline of this seat comes near."""


class Host:
    """All open tables of the bot, and the one way in which they change."""

    def __init__(
        self, store: Store, clock: Clock, audience: TableEvents, *, lobby_expiry: float = 3600.0, computer_delay: float = 1.0
    ) -> None:
        """`lobby_expiry`: seconds after which a table that nobody starts is closed; `computer_delay`: seconds before a seat that plays
        by itself makes its move."""
        self.store = store
        self.clock = clock
        self._audience = audience
        self._lobby_expiry = lobby_expiry
        self.computer_delay = computer_delay
        self._tables: dict[int, Table] = {}
        self._by_channel: dict[int, int] = {}
        self._by_guild: dict[int, dict[int, Table]] = {}
        self._locks: dict[int, asyncio.Lock] = {}
        self._timers: dict[int, Handle] = {}
        self._finishing = asyncio.Lock()
        self._unsure: set[int] = set()  # the tables where a write has failed, until one is stored again
        self._stopped_at: float | None = None

    # --- finding ---------------------------------------------------------------------------------------------------

    def table(self, table_id: int) -> Table:
        """The open table with this id. Raises TableError `table-over`."""
        table = self._tables.get(table_id)
        if table is None:
            raise TableError('table-over')
        return table

    def is_closed(self, table_id: int) -> bool:
        """Whether this table is no longer open."""
        return table_id not in self._tables

    def in_channel(self, channel_id: int) -> Table | None:
        """The open table in this channel or thread."""
        return self._tables.get(self._by_channel.get(channel_id, 0))

    def tables_of(self, user_id: int) -> list[Table]:
        """The open tables where this user sits, in all servers, oldest first."""
        return [table for table in self._tables.values() if table.seat_of(user_id) is not None]

    def tables_in(self, guild_id: int) -> list[Table]:
        """The open tables in this server, oldest first."""
        return list(self._by_guild.get(guild_id, {}).values())

    @property
    def tables(self) -> list[Table]:
        """Every open table, oldest first."""
        return list(self._tables.values())

    # --- sitting down and getting up -----------------------------------------------------------------------------------

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
        with_people: Sequence[Person] = (),
        watchers: Sequence[int] = (),
    ) -> Table:
        """Opens a table in a channel and seats `person` there as its host, and then `with_people`; `pace` is one of `PACES`.

        Raises OptionError, TableError `channel-taken`, or StorageError.
        """
        game = games()[game_id]
        full = game.full_options(options)
        most = game.usual_seats[-1] if most is None else most
        if most not in game.seats:
            raise OptionError('seats', low=game.seats[0], high=game.seats[-1])
        seats = tuple(Seat(one) for one in {one.id: one for one in (person, *with_people)}.values())[:most]
        now = self.clock.now()
        await self.store.remember_person(person.id, person.name)
        row = storage.NewTable(guild_id, channel_id, game_id, full, person.id, most, pace, now, rows.seat_rows(seats), watchers)
        try:
            table_id = await self.store.create_table(row)
        except storage.ChannelTaken as taken:
            await self._find(taken.table_id)
            raise TableError('channel-taken') from None
        table = Table(table_id, guild_id, channel_id, game, full, most, person.id, now, seats=seats)
        table.time_control, table.since, table.watchers = TIME_CONTROLS[pace], now, tuple(watchers)
        self._add(table)
        self._audience.changed(table)
        self._next(table)
        return table

    async def join(self, table_id: int, person: Person) -> Table:
        """Seats this person; in a match, in a place that plays by itself. Raises TableError as `Table.joined`, or StorageError."""
        async with self._locked(table_id) as table:
            before, seats = table.seats, table.joined(person)
            await self.store.remember_person(person.id, person.name)
            await self._reseat(table, seats)
            if table.state == 'playing':
                number = table.seat(person.id)
                own = before[number].person.id == person.id
                if not own:
                    self._audience.replaced(table, before[number])
                table.recent.append(Event('seat-back', number, {}) if own else Event('seat-replaced', number, {'name': person.name}))
                if number == table.turn:
                    table.turn_begins(self.clock.now())
            else:
                table.since = self.clock.now()
            self._audience.changed(table)
            self._next(table)
            if person.id in table.watchers:
                with suppress(StorageError):  # the seat is theirs; at the worst they are told of the start twice
                    await self._watch(table, person.id, False)
        self._next(table)
        return table

    async def watch(self, table_id: int, user_id: int, watching: bool) -> Table:
        """Puts a person on the list of those who are told when the match starts, or takes them off it.

        Raises TableError `already-seated`, or StorageError.
        """
        async with self._locked(table_id) as table:
            if watching and table.seat_of(user_id) is not None:
                raise TableError('already-seated')
            await self._watch(table, user_id, watching)
            self._audience.changed(table)
        return table

    async def return_to_seat(self, table_id: int, user_id: int) -> Table:
        """Gives a seat that played by itself back to its owner. Raises TableError `not-seated`, `not-away`, or StorageError."""
        async with self._locked(table_id) as table:
            number = table.seat(user_id)
            if not table.seats[number].away:
                raise TableError('not-away')
            await self._reseat(table, table.with_seat(number, away=False, idle=0))
            table.recent.append(Event('seat-back', number, {}))
            if number == table.turn:
                table.turn_begins(self.clock.now())
            self._audience.changed(table)
        self._next(table)
        return table

    async def rematch(self, table_id: int, person: Person) -> Table:
        """Opens a new table for the people of one that has ended, with the same rules, pace and watchers; whoever asks hosts it.

        Raises TableError `no-table`, `not-ended`, `not-played`, or as `open`.
        """
        stored = await self.store.table(table_id)
        old = rows.without_match(stored) if stored else None
        if stored is None or old is None:
            raise TableError('no-table')
        if stored.row.state not in ('finished', 'abandoned'):
            raise TableError('not-ended')
        if old.seat_of(person.id) is None:
            raise TableError('not-played')
        return await self.open(
            old.guild_id,
            old.channel_id,
            old.game.id,
            person,
            old.options,
            most=old.most,
            pace=stored.row.pace,
            with_people=old.people,
            watchers=old.watchers,
        )

    async def leave(self, table_id: int, user_id: int) -> Table:
        """Takes this person away from the table, hands the table on if he was its host, and closes it when nobody is left.

        In a match the place is played on by the simple computer player. Raises TableError `not-seated`, or StorageError.
        """
        async with self._locked(table_id) as table:
            await self._leave(table, user_id)
        self._next(table)
        return table

    async def remove(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> bool:
        """Takes somebody else away from the table; whether they are gone.

        The host and moderators decide alone. Anyone else at the table can ask for a host who does nothing (`Table.host_idle`) to be
        removed: that is a vote, and the host goes when more than half of the others want it.
        Raises TableError `host-only`, `host-busy`, `not-seated`, or StorageError.
        """
        async with self._locked(table_id) as table:
            table.seat(user_id)
            if by != table.host_id and not moderator:
                if user_id != table.host_id or table.seat_of(by) is None:
                    raise TableError('host-only')
                if not table.host_idle(self.clock.now()):
                    raise TableError('host-busy')
                table.votes |= {by}
                others = {person.id for person in table.people} - {user_id}
                if 2 * len(table.votes & others) <= len(others):
                    self._audience.changed(table)
                    return False
            await self._leave(table, user_id)
        self._next(table)
        return True

    async def hand_over(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> Table:
        """Makes somebody at the table its host. Raises TableError `host-only`, `not-seated`, or StorageError."""
        async with self._locked(table_id) as table:
            self._require_host(table, by, moderator)
            table.seat(user_id)
            await self.store.update_table(table.id, host_id=user_id)
            table.host_id, table.votes = user_id, frozenset()
            self._audience.changed(table)
        return table

    async def _leave(self, table: Table, user_id: int) -> None:
        seats = table.without(user_id)
        if any(not seat.auto for seat in seats):
            await self._reseat(table, seats)
            self._audience.changed(table)
        elif table.state == 'lobby':
            await self._close(table, 'empty')
        else:
            await self._reseat(table, seats)
            await self._abandon(table, 'everyone-away' if any(not seat.departed for seat in seats) else 'nobody-left')

    async def _watch(self, table: Table, user_id: int, watching: bool) -> None:
        await self.store.set_watching(table.id, user_id, watching)
        others = tuple(one for one in table.watchers if one != user_id)
        table.watchers = (*others, user_id) if watching else others

    async def _reseat(self, table: Table, seats: tuple[Seat, ...]) -> None:
        host_id = table.next_host(seats)
        seated = self.store.set_seats(table.id, rows.seat_rows(seats), at=self.clock.now())
        if host_id == table.host_id:
            await seated
        else:
            # writes that are asked for together are stored together
            await asyncio.gather(seated, self.store.update_table(table.id, host_id=host_id))
            table.votes = frozenset()
        table.seats, table.host_id = seats, host_id
        table.votes &= {person.id for person in table.people}

    async def _set_idle(self, table: Table, number: int, *, idle: int) -> None:
        """Counts the deadlines that a seat let pass. A move has been stored before, so a database that fails now changes nothing:
        the mark is stored with the next change of the seats."""
        table.seats = table.with_seat(number, idle=idle, away=idle >= IDLE)
        try:
            await self.store.set_seats(table.id, rows.seat_rows(table.seats), at=self.clock.now())
        except StorageError as error:
            log.debug('table %d: a mark could not be stored: %s', table.id, error)

    # --- starting and ending -----------------------------------------------------------------------------------------

    async def start(self, table_id: int, by: int, *, moderator: bool = False) -> Table:
        """Deals the first round. Raises TableError `host-only`, `too-few`, `already-started`, or StorageError."""
        async with self._locked(table_id) as table:
            table.require('lobby')
            self._require_host(table, by, moderator)
            table.ready()
            seed, now = secrets.token_hex(32), self.clock.now()
            dealt = table.deal(seed)
            match = dealt.match
            seats, end_rows = rows.seat_rows(table.seats), [rows.end_row(end, now) for end in dealt.ends]
            try:
                if match.over:
                    async with self._finishing:
                        finish = await self._finish(table, match, now)
                        await self.store.start_match(table.id, seed, seats, at=now, round_ends=end_rows, finish=finish)
                else:
                    await self.store.start_match(table.id, seed, seats, at=now, round_ends=end_rows)
            except storage.AlreadyStarted:
                await self._reload(table)
                raise TableError('already-started') from None
            table.begin(dealt)
            table.fresh_time(now)
            if match.over:
                self._retire(table, 'finished', 'finished')
            self._audience.changed(table)
        if table.watchers:
            self._audience.announce(table, 'started', table.watchers)
        self._next(table)
        return table

    async def end(self, table_id: int, by: int, *, moderator: bool) -> Table:
        """Closes the table, whatever is going on there. Raises TableError `host-only`, or StorageError."""
        async with self._locked(table_id) as table:
            self._require_host(table, by, moderator)
            await self._stop(table, 'ended-by-host')
        return table

    async def stop(self, table_id: int, reason: str) -> None:
        """Closes a table that cannot go on, for the reason `outcome.<reason>`. Raises TableError `table-over`, or StorageError."""
        async with self._locked(table_id) as table:
            await self._stop(table, reason)

    async def _stop(self, table: Table, reason: str) -> None:
        if table.state == 'playing':
            await self._abandon(table, reason)
        else:
            await self._close(table, reason)

    async def _finish(self, table: Table, match: Match, now: float, by: storage.By | None = None) -> Finish:
        """The end of a match, with the last move made `by`."""
        rates = results.rates(table) and by != 'computer'
        return results.finished(table, match, now, await self.store.ratings(*results.rating_keys(table)) if rates else None)

    async def _abandon(self, table: Table, reason: str) -> None:
        """Ends a match before its end; it is recorded, and rates and ranks nobody."""
        assert table.match is not None
        await self.store.finish(results.abandoned(table, table.match, reason, self.clock.now()))
        self._retire(table, 'abandoned', reason)
        self._audience.changed(table)

    async def _close(self, table: Table, reason: str) -> None:
        await self.store.update_table(table.id, at=self.clock.now(), state='closed', reason=reason)
        self._retire(table, 'closed', reason)
        self._audience.changed(table)

    def _retire(self, table: Table, state: str, reason: str) -> None:
        table.state, table.outcome, table.last_move = state, reason, None
        if (timer := self._timers.pop(table.id, None)) is not None:
            timer.cancel()
        self._tables.pop(table.id, None)
        self._by_guild.get(table.guild_id, {}).pop(table.id, None)
        self._locks.pop(table.id, None)
        self._unsure.discard(table.id)
        if self._by_channel.get(table.channel_id) == table.id:
            del self._by_channel[table.channel_id]

    # --- playing ---------------------------------------------------------------------------------------------------

    async def play(
        self, table_id: int, user_id: int, text: str, *, interaction_id: int | None, made_for: tuple[int, int] | None = None
    ) -> Draft:
        """Plays the move that this text names, for the seat of this user; returns when it is stored.

        Raises MoveError (refused by the rules), TableError (`not-seated`, `stale`, `duplicate`, …) or StorageError; then nothing
        has changed.
        """
        async with self._locked(table_id) as table:
            number = table.seat(user_id)
            draft = table.draft(number, text, made_for)
            await self._store_move(table, draft, 'player', interaction_id)
            seat = table.seats[number]
            if table.open and (seat.idle or seat.away):
                await self._set_idle(table, number, idle=0)
            self._audience.changed(table)
        self._next(table)
        return draft

    async def take_back(self, table_id: int, user_id: int) -> Table:
        """Takes back the last move (`Table.may_take_back` says when). Raises TableError `not-seated`, `no-take-back`, or StorageError."""
        async with self._locked(table_id) as table:
            last = table.may_take_back(table.seat(user_id))
            await self.store.remove_move(table.id, last.number, last.ply)
            table.take_back(last)
            table.turn_begins(self.clock.now())
            self._audience.changed(table)
        self._next(table)
        return table

    async def _store_move(self, table: Table, draft: Draft, by: storage.By, interaction_id: int | None) -> None:
        now = self.clock.now()
        move = storage.MoveRow(table.id, draft.number, draft.ply, draft.seat, draft.text, interaction_id, by, now)
        ends = [rows.end_row(end, now) for end in draft.ends]
        try:
            if draft.match.over:
                async with self._finishing:
                    await self.store.add_move(move, ends, await self._finish(table, draft.match, now, by))
            else:
                await self.store.add_move(move, ends)
        except storage.DuplicateInteraction:
            raise TableError('duplicate') from None
        except storage.DuplicatePly:
            await self._reload(table)
            raise TableError('stale') from None
        table.charge_time_bank(draft.seat, now)
        table.commit(draft, by_player=by == 'player')
        table.computer_played |= by == 'computer'
        table.turn_begins(now)
        if draft.match.over:
            self._retire(table, 'finished', 'finished')

    # --- when a write has failed -------------------------------------------------------------------------------------

    async def _reload(self, table: Table) -> bool:
        """Brings a table's match to what is stored; whether that is another position: a write that seemed to have failed was done after
        all (`Store`). Raises StorageError."""
        stored = await self.store.table(table.id)
        assert stored is not None
        before = table.state, table.match and table.match.number, table.ply
        if stored.row.state not in ('lobby', 'playing'):
            self._retire(table, stored.row.state, stored.row.reason or stored.row.state)
        else:
            again = rows.rebuild(stored)
            if before == (again.state, again.match and again.match.number, again.ply):
                return False
            table.state, table.match, table.ply = again.state, again.match, again.ply
            table.recent, table.ends, table.computer_played = again.recent, again.ends, again.computer_played
            table.last_move = None
            table.step += 1
            if before[0] == 'lobby':
                table.fresh_time(self.clock.now())
                if table.watchers:
                    self._audience.announce(table, 'started', table.watchers)
            table.turn_begins(self.clock.now())
        self._audience.changed(table)
        self._next(table)
        return True

    async def _find(self, table_id: int) -> None:
        """Takes in a table that is stored and not known here: it was opened by a write that seemed to have failed. Raises StorageError."""
        if table_id in self._tables:
            return
        stored = await self.store.table(table_id)
        if stored is not None and stored.row.state in ('lobby', 'playing') and table_id not in self._tables:
            table = rows.rebuild(stored)
            self._add(table)
            table.fresh_time(self.clock.now())
            self._audience.changed(table)
            self._next(table)

    # --- time ------------------------------------------------------------------------------------------------------

    def _next(self, table: Table) -> None:
        """Sets the one timer of the table to whatever is due there next."""
        if (timer := self._timers.pop(table.id, None)) is not None:
            timer.cancel()
        due = self._when(table)
        if due is not None and self._stopped_at is None and not self.is_closed(table.id):
            if table.id in self._unsure:
                due = self.clock.now() + RETRY
            delay = max(0.0, due - self.clock.now())
            self._timers[table.id] = self.clock.call_later(delay, partial(self._on_time, table.id, table.position, due))

    def _when(self, table: Table) -> float | None:
        if table.state == 'lobby':
            return table.since + self._lobby_expiry
        if table.state != 'playing' or table.waiting_for:
            return None
        if table.seats[table.turn].auto:
            return self.clock.now() + self.computer_delay
        if table.deadline is None or table.time_control is None:
            return None
        return table.deadline + GRACE if table.reminded else table.deadline - table.time_control.remind

    def _on_time(self, table_id: int, position: tuple[int, int], due: float) -> None:
        self._timers.pop(table_id, None)
        table = self._tables.get(table_id)
        if table is None or table.position != position:
            return
        late = self.clock.now() - due
        if late > ASLEEP:
            table.turn_begins(self.clock.now())  # nobody could have moved meanwhile
            self._next(table)
            self._audience.changed(table)
        elif table.deadline is not None and table.time_control is not None and not table.reminded and table_id not in self._unsure:
            if self.clock.now() < table.deadline - table.time_control.remind:
                self._next(table)
                return
            table.reminded = True
            self._audience.remind(table, table.turn)
            self._next(table)
        else:
            self.clock.spawn(self._act(table_id, position))

    async def _act(self, table_id: int, position: tuple[int, int]) -> None:
        """Does what has become due: closes a lobby that nobody started, or moves for a seat whose owner does not."""
        try:
            async with self._locked(table_id) as table:
                if table_id in self._unsure:
                    await self._reseat(table, table.seats)  # whether the database works; and who was told that nothing changed is right
                    self._audience.changed(table)
                now = self.clock.now()
                if table.position != position or self._stopped_at is not None or (table.waiting_for and table.state != 'lobby'):
                    return
                if table.state == 'lobby':
                    if now >= table.since + self._lobby_expiry:
                        waiting = [person.id for person in table.people]
                        await self._close(table, 'expired')
                        self._audience.announce(table, 'expired', waiting)
                elif all(seat.auto for seat in table.seats):
                    await self._abandon(table, 'everyone-away')
                elif table.seats[table.turn].auto:
                    await self._move_by_computer(table)
                elif table.deadline is not None and now >= table.deadline + GRACE:
                    await self._move_by_clock(table)
        except (TableError, StorageError):  # the store has told the log
            return
        self._next(table)

    async def _move_by_computer(self, table: Table) -> None:
        assert table.match is not None
        move = table.game.greedy(table.match.round.observation(table.turn))
        await self._store_move(table, table.draft(table.turn, move), 'computer', None)
        self._audience.changed(table)

    async def _move_by_clock(self, table: Table) -> None:
        """Makes the game's own default move, and hands the seat to the computer player when that happens too often in a row."""
        assert table.match is not None
        seat, move = table.turn, table.match.round.default_move()
        await self._store_move(table, table.draft(seat, move), 'clock', None)
        table.recent.append(Event('seat-timed-out', seat, {}))
        if table.state == 'playing':
            idle = table.seats[seat].idle + 1
            await self._set_idle(table, seat, idle=idle)
            if idle >= IDLE:
                table.recent.append(Event('seat-away', seat, {}))
        self._audience.changed(table)

    def pause(self) -> None:
        """Discord is not to be reached: no time passes at any table. Calling it again does nothing."""
        if self._stopped_at is None:
            self._stopped_at = self.clock.now()
            for timer in self._timers.values():
                timer.cancel()
            self._timers.clear()

    def resume(self) -> None:
        """Discord is there again: time goes on where it stood still. Calling it again does nothing."""
        if self._stopped_at is not None:
            gone, self._stopped_at = self.clock.now() - self._stopped_at, None
            for table in self.tables:
                table.since += gone
                self._next(table)
                if table.deadline is not None:
                    self._audience.changed(table)

    def suspend(self, table_id: int, code: str) -> None:
        """Time stands still at this table, for the reason `waiting.<code>`, until `go_on`."""
        table = self.table(table_id)
        if table.open and table.waiting_for != code:
            table.waiting_for = code
            self._next(table)

    def unsuspend(self, table_id: int) -> None:
        """Time passes again at this table; the seat to move has its full time."""
        table = self.table(table_id)
        if table.waiting_for:
            table.waiting_for = ''
            table.turn_begins(self.clock.now())
            self._next(table)
            self._audience.changed(table)

    # --- where the messages are --------------------------------------------------------------------------------------

    async def board_posted(self, table_id: int, channel_id: int, message_id: int) -> None:
        """Keeps where the board lies. Raises StorageError; then it is known until a restart."""
        table = self.table(table_id)
        table.board_channel, table.board_message = channel_id, message_id
        await self.store.update_table(table.id, board_channel_id=channel_id, board_message_id=message_id)

    async def hand_sent(self, table_id: int, user_id: int, channel_id: int, message_id: int) -> None:
        """Keeps where a person's hand lies in their direct messages, if they still sit here. Raises as `board_posted`, or TableError."""
        table = self.table(table_id)
        async with self._locked(table.id):
            number = table.seat(user_id)
            table.seats = table.with_seat(number, hand_channel=channel_id, hand_message=message_id)
            await self.store.set_hand_message(table.id, number, channel_id, message_id)

    async def move_to(self, table_id: int, channel_id: int) -> None:
        """Goes on in another channel. Raises TableError `channel-taken`, `table-over`, or StorageError."""
        table = self.table(table_id)
        async with self._locked(table.id):
            try:
                await self.store.update_table(table.id, channel_id=channel_id)
            except storage.ChannelTaken as taken:
                await self._find(taken.table_id)
                raise TableError('channel-taken') from None
            self._by_channel.pop(table.channel_id, None)
            table.channel_id = channel_id
            self._by_channel[channel_id] = table.id

    # --- after a restart ---------------------------------------------------------------------------------------------

    async def restore(self) -> list[Table]:
        """Brings back every open table as it was after the last stored move, with fresh time for everyone; returns them.

        Time stands still until `resume`: nobody can move before Discord is there. A table whose stored moves the rules refuse is
        closed (outcome `damaged`), never guessed. Raises StorageError.
        """
        restored = []
        async for stored in self.store.open_tables():
            try:
                table = rows.rebuild(stored)
            except Exception as error:  # whatever stands in the database, the other tables come back
                log.error('table %d cannot be replayed and is closed: %s', stored.row.id, type(error).__name__)
                await self.store.update_table(stored.row.id, at=self.clock.now(), state='closed', reason='damaged')
                damaged = None
                with suppress(Exception):
                    damaged = rows.without_match(stored)
                if damaged is not None:
                    damaged.state, damaged.outcome = 'closed', 'damaged'
                    restored.append(damaged)
                continue
            self._add(table)
            restored.append(table)
        if restored:
            self.pause()
        for table in restored:
            table.fresh_time(self.clock.now())
            self._audience.changed(table)
            self._next(table)
        return restored

    # --- in common -------------------------------------------------------------------------------------------------

    def _add(self, table: Table) -> None:
        self._tables[table.id] = table
        self._by_guild.setdefault(table.guild_id, {})[table.id] = table
        self._by_channel[table.channel_id] = table.id

    @asynccontextmanager
    async def _locked(self, table_id: int) -> AsyncIterator[Table]:
        """The table, alone. Raises TableError `table-over`, also when it ended while one waited; and after a write that failed, TableError
        `stale` if it was done after all, or StorageError."""
        self.table(table_id)
        async with self._locks.setdefault(table_id, asyncio.Lock()):
            table = self.table(table_id)
            try:
                if table_id in self._unsure:
                    table.turn_begins(self.clock.now())  # an outage costs nobody a turn
                    if await self._reload(table):
                        raise TableError('stale')
                yield table
            except StorageError:
                self._unsure.add(table_id)
                self._next(table)
                raise
            self._unsure.discard(table_id)

    def _require_host(self, table: Table, user_id: int, moderator: bool) -> None:
        if user_id != table.host_id and not moderator:
            raise TableError('host-only')
