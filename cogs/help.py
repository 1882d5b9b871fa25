"""`/rules` and `/help`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.chat.replies import Answer, Reply, answered, is_private
from bot.tables.table import TableError
from bot.ui.game_view import MENU
from bot.ui.language import described
from bot.ui.rules import SHORT, rules

if TYPE_CHECKING:
    from bot.app import CardBot


class Help(commands.Cog):
    """What can be played here and how."""

    def __init__(self, bot: CardBot) -> None:
        self.bot = bot

    async def cog_load(self) -> None:
        self.bot.router.on('rules', self.turned)

    async def cog_unload(self) -> None:
        self.bot.router.off('rules')

    @app_commands.command(name='rules', description=described('command.rules'))
    @app_commands.describe(game=described('command.rules.game'), about=described('command.rules.about'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def rules(self, interaction: discord.Interaction[Any], game: str | None = None, about: str | None = None) -> Answer:
        language, table = self.bot.language_for(interaction), self.bot.find_table(interaction)
        if game is not None:
            game_id = self.bot.game_called(interaction, game)
        elif table is not None:
            game_id = table.game.id
        else:
            raise TableError('which-game', games=language.listed(f'`{game_id}`' for game_id in sorted(self.bot.game_views)))
        return Reply(view=rules(game_id, about or SHORT, language))

    @rules.autocomplete('game')
    async def _games(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        return self.bot.game_choices(interaction, typed)

    @rules.autocomplete('about')
    async def _sections(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        table = self.bot.find_table(interaction)
        game_view = self.bot.game_views.get(interaction.namespace.game or (table.game.id if table else ''))
        if game_view is None:
            return []
        language = self.bot.language_for(interaction)
        titles = [(language(f'{game_view.game.id}.rules.{section}.title'), section) for section in game_view.game.sections]
        return [app_commands.Choice(name=title, value=section) for title, section in titles if typed.casefold() in title.casefold()][:MENU]

    async def turned(self, interaction: discord.Interaction[CardBot], custom_id: str, values: list[str]) -> Answer:
        """Another paragraph was chosen in the menu."""
        game_id = custom_id.partition(':')[2]
        language = self.bot.language_for(interaction)
        if game_id not in self.bot.game_views:
            return language('reason.old-button')
        return Reply(view=rules(game_id, values[0] if values else SHORT, language), in_place=is_private(interaction))

    @app_commands.command(name='help', description=described('command.help'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def help(self, interaction: discord.Interaction[Any]) -> Answer:
        language = self.bot.language_for(interaction)
        games = '\n'.join(
            language('help.game', command=f'/{game_id} open', name=language(f'{game_id}.name'), tagline=language(f'{game_id}.tagline'))
            for game_id in sorted(self.bot.game_views)
        )
        return language('help.text', product=language('core.product'), games=games)


async def setup(bot: CardBot) -> None:
    await bot.add_cog(Help(bot))
