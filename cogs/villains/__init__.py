"""`/villains`: the Superman villain-capture game. How it looks is in `view`, putting a capture together in `captures`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import discord
from discord import app_commands

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, Reply, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import MoveError
from bot.engines.villains import CARDS, DRAW_DECK, OPPONENTS, VillainsMove, VillainsRound, printed_points, villain_total
from bot.tables.table import Table
from bot.ui.custom_ids import Press
from bot.ui.language import described
from bot.ui.typed import Choices, fitting, sentence

from .captures import ACTIONS, CaptureView, Choice
from .view import attempt, in_order, running_round

_NO_SEAT: Final = '999'
"""A seat that no table has."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Villains(CaptureView, GameCog, name='villains', description=described('villains.command')):
    """The commands of the villain-capture game."""

    game_id = 'villains'

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """One step of putting cards together; nothing is played before it is confirmed."""
        language, user_id = self.chat.languages.of(interaction), interaction.user.id
        if press.action == 'piles':
            return Reply(view=self._all_piles(table, language))
        if press.action not in ACTIONS:
            return await super().pressed(interaction, table, press, values)
        table.require('playing')
        table.seat(user_id)
        if press.made_for != table.position:
            return self.stale(interaction, table)
        observation = table.observation(user_id)
        if not observation.legal:
            return self.chat.actions.hand_reply(interaction, table)
        choice = self._possible(table, observation, Choice.read(press.argument))
        if press.action == 'confirm':
            text = VillainsRound.format_move(self._move(observation, choice))
            return await self.chat.actions.play_move(interaction, table, text, press.made_for)
        self._keep(table, user_id, self._changed(table, observation, choice, press, values), self.chat.host.is_closed)
        return self.chat.actions.hand_reply(interaction, table)

    # --- commands --------------------------------------------------------------------------------------------------

    @app_commands.command(name='draw', description=described('villains.command.draw'))
    @app_commands.rename(source='from')
    @app_commands.describe(source=described('villains.command.draw.from'))
    @answered
    async def draw(self, interaction: discord.Interaction[Any], source: str = 'deck') -> Answer:
        return await self.play(interaction, sentence('draw', source, between=', '))

    @draw.autocomplete('source')
    async def _sources(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        table, language = self.playing(interaction), self.chat.languages.of(interaction)
        if table is None:
            return []
        moves = [move for move in table.observation(interaction.user.id).legal if move.kind == 'draw']
        deck = [(language('villains.button.draw'), 'deck')] if DRAW_DECK in moves else []
        cards = in_order(card for move in moves for card in move.cards)
        return fitting(typed, [*deck, *((self._label(card, language), CARDS[card].id) for card in cards)])

    @app_commands.command(name='discard', description=described('villains.command.discard'))
    @app_commands.describe(cards=described('villains.command.discard.cards'))
    @answered
    async def discard(self, interaction: discord.Interaction[Any], cards: str) -> Answer:
        return await self.play(interaction, sentence('discard', cards, between=', '))

    @discard.autocomplete('cards')
    async def _discards(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language = self.chat.languages.of(interaction)
        sets = [move.cards for move in self._legal(interaction, 'discard')]
        return fitting(typed, ((language.listed(self._label(card, language) for card in cards), _ids(cards)) for cards in sets))

    @app_commands.command(name='capture', description=described('villains.command.capture'))
    @app_commands.describe(
        villain=described('villains.command.capture.villain'),
        attach=described('villains.command.capture.attach'),
        heroes=described('villains.command.capture.heroes'),
        xray=described('villains.command.xray'),
    )
    @answered
    async def capture(
        self, interaction: discord.Interaction[Any], villain: str, attach: str = '', heroes: str = '', xray: str = ''
    ) -> Answer:
        return await self.play(interaction, sentence('capture', villain, attach, heroes, between=', ') + self._look(interaction, xray))

    @capture.autocomplete('villain')
    async def _villains(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language = self.chat.languages.of(interaction)
        villains = dict.fromkeys(move.villain[0] for move in self._legal(interaction, 'capture'))
        return fitting(typed, ((self._label(card, language), CARDS[card].id) for card in villains))

    @capture.autocomplete('attach')
    async def _attachments(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language, (villain, _) = self.chat.languages.of(interaction), self._named(interaction)
        moves = self._legal(interaction, 'capture')
        sides = dict.fromkeys(move.villain for move in moves if len(move.villain) > 1 and move.villain[0] in (villain or move.villain[:1]))
        return fitting(
            typed,
            ((language('villains.choice.attach', cards=_names(side[1:]), n=villain_total(side)[0]), _ids(side[1:])) for side in sides),
        )

    @capture.autocomplete('heroes')
    async def _heroes(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language, (villain, attached) = self.chat.languages.of(interaction), self._named(interaction)
        moves = self._legal(interaction, 'capture')
        sides = {(move.villain if villain else (), move.hero) for move in moves if not villain or move.villain == villain + attached}
        choices = []
        for side, heroes in sorted(sides, key=lambda both: (printed_points(both[1]), both)):
            key = 'villains.choice.heroes' if side else 'villains.choice.heroes-alone'
            label = language(key, cards=_names(heroes), n=printed_points(heroes), against=villain_total(side)[0])
            choices.append((label, _ids(heroes)))
        return fitting(typed, choices)

    @app_commands.command(name='skip', description=described('villains.command.skip'))
    @answered
    async def skip(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'skip')

    @app_commands.command(name='add', description=described('villains.command.add'))
    @app_commands.describe(cards=described('villains.command.add.cards'), xray=described('villains.command.xray'))
    @answered
    async def add(self, interaction: discord.Interaction[Any], cards: str, xray: str = '') -> Answer:
        return await self.play(interaction, sentence('add', cards, between=', ') + self._look(interaction, xray))

    @add.autocomplete('cards')
    async def _additions(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language = self.chat.languages.of(interaction)
        table, moves = self.playing(interaction), self._legal(interaction, 'add')
        if table is None or not moves:
            return []
        observation = table.observation(None)
        villain, hero = attempt(observation)
        helps = observation.facts['phase'] == OPPONENTS
        choices = []
        for cards in dict.fromkeys(move.cards for move in moves):
            against, ours = villain_total(villain + list(cards) * helps)[0], printed_points(hero + list(cards) * (not helps))
            choices.append((language('villains.choice.add', cards=_names(cards), villain=against, hero=ours), _ids(cards)))
        return fitting(typed, choices)

    @capture.autocomplete('xray')
    @add.autocomplete('xray')
    async def _hands(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        table = self.playing(interaction)
        if table is None:
            return []
        others = [seat for seat in range(len(table.seats)) if seat != table.seat_of(interaction.user.id)]
        return fitting(typed, ((table.name(seat), str(seat)) for seat in others))

    @app_commands.command(name='pass', description=described('villains.command.pass'))
    @answered
    async def pass_(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'pass')

    def _legal(self, interaction: discord.Interaction[Any], kind: str) -> list[VillainsMove]:
        """The legal moves of this kind of the person who asks, without those that look at a hand."""
        table = self.playing(interaction)
        moves = table.observation(interaction.user.id).legal if table else ()
        return [move for move in moves if move.kind == kind and move.xray is None]

    def _named(self, interaction: discord.Interaction[Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The Villain that is named in a capture's options so far, and what goes along with it; empty when it cannot be read."""
        options = interaction.namespace
        try:
            text = sentence('capture', getattr(options, 'villain', None) or '', getattr(options, 'attach', None) or '', between=', ')
            table = self.playing(interaction)
            side = running_round(table).parse_move(text).villain if table and table.match else ()
        except MoveError:
            return (), ()
        return side[:1], side[1:]

    def _look(self, interaction: discord.Interaction[Any], named: str) -> str:
        """The end of a move that looks at a hand; its player is named by seat number, or by name or the beginning of it."""
        named = named.strip().casefold()
        if not named:
            return ''
        table = self.chat.actions.table_for(interaction, self.game_id)
        names = [table.name(seat).casefold() for seat in range(len(table.seats))]
        fits = [seat for seat, name in enumerate(names) if name == named] or [
            seat for seat, name in enumerate(names) if name.startswith(named)
        ]
        if not re.fullmatch('[0-9]{1,3}', named):
            named = str(fits[0]) if len(fits) == 1 else _NO_SEAT
        return f' xray {named}'


def _names(cards: Iterable[int]) -> str:
    return ', '.join(CARDS[card].name for card in cards)


def _ids(cards: Iterable[int]) -> str:
    return ' '.join(CARDS[card].id for card in cards)


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Villains(bot.chat))
