"""The Discord client: what it owns, how it starts and stops, and where events come in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from pkgutil import iter_modules
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

import cogs

from .chat.faults import FAULTS, cause
from .chat.languages import CommandTranslator
from .chat.tree import Tree, worth_logging
from .chat.wiring import Chat, ChatBot, wire
from .clock import Clock, system_clock
from .config import Settings
from .storage import Store
from .tables.host import Host

log: Final = logging.getLogger(__name__)

for _name in ('gateway', 'http', 'webhook'):  # at DEBUG they log hands, and tokens of interactions
    logging.getLogger(f'discord.{_name}').setLevel(logging.INFO)

FLUSHED: Final = 30
"""The most boards, and the most hands, that are brought up to date when the bot stops."""
SYNC_AGAIN: Final = 300.0
"""Seconds until the slash commands are registered again when Discord did not take them."""


class CardBot(ChatBot):
    """The bot. The process owns the database when it hands one in."""

    def __init__(self, settings: Settings, store: Store | None, clock: Clock) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = True
        intents.members = settings.members_intent
        super().__init__(
            commands.when_mentioned,
            tree_cls=Tree,
            intents=intents,
            help_command=None,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0.5,
        )
        self.settings = settings
        self._tasks: set[asyncio.Task[Any]] = set()
        self._spawn_apart = clock.spawn
        self.clock = replace(clock, spawn=self._spawn)
        self._given_store = store

    @property
    def host(self) -> Host:
        """The open tables."""
        return self.chat.host

    # --- starting and stopping ---------------------------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Opens the database, loads every cog, and restores the tables, before the first event arrives."""
        logging.getLogger(app_commands.CommandTree.__module__).addFilter(worth_logging)
        self.store = self._given_store or await Store.open(self.settings.database_url, spawn=self._spawn_apart)
        self.chat = wire(self, self.settings, self.store, self.clock)
        for module in sorted(iter_modules(cogs.__path__), key=lambda module: module.name):
            await self.load_extension(f'cogs.{module.name}')
        await self.tree.set_translator(CommandTranslator())
        tables = await self.host.restore()
        log.info('%d tables are open', len(tables))
        self.chat.boards.restored(tables)
        self.chat.hands.restored(tables)
        for table in await self.host.unshown():
            self.chat.updates.show(table)
        self.chat.tidying.restored()
        people = (person.id for table in tables for person in table.people)
        await self.chat.preferences.load((table.guild_id for table in tables), people)
        if self.settings.sync_commands:
            self.clock.spawn(self._sync_commands())

    async def _sync_commands(self) -> None:
        """Registers the slash commands with Discord, for all servers or for one, and nowhere else: or people would see each twice.
        Nobody waits for it: those of last time work meanwhile."""
        try:
            assert self.application_id is not None
            if self.settings.sync_guild:
                guild = discord.Object(self.settings.sync_guild)
                self.tree.copy_global_to(guild=guild)
                await self.tree.sync(guild=guild)
                await self.http.bulk_upsert_global_commands(self.application_id, payload=[])
                await self._clear_servers(guild.id)
            else:
                if not await self.tree.fetch_commands():  # a new bot, or one whose commands were those of one server
                    await self._clear_servers()
                await self.tree.sync()
        except FAULTS as error:
            log.warning('the slash commands could not be synced; trying again in %d s: %s', SYNC_AGAIN, cause(error))
            self.clock.call_later(SYNC_AGAIN, self._sync_again)

    async def _clear_servers(self, but: int = 0) -> None:
        """Takes away commands that are registered for a single server, in all servers but one."""
        assert self.application_id is not None
        await self.wait_until_ready()
        for guild in self.guilds:
            with suppress(discord.Forbidden):  # commands are not allowed there at all
                if guild.id != but and await self.tree.fetch_commands(guild=guild):
                    await self.http.bulk_upsert_guild_commands(self.application_id, guild.id, payload=[])

    def _sync_again(self) -> None:
        if not self.chat.replies.closing:
            self.clock.spawn(self._sync_commands())

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Work in the background that ends with the bot at the latest."""
        task = self._spawn_apart(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Leaves Discord when everyone who waits has been answered, at the latest after the grace; closes the database unless it was
        handed in."""
        chat = getattr(self, 'chat', None)
        if chat is not None:
            await chat.replies.drain(0 if self.is_closed() else self.settings.shutdown_grace)
            chat.host.pause()
            if not self.is_closed():
                await self._flush(chat)
            chat.throttle.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if chat is not None:
            chat.pictures.close()
        await super().close()
        if self._given_store is None and hasattr(self, 'store'):
            await self.store.close()

    async def _flush(self, chat: Chat) -> None:
        """Shows what has changed and is not shown yet, as far as the grace allows."""
        if not self.is_ready() or self.ws is None:
            return
        work = [*chat.boards.flush(FLUSHED), *chat.hands.flush(FLUSHED), *chat.private_hands.flush(FLUSHED)]
        if work:
            await asyncio.wait(work, timeout=self.settings.shutdown_grace)

    # --- events ------------------------------------------------------------------------------------------------------

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.guild_id is None:
            self.chat.hands.reopened(interaction.user.id)
        await self.chat.router.dispatch(interaction)

    async def on_message(self, message: discord.Message) -> None:
        """Only counts: a board that has scrolled away is posted again. Nothing is read."""
        if message.author.id != (self.user.id if self.user else 0) and (table := self.host.in_channel(message.channel.id)):
            self.chat.boards.message_seen(table)


def create_bot(settings: Settings, *, store: Store | None = None, clock: Clock | None = None) -> CardBot:
    """The bot with these settings, not yet connected. Without a store it opens, and closes, the one of the settings."""
    return CardBot(settings, store, clock or system_clock())
