"""The open tables. Every change goes one way: the table's lock, check, store, take over, tell.

Nothing is told that is not stored, and nothing stored is lost: after a restart `restore` replays the stored moves. The host
knows no Discord; it tells through the callback it is given, and takes time and background work from a `Clock`.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from . import ratings, storage
from .clock import Clock
from .engines import games
from .engines.base import Match, MoveError, OptionError
from .storage import ALL_GAMES, EVERYWHERE, Finish, Rating, Result, Store, StoredTable
from .table import RECENT, Draft, Person, RoundEnd, Seat, Table, TableError, places

log: Final = logging.getLogger(__name__)


class Host:
    """All open tables of the bot, and the one way in which they change."""

    def __init__(self, store: Store, clock: Clock, changed: Callable[[Table], None], *, computer_delay: float = 1.0) -> None:
        """`changed` is called after every change of a table, also its last. `computer_delay` (seconds) passes before a seat that
        its owner has left is played on."""
        self.store = store
        self.clock = clock
        self._changed = changed
        self._computer_delay = computer_delay
        self._tables: dict[int, Table] = {}
        self._by_channel: dict[int, int] = {}
        self._locks: dict[int, asyncio.Lock] = {}
        self._finishing = asyncio.Lock()

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

    @property
    def tables(self) -> list[Table]:
        """Every open table, oldest first."""
        return list(self._tables.values())

    # --- the lobby -------------------------------------------------------------------------------------------------

    async def open(
        self,
        guild_id: int,
        channel_id: int,
        game_id: str,
        person: Person,
        options: Mapping[str, Any],
        *,
        most: int | None = None,
        with_people: Sequence[Person] = (),
    ) -> Table:
        """Opens a table in a channel and seats `person` there as its host, and then `with_people`.

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
        try:
            table_id = await self.store.create_table(
                storage.NewTable(guild_id, channel_id, game_id, full, person.id, most, 'none', now, _rows(seats))
            )
        except storage.ChannelTaken:
            raise TableError('channel-taken') from None
        table = Table(table_id, guild_id, channel_id, game, full, most, person.id, now, seats=seats)
        self._add(table)
        self._changed(table)
        return table

    async def join(self, table_id: int, person: Person) -> Table:
        """Seats this person. Raises TableError as `Table.joined`, or StorageError."""
        await self.store.remember_person(person.id, person.name)
        async with self._locked(table_id) as table:
            await self._reseat(table, table.joined(person))
        return table

    async def rematch(self, table_id: int, person: Person) -> Table:
        """Opens a new table for the people of one that has ended, with the same rules; whoever asks hosts it.

        Raises TableError `no-table`, `not-ended`, `not-seated`, or as `open`.
        """
        stored = await self.store.table(table_id)
        old = _without_match(stored) if stored else None
        if stored is None or old is None:
            raise TableError('no-table')
        if stored.row.state not in ('finished', 'abandoned'):
            raise TableError('not-ended')
        old.seat(person.id)
        return await self.open(
            old.guild_id,
            old.channel_id,
            old.game.id,
            person,
            old.options,
            most=old.most,
            with_people=old.people,
        )

    async def leave(self, table_id: int, user_id: int) -> Table:
        """Takes this person away from the table, hands the table on if he was its host, and closes it when nobody is left.

        In a match the place is played on by the simple computer player. Raises TableError `not-seated`, or StorageError.
        """
        async with self._locked(table_id) as table:
            seats = table.without(user_id)
            if any(not seat.left for seat in seats):
                await self._reseat(table, seats)
            elif table.state == 'lobby':
                await self._close(table, 'empty')
            else:
                await self._reseat(table, seats, tell=False)
                await self._abandon(table, 'nobody-left')
        self._wake(table)
        return table

    async def remove(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> Table:
        """Takes somebody else away from the table. Raises TableError `host-only` unless `by` hosts or is a moderator."""
        self._require_host(self.table(table_id), by, moderator)
        return await self.leave(table_id, user_id)

    async def hand_over(self, table_id: int, by: int, user_id: int, *, moderator: bool) -> Table:
        """Makes somebody at the table its host. Raises TableError `host-only`, `not-seated`."""
        async with self._locked(table_id) as table:
            self._require_host(table, by, moderator)
            table.seat(user_id)
            await self.store.update_table(table.id, host_id=user_id)
            table.host_id = user_id
            self._changed(table)
        return table

    async def start(self, table_id: int, by: int, *, moderator: bool = False) -> Table:
        """Deals the first round. Raises TableError `host-only`, `too-few`, `already-started`, or StorageError."""
        async with self._locked(table_id) as table:
            table.require('lobby')
            self._require_host(table, by, moderator)
            table.ready()
            seed, now = secrets.token_hex(32), self.clock.now()
            match, ends = table.deal(seed)
            rows = [_end_row(end, now) for end in ends]
            try:
                if match.over:
                    async with self._finishing:
                        finish = await self._finish(table, match, now)
                        await self.store.start_match(table.id, seed, _rows(table.seats), at=now, round_ends=rows, finish=finish)
                else:
                    await self.store.start_match(table.id, seed, _rows(table.seats), at=now, round_ends=rows)
            except storage.AlreadyStarted:
                raise TableError('already-started') from None
            table.begin(match, ends)
            if match.over:
                self._retire(table, 'finished', 'finished')
            self._changed(table)
        self._wake(table)
        return table

    async def end(self, table_id: int, by: int, *, moderator: bool) -> Table:
        """Closes the table, whatever is going on there. Raises TableError `host-only`, or StorageError."""
        async with self._locked(table_id) as table:
            self._require_host(table, by, moderator)
            if table.state == 'playing':
                await self._abandon(table, 'ended-by-host')
            else:
                await self._close(table, 'ended-by-host')
        return table

    # --- playing ---------------------------------------------------------------------------------------------------

    async def play(
        self, table_id: int, user_id: int, text: str, *, interaction_id: int | None, made_for: tuple[int, int] | None = None
    ) -> Draft:
        """Plays the move that this text names, for the seat of this user; returns when it is stored.

        Raises MoveError (refused by the rules), TableError (`not-seated`, `stale`, `duplicate`, …) or StorageError; then nothing
        has changed.
        """
        async with self._locked(table_id) as table:
            draft = table.draft(table.seat(user_id), text, made_for)
            await self._store_move(table, draft, 'player', interaction_id)
        self._wake(table)
        return draft

    async def _store_move(self, table: Table, draft: Draft, by: storage.By, interaction_id: int | None) -> None:
        now = self.clock.now()
        move = storage.Move(table.id, draft.number, draft.ply, draft.seat, draft.text, interaction_id, by, now)
        ends = [_end_row(end, now) for end in draft.ends]
        try:
            if draft.match.over:
                async with self._finishing:
                    await self.store.add_move(move, ends, await self._finish(table, draft.match, now))
            else:
                await self.store.add_move(move, ends)
        except storage.DuplicateInteraction:
            raise TableError('duplicate') from None
        except storage.DuplicatePly:
            log.error('table %d: ply %d.%d is stored already; the table is loaded anew', table.id, draft.number, draft.ply)
            raise TableError('stale') from None
        table.take_over(draft)
        if draft.match.over:
            self._retire(table, 'finished', 'finished')
        self._changed(table)

    def _wake(self, table: Table) -> None:
        """Lets the seat to move play by itself, if its owner has left."""
        if table.state == 'playing' and table.match and table.seats[table.match.round.turn].left:
            position = table.position
            self.clock.call_later(self._computer_delay, lambda: self.clock.spawn(self._play_for(table.id, position)))

    async def _play_for(self, table_id: int, position: tuple[int, int]) -> None:
        """Plays one ply for a seat whose owner has left, unless the table has moved on."""
        try:
            async with self._locked(table_id) as table:
                if table.state != 'playing' or table.position != position:
                    return
                assert table.match is not None
                round_ = table.match.round
                move = table.game.greedy(round_.observation(round_.turn))
                await self._store_move(table, table.draft(round_.turn, move), 'computer', None)
        except TableError:
            return
        self._wake(table)

    # --- the end ---------------------------------------------------------------------------------------------------

    async def _finish(self, table: Table, match: Match, now: float) -> Finish:
        """What a match leaves behind: a result for every seat, and new ratings unless somebody left before the end."""
        standing = places(match)
        points = ratings.placing_points(standing)
        rated = not any(seat.left for seat in table.seats)
        results = [
            Result(
                number,
                seat.person.id,
                standing[number],
                number in match.winners and not seat.left,
                0 if seat.left else points[number],
                match.totals[number],
                seat.left,
                rated,
            )
            for number, seat in enumerate(table.seats)
        ]
        new = await self._new_ratings(table, standing) if rated else []
        return Finish(table.id, 'finished', 'finished', now, results, new)

    async def _new_ratings(self, table: Table, standing: Sequence[int]) -> list[Rating]:
        users = [seat.person.id for seat in table.seats]
        scopes = [(guild, game) for guild in (table.guild_id, EVERYWHERE) for game in (table.game.id, ALL_GAMES)]
        old = await self.store.ratings({guild for guild, _ in scopes}, {game for _, game in scopes}, users)
        new = []
        for guild, game in scopes:
            before = [old.get((guild, game, user)) for user in users]
            rated = ratings.rate([(one.mu, one.sigma) if one else None for one in before], standing)
            new += [
                Rating(guild, game, user, one.mu, one.sigma, one.ordinal, (was.matches if was else 0) + 1)
                for user, was, one in zip(users, before, rated, strict=True)
            ]
        return new

    async def _abandon(self, table: Table, reason: str) -> None:
        """Ends a match before its end; it is recorded, and rates and ranks nobody."""
        assert table.match is not None
        results = [
            Result(number, seat.person.id, place, False, 0, table.match.totals[number], seat.left)
            for number, (seat, place) in enumerate(zip(table.seats, places(table.match), strict=True))
        ]
        await self.store.finish(Finish(table.id, 'abandoned', reason, self.clock.now(), results, counts=False))
        self._retire(table, 'abandoned', reason)
        self._changed(table)

    async def _close(self, table: Table, reason: str) -> None:
        await self.store.update_table(table.id, at=self.clock.now(), state='closed', reason=reason)
        self._retire(table, 'closed', reason)
        self._changed(table)

    def _retire(self, table: Table, state: str, reason: str) -> None:
        table.state, table.outcome = state, reason
        self._tables.pop(table.id, None)
        self._locks.pop(table.id, None)
        if self._by_channel.get(table.channel_id) == table.id:
            del self._by_channel[table.channel_id]

    # --- where the messages are --------------------------------------------------------------------------------------

    async def board_posted(self, table: Table, channel_id: int, message_id: int) -> None:
        """Keeps where the board lies. Raises StorageError."""
        await self.store.update_table(table.id, board_channel_id=channel_id, board_message_id=message_id)
        table.board_channel, table.board_message = channel_id, message_id

    async def hand_sent(self, table: Table, seat: int, channel_id: int, message_id: int) -> None:
        """Keeps where a seat's hand lies in its owner's direct messages. Raises TableError `table-over`, or StorageError."""
        async with self._locked(table.id):
            await self.store.set_hand_message(table.id, seat, channel_id, message_id)
            moved = replace(table.seats[seat], hand_channel=channel_id, hand_message=message_id)
            table.seats = (*table.seats[:seat], moved, *table.seats[seat + 1 :])

    # --- after a restart ---------------------------------------------------------------------------------------------

    async def restore(self) -> list[Table]:
        """Brings back every open table as it was after the last stored move; returns them.

        A table whose stored moves the rules refuse is closed (outcome `damaged`), never guessed.
        """
        restored = []
        async for stored in self.store.open_tables():
            try:
                table = rebuild(stored)
            except (MoveError, OptionError, TableError, LookupError, ValueError) as error:
                log.error('table %d cannot be replayed and is closed: %s', stored.row.id, type(error).__name__)
                await self.store.update_table(stored.row.id, at=self.clock.now(), state='closed', reason='damaged')
                if (damaged := _without_match(stored)) is not None:
                    damaged.state, damaged.outcome = 'closed', 'damaged'
                    restored.append(damaged)
                continue
            self._add(table)
            restored.append(table)
        for table in restored:
            self._changed(table)
            self._wake(table)
        return restored

    # --- in common -------------------------------------------------------------------------------------------------

    def _add(self, table: Table) -> None:
        self._tables[table.id] = table
        self._by_channel[table.channel_id] = table.id

    @asynccontextmanager
    async def _locked(self, table_id: int) -> AsyncIterator[Table]:
        """The table, alone. Raises TableError `table-over`, also when it ended while one waited."""
        self.table(table_id)
        async with self._locks.setdefault(table_id, asyncio.Lock()):
            yield self.table(table_id)

    async def _reseat(self, table: Table, seats: tuple[Seat, ...], *, tell: bool = True) -> None:
        host_id = table.next_host(seats)
        await self.store.set_seats(table.id, _rows(seats), at=self.clock.now())
        if host_id != table.host_id:
            await self.store.update_table(table.id, host_id=host_id)
        table.seats, table.host_id = seats, host_id
        if tell:
            self._changed(table)

    def _require_host(self, table: Table, user_id: int, moderator: bool) -> None:
        if user_id != table.host_id and not moderator:
            raise TableError('host-only')


def rebuild(stored: StoredTable) -> Table:
    """The table as it was after its last stored move. Raises MoveError, OptionError, TableError, LookupError or ValueError when
    what is stored does not fit the rules."""
    table = _without_match(stored)
    if table is None:
        raise LookupError(stored.row.game)
    if stored.row.state == 'playing':
        if stored.row.seed is None:
            raise ValueError('a match without a seed')
        table.begin(*table.deal(stored.row.seed))
        last = len(stored.moves) - RECENT
        for place, (number, ply, seat, text, _) in enumerate(stored.moves):
            table.replay(number, ply, seat, text, tell=place >= last)
    return table


def _without_match(stored: StoredTable) -> Table | None:
    """The table and its people, without what was played; None when its game is not here any more."""
    row = stored.row
    game = games().get(row.game)
    if game is None:
        return None
    seats = tuple(
        Seat(Person(seat.user_id or 0, seat.name), bool(seat.extra.get('left')), seat.hand_channel_id, seat.hand_message_id)
        for seat in stored.seats
    )
    table = Table(row.id, row.guild_id, row.channel_id, game, row.options, row.seats, row.host_id, row.created, seats=seats)
    table.host_id = table.next_host(seats)
    table.board_channel, table.board_message = row.board_channel_id, row.board_message_id
    return table


def _rows(seats: Sequence[Seat]) -> list[storage.Seat]:
    return [
        storage.Seat(
            number, seat.person.id, seat.person.name, None, seat.hand_channel, seat.hand_message, {'left': True} if seat.left else {}
        )
        for number, seat in enumerate(seats)
    ]


def _end_row(end: RoundEnd, at: float) -> storage.RoundEnd:
    return storage.RoundEnd(end.number, end.start, end.dealer, end.points, end.totals, end.reason, at)
