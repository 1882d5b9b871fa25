"""Tables with their seats, watchers, rounds and moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from . import leaderboards, schema, sql
from .values import (
    AlreadyStartedError,
    ChannelTakenError,
    ClosedLobby,
    DuplicateInteractionError,
    DuplicatePlyError,
    Finish,
    MoveRow,
    NewTable,
    NoSuchTableError,
    RoundEndRow,
    SeatRow,
    StoredTable,
    TableRow,
)

# --- tables and seats -----------------------------------------------------------------------------------------------


def create(new: NewTable, connection: sa.Connection) -> int:
    """`Store.create_table`."""
    _check_channel(new.channel_id, connection)
    row = sql.row(schema.game_table, new, options=dict(new.options), state='lobby', created=new.at, changed=new.at)
    table_id: int = connection.execute(sa.insert(schema.game_table).returning(schema.game_table.c.id), row).scalar_one()
    _insert_seats(table_id, new.seated, connection)
    for user_id in new.watchers:
        set_watching(table_id, user_id, True, connection)
    return table_id


def _check_channel(channel_id: int, connection: sa.Connection) -> None:
    taken = connection.scalar(sa.select(schema.game_table.c.id).where(schema.game_table.c.channel_id == channel_id, schema.OPEN))
    if taken is not None:
        raise ChannelTakenError(taken)


def _check_table(table_id: int, connection: sa.Connection) -> None:
    if not sql.exists(connection, schema.game_table.c.id == table_id):
        raise NoSuchTableError(table_id)


def update(table_id: int, values: dict[str, Any], connection: sa.Connection) -> None:
    """`Store.update_table`."""
    c = schema.game_table.c
    if 'channel_id' in values and connection.scalar(sa.select(c.channel_id).where(c.id == table_id)) != values['channel_id']:
        _check_channel(values['channel_id'], connection)
    if values and not connection.execute(sa.update(schema.game_table).where(c.id == table_id).values(values)).rowcount:
        raise NoSuchTableError(table_id)
    if values.get('state', 'lobby') not in ('lobby', 'playing'):
        connection.execute(sql.insert(connection, schema.unshown).values(table_id=table_id).on_conflict_do_nothing())


def set_seats(table_id: int, seats: Sequence[SeatRow], at: float | None, connection: sa.Connection) -> None:
    """`Store.set_seats`."""
    _check_table(table_id, connection)
    if at is not None:
        update(table_id, {'changed': at}, connection)
    connection.execute(sa.delete(schema.seat).where(schema.seat.c.table_id == table_id))
    _insert_seats(table_id, seats, connection)


def _insert_seats(table_id: int, seats: Sequence[SeatRow], connection: sa.Connection) -> None:
    rows = [sql.row(schema.seat, seat, table_id=table_id, extra=dict(seat.extra)) for seat in seats]
    if rows:
        connection.execute(sa.insert(schema.seat), rows)


def set_hand_message(table_id: int, seat: int, channel_id: int | None, message_id: int | None, connection: sa.Connection) -> None:
    """`Store.set_hand_message`."""
    where = (schema.seat.c.table_id == table_id) & (schema.seat.c.seat == seat)
    connection.execute(sa.update(schema.seat).where(where).values(hand_channel_id=channel_id, hand_message_id=message_id))


def set_watching(table_id: int, user_id: int, watching: bool, connection: sa.Connection) -> None:
    """`Store.set_watching`."""
    c = schema.watcher.c
    if watching:
        _check_table(table_id, connection)
        connection.execute(sql.insert(connection, schema.watcher).values(table_id=table_id, user_id=user_id).on_conflict_do_nothing())
    else:
        connection.execute(sa.delete(schema.watcher).where(c.table_id == table_id, c.user_id == user_id))


# --- matches --------------------------------------------------------------------------------------------------------


def start_match(
    table_id: int,
    seed: str,
    seats: Sequence[SeatRow],
    at: float,
    round_ends: Sequence[RoundEndRow],
    finish: Finish | None,
    connection: sa.Connection,
) -> None:
    """`Store.start_match`."""
    c = schema.game_table.c
    start = sa.update(schema.game_table).where(c.id == table_id, c.state == 'lobby').values(state='playing', seed=seed, changed=at)
    if not connection.execute(start).rowcount:
        _check_table(table_id, connection)
        raise AlreadyStartedError(f'table {table_id} has left the lobby')
    set_seats(table_id, seats, None, connection)
    end(table_id, round_ends, finish, connection)


def end(table_id: int, round_ends: Sequence[RoundEndRow], finish: Finish | None, connection: sa.Connection) -> None:
    """Ends rounds, and the match if there is a `finish` and the table is still open."""
    rows = [
        sql.row(schema.round_, round_end, table_id=table_id, points=list(round_end.points), totals=list(round_end.totals))
        for round_end in round_ends
    ]
    if rows:
        connection.execute(sa.insert(schema.round_), rows)
    if finish is None:
        return
    c = schema.game_table.c
    table = connection.execute(sa.select(c.guild_id, c.game, c.state).where(c.id == finish.table_id)).one_or_none()
    if table is None:
        raise NoSuchTableError(finish.table_id)
    if table.state not in ('lobby', 'playing'):
        return
    update(finish.table_id, {'state': finish.state, 'reason': finish.reason, 'changed': finish.at}, connection)
    leaderboards.insert_results(finish, table.guild_id, table.game, connection)
    leaderboards.put_ratings(finish.ratings, connection)
    if finish.counts:
        leaderboards.count(finish, table.guild_id, table.game, connection)


# --- moves ----------------------------------------------------------------------------------------------------------


def insert_moves(moves: Sequence[MoveRow], connection: sa.Connection) -> None:
    """Stores moves, all by one statement."""
    if moves:
        rows = [(move.table_id, move.round, move.ply, move.seat, move.text, move.interaction_id, move.by, move.at) for move in moves]
        connection.exec_driver_sql(_insert_move(connection.dialect), rows)


@cache
def _insert_move(dialect: sa.Dialect) -> str:
    """The statement as the driver takes it: that halves the time of the write that happens most."""
    return sa.insert(schema.move).compile(dialect=dialect).string


def check_move(move: MoveRow, connection: sa.Connection) -> None:
    """Raises DuplicateInteractionError, DuplicatePlyError or NoSuchTableError for a move that cannot be stored."""
    c = schema.move.c
    if move.interaction_id is not None and sql.exists(connection, c.interaction_id == move.interaction_id):
        raise DuplicateInteractionError(f'interaction {move.interaction_id} has already made a move')
    if sql.exists(connection, (c.table_id == move.table_id) & (c.round == move.round) & (c.ply == move.ply)):
        raise DuplicatePlyError(f'table {move.table_id} already has ply {move.ply} of round {move.round}')
    _check_table(move.table_id, connection)


def remove_move(table_id: int, round_no: int, ply: int, at: float | None, connection: sa.Connection) -> None:
    """`Store.remove_move`."""
    c = schema.move.c
    if connection.execute(sa.delete(schema.move).where(c.table_id == table_id, c.round == round_no, c.ply == ply)).rowcount:
        changes: dict[str, Any] = {'taken_back': schema.game_table.c.taken_back + 1}
        update(table_id, changes if at is None else changes | {'changed': at}, connection)


# --- reading --------------------------------------------------------------------------------------------------------


def open_ids(connection: sa.Connection) -> list[int]:
    """The ids of all open tables, in order."""
    return sorted(connection.scalars(sa.select(schema.game_table.c.id).where(schema.OPEN)))


def unshown_ids(most: int, connection: sa.Connection) -> list[int]:
    """The ids for `Store.unshown_tables`; older ones are given up."""
    c = schema.unshown.c
    newest = list(connection.scalars(sa.select(c.table_id).order_by(c.table_id.desc()).limit(most)))
    if len(newest) == most:
        connection.execute(sa.delete(schema.unshown).where(c.table_id < newest[-1]))
    return newest


def shown(table_id: int, connection: sa.Connection) -> None:
    """`Store.shown`."""
    connection.execute(sa.delete(schema.unshown).where(schema.unshown.c.table_id == table_id))


def open_between(first: int, last: int) -> sa.ColumnElement[bool]:
    """Which tables: the open ones with ids from the first to the last."""
    return schema.game_table.c.id.between(first, last) & schema.OPEN


def last_ended(channel_id: int, connection: sa.Connection) -> int | None:
    """`Store.last_table`."""
    c = schema.game_table.c
    query = sa.select(sa.func.max(c.id)).where(c.channel_id == channel_id, c.state.in_(('finished', 'abandoned')))
    found: int | None = connection.scalar(query)
    return found


def closed_lobbies(connection: sa.Connection) -> list[ClosedLobby]:
    """`Store.closed_lobbies`."""
    c = schema.game_table.c
    query = sa.select(c.id, c.guild_id, c.board_channel_id, c.board_message_id, c.changed).where(c.state == 'closed', c.seed.is_(None))
    return [ClosedLobby(*row) for row in connection.execute(query.order_by(c.changed)).all()]


def delete(table_id: int, connection: sa.Connection) -> None:
    """`Store.delete_closed_lobby`."""
    c = schema.game_table.c
    connection.execute(sa.delete(schema.game_table).where(c.id == table_id, c.state == 'closed', c.seed.is_(None)))


def stored(where: sa.ColumnElement[bool], connection: sa.Connection) -> list[StoredTable]:
    """The tables that fit, by id, with everything that belongs to them."""
    m = schema.move.c
    moves_of_table = sa.select(sa.func.count()).where(m.table_id == schema.game_table.c.id).scalar_subquery()
    last_move_at = sa.select(sa.func.max(m.at)).where(m.table_id == schema.game_table.c.id).scalar_subquery()
    query = sa.select(*sql.columns(schema.game_table, TableRow), last_move_at, moves_of_table).where(where).order_by(schema.game_table.c.id)
    rows = connection.execute(query).all()
    found = {row.id: StoredTable(TableRow(*row[:-2]), [], [], [], [], row[-2]) for row in rows}

    def belongings(table: sa.Table, *columns: sa.Column[Any]) -> sa.Select[Any]:
        order = schema.game_table.c.id, *list(table.primary_key)[1:]
        return sa.select(*columns).join_from(schema.game_table, table).where(where).order_by(*order)

    for table_id, *row in connection.execute(belongings(schema.seat, schema.seat.c.table_id, *sql.columns(schema.seat, SeatRow))).all():
        found[table_id].seats.append(SeatRow(*row))
    for table_id, *row in connection.execute(
        belongings(schema.round_, schema.round_.c.table_id, *sql.columns(schema.round_, RoundEndRow))
    ).all():
        found[table_id].rounds.append(RoundEndRow(*row))
    for table_id, user_id in connection.execute(belongings(schema.watcher, schema.watcher.c.table_id, schema.watcher.c.user_id)).all():
        found[table_id].watchers.append(user_id)
    moves = sql.tuples(belongings(schema.move, m.round, m.ply, m.seat, m.text, m.by), {}, connection)
    start = 0
    for table, count in zip(found.values(), (row[-1] for row in rows), strict=True):
        table.moves.extend(moves[start : start + count])
        start += count
    return list(found.values())
