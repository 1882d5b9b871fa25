"""The hand of a player, and putting a capture together in it: with menus, step by step, before it is confirmed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import discord
from discord import ui

from bot.engines.base import IllegalMoveError, Observation
from bot.engines.villains import (
    ATTACHED_TYPES,
    CAPTURE,
    CARDS,
    DISCARD,
    DRAW,
    DRAW_DECK,
    HELPER_TYPES,
    HERO_TYPES,
    OPPONENTS,
    XRAY,
    VillainsMove,
    VillainsRound,
    capture_move,
    strongest_hero,
)
from bot.tables.table import Table
from bot.ui.custom_ids import Press, press
from bot.ui.game_view import LABEL, MENU, held_cards, seen_cards
from bot.ui.language import Language

from .view import TYPES, VillainsView, attempt, in_order, running_round

ACTIONS: Final = ('page', 'clear', 'villain-side', 'hero-side', 'look', 'confirm')
"""What the menus and buttons here do, besides playing a move."""
_PAGE: Final = 3 * MENU
"""How many cards of the discard pile are offered at once."""
_NOBODY: Final = '-'
"""In the menu of X-Ray Vision: no hand is looked at."""


class Choice(NamedTuple):
    """What a player is putting together before it is confirmed."""

    cards: tuple[int, ...] = ()
    xray: int | None = None
    """The seat whose hand X-Ray Vision looks at."""
    page: int = 0
    """Which part of the discard pile is offered, from 0."""

    @property
    def text(self) -> str:
        """The cards by number, and the seat, for a custom id."""
        return f'{".".join(map(str, self.cards))}~{"" if self.xray is None else self.xray}'

    @classmethod
    def read(cls, text: str) -> Choice:
        """The inverse of `text`; any other text means no cards."""
        found = re.fullmatch(r'([0-9.]*)~([0-9]?)', text)
        if found is None:
            return cls()
        return cls(tuple(int(card) for card in found[1].split('.') if card), int(found[2]) if found[2] else None)


class CaptureView(VillainsView):
    """How a hand looks, with what its player is putting together."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._choices: dict[tuple[int, int], tuple[tuple[int, int], Choice]] = {}
        """By table and user: the position, and what was chosen there so far. Buttons and menus carry it too; it is kept here so that
        a hand that is rendered again meanwhile still shows it."""

    # --- the hand --------------------------------------------------------------------------------------------------

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        facts, viewer = observation.facts, observation.viewer
        lines = []
        for card in in_order(held_cards(observation)):
            sign, name, points = TYPES[CARDS[card].type][0], CARDS[card].name, CARDS[card].points
            lines.append(language('villains.hand.card', sign=sign, name=name, points=points, type=self._type(card, language)))
            if hint := self._hint(card, language):
                lines.append(f'-# {hint}')
        parts = ['\n'.join(lines) or language('villains.hand.none')]
        for seat, viewers in enumerate(facts['looks']):
            if viewer in viewers:
                seen = self._cards(in_order(seen_cards(observation.cards('hands', seat))), language) or language('villains.hand.none')
                parts.append(language('villains.hand.seen', name=language.name(table, seat), cards=seen))
        if observation.legal and facts['phase'] in (DISCARD, CAPTURE):
            drawn = [event for event in table.recent if event.seat == viewer and event.kind == 'drew-card']
            parts += [language.event(table, event) for event in drawn[-1:]]
        if observation.legal and facts['phase'] != DISCARD:
            parts.append('\n'.join(self._so_far(table, observation, language)))
        return '\n\n'.join(parts)

    def _so_far(self, table: Table, observation: Observation, language: Language) -> list[str]:
        """What has been put together so far, how it stands, and what is still missing; or what can be done."""
        phase = observation.facts['phase']
        if phase == DRAW:
            return [language('villains.hand.draw')]
        if not self._sides_to_choose(table, observation):
            return [self._nothing_to_do(observation, language)]
        choice = self._choice(table, observation)
        if not choice.cards:
            return [language(f'villains.hand.{phase}')]
        villain, hero = ([], []) if phase == CAPTURE else attempt(observation)
        villain += [card for card in choice.cards if CARDS[card].type not in HERO_TYPES]
        hero += [card for card in choice.cards if CARDS[card].type in HERO_TYPES]
        refusal = self._refusal(table, observation, choice)
        lines = [language('villains.hand.chosen' if phase == CAPTURE else 'villains.hand.added'), *self._sides(villain, hero, language)]
        if refusal is not None and refusal.code != 'too-weak':
            return [*lines, '❌ ' + language(f'villains.reason.{refusal.code}', **refusal.params)]
        return [*lines, self._balance(villain, hero, language)]

    def _nothing_to_do(self, observation: Observation, language: Language) -> str:
        """Why there is nothing to choose in this window."""
        held = held_cards(observation)
        if observation.facts['phase'] != CAPTURE:
            return language('villains.hand.nothing')
        if not any(CARDS[card].type == 'V' for card in held):
            return language('villains.hand.no-villain')
        return language('villains.hand.too-weak', n=strongest_hero(held))

    # --- putting cards together ------------------------------------------------------------------------------------

    def controls(self, table: Table, observation: Observation, language: Language) -> list[ui.ActionRow[Any]]:
        rows: list[ui.ActionRow[Any]] = []
        buttons: list[ui.Button[Any]] = []
        if observation.legal:
            phase = observation.facts['phase']
            if phase == DRAW:
                rows, buttons = self._drawing(table, observation, language)
            elif phase == DISCARD:
                moves = [(move, VillainsRound.format_move(move)) for move in observation.legal]
                rows = [self.menu(table, moves[:MENU], observation, language, language('villains.hand.discard'))]
            else:
                rows, buttons = self._choosing(table, observation, language)
        return [*rows, ui.ActionRow(*buttons, *self.public_buttons(table, language))]

    def _drawing(self, table: Table, observation: Observation, language: Language) -> tuple[list[ui.ActionRow[Any]], list[ui.Button[Any]]]:
        """The discard pile in menus, in parts when it is long, and the deck as a button."""
        cards = in_order(card for move in observation.legal for card in move.cards)
        pages = -(-len(cards) // _PAGE)
        page = max(0, min(self._choice(table, observation).page, pages - 1))
        rows = []
        for start in range(page * _PAGE, min(len(cards), (page + 1) * _PAGE), MENU):
            part = cards[start : start + MENU]
            moves = [(move := VillainsMove('draw', (card,)), VillainsRound.format_move(move)) for card in part]
            kinds = language.listed(dict.fromkeys(self._type(card, language) for card in part))
            placeholder = language('villains.hand.take', types=kinds, first=start + 1, last=start + len(part), n=len(cards))
            rows.append(self.menu(table, moves, observation, language, placeholder, start // MENU))
        buttons = [self.button(table, 'draw deck', language('villains.button.draw'))] if DRAW_DECK in observation.legal else []
        if page > 0:
            buttons.append(ui.Button(label=language('button.previous'), custom_id=press('page', table, str(page - 1), here=True)))
        if page < pages - 1:
            buttons.append(ui.Button(label=language('button.next'), custom_id=press('page', table, str(page + 1), here=True)))
        return rows, buttons

    def _choosing(self, table: Table, observation: Observation, language: Language) -> tuple[list[ui.ActionRow[Any]], list[ui.Button[Any]]]:
        """A menu for each side that cards can be chosen for, one for X-Ray Vision, and the buttons that confirm or decline."""
        phase, choice = observation.facts['phase'], self._choice(table, observation)
        sides = self._sides_to_choose(table, observation)
        rows: list[ui.ActionRow[Any]] = []
        for action, cards in sides.items():
            options = [
                discord.SelectOption(
                    label=self._label(card, language)[:LABEL],
                    value=str(card),
                    description=self._hint(card, language)[:LABEL] or None,
                    default=card in choice.cards,
                )
                for card in cards
            ]
            menu: ui.Select[Any] = ui.Select(
                custom_id=press(action, table, choice.text, here=True),
                placeholder=language(f'villains.hand.{action}'),
                options=options,
                min_values=0,
                max_values=len(cards),
            )
            rows.append(ui.ActionRow(menu))
        if XRAY in choice.cards:
            rows.append(self._look_menu(table, observation, choice, language))
        buttons: list[ui.Button[Any]] = []
        if sides:
            confirm: ui.Button[Any] = ui.Button(
                label=language('villains.button.capture' if phase == CAPTURE else 'villains.button.add'),
                style=discord.ButtonStyle.success,
                custom_id=press('confirm', table, choice.text, here=True),
                disabled=self._refusal(table, observation, choice) is not None,
            )
            buttons.append(confirm)
        if choice.cards:
            buttons.append(ui.Button(label=language('villains.button.clear'), custom_id=press('clear', table, here=True)))
        decline, style = 'skip' if phase == CAPTURE else 'pass', discord.ButtonStyle.secondary if sides else discord.ButtonStyle.primary
        return rows, [*buttons, self.button(table, decline, self.button_label(decline, language), style)]

    def _look_menu(self, table: Table, observation: Observation, choice: Choice, language: Language) -> ui.ActionRow[Any]:
        options = [discord.SelectOption(label=language('villains.hand.look-nobody'), value=_NOBODY, default=choice.xray is None)]
        for seat in range(observation.seats):
            if seat != observation.viewer:
                note = language('board.cards', n=len(observation.cards('hands', seat)))
                label = language('villains.hand.look-at', name=table.name(seat))
                options.append(discord.SelectOption(label=label[:LABEL], value=str(seat), description=note, default=choice.xray == seat))
        return ui.ActionRow(ui.Select(custom_id=press('look', table, choice.text, here=True), options=options))

    def _sides_to_choose(self, table: Table, observation: Observation) -> dict[str, list[int]]:
        """The viewer's cards that can be chosen in this window, by the side they go to; empty when the viewer can only decline."""
        if len(observation.legal) < 2 or observation.facts['phase'] in (DRAW, DISCARD):
            return {}
        phase, cards = observation.facts['phase'], in_order(set(held_cards(observation)))
        if phase == CAPTURE:
            villain = [card for card in cards if CARDS[card].type not in HERO_TYPES]
            return {'villain-side': villain, 'hero-side': [card for card in cards if card not in villain]}
        if phase == OPPONENTS:
            room = dict(zip(ATTACHED_TYPES, running_round(table).room(), strict=True))
            return {'villain-side': [card for card in cards if room.get(CARDS[card].type)]}
        return {'hero-side': [card for card in cards if CARDS[card].type in HELPER_TYPES]}

    def _move(self, observation: Observation, choice: Choice) -> VillainsMove:
        if observation.facts['phase'] == CAPTURE:
            return capture_move(choice.cards, choice.xray)
        return VillainsMove('add', choice.cards, xray=choice.xray)

    def _refusal(self, table: Table, observation: Observation, choice: Choice) -> IllegalMoveError | None:
        """Why what is chosen cannot be played as it stands; None when it can."""
        move = self._move(observation, choice)
        return None if running_round(table).is_legal(move) else running_round(table).why_not(move)

    def _choice(self, table: Table, observation: Observation) -> Choice:
        """What the viewer has chosen so far in this position."""
        assert observation.viewer is not None
        position, choice = self._choices.get((table.id, table.seats[observation.viewer].person.id), (None, Choice()))
        return self._possible(table, observation, choice) if position == table.position else Choice()

    def _possible(self, table: Table, observation: Observation, choice: Choice) -> Choice:
        """The part of a choice that is possible in this position."""
        able = {card for cards in self._sides_to_choose(table, observation).values() for card in cards}
        cards = tuple(sorted(able.intersection(choice.cards)))
        looks = XRAY in cards and choice.xray != observation.viewer and (choice.xray or 0) < observation.seats
        return Choice(cards, choice.xray if looks else None, choice.page)

    def _changed(self, table: Table, observation: Observation, choice: Choice, press: Press, values: Sequence[str]) -> Choice:
        """A choice after one of the `ACTIONS`, except `confirm`."""
        match press.action:
            case 'page':
                return Choice(page=int(press.argument) if press.argument.isdecimal() else 0)
            case 'look':
                return choice._replace(xray=int(values[0]) if values and values[0].isdecimal() else None)
            case 'villain-side' | 'hero-side':
                listed = set(self._sides_to_choose(table, observation).get(press.action, ()))
                chosen = {card for card in listed if str(card) in values}
                return choice._replace(cards=tuple(set(choice.cards) - listed | chosen))
        return choice

    def _keep(self, table: Table, user_id: int, choice: Choice, is_closed: Callable[[int], bool]) -> None:
        """Keeps what somebody has chosen in the present position, and forgets what was chosen at tables that are closed."""
        open_tables = {key: kept for key, kept in self._choices.items() if not is_closed(key[0])}
        self._choices = {**open_tables, (table.id, user_id): (table.position, choice)}
