"""What Discord does to tables: it goes away and comes back, takes permissions, deletes channels, and loses people.

A table that cannot go on waits, with its clock standing still; a table that never can is stopped, and its people are told.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

import discord
from discord.ext import commands

from bot.storage import StorageError
from bot.table import TableError

if TYPE_CHECKING:
    from bot.app import CardBot

log: Final = logging.getLogger(__name__)

PATIENCE: Final = 24 * 3600.0
"""Seconds that tables wait for a server that the bot was removed from."""


class Weather(commands.Cog):
    """Listens to what happens around the tables."""

    def __init__(self, bot: CardBot) -> None:
        self.bot = bot

    # --- Discord itself --------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Discord is there, perhaps again: time passes, boards are drawn."""
        log.info('ready in %d servers', len(self.bot.guilds))
        self.bot.host.resume()
        for guild in self.bot.guilds:
            self._there(guild.id)
        for table in self.bot.host.tables:
            if self.bot.get_guild(table.guild_id) is None:
                self._removed(table.guild_id)

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        self.bot.host.resume()

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        self.bot.host.pause()

    # --- servers ---------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        self._there(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        self._there(guild.id)

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        for table in self.bot.host.tables_in(guild.id):
            self.bot.host.wait(table, 'outage')

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self._removed(guild.id)

    def _there(self, guild_id: int) -> None:
        for table in self.bot.host.tables_in(guild_id):
            if table.waiting_for in ('outage', 'server-gone'):
                self.bot.host.go_on(table)
        self.bot.painter.retry(guild_id)

    def _removed(self, guild_id: int) -> None:
        """The bot is not in this server any more; it may be invited again."""
        for table in self.bot.host.tables_in(guild_id):
            if table.waiting_for != 'server-gone':
                self.bot.host.wait(table, 'server-gone')
                self.bot.clock.call_later(PATIENCE, partial(self._give_up, table.id))

    def _give_up(self, table_id: int) -> None:
        with suppress(TableError):
            if self.bot.host.table(table_id).waiting_for == 'server-gone':
                self.bot.clock.spawn(self._stop(table_id, 'server-gone'))

    # --- channels --------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        threads = {thread.id for thread in getattr(channel, 'threads', [])}
        await self._channels_gone({channel.id, *threads})

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self._channels_gone({payload.thread_id})

    async def _channels_gone(self, channel_ids: set[int]) -> None:
        for channel_id in channel_ids:
            table = self.bot.host.in_channel(channel_id)
            if table is not None:
                await self._stop(table.id, 'channel-gone')

    async def _stop(self, table_id: int, reason: str) -> None:
        with suppress(TableError):
            table = self.bot.host.table(table_id)
            try:
                await self.bot.host.stop(table_id, reason)
            except StorageError as error:
                log.warning('table %d could not be stopped: %s', table_id, error)
                return
            for person in table.people:
                await self.bot.notices.tell(table, person.id, 'stopped', why=self._why(table.guild_id, person.id, reason))

    def _why(self, guild_id: int, user_id: int, reason: str) -> str:
        return self.bot.private_words(user_id, guild_id)(f'outcome.{reason}')

    # --- permissions: what was refused is tried again --------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        self.bot.painter.retry(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        self.bot.painter.retry(after.guild.id)

    @commands.Cog.listener()
    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        self.bot.painter.retry(after.guild.id)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if after.id == self.bot.application_id:
            self.bot.painter.retry(after.guild.id)

    # --- people: only where the operator has switched the members intent on ------------------------------------------------

    @commands.Cog.listener()
    async def on_raw_member_remove(self, payload: discord.RawMemberRemoveEvent) -> None:
        await self.bot.gone(payload.guild_id, payload.user.id)


async def setup(bot: CardBot) -> None:
    await bot.add_cog(Weather(bot))
