"""What the bot says by itself: calls and reminders. Never more than the moment asks for, and only to whom it concerns."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import discord

from ..storage import StorageError
from ..tables.table import Table, TableError
from ..ui.hand import board_link
from ..ui.language import Language, plain
from .faults import FAULTS, cause

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
        """A word in the table's channel, with the text `announce.<code>`, that mentions these people and this role; to many people in
        several messages, of which the first mentions the role."""
        await self._load(table, user_ids)
        wanted = [f'<@{user_id}>' for user_id in dict.fromkeys(user_ids) if self._bot.preferences.person(user_id).pings]
        mentions = ([f'<@&{role_id}>'] if role_id else []) + wanted
        language = self._bot.public_language(table.guild_id)
        allowed = discord.AllowedMentions(everyone=False, users=True, roles=True)
        for start in range(0, len(mentions), MOST):
            people = ' '.join(mentions[start : start + MOST])
            text = language(f'announce.{code}', people=people, game=language(f'{table.game.id}.name'))
            await self._quietly(self._bot.get_partial_messageable(table.channel_id), text, allowed)

    async def remind(self, table: Table, seat: int, deadline: float) -> None:
        """Tells one person that their time runs out: by direct message, or where that is closed by a mention at the table."""
        user_id = table.seats[seat].person.id
        await self._load(table, [user_id])
        if self._bot.preferences.person(user_id).pings:
            await self.tell(table, user_id, 'remind', when=f'<t:{int(deadline)}:R>')

    async def tell(self, table: Table, user_id: int, code: str, *, reason: str = '', when: str = '', server: str = '') -> None:
        """A word to one person, with the text `tell.<code>`: by direct message, or by a mention at the table. `reason` is that of an
        outcome; `server` is the name of one that the bot is no longer in."""

        def text(language: Language) -> str:
            return language(
                f'tell.{code}',
                game=language(f'{table.game.id}.name'),
                server=plain(server or self._bot.server_name(table.guild_id)),
                link=board_link(table),
                why=language(f'outcome.{reason}') if reason else '',
                when=when,
            )

        try:
            channel = await self._bot.create_dm(discord.Object(user_id))
            private = text(self._bot.private_language(user_id, table.guild_id))
            await channel.send(private, allowed_mentions=discord.AllowedMentions.none())
        except discord.Forbidden:
            await self._name(table.channel_id, user_id, f'<@{user_id}> {text(self._bot.public_language(table.guild_id))}')
        except FAULTS as error:
            log.info('a word to a player did not arrive: %s', cause(error))

    async def unanswered(self, interaction: discord.Interaction[CardBot], text: str) -> None:
        """Discord refuses our answer to what somebody did: they get its text by direct message; without a text, or with direct messages
        closed, they hear that the answer is lost."""
        user, language = discord.Object(interaction.user.id), self._bot.language_for(interaction)
        try:
            channel = await self._bot.create_dm(user)
            said = language('tell.unanswered') + '\n' + text if text else language('announce.unanswered', people=f'<@{user.id}>')
            await channel.send(said, allowed_mentions=discord.AllowedMentions.none())
        except discord.Forbidden:
            if interaction.guild_id is not None and interaction.channel_id is not None:
                text = self._bot.public_language(interaction.guild_id)('announce.unanswered', people=f'<@{user.id}>')
                await self._name(interaction.channel_id, user.id, text)
        except FAULTS as error:
            log.info('an answer by direct message did not arrive: %s', cause(error))

    async def stop(self, table_id: int, reason: str) -> None:
        """Closes a table that cannot go on, for the reason `outcome.<reason>`, and tells its people. Does nothing when it is over."""
        with suppress(TableError):
            table = self._bot.host.table(table_id)
            try:
                await self._bot.host.stop(table_id, reason)
            except StorageError as error:
                log.warning('table %d could not be stopped: %s', table_id, error)
                return
            for person in table.people:
                await self.tell(table, person.id, 'stopped', reason=reason)

    async def _load(self, table: Table, user_ids: Sequence[int]) -> None:
        """Reads what these people have chosen; without a database the defaults serve."""
        with suppress(StorageError):
            await self._bot.preferences.load([table.guild_id], user_ids)

    async def _name(self, channel_id: int, user_id: int, text: str) -> None:
        """A word to one person where all read it; no ping for those who have switched pings off."""
        pinged = [discord.Object(user_id)] if self._bot.preferences.person(user_id).pings else False
        allowed = discord.AllowedMentions(everyone=False, roles=False, users=pinged)
        await self._quietly(self._bot.get_partial_messageable(channel_id), text, allowed)

    @staticmethod
    async def _quietly(channel: discord.abc.Messageable, text: str, allowed: discord.AllowedMentions) -> None:
        try:
            await channel.send(text, allowed_mentions=allowed)
        except FAULTS as error:
            log.info('a word at a table did not arrive: %s', cause(error))
