"""How a match came out: the results and ratings it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..engines.base import Match
from ..storage import ALL_GAMES, EVERYWHERE, Finish, Rating, Result
from . import ratings
from .table import Table, places

RatingKey = tuple[int, str, int]
"""Server, game, person."""


def rates(table: Table) -> bool:
    """Whether the match changes ratings: only when everyone who began it finished it, and the computer player moved for nobody."""
    return not table.computer_played and not any(seat.departed or seat.before for seat in table.seats)


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
            number in match.winners and not seat.departed,
            0 if seat.departed else points[number],
            match.totals[number],
            seat.departed,
            old is not None,
        )
        for number, seat in enumerate(table.seats)
    ]
    new = [] if old is None else _new_ratings(table, standing, old)
    return Finish(table.id, 'finished', 'finished', at, [*results, *_of_the_gone(table, match)], new)


def abandoned(table: Table, match: Match, reason: str, at: float) -> Finish:
    """What is kept of a match that was stopped before its end: who played and how they stood. It counts for nothing."""
    results = [
        Result(number, seat.person.id, place, False, 0, match.totals[number], seat.departed)
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
        Result(count + place, user_id, count, False, 0, match.totals[seat], left=True) for place, (user_id, seat) in enumerate(gone.items())
    ]
