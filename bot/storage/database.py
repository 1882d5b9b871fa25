"""Runs work on a database, SQLite or PostgreSQL, away from the event loop, and says plainly what is wrong when it fails.

Work is a plain function of a `sqlalchemy.Connection`, the same for both. For SQLite it runs in a thread, so that a whole
transaction costs one change of thread; for PostgreSQL it runs over asyncpg.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_path
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from .values import StorageError, UnreadableValue

T = TypeVar('T')
Work = Callable[[sa.Connection], T]

FAILURES: Final = (sa.exc.DBAPIError, sqlite3.Error, OSError, TimeoutError)
"""The errors of a database; everything else is an error of the work."""

_LOCK_SECONDS: Final = 5
"""How long a write waits for another process that holds a lock."""

_SENTENCES: Final = {
    'disk-full': 'The disk is full: {name} cannot grow.',
    'locked': 'Another process keeps {name} locked.',
    'read-only': 'The database {name} may not be written to.',
    'corrupt': 'The database {name} is damaged. Put a backup in its place.',
    'unreachable': 'The database {name} cannot be reached ({detail}).',
    'other': 'The database {name} failed: {detail}.',
}

_SQLITE_CODES: Final = {
    sqlite3.SQLITE_FULL: 'disk-full',
    sqlite3.SQLITE_BUSY: 'locked',
    sqlite3.SQLITE_LOCKED: 'locked',
    sqlite3.SQLITE_READONLY: 'read-only',
    sqlite3.SQLITE_PERM: 'read-only',
    sqlite3.SQLITE_CORRUPT: 'corrupt',
    sqlite3.SQLITE_NOTADB: 'corrupt',
    sqlite3.SQLITE_CANTOPEN: 'unreachable',
}

_ERRNOS: Final = {
    errno.ENOSPC: 'disk-full',
    errno.EDQUOT: 'disk-full',
    errno.EACCES: 'read-only',
    errno.EPERM: 'read-only',
    errno.EROFS: 'read-only',
}

_SQLSTATES: Final = {
    '53100': 'disk-full',
    '55P03': 'locked',
    '40001': 'locked',
    '40P01': 'locked',
    '25006': 'read-only',
    '42501': 'read-only',
    'XX001': 'corrupt',
    'XX002': 'corrupt',
    '57P': 'unreachable',
    '53': 'unreachable',
    '08': 'unreachable',
    '28': 'unreachable',
    '3D': 'unreachable',
}
"""By SQLSTATE or its first characters, the longest first."""


def default_url() -> str:
    """The database that is used when none is named: an SQLite file in the user's data folder."""
    return sa.URL.create('sqlite', database=str(user_data_path('cardnight') / 'cardnight.sqlite3')).render_as_string()


def database(url: str | Path | None) -> SQLite | PostgreSQL:
    """The database at a URL, or in an SQLite file. Nothing is opened yet. Raises StorageError for a URL that cannot be used."""
    if url is None:
        url = default_url()
    if isinstance(url, Path) or '://' not in url:
        return SQLite(Path(url))
    try:
        parts = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise StorageError('other', 'The database URL cannot be read.') from None
    kind, _, driver = parts.drivername.partition('+')
    if kind == 'sqlite' and driver in ('', 'pysqlite', 'aiosqlite'):
        if parts.database in (None, '', ':memory:'):
            raise StorageError('other', 'SQLite needs a file: sqlite:///folder/file.sqlite3')
        return SQLite(Path(str(parts.database)))
    if kind in ('postgresql', 'postgres') and driver in ('', 'asyncpg'):
        return PostgreSQL(parts)
    raise StorageError('other', f'There is no support for {parts.drivername} databases: take sqlite:///file or postgresql://…')


