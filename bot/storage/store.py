"""The one door to the database: every query is here."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar, Unpack, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from . import schema
from .database import FAILURES, Database, Work, database
from .values import (
    ALL_GAMES,
    ALL_TIME,
    EVERYWHERE,
    AlreadyStarted,
    ChannelTaken,
    DuplicateInteraction,
    DuplicatePly,
    Finish,
    GameProfile,
    MoveRow,
    NewTable,
    NoSuchTable,
    OpenSeat,
    Order,
    PastResult,
    Profile,
    Rating,
    Result,
    RoundEndRow,
    SeatRow,
    Standing,
    StorageError,
    StoredTable,
    TableChange,
    TableRow,
    periods,
)
from .versions import upgrade

_log = logging.getLogger(__name__)

T = TypeVar('T')
Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]]
"""Starts a coroutine in the background."""

_CHUNK: Final = 500
"""How many tables are read at a time."""


@dataclass(slots=True, eq=False)
class _Write:
    """A write that waits: first the move, then the work; both or nothing."""

    done: asyncio.Future[Any]
    move: MoveRow | None
    work: Work[Any] | None


class Store:
    """The database. Every write is stored when its call returns; writes that wait at the same time share one transaction.

    Every method raises StorageError when the database does not do its work. Then nothing is stored, with one exception: when
    the connection to PostgreSQL is lost (`unreachable`) just while a write is being committed, nobody can know; a later
    `DuplicatePly` shows that it was.
    """

    def __init__(self, opened: Database, spawn: Spawn) -> None:
        """For `open`."""
        self._database = opened
        self._spawn = spawn
        self._waiting: list[_Write] = []
        self._writer: asyncio.Task[Any] | None = None
        self._trouble: str | None = None
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
        """Waits for the writes that have begun, and lets go of the database."""
        self._closed = True
        while self._writer and not self._writer.done():
            await asyncio.wait([self._writer])
        await self._database.close()

    # --- reading and writing ----------------------------------------------------------------------------------------

    async def _read(self, work: Work[T]) -> T:
        if self._closed:
            raise RuntimeError('the store is closed')
        return await self._database.read(work)

    async def _write(self, work: Work[T] | None, move: MoveRow | None = None) -> T:
        """Has the writer do this; returns what the work returned, once it is stored."""
        if self._closed:
            raise RuntimeError('the store is closed')
        write = _Write(asyncio.get_running_loop().create_future(), move, work)
        self._waiting.append(write)
        if self._writer is None or self._writer.done():
            self._start_writer()
        return cast(T, await write.done)

    def _start_writer(self) -> None:
        self._writer = self._spawn(self._drain())
        self._writer.add_done_callback(self._writer_ended)

    def _writer_ended(self, writer: asyncio.Task[Any]) -> None:
        """Starts another one if this one was cancelled while somebody waits."""
        if writer is self._writer and any(not write.done.done() for write in self._waiting):
            self._start_writer()

    async def _drain(self) -> None:
        """The writer: stores all that waits, again and again until nothing waits."""
        while self._waiting:
            batch = [write for write in self._waiting if not write.done.done()]
            self._waiting.clear()
            storing = asyncio.ensure_future(self._database.write(partial(_store, self._database, batch)))
            try:
                await asyncio.wait([storing])
            except asyncio.CancelledError:
                await asyncio.wait([storing])  # what has begun is finished, and those who wait for it are told
                raise
            finally:
                self._answer(batch, storing)

    def _answer(self, batch: list[_Write], stored: asyncio.Future[list[object]]) -> None:
        error = asyncio.CancelledError() if stored.cancelled() else stored.exception()
        self._watch(error)
        for number, write in enumerate(batch):
            if write.done.done():
                continue
            if isinstance(error, StorageError):
                write.done.set_exception(StorageError(error.code, str(error)))
            elif error:
                write.done.set_exception(error)
            elif isinstance(outcome := stored.result()[number], Exception):
                if isinstance(outcome, StorageError):
                    _log.error('One thing could not be stored. %s', outcome)
                write.done.set_exception(outcome)
            else:
                write.done.set_result(outcome)

    def _watch(self, error: BaseException | None) -> None:
        """Tells the log once when nothing can be stored any more, and once when it can be again."""
        trouble = error.code if isinstance(error, StorageError) else None
        if trouble and trouble != self._trouble:
            _log.error('Nothing can be stored. %s', error)
        elif self._trouble and error is None:
            _log.warning('The database works again.')
        if trouble or error is None:
            self._trouble = trouble

    # --- tables -----------------------------------------------------------------------------------------------------

    async def create_table(self, new: NewTable) -> int:
        """Opens a table in the lobby; returns its id. Raises ChannelTaken when the channel has an open table."""
        return await self._write(partial(_create_table, new))

    async def update_table(self, table_id: int, *, at: float | None = None, **columns: Unpack[TableChange]) -> None:
        """Changes columns of a table; `at` becomes its time of change. Raises NoSuchTable, and ChannelTaken for a new channel."""
        unknown = columns.keys() - TableChange.__annotations__.keys()
        if unknown:
            raise TypeError(f'a table has no {", ".join(sorted(unknown))} to change')
        await self._write(partial(_update_table, table_id, dict(columns) if at is None else {**columns, 'changed': at}))

    async def set_seats(self, table_id: int, seats: Sequence[SeatRow], *, at: float | None = None) -> None:
        """Replaces all seats of a table. Raises NoSuchTable."""
        await self._write(partial(_set_seats, table_id, list(seats), at))

    async def set_hand_message(self, table_id: int, seat: int, channel_id: int | None, message_id: int | None) -> None:
        """Remembers where a seat's hand is shown."""
        where = (schema.seat.c.table_id == table_id) & (schema.seat.c.seat == seat)
        values = {'hand_channel_id': channel_id, 'hand_message_id': message_id}
        await self._write(lambda connection: _execute(connection, sa.update(schema.seat).where(where).values(values)))

    async def set_watching(self, table_id: int, user_id: int, watching: bool) -> None:
        """Puts a person on the list of those who watch a table, or takes them off it. Raises NoSuchTable."""
        await self._write(partial(_set_watching, table_id, user_id, watching))

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
        """Takes a table out of the lobby with its final seats. Raises AlreadyStarted when it is not in the lobby, NoSuchTable.

        `round_ends` and `finish` are for what the deal itself decides.
        """
        await self._write(partial(_start_match, table_id, seed, list(seats), at, list(round_ends), finish))

    async def add_move(self, move: MoveRow, round_ends: Sequence[RoundEndRow] = (), finish: Finish | None = None) -> None:
        """Stores a move together with the rounds and the match that it ends.

        Raises DuplicateInteraction, DuplicatePly when a move stands there, or NoSuchTable; then nothing of it is stored.
        """
        work = partial(_end, move.table_id, list(round_ends), finish) if round_ends or finish else None
        await self._write(work, move)

    async def remove_move(self, table_id: int, round: int, ply: int) -> None:
        """Forgets the last move of a running round. Does nothing when it is not stored."""
        moves = schema.move.c
        query = sa.delete(schema.move).where(moves.table_id == table_id, moves.round == round, moves.ply == ply)
        await self._write(lambda connection: connection.execute(query))

    async def finish(self, finish: Finish) -> None:
        """Ends a match without a move. Does nothing when the table is not open any more. Raises NoSuchTable."""
        await self._write(partial(_end, finish.table_id, [], finish))

    async def open_tables(self) -> AsyncIterator[StoredTable]:
        """All tables in the lobby or playing, by id; only some of them are in memory at any time.

        A table with values that cannot be read is closed, with the reason `damaged`, and left out.
        """
        tables = schema.game_table
        ids = await self._read(lambda connection: sorted(connection.scalars(sa.select(tables.c.id).where(schema.OPEN))))
        for start in range(0, len(ids), _CHUNK):
            chunk = ids[start : start + _CHUNK]
            try:
                found = await self._read(partial(_stored, tables.c.id.between(chunk[0], chunk[-1]) & schema.OPEN))
            except ValueError:  # JSON that is none, or text that is not UTF-8
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
        found = await self._read(partial(_stored, schema.game_table.c.id == table_id))
        return found[0] if found else None

    async def last_table(self, channel_id: int) -> int | None:
        """The id of the last table of a channel whose match has ended; None when there was none."""
        c = schema.game_table.c
        query = sa.select(sa.func.max(c.id)).where(c.channel_id == channel_id, c.state.in_(('finished', 'abandoned')))
        return await self._read(lambda connection: connection.scalar(query))

    async def seats_of(self, user_id: int) -> list[OpenSeat]:
        """The seats that a person has at open tables, in all servers, by table."""
        tables, seats = schema.game_table.c, schema.seat.c
        query = (
            sa.select(tables.id, tables.guild_id, tables.channel_id, tables.game, tables.state, seats.seat)
            .join_from(schema.seat, schema.game_table)
            .where(seats.user_id == user_id, schema.OPEN)
            .order_by(tables.id)
        )
        return await self._read(lambda connection: [OpenSeat(*row) for row in connection.execute(query)])

    # --- leaderboards -----------------------------------------------------------------------------------------------

    async def ratings(self, guild_ids: Iterable[int], games: Iterable[str], user_ids: Iterable[int]) -> dict[tuple[int, str, int], Rating]:
        """The ratings there are, by (server, game, person)."""
        c = schema.rating.c
        query = sa.select(schema.rating).where(c.guild_id.in_(list(guild_ids)), c.game.in_(list(games)), c.user_id.in_(list(user_ids)))
        found = await self._read(lambda connection: [Rating(*row) for row in connection.execute(query)])
        return {(rating.guild_id, rating.game, rating.user_id): rating for rating in found}

    async def leaderboard(
        self, guild_id: int, game: str, period: str, by: Order, *, offset: int = 0, limit: int = 10, min_matches: int = 0
    ) -> tuple[list[Standing], int]:
        """A page of a leaderboard, and how many people are on it. Server `EVERYWHERE` and game `ALL_GAMES` are possible.

        `period` is one of `periods`. By rating, only people whose rating rests on `min_matches` rated matches are on it.
        """
        return await self._read(partial(_leaderboard, guild_id, game, period, by, offset, limit, min_matches))

    async def my_rank(self, guild_id: int, game: str, period: str, by: Order, user_id: int, *, min_matches: int = 0) -> Standing | None:
        """A person's own line of a leaderboard; None when they are not on it."""
        return await self._read(partial(_my_rank, guild_id, game, period, by, user_id, min_matches))

    async def profile(self, user_id: int, guild_id: int, *, last: int = 10) -> Profile:
        """What a person has done in a server, or with `EVERYWHERE` in all: by game, and their last results."""
        return await self._read(partial(_profile, user_id, guild_id, last))

    # --- servers and people -----------------------------------------------------------------------------------------

    async def remember_guild(self, guild_id: int, name: str, locale: str) -> None:
        """Keeps a server's name and language."""
        await self._write(partial(_remember, schema.guild, {'id': guild_id, 'name': name, 'locale': locale}))

    async def remember_person(self, user_id: int, name: str) -> None:
        """Keeps a person's name."""
        await self._write(partial(_remember, schema.person, {'id': user_id, 'name': name}))

    async def guild_settings(self, guild_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The settings of these servers, by id; empty where there are none."""
        return await self._read(partial(_settings, schema.guild, list(guild_ids)))

    async def set_guild_settings(self, guild_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a server's settings; plain JSON values."""
        await self._write(partial(_put, schema.guild, ['id'], {'id': guild_id, 'settings': dict(settings)}))

    async def person_settings(self, user_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The settings of these people, by id; empty where there are none."""
        return await self._read(partial(_settings, schema.person, list(user_ids)))

    async def set_person_settings(self, user_id: int, settings: Mapping[str, Any]) -> None:
        """Replaces a person's settings; plain JSON values."""
        await self._write(partial(_put, schema.person, ['id'], {'id': user_id, 'settings': dict(settings)}))


# --- the writer's work ----------------------------------------------------------------------------------------------


def _store(opened: Database, batch: list[_Write], connection: sa.Connection) -> list[object]:
    """All writes in one transaction: by each, what its work returned, or its own exception. Raises when nothing is stored."""
    try:
        with connection.begin():
            return _together(batch, connection)
    except FAILURES as error:
        if opened.explain(error).code != 'other':
            raise
    except Exception:
        pass  # one of them is to blame; found out below
    with connection.begin():
        return [_alone(opened, write, connection) for write in batch]


def _together(batch: list[_Write], connection: sa.Connection) -> list[object]:
    """The quick way, when none of them is refused."""
    outcomes: list[object] = []
    moves: list[MoveRow] = []
    for write in batch:
        if write.move:
            moves.append(write.move)
        if write.work is None:
            outcomes.append(None)
            continue
        _insert_moves(moves, connection)
        moves = []
        outcomes.append(write.work(connection))
    _insert_moves(moves, connection)
    return outcomes


def _alone(opened: Database, write: _Write, connection: sa.Connection) -> object:
    """One write in a savepoint; returns its exception if it is to blame."""
    try:
        with connection.begin_nested():
            if write.move:
                _check_move(write.move, connection)
                _insert_moves([write.move], connection)
            return write.work(connection) if write.work else None
    except FAILURES as error:
        trouble = opened.explain(error)
        if trouble.code != 'other':
            raise
        return trouble
    except Exception as error:
        return error


def _insert_moves(moves: list[MoveRow], connection: sa.Connection) -> None:
    if moves:
        rows = [(move.table_id, move.round, move.ply, move.seat, move.text, move.interaction_id, move.by, move.at) for move in moves]
        connection.exec_driver_sql(_insert_move(connection.dialect), rows)


@cache
def _insert_move(dialect: sa.Dialect) -> str:
    """The statement in the driver's own words: half the time for the write that there is most of."""
    return sa.insert(schema.move).compile(dialect=dialect).string


def _check_move(move: MoveRow, connection: sa.Connection) -> None:
    c = schema.move.c
    if move.interaction_id is not None and _exists(connection, c.interaction_id == move.interaction_id):
        raise DuplicateInteraction(f'the interaction {move.interaction_id} has made a move already')
    if _exists(connection, (c.table_id == move.table_id) & (c.round == move.round) & (c.ply == move.ply)):
        raise DuplicatePly(f'table {move.table_id} has a ply {move.ply} in round {move.round} already')
    _check_table(move.table_id, connection)


def _exists(connection: sa.Connection, where: sa.ColumnElement[bool]) -> bool:
    return bool(connection.scalar(sa.select(sa.exists().where(where))))


def _check_table(table_id: int, connection: sa.Connection) -> None:
    if not _exists(connection, schema.game_table.c.id == table_id):
        raise NoSuchTable(table_id)


def _execute(connection: sa.Connection, statement: sa.Executable) -> None:
    connection.execute(statement)


def _insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows `ON CONFLICT`."""
    return sqlite.insert(table) if connection.dialect.name == 'sqlite' else postgresql.insert(table)


def _put(table: sa.Table, key: list[str], row: dict[str, Any], connection: sa.Connection) -> None:
    """Inserts a row, or brings the one with this key up to date."""
    insert = _insert(connection, table).values(row)
    changes = {name: insert.excluded[name] for name in row if name not in key}
    connection.execute(insert.on_conflict_do_update(index_elements=key, set_=changes))


def _remember(table: sa.Table, row: dict[str, Any], connection: sa.Connection) -> None:
    """As `_put`, but writes nothing where nothing has changed."""
    insert = _insert(connection, table).values(row)
    changes = {name: insert.excluded[name] for name in row if name != 'id'}
    changed = sa.or_(*(table.c[name].is_distinct_from(new) for name, new in changes.items()))
    connection.execute(insert.on_conflict_do_update(index_elements=['id'], set_=changes, where=changed))


def _create_table(new: NewTable, connection: sa.Connection) -> int:
    _check_channel(new.channel_id, connection)
    row = {
        'guild_id': new.guild_id,
        'channel_id': new.channel_id,
        'game': new.game,
        'options': dict(new.options),
        'host_id': new.host_id,
        'state': 'lobby',
        'seats': new.seats,
        'pace': new.pace,
        'created': new.at,
        'changed': new.at,
        'extra': dict(new.extra),
    }
    table_id: int = connection.execute(sa.insert(schema.game_table).returning(schema.game_table.c.id), row).scalar_one()
    _insert_seats(table_id, new.seated, connection)
    for user_id in new.watchers:
        _set_watching(table_id, user_id, True, connection)
    return table_id


def _check_channel(channel_id: int, connection: sa.Connection) -> None:
    taken = connection.scalar(sa.select(schema.game_table.c.id).where(schema.game_table.c.channel_id == channel_id, schema.OPEN))
    if taken is not None:
        raise ChannelTaken(taken)


def _update_table(table_id: int, columns: dict[str, Any], connection: sa.Connection) -> None:
    values: dict[str, Any] = {name: dict(value) if isinstance(value, Mapping) else value for name, value in columns.items()}
    c = schema.game_table.c
    if 'channel_id' in values and connection.scalar(sa.select(c.channel_id).where(c.id == table_id)) != values['channel_id']:
        _check_channel(values['channel_id'], connection)
    if values and not connection.execute(sa.update(schema.game_table).where(c.id == table_id).values(values)).rowcount:
        raise NoSuchTable(table_id)


def _set_seats(table_id: int, seats: list[SeatRow], at: float | None, connection: sa.Connection) -> None:
    _check_table(table_id, connection)
    if at is not None:
        _update_table(table_id, {'changed': at}, connection)
    connection.execute(sa.delete(schema.seat).where(schema.seat.c.table_id == table_id))
    _insert_seats(table_id, seats, connection)


def _insert_seats(table_id: int, seats: Sequence[SeatRow], connection: sa.Connection) -> None:
    rows = [
        {
            'table_id': table_id,
            'seat': seat.seat,
            'user_id': seat.user_id,
            'name': seat.name,
            'computer': seat.computer,
            'hand_channel_id': seat.hand_channel_id,
            'hand_message_id': seat.hand_message_id,
            'extra': dict(seat.extra),
        }
        for seat in seats
    ]
    if rows:
        connection.execute(sa.insert(schema.seat), rows)


def _set_watching(table_id: int, user_id: int, watching: bool, connection: sa.Connection) -> None:
    c = schema.watcher.c
    if watching:
        _check_table(table_id, connection)
        connection.execute(_insert(connection, schema.watcher).values(table_id=table_id, user_id=user_id).on_conflict_do_nothing())
    else:
        connection.execute(sa.delete(schema.watcher).where(c.table_id == table_id, c.user_id == user_id))


def _start_match(
    table_id: int,
    seed: str,
    seats: list[SeatRow],
    at: float,
    round_ends: list[RoundEndRow],
    finish: Finish | None,
    connection: sa.Connection,
) -> None:
    c = schema.game_table.c
    start = sa.update(schema.game_table).where(c.id == table_id, c.state == 'lobby').values(state='playing', seed=seed, changed=at)
    if not connection.execute(start).rowcount:
        _check_table(table_id, connection)
        raise AlreadyStarted(f'table {table_id} has left the lobby')
    _set_seats(table_id, seats, None, connection)
    _end(table_id, round_ends, finish, connection)


def _end(table_id: int, round_ends: list[RoundEndRow], finish: Finish | None, connection: sa.Connection) -> None:
    """Ends rounds, and the match if there is a `finish` and the table is still open."""
    if round_ends:
        rows = [
            {
                'table_id': table_id,
                'round': end.round,
                'start': end.start,
                'dealer': end.dealer,
                'points': list(end.points),
                'totals': list(end.totals),
                'reason': end.reason,
                'ended': end.at,
            }
            for end in round_ends
        ]
        connection.execute(sa.insert(schema.round_), rows)
    if finish is None:
        return
    c = schema.game_table.c
    table = connection.execute(sa.select(c.guild_id, c.game, c.state).where(c.id == finish.table_id)).one_or_none()
    if table is None:
        raise NoSuchTable(finish.table_id)
    if table.state not in ('lobby', 'playing'):
        return
    _update_table(finish.table_id, {'state': finish.state, 'reason': finish.reason, 'changed': finish.at}, connection)
    _insert_results(finish, table.guild_id, table.game, connection)
    for rating in finish.ratings:
        row = {name: getattr(rating, name) for name in schema.rating.c.keys()}  # noqa: SIM118
        _put(schema.rating, ['guild_id', 'game', 'user_id'], row, connection)
    if finish.counts:
        _count(finish, table.guild_id, table.game, connection)


def _insert_results(finish: Finish, guild_id: int, game: str, connection: sa.Connection) -> None:
    rows = [
        {
            'table_id': finish.table_id,
            'seat': result.seat,
            'guild_id': guild_id,
            'game': game,
            'user_id': result.user_id,
            'computer': result.computer,
            'place': result.place,
            'won': result.won,
            'points': result.points,
            'total': result.total,
            'left': result.left,
            'rated': result.rated,
            'at': finish.at,
        }
        for result in finish.results
    ]
    if rows:
        connection.execute(sa.insert(schema.result), rows)


def _count(finish: Finish, guild_id: int, game: str, connection: sa.Connection) -> None:
    """Adds a match to every leaderboard that it belongs to."""
    boards = [
        {'guild_id': where, 'period': period, 'game': which}
        for where in (guild_id, EVERYWHERE)
        for which in (game, ALL_GAMES)
        for period in periods(finish.at)
    ]
    connection.execute(_insert(connection, schema.leaderboard).on_conflict_do_nothing(), boards)
    c = schema.leaderboard.c
    found = connection.execute(
        sa.select(c.id, c.guild_id, c.game).where(
            c.guild_id.in_([guild_id, EVERYWHERE]), c.period.in_(periods(finish.at)), c.game.in_([game, ALL_GAMES])
        )
    ).all()
    ratings = {(rating.guild_id, rating.game, rating.user_id): rating for rating in finish.ratings}
    rows = []
    for board_id, where, which in found:
        for result in finish.results:
            if result.user_id is not None:
                rating = ratings.get((where, which, result.user_id))
                rows.append(
                    {
                        'leaderboard_id': board_id,
                        'user_id': result.user_id,
                        'matches': 1,
                        'wins': int(result.won),
                        'points': result.points,
                        'rating': rating and rating.ordinal,
                        'rated': rating.matches if rating else 0,
                    }
                )
    if not rows:
        return
    insert, old = _insert(connection, schema.standing), schema.standing.c
    new = insert.excluded
    changes = {
        'matches': old.matches + new.matches,
        'wins': old.wins + new.wins,
        'points': old.points + new.points,
        'rating': sa.func.coalesce(new.rating, old.rating),
        'rated': sa.case((new.rating.is_(None), old.rated), else_=new.rated),
    }
    connection.execute(insert.on_conflict_do_update(index_elements=['leaderboard_id', 'user_id'], set_=changes), rows)


# --- what is read ---------------------------------------------------------------------------------------------------


def _stored(where: sa.ColumnElement[bool], connection: sa.Connection) -> list[StoredTable]:
    """The tables that fit, by id, with all that belongs to them."""
    m = schema.move.c
    moves_of_table = sa.select(sa.func.count()).where(m.table_id == schema.game_table.c.id).scalar_subquery()
    tables = connection.execute(sa.select(schema.game_table, moves_of_table).where(where).order_by(schema.game_table.c.id)).all()
    found = {row.id: StoredTable(TableRow(*row[:-1]), [], [], [], []) for row in tables}

    def belongings(table: sa.Table, *columns: sa.Column[Any]) -> sa.Select[Any]:
        order = schema.game_table.c.id, *list(table.primary_key)[1:]
        return sa.select(*columns).join_from(schema.game_table, table).where(where).order_by(*order)

    c = schema.seat.c
    seats = belongings(schema.seat, c.table_id, c.seat, c.user_id, c.name, c.computer, c.hand_channel_id, c.hand_message_id, c.extra)
    for table_id, *row in connection.execute(seats):
        found[table_id].seats.append(SeatRow(*row))
    r = schema.round_.c
    rounds = belongings(schema.round_, r.table_id, r.round, r.start, r.dealer, r.points, r.totals, r.reason, r.ended)
    for table_id, *row in connection.execute(rounds):
        found[table_id].rounds.append(RoundEndRow(*row))
    for table_id, user_id in connection.execute(belongings(schema.watcher, schema.watcher.c.table_id, schema.watcher.c.user_id)):
        found[table_id].watchers.append(user_id)
    moves = _tuples(belongings(schema.move, m.round, m.ply, m.seat, m.text, m.by), connection)
    start = 0
    for table, count in zip(found.values(), (row[-1] for row in tables), strict=True):
        table.moves.extend(moves[start : start + count])
        start += count
    return list(found.values())


def _tuples(query: sa.Select[Any], connection: sa.Connection) -> list[tuple[Any, ...]]:
    """The rows as the driver gives them: half the time for moves, of which there are many."""
    compiled = query.compile(dialect=connection.dialect)
    cursor = connection.connection.cursor()
    try:
        cursor.execute(compiled.string, tuple(compiled.params[name] for name in compiled.positiontup or ()))
        return [tuple(row) for row in cursor.fetchall()]
    finally:
        cursor.close()


@cache
def _on_board(by: Order) -> sa.Select[Any]:
    """Lines of a leaderboard. Parameters: guild_id, period, game; by rating also min_matches."""
    board, c = schema.leaderboard.c, schema.standing.c
    query = (
        sa.select(c.user_id, schema.person.c.name, c.matches, c.wins, c.points, c.rating)
        .select_from(schema.leaderboard.join(schema.standing).outerjoin(schema.person, schema.person.c.id == c.user_id))
        .where(*(board[name] == sa.bindparam(name) for name in ('guild_id', 'period', 'game')))
    )
    return query.where(c.rating.is_not(None), c.rated >= sa.bindparam('min_matches')) if by == 'rating' else query


@cache
def _page(by: Order) -> sa.Select[Any]:
    c = schema.standing.c
    page = _on_board(by).add_columns(_people(by).correlate(None).scalar_subquery())
    return page.order_by(c[by].desc(), c.user_id.desc()).offset(sa.bindparam('offset')).limit(sa.bindparam('limit'))


@cache
def _people(by: Order) -> sa.Select[Any]:
    return _on_board(by).with_only_columns(sa.func.count(), maintain_column_froms=True)


@cache
def _better(by: Order) -> sa.Select[Any]:
    return _people(by).where(schema.standing.c[by] > sa.bindparam('value'))


@cache
def _own_line(by: Order) -> sa.Select[Any]:
    """A person's line, with the number of people who are better."""
    c, other = schema.standing.c, schema.standing.alias()
    better = sa.select(sa.func.count()).where(other.c.leaderboard_id == c.leaderboard_id, other.c[by] > c[by])
    if by == 'rating':
        better = better.where(other.c.rated >= sa.bindparam('min_matches'))
    return _on_board(by).where(c.user_id == sa.bindparam('user_id')).add_columns(better.scalar_subquery())


def _leaderboard(
    guild_id: int, game: str, period: str, by: Order, offset: int, limit: int, min_matches: int, connection: sa.Connection
) -> tuple[list[Standing], int]:
    values: dict[str, Any] = {'guild_id': guild_id, 'game': game, 'period': period}
    if by == 'rating':
        values['min_matches'] = min_matches
    standings: list[Standing] = []
    rows = connection.execute(_page(by), values | {'offset': offset, 'limit': limit}).all()
    for number, row in enumerate(rows, offset + 1):
        if standings and getattr(row, by) == getattr(standings[-1], by):
            number = standings[-1].rank
        elif not standings and offset:
            number = 1 + connection.execute(_better(by), values | {'value': getattr(row, by)}).scalar_one()
        standings.append(Standing(number, *row[:-1]))
    people = rows[0][-1] if rows else connection.execute(_people(by), values).scalar_one() if offset else 0
    return standings, people


def _my_rank(
    guild_id: int, game: str, period: str, by: Order, user_id: int, min_matches: int, connection: sa.Connection
) -> Standing | None:
    values: dict[str, Any] = {'guild_id': guild_id, 'game': game, 'period': period, 'user_id': user_id}
    if by == 'rating':
        values['min_matches'] = min_matches
    row = connection.execute(_own_line(by), values).one_or_none()
    return Standing(1 + row[-1], *row[:-1]) if row else None


def _profile(user_id: int, guild_id: int, last: int, connection: sa.Connection) -> Profile:
    board, c = schema.leaderboard.c, schema.standing.c
    games = (
        sa.select(board.game, c.matches, c.wins, c.points, c.rating, c.rated)
        .join_from(schema.leaderboard, schema.standing)
        .where(board.guild_id == guild_id, board.period == ALL_TIME, c.user_id == user_id)
        .order_by(board.game)
    )
    r = schema.result.c
    results = (
        sa.select(r.table_id, r.guild_id, r.game, r.at, r.seat, r.user_id, r.place, r.won, r.points, r.total, r.left, r.rated, r.computer)
        .where(r.user_id == user_id, r.guild_id == guild_id if guild_id != EVERYWHERE else sa.true())
        .order_by(r.at.desc(), r.table_id.desc())
        .limit(last)
    )
    return Profile(
        [GameProfile(*row) for row in connection.execute(games)],
        [PastResult(row.table_id, row.guild_id, row.game, Result(*row[4:]), row.at) for row in connection.execute(results)],
    )


def _settings(table: sa.Table, keys: list[int], connection: sa.Connection) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {key: {} for key in keys}
    for start in range(0, len(keys), _CHUNK):
        text = sa.cast(table.c.settings, sa.LargeBinary if connection.dialect.name == 'sqlite' else sa.Text)  # there it may be no UTF-8
        query = sa.select(table.c.id, text).where(table.c.id.in_(keys[start : start + _CHUNK]), table.c.settings.is_not(sa.null()))
        for key, stored in connection.execute(query):
            try:
                settings = json.loads(stored)
            except (ValueError, RecursionError):
                settings = None
            if isinstance(settings, dict):
                found[key] = settings
            else:
                _log.warning('The settings of %s %d are no JSON object and are left aside.', table.name, key)
    return found
