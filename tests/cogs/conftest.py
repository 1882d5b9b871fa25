"""The bot over simcord, with virtual time and a real database file."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import simcord

from bot.app import CardBot, create_bot
from bot.config import Settings
from bot.storage import Store

from ..virtual_time import virtual_clock
from .limits import request_within_limits
from .night import Night

_SETTLE = simcord.Env._settle_internal


@pytest.fixture(autouse=True)
def quick_settlement(monkeypatch: pytest.MonkeyPatch) -> None:
    """simcord looks every 50 ms whether the bot has come to rest; 1 ms serves as well. Leans on a private name of the pinned version."""

    async def settle(self: simcord.Env, *args: Any, **kwargs: Any) -> Any:
        kwargs.setdefault('idle', 0.001)
        return await _SETTLE(self, *args, **kwargs)

    monkeypatch.setattr(simcord.Env, '_settle_internal', settle)


@pytest.fixture
def expected_warnings() -> list[str]:
    """Patterns of what a test makes the bot log as a warning or an error; anything else that is logged so fails the test."""
    return []


@pytest.fixture(autouse=True)
def nothing_unexpected_logged(caplog: pytest.LogCaptureFixture, expected_warnings: list[str]) -> Iterator[None]:
    """A fault in a background task or an event, and what Discord refuses, reach only the log, so the log decides too."""
    yield
    logged = [record for when in ('setup', 'call') for record in caplog.get_records(when) if record.levelno >= logging.WARNING]
    said = [f'{record.name}: {record.getMessage()}' for record in logged]
    assert [line for line in said if not any(re.search(pattern, line) for pattern in expected_warnings)] == []
    unseen = [pattern for pattern in expected_warnings if not any(re.search(pattern, line) for line in said)]
    assert not unseen, f'expected in the log, but not there: {unseen}'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    # simcord would wait in real time for a ring after 15 seconds: tests/chat rings
    return Settings(
        token=None,
        board_interval=0,
        requests_per_second=0,
        live_ring=0,
        tables_per_person=0,
        database_url=f'sqlite:///{tmp_path}/night.sqlite3',
    )


@pytest.fixture
async def simcord_bot(settings: Settings) -> AsyncIterator[CardBot]:
    """The bot; its time is simcord's."""
    store = await Store.open(settings.database_url, spawn=asyncio.create_task)
    bot = create_bot(settings, store=store, clock=virtual_clock(lambda: env_of[bot]))
    yield bot
    await bot.close()
    await store.close()
    env_of.pop(bot, None)


env_of: dict[CardBot, simcord.Env] = {}


@pytest.fixture
async def night(simcord_env: simcord.Env, simcord_bot: CardBot) -> AsyncIterator[Night]:
    """A server `Club` with the channel `cards`, nobody in it yet. At the end, everything the bot has sent is within Discord's limits."""
    env_of[simcord_bot] = simcord_env
    guild = simcord_env.create_guild('Club')
    night = Night(simcord_env, simcord_bot, guild, guild.create_text_channel('cards'))
    yield night
    for request in simcord_env.http_requests:
        request_within_limits(request.path, request.json)
    if night.bot is not simcord_bot:
        await night.bot.close()
