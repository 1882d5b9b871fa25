"""What the bot says without being asked: pings, reminders and short notices, only to the people they concern."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import discord

from ..clock import Clock
from ..storage import StorageError
from ..tables.table import Table
from ..ui.hand import board_link
from ..ui.language import Language, escape_name
from .client import Client, server_name
from .faults import FAULTS, cause, refuses_direct_messages
from .languages import Languages
from .preferences import Preferences

log: Final = logging.getLogger(__name__)

MOST: Final = 50
"""The most people that one message mentions."""


CALL_PAUSE: Final = 600.0
"""Seconds in which the role and the subscribers of a server are pinged once at most."""


class Notices:
    """Sends short messages to a channel or to a person."""

    def __init__(self, client: Client, preferences: Preferences, languages: Languages, clock: Clock) -> None:
        self._client = client
        self._preferences = preferences
        self._languages = languages
        self._clock = clock
        self._called: dict[int, float] = {}
        """By server, when people were last called to a table that was opened."""

    async def ping(self, table: Table, code: str, user_ids: Sequence[int], role_id: int | None = None) -> None:
        """Posts the text `announce.<code>` in the table's channel, mentioning these people and this role; many people in several
        messages, of which the first mentions the role. To tables that were opened, people are called once in `CALL_PAUSE` seconds and
        server; then nothing is posted, as the board itself shows the table."""
        await self._load(table, user_ids)
        wanted = [f'<@{user_id}>' for user_id in dict.fromkeys(user_ids) if self._preferences.person(user_id).pings]
        mentions = ([f'<@&{role_id}>'] if role_id else []) + wanted
        if code == 'opened' and mentions:
            now = self._clock.now()
            if now < self._called.get(table.guild_id, 0.0) + CALL_PAUSE:
                return
            self._called[table.guild_id] = now
        language = self._languages.of_server(table.guild_id)
        allowed = discord.AllowedMentions(everyone=False, users=True, roles=True)
        for start in range(0, len(mentions), MOST):
            people = ' '.join(mentions[start : start + MOST])
            text = language(f'announce.{code}', people=people, game=language(f'{table.game.id}.name'))
            await self._post(table.channel_id, text, allowed)

    async def remind(self, table: Table, seat: int, deadline: float) -> None:
        """Tells the player in a seat that their time runs out: by direct message, or where that is closed by a mention at the table."""
        user_id = table.seats[seat].person.id
        await self._load(table, [user_id])
        if self._preferences.person(user_id).pings:
            await self.tell(table, user_id, 'remind', when=f'<t:{int(deadline)}:R>')

    async def tell(self, table: Table, user_id: int, code: str, *, reason: str = '', when: str = '', server: str = '') -> None:
        """Sends the text `tell.<code>` to one person: by direct message, or by a mention at the table. `reason` is that of an outcome;
        `server` is the name of one that the bot is no longer in."""

        def text(language: Language) -> str:
            return language(
                f'tell.{code}',
                game=language(f'{table.game.id}.name'),
                server=escape_name(server or server_name(self._client, table.guild_id)),
                link=board_link(table),
                why=language(f'outcome.{reason}') if reason else '',
                when=when,
            )

        try:
            channel = await self._client.create_dm(discord.Object(user_id))
            private = text(self._languages.of_person(user_id, table.guild_id))
            await channel.send(private, allowed_mentions=discord.AllowedMentions.none())
        except FAULTS as error:
            if refuses_direct_messages(error):
                await self._mention(table.channel_id, user_id, f'<@{user_id}> {text(self._languages.of_server(table.guild_id))}')
                return
            where = f'table {table.id} in server {table.guild_id}'
            log.info('%s: the notice %s to user %d was not delivered: %s', where, code, user_id, cause(error))

    async def unanswered(self, interaction: discord.Interaction, text: str) -> None:
        """Discord refuses the bot's answer to what somebody did: they get its text by direct message; without a text, or with direct
        messages closed, they hear that the answer is lost."""
        user, language = discord.Object(interaction.user.id), self._languages.of(interaction)
        try:
            channel = await self._client.create_dm(user)
            said = language('tell.unanswered') + '\n' + text if text else language('announce.unanswered', people=f'<@{user.id}>')
            await channel.send(said, allowed_mentions=discord.AllowedMentions.none())
        except FAULTS as error:
            if refuses_direct_messages(error) and interaction.guild_id is not None and interaction.channel_id is not None:
                text = self._languages.of_server(interaction.guild_id)('announce.unanswered', people=f'<@{user.id}>')
                await self._mention(interaction.channel_id, user.id, text)
                return
            log.info('user %d: an answer by direct message was not delivered: %s', user.id, cause(error))

    async def _load(self, table: Table, user_ids: Sequence[int]) -> None:
        """Reads what these people have chosen; without a database the defaults serve."""
        with suppress(StorageError):
            await self._preferences.load([table.guild_id], user_ids)

    async def _mention(self, channel_id: int, user_id: int, text: str) -> None:
        """Tells one person something where everyone reads it; without a ping for those who have switched pings off."""
        pinged = [discord.Object(user_id)] if self._preferences.person(user_id).pings else False
        await self._post(channel_id, text, discord.AllowedMentions(everyone=False, roles=False, users=pinged))

    async def _post(self, channel_id: int, text: str, allowed: discord.AllowedMentions) -> None:
        try:
            await self._client.get_partial_messageable(channel_id).send(text, allowed_mentions=allowed)
        except FAULTS as error:
            log.info('a notice in channel %d was not delivered: %s', channel_id, cause(error))
