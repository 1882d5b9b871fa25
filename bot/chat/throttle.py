"""Spreads what the bot asks of Discord by itself over time: the urgent first, nothing for ever last, no server at the cost of others.

Discord allows a bot 50 requests a second in all; what goes through an interaction's own token does not count
(https://discord.com/developers/docs/topics/rate-limits#global-rate-limit). Boards and hands are rendered when their time
comes, so under load they come later and less often, but no older.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

from ..clock import Clock, Handle

AT_ONCE: Final = 10
"""How many requests may begin right after one another, when there was less to do before."""
PATIENCE: Final = 1.5
"""Seconds that what is not urgent lets the urgent go first; then it is as urgent as what is asked for now."""
SHARE: Final = 5.0
"""Requests a second from one server that count as asked for now; more of them count as asked for later."""
SHORTEST: Final = 0.001
"""Seconds that are not worth waiting, and that a clock may not even show."""


class _Waiting(NamedTuple):
    asked: float
    """When it counts as asked for, in seconds since the epoch."""
    due: float
    begin: Callable[[], object]


class Throttle:
    """Lets only a given number of requests begin each second."""

    def __init__(self, clock: Clock, rate: float) -> None:
        """`rate`: requests a second; 0 for no limit."""
        self._clock = clock
        self._pause = 1 / rate if rate else 0.0
        self._free = 0.0
        """When all that was let through would have gone at an even pace."""
        self._waiting: dict[Hashable, _Waiting] = {}
        self._queue: list[tuple[float, int, Hashable]] = []
        """What waits, by when it is due; also entries that have become urgent since and stand here twice."""
        self._number = 0
        self._servers: dict[int, float] = {}
        """By server, when its next request counts as asked for."""
        self._timer: Handle | None = None
        self._stopped = False

    def ask(self, key: Hashable, begin: Callable[[], object], *, urgent: bool, guild_id: int) -> None:
        """Has `begin` called when its turn comes, perhaps at once. Asked again before that, the same key keeps its place, or becomes
        urgent."""
        if self._stopped:
            return
        waiting = self._waiting.get(key)
        if waiting is None or urgent:
            if waiting is not None:
                asked = waiting.asked
            else:
                asked = max(self._clock.now(), self._servers.get(guild_id, 0.0))
                self._servers[guild_id] = asked + 1 / SHARE
            due = asked if urgent else asked + PATIENCE
            if waiting is None or due < waiting.due:
                self._waiting[key] = _Waiting(asked, due, begin)
                self._number += 1
                heapq.heappush(self._queue, (due, self._number, key))
        if self._timer is None:
            self._go_on()

    def spend(self, requests: int = 1) -> None:
        """Counts further requests that something let through makes."""
        self._free += requests * self._pause

    def stop(self) -> None:
        """Nothing begins any more."""
        self._waiting.clear()
        self._queue.clear()
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _go_on(self) -> None:
        self._timer = None
        while self._queue:
            now = self._clock.now()
            self._free = max(self._free, now)
            wait = self._free - now - (AT_ONCE - 1) * self._pause
            if wait > SHORTEST:
                self._timer = self._clock.call_later(wait, self._go_on)
                return
            due, _, key = heapq.heappop(self._queue)
            waiting = self._waiting.get(key)
            if waiting is not None and waiting.due == due:
                del self._waiting[key]
                self._free += self._pause
                waiting.begin()
        if len(self._servers) > 1000:
            now = self._clock.now()
            self._servers = {guild_id: when for guild_id, when in self._servers.items() if when > now}
