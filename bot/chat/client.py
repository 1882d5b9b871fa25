"""What this folder uses of discord.py's client."""

from __future__ import annotations

from typing import Any, Protocol

import discord


class Client(Protocol):
    """The part of `discord.Client` that is used, so that everything here can be built and tested without a bot."""

    @property
    def user(self) -> discord.ClientUser | None: ...

    def get_guild(self, guild_id: int, /) -> discord.Guild | None: ...

    def get_channel(self, channel_id: int, /) -> Any: ...

    async def fetch_channel(self, channel_id: int, /) -> Any: ...

    def get_partial_messageable(self, channel_id: int, /) -> discord.PartialMessageable: ...

    async def create_dm(self, user: discord.abc.Snowflake, /) -> discord.DMChannel: ...


def sees(client: Client, guild_id: int) -> bool:
    """Whether the bot is in this server and Discord shows it at present."""
    guild = client.get_guild(guild_id)
    return guild is not None and not guild.unavailable


def server_name(client: Client, guild_id: int) -> str:
    """The name of a server, unescaped; a question mark when Discord has not told it."""
    guild = client.get_guild(guild_id)
    return guild.name if guild else '?'
