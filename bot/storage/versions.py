"""Which version a database has, bringing it up to date, and copying an SQLite file.

A version is the number of an Alembic migration. An SQLite file is checked first, and backed up before it is changed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import aiosqlite
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from .database import PostgreSQL, SQLite, make_private
from .sql import adapted
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
        database.check_access()
    return await database.read(partial(_check, database))


async def upgrade(database: SQLite | PostgreSQL, backup_dir: Path | None = None) -> Path | None:
    """Brings a database up to date, and makes it where there is none. Returns the path of the backup if one was made.

    The backup is made beside the file, or in `backup_dir`. From then on no other process can do this until the database is closed.
    Raises StorageError as `check` does, or `in-use`; then nothing has changed.
    """
    if isinstance(database, SQLite):
        with database.failures_explained():
            await asyncio.to_thread(database.path.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
            database.check_access()
            await asyncio.to_thread(make_private, database.path)
    await database.hold()
    return await database.write(partial(_upgrade, database, backup_dir))


async def backup(database: SQLite, file: Path) -> None:
    """Copies an SQLite database, also one in use, to a file; an older file of that name is replaced. Raises StorageError."""
    await database.read(partial(_backup, database, file))


def _check(database: SQLite | PostgreSQL, connection: sa.Connection) -> str | None:
    if isinstance(database, SQLite) and (found := connection.exec_driver_sql('PRAGMA quick_check(1)').scalar_one()) != 'ok':
        raise database.damaged(found)
    version = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()}
    if version is not None and version not in known:
        raise StorageError('newer', f'The database {database.name} was made by a newer version of this program ({version}). Update it.')
    if version is None and isinstance(database, SQLite) and set(sa.inspect(connection).get_table_names()) - {'alembic_version'}:
        raise StorageError('other', f'The file {database.name} does not belong to this program: it holds something else.')
    return version


def _upgrade(database: SQLite | PostgreSQL, backup_dir: Path | None, connection: sa.Connection) -> Path | None:
    version = _check(database, connection)
    connection.rollback()
    if isinstance(database, SQLite):
        _outside_transactions(connection, 'PRAGMA journal_mode = WAL')  # stays set in the file
    if version == newest():
        return None
    saved = None
    if isinstance(database, SQLite) and version is not None:
        saved = (backup_dir or database.path.parent) / f'{database.path.stem}-{version}-backup{database.path.suffix}'
        _backup(database, saved, connection)
    with _foreign_keys_off(connection), connection.begin():
        command.upgrade(alembic_config(connection), 'head')
    return saved


@contextmanager
def _foreign_keys_off(connection: sa.Connection) -> Iterator[None]:
    """On SQLite, where migrations copy and drop tables: that must not delete the rows that refer to a dropped table."""
    if connection.dialect.name != 'sqlite':
        yield
        return
    _outside_transactions(connection, 'PRAGMA foreign_keys = OFF')
    try:
        yield
    finally:
        _outside_transactions(connection, 'PRAGMA foreign_keys = ON')


def _outside_transactions(connection: sa.Connection, statement: str) -> None:
    """Runs a statement that has no effect within a transaction; SQLAlchemy's connection would begin one."""
    cursor = connection.connection.cursor()
    cursor.execute(statement)
    cursor.close()


def _backup(database: SQLite, file: Path, connection: sa.Connection) -> None:
    part = file.with_name(file.name + '.part')
    try:
        if file.resolve() == database.path.resolve():
            raise StorageError('other', f'A database is no backup of itself: {file}')
        part.unlink(missing_ok=True)
        make_private(part)
        adapted(connection).run_async(partial(_copy, part))
        part.replace(file)
    except (OSError, sqlite3.Error) as error:
        raise StorageError('other', f'The backup {file} cannot be written: {error}.') from None


async def _copy(file: Path, source: aiosqlite.Connection) -> None:
    async with aiosqlite.connect(file) as target:
        await source.backup(target)
        await target.execute('PRAGMA journal_mode = DELETE')  # one file, without others beside it
