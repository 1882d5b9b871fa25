"""`/thirteen`: Thirteen, for four."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import Observation
from bot.engines.cards import CARDS, NUMBER, normal, read_cards
from bot.engines.thirteen import PASS, Kind, ThirteenMove, combination, kind_of
from bot.tables.table import RoundEnd, Table
from bot.ui.custom_ids import Press, press
from bot.ui.game_view import LABEL, MENU, held_cards
from bot.ui.language import Language, described
from bot.ui.pictures import Art, playing_card
from bot.ui.suits import card_sign
from bot.ui.typed import Choices

_LINE: Final = 7
"""Cards in a line of the hand: two lines fit on a phone."""
_FEW: Final = 10
"""The most combinations in one menu; when there are more, kind and length are asked first."""
_OPENING: Final = NUMBER['3S']
_BOMBED: Final = ('single', 'pair', 'three')
"""The kinds of 2s that double sequences of three, four and five pairs beat."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Thirteen(GameCog, name='thirteen', description=described('thirteen.command')):
    """The view and the commands of Thirteen."""

    game_id = 'thirteen'
    colour = 0x8B1E3F

    # --- the board and the hand ------------------------------------------------------------------------------------

    def card(self, card: int, language: Language) -> str:
        return card_sign(self.game.card_text(card))

    def _cards(self, cards: Sequence[int], language: Language) -> str:
        return ' '.join(f'`{self.card(card, language)}`' for card in cards)

    def _class(self, kind: Kind, language: Language) -> str:
        """The kind of a combination and its length, such as “sequence of 5”."""
        return language(f'thirteen.kind.{kind.kind}', n=kind.length)

    def move_label(self, move: ThirteenMove, text: str, observation: Observation, language: Language) -> str:
        if move == PASS:
            return self.button_label(text, language)
        return ' '.join(card_sign(code) for code in text.split())

    def move_hint(self, move: ThirteenMove, text: str, observation: Observation, language: Language) -> str:
        return '' if move == PASS or _in_two_steps(observation) else self._class(kind_of(move), language)

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        facts = observation.facts
        lies = facts['to_beat']
        if not lies:
            if facts['opening']:
                return language('thirteen.board.opening', card=self._cards([_OPENING], language))
            return language('thirteen.board.lead', name=language.name(table, observation.turn))
        kind = kind_of(combination(lies))
        lines = [
            language('thirteen.board.to-beat', kind=self._class(kind, language), name=language.name(table, facts['owner'])),
            self._cards(lies, language),
        ]
        if kind.kind in _BOMBED and self.game.card_text(kind.top)[0] == '2':
            pairs = 3 + _BOMBED.index(kind.kind)
            lines.append('-# ' + language('thirteen.board.bombs' if pairs > 3 else 'thirteen.board.all-bombs', n=pairs))
        if facts['passed']:
            lines.append(
                '-# ' + language('thirteen.board.passed', names=language.listed(language.name(table, seat) for seat in facts['passed']))
            )
        return '\n'.join(lines)

    def seat_note(self, table: Table, observation: Observation, seat: int, language: Language) -> str:
        out = observation.facts['out']
        if seat in out:
            return language('thirteen.board.out', place=out.index(seat) + 1)
        return super().seat_note(table, observation, seat, language)

    def result(self, table: Table, end: RoundEnd, language: Language) -> str:
        if end.reason != 'out':
            return super().result(table, end, language)
        order = sorted(range(len(end.points)), key=lambda seat: -end.points[seat])
        return language.listed(
            language('thirteen.board.place', place=place, name=language.name(table, seat), n=end.points[seat])
            for place, seat in enumerate(order, 1)
        )

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        held = held_cards(observation)
        lines = [self._cards(held[start : start + _LINE], language) for start in range(0, len(held), _LINE)]
        if not held:
            lines.append(language('thirteen.hand.none'))
        elif observation.viewer in observation.facts['passed']:
            lines.append('-# ' + language('thirteen.hand.passed'))
        elif observation.legal == (PASS,):
            lines.append('-# ' + language('thirteen.hand.nothing'))
        elif observation.legal:
            lines += ['-# ' + language('thirteen.hand.exact'), '-# `/thirteen play 5s 6c 7d`']
        return '\n'.join(lines)

    def art(self, card: int) -> Art:
        return playing_card(self.game.card_text(card))

    def always(self) -> tuple[str, ...]:
        return ('pass',)

    # --- menus: kind and length first, then the top card -----------------------------------------------------------

    def controls(self, table: Table, observation: Observation, language: Language) -> list[ui.ActionRow[Any]]:
        return self._rows(table, observation, language)

    def _rows(self, table: Table, observation: Observation, language: Language, chosen: str = '') -> list[ui.ActionRow[Any]]:
        """The menus and the pass button. When there are many combinations, only those of the `chosen` kind and length are offered.

        There are 18 kinds with their lengths, and of each a hand of 13 cards has at most 13 top cards.
        """
        moves, placeholder, rows = self._moves(table, observation), language('hand.choose'), []
        if _in_two_steps(observation):
            rows.append(self._classes(table, moves, language, chosen))
            moves = [pair for pair in moves if _class_id(pair[0]) == chosen]
            if moves:
                placeholder = language('thirteen.hand.which', kind=self._class(kind_of(moves[0][0]), language))
        if moves:
            rows.append(self.menu(table, moves, observation, language, placeholder))
        if PASS in observation.legal:
            rows.append(ui.ActionRow(self.button(table, 'pass', self.button_label('pass', language))))
        return rows

    @staticmethod
    def _moves(table: Table, observation: Observation) -> list[tuple[ThirteenMove, str]]:
        """The viewer's legal combinations with their texts, by kind, length and top card."""
        assert table.match is not None
        return [(move, table.match.round.format_move(move)) for move in sorted(observation.legal) if move != PASS]

    def _classes(self, table: Table, moves: Sequence[tuple[ThirteenMove, str]], language: Language, chosen: str) -> ui.ActionRow[Any]:
        """The menu of kinds and lengths, with how many combinations there are of each."""
        kinds: dict[str, list[Kind]] = {}
        for move, _ in moves:
            kinds.setdefault(_class_id(move), []).append(kind_of(move))
        options = [
            discord.SelectOption(
                label=self._class(alike[0], language)[:LABEL],
                value=name,
                description=language('thirteen.hand.ways', n=len(alike))[:LABEL],
                default=name == chosen,
            )
            for name, alike in kinds.items()
        ]
        return ui.ActionRow(
            ui.Select(custom_id=press('class', table, here=True), placeholder=language('thirteen.hand.kind'), options=options)
        )

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """Shows the combinations of the kind and length that was chosen, by their top cards. After a move this starts over."""
        if press.action != 'class':
            return await super().pressed(interaction, table, press, values)
        table.seat(interaction.user.id)
        language = self.chat.languages.of(interaction)
        if table.state != 'playing' or press.made_for != table.position:
            return self.stale(interaction, table)
        rows = self._rows(table, table.observation(interaction.user.id), language, ''.join(values))
        return self.chat.actions.hand_reply(interaction, table, rows)

    # --- commands --------------------------------------------------------------------------------------------------

    @app_commands.command(name='play', description=described('thirteen.command.play'))
    @app_commands.describe(cards=described('thirteen.command.play.cards'))
    @answered
    async def play_cards(self, interaction: discord.Interaction[Any], cards: str) -> Answer:
        return await self.play(interaction, cards)

    @play_cards.autocomplete('cards')
    async def _combinations(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        """The legal combinations that fit what was typed; once cards are typed, those with other lower suits too, the shortest first."""
        table = self.playing(interaction)
        if table is None or table.match is None:
            return []
        observation, language, round_ = table.observation(interaction.user.id), self.chat.languages.of(interaction), table.match.round
        moves = self._moves(table, observation)
        if typed.strip() and moves:
            listed = {move for move, _ in moves}
            moves += [(move, round_.format_move(move)) for move in round_.exact_moves() if move != PASS and move not in listed]
            moves.sort(key=lambda pair: len(pair[1]))
        choices = []
        for move, text in moves:
            label, kind = self.move_label(move, text, observation, language), self._class(kind_of(move), language)
            if _fits(typed, text, kind):
                choices.append(app_commands.Choice(name=f'{label} · {kind}'[:LABEL], value=text[:LABEL]))
        return choices[:MENU]

    @app_commands.command(name='pass', description=described('thirteen.command.pass'))
    @answered
    async def pass_(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'pass')


def _in_two_steps(observation: Observation) -> bool:
    """Whether the viewer is asked for kind and length first."""
    return len(observation.legal) - (PASS in observation.legal) > _FEW


def _class_id(move: ThirteenMove) -> str:
    """Kind and length of a combination, as a menu's value."""
    kind = kind_of(move)
    return f'{kind.kind}.{kind.length}'


def _fits(typed: str, text: str, kind: str) -> bool:
    """Whether a combination, given as its text and the name of its kind, has all cards or words that were typed, in any notation."""
    codes, cards = text.split(), read_cards(typed)
    if cards is not None:
        return {CARDS[card] for card in cards} <= set(codes)
    wanted = normal(typed).replace(',', ' ').split()
    return all(any(word.replace('10', 'T') in code for code in codes) or word in kind.upper() for word in wanted)


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Thirteen(bot.chat))
