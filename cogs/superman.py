"""`/superman`: the 1978 Superman matching game."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import discord
from discord import app_commands

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import Observation
from bot.engines.superman import COLOURS, GAME, POINTS, SUPERMAN, SupermanMove
from bot.tables.table import Table
from bot.ui.game_view import held_cards
from bot.ui.language import Language, described
from bot.ui.pictures import Art
from bot.ui.typed import Choices, sentence

_SIGNS: Final = dict(zip(COLOURS, '🟦🟥🟩🟨', strict=True))


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Superman(GameCog, name='superman', description=described('superman.command')):
    """The view and the commands of the 1978 Superman game."""

    game_id = 'superman'
    option_names: ClassVar = {'superman_followup': 'followup'}
    colour = 0x1D6FD1

    def card(self, card: int, language: Language) -> str:
        if card == SUPERMAN:
            return f'⭐{GAME.card_text(card)}'
        return f'{_SIGNS[COLOURS[card // 4]]}{GAME.card_text(card)}'

    def move_label(self, move: SupermanMove, text: str, observation: Observation, language: Language) -> str:
        if move > SUPERMAN:
            return self.button_label(text, language)
        return f'{self.card(move, language)} · {self._card_name(move, language)}'

    def move_hint(self, move: SupermanMove, text: str, observation: Observation, language: Language) -> str:
        if move > SUPERMAN:
            return ''
        return language('superman.card.hint', characters=' / '.join(GAME.characters(move)), n=POINTS[move])

    def _card_name(self, card: int, language: Language) -> str:
        if card == SUPERMAN:
            return language('superman.card.superman')
        return language(f'superman.card.{COLOURS[card // 4]}', n=card % 4 + 1)

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        pile, stock = observation.cards('pile'), observation.cards('stock')
        top = pile[-1]
        assert top is not None
        if observation.facts['follow_up']:
            match = language('superman.board.follow-up')
        elif top == SUPERMAN:
            match = language('superman.board.anything')
        else:
            match = language('superman.board.match', colour=language(f'superman.colour.{COLOURS[top // 4]}'), number=top % 4 + 1)
        return (
            language('superman.board.pile', card=self.card(top, language), name=self._card_name(top, language), n=len(stock)) + '\n' + match
        )

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        held = held_cards(observation)
        return (
            super().hand(table, observation, language)
            + '\n-# '
            + language('superman.hand.count', points=sum(POINTS[card] for card in held))
        )

    def art(self, card: int) -> Art:
        code = self.game.card_text(card)
        if card == SUPERMAN:
            return Art(code, 'yellow', 'star', foot=str(POINTS[card]))
        return Art(code, COLOURS[card // 4], 'panel', code[1:])

    def always(self) -> tuple[str, ...]:
        return ('draw', 'pass', 'stop')

    @app_commands.command(name='play', description=described('superman.command.play'))
    @app_commands.describe(card=described('superman.command.play.card'))
    @answered
    async def play_card(self, interaction: discord.Interaction[Any], card: str) -> Answer:
        return await self.play(interaction, sentence('play', card))

    @play_card.autocomplete('card')
    async def _cards(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self.suggest(interaction, typed, 'play')

    @app_commands.command(name='draw', description=described('superman.command.draw'))
    @answered
    async def draw(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'draw')

    @app_commands.command(name='pass', description=described('superman.command.pass'))
    @answered
    async def pass_(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'pass')

    @app_commands.command(name='stop', description=described('superman.command.stop'))
    @answered
    async def stop(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'stop')


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Superman(bot.chat))
