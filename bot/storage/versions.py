"""Which version a database has, and bringing it up to date.

A version is the number of an Alembic migration. An SQLite file is checked first, and backed up before it is changed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, cast

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from .database import PostgreSQL, SQLite
from .values import StorageError

_MIGRATIONS: Final = Path(__file__).parent / 'migrations'


def alembic_config(connection: sa.Connection | None = None) -> Config:
    """Alembic's configuration for this package's migrations, on an open connection."""
    config = Config()
    config.set_main_option('script_location', str(_MIGRATIONS).replace('%', '%%'))
    config.attributes['connection'] = connection
    return config


def newest() -> str:
    """The version that this program works with."""
    return str(ScriptDirectory.from_config(alembic_config()).get_current_head())


async def check(database: SQLite | PostgreSQL) -> str | None:
    """The version of a database; None for an empty one. Raises StorageError for one that cannot be used: `corrupt`, `newer`, …."""
    if isinstance(database, SQLite):
        database.check_rights()
    return await database.read(partial(_check, database))


async def upgrade(database: SQLite | PostgreSQL, backup_dir: Path | None = None) -> Path | None:
    """Brings a database up to date, and makes it where there is none; returns the backup if one was made.

    The backup lies beside the file, or in `backup_dir`. Raises StorageError as `check` does, and then nothing has changed.
    """
    if isinstance(database, SQLite):
        with database.plainly():
            await asyncio.to_thread(database.path.parent.mkdir, parents=True, exist_ok=True)
        database.check_rights()
    return await database.write(partial(_upgrade, database, backup_dir))


async def backup(database: SQLite, file: Path) -> None:
    """Copies an SQLite database, also one in use, to a file; an older file of that name is replaced. Raises StorageError."""
    await database.read(partial(_backup, database, file))


def _check(database: SQLite | PostgreSQL, connection: sa.Connection) -> str | None:
    if isinstance(database, SQLite) and connection.exec_driver_sql('PRAGMA quick_check(1)').scalar() != 'ok':
        raise database.damaged()
    found = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    if found is not None and found not in known:
        raise StorageError('newer', f'The database {database.name} was made by a newer version of this program ({found}). Update it.')
    if found is None and isinstance(database, SQLite) and set(sa.inspect(connection).get_table_names()) - {'alembic_version'}:
        raise StorageError('other', f'The file {database.name} is not one of this program: it holds something else.')
    return found


def _upgrade(database: SQLite | PostgreSQL, backup_dir: Path | None, connection: sa.Connection) -> Path | None:
    found = _check(database, connection)
    connection.rollback()
    if isinstance(database, SQLite):
        _driver(connection).execute('PRAGMA journal_mode = WAL')  # the file keeps it
    if found == newest():
        return None
    saved = None
    if isinstance(database, SQLite) and found is not None:
        saved = (backup_dir or database.path.parent) / f'{database.path.stem}-{found}-backup{database.path.suffix}'
        _backup(database, saved, connection)
    with _foreign_keys_off(connection), connection.begin():
        command.upgrade(alembic_config(connection), 'head')
    return saved


@contextmanager
def _foreign_keys_off(connection: sa.Connection) -> Iterator[None]:
    """On SQLite, where migrations copy and drop tables: that must not drop what belongs to their rows."""
    if connection.dialect.name != 'sqlite':
        yield
        return
    _driver(connection).execute('PRAGMA foreign_keys = OFF')
    try:
        yield
    finally:
        _driver(connection).execute('PRAGMA foreign_keys = ON')


def _driver(connection: sa.Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, connection.connection.driver_connection)


def _backup(database: SQLite, file: Path, connection: sa.Connection) -> None:
    part = file.with_name(file.name + '.part')
    try:
        if file.resolve() == database.path.resolve():
            raise StorageError('other', f'A database is no backup of itself: {file}')
        file.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(part)) as target:
            _driver(connection).backup(target)
            target.execute('PRAGMA journal_mode = DELETE')  # one file
        part.replace(file)
    except (OSError, sqlite3.Error) as error:
        raise StorageError('other', f'The backup {file} cannot be written: {error}.') from None
