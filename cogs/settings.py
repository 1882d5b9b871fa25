"""`/settings`: what a server and what a person may choose. Without options the commands only show what is chosen."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.table import TableError
from bot.ui.game_cog import PaceName
from bot.ui.preferences import Mentions, PersonalSettings, ServerSettings
from bot.ui.replies import Answer, answered
from bot.ui.words import Words, described, texts

if TYPE_CHECKING:
    from bot.app import CardBot

log: Final = logging.getLogger(__name__)

OWN: Final = 'own'
"""Stands for “no language chosen” in the option `language`."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class SettingsCog(commands.GroupCog, name='settings', description=described('command.settings')):
    """Settings of servers, for those who manage them, and of people."""

    def __init__(self, bot: CardBot) -> None:
        super().__init__()
        self.bot = bot

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
        channel: discord.TextChannel | None = None,
        everywhere: bool | None = None,
        hosts: discord.Role | None = None,
        pace: PaceName | None = None,
        mentions: Mentions | None = None,
        language: str | None = None,
        pictures: bool | None = None,
        ping: discord.Role | None = None,
    ) -> Answer:
        if interaction.guild_id is None:
            raise TableError('guild-only')
        if not interaction.permissions.manage_guild:
            raise TableError('manage-server')
        words, guild_id = self.bot.words_for(interaction), interaction.guild_id
        await self.bot.preferences.load([guild_id], [])
        chosen = self.bot.preferences.server(guild_id)
        changes: dict[str, Any] = {}
        if channel is not None:
            changes['channels'] = tuple(sorted(set(chosen.channels) ^ {channel.id}))
        if everywhere:
            changes['channels'] = ()
        for name, role in (('host_role', hosts), ('ping_role', ping)):
            if role is not None:
                changes[name] = None if role.id == guild_id or role.id == getattr(chosen, name) else role.id
        changes |= {name: value for name, value in (('pace', pace), ('mentions', mentions), ('pictures', pictures)) if value is not None}
        changes |= self._language(words, language)
        if changes:
            chosen = await self.bot.preferences.change_server(guild_id, **changes)
            said = ', '.join(f'{name}={value}' for name, value in sorted(changes.items()))
            log.info('settings of server %d changed by %d: %s', guild_id, interaction.user.id, said)
            for table in self.bot.host.tables_in(guild_id):
                self.bot.painter.changed(table)
        return self._server(words, chosen)

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
        words = self.bot.words_for(interaction)
        switches = (('direct', direct), ('pings', pings), ('confirm', confirm))
        changes: dict[str, Any] = {name: value for name, value in switches if value is not None} | self._language(words, language)
        await self.bot.preferences.load([], [user_id])
        chosen = self.bot.preferences.person(user_id)
        if changes:
            chosen = await self.bot.preferences.change_person(user_id, **changes)
            for table in self.bot.host.tables_of(user_id):
                self.bot.painter.changed(table)
        return self._mine(self.bot.words_for(interaction), chosen)

    @server.autocomplete('language')
    @mine.autocomplete('language')
    async def _languages(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        words = self.bot.words_for(interaction)
        names = [(words('language.own'), OWN), *((texts().get(one, 'language.name'), one) for one in texts().languages)]
        return [app_commands.Choice(name=name, value=value) for name, value in names if typed.casefold() in f'{name} {value}'.casefold()]

    @staticmethod
    def _language(words: Words, typed: str | None) -> dict[str, Any]:
        if typed is None:
            return {}
        if typed != OWN and typed not in texts().languages:
            raise TableError('no-language', languages=', '.join([OWN, *texts().languages]))
        return {'language': None if typed == OWN else typed}

    @staticmethod
    def _server(words: Words, chosen: ServerSettings) -> str:
        everywhere = words('settings.everywhere')
        lines = [
            words('settings.server'),
            words('settings.channels', value=' '.join(f'<#{one}>' for one in chosen.channels) or everywhere),
            words('settings.hosts', value=f'<@&{chosen.host_role}>' if chosen.host_role else words('settings.everyone')),
            words('settings.pace', value=words(f'pace.{chosen.pace}')),
            words('settings.mentions', value=words(f'mentions.{chosen.mentions}')),
            words('settings.language', value=_named(words, chosen.language)),
            words('settings.pictures', value=words('settings.on' if chosen.pictures else 'settings.off')),
            words('settings.ping', value=f'<@&{chosen.ping_role}>' if chosen.ping_role else words('settings.nobody')),
        ]
        return '\n'.join(lines)

    @staticmethod
    def _mine(words: Words, chosen: PersonalSettings) -> str:
        lines = [words('settings.mine')]
        for name in ('direct', 'pings', 'confirm'):
            lines.append(words(f'settings.{name}', value=words('settings.on' if getattr(chosen, name) else 'settings.off')))
        return '\n'.join([*lines, words('settings.language', value=_named(words, chosen.language))])


def _named(words: Words, language: str | None) -> str:
    return texts().get(language, 'language.name') if language in texts().languages and language else words('language.own')


async def setup(bot: CardBot) -> None:
    await bot.add_cog(SettingsCog(bot))
