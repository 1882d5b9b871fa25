"""Tables as they are stored, and back: rows for the database, and a table rebuilt from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import ratings, storage
from .engines import games
from .engines.base import Match
from .pace import PACES
from .storage import ALL_GAMES, EVERYWHERE, Finish, Rating, Result, StoredTable
from .table import RECENT, Person, RoundEnd, Seat, Table, places

RatingKey = tuple[int, str, int]
"""Server, game, person."""


def seat_rows(seats: Sequence[Seat]) -> list[storage.Seat]:
    """The seats as rows; what is as usual is left out."""
    return [
        storage.Seat(
            number,
            seat.person.id,
            seat.person.name,
            hand_channel_id=seat.hand_channel,
            hand_message_id=seat.hand_message,
            extra={name: value for name, value in _extra(seat) if value},
        )
        for number, seat in enumerate(seats)
    ]


def _extra(seat: Seat) -> list[tuple[str, Any]]:
    before = [[person.id, person.name] for person in seat.before]
    return [('left', seat.left), ('away', seat.away), ('idle', seat.idle), ('before', before)]


def end_row(end: RoundEnd, at: float) -> storage.RoundEnd:
    """The end of a round as a row."""
    return storage.RoundEnd(end.number, end.start, end.dealer, end.points, end.totals, end.reason, at)


def rebuild(stored: StoredTable) -> Table:
    """The table as it was after its last stored move.

    Raises MoveError, OptionError, TableError, LookupError or ValueError when what is stored does not fit the rules.
    """
    table = without_match(stored)
    if table is None:
        raise LookupError(stored.row.game)
    if stored.row.state == 'playing':
        if stored.row.seed is None:
            raise ValueError('a match without a seed')
        table.begin(table.deal(stored.row.seed))
        last = len(stored.moves) - RECENT
        for place, (number, ply, seat, text, _) in enumerate(stored.moves):
            table.replay(number, ply, seat, text, tell=place >= last)
        table.computer_played = any(by == 'computer' for *_, by in stored.moves)
    return table


def without_match(stored: StoredTable) -> Table | None:
    """The table and its people, without what was played; None when its game is not here any more."""
    row = stored.row
    game = games().get(row.game)
    if game is None:
        return None
    seats = tuple(
        Seat(
            Person(seat.user_id or 0, seat.name),
            left=seat.extra.get('left') is True,
            away=seat.extra.get('away') is True,
            idle=int(seat.extra.get('idle', 0)),
            hand_channel=seat.hand_channel_id,
            hand_message=seat.hand_message_id,
            before=tuple(Person(int(user_id), str(name)) for user_id, name in seat.extra.get('before', [])),
        )
        for seat in stored.seats
    )
    table = Table(row.id, row.guild_id, row.channel_id, game, row.options, row.seats, row.host_id, row.created, seats=seats)
    table.host_id = table.next_host(seats)
    table.board_channel, table.board_message = row.board_channel_id, row.board_message_id
    table.pace = PACES.get(row.pace)
    table.watchers = tuple(stored.watchers)
    return table


# --- how a match came out ---------------------------------------------------------------------------------------------


def rates(table: Table) -> bool:
    """Whether the match changes ratings: only when everyone who began it finished it, and the computer player moved for nobody."""
    return not table.computer_played and not any(seat.left or seat.before for seat in table.seats)


def finished(table: Table, match: Match, at: float, old: Mapping[RatingKey, Rating] | None) -> Finish:
    """What a match leaves behind when it is played to its end: a result for everyone, and new ratings if it rates.

    `old` are the ratings there were (`rating_keys` says which), or None when the match does not rate. Those who left have won nothing.
    """
    standing = places(match)
    points = ratings.placing_points(standing)
    results = [
        Result(
            number,
            seat.person.id,
            standing[number],
            number in match.winners and not seat.left,
            0 if seat.left else points[number],
            match.totals[number],
            seat.left,
            old is not None,
        )
        for number, seat in enumerate(table.seats)
    ]
    new = [] if old is None else _new_ratings(table, standing, old)
    return Finish(table.id, 'finished', 'finished', at, [*results, *_of_the_gone(table, match)], new)


def abandoned(table: Table, match: Match, reason: str, at: float) -> Finish:
    """What is kept of a match that was stopped before its end: who played and how they stood. It counts for nothing."""
    results = [
        Result(number, seat.person.id, place, False, 0, match.totals[number], seat.left)
        for number, (seat, place) in enumerate(zip(table.seats, places(match), strict=True))
    ]
    return Finish(table.id, 'abandoned', reason, at, [*results, *_of_the_gone(table, match)], counts=False)


def rating_keys(table: Table) -> tuple[set[int], set[str], list[int]]:
    """The servers, games and people whose ratings a match changes: here and everywhere, in this game and in all together."""
    return {table.guild_id, EVERYWHERE}, {table.game.id, ALL_GAMES}, [seat.person.id for seat in table.seats]


def _new_ratings(table: Table, standing: Sequence[int], old: Mapping[RatingKey, Rating]) -> list[Rating]:
    guilds, game_ids, users = rating_keys(table)
    new = []
    for guild in sorted(guilds):
        for game in sorted(game_ids):
            before = [old.get((guild, game, user)) for user in users]
            rated = ratings.rate([(one.mu, one.sigma) if one else None for one in before], standing)
            new += [
                Rating(guild, game, user, one.mu, one.sigma, one.ordinal, (was.matches if was else 0) + 1)
                for user, was, one in zip(users, before, rated, strict=True)
            ]
    return new


def _of_the_gone(table: Table, match: Match) -> list[Result]:
    """The results of those who left and were replaced: last, under numbers beyond the seats."""
    count, here = len(table.seats), {seat.person.id for seat in table.seats}
    gone = {person.id: number for number, seat in enumerate(table.seats) for person in seat.before if person.id not in here}
    return [
        Result(count + place, user_id, count, False, 0, match.totals[seat], left=True)
        for place, (user_id, seat) in enumerate(gone.items())
    ]
