"""`/villains`: the Superman villain-capture game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import discord
from discord import app_commands, ui

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, Reply, answered
from bot.chat.wiring import Chat, ChatBot
from bot.engines.base import IllegalMoveError, MoveError, Observation
from bot.engines.villains import (
    ATTACHED_TYPES,
    CAPTURE,
    CARDS,
    DISCARD,
    DRAW,
    DRAW_DECK,
    HELPER_TYPES,
    HERO_TYPES,
    IDLE_ROUNDS,
    OPPONENTS,
    XRAY,
    VillainsMove,
    VillainsRound,
    capture_move,
    missing,
    printed_points,
    strongest_hero,
    villain_total,
)
from bot.tables.table import Table
from bot.ui.custom_ids import Press, press
from bot.ui.game_view import LABEL, MENU
from bot.ui.language import Language, described
from bot.ui.layout import layout
from bot.ui.pictures import Art, Picture
from bot.ui.typed import Choices, fitting, sentence

_TYPES: Final = {
    'V': ('🦹', 'villain'), 'W': ('💣', 'weapon'), 'O': ('📜', 'plot'),
    'S': ('🦸', 'superman-card'), 'P': ('⚡', 'power'), 'A': ('🤝', 'ally'), 'E': ('🧰', 'equipment'),
}  # fmt: skip
"""By type: its sign, and the word for it in the texts; in the order in which cards are shown."""
_INKS: Final = {'V': 'violet', 'W': 'black', 'O': 'grey', 'S': 'red', 'P': 'blue', 'A': 'green', 'E': 'orange'}
_JOIN: Final = '\u00a0'
"""A space at which no line ends, so that a sign and a number stay beside their name."""
_ORDER: Final = ''.join(_TYPES)
_SHOWN: Final = 4
"""So many cards of a pile the board names at most, the newest ones."""
_PAGE: Final = 3 * MENU
"""So many cards of the discard pile are offered at once."""
_NOBODY: Final = '-'
"""In the menu of X-Ray Vision: no hand is looked at."""
_NO_SEAT: Final = '999'
"""A seat that no table has."""


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
        """The inverse of `text`; what it did not make means no cards."""
        found = re.fullmatch(r'([0-9.]*)~([0-9]?)', text)
        if found is None:
            return cls()
        return cls(tuple(int(card) for card in found[1].split('.') if card), int(found[2]) if found[2] else None)


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Villains(GameCog, name='villains', description=described('villains.command')):
    """The face and the commands of the villain-capture game."""

    game_id = 'villains'
    colour = 0x6B2FA0

    def __init__(self, chat: Chat) -> None:
        super().__init__(chat)
        self._choices: dict[tuple[int, int], tuple[tuple[int, int], Choice]] = {}
        """By table and user: the position, and what was chosen there so far. Buttons and menus carry it too; it is kept here so that
        a hand that is drawn again meanwhile still shows it."""

    # --- cards ---------------------------------------------------------------------------------------------------------

    def card(self, card: int, language: Language) -> str:
        return _JOIN.join((_TYPES[CARDS[card].type][0], CARDS[card].name, str(CARDS[card].points)))

    def _cards(self, cards: Iterable[int], language: Language) -> str:
        return language.listed(self.card(card, language) for card in cards)

    def _type(self, card: int, language: Language) -> str:
        return language(f'villains.type.{_TYPES[CARDS[card].type][1]}')

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

    # --- what all see --------------------------------------------------------------------------------------------------

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        facts = observation.facts
        deck, discard = observation.cards('deck'), _known(observation.cards('discard'))
        lines = [language('villains.board.deck', n=len(deck)) + ' · ' + language('villains.board.discard', n=len(discard))]
        if discard:
            lines.append('-# ' + language('villains.board.newest', cards=self._newest(discard, language)))
        if observation.viewer is None and facts['phase'] in (DRAW, DISCARD, CAPTURE):  # else there is more to say than a message holds
            for seat in range(observation.seats):
                if prison := _known(observation.cards('prisons', seat)):
                    lines.append(
                        '-# ' + language('villains.board.jail', name=language.name(table, seat), cards=self._newest(prison, language))
                    )
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
        """What the seat to move has to do, and the attempt that is going on."""
        facts = observation.facts
        lines = [language(f'villains.phase.{facts["phase"]}', name=language.name(table, observation.turn))]
        if facts['phase'] in (DRAW, DISCARD, CAPTURE):
            return lines
        villain, hero = _attempt(observation)
        active = language.name(table, facts['active'])
        lines = [language('villains.attempt.title', name=active, villain=CARDS[villain[0]].name), *self._sides(villain, hero, language)]
        lines += [self._balance(villain, hero, language)]
        if facts['phase'] == OPPONENTS:
            weapons, plots = _round(table).room()
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
        lines = [language('villains.side.villain', n=against), self._cards(_sorted(villain), language) or language('villains.side.nobody')]
        lines += [
            language('villains.side.bonus', points=bonus.points, card=CARDS[bonus.card].name, partner=CARDS[bonus.partner].name)
            for bonus in bonuses
        ]
        lines.append(language('villains.side.hero', n=printed_points(hero)))
        return [*lines, self._cards(_sorted(hero), language) or language('villains.side.nobody')]

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
        return language('villains.board.prison', n=printed_points(_round(table).prisons[seat]))

    def art(self, card: int) -> Art:
        printed = CARDS[card]
        return Art(printed.type, _INKS[printed.type], middle=printed.name, foot=str(printed.points), band=True)

    def picture(self, observation: Observation, language: Language) -> Picture | None:
        return self.pictured([_sorted(_held(observation))], language)

    def always(self) -> tuple[str, ...]:
        return ('draw deck', 'skip', 'pass')

    def button_label(self, text: str, language: Language) -> str:
        return language('villains.button.draw') if text == 'draw deck' else super().button_label(text, language)

    def public_buttons(self, table: Table, language: Language) -> list[ui.Button[Any]]:
        return [ui.Button(label=language('villains.button.piles'), custom_id=press('piles', table))]

    def _all_piles(self, table: Table, language: Language) -> ui.LayoutView:
        """Every card that lies face up: the discard pile by type, and the prisons."""
        table.require('playing')
        observation = table.observation(None)
        discard = _sorted(_known(observation.cards('discard')))
        parts = ['\n'.join([language('villains.piles.discard', n=len(discard)), *self._by_type(discard, language)])]
        for seat in range(observation.seats):
            prison = _known(observation.cards('prisons', seat))
            title = language('villains.piles.prison', name=language.name(table, seat), n=printed_points(prison))
            parts.append('\n'.join([title, *self._by_type(_sorted(prison), language)]))
        return layout(parts, [], self.colour)

    def _by_type(self, cards: Sequence[int], language: Language) -> list[str]:
        lines = []
        for kind, (sign, word) in _TYPES.items():
            if names := [f'{CARDS[card].name}{_JOIN}{CARDS[card].points}' for card in cards if CARDS[card].type == kind]:
                lines.append(
                    language('villains.piles.line', sign=sign, type=language(f'villains.type.{word}'), cards=language.listed(names))
                )
        return lines

    # --- what one sees -------------------------------------------------------------------------------------------------

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        facts, viewer = observation.facts, observation.viewer
        lines = []
        for card in _sorted(_held(observation)):
            sign, name, points = _TYPES[CARDS[card].type][0], CARDS[card].name, CARDS[card].points
            lines.append(language('villains.hand.card', sign=sign, name=name, points=points, type=self._type(card, language)))
            if hint := self._hint(card, language):
                lines.append(f'-# {hint}')
        parts = ['\n'.join(lines) or language('villains.hand.none')]
        for seat, viewers in enumerate(facts['looks']):
            if viewer in viewers:
                seen = self._cards(_sorted(_known(observation.cards('hands', seat))), language) or language('villains.hand.none')
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
        villain, hero = ([], []) if phase == CAPTURE else _attempt(observation)
        villain += [card for card in choice.cards if CARDS[card].type not in HERO_TYPES]
        hero += [card for card in choice.cards if CARDS[card].type in HERO_TYPES]
        refusal = self._refusal(table, observation, choice)
        lines = [language('villains.hand.chosen' if phase == CAPTURE else 'villains.hand.added'), *self._sides(villain, hero, language)]
        if refusal is not None and refusal.code != 'too-weak':
            return [*lines, '❌ ' + language(f'villains.reason.{refusal.code}', **refusal.params)]
        return [*lines, self._balance(villain, hero, language)]

    def _nothing_to_do(self, observation: Observation, language: Language) -> str:
        """Why there is nothing to choose in this window."""
        held = _held(observation)
        if observation.facts['phase'] != CAPTURE:
            return language('villains.hand.nothing')
        if not any(CARDS[card].type == 'V' for card in held):
            return language('villains.hand.no-villain')
        return language('villains.hand.too-weak', n=strongest_hero(held))

    # --- putting cards together ------------------------------------------------------------------------------------------

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
        cards = _sorted(card for move in observation.legal for card in move.cards)
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
        """The viewer's cards that can be chosen in this window, by the side they go to; nothing when one can only decline."""
        if len(observation.legal) < 2 or observation.facts['phase'] in (DRAW, DISCARD):
            return {}
        phase, cards = observation.facts['phase'], _sorted(set(_held(observation)))
        if phase == CAPTURE:
            villain = [card for card in cards if CARDS[card].type not in HERO_TYPES]
            return {'villain-side': villain, 'hero-side': [card for card in cards if card not in villain]}
        if phase == OPPONENTS:
            room = dict(zip(ATTACHED_TYPES, _round(table).room(), strict=True))
            return {'villain-side': [card for card in cards if room.get(CARDS[card].type)]}
        return {'hero-side': [card for card in cards if CARDS[card].type in HELPER_TYPES]}

    def _move(self, observation: Observation, choice: Choice) -> VillainsMove:
        if observation.facts['phase'] == CAPTURE:
            return capture_move(choice.cards, choice.xray)
        return VillainsMove('add', choice.cards, xray=choice.xray)

    def _refusal(self, table: Table, observation: Observation, choice: Choice) -> IllegalMoveError | None:
        """Why what is chosen cannot be played as it stands; None when it can."""
        move = self._move(observation, choice)
        return None if _round(table).is_legal(move) else _round(table).why_not(move)

    def _choice(self, table: Table, observation: Observation) -> Choice:
        """What the viewer has chosen so far in this position."""
        assert observation.viewer is not None
        position, choice = self._choices.get((table.id, table.seats[observation.viewer].person.id), (None, Choice()))
        return self._possible(table, observation, choice) if position == table.position else Choice()

    def _possible(self, table: Table, observation: Observation, choice: Choice) -> Choice:
        """As much of a choice as can be chosen in this position."""
        able = {card for cards in self._sides_to_choose(table, observation).values() for card in cards}
        cards = tuple(sorted(able.intersection(choice.cards)))
        looks = XRAY in cards and choice.xray != observation.viewer and (choice.xray or 0) < observation.seats
        return Choice(cards, choice.xray if looks else None, choice.page)

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """Goes on with putting cards together; nothing is played before it is confirmed."""
        language, user_id = self.chat.languages.of(interaction), interaction.user.id
        if press.action == 'piles':
            return Reply(view=self._all_piles(table, language))
        if press.action not in ('page', 'clear', 'villain-side', 'hero-side', 'look', 'confirm'):
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
        if press.action == 'page':
            choice = Choice(page=int(press.argument) if press.argument.isdecimal() else 0)
        elif press.action == 'look':
            choice = choice._replace(xray=int(values[0]) if values and values[0].isdecimal() else None)
        elif press.action != 'clear':
            listed = set(self._sides_to_choose(table, observation).get(press.action, ()))
            now = {card for card in listed if str(card) in values}
            choice = choice._replace(cards=tuple(set(choice.cards) - listed | now))
        open_tables = {key: kept for key, kept in self._choices.items() if not self.chat.host.is_closed(key[0])}
        self._choices = {**open_tables, (table.id, user_id): (table.position, choice)}
        return self.chat.actions.hand_reply(interaction, table)

    # --- commands ------------------------------------------------------------------------------------------------------

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
        cards = _sorted(card for move in moves for card in move.cards)
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
        villain, hero = _attempt(observation)
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
        """The Villain that is named in a capture's options so far, and what goes along with it; nothing for what cannot be read."""
        options = interaction.namespace
        try:
            text = sentence('capture', getattr(options, 'villain', None) or '', getattr(options, 'attach', None) or '', between=', ')
            table = self.playing(interaction)
            side = _round(table).parse_move(text).villain if table and table.match else ()
        except MoveError:
            return (), ()
        return side[:1], side[1:]

    def _look(self, interaction: discord.Interaction[Any], named: str) -> str:
        """The end of a move that looks at the hand of somebody, given by seat number or by name or its beginning."""
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


