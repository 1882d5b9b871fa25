"""What the statements of the other files share: rows from dataclasses and back, inserts that know `ON CONFLICT`, quick reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, cast

import aiosqlite
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def columns(table: sa.Table, value_type: type[Any]) -> list[sa.Column[Any]]:
    """The columns that a dataclass is made of, in the order of its fields."""
    return [table.c[field.name] for field in fields(value_type)]


def row(table: sa.Table, value: object, **others: Any) -> dict[str, Any]:
    """A row of a table: every column that the dataclass has a field for, and the others."""
    return {column.key: getattr(value, column.key) for column in table.c if hasattr(value, column.key)} | others


def insert(connection: sa.Connection, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows `ON CONFLICT`."""
    return sqlite.insert(table) if connection.dialect.name == 'sqlite' else postgresql.insert(table)


def put(table: sa.Table, values: dict[str, Any], connection: sa.Connection) -> None:
    """Inserts a row, or changes the one with the same primary key."""
    statement = insert(connection, table).values(values)
    keys = table.primary_key.columns.keys()
    changes = {name: statement.excluded[name] for name in values if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes))


def exists(connection: sa.Connection, where: sa.ColumnElement[bool]) -> bool:
    """Whether a row fits."""
    return bool(connection.scalar(sa.select(sa.exists().where(where))))


def tuples(query: sa.Select[Any], values: Mapping[str, Any], connection: sa.Connection) -> list[tuple[Any, ...]]:
    """The rows of a query, for the reads that happen most or are largest: numbers and texts only, as the driver gives them.

    SQLite: a quarter of the changes of thread that SQLAlchemy's cursor needs, and half the time for many rows.
    """
    if connection.dialect.name != 'sqlite':
        return [tuple(row) for row in connection.execute(query, values)]
    text, names, constants = _compiled(query, connection.dialect)
    parameters = [values[name] if name in values else constants[name] for name in names]

    async def fetch(driver: aiosqlite.Connection) -> list[tuple[Any, ...]]:
        return cast(list[tuple[Any, ...]], await driver.execute_fetchall(text, parameters))

    return adapted(connection).run_async(fetch)


@lru_cache(64)
def _compiled(query: sa.Select[Any], dialect: sa.Dialect) -> tuple[str, list[str], dict[str, Any]]:
    """The text of a query, the names of its parameters in their order, and the values of those that are constant."""
    compiled = query.compile(dialect=dialect)
    return compiled.string, list(compiled.positiontup or ()), dict(compiled.params)


def adapted(connection: sa.Connection) -> sa.AdaptedConnection:
    """The driver's connection with `run_async`, which runs a coroutine function on it."""
    found = connection.connection.dbapi_connection
    assert isinstance(found, sa.AdaptedConnection)
    return found
