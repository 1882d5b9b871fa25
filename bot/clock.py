"""Time and background work, as the host and the boards get them: from outside, so that tests can drive them."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol


class Handle(Protocol):
    """A call that is due later."""

    def cancel(self) -> None: ...


@dataclass(slots=True)
class Backoff:
    """How long to wait before something that failed is tried again: these seconds in turn, then always the last."""

    pauses: tuple[float, ...]
    failures: int = 0
    """How many times in a row it has failed."""

    @property
    def pause(self) -> float:
        """Seconds to wait now: 0 as long as nothing has failed."""
        return self.pauses[min(self.failures, len(self.pauses)) - 1] if self.failures else 0.0

    def failed(self) -> float:
        """Counts a failure; the seconds to wait before the next try."""
        self.failures += 1
        return self.pause

    def worked(self) -> None:
        """Starts over: the next failure waits the first pause again."""
        self.failures = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """`now()` in seconds since the epoch (UTC), `spawn(coroutine)` for work in the background, `call_later(seconds, callback)`."""

    now: Callable[[], float]
    spawn: Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]
    call_later: Callable[[float, Callable[[], object]], Handle]


def _spawn_apart(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return contextvars.Context().run(asyncio.get_running_loop().create_task, work)


def _call_apart(delay: float, callback: Callable[[], object]) -> Handle:
    return asyncio.get_running_loop().call_later(delay, callback, context=contextvars.Context())


def system_clock() -> Clock:
    """The real time. Work is started in an empty context: it belongs to the process, not to the click that caused it."""
    return Clock(time.time, _spawn_apart, _call_apart)
