"""The base class of the cog of every game: its slash commands. How the game looks is in `bot.ui.game_view`.

A game's cog subclasses `GameCog`, declares its moves as slash commands, and overrides what it wants shown differently. Its `open` command
is built here, from the options and seats of the engine.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

import discord
from discord import app_commands
from discord.ext import commands

from ..engines import games
from ..engines.options import Option
from ..tables.table import Table, TableError
from ..ui.custom_ids import Press
from ..ui.game_view import GameView
from ..ui.language import described
from ..ui.typed import Choices, fitting
from .replies import Answer, Reply
from .wiring import Chat

TimeControlName = Literal['live', 'relaxed', 'none']
"""The option `pace` of every game's `open` command: an id of `bot.tables.time_control.TIME_CONTROLS`."""
_LITERAL: Final[Any] = Literal
_RANGE: Final[Any] = app_commands.Range
"""As plain values: a type checker wants the choices and limits of an annotation written out."""


class GameCog(commands.GroupCog, GameView):
    """The base of the game cogs; `game_id` is the id of its engine."""

    game_id: ClassVar[str]
    option_names: ClassVar[Mapping[str, str]] = {}
    """By option of the engine, its name in the `open` command where that is another one."""

    def __init__(self, chat: Chat) -> None:
        super().__init__()
        self.chat = chat
        self.game = games()[self.game_id]
        self._add_open_command()

    async def cog_load(self) -> None:
        self.chat.game_views[self.game_id] = self
        self.chat.router.games[self.game_id] = self.pressed

    async def cog_unload(self) -> None:
        del self.chat.game_views[self.game_id]
        del self.chat.router.games[self.game_id]

    # --- opening a table ---------------------------------------------------------------------------------------------

    def _add_open_command(self) -> None:
        """Makes `open` the first command of the group."""
        group = self.app_command
        assert group is not None
        moves = group.commands
        for command in moves:
            group.remove_command(command.name)
        for command in (self._open_command(), *moves):
            group.add_command(command)

    def _open_command(self) -> app_commands.Command[Any, ..., Any]:
        """`/GAME open` with the options of the engine, the number of seats where there is a choice, and the time control."""

        async def open_(interaction: discord.Interaction[Any], **given: Any) -> None:
            await self.chat.replies.answer(interaction, self._open, given)

        game, types, descriptions = self.game, {}, {}
        for option in game.options:
            name = self.option_names.get(option.name, option.name)
            low = 0 if _zero_is_off(option) else option.low
            types[name] = _LITERAL[option.choices] if option.choices else _RANGE[int, low, option.high]
            params = {'low': option.low, 'high': option.high, 'default': option.default}
            descriptions[name] = described(f'{game.id}.option.{option.name}.help', **params)
        if len(game.seats) > 1:
            types['seats'], descriptions['seats'] = _RANGE[int, game.seats[0], game.seats[-1]], described('command.open.seats')
        types['pace'], descriptions['pace'] = TimeControlName, described('command.open.pace')

        # discord.py reads the options of a command from the signature of its callback.
        parameters = [inspect.Parameter('interaction', inspect.Parameter.POSITIONAL_ONLY)]
        for name, type_ in types.items():
            parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=type_ | None))
        open_.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        app_commands.describe(**descriptions)(open_)
        seats = {'low': game.seats[0], 'usual': game.usual_seats[-1], 'high': game.seats[-1]}
        return app_commands.Command(name='open', description=described(f'{game.id}.command.open', **seats), callback=open_)

    async def _open(self, interaction: discord.Interaction[Any], given: Mapping[str, Any]) -> Answer:
        """Opens a table of this game in the channel of the interaction; options that are not given keep their default."""
        chosen = {}
        for option in self.game.options:
            value = given.get(self.option_names.get(option.name, option.name))
            if value is not None:
                chosen[option.name] = None if value == 0 and _zero_is_off(option) else value
        return await self.chat.actions.open_table(interaction, self.game_id, chosen, given.get('seats'), given.get('pace'))

    # --- playing -----------------------------------------------------------------------------------------------------

    async def play(self, interaction: discord.Interaction[Any], text: str) -> Answer:
        """Plays the move that this text names, at the table that the interaction means."""
        table = self.chat.actions.table_for(interaction, self.game_id)
        return await self.chat.actions.play_move(interaction, table, text)

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """Does what a button or menu that only this game has asks for: actions that `cogs/tables.py` does not know."""
        return self.chat.languages.of(interaction)('reason.old-button')

    def stale(self, interaction: discord.Interaction[Any], table: Table) -> Reply:
        """The answer to a press that was made for an earlier position: the hand as it is now, and a sentence below it."""
        self.chat.updates.show(table)
        text = self.chat.languages.of(interaction).refusal(TableError('stale'))
        return replace(self.chat.actions.hand_reply(interaction, table), text=text)

    def playing(self, interaction: discord.Interaction[Any]) -> Table | None:
        """The table of this game that an interaction means, when the person plays there; for an autocomplete."""
        table = self.chat.actions.find_table(interaction, self.game_id)
        if table is None or table.match is None or table.seat_of(interaction.user.id) is None:
            return None
        return table

    def suggest(self, interaction: discord.Interaction[Any], typed: str, verb: str) -> Choices:
        """The legal moves that begin with `verb` and fit what was typed, without the verb; for an autocomplete."""
        table = self.playing(interaction)
        if table is None or table.match is None:
            return []
        observation, language = table.observation(interaction.user.id), self.chat.languages.of(interaction)
        texts = [(move, table.match.round.format_move(move)) for move in observation.legal]
        moves = [(move, text) for move, text in texts if text.startswith(f'{verb} ')]
        labels = ((self.move_label(move, text, observation, language), text.removeprefix(f'{verb} ')) for move, text in moves)
        return fitting(typed, labels, verb)


def _zero_is_off(option: Option) -> bool:
    """Whether 0 turns the option off: where nothing given means another value."""
    return option.nullable and option.default is not None
