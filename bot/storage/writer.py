"""The writer: everything that waits to be stored is stored together, in one transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

import sqlalchemy as sa

from . import tables
from .database import FAILURES, Database, Work
from .values import MoveRow, StorageError

_log = logging.getLogger(__name__)

T = TypeVar('T')
Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]]
"""Starts a coroutine in the background."""


@dataclass(slots=True, eq=False)
class _Write:
    """A write that waits: first the move, then the work; both are stored or neither."""

    done: asyncio.Future[Any]
    about: str
    """What it changes, for the log: `table 12`."""
    move: MoveRow | None
    work: Work[Any] | None


class Writer:
    """Stores in batches: while one batch is stored, the writes that arrive wait for the next."""

    def __init__(self, database: Database, spawn: Spawn) -> None:
        self._database = database
        self._spawn = spawn
        self._waiting: list[_Write] = []
        self._task: asyncio.Task[Any] | None = None
        """Ends by itself as soon as nothing waits."""
        self._failure: str | None = None
        """The code of the failure that was logged last and has not ended."""

    async def write(self, about: str, work: Work[T] | None, move: MoveRow | None = None) -> T:
        """Stores a move, if there is one, and does the work; returns what the work returned once it is stored.

        `about` names in the log what is changed. Raises StorageError, and whatever the work raises; then nothing of it is stored.
        """
        write = _Write(asyncio.get_running_loop().create_future(), about, move, work)
        self._waiting.append(write)
        if self._task is None or self._task.done():
            self._start()
        return cast(T, await write.done)

    async def finish(self) -> None:
        """Waits until nothing waits to be stored."""
        while self._task and not self._task.done():
            await asyncio.wait([self._task])

    def _start(self) -> None:
        self._task = self._spawn(self._store_all())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        """Starts another task if this one was cancelled while somebody waits."""
        if task is self._task and any(not write.done.done() for write in self._waiting):
            self._start()

    async def _store_all(self) -> None:
        while self._waiting:
            batch = [write for write in self._waiting if not write.done.done()]
            self._waiting.clear()
            storing = self._database.write(partial(_store, self._database, batch))
            try:
                await asyncio.wait([storing])
            except asyncio.CancelledError:
                await asyncio.wait([storing])  # what has begun is finished, and those who wait for it are told
                raise
            finally:
                self._answer(batch, storing)

    def _answer(self, batch: list[_Write], stored: asyncio.Future[list[object]]) -> None:
        """Tells everyone who waits what became of their write."""
        error = asyncio.CancelledError() if stored.cancelled() else stored.exception()
        self._log_change(error)
        outcomes = [error] * len(batch) if error else stored.result()
        for write, outcome in zip(batch, outcomes, strict=True):
            if write.done.done():
                continue
            if not isinstance(outcome, BaseException):
                write.done.set_result(outcome)
                continue
            if error is None and isinstance(outcome, StorageError):
                _log.error('%s: one write was not stored. %s', write.about, outcome)
            if outcome is error and isinstance(error, StorageError):
                outcome = StorageError(error.code, str(error))  # everyone raises an exception of their own
            write.done.set_exception(outcome)

    def _log_change(self, error: BaseException | None) -> None:
        """Logs once when nothing can be stored any more, and once when it can be again."""
        failure = error.code if isinstance(error, StorageError) else None
        if failure and failure != self._failure:
            _log.error('Nothing can be stored. %s', error)
        elif self._failure and error is None:
            _log.warning('The database works again.')
        if failure or error is None:
            self._failure = failure


def _store(database: Database, batch: list[_Write], connection: sa.Connection) -> list[object]:
    """Stores all writes in one transaction: for each what its work returned, or its exception. Raises when nothing is stored."""
    try:
        with connection.begin():
            return _together(batch, connection)
    except FAILURES as error:
        if database.explain(error).code != 'other':
            raise
    except Exception:
        pass  # one of them is to blame; which one is found out below
    with connection.begin():
        return [_alone(database, write, connection) for write in batch]


def _together(batch: list[_Write], connection: sa.Connection) -> list[object]:
    """The quick way, for when none of them is refused: moves that follow each other are stored by one statement."""
    outcomes: list[object] = []
    moves: list[MoveRow] = []
    for write in batch:
        if write.move:
            moves.append(write.move)
        if write.work is None:
            outcomes.append(None)
            continue
        tables.insert_moves(moves, connection)
        moves = []
        outcomes.append(write.work(connection))
    tables.insert_moves(moves, connection)
    return outcomes


def _alone(database: Database, write: _Write, connection: sa.Connection) -> object:
    """One write in a savepoint; returns its exception if the write is to blame."""
    try:
        with connection.begin_nested():
            if write.move:
                tables.check_move(write.move, connection)
                tables.insert_moves([write.move], connection)
            return write.work(connection) if write.work else None
    except FAILURES as error:
        explained = database.explain(error)
        if explained.code != 'other':
            raise
        return explained
    except Exception as error:
        return error
