"""`/rules` and `/help`."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.chat.replies import Answer, Reply, answered, is_private
from bot.chat.wiring import Chat, ChatBot
from bot.tables.table import TableError
from bot.ui.game_view import MENU
from bot.ui.language import described
from bot.ui.rules import SHORT, rules


class Help(commands.Cog):
    """What can be played here and how."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    async def cog_load(self) -> None:
        self.chat.router.on('rules', self.turned)

    async def cog_unload(self) -> None:
        self.chat.router.off('rules')

    @app_commands.command(name='rules', description=described('command.rules'))
    @app_commands.describe(game=described('command.rules.game'), about=described('command.rules.about'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def rules(self, interaction: discord.Interaction[Any], game: str | None = None, about: str | None = None) -> Answer:
        language, table = self.chat.languages.of(interaction), self.chat.actions.find_table(interaction)
        if game is not None:
            game_id = self.chat.actions.game_named(interaction, game)
        elif table is not None:
            game_id = table.game.id
        else:
            raise TableError('which-game', games=language.listed(f'`{game_id}`' for game_id in sorted(self.chat.game_views)))
        return Reply(view=rules(self.chat.game_views[game_id], about or SHORT, language))

    @rules.autocomplete('game')
    async def _games(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        return self.chat.actions.game_choices(interaction, typed)

    @rules.autocomplete('about')
    async def _sections(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        table = self.chat.actions.find_table(interaction)
        game_view = self.chat.game_views.get(interaction.namespace.game or (table.game.id if table else ''))
        if game_view is None:
            return []
        language = self.chat.languages.of(interaction)
        titles = [(language(f'{game_view.game.id}.rules.{section}.title'), section) for section in game_view.game.sections]
        return [app_commands.Choice(name=title, value=section) for title, section in titles if typed.casefold() in title.casefold()][:MENU]

    async def turned(self, interaction: discord.Interaction[Any], custom_id: str, values: list[str]) -> Answer:
        """Another paragraph was chosen in the menu."""
        game_id = custom_id.partition(':')[2]
        language = self.chat.languages.of(interaction)
        if game_id not in self.chat.game_views:
            return language('reason.old-button')
        return Reply(view=rules(self.chat.game_views[game_id], values[0] if values else SHORT, language), in_place=is_private(interaction))

    @app_commands.command(name='help', description=described('command.help'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def help(self, interaction: discord.Interaction[Any]) -> Answer:
        language = self.chat.languages.of(interaction)
        games = '\n'.join(
            language('help.game', command=f'/{game_id} open', name=language(f'{game_id}.name'), tagline=language(f'{game_id}.tagline'))
            for game_id in sorted(self.chat.game_views)
        )
        return language('help.text', product=language('core.product'), games=games)


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Help(bot.chat))
