"""Time that passes only when a test says so."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any

import simcord

from bot.clock import Clock


class Call:
    """A call that is due later."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None


class VirtualTime:
    """A clock that stands still until `pass_` is called."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self._calls: list[tuple[float, int, Call]] = []
        self._numbers = count()
        self._work: set[asyncio.Task[Any]] = set()
        self.clock = Clock(lambda: self.now, self._spawn, self._call_later)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._work.add(task)
        return task

    def _call_later(self, delay: float, callback: Callable[[], object]) -> Call:
        call = Call(callback)
        heapq.heappush(self._calls, (self.now + delay, next(self._numbers), call))
        return call

    @property
    def timers(self) -> int:
        """How many calls are due at some time."""
        return sum(call.callback is not None for _, _, call in self._calls)

    async def rest(self) -> None:
        """Waits for all work in the background; an error in it is raised here."""
        while self._work:
            await self._work.pop()

    async def pass_(self, seconds: float) -> None:
        """Lets time pass, and does what becomes due meanwhile, each thing at its time."""
        end = self.now + seconds
        while self._calls and self._calls[0][0] <= end:
            due, _, call = heapq.heappop(self._calls)
            if call.callback is not None:
                self.now = max(self.now, due)
                call.callback()
                await self.rest()
        self.now = end

    async def sleep(self, seconds: float) -> None:
        """The process stands still for so long: what was due meanwhile comes late, and all at once."""
        self.now += seconds
        await self.pass_(0)


def virtual_clock(env: Callable[[], simcord.Env]) -> Clock:
    """The bot on simcord's time, which passes with `Env.advance_time`: simcord drives the timers of the event loop itself, those of
    discord.py as well, and waits for the work that they begin."""
    return Clock(
        lambda: env().now().timestamp(),
        asyncio.create_task,
        lambda delay, callback: asyncio.get_running_loop().call_later(delay, callback),
    )
