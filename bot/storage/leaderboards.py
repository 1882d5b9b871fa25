"""Leaderboards, ratings and profiles: counted at the end of a match, then only read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import sqlalchemy as sa

from . import schema, sql
from .values import (
    ALL_GAMES,
    ALL_TIME,
    EVERYWHERE,
    Finish,
    GameProfile,
    Order,
    PastResult,
    Profile,
    Rating,
    Result,
    Standing,
    periods,
)

# --- at the end of a match ------------------------------------------------------------------------------------------


def insert_results(finish: Finish, guild_id: int, game: str, connection: sa.Connection) -> None:
    """Stores how every seat came out of a match."""
    about = {'table_id': finish.table_id, 'guild_id': guild_id, 'game': game, 'at': finish.at}
    if finish.results:
        connection.execute(sa.insert(schema.result), [sql.row(schema.result, result, **about) for result in finish.results])


def put_ratings(ratings: Iterable[Rating], connection: sa.Connection) -> None:
    """Stores ratings in the place of the former ones."""
    for rating in ratings:
        sql.put(schema.rating, sql.row(schema.rating, rating), connection)


def count(finish: Finish, guild_id: int, game: str, connection: sa.Connection) -> None:
    """Adds a match to every leaderboard that it belongs to."""
    boards = [
        {'guild_id': where, 'period': period, 'game': which}
        for where in (guild_id, EVERYWHERE)
        for which in (game, ALL_GAMES)
        for period in periods(finish.at)
    ]
    connection.execute(sql.insert(connection, schema.leaderboard).on_conflict_do_nothing(), boards)
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
    insert, old = sql.insert(connection, schema.standing), schema.standing.c
    new = insert.excluded
    changes = {
        'matches': old.matches + new.matches,
        'wins': old.wins + new.wins,
        'points': old.points + new.points,
        'rating': sa.func.coalesce(new.rating, old.rating),
        'rated': sa.case((new.rating.is_(None), old.rated), else_=new.rated),
    }
    connection.execute(insert.on_conflict_do_update(index_elements=['leaderboard_id', 'user_id'], set_=changes), rows)


# --- reading --------------------------------------------------------------------------------------------------------


@cache
def _on_board(by: Order) -> sa.Select[Any]:
    """The lines of a leaderboard. Parameters: guild_id, period, game; by rating also min_matches."""
    board, c = schema.leaderboard.c, schema.standing.c
    query = (
        sa.select(c.user_id, schema.person.c.name, c.matches, c.wins, c.points, c.rating)
        .select_from(schema.leaderboard.join(schema.standing).outerjoin(schema.person, schema.person.c.id == c.user_id))
        .where(*(board[name] == sa.bindparam(name) for name in ('guild_id', 'period', 'game')))
    )
    return query.where(c.rating.is_not(None), c.rated >= sa.bindparam('min_matches')) if by == 'rating' else query


@cache
def _page(by: Order) -> sa.Select[Any]:
    """A part of the lines, each with the number of people on the leaderboard. Further parameters: offset, limit."""
    c = schema.standing.c
    lines = _on_board(by).add_columns(_people(by).correlate(None).scalar_subquery())
    return lines.order_by(c[by].desc(), c.user_id.desc()).offset(sa.bindparam('offset')).limit(sa.bindparam('limit'))


@cache
def _people(by: Order) -> sa.Select[Any]:
    return _on_board(by).with_only_columns(sa.func.count(), maintain_column_froms=True)


@cache
def _better(by: Order) -> sa.Select[Any]:
    """The number of people with more than `value`."""
    return _people(by).where(schema.standing.c[by] > sa.bindparam('value'))


@cache
def _line_of_one(by: Order) -> sa.Select[Any]:
    """A person's line with the number of people who are better. Further parameter: user_id."""
    c, other = schema.standing.c, schema.standing.alias()
    better = sa.select(sa.func.count()).where(other.c.leaderboard_id == c.leaderboard_id, other.c[by] > c[by])
    if by == 'rating':
        better = better.where(other.c.rated >= sa.bindparam('min_matches'))
    return _on_board(by).where(c.user_id == sa.bindparam('user_id')).add_columns(better.scalar_subquery())


def _parameters(guild_id: int, game: str, period: str, by: Order, min_matches: int) -> dict[str, Any]:
    values: dict[str, Any] = {'guild_id': guild_id, 'game': game, 'period': period}
    return values | {'min_matches': min_matches} if by == 'rating' else values


def page(
    guild_id: int, game: str, period: str, by: Order, offset: int, limit: int, min_matches: int, connection: sa.Connection
) -> tuple[list[Standing], int]:
    """`Store.leaderboard`."""
    values = _parameters(guild_id, game, period, by, min_matches)
    rows = sql.tuples(_page(by), values | {'offset': offset, 'limit': limit}, connection)
    if not rows:
        return [], connection.execute(_people(by), values).scalar_one() if offset else 0
    standings: list[Standing] = []
    for rank, row in enumerate(rows, offset + 1):
        standing = Standing(rank, *row[:-1])
        if standings and getattr(standing, by) == getattr(standings[-1], by):
            standing = replace(standing, rank=standings[-1].rank)
        elif not standings and offset:
            better = connection.execute(_better(by), values | {'value': getattr(standing, by)}).scalar_one()
            standing = replace(standing, rank=1 + better)
        standings.append(standing)
    return standings, rows[0][-1]


def line_of_one(
    guild_id: int, game: str, period: str, by: Order, user_id: int, min_matches: int, connection: sa.Connection
) -> Standing | None:
    """`Store.my_rank`."""
    values = _parameters(guild_id, game, period, by, min_matches) | {'user_id': user_id}
    for *line, better in sql.tuples(_line_of_one(by), values, connection):
        return Standing(1 + better, *line)
    return None


def ratings(guild_ids: list[int], games: list[str], user_ids: list[int], connection: sa.Connection) -> dict[tuple[int, str, int], Rating]:
    """`Store.ratings`."""
    c = schema.rating.c
    query = sa.select(*sql.columns(schema.rating, Rating)).where(c.guild_id.in_(guild_ids), c.game.in_(games), c.user_id.in_(user_ids))
    return {(row.guild_id, row.game, row.user_id): Rating(*row) for row in connection.execute(query)}


def profile(user_id: int, guild_id: int, last: int, connection: sa.Connection) -> Profile:
    """`Store.profile`."""
    board, c, r = schema.leaderboard.c, schema.standing.c, schema.result.c
    games = (
        sa.select(board.game, c.matches, c.wins, c.points, c.rating, c.rated)
        .join_from(schema.leaderboard, schema.standing)
        .where(board.guild_id == guild_id, board.period == ALL_TIME, c.user_id == user_id)
        .order_by(board.game)
    )
    results = (
        sa.select(r.table_id, r.guild_id, r.game, r.at, *sql.columns(schema.result, Result))
        .where(r.user_id == user_id, r.guild_id == guild_id if guild_id != EVERYWHERE else sa.true())
        .order_by(r.at.desc(), r.table_id.desc())
        .limit(last)
    )
    return Profile(
        [GameProfile(*row) for row in connection.execute(games)],
        [PastResult(row.table_id, row.guild_id, row.game, Result(*row[4:]), row.at) for row in connection.execute(results)],
    )
