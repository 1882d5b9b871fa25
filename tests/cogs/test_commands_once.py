"""Slash commands are registered in one scope only, so nobody sees one twice."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app import create_bot
from bot.config import Settings

from .night import Night

pytestmark = pytest.mark.simcord(settle_timeout=20)


async def start(night: Night, settings: Settings, **changes: Any) -> None:
    """The bot starts again with other settings."""
    changed = settings.model_copy(update=changes)
    bot = create_bot(changed, store=night.bot.store, clock=night.bot.clock)
    await night.env.restart_bot(bot)
    night.bot = bot
    await night.env.settle()


async def registered(night: Night) -> dict[str, int]:
    """How many commands there are everywhere, and in each server alone."""
    tree = night.bot.tree
    return {'everywhere': len(await tree.fetch_commands())} | {
        guild.name: len(await tree.fetch_commands(guild=guild)) for guild in night.bot.guilds
    }


async def test_a_server_of_its_own_set_changed_and_taken_away(night: Night, settings: Settings) -> None:
    other = night.in_server('Other')
    commands = len(night.bot.tree.get_commands())
    assert await registered(night) == {'everywhere': commands, 'Club': 0, 'Other': 0}
    await start(night, settings, sync_guild=night.guild.id)
    assert await registered(night) == {'everywhere': 0, 'Club': commands, 'Other': 0}
    assert 'What I have' not in await night.slash('Ann', 'rules', game='kings')
    await start(night, settings, sync_guild=other.guild.id)
    assert await registered(night) == {'everywhere': 0, 'Club': 0, 'Other': commands}
    await start(night, settings)
    assert await registered(night) == {'everywhere': commands, 'Club': 0, 'Other': 0}
    await night.begin('Ann', 'Bob')
    await start(night, settings)
    assert await registered(night) == {'everywhere': commands, 'Club': 0, 'Other': 0}


async def test_what_an_older_version_registered_twice(night: Night, settings: Settings) -> None:
    guild = night.bot.get_guild(night.guild.id)
    assert guild is not None
    night.bot.tree.copy_global_to(guild=guild)
    await night.bot.tree.sync(guild=guild)
    commands = len(night.bot.tree.get_commands())
    assert await registered(night) == {'everywhere': commands, 'Club': commands}
    await start(night, settings, sync_guild=night.guild.id)
    assert await registered(night) == {'everywhere': 0, 'Club': commands}
    await start(night, settings)
    assert await registered(night) == {'everywhere': commands, 'Club': 0}


async def test_a_server_that_takes_no_commands(night: Night, settings: Settings) -> None:
    await start(night, settings, sync_guild=night.guild.id)
    other = night.in_server('Other')
    night.env.inject_error('GET', f'/applications/*/guilds/{other.guild.id}/commands', status=403, code=50001, message='no', times=None)
    commands = len(night.bot.tree.get_commands())
    await start(night, settings)
    assert len(await night.bot.tree.fetch_commands()) == commands
