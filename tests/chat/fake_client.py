"""A stand-in for discord.py's client (`bot.chat.client.Client`): it keeps what is sent, and refuses what it is told to refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import discord

UNKNOWN_MEMBER, UNKNOWN_MESSAGE, MISSING_PERMISSIONS, CLOSED_MESSAGES = 10007, 10008, 50013, 50007


def refusal(status: int, code: int) -> discord.HTTPException:
    """What discord.py raises for an answer of Discord with this status and error code."""
    kind = {403: discord.Forbidden, 404: discord.NotFound}.get(status, discord.HTTPException)
    return kind(SimpleNamespace(status=status, reason='refused'), {'code': code, 'message': 'refused'})  # type: ignore[arg-type]


@dataclass
class Message:
    """A message as Discord keeps it."""

    client: FakeClient
    channel_id: int
    id: int
    shown: dict[str, Any]
    edits: int = 0

    async def edit(self, **what: Any) -> None:
        self.client.may('edit', self.channel_id)
        if self.id not in self.client.messages:
            raise refusal(404, UNKNOWN_MESSAGE)
        message = self.client.messages[self.id]
        message.shown |= what
        message.edits += 1

    async def delete(self) -> None:
        self.client.may('delete', self.channel_id)
        if self.client.messages.pop(self.id, None) is None:
            raise refusal(404, UNKNOWN_MESSAGE)


@dataclass
class Channel:
    """A channel, or somebody's direct messages."""

    client: FakeClient
    id: int

    async def send(self, content: str | None = None, **what: Any) -> Message:
        self.client.may('send', self.id)
        self.client.posted += 1
        # ids of Discord are times: https://discord.com/developers/docs/reference#snowflakes
        when = discord.utils.utcnow().fromtimestamp(self.client.now(), tz=discord.utils.utcnow().tzinfo)
        message = Message(self.client, self.id, discord.utils.time_snowflake(when) + self.client.posted, {'content': content, **what})
        self.client.messages[message.id] = message
        return message

    def get_partial_message(self, message_id: int) -> Message:
        return Message(self.client, self.id, message_id, {})


@dataclass
class Guild:
    """The server."""

    client: FakeClient
    name: str = 'Club'
    unavailable: bool = False
    preferred_locale: discord.Locale = discord.Locale.american_english

    async def fetch_member(self, user_id: int) -> None:
        self.client.looked_up.append(user_id)
        if user_id in self.client.gone:
            raise refusal(404, UNKNOWN_MEMBER)


@dataclass
class FakeClient:
    """One server; every channel exists, and everyone's direct messages are the channel with the number of the person times 1,000."""

    now: Any
    guild_id: int = 1
    user: Any = None
    there: bool = True
    """Whether Discord shows the server."""
    messages: dict[int, Message] = field(default_factory=dict)
    posted: int = 0
    looked_up: list[int] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    """Who has left the server."""
    refused: dict[tuple[str, int], discord.HTTPException] = field(default_factory=dict)
    """By what is asked for and its channel: what is raised."""

    def may(self, what: str, channel_id: int) -> None:
        if error := self.refused.get((what, channel_id)):
            raise error

    def in_channel(self, channel_id: int) -> list[Message]:
        """The messages in a channel, oldest first."""
        return [message for message in self.messages.values() if message.channel_id == channel_id]

    def get_guild(self, guild_id: int, /) -> Any:
        return Guild(self) if self.there and guild_id == self.guild_id else None

    def get_channel(self, channel_id: int, /) -> Any:
        return Channel(self, channel_id)

    async def fetch_channel(self, channel_id: int, /) -> Any:
        return Channel(self, channel_id)

    def get_partial_messageable(self, channel_id: int, /) -> Any:
        return Channel(self, channel_id)

    async def create_dm(self, user: discord.abc.Snowflake, /) -> Any:
        return Channel(self, user.id * 1000)
