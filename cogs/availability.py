"""What happens around tables: Discord goes away and comes back, permissions are taken, channels deleted, and people leave.

A table that cannot go on waits, with its clock standing still; a table that never can is stopped, and its people are told.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

import discord
from discord.ext import commands

from bot.chat.wiring import ChatBot
from bot.clock import Handle

log: Final = logging.getLogger(__name__)

PATIENCE: Final = 24 * 3600.0
"""Seconds that tables wait for a server that the bot was removed from."""


class Availability(commands.Cog):
    """Listens to what happens around the tables."""

    def __init__(self, bot: ChatBot) -> None:
        self.bot = bot
        self.chat = bot.chat
        self._patience: dict[int, Handle] = {}
        """By server that the bot is no longer in, when its tables are given up."""

    # --- Discord itself --------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Discord is there, perhaps again: clocks run and boards are updated."""
        log.info('ready in %d servers', len(self.bot.guilds))
        self.chat.host.resume()
        for guild_id in {table.guild_id for table in self.chat.host.tables}:
            guild = self.chat.client.get_guild(guild_id)
            if guild is None:
                self._removed(guild_id)
            elif guild.unavailable:
                self._outage(guild_id)
        for guild in self.bot.guilds:
            if not guild.unavailable:
                self._there(guild.id)

    @commands.Cog.listener()
    async def on_resumed(self) -> None:
        self.chat.host.resume()

    @commands.Cog.listener()
    async def on_disconnect(self) -> None:
        self.chat.host.pause()

    # --- servers ---------------------------------------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        self._there(guild.id)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        self._there(guild.id)

    @commands.Cog.listener()
    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        self._outage(guild.id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self._removed(guild.id)
        for table in self.chat.host.tables_in(guild.id):
            for person in table.people:
                await self.chat.notices.tell(table, person.id, 'server-gone', server=guild.name)

    def _outage(self, guild_id: int) -> None:
        for table in self.chat.host.tables_in(guild_id):
            self.chat.host.suspend(table.id, 'outage')

    def _there(self, guild_id: int) -> None:
        if (patience := self._patience.pop(guild_id, None)) is not None:
            patience.cancel()
        for table in self.chat.host.tables_in(guild_id):
            if table.waiting_for in ('outage', 'server-gone'):
                self.chat.host.unsuspend(table.id)
        self._retry(guild_id)

    def _removed(self, guild_id: int) -> None:
        """The bot is not in this server any more; it may be invited again."""
        for table in self.chat.host.tables_in(guild_id):
            self.chat.host.suspend(table.id, 'server-gone')
        if guild_id not in self._patience:
            self._patience[guild_id] = self.chat.clock.call_later(PATIENCE, partial(self._give_up, guild_id))

    def _give_up(self, guild_id: int) -> None:
        del self._patience[guild_id]
        for table in self.chat.host.tables_in(guild_id):
            self.chat.clock.spawn(self.chat.close_table(table.id, 'server-gone'))

    def _retry(self, guild_id: int) -> None:
        """Sends at once what Discord refused before."""
        self.chat.boards.retry(guild_id)
        self.chat.hands.retry(guild_id)

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
            table = self.chat.host.in_channel(channel_id)
            if table is not None:
                await self.chat.close_table(table.id, 'channel-gone')

    # --- permissions: what was refused is tried again --------------------------------------------------------------------

    @commands.Cog.listener()
    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        self._retry(after.guild.id)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        self._retry(after.guild.id)

    @commands.Cog.listener()
    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        self._retry(payload.guild_id)

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if after == after.guild.me:
            self._retry(after.guild.id)

    # --- people: only where the operator has switched the members intent on ------------------------------------------------

    @commands.Cog.listener()
    async def on_raw_member_remove(self, payload: discord.RawMemberRemoveEvent) -> None:
        await self.chat.presence.gone(payload.guild_id, payload.user.id)


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Availability(bot))
