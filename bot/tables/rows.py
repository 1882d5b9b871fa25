"""Tables as they are stored, and back: rows for the database, and a table rebuilt from its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import storage
from ..engines import games
from ..storage import StoredTable
from .seats import Person, Seat, next_host
from .table import RECENT, RoundEnd, Table
from .time_control import TIME_CONTROLS


def seat_rows(seats: Sequence[Seat]) -> list[storage.SeatRow]:
    """The seats as rows. What has its usual value is left out of `extra`."""
    return [
        storage.SeatRow(
            seat_no,
            seat.person.id,
            seat.person.name,
            hand_channel_id=seat.hand_channel,
            hand_message_id=seat.hand_message,
            extra={name: value for name, value in _extra(seat) if value},
        )
        for seat_no, seat in enumerate(seats)
    ]


def _extra(seat: Seat) -> list[tuple[str, Any]]:
    before = [[person.id, person.name] for person in seat.before]
    return [('left', seat.departed), ('away', seat.away), ('idle', seat.idle), ('before', before)]


def end_row(end: RoundEnd, at: float) -> storage.RoundEndRow:
    """The end of a round as a row."""
    return storage.RoundEndRow(end.round_no, end.start, end.dealer, end.points, end.totals, end.reason, at)


def rebuild(stored: StoredTable) -> Table:
    """The table as it was after its last stored move.

    Raises MoveError, OptionError, TableError, LookupError or ValueError when what is stored does not fit the rules; a note of the error
    says where.
    """
    table = without_match(stored)
    if table is None:
        raise LookupError(stored.row.game)
    if stored.row.state in ('playing', 'finished', 'abandoned'):
        if stored.row.seed is None:
            raise ValueError('a match without a seed')
        table.begin(table.deal(stored.row.seed))
        table.taken_back = stored.row.taken_back
        recent = len(stored.moves) - RECENT
        for count, (round_no, ply, seat_no, text, _) in enumerate(stored.moves):
            try:
                table.replay(round_no, ply, seat_no, text, tell=count >= recent)
            except Exception as error:
                error.add_note(f'round {round_no}, ply {ply}, seat {seat_no}')
                raise
        table.computer_played = any(by == 'computer' for *_, by in stored.moves)
    if stored.row.state not in ('lobby', 'playing'):
        table.state, table.outcome, table.last_move = stored.row.state, stored.row.reason or stored.row.state, None
    return table


def without_match(stored: StoredTable) -> Table | None:
    """The table and its people, without what was played; None when this version has no such game."""
    row = stored.row
    game = games().get(row.game)
    if game is None:
        return None
    seats = tuple(
        Seat(
            Person(seat.user_id or 0, seat.name),
            departed=seat.extra.get('left') is True,
            away=seat.extra.get('away') is True,
            idle=int(seat.extra.get('idle', 0)),
            hand_channel=seat.hand_channel_id,
            hand_message=seat.hand_message_id,
            before=tuple(Person(int(user_id), str(name)) for user_id, name in seat.extra.get('before', [])),
        )
        for seat in stored.seats
    )
    table = Table(row.id, row.guild_id, row.channel_id, game, row.options, row.seats, row.host_id, row.created, seats=seats)
    table.host_id = next_host(seats, row.host_id)
    table.board_channel, table.board_message = row.board_channel_id, row.board_message_id
    table.time_control = TIME_CONTROLS.get(row.pace)
    table.watchers = tuple(stored.watchers)
    table.votes = frozenset(stored.row.votes or ()) & {person.id for person in table.people}
    table.touched = max(stored.row.changed, stored.last_move_at or 0.0)
    return table