class Database(ABC):
    """Where work runs. `read` shows one moment of the database; in `write` the work begins its transactions itself."""

    name: str
    """For people; without a password."""

    @abstractmethod
    def read(self, work: Work[T]) -> asyncio.Future[T]: ...

    @abstractmethod
    def write(self, work: Work[T]) -> asyncio.Future[T]: ...

    @abstractmethod
    async def close(self) -> None: ...

    def trouble(self, error: BaseException) -> StorageError:
        """What one of `FAILURES` means. The text holds no values that were to be stored, or are."""
        if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
            code, detail = 'unreachable', 'the connection was lost'
        else:
            code, detail = self._diagnosis(getattr(error, 'orig', None) or error)
        return StorageError(code, _SENTENCES[code].format(name=self.name, detail=detail))

    @abstractmethod
    def _diagnosis(self, error: BaseException) -> tuple[str, str]:
        """The code of an error, and its cause in words."""

    @contextmanager
    def plainly(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise self.trouble(error) from None


class SQLite(Database):
    """One thread writes, a few read; WAL lets them do so at once. A commit is on the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        self.name = str(self.path)
        self._engine = _sqlite_engine(self.path)
        self._writes = self._engine.execution_options(writes=True)
        self._writer = ThreadPoolExecutor(1, 'storage-writer')
        self._readers = ThreadPoolExecutor(2, 'storage-reader')

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._readers, self._run, self._engine, work)

    def write(self, work: Work[T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._writer, self._run, self._writes, work)

    def _run(self, engine: sa.Engine, work: Work[T]) -> T:
        with self.plainly():
            try:
                with engine.connect() as connection:
                    return work(connection)
            except (sa.exc.DBAPIError, sqlite3.Error):
                self._engine.dispose()  # the file may be put right, or another in its place
                raise

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self._engine.dispose)
        self._writer.shutdown()
        self._readers.shutdown()

    def trouble(self, error: BaseException) -> StorageError:
        if str(getattr(error, 'orig', None) or error).startswith('Could not decode to UTF-8'):  # sqlite3 gives it no code of its own
            return UnreadableValue('other', _SENTENCES['other'].format(name=self.name, detail='it holds a text that is not UTF-8'))
        return super().trouble(error)

    def _diagnosis(self, error: BaseException) -> tuple[str, str]:
        if isinstance(error, OSError):
            return _ERRNOS.get(error.errno or 0, 'other'), error.strerror or type(error).__name__
        if not isinstance(error, sqlite3.Error):
            return 'other', type(error).__name__
        number = getattr(error, 'sqlite_errorcode', sqlite3.SQLITE_ERROR) & 0xFF
        code = _SQLITE_CODES.get(number, 'other')
        if number == sqlite3.SQLITE_CANTOPEN and self.path.is_file():
            code = 'read-only'  # the files that belong beside it cannot be made
        if number == sqlite3.SQLITE_IOERR and disk_usage(self.path.parent).free < 1 << 20:
            code = 'disk-full'
        return code, str(error)

    def check_rights(self) -> None:
        """Raises StorageError, `read-only`, unless the file may be written to and others made beside it.

        Asked before the file is opened: SQLite would make those with the file's rights, and then they would be in the way for ever.
        """
        for path, rights in ((self.path.parent, os.W_OK | os.X_OK), (self.path, os.W_OK)):
            if path.exists() and not os.access(path, rights, effective_ids=os.access in os.supports_effective_ids):
                raise StorageError('read-only', _SENTENCES['read-only'].format(name=self.name))

    def damaged(self) -> StorageError:
        """The error for a file that is found to be damaged."""
        return StorageError('corrupt', _SENTENCES['corrupt'].format(name=self.name))


class PostgreSQL(Database):
    def __init__(self, url: sa.URL) -> None:
        self.name = url.render_as_string()
        query = dict(url.query)
        if 'sslmode' in query:  # libpq's word, in many a provider's URL
            query['ssl'] = query.pop('sslmode')
        try:
            self._engine = create_async_engine(
                url.set(drivername='postgresql+asyncpg', query=query),
                hide_parameters=True,
                json_deserializer=_from_json,
                pool_pre_ping=True,
                connect_args={'timeout': 10, 'command_timeout': 60, 'server_settings': {'lock_timeout': f'{_LOCK_SECONDS}s'}},
            )
        except ImportError:
            raise StorageError('other', 'PostgreSQL needs the extra "postgres" of this package (asyncpg).') from None
        self._reads = self._engine.execution_options(isolation_level='REPEATABLE READ')

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        return asyncio.ensure_future(self._run(self._reads, work))

    def write(self, work: Work[T]) -> asyncio.Future[T]:
        return asyncio.ensure_future(self._run(self._engine, work))

    async def _run(self, engine: AsyncEngine, work: Work[T]) -> T:
        with self.plainly():
            async with engine.connect() as connection:
                return await connection.run_sync(work)

    async def close(self) -> None:
        await self._engine.dispose()

    def _diagnosis(self, error: BaseException) -> tuple[str, str]:
        if isinstance(error, OSError | TimeoutError):
            return 'unreachable', getattr(error, 'strerror', None) or 'no answer'
        state = getattr(error, 'sqlstate', None)
        if state is None:
            return 'other', type(error).__name__
        code = next((code for start, code in _SQLSTATES.items() if state.startswith(start)), 'other')
        return code, f'{type(error).__name__}, SQLSTATE {state}'


def _from_json(text: str) -> Any:
    """Most of what is stored as JSON is empty, and reading `{}` is a good part of the time that a restart takes."""
    return {} if text == '{}' else json.loads(text)


def _sqlite_engine(path: Path) -> sa.Engine:
    """An engine whose transactions begin when SQLAlchemy says so: with a write lock where the option `writes` is set."""
    engine = sa.create_engine(
        sa.URL.create('sqlite', database=str(path)),
        hide_parameters=True,
        json_deserializer=_from_json,
        connect_args={'isolation_level': None, 'timeout': _LOCK_SECONDS, 'check_same_thread': False},
    )

    @sa.event.listens_for(engine, 'connect')
    def _on_connect(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute('PRAGMA synchronous = FULL')
        connection.execute('PRAGMA foreign_keys = ON')

    @sa.event.listens_for(engine, 'begin')
    def _on_begin(connection: sa.Connection) -> None:
        driver: Any = connection.connection.driver_connection
        driver.execute('BEGIN IMMEDIATE' if connection.get_execution_options().get('writes') else 'BEGIN')

    return engine
