"""The base class of the cog of every game: its slash commands. How the game looks is in `bot.ui.game_view`.

A game's cog subclasses `GameCog`, declares `open` and its moves as slash commands, and overrides what it wants shown differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import discord
from discord import app_commands
from discord.ext import commands

from ..engines import games
from ..tables.table import Table
from ..ui.custom_ids import Press
from ..ui.game_view import LABEL, MENU, GameView
from .replies import Answer
from .wiring import Chat

TimeControlName = Literal['live', 'relaxed', 'none']
"""The option `pace` of every game's `open` command: an id of `bot.tables.time_control.TIME_CONTROLS`."""


class GameCog(commands.GroupCog, GameView):
    """The base of the five game cogs; `game_id` is the id of its engine."""

    game_id: ClassVar[str]

    def __init__(self, chat: Chat) -> None:
        super().__init__()
        self.chat = chat
        self.game = games()[self.game_id]

    async def cog_load(self) -> None:
        self.chat.game_views[self.game_id] = self
        self.chat.router.games[self.game_id] = self.pressed

    async def cog_unload(self) -> None:
        del self.chat.game_views[self.game_id]
        del self.chat.router.games[self.game_id]

    async def open_table(
        self, interaction: discord.Interaction[Any], seats: int | None, options: Mapping[str, Any], pace: str | None = None
    ) -> Answer:
        """Opens a table of this game in the channel of the interaction; options that are None keep their default."""
        chosen = {name: value for name, value in options.items() if value is not None}
        return await self.chat.actions.open_table(interaction, self.game_id, chosen, seats, pace)

    async def play(self, interaction: discord.Interaction[Any], text: str) -> Answer:
        """Plays the move that this text names, at the table that the interaction means."""
        table = self.chat.actions.table_for(interaction, self.game_id)
        return await self.chat.actions.play_move(interaction, table, text)

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """Does what a button or menu of the game's own asks for: actions that `cogs/tables.py` does not know."""
        return self.chat.languages.of(interaction)('reason.old-button')

    def playing(self, interaction: discord.Interaction[Any]) -> Table | None:
        """The table of this game that an interaction means, when the person plays there; for an autocomplete."""
        table = self.chat.actions.find_table(interaction, self.game_id)
        if table is None or table.match is None or table.seat_of(interaction.user.id) is None:
            return None
        return table

    def suggest(self, interaction: discord.Interaction[Any], typed: str, verb: str) -> list[app_commands.Choice[str]]:
        """The legal moves that begin with `verb` and fit what was typed, without the verb; for an autocomplete."""
        table = self.playing(interaction)
        if table is None or table.match is None:
            return []
        observation = table.observation(interaction.user.id)
        language = self.chat.languages.of(interaction)
        round_ = table.match.round
        choices = []
        for move in observation.legal:
            text = round_.format_move(move)
            if not text.startswith(f'{verb} '):
                continue
            value = text.removeprefix(f'{verb} ')
            label = self.move_label(move, text, observation, language)
            if typed.casefold() in label.casefold() or typed.casefold() in text.casefold():
                choices.append(app_commands.Choice(name=label[:LABEL], value=value[:LABEL]))
        return choices[:MENU]
