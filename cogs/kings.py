"""`/kings`: Kings in the Corner, with 80 chips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import MoveError, Observation
from bot.engines.cards import RANKS
from bot.engines.kings import CHIPS, KING_FINE, STALLS, KingsMove, blocking_limit
from bot.tables.table import Table
from bot.ui.game_view import MENU, ROW, held_cards, seen_cards
from bot.ui.language import Language, described
from bot.ui.pictures import Art, Picture, playing_card
from bot.ui.suits import card_sign, padded
from bot.ui.typed import Choices, fitting, sentence

_BLACK: Final = frozenset('SC')
_TRAY: Final = tuple(zip(STALLS[:4], STALLS[4:], strict=True))
"""The stalls as the board shows them, a tabbed and a king stall in a line."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Kings(GameCog, name='kings', description=described('kings.command')):
    """The view and the commands of Kings in the Corner."""

    game_id = 'kings'
    colour = 0xB8860B

    # --- cards and stalls ------------------------------------------------------------------------------------------

    def card(self, card: int, language: Language) -> str:
        return card_sign(self.game.card_text(card))

    def _pile(self, observation: Observation, stall: str) -> list[str]:
        """The cards of a stall as they are shown, the bottom card first."""
        return [card_sign(self.game.card_text(card)) for card in seen_cards(observation.cards('stalls', stall))]

    def _ends(self, observation: Observation, stall: str) -> str:
        """The bottom and the top card of a stall."""
        pile = self._pile(observation, stall)
        return f'{pile[0]}…{pile[-1]}' if len(pile) > 1 else ''.join(pile)

    def _place(self, observation: Observation, stall: str, language: Language) -> str:
        """A stall as the target of a move, for a label."""
        pile = self._pile(observation, stall)
        return language('kings.place.on', stall=stall, top=pile[-1]) if pile else language('kings.place.empty', stall=stall)

    def move_label(self, move: KingsMove, text: str, observation: Observation, language: Language) -> str:
        verb, what, stall = text.split()
        if verb == 'move':
            what = language('kings.place.pile', stall=what, cards=self._ends(observation, what))
        else:
            what = card_sign(what)
        return language('kings.move.label', what=what, place=self._place(observation, stall, language))

    def move_hint(self, move: KingsMove, text: str, observation: Observation, language: Language) -> str:
        return text

    # --- the board and the hand ------------------------------------------------------------------------------------

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        chips, pot, aside = (observation.counters[name] for name in ('chips', 'pot', 'aside'))
        stock, turns, idle = len(observation.cards('stock')), observation.facts['turns'], observation.facts['idle']
        columns = [(language('kings.board.tabbed'), language('kings.board.kings'))]
        columns += [(self._shown(observation, tabbed), self._shown(observation, king)) for tabbed, king in _TRAY]
        tray = '\n'.join(f'{padded(left, 14)}{right}' for left, right in columns)
        lines = [
            language('kings.board.stalls'),
            f'```\n{tray}\n```',
            language('kings.board.pot', n=pot) + ' · ' + language('kings.board.stock', n=stock),
            language('kings.board.sum' if not aside else 'kings.board.sum-aside', pot=pot, chips=sum(chips), aside=aside, all=CHIPS),
        ]
        if turns < observation.seats:
            lines.append(language('kings.board.ante', n=CHIPS // observation.seats))
        if idle:
            lines.append(language('kings.board.idle', n=idle, limit=blocking_limit(observation.seats, stock)))
        return '\n'.join(lines)

    def _shown(self, observation: Observation, stall: str) -> str:
        """A stall on the board: its name, its bottom and top card, and the number of cards. In a king stall the cards cover each other."""
        pile = self._pile(observation, stall)
        seen = self._ends(observation, stall) if stall[0] == 'T' else ''.join(pile[-1:])
        return f'{stall} {padded(seen, 6)}{len(pile):>3}' if pile else f'{stall} —'

    def seat_note(self, table: Table, observation: Observation, seat: int, language: Language) -> str:
        chips = language('kings.board.chips', n=observation.counters['chips'][seat])
        return super().seat_note(table, observation, seat, language) + ' · ' + chips

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        viewer, facts = observation.viewer, observation.facts
        assert viewer is not None
        codes = sorted(self._held(observation), key=lambda code: RANKS.index(code[0]), reverse=True)
        shown = [(code[1] in _BLACK, f'`{card_sign(code)}`') for code in codes]
        black, red = (' '.join(card for is_black, card in shown if is_black is colour) for colour in (True, False))
        lines = [language('kings.hand.black', cards=black)] if black else []
        lines += [language('kings.hand.red', cards=red)] if red else []
        lines.append('-# ' + self.seat_note(table, observation, viewer, language))
        lines += [language('kings.hand.typed', card=card_sign(codes[-1]), code=codes[-1])] if codes else []
        if facts['turns'] > (viewer - facts['start']) % observation.seats and not (observation.legal and facts['played']):
            # The viewer has had a turn in this round and has not played since.
            drawn = [event for event in table.recent if event.seat == viewer and event.kind in ('drew-card', 'king-drawn')]
            lines += ['-# ' + language.event(table, event) for event in drawn[-1:]]
        if observation.legal:
            lines += self._advice(table, observation, language)
        return '\n'.join(lines)

    def art(self, card: int) -> Art:
        return playing_card(self.game.card_text(card), four_colours=False)

    def picture(self, observation: Observation, language: Language) -> Picture | None:
        held = held_cards(observation)
        held.sort(key=lambda card: RANKS.index(self.game.card_text(card)[0]), reverse=True)
        rows = ([card for card in held if (self.game.card_text(card)[1] in _BLACK) is colour] for colour in (True, False))
        return self.pictured(list(rows), language)

    def _held(self, observation: Observation) -> list[str]:
        return [self.game.card_text(card) for card in held_cards(observation)]

    def _advice(self, table: Table, observation: Observation, language: Language) -> list[str]:
        """What the player on turn should know before they end the turn."""
        lines = []
        kings = sum(code[0] == 'K' for code in self._held(observation))
        if kings:
            lines.append(language('kings.hand.kings', n=kings, fine=kings * KING_FINE))
        if all(text.startswith('end') for text in self._texts(table, observation)):
            lines.append(language('kings.hand.stuck'))
        if not observation.facts['played']:
            lines.append(language('kings.hand.no-play'))
        return lines

    @staticmethod
    def _texts(table: Table, observation: Observation) -> list[str]:
        """The viewer's legal moves as texts."""
        assert table.match is not None
        return [table.match.round.format_move(move) for move in observation.legal]

    def always(self) -> tuple[str, ...]:
        return ('end',)

    def button_label(self, text: str, language: Language) -> str:
        return language('kings.button.end')

    def controls(self, table: Table, observation: Observation, language: Language) -> list[ui.ActionRow[Any]]:
        """What builds on a pile, then what goes to an empty tabbed stall, then the ends of the turn.

        Empty stalls of a kind are alike, so only the first of them is offered. Then at most 20 moves build: what fits on a top card is
        at most two cards, each in the hand or at the bottom of a pile, and of the kings there are four. And a hand holds at most 41
        cards, the seven that were dealt and two players' whole stock: two menus.
        """
        free = {stall[0]: stall for stall in reversed(STALLS) if not observation.cards('stalls', stall)}
        build: list[tuple[KingsMove, str]] = []
        spare: list[tuple[KingsMove, str]] = []
        ends: list[str] = []
        for move, text in zip(observation.legal, self._texts(table, observation), strict=True):
            stall = text.split()[-1]
            if text.startswith('end'):
                ends.append(text)
            elif observation.cards('stalls', stall):
                build.append((move, text))
            elif free[stall[0]] == stall:
                (spare if stall[0] == 'T' else build).append((move, text))
        rows = []
        for number, (moves, key, style) in enumerate(
            (
                (build, 'kings.hand.build', discord.ButtonStyle.success),
                (spare[:MENU], 'kings.hand.spare', discord.ButtonStyle.primary),
                (spare[MENU : 2 * MENU], 'kings.hand.spare', discord.ButtonStyle.primary),
            )
        ):
            if len(moves) > ROW:
                placeholder = language(key, n=len(moves), stall=free.get('T', ''))
                rows.append(self.menu(table, moves, observation, language, placeholder, number))
            elif moves:
                labels = [(text, self.move_label(move, text, observation, language)) for move, text in moves]
                rows.append(ui.ActionRow(*(self.button(table, text, label, style) for text, label in labels)))
        if ends:
            rows.append(ui.ActionRow(*self._end_buttons(table, observation, ends, language)))
        return rows

    def _end_buttons(self, table: Table, observation: Observation, ends: Sequence[str], language: Language) -> Iterable[ui.Button[Any]]:
        """Buttons that end the turn, with the chips that it would cost now."""
        assert observation.viewer is not None
        owed = KING_FINE * sum(code[0] == 'K' for code in self._held(observation)) + (not observation.facts['played'])
        for text in ends:
            due = min(owed + (text == 'end nodraw'), observation.counters['chips'][observation.viewer])
            label = language('kings.button.end' if len(ends) == 1 else 'kings.button.draw' if text == 'end' else 'kings.button.nodraw')
            if due:
                label = language('kings.button.cost', label=label, n=due)
            yield self.button(table, text, label, discord.ButtonStyle.secondary)

    # --- the commands ----------------------------------------------------------------------------------------------

    @app_commands.command(name='play', description=described('kings.command.play'))
    @app_commands.describe(card=described('kings.command.play.card'), stall=described('kings.command.play.stall'))
    @answered
    async def play_card(self, interaction: discord.Interaction[Any], card: str, stall: str = '') -> Answer:
        return await self.play(interaction, sentence('play', card, stall))

    @play_card.autocomplete('card')
    async def _cards(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        language = self.chat.languages.of(interaction)
        places: dict[str, list[str]] = {}
        for code, stall in self._legal(self.playing(interaction), interaction, 'play'):
            places.setdefault(code, []).append(stall)
        return fitting(
            typed,
            (
                (language('kings.choice.card', card=card_sign(code), code=code, stalls=language.listed(at)), code)
                for code, at in places.items()
            ),
        )

    @play_card.autocomplete('stall')
    async def _stalls(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self._places(interaction, typed, 'play', interaction.namespace.card)

    @app_commands.command(name='move', description=described('kings.command.move'))
    @app_commands.rename(source='from', target='to')
    @app_commands.describe(source=described('kings.command.move.from'), target=described('kings.command.move.to'))
    @answered
    async def move(self, interaction: discord.Interaction[Any], source: str, target: str = '') -> Answer:
        return await self.play(interaction, sentence('move', source, target))

    @move.autocomplete('source')
    async def _sources(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        table = self.playing(interaction)
        if table is None:
            return []
        language, observation = self.chat.languages.of(interaction), table.observation(interaction.user.id)
        sources = dict.fromkeys(source for source, _ in self._legal(table, interaction, 'move'))
        labels = ((language('kings.place.pile', stall=stall, cards=self._ends(observation, stall)), stall) for stall in sources)
        return fitting(typed, labels)

    @move.autocomplete('target')
    async def _targets(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self._places(interaction, typed, 'move', getattr(interaction.namespace, 'from'))

    @app_commands.command(name='end', description=described('kings.command.end'))
    @app_commands.describe(draw=described('kings.command.end.draw'))
    @answered
    async def end(self, interaction: discord.Interaction[Any], draw: bool = True) -> Answer:
        return await self.play(interaction, 'end' if draw else 'end nodraw')

    def _legal(self, table: Table | None, interaction: discord.Interaction[Any], verb: str) -> list[tuple[str, str]]:
        """The legal plays, or moves of piles, of the person who asks: what, and where to."""
        if table is None:
            return []
        moves = (text.split() for text in self._texts(table, table.observation(interaction.user.id)) if text.startswith(verb))
        return [(what, stall) for _, what, stall in moves]

    def _places(self, interaction: discord.Interaction[Any], typed: str, verb: str, chosen: str | None) -> Choices:
        """The stalls where the chosen card or pile can go, or while none is chosen, any of them; for an autocomplete."""
        table = self.playing(interaction)
        if table is None or table.match is None:
            return []
        language, observation, round_ = self.chat.languages.of(interaction), table.observation(interaction.user.id), table.match.round
        try:
            # Any stall makes it a whole move, which the engine reads in every notation.
            meant = round_.format_move(round_.parse_move(sentence(verb, chosen or '', STALLS[-1]))).split()[1]
        except MoveError:
            meant = ''
        moves = self._legal(table, interaction, verb)
        places = {stall for what, stall in moves if what == meant} or {stall for _, stall in moves}
        return fitting(typed, ((self._place(observation, stall, language), stall) for stall in STALLS if stall in places))


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Kings(bot.chat))
