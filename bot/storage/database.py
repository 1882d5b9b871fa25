"""Runs work on a database, SQLite or PostgreSQL, and says in a plain sentence what is wrong when it fails.

Work is a plain function of a `sqlalchemy.Connection`, the same for both. It runs through SQLAlchemy's async engine, over aiosqlite
or asyncpg: the event loop goes on while a statement runs.
"""

from __future__ import annotations

import asyncio
import errno
import glob
import json
import logging
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from platformdirs import user_data_path
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from .sql import adapted
from .values import StorageError, UnreadableValueError

T = TypeVar('T')
Work = Callable[[sa.Connection], T]

FAILURES: Final = (sa.exc.DBAPIError, sa.exc.TimeoutError, sqlite3.Error, OSError, TimeoutError)
"""The errors of a database; every other exception is an error of the work."""

_LOCK_SECONDS: Final = 5
"""How long a write waits for another process that holds a lock."""

logging.getLogger('aiosqlite').setLevel(logging.INFO)  # at DEBUG it writes every value of every statement, secret seeds too

_SENTENCES: Final = {
    'disk-full': 'The disk is full: {name} cannot grow.',
    'locked': 'The database is locked by another process: {name}.',
    'in-use': 'Another process of the bot works with the database {name}. Stop that one first, or choose another database.',
    'read-only': 'The database {name} is read-only: it may not be written to.',
    'corrupt': 'The database {name} is damaged ({detail}). Put a backup in its place.',
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


_SESSION: Final = {
    'lock_timeout': f'{_LOCK_SECONDS}s',
    'tcp_keepalives_idle': '60',
    'tcp_keepalives_interval': '10',
    'tcp_keepalives_count': '3',
}
"""Settings of a session at a PostgreSQL server. It ends a session, and frees its locks, 90 s after the machine of the bot has vanished."""

_LOCK_NUMBER: Final = 0x63617264
"""The number of the advisory lock of PostgreSQL by which a process holds a database."""


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


def make_private(file: Path) -> None:
    """Makes an empty file that only this user can read, unless there is a file; its folder likewise. Raises OSError.

    The files that SQLite puts beside a database get the rights of the database.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


class Database(ABC):
    """An open database and its pool of connections. Work and its result are the same for SQLite and PostgreSQL."""

    def __init__(self, name: str, url: sa.URL, *, reads: dict[str, Any], writes: dict[str, Any], **arguments: Any) -> None:
        """`reads` and `writes` are SQLAlchemy's execution options, `arguments` those of the engine."""
        self.name = name
        """For people; without a password."""
        self._engine = create_async_engine(url, hide_parameters=True, json_deserializer=_from_json, **arguments)
        self._reads = self._engine.execution_options(**reads)
        self._writes = self._engine.execution_options(**writes)
        self._running: set[asyncio.Task[Any]] = set()

    def read(self, work: Work[T]) -> asyncio.Future[T]:
        """Runs work that only reads; it sees the database as it is at one moment. Raises StorageError."""
        return self._start(self._reads, work)

    def write(self, work: Work[T]) -> asyncio.Future[T]:
        """Runs work that begins and commits its transactions itself. Raises StorageError."""
        return self._start(self._writes, work)

    def _start(self, engine: AsyncEngine, work: Work[T]) -> asyncio.Future[T]:
        task = asyncio.ensure_future(self._run(engine, work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _run(self, engine: AsyncEngine, work: Work[T]) -> T:
        pool = engine.pool
        with self.failures_explained():
            async with engine.connect() as connection:
                try:
                    return await connection.run_sync(work)
                finally:
                    if engine.pool is not pool:  # disposed of in the meantime: nobody else would close this connection
                        await connection.invalidate()

    @abstractmethod
    async def hold(self) -> None:
        """Makes this process the only one that holds the database, until it closes it or ends. Raises StorageError, `in-use` when
        another process holds it."""

    async def close(self) -> None:
        """Waits for the work that has begun, and closes the connections."""
        while self._running:
            await asyncio.wait(self._running)
        await self._engine.dispose()

    @contextmanager
    def failures_explained(self) -> Iterator[None]:
        """Turns one of `FAILURES` into a StorageError."""
        try:
            yield
        except FAILURES as error:
            raise self.explain(error) from None

    def explain(self, error: BaseException) -> StorageError:
        """What one of `FAILURES` means. The text holds none of the values that are stored or were to be stored."""
        if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
            code, detail = 'unreachable', 'the connection was lost'
        elif isinstance(error, sa.exc.TimeoutError):
            code, detail = 'unreachable', 'every connection is in use'
        else:
            code, detail = self._diagnosis(getattr(error, 'orig', None) or error)
        return self._error(code, detail)

    def _error(self, code: str, detail: str = '') -> StorageError:
        return StorageError(code, _SENTENCES[code].format(name=self.name, detail=detail))

    @abstractmethod
    def _diagnosis(self, error: BaseException) -> tuple[str, str]:
        """The code of an error, and its cause in words."""


class SQLite(Database):
    """A file in WAL mode: one connection writes while others read. A commit is on the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        super().__init__(
            str(self.path),
            sa.URL.create('sqlite+aiosqlite', database=str(self.path)),
            reads={},
            writes={'writes': True},
            connect_args={'isolation_level': None, 'timeout': _LOCK_SECONDS},
        )
        self._held: sqlite3.Connection | None = None
        sa.event.listen(self._engine.sync_engine, 'connect', _on_connect)
        sa.event.listen(self._engine.sync_engine, 'begin', _on_begin)

    async def hold(self) -> None:
        """As `Database.hold`, by a lock on an empty file beside the database: others can go on reading the database, for a backup."""
        if self._held:
            return
        path = self.path.resolve()
        lock = path.with_name(f'{path.name}-lock')
        with self.failures_explained():
            make_private(lock)
            held = sqlite3.connect(lock, isolation_level=None, timeout=0)
            try:
                held.execute('BEGIN EXCLUSIVE')
            except sqlite3.Error as error:
                held.close()
                if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                    raise self._error('in-use') from None
                raise
        self._held = held

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            if self._held:
                self._held.close()
                self._held = None

    async def _run(self, engine: AsyncEngine, work: Work[T]) -> T:
        try:
            return await super()._run(engine, work)
        except StorageError:
            await self._engine.dispose()  # the file may be put right, or another one put in its place
            raise

    def explain(self, error: BaseException) -> StorageError:
        if str(getattr(error, 'orig', None) or error).startswith('Could not decode to UTF-8'):  # sqlite3 gives it no code of its own
            return UnreadableValueError('other', _SENTENCES['other'].format(name=self.name, detail='it holds a text that is not UTF-8'))
        return super().explain(error)

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

    def check_access(self) -> None:
        """Raises StorageError unless the file, if there is one, can be opened and written to and others made beside it.

        Asked before the file is opened: SQLite would make those files with the rights of this one, and then nobody could write to them.
        """
        for path, rights in ((self.path.parent, os.W_OK | os.X_OK), (self.path, os.W_OK)):
            if path.exists() and not os.access(path, rights, effective_ids=os.access in os.supports_effective_ids):
                raise self._error('read-only')
        if self.path.exists():  # tried without aiosqlite: after a failure, its thread may report to an event loop that has been closed
            with self.failures_explained(), closing(sqlite3.connect(self.path)):
                pass

    def files(self) -> list[Path]:
        """Its folder, its file and those beside it that exist now, backups made by upgrades too."""
        beside = self.path.parent.glob(f'{glob.escape(self.path.stem)}*{glob.escape(self.path.suffix)}*')
        return [self.path.parent, *sorted(path for path in beside if path.is_file())]

    def damaged(self, detail: str) -> StorageError:
        """The error for a file that is found to be damaged; `detail` is what SQLite says of it."""
        return self._error('corrupt', detail)


class PostgreSQL(Database):
    """A server, over asyncpg."""

    def __init__(self, url: sa.URL) -> None:
        query = dict(url.query)
        if 'sslmode' in query:  # libpq's name for it, which many providers put into the URL
            query['ssl'] = query.pop('sslmode')
        try:
            super().__init__(
                _name_of(url),
                url.set(drivername='postgresql+asyncpg', query=query),
                reads={'isolation_level': 'REPEATABLE READ'},
                writes={},
                pool_pre_ping=True,
                connect_args={'timeout': 10, 'command_timeout': 60, 'server_settings': _SESSION},
            )
        except ImportError:
            raise StorageError('other', 'PostgreSQL needs the extra "postgres" of this package (asyncpg).') from None
        self._held: AsyncConnection | None = None
        self._driver: Any = None
        """asyncpg's connection below `_held`."""
        self._holding = asyncio.Lock()

    async def hold(self) -> None:
        """As `Database.hold`, by an advisory lock of a connection of its own. It waits for some seconds, as the server may not have
        noticed yet that a process has been killed. Once held, it is held again when that connection was lost."""
        async with self._holding:
            if self._held and not self._driver.is_closed():
                return
            with self.failures_explained():
                await self._let_go()
                held = await self._engine.connect()
                try:
                    await held.execution_options(isolation_level='AUTOCOMMIT')
                    self._driver = (await held.get_raw_connection()).driver_connection
                    await held.exec_driver_sql(f'SELECT pg_advisory_lock({_LOCK_NUMBER})')
                except BaseException as error:
                    await held.invalidate()
                    await held.close()
                    if isinstance(error, FAILURES) and self.explain(error).code == 'locked':
                        raise self._error('in-use') from None
                    raise
            self._held = held

    async def _run(self, engine: AsyncEngine, work: Work[T]) -> T:
        if self._held and self._driver.is_closed():
            await self.hold()
        return await super()._run(engine, work)

    async def _let_go(self) -> None:
        """Frees the lock, with its connection."""
        if self._held and not self._held.closed:
            await self._held.invalidate()
            await self._held.close()

    async def close(self) -> None:
        await self._let_go()
        self._held = None
        await super().close()

    def _diagnosis(self, error: BaseException) -> tuple[str, str]:
        if isinstance(error, OSError | TimeoutError):
            return 'unreachable', getattr(error, 'strerror', None) or 'no answer'
        state = getattr(error, 'sqlstate', None)
        if state is None:
            return 'other', type(error).__name__
        code = next((code for start, code in _SQLSTATES.items() if state.startswith(start)), 'other')
        return code, f'{type(error).__name__}, SQLSTATE {state}'


def _name_of(url: sa.URL) -> str:
    """Server and database alone: a password may stand in the query too."""
    host, port, name = (given or url.query.get(key) for given, key in ((url.host, 'host'), (url.port, 'port'), (url.database, 'database')))
    place = ','.join(host) if isinstance(host, tuple) else host or ''
    return f'postgresql://{place}{f":{port}" if isinstance(port, int | str) else ""}{f"/{name}" if isinstance(name, str) else ""}'


def _from_json(text: str) -> Any:
    """Most of what is stored as JSON is empty, and parsing `{}` takes a good part of the time of a restart.

    Raises ValueError for anything that cannot be read.
    """
    try:
        return {} if text == '{}' else json.loads(text)
    except RecursionError:
        raise ValueError('a stored value is nested too deeply') from None


def _on_connect(connection: Any, _: Any) -> None:
    connection.execute('PRAGMA synchronous = FULL')
    connection.execute('PRAGMA foreign_keys = ON')


def _on_begin(connection: sa.Connection) -> None:
    """A write takes SQLite's lock when it begins: it could not take it later if another process had written in between.

    Said to the driver itself, which costs one change of thread instead of three.
    """
    begin = 'BEGIN IMMEDIATE' if connection.get_execution_options().get('writes') else 'BEGIN'
    adapted(connection).run_async(lambda driver: driver.execute(begin))
