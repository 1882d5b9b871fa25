"""How one game is shown: its cards, piles, hands, menus and buttons.

Each game overrides what it wants shown differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord
from discord import ui

from ..engines.base import HIDDEN, Game, Observation
from ..tables.table import RoundEnd, Table
from .custom_ids import press
from .language import Language
from .pictures import Art, Picture

MENU: Final = 25
"""The most options a menu, and the most choices an autocomplete, may have."""
ROW: Final = 5
"""The most buttons in a row, and the most menus beside a row of buttons that still read well."""
LABEL: Final = 100
"""The longest label of an option or choice."""


def seen_cards(cards: Iterable[int | None]) -> list[int]:
    """The cards of a zone of an observation that its viewer sees, without the places that hold no card."""
    return [card for card in cards if card is not None and card != HIDDEN]


def held_cards(observation: Observation) -> list[int]:
    """The cards in the viewer's hand."""
    return seen_cards(observation.cards('hands', observation.viewer))


class GameView:
    """How one game is shown. Texts are Discord markdown unless they are called labels."""

    game: Game
    colour: int = 0x5865F2
    """The accent of its boards, as 0xRRGGBB."""

    def card(self, card: int, language: Language) -> str:
        """A card in a sentence: its code, with a sign that helps the eye."""
        return self.game.card_text(card)

    def move_label(self, move: Any, text: str, observation: Observation, language: Language) -> str:
        """A legal move as a menu or button names it, without markdown."""
        return text

    def move_hint(self, move: Any, text: str, observation: Observation, language: Language) -> str:
        """A second, smaller line under the label in a menu; may be empty."""
        return ''

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        """The cards on the table that everyone sees, and what else one has to know to follow the game."""
        return ''

    def seat_note(self, table: Table, observation: Observation, seat: int, language: Language) -> str:
        """What is shown beside a player's name: cards held, chips, whether they have passed."""
        count = sum(len(zone.cards) for zone in observation.zones if zone.name == 'hands' and zone.at == seat)
        return language('board.cards', n=count)

    def total(self, table: Table, seat: int, language: Language) -> str:
        """How a player stands in the match."""
        return language('board.total', n=table.match.totals[seat] if table.match else 0)

    def result(self, table: Table, end: RoundEnd, language: Language) -> str:
        """What each player got for a round, in one line."""
        return language.listed(
            language('round.points', name=language.name(table, seat), n=points) for seat, points in enumerate(end.points)
        )

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        """The viewer's cards."""
        return ' '.join(f'`{self.card(card, language)}`' for card in held_cards(observation))

    def art(self, card: int) -> Art:
        """How a picture shows a card."""
        return Art(self.game.card_text(card))

    def picture(self, observation: Observation, language: Language) -> Picture | None:
        """The viewer's cards as a picture; None without cards."""
        return self.pictured([held_cards(observation)], language)

    def pictured(self, rows: Sequence[Sequence[int]], language: Language) -> Picture | None:
        """Rows of cards as a picture of the viewer's hand; None without cards."""
        said = language('hand.picture', cards=language.listed(self.card(card, language) for row in rows for card in row))
        return Picture.of([[self.art(card) for card in row] for row in rows], said)

    def always(self) -> Sequence[str]:
        """Moves that the board offers as buttons at all times, so that they give nothing away; texts of moves."""
        return ()

    def public_buttons(self, table: Table, language: Language) -> list[ui.Button[Any]]:
        """Further buttons of the board, for what anyone may see; `GameCog.pressed` answers them."""
        return []

    def button_label(self, text: str, language: Language) -> str:
        """The label of a button for a move that is a bare word (`draw`, `pass`)."""
        return language(f'{self.game.id}.button.{text}')

    def controls(self, table: Table, observation: Observation, language: Language) -> list[ui.ActionRow[Any]]:
        """Menus and buttons that play, for the player on turn: a menu of the legal moves, the bare words as buttons."""
        round_ = table.match.round if table.match else None
        if round_ is None or not observation.legal:
            return []
        moves = [(move, round_.format_move(move)) for move in observation.legal]
        bare = [pair for pair in moves if ' ' not in pair[1]]
        if len(bare) > ROW:
            bare = []
        listed = [pair for pair in moves if pair not in bare]
        rows = [
            self.menu(table, listed[start : start + MENU], observation, language, language('hand.choose'), start // MENU)
            for start in range(0, min(len(listed), (ROW - 1) * MENU), MENU)
        ]
        if bare:
            rows.append(ui.ActionRow(*(self.button(table, text, self.button_label(text, language)) for _, text in bare)))
        return rows

    def menu(
        self,
        table: Table,
        moves: Sequence[tuple[Any, str]],
        observation: Observation,
        language: Language,
        placeholder: str,
        number: int = 0,
    ) -> ui.ActionRow[Any]:
        """A menu of these moves, given with their texts, at most `MENU`; each menu of a message has a different `number`."""
        options = [
            discord.SelectOption(
                label=self.move_label(move, text, observation, language)[:LABEL],
                value=text,
                description=self.move_hint(move, text, observation, language)[:LABEL] or None,
            )
            for move, text in moves
        ]
        return ui.ActionRow(ui.Select(custom_id=press('choose', table, str(number), here=True), placeholder=placeholder, options=options))

    def button(self, table: Table, text: str, label: str, style: discord.ButtonStyle = discord.ButtonStyle.primary) -> ui.Button[Any]:
        """A button that plays the move of this text in the present position."""
        return ui.Button(label=label, style=style, custom_id=press('play', table, text, here=True))
