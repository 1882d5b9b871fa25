"""Spreads what the bot asks of Discord by itself over time, the urgent first.

Discord allows a bot 50 requests a second in all; answers to interactions do not count
(https://discord.com/developers/docs/topics/rate-limits#global-rate-limit). Boards and hands are rendered when their time
comes, so under load they come later and less often, but no older.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from ..clock import Clock, Handle

AT_ONCE: Final = 10
"""How many requests may begin right after one another, when there was less to do before."""
SHORTEST: Final = 0.001
"""Seconds that are not worth waiting, and that a clock may not even show."""


class Throttle:
    """Lets only a given number of requests begin each second."""

    def __init__(self, clock: Clock, rate: float) -> None:
        """`rate`: requests a second; 0 for no limit."""
        self._clock = clock
        self._pause = 1 / rate if rate else 0.0
        self._free = 0.0
        """When all that was let through would have gone at an even pace."""
        self._urgent: dict[Hashable, Callable[[], object]] = {}
        self._later: dict[Hashable, Callable[[], object]] = {}
        self._timer: Handle | None = None
        self._stopped = False

    def ask(self, key: Hashable, begin: Callable[[], object], *, urgent: bool) -> None:
        """Has `begin` called when its turn comes, perhaps at once. Asked again before that, the same key keeps its place, or becomes
        urgent."""
        if self._stopped:
            return
        if urgent:
            self._later.pop(key, None)
            self._urgent[key] = begin
        elif key not in self._urgent:
            self._later[key] = begin
        if self._timer is None:
            self._go_on()

    def stop(self) -> None:
        """Nothing begins any more."""
        self._urgent.clear()
        self._later.clear()
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _go_on(self) -> None:
        self._timer = None
        while queue := self._urgent or self._later:
            now = self._clock.now()
            self._free = max(self._free, now)
            wait = self._free - now - (AT_ONCE - 1) * self._pause
            if wait > SHORTEST:
                self._timer = self._clock.call_later(wait, self._go_on)
                return
            self._free += self._pause
            queue.pop(next(iter(queue)))()
