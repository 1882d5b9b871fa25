"""`/ninetynine`: the game of adding up to 99."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import Observation
from bot.tables.table import Table
from bot.ui.language import Language, described
from bot.ui.pictures import Art, playing_card
from bot.ui.suits import card_sign
from bot.ui.typed import Choices, sentence


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Ninetynine(GameCog, name='ninetynine', description=described('ninetynine.command')):
    """The view and the commands of Ninety-nine."""

    game_id = 'ninetynine'
    colour = 0x7A3E9D

    def card(self, card: int, language: Language) -> str:
        return card_sign(self.game.card_text(card))

    def art(self, card: int) -> Art:
        return playing_card(self.game.card_text(card))

    def move_label(self, move: int, text: str, observation: Observation, language: Language) -> str:
        return self.card(move, language) if move >= 0 else self.button_label(text, language)

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        return language('ninetynine.board.count', count=observation.facts['count'], n=len(observation.cards('stock')))

    def always(self) -> tuple[str, ...]:
        return ('fold',)

    @app_commands.command(name='play', description=described('ninetynine.command.play'))
    @app_commands.describe(card=described('ninetynine.command.play.card'))
    @answered
    async def play_card(self, interaction: discord.Interaction[Any], card: str) -> Answer:
        return await self.play(interaction, sentence('play', card))

    @play_card.autocomplete('card')
    async def _cards(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self.suggest(interaction, typed, 'play')

    @app_commands.command(name='fold', description=described('ninetynine.command.fold'))
    @answered
    async def fold(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'fold')


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Ninetynine(bot.chat))
