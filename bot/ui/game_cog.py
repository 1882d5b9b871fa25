"""What the cog of every game is made of: how the game looks (its face), and how its slash commands play.

A game's cog subclasses `GameCog`, declares `open` and its moves as slash commands, and overrides what it wants shown differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import discord
from discord import app_commands, ui
from discord.ext import commands

from ..engines import games
from ..engines.base import Game, Move, Observation
from ..table import RoundEnd, Table
from .ids import Press, press
from .pictures import Art, Picture
from .replies import Answer
from .words import Words

if TYPE_CHECKING:
    from ..app import CardBot

PaceName = Literal['live', 'relaxed', 'none']
"""The option `pace` of every game's `open` command: an id of `bot.pace.PACES`."""
MENU: Final = 25
"""The most options a menu, and the most choices an autocomplete, may have."""
ROW: Final = 5
"""The most buttons in a row, and the most menus beside a row of buttons that still read well."""
LABEL: Final = 100
"""The longest label of an option or choice."""


class Face:
    """How one game is shown. Texts are Discord markdown unless they are called labels."""

    game: Game
    colour: int = 0x5865F2
    """The accent of its boards, as 0xRRGGBB."""

    def card(self, card: int, words: Words) -> str:
        """A card in a sentence: its code, with a sign that helps the eye."""
        return self.game.card_text(card)

    def move_label(self, move: Move, text: str, observation: Observation, words: Words) -> str:
        """A legal move as a menu or button names it, without markdown."""
        return text

    def move_hint(self, move: Move, text: str, observation: Observation, words: Words) -> str:
        """A second, smaller line under the label in a menu; may be empty."""
        return ''

    def piles(self, table: Table, observation: Observation, words: Words) -> str:
        """What lies on the table for all to see, and what has to be known to follow the game."""
        return ''

    def seat_note(self, table: Table, observation: Observation, seat: int, words: Words) -> str:
        """What stands beside a player's name: cards held, chips, whether he has passed."""
        count = sum(len(zone.cards) for zone in observation.zones if zone.name == 'hands' and zone.at == seat)
        return words('board.cards', n=count)

    def total(self, table: Table, seat: int, words: Words) -> str:
        """How a player stands in the match."""
        return words('board.total', n=table.match.totals[seat] if table.match else 0)

    def result(self, table: Table, end: RoundEnd, words: Words) -> str:
        """What each player got for a round, in one line."""
        return words.listed(words('round.points', name=words.name(table, seat), n=points) for seat, points in enumerate(end.points))

    def hand(self, table: Table, observation: Observation, words: Words) -> str:
        """The viewer's own cards."""
        held = observation.cards('hands', observation.viewer)
        return ' '.join(f'`{self.card(card, words)}`' for card in held if card is not None)

    def art(self, card: int) -> Art:
        """A card as it is drawn."""
        return Art(self.game.card_text(card))

    def picture(self, observation: Observation, words: Words) -> Picture | None:
        """The viewer's own cards as a picture; None without cards."""
        held = [card for card in observation.cards('hands', observation.viewer) if card is not None]
        return self.pictured([held], words)

    def pictured(self, rows: Sequence[Sequence[int]], words: Words) -> Picture | None:
        """Rows of cards as a picture of the viewer's hand; None without cards."""
        said = words('hand.picture', cards=words.listed(self.card(card, words) for row in rows for card in row))
        return Picture.of([[self.art(card) for card in row] for row in rows], said)

    def always(self) -> Sequence[str]:
        """Moves that the board offers as buttons at all times, so that they give nothing away; texts of moves."""
        return ()

    def public_buttons(self, table: Table, words: Words) -> list[ui.Button[Any]]:
        """Further buttons of the board, for what anyone may see; `GameCog.pressed` answers them."""
        return []

    def button_label(self, text: str, words: Words) -> str:
        """The label of a button for a move that is a bare word (`draw`, `pass`)."""
        return words(f'{self.game.id}.button.{text}')

    def controls(self, table: Table, observation: Observation, words: Words) -> list[ui.ActionRow[Any]]:
        """Menus and buttons that play, for the seat to move: a menu of the legal moves, the bare words as buttons."""
        round_ = table.match.round if table.match else None
        if round_ is None or not observation.legal:
            return []
        moves = [(move, round_.format_move(move)) for move in observation.legal]
        bare = [pair for pair in moves if ' ' not in pair[1]]
        if len(bare) > ROW:
            bare = []
        listed = [pair for pair in moves if pair not in bare]
        rows = [
            self.menu(table, listed[start : start + MENU], observation, words, words('hand.choose'), start // MENU)
            for start in range(0, min(len(listed), (ROW - 1) * MENU), MENU)
        ]
        if bare:
            rows.append(ui.ActionRow(*(self.button(table, text, self.button_label(text, words)) for _, text in bare)))
        return rows

    def menu(
        self,
        table: Table,
        moves: Sequence[tuple[Move, str]],
        observation: Observation,
        words: Words,
        placeholder: str,
        number: int = 0,
    ) -> ui.ActionRow[Any]:
        """A menu of these moves, given with their texts, at most `MENU`; each menu of a message has a `number` of its own."""
        options = [
            discord.SelectOption(
                label=self.move_label(move, text, observation, words)[:LABEL],
                value=text,
                description=self.move_hint(move, text, observation, words)[:LABEL] or None,
            )
            for move, text in moves
        ]
        return ui.ActionRow(ui.Select(custom_id=press('choose', table, str(number), here=True), placeholder=placeholder, options=options))

    def button(self, table: Table, text: str, label: str, style: discord.ButtonStyle = discord.ButtonStyle.primary) -> ui.Button[Any]:
        """A button that plays the move of this text in the present position."""
        return ui.Button(label=label, style=style, custom_id=press('play', table, text, here=True))


class GameCog(commands.GroupCog, Face):
    """The base of the five game cogs; `game_id` is the id of its engine."""

    game_id: ClassVar[str]

    def __init__(self, bot: CardBot) -> None:
        super().__init__()
        self.bot = bot
        self.game = games()[self.game_id]

    async def cog_load(self) -> None:
        self.bot.faces[self.game_id] = self

    async def cog_unload(self) -> None:
        del self.bot.faces[self.game_id]

    async def open_table(
        self, interaction: discord.Interaction[CardBot], seats: int | None, options: Mapping[str, Any], pace: str | None = None
    ) -> Answer:
        """Opens a table of this game in the channel of the interaction; options that are None keep their default."""
        chosen = {name: value for name, value in options.items() if value is not None}
        return await self.bot.open_table(interaction, self.game_id, chosen, seats, pace)

    async def play(self, interaction: discord.Interaction[CardBot], text: str) -> Answer:
        """Plays the move that this text names, at the table that the interaction means."""
        table = self.bot.table_for(interaction, self.game_id)
        return await self.bot.play_move(interaction, table, text)

    async def pressed(self, interaction: discord.Interaction[CardBot], table: Table, press: Press, values: list[str]) -> Answer:
        """Does what a button or menu of the game's own asks for: actions that `cogs/tables.py` does not know."""
        return self.bot.words_for(interaction)('reason.old-button')

    def playing(self, interaction: discord.Interaction[CardBot]) -> Table | None:
        """The table of this game that an interaction means, when the person plays there; for an autocomplete."""
        table = self.bot.find_table(interaction, self.game_id)
        if table is None or table.match is None or table.seat_of(interaction.user.id) is None:
            return None
        return table

    def suggest(self, interaction: discord.Interaction[CardBot], typed: str, verb: str) -> list[app_commands.Choice[str]]:
        """The legal moves that begin with `verb` and fit what was typed, without the verb; for an autocomplete."""
        table = self.playing(interaction)
        if table is None or table.match is None:
            return []
        observation = table.observation(interaction.user.id)
        words = self.bot.words_for(interaction)
        round_ = table.match.round
        choices = []
        for move in observation.legal:
            text = round_.format_move(move)
            if not text.startswith(f'{verb} '):
                continue
            value = text.removeprefix(f'{verb} ')
            label = self.move_label(move, text, observation, words)
            if typed.casefold() in label.casefold() or typed.casefold() in text.casefold():
                choices.append(app_commands.Choice(name=label[:LABEL], value=value[:LABEL]))
        return choices[:MENU]
