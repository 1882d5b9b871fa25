"""`/settings`: what a server and what a person may choose. Without options the commands only show what is chosen."""

from __future__ import annotations

import logging
from typing import Any, ClassVar, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.chat.game_cog import TimeControlName
from bot.chat.preferences import Mentions, PersonalSettings, ServerSettings
from bot.chat.replies import Answer, answered
from bot.chat.wiring import Chat, ChatBot
from bot.tables.table import TableError
from bot.ui.language import Language, catalogues, described

log: Final = logging.getLogger(__name__)

OWN: Final = 'own'
"""Stands for “no language chosen” in the option `language`."""


class TablePlace(app_commands.Transformer):
    """An option that takes every channel that can hold tables, itself or in its threads. Nothing of it is needed but the id, so it is not
    looked up: an archived thread could not be found."""

    type = discord.AppCommandOptionType.channel
    channel_types: ClassVar[list[discord.ChannelType]] = [
        discord.ChannelType.text,
        discord.ChannelType.news,
        discord.ChannelType.voice,
        discord.ChannelType.stage_voice,
        discord.ChannelType.forum,
        discord.ChannelType.media,
        discord.ChannelType.public_thread,
        discord.ChannelType.private_thread,
        discord.ChannelType.news_thread,
    ]

    async def transform(self, interaction: discord.Interaction[Any], value: Any, /) -> Any:
        return value


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class SettingsCog(commands.GroupCog, name='settings', description=described('command.settings')):
    """Settings of servers, for those who manage them, and of people."""

    def __init__(self, chat: Chat) -> None:
        super().__init__()
        self.chat = chat

    @app_commands.command(name='server', description=described('command.settings.server'))
    @app_commands.describe(
        channel=described('command.settings.server.channel'),
        everywhere=described('command.settings.server.everywhere'),
        hosts=described('command.settings.server.hosts'),
        pace=described('command.settings.server.pace'),
        mentions=described('command.settings.server.mentions'),
        language=described('command.settings.language'),
        pictures=described('command.settings.server.pictures'),
        ping=described('command.settings.server.ping'),
    )
    @answered
    async def server(
        self,
        interaction: discord.Interaction[Any],
        channel: app_commands.Transform[discord.abc.Snowflake, TablePlace] | None = None,
        everywhere: bool | None = None,
        hosts: discord.Role | None = None,
        pace: TimeControlName | None = None,
        mentions: Mentions | None = None,
        language: str | None = None,
        pictures: bool | None = None,
        ping: discord.Role | None = None,
    ) -> Answer:
        if interaction.guild_id is None:
            raise TableError('guild-only')
        if not interaction.permissions.manage_guild:
            raise TableError('manage-server')
        reader, guild_id = self.chat.languages.of(interaction), interaction.guild_id
        await self.chat.preferences.load([guild_id], [])
        chosen = self.chat.preferences.server(guild_id)
        changes: dict[str, Any] = {}
        if channel is not None:
            changes['channels'] = tuple(sorted(set(chosen.channels) ^ {channel.id}))
        if everywhere:
            changes['channels'] = ()
        for name, role in (('host_role', hosts), ('ping_role', ping)):
            if role is not None:
                changes[name] = None if role.id == guild_id or role.id == getattr(chosen, name) else role.id
        changes |= {name: value for name, value in (('pace', pace), ('mentions', mentions), ('pictures', pictures)) if value is not None}
        changes |= self._language(language)
        if changes:
            chosen = await self.chat.preferences.change_server(guild_id, **changes)
            said = ', '.join(f'{name}={value}' for name, value in sorted(changes.items()))
            log.info('settings of server %d changed by %d: %s', guild_id, interaction.user.id, said)
            for table in self.chat.host.tables_in(guild_id):
                self.chat.updates.show(table)
        return self._server(reader, chosen)

    @app_commands.command(name='mine', description=described('command.settings.mine'))
    @app_commands.describe(
        direct=described('command.settings.mine.direct'),
        pings=described('command.settings.mine.pings'),
        language=described('command.settings.language'),
        confirm=described('command.settings.mine.confirm'),
    )
    @answered
    async def mine(
        self,
        interaction: discord.Interaction[Any],
        direct: bool | None = None,
        pings: bool | None = None,
        language: str | None = None,
        confirm: bool | None = None,
    ) -> Answer:
        user_id = interaction.user.id
        switches = (('direct', direct), ('pings', pings), ('confirm', confirm))
        changes: dict[str, Any] = {name: value for name, value in switches if value is not None} | self._language(language)
        await self.chat.preferences.load([], [user_id])
        chosen = self.chat.preferences.person(user_id)
        if changes:
            chosen = await self.chat.preferences.change_person(user_id, **changes)
            for table in self.chat.host.tables_of(user_id):
                self.chat.updates.show(table)
        return self._mine(self.chat.languages.of(interaction), chosen)

    @server.autocomplete('language')
    @mine.autocomplete('language')
    async def _languages(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        language = self.chat.languages.of(interaction)
        names = [(language('language.own'), OWN), *((catalogues().get(code, 'language.name'), code) for code in catalogues().languages)]
        return [app_commands.Choice(name=name, value=value) for name, value in names if typed.casefold() in f'{name} {value}'.casefold()]

    @staticmethod
    def _language(typed: str | None) -> dict[str, Any]:
        if typed is None:
            return {}
        if typed != OWN and typed not in catalogues().languages:
            raise TableError('no-language', languages=', '.join([OWN, *catalogues().languages]))
        return {'language': None if typed == OWN else typed}

    @staticmethod
    def _server(language: Language, chosen: ServerSettings) -> str:
        everywhere = language('settings.everywhere')
        lines = [
            language('settings.server'),
            language('settings.channels', value=' '.join(f'<#{channel_id}>' for channel_id in chosen.channels) or everywhere),
            language('settings.hosts', value=f'<@&{chosen.host_role}>' if chosen.host_role else language('settings.everyone')),
            language('settings.pace', value=language(f'pace.{chosen.pace}')),
            language('settings.mentions', value=language(f'mentions.{chosen.mentions}')),
            language('settings.language', value=_named(language, chosen.language)),
            language('settings.pictures', value=language('settings.on' if chosen.pictures else 'settings.off')),
            language('settings.ping', value=f'<@&{chosen.ping_role}>' if chosen.ping_role else language('settings.nobody')),
        ]
        return '\n'.join(lines)

    @staticmethod
    def _mine(language: Language, chosen: PersonalSettings) -> str:
        switches = (
            language(f'settings.{name}', value=language('settings.on' if getattr(chosen, name) else 'settings.off'))
            for name in ('direct', 'pings', 'confirm')
        )
        return '\n'.join([language('settings.mine'), *switches, language('settings.language', value=_named(language, chosen.language))])


def _named(language: Language, code: str | None) -> str:
    return catalogues().get(code, 'language.name') if code in catalogues().languages and code else language('language.own')


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(SettingsCog(bot.chat))
