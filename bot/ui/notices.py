"""What the bot says by itself: calls and reminders. Never more than the moment asks for, and only to whom it concerns."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import discord

from ..storage import StorageError
from ..table import Table
from .hand import board_link
from .words import plain

if TYPE_CHECKING:
    from ..app import CardBot

log: Final = logging.getLogger(__name__)

MOST: Final = 50
"""The most people that one message mentions."""


class Notices:
    """Sends short messages to a channel or to a person."""

    def __init__(self, bot: CardBot) -> None:
        self._bot = bot

    async def call(self, table: Table, code: str, user_ids: Sequence[int], role_id: int | None = None) -> None:
        """A word in the table's channel, with the text `announce.<code>`, that mentions these people and this role."""
        await self._bot.preferences.load([table.guild_id], user_ids)
        wanted = [user_id for user_id in dict.fromkeys(user_ids) if self._bot.preferences.person(user_id).pings][:MOST]
        mentions = [f'<@{user_id}>' for user_id in wanted] + ([f'<@&{role_id}>'] if role_id else [])
        if not mentions:
            return
        words = self._bot.public_words(table.guild_id)
        text = words(f'announce.{code}', people=' '.join(mentions), game=words(f'{table.game.id}.name'))
        allowed = discord.AllowedMentions(
            everyone=False,
            users=[discord.Object(user_id) for user_id in wanted],
            roles=[discord.Object(role_id)] if role_id else False,
        )
        await self._quietly(self._bot.get_partial_messageable(table.channel_id), text, allowed)

    async def remind(self, table: Table, seat: int, deadline: float) -> None:
        """Tells one person that their time runs out: by direct message, or where that is closed by a mention at the table."""
        user_id = table.seats[seat].person.id
        await self._bot.preferences.load([table.guild_id], [user_id])
        if self._bot.preferences.person(user_id).pings:
            await self.tell(table, user_id, 'remind', when=f'<t:{int(deadline)}:R>')

    async def tell(self, table: Table, user_id: int, code: str, **params: str) -> None:
        """A word to one person, with the text `tell.<code>`: by direct message, or by a mention at the table."""
        words = self._bot.private_words(user_id, table.guild_id)
        text = words(
            f'tell.{code}',
            game=words(f'{table.game.id}.name'),
            server=plain(self._bot.server_name(table.guild_id)),
            link=board_link(table),
            **params,
        )
        try:
            channel = await self._bot.create_dm(discord.Object(user_id))
            await channel.send(text, allowed_mentions=discord.AllowedMentions.none())
        except discord.Forbidden:
            allowed = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(user_id)])
            await self._quietly(self._bot.get_partial_messageable(table.channel_id), f'<@{user_id}> {text}', allowed)
        except discord.HTTPException as error:
            log.info('a word to a player did not arrive: %s %s', error.status, error.code)

    @staticmethod
    async def _quietly(channel: discord.abc.Messageable, text: str, allowed: discord.AllowedMentions) -> None:
        try:
            await channel.send(text, allowed_mentions=allowed)
        except (discord.HTTPException, StorageError) as error:
            log.info('a word at a table did not arrive: %s', error)