def _round(table: Table) -> VillainsRound:
    assert table.match is not None
    assert isinstance(table.match.round, VillainsRound)
    return table.match.round


def _single(move: VillainsMove) -> int | None:
    """The card of a move that draws or discards one."""
    return move.cards[0] if move.kind in ('draw', 'discard') and len(move.cards) == 1 else None


def _known(cards: Iterable[int | None]) -> list[int]:
    """The cards of a zone that the viewer sees."""
    return [card for card in cards if card is not None and card >= 0]


def _held(observation: Observation) -> list[int]:
    return _known(observation.cards('hands', observation.viewer))


def _attempt(observation: Observation) -> tuple[list[int], list[int]]:
    """Both sides of the running attempt, the villain's first."""
    return _known(observation.cards('villain')), _known(observation.cards('hero'))


def _sorted(cards: Iterable[int]) -> list[int]:
    """Cards in the order in which they are shown: by type, the strongest first."""
    return sorted(cards, key=lambda card: (_ORDER.index(CARDS[card].type), -CARDS[card].points, card))


def _names(cards: Iterable[int]) -> str:
    return ', '.join(CARDS[card].name for card in cards)


def _ids(cards: Iterable[int]) -> str:
    return ' '.join(CARDS[card].id for card in cards)


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Villains(bot.chat))
