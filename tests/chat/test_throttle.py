"""The bot's own requests to Discord: never more than a number a second, the urgent first."""

from __future__ import annotations

from functools import partial

from bot.chat.throttle import AT_ONCE, PATIENCE, Throttle

from ..virtual_time import VirtualTime


async def test_a_few_go_at_once_and_the_rest_at_the_pace() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 40), []
    for number in range(500):
        throttle.ask(number, lambda number=number: begun.append((time.now, number)), urgent=False, guild_id=1)  # type: ignore[misc]
    assert len(begun) == AT_ONCE
    await time.pass_(60)
    assert [number for _, number in begun] == list(range(500))
    for start, _ in begun:
        assert sum(start <= when < start + 1 for when, _ in begun) <= 50, 'Discord allows 50 a second'
    assert begun[-1][0] - begun[0][0] <= 500 / 40, 'no slower than the pace'


async def test_the_urgent_go_first_and_nothing_goes_twice() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []

    def ask(key: str, *, urgent: bool) -> None:
        throttle.ask(key, partial(begun.append, key), urgent=urgent, guild_id=1)

    for number in range(AT_ONCE):
        ask(f'first {number}', urgent=False)
    begun.clear()
    ask('hand', urgent=False)
    ask('other hand', urgent=False)
    ask('board', urgent=True)
    ask('board', urgent=False)
    ask('hand', urgent=False)
    ask('other hand', urgent=True)
    await time.pass_(10)
    assert begun == ['other hand', 'board', 'hand'], 'what has become urgent keeps its age'
    ask('hand', urgent=False)
    assert begun[-1] == 'hand'
    assert len(begun) == 4, 'asked for again after it went'


async def test_what_begins_may_ask_again() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []

    def begin() -> None:
        begun.append(time.now)
        if len(begun) < 30:
            throttle.ask('again', begin, urgent=True, guild_id=1)

    begin()
    await time.pass_(10)
    assert len(begun) == 30


async def test_nothing_begins_after_the_end() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []
    for number in range(30):
        throttle.ask(number, partial(begun.append, number), urgent=True, guild_id=1)
    throttle.stop()
    throttle.ask('late', partial(begun.append, 99), urgent=True, guild_id=1)
    await time.pass_(60)
    assert begun == list(range(AT_ONCE))


def test_without_a_limit_everything_goes_at_once() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 0), []
    for number in range(500):
        throttle.ask(number, partial(begun.append, number), urgent=False, guild_id=1)
    assert begun == list(range(500))


async def test_nothing_waits_for_ever_behind_the_urgent() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []
    throttle.spend(AT_ONCE)
    throttle.ask('hand', lambda: begun.append(time.now), urgent=False, guild_id=1)
    asked = time.now
    for step in range(100):
        for board in range(2):  # twice as many as can go
            throttle.ask(f'board {step} {board}', lambda: None, urgent=True, guild_id=100 + board + 2 * step)
        await time.pass_(0.1)
    assert begun
    assert begun[0] - asked <= 2 * PATIENCE + 1


async def test_one_server_does_not_delay_the_others() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []
    for number in range(300):
        throttle.ask(number, lambda: None, urgent=True, guild_id=1)
    throttle.ask('other', lambda: begun.append(time.now), urgent=True, guild_id=2)
    asked = time.now
    await time.pass_(60)
    assert begun[0] - asked <= 1


async def test_further_requests_count() -> None:
    time = VirtualTime()
    throttle, begun = Throttle(time.clock, 10), []

    def begin() -> None:
        throttle.spend(2)
        begun.append(time.now)

    for number in range(60):
        throttle.ask(number, begin, urgent=True, guild_id=number)
    await time.pass_(10)
    assert len(begun) <= (10 * 10 + AT_ONCE) / 3 + 1
