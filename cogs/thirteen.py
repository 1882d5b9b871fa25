"""`/thirteen`: Thirteen, for four."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands, ui

from bot.engines.base import Move, Observation
from bot.engines.thirteen import KINDS, PASS, Kind, kind_of
from bot.table import Table, TableError
from bot.ui.game_cog import LABEL, MENU, GameCog, PaceName
from bot.ui.ids import Press, press
from bot.ui.replies import Answer, answered
from bot.ui.suits import card_sign
from bot.ui.words import Words, described

if TYPE_CHECKING:
    from bot.app import CardBot

Choice = app_commands.Choice[str]

_LINE: Final = 7
"""Cards in a line of the hand: two lines fit on a phone."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Thirteen(GameCog, name='thirteen', description=described('thirteen.command')):
    """The face and the commands of Thirteen."""

    game_id = 'thirteen'
    colour = 0x8B1E3F

    # --- the face ------------------------------------------------------------------------------------------------------

    def card(self, card: int, words: Words) -> str:
        return card_sign(self.game.card_text(card))

    def _cards(self, cards: Sequence[int], words: Words) -> str:
        return ' '.join(f'`{self.card(card, words)}`' for card in cards)

    def _class(self, kind: Kind, words: Words) -> str:
        """The kind of a combination and its length, such as “sequence of 5”."""
        return words(f'thirteen.kind.{kind.kind}', n=kind.length)

    def move_label(self, move: Move, text: str, observation: Observation, words: Words) -> str:
        if move == PASS:
            return self.button_label(text, words)
        return ' '.join(card_sign(code) for code in text.split())

    def move_hint(self, move: Move, text: str, observation: Observation, words: Words) -> str:
        return '' if move == PASS else self._class(kind_of(move), words)

    def piles(self, table: Table, observation: Observation, words: Words) -> str:
        facts = observation.facts
        if facts['to_beat']:
            round_ = table.match.round if table.match else None
            assert round_ is not None
            move = round_.parse_move(' '.join(self.game.card_text(card) for card in facts['to_beat']))
            what = words('thirteen.board.to-beat', kind=self._class(kind_of(move), words), name=words.name(table, facts['owner']))
            return what + '\n' + self._cards(facts['to_beat'], words)
        return words('thirteen.board.opening' if facts['opening'] else 'thirteen.board.lead')

    def seat_note(self, table: Table, observation: Observation, seat: int, words: Words) -> str:
        facts = observation.facts
        if seat in facts['out']:
            return words('thirteen.board.out', place=facts['out'].index(seat) + 1)
        note = super().seat_note(table, observation, seat, words)
        return f'{note} · {words("thirteen.board.passed")}' if seat in facts['passed'] else note

    def hand(self, table: Table, observation: Observation, words: Words) -> str:
        held = [card for card in observation.cards('hands', observation.viewer) if card is not None]
        lines = [self._cards(held[start : start + _LINE], words) for start in range(0, len(held), _LINE)]
        return '\n'.join(lines or [words('thirteen.hand.none')]) + '\n-# ' + words('thirteen.hand.exact')

    def always(self) -> tuple[str, ...]:
        return ('pass',)

    # --- menus: kind and length first, then the top card -----------------------------------------------------------------

    def controls(self, table: Table, observation: Observation, words: Words) -> list[ui.ActionRow[Any]]:
        moves = self._moves(table, observation)
        if len(moves) <= MENU:
            rows = [self.menu(table, moves, observation, words, words('hand.choose'))] if moves else []
        else:
            rows = [self._classes(table, moves, words)]
        return [*rows, ui.ActionRow(self.button(table, 'pass', self.button_label('pass', words)))] if PASS in observation.legal else rows

    def _moves(self, table: Table, observation: Observation) -> list[tuple[Move, str]]:
        """The legal combinations with their texts."""
        assert table.match is not None
        return [(move, table.match.round.format_move(move)) for move in observation.legal if move != PASS]

    def _classes(self, table: Table, moves: Sequence[tuple[Move, str]], words: Words) -> ui.ActionRow[Any]:
        """The menu of kinds and lengths, with how many combinations there are of each."""
        counts: dict[tuple[str, int], int] = {}
        kinds: dict[tuple[str, int], Kind] = {}
        for move, _ in moves:
            kind = kind_of(move)
            counts[kind.kind, kind.length] = counts.get((kind.kind, kind.length), 0) + 1
            kinds.setdefault((kind.kind, kind.length), kind)
        options = [
            discord.SelectOption(
                label=self._class(kinds[name, length], words)[:LABEL],
                value=f'{name}.{length}',
                description=words('thirteen.hand.ways', n=counts[name, length])[:LABEL],
            )
            for name, length in sorted(counts, key=lambda one: (KINDS.index(one[0]), one[1]))
        ]
        return ui.ActionRow(
            ui.Select(custom_id=press('class', table, here=True), placeholder=words('thirteen.hand.kind'), options=options[:MENU])
        )

    async def pressed(self, interaction: discord.Interaction[CardBot], table: Table, press: Press, values: list[str]) -> Answer:
        """A kind and length was chosen: shows the combinations of it, by their top cards."""
        words, user_id = self.bot.words_for(interaction), interaction.user.id
        if press.action != 'class':
            return await super().pressed(interaction, table, press, values)
        if table.state != 'playing' or press.made_for != table.position:
            raise TableError('stale')
        table.seat(user_id)
        observation = table.observation(user_id)
        moves = self._moves(table, observation)
        chosen = [pair for pair in moves if f'{kind_of(pair[0]).kind}.{kind_of(pair[0]).length}' in values]
        if not chosen:
            return self.bot.hand_reply(interaction, table)
        rows = [self.menu(table, chosen[:MENU], observation, words, words('thirteen.hand.which')), self._classes(table, moves, words)]
        return self.bot.hand_reply(interaction, table, rows)

    # --- commands ------------------------------------------------------------------------------------------------------

    @app_commands.command(name='open', description=described('thirteen.command.open'))
    @app_commands.describe(target=described('thirteen.option.target.help'), pace=described('command.open.pace'))
    @answered
    async def open(
        self, interaction: discord.Interaction[Any], target: app_commands.Range[int, 3, 50] | None = None, pace: PaceName | None = None
    ) -> Answer:
        return await self.open_table(interaction, None, {'target': target}, pace)

    @app_commands.command(name='play', description=described('thirteen.command.play'))
    @app_commands.describe(cards=described('thirteen.command.play.cards'))
    @answered
    async def play_cards(self, interaction: discord.Interaction[Any], cards: str) -> Answer:
        return await self.play(interaction, cards)

    @play_cards.autocomplete('cards')
    async def _combinations(self, interaction: discord.Interaction[Any], typed: str) -> list[Choice]:
        table = self.playing(interaction)
        if table is None:
            return []
        observation, words = table.observation(interaction.user.id), self.bot.words_for(interaction)
        wanted = typed.casefold().split()
        choices = []
        for move, text in self._moves(table, observation):
            label = f'{self.move_label(move, text, observation, words)} · {self.move_hint(move, text, observation, words)}'
            if all(word in f'{label} {text}'.casefold() for word in wanted):
                choices.append(app_commands.Choice(name=label[:LABEL], value=text[:LABEL]))
        return choices[:MENU]

    @app_commands.command(name='pass', description=described('thirteen.command.pass'))
    @answered
    async def pass_(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'pass')


async def setup(bot: CardBot) -> None:
    await bot.add_cog(Thirteen(bot))
