"""The results and ratings of a match that has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..engines.match import Match
from ..storage import ALL_GAMES, EVERYWHERE, Finish, Rating, Result
from . import ratings
from .table import Table, places

RatingKey = tuple[int, str, int]
"""Server id, game id, user id."""


def rates(table: Table) -> bool:
    """Whether the match changes ratings: only when everyone who began it finished it, and the computer player moved for nobody."""
    return not table.computer_played and not any(seat.departed or seat.before for seat in table.seats)


def finished(table: Table, match: Match, at: float, old: Mapping[RatingKey, Rating] | None) -> Finish:
    """The end of a match that was played to its end: a result for everyone, and new ratings if it rates. Those who left win nothing.

    `at` is when it ended, in seconds since the epoch; `old` are the ratings before it (`rating_keys` says which), or None when it does not
    rate.
    """
    standing = places(match)
    points = ratings.placing_points(standing)
    results = [
        Result(
            seat_no,
            seat.person.id,
            standing[seat_no],
            seat_no in match.winners and not seat.departed,
            0 if seat.departed else points[seat_no],
            match.totals[seat_no],
            seat.departed,
            old is not None,
        )
        for seat_no, seat in enumerate(table.seats)
    ]
    new = [] if old is None else _new_ratings(table, standing, old)
    return Finish(table.id, 'finished', 'finished', at, [*results, *_replaced(table, match)], new)


def abandoned(table: Table, match: Match, reason: str, at: float) -> Finish:
    """The end of a match that was stopped before its end: it keeps who played and how they stood, and counts for nothing."""
    results = [
        Result(seat_no, seat.person.id, place, False, 0, match.totals[seat_no], seat.departed)
        for seat_no, (seat, place) in enumerate(zip(table.seats, places(match), strict=True))
    ]
    return Finish(table.id, 'abandoned', reason, at, [*results, *_replaced(table, match)], counts=False)


def rating_keys(table: Table) -> tuple[set[int], set[str], list[int]]:
    """The servers, games and people whose ratings a match changes: this server and all together, this game and all together."""
    return {table.guild_id, EVERYWHERE}, {table.game.id, ALL_GAMES}, [seat.person.id for seat in table.seats]


def _new_ratings(table: Table, standing: Sequence[int], old: Mapping[RatingKey, Rating]) -> list[Rating]:
    guild_ids, game_ids, user_ids = rating_keys(table)
    new = []
    for guild_id in sorted(guild_ids):
        for game_id in sorted(game_ids):
            before = [old.get((guild_id, game_id, user_id)) for user_id in user_ids]
            after = ratings.rate([(rating.mu, rating.sigma) if rating else None for rating in before], standing)
            new += [
                Rating(guild_id, game_id, user_id, rated.mu, rated.sigma, rated.ordinal, (was.matches if was else 0) + 1)
                for user_id, was, rated in zip(user_ids, before, after, strict=True)
            ]
    return new


def _replaced(table: Table, match: Match) -> list[Result]:
    """The results of those who left and were replaced: last place, with numbers after those of the seats."""
    count, here = len(table.seats), {seat.person.id for seat in table.seats}
    held = {person.id: seat_no for seat_no, seat in enumerate(table.seats) for person in seat.before if person.id not in here}
    return [
        Result(count + extra, user_id, count, False, 0, match.totals[seat_no], left=True)
        for extra, (user_id, seat_no) in enumerate(held.items())
    ]
