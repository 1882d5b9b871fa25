"""What people see of the villain-capture game: its cards, the board, and the piles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from discord import ui

from bot.engines.base import Observation
from bot.engines.villains import (
    CAPTURE,
    CARDS,
    DISCARD,
    DRAW,
    IDLE_ROUNDS,
    OPPONENTS,
    XRAY,
    VillainsMove,
    VillainsRound,
    missing,
    printed_points,
    villain_total,
)
from bot.tables.table import Table
from bot.ui.custom_ids import press
from bot.ui.game_view import GameView, held_cards, seen_cards
from bot.ui.language import Language
from bot.ui.layout import layout
from bot.ui.pictures import Art, Picture

TYPES: Final = {
    'V': ('🦹', 'villain'), 'W': ('💣', 'weapon'), 'O': ('📜', 'plot'),
    'S': ('🦸', 'superman-card'), 'P': ('⚡', 'power'), 'A': ('🤝', 'ally'), 'E': ('🧰', 'equipment'),
}  # fmt: skip
"""By type: its sign, and the word for it in the texts; in the order in which cards are shown."""
_INKS: Final = {'V': 'violet', 'W': 'black', 'O': 'grey', 'S': 'red', 'P': 'blue', 'A': 'green', 'E': 'orange'}
_JOIN: Final = '\u00a0'
"""A space at which no line ends, so that a sign and a number stay beside their name."""
_ORDER: Final = ''.join(TYPES)
_SHOWN: Final = 4
"""How many cards of a pile the board names at most, the newest ones."""


class VillainsView(GameView):
    """How the cards, the board and the piles look."""

    colour = 0x6B2FA0

    # --- cards -----------------------------------------------------------------------------------------------------

    def card(self, card: int, language: Language) -> str:
        return _JOIN.join((TYPES[CARDS[card].type][0], CARDS[card].name, str(CARDS[card].points)))

    def _cards(self, cards: Iterable[int], language: Language) -> str:
        return language.listed(self.card(card, language) for card in cards)

    def _type(self, card: int, language: Language) -> str:
        return language(f'villains.type.{TYPES[CARDS[card].type][1]}')

    def _label(self, card: int, language: Language) -> str:
        return language('villains.card.label', card=self.card(card, language), type=self._type(card, language))

    def _hint(self, card: int, language: Language) -> str:
        """What else is printed on a card: its bonus, what it lets one do, its note."""
        printed = CARDS[card]
        parts = [printed.note] if printed.note else []
        if printed.bonus:
            partners = ' / '.join(CARDS[partner].name for partner in printed.partners)
            parts.insert(0, language('villains.card.bonus', points=printed.bonus, partners=partners))
        if card == XRAY:
            parts.append(language('villains.card.x-ray'))
        return ' · '.join(parts)

    def move_label(self, move: VillainsMove, text: str, observation: Observation, language: Language) -> str:
        if text in self.always():
            return self.button_label(text, language)
        card = _single(move)
        return text if card is None else self._label(card, language)

    def move_hint(self, move: VillainsMove, text: str, observation: Observation, language: Language) -> str:
        card = _single(move)
        return '' if card is None else self._hint(card, language)

    # --- what everyone sees ----------------------------------------------------------------------------------------

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        facts = observation.facts
        deck, discard = observation.cards('deck'), seen_cards(observation.cards('discard'))
        lines = [language('villains.board.deck', n=len(deck)) + ' · ' + language('villains.board.discard', n=len(discard))]
        if discard:
            lines.append('-# ' + language('villains.board.newest', cards=self._newest(discard, language)))
        if observation.viewer is None and facts['phase'] in (DRAW, DISCARD, CAPTURE):  # else there is more to say than a message holds
            prisons = [(seat, seen_cards(observation.cards('prisons', seat))) for seat in range(observation.seats)]
            lines += [
                '-# ' + language('villains.board.jail', name=language.name(table, seat), cards=self._newest(prison, language))
                for seat, prison in prisons
                if prison
            ]
        if not deck:
            lines.append(language('villains.board.last-turn'))
        elif facts['idle'] > 1:
            lines.append('-# ' + language('villains.board.idle', n=facts['idle'], limit=IDLE_ROUNDS * observation.seats))
        return '\n'.join(lines) + '\n\n' + '\n'.join(self._running(table, observation, language))

    def _newest(self, cards: Sequence[int], language: Language) -> str:
        """The last cards of a pile, the newest first."""
        shown = self._cards(cards[: -_SHOWN - 1 : -1], language)
        more = len(cards) - _SHOWN
        return language('villains.board.more', cards=shown, n=more) if more > 0 else shown

    def _running(self, table: Table, observation: Observation, language: Language) -> list[str]:
        """What the player on turn has to do, and the attempt that is going on."""
        facts = observation.facts
        lines = [language(f'villains.phase.{facts["phase"]}', name=language.name(table, observation.turn))]
        if facts['phase'] in (DRAW, DISCARD, CAPTURE):
            return lines
        villain, hero = attempt(observation)
        active = language.name(table, facts['active'])
        lines = [language('villains.attempt.title', name=active, villain=CARDS[villain[0]].name), *self._sides(villain, hero, language)]
        lines += [self._balance(villain, hero, language)]
        if facts['phase'] == OPPONENTS:
            weapons, plots = running_round(table).room()
            fits = [language('villains.attempt.weapons', n=weapons)] * bool(weapons) + [language('villains.attempt.plots', n=plots)] * bool(
                plots
            )
            lines.append(language('villains.attempt.room', what=language.listed(fits)) if fits else language('villains.attempt.full'))
        lines.append('-# ' + self._windows(table, observation, language))
        return [*lines, language(f'villains.phase.{facts["phase"]}', name=language.name(table, observation.turn))]

    def _windows(self, table: Table, observation: Observation, language: Language) -> str:
        """The order in which the seats have their windows in the running attempt, and how far it has come."""
        active, seats = observation.facts['active'], observation.seats
        names = []
        now = (observation.turn - active - 1) % seats
        for place in range(seats):
            name = language.name(table, (active + 1 + place) % seats)
            names.append(f'✔ {name}' if place < now else f'▶ **{name}**' if place == now else name)
        return language('villains.attempt.windows', names=' → '.join(names))

    def _sides(self, villain: Sequence[int], hero: Sequence[int], language: Language) -> list[str]:
        """Both sides of an attempt with their totals and the bonuses that count."""
        against, bonuses = villain_total(villain)
        lines = [language('villains.side.villain', n=against), self._cards(in_order(villain), language) or language('villains.side.nobody')]
        lines += [
            language('villains.side.bonus', points=bonus.points, card=CARDS[bonus.card].name, partner=CARDS[bonus.partner].name)
            for bonus in bonuses
        ]
        lines.append(language('villains.side.hero', n=printed_points(hero)))
        return [*lines, self._cards(in_order(hero), language) or language('villains.side.nobody')]

    def _balance(self, villain: Sequence[int], hero: Sequence[int], language: Language) -> str:
        """Who is ahead, and by how much."""
        if short := missing(villain, hero):
            return language('villains.attempt.missing', n=short)
        return language('villains.attempt.ahead', n=printed_points(hero) - villain_total(villain)[0])

    def seat_note(self, table: Table, observation: Observation, seat: int, language: Language) -> str:
        note = super().seat_note(table, observation, seat, language)
        viewers = language.listed(language.name(table, viewer) for viewer in observation.facts['looks'][seat])
        return f'{note} · {language("villains.board.seen", names=viewers)}' if viewers else note

    def total(self, table: Table, seat: int, language: Language) -> str:
        return language('villains.board.prison', n=printed_points(running_round(table).prisons[seat]))

    def art(self, card: int) -> Art:
        printed = CARDS[card]
        return Art(printed.type, _INKS[printed.type], middle=printed.name, foot=str(printed.points), band=True)

    def picture(self, observation: Observation, language: Language) -> Picture | None:
        return self.pictured([in_order(held_cards(observation))], language)

    def always(self) -> tuple[str, ...]:
        return ('draw deck', 'skip', 'pass')

    def button_label(self, text: str, language: Language) -> str:
        return language('villains.button.draw') if text == 'draw deck' else super().button_label(text, language)

    def public_buttons(self, table: Table, language: Language) -> list[ui.Button[Any]]:
        return [ui.Button(label=language('villains.button.piles'), custom_id=press('piles', table))]

    def _all_piles(self, table: Table, language: Language) -> ui.LayoutView:
        """Every card that is face up: the discard pile by type, and the prisons."""
        table.require('playing')
        observation = table.observation(None)
        discard = in_order(seen_cards(observation.cards('discard')))
        parts = ['\n'.join([language('villains.piles.discard', n=len(discard)), *self._by_type(discard, language)])]
        for seat in range(observation.seats):
            prison = seen_cards(observation.cards('prisons', seat))
            title = language('villains.piles.prison', name=language.name(table, seat), n=printed_points(prison))
            parts.append('\n'.join([title, *self._by_type(in_order(prison), language)]))
        return layout(parts, [], self.colour)

    def _by_type(self, cards: Sequence[int], language: Language) -> list[str]:
        lines = []
        for kind, (sign, word) in TYPES.items():
            if names := [f'{CARDS[card].name}{_JOIN}{CARDS[card].points}' for card in cards if CARDS[card].type == kind]:
                lines.append(
                    language('villains.piles.line', sign=sign, type=language(f'villains.type.{word}'), cards=language.listed(names))
                )
        return lines


def running_round(table: Table) -> VillainsRound:
    """The round that is being played at a table."""
    assert table.match is not None
    assert isinstance(table.match.round, VillainsRound)
    return table.match.round


def _single(move: VillainsMove) -> int | None:
    """The card of a move that draws or discards one."""
    return move.cards[0] if move.kind in ('draw', 'discard') and len(move.cards) == 1 else None


def attempt(observation: Observation) -> tuple[list[int], list[int]]:
    """Both sides of the running attempt, the villain's first."""
    return seen_cards(observation.cards('villain')), seen_cards(observation.cards('hero'))


def in_order(cards: Iterable[int]) -> list[int]:
    """Cards in the order in which they are shown: by type, the strongest first."""
    return sorted(cards, key=lambda card: (_ORDER.index(CARDS[card].type), -CARDS[card].points, card))
