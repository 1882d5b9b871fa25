"""What the statements of the other files share: rows from dataclasses and back, and inserts that know `ON CONFLICT`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

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
