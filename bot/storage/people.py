"""Servers and people: settings and names."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

import sqlalchemy as sa

from . import schema, sql

_log = logging.getLogger(__name__)

_CHUNK: Final = 500
"""How many settings are read by one statement."""


def remember(user_id: int, name: str, connection: sa.Connection) -> None:
    """`Store.remember_person`; nothing is written when the name is the same."""
    insert = sql.insert(connection, schema.person).values(id=user_id, name=name)
    new = insert.excluded.name
    changed = schema.person.c.name.is_distinct_from(new)
    connection.execute(insert.on_conflict_do_update(index_elements=['id'], set_={'name': new}, where=changed))


def settings(table: sa.Table, ids: list[int], connection: sa.Connection) -> dict[int, dict[str, Any]]:
    """The settings of servers or people, by id; empty where there are none, or where they cannot be read."""
    found: dict[int, dict[str, Any]] = {key: {} for key in ids}
    for start in range(0, len(ids), _CHUNK):
        text = sa.cast(table.c.settings, sa.LargeBinary if connection.dialect.name == 'sqlite' else sa.Text)  # SQLite: may be no UTF-8
        query = sa.select(table.c.id, text).where(table.c.id.in_(ids[start : start + _CHUNK]), table.c.settings.is_not(sa.null()))
        for key, stored in connection.execute(query):
            try:
                value = json.loads(stored)
            except (ValueError, RecursionError):
                value = None
            if isinstance(value, dict):
                found[key] = value
            else:
                _log.warning('the settings of %s %d are not a JSON object and are ignored', table.name, key)
    return found
