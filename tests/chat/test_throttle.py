"""The bot's own requests to Discord: never more than so many a second, the urgent first."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from functools import partial
from itertools import count

from bot.chat.throttle import AT_ONCE, Throttle
from bot.clock import Clock


class Time:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._number = count()
        self.clock = Clock(lambda: self.now, asyncio.create_task, self._later)

    def _later(self, delay: float, callback: Callable[[], object]) -> Time:
        heapq.heappush(self._due, (self.now + delay, next(self._number), callback))
        return self

    def cancel(self) -> None:
        self._due.clear()

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self._due and self._due[0][0] <= end:
            self.now, _, callback = heapq.heappop(self._due)
            callback()
        self.now = end


def test_a_few_go_at_once_and_the_rest_at_the_pace() -> None:
    time = Time()
    throttle, begun = Throttle(time.clock, 40), []
    for number in range(500):
        throttle.ask(number, lambda number=number: begun.append((time.now, number)), urgent=False)  # type: ignore[misc]
    assert len(begun) == AT_ONCE
    time.run(60)
    assert [number for _, number in begun] == list(range(500))
    for start, _ in begun:
        assert sum(start <= when < start + 1 for when, _ in begun) <= 50, 'Discord allows 50 a second'
    assert begun[-1][0] - begun[0][0] <= 500 / 40, 'no slower than the pace'


def test_the_urgent_go_first_and_nothing_goes_twice() -> None:
    time = Time()
    throttle, begun = Throttle(time.clock, 10), []

    def ask(key: str, *, urgent: bool) -> None:
        throttle.ask(key, partial(begun.append, key), urgent=urgent)

    for number in range(AT_ONCE):
        ask(f'first {number}', urgent=False)
    begun.clear()
    ask('hand', urgent=False)
    ask('other hand', urgent=False)
    ask('board', urgent=True)
    ask('board', urgent=False)
    ask('hand', urgent=False)
    ask('other hand', urgent=True)
    time.run(10)
    assert begun == ['board', 'other hand', 'hand']
    ask('hand', urgent=False)
    assert begun[-1] == 'hand'
    assert len(begun) == 4, 'asked for anew after it went'


def test_what_begins_may_ask_again() -> None:
    time = Time()
    throttle, begun = Throttle(time.clock, 10), []

    def begin() -> None:
        begun.append(time.now)
        if len(begun) < 30:
            throttle.ask('again', begin, urgent=True)

    begin()
    time.run(10)
    assert len(begun) == 30


def test_nothing_begins_after_the_end() -> None:
    time = Time()
    throttle, begun = Throttle(time.clock, 10), []
    for number in range(30):
        throttle.ask(number, partial(begun.append, number), urgent=True)
    throttle.stop()
    throttle.ask('late', partial(begun.append, 99), urgent=True)
    time.run(60)
    assert begun == list(range(AT_ONCE))


def test_without_a_limit_everything_goes_at_once() -> None:
    time = Time()
    throttle, begun = Throttle(time.clock, 0), []
    for number in range(500):
        throttle.ask(number, partial(begun.append, number), urgent=False)
    assert begun == list(range(500))
