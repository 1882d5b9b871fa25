"""`/swoop`: SWOOP, the card game with mysteries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

import discord
from discord import app_commands, ui

from bot.chat.game_cog import GameCog
from bot.chat.replies import Answer, Reply, answered
from bot.chat.wiring import ChatBot
from bot.engines.base import MoveError, Observation
from bot.engines.cards import normal
from bot.engines.swoop import CARDS, HIGHEST, POINTS, RUN, SWOOP, TAKE, SwoopMove, run
from bot.tables.table import Table
from bot.ui.custom_ids import Press, press
from bot.ui.game_view import LABEL, MENU, held_cards, seen_cards
from bot.ui.language import Language, described
from bot.ui.layout import layout
from bot.ui.pictures import Art, Picture
from bot.ui.typed import Choices, sentence

_FEW: Final = 6
"""A player with this many cards or fewer is about to go out."""

_SPACE: Final = '\N{NO-BREAK SPACE}'


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Swoop(GameCog, name='swoop', description=described('swoop.command')):
    """The view and the commands of SWOOP."""

    game_id = 'swoop'
    colour = 0xE0662B

    # --- cards and moves -------------------------------------------------------------------------------------------

    def card(self, card: int, language: Language) -> str:
        return f'💥{CARDS[card]}' if card == SWOOP else CARDS[card]

    @staticmethod
    def _slots(move: SwoopMove) -> list[int]:
        return [slot for slot in range(4) if move.slots >> slot & 1]

    def _places(self, move: SwoopMove, language: Language) -> str:
        return language.listed(f'b{slot}' for slot in self._slots(move))

    def move_label(self, move: SwoopMove, text: str, observation: Observation, language: Language) -> str:
        if move.kind not in ('play', 'add'):
            return language('swoop.move.turn', slot=self._slots(move)[0]) if move.kind == 'turn' else self.button_label(text, language)
        key = 'swoop.move.both' if move.hand and move.slots else 'swoop.move.board' if move.slots else 'swoop.move.hand'
        card = self.card(self._kind(move, observation), language)
        return language(key, card=card, n=move.size, hand=move.hand, slots=self._places(move, language))

    def move_hint(self, move: SwoopMove, text: str, observation: Observation, language: Language) -> str:
        if move.kind not in ('play', 'add'):
            return ''
        pile, card = _pile(observation), self._kind(move, observation)
        before = run(pile) if pile and pile[-1] == card else 0
        hints = [language('swoop.move.swoop')] if card == SWOOP or before + move.size >= RUN else []
        if move.slots:
            hints.append(language('swoop.move.uncovers', n=len(self._slots(move)), slots=self._places(move, language)))
        return ' · '.join(hints)

    @staticmethod
    def _kind(move: SwoopMove, observation: Observation) -> int:
        """The kind of card that is played or added."""
        return move.card if move.kind == 'play' else _pile(observation)[-1]

    # --- the board and the hand ------------------------------------------------------------------------------------

    def piles(self, table: Table, observation: Observation, language: Language) -> str:
        pile, lines = _pile(observation), []
        last = table.recent[-1] if table.recent else None
        if last is not None and last.seat is not None and last.kind in ('swoop-number', 'swoop-card'):
            lines.append(language('swoop.board.swoop', name=language.name(table, last.seat), n=last.params['n']))
        if pile:
            lines += self._pile_lines(table, observation, pile, language)
        else:
            lines += [language('swoop.board.empty'), language('swoop.board.next-any', swoop=self.card(SWOOP, language))]
        swept, out = observation.facts['swept'], sum(len(zone.cards) for zone in observation.zones if zone.name == 'out')
        lines.append(language('swoop.board.out', swept=swept, undealt=out - swept))
        if observation.viewer is None:
            lines.append(language('swoop.board.legend'))
        return '\n'.join(lines)

    def _pile_lines(self, table: Table, observation: Observation, pile: Sequence[int], language: Language) -> list[str]:
        """What is on the pile, what may follow, and how far away a SWOOP is."""
        top, length = pile[-1], run(pile)
        counts = [(card, len(list(cards))) for card, cards in groupby(pile)]
        shown = ' '.join([f'`{top}`'] * min(length, RUN))
        if length < RUN:
            coming = language('swoop.board.run', n=RUN - length, cards=shown, card=top)
        else:
            coming = language('swoop.board.run-full', cards=shown)
        if observation.facts['adding']:
            following = language('swoop.board.adding', name=language.name(table, observation.turn), card=top)
        else:
            following = language('swoop.board.next', top=top, swoop=self.card(SWOOP, language))
        return [language('swoop.board.pile', n=len(pile), cards=_counted(counts)), coming, following]

    def seat_note(self, table: Table, observation: Observation, seat: int, language: Language) -> str:
        mysteries = sum(card is not None for card in observation.cards('mysteries', seat))
        held = len(observation.cards('hands', seat))
        return language('swoop.board.seat', n=held, board=_SPACE.join(_board(observation, seat)), mysteries=mysteries)

    def total(self, table: Table, seat: int, language: Language) -> str:
        return language('swoop.board.total', n=table.match.totals[seat] if table.match else 0)

    def hand(self, table: Table, observation: Observation, language: Language) -> str:
        viewer = observation.viewer
        assert viewer is not None
        held = held_cards(observation)
        board = seen_cards(observation.cards('boards', viewer))
        mysteries = sum(card is not None for card in observation.cards('mysteries', viewer))
        counts = sorted(Counter(held).items(), reverse=True)
        places = ' '.join(f'`b{slot}{_SPACE}{shown}`' for slot, shown in enumerate(_board(observation, viewer)))
        lines = [
            _counted(counts) if counts else language('swoop.hand.none'),
            language('swoop.hand.board', places=places),
            language('swoop.hand.left', hand=len(held), board=len(board), mysteries=mysteries),
            language('swoop.hand.points', n=sum(POINTS[card] for card in held + board)),
        ]
        if mysteries > len(board):
            lines.append(language('swoop.hand.mystery'))
        left = {seat: _left(observation, seat) for seat in range(observation.seats) if seat != viewer}
        nearest = min(left, key=left.__getitem__)
        if left[nearest] <= _FEW:
            lines.append(language('swoop.hand.nearly-out', name=language.name(table, nearest), n=left[nearest]))
        return '\n'.join(lines)

    def art(self, card: int) -> Art:
        return Art('W', 'red', middle='SWOOP') if card == SWOOP else Art(CARDS[card], middle=CARDS[card])

    def picture(self, observation: Observation, language: Language) -> Picture | None:
        """The hand, and below it the viewer's board, each card with the name of its place."""
        viewer = observation.viewer
        assert viewer is not None
        held = sorted(held_cards(observation), reverse=True)
        said = [self.card(card, language) for card in held]
        laid = []
        for slot, (card, shown) in enumerate(zip(observation.cards('boards', viewer), _board(observation, viewer), strict=True)):
            if card is not None or shown == '?':
                laid.append(replace(self.art(card) if card is not None else Art(sign='back'), foot=f'b{slot}'))
                said.append(f'b{slot} {shown}')
        return Picture.of([[self.art(card) for card in held], laid], language('hand.picture', cards=language.listed(said)))

    def always(self) -> tuple[str, ...]:
        return ('take', 'done')

    # --- menus and buttons -----------------------------------------------------------------------------------------

    def controls(self, table: Table, observation: Observation, language: Language) -> list[ui.ActionRow[Any]]:
        """A menu that plays all cards of a number; a second step for some of them, or for a mystery that could cost the pile."""
        if not observation.legal:
            return []
        if observation.facts['adding']:
            rows, buttons = self._adding(table, observation, language)
        else:
            rows, buttons = self._playing(table, observation, language)
        return [*rows, ui.ActionRow(*buttons)] if buttons else rows

    def _adding(self, table: Table, observation: Observation, language: Language) -> tuple[list[ui.ActionRow[Any]], list[ui.Button[Any]]]:
        """What can be added to a mystery that was turned."""
        moves = _of(observation, 'add')
        everything = moves[0]
        label = language('swoop.button.add', n=everything.size)
        buttons = [
            self.button(table, _text(table, everything), label, discord.ButtonStyle.success),
            self.button(table, 'done', self.button_label('done', language)),
        ]
        return ([self._which(table, moves[1:], observation, language)] if len(moves) > 1 else []), buttons

    def _playing(self, table: Table, observation: Observation, language: Language) -> tuple[list[ui.ActionRow[Any]], list[ui.Button[Any]]]:
        """What can be played, as long as no mystery waits for more cards."""
        plays, rows = _of(observation, 'play'), []
        largest = _largest(plays)
        if plays:
            everything = [(move, _text(table, move)) for move in plays if move.size == largest[move.card]]
            rows.append(self.menu(table, everything, observation, language, language('swoop.hand.all')))
        several = [(card, size) for card, size in largest.items() if size > 1]
        if several:
            options = [
                discord.SelectOption(label=language('swoop.hand.some-of', card=self.card(card, language), n=size), value=CARDS[card])
                for card, size in several
            ]
            placeholder = language('swoop.hand.some')
            rows.append(ui.ActionRow(ui.Select(custom_id=press('some', table, here=True), placeholder=placeholder, options=options)))
        buttons: list[ui.Button[Any]] = []
        for move in _of(observation, 'turn'):
            label, text = language('swoop.button.turn', slot=self._slots(move)[0]), _text(table, move)
            if _could_cost(observation):
                buttons.append(ui.Button(label=label, custom_id=press('turn', table, text, here=True)))
            else:
                buttons.append(self.button(table, text, label, discord.ButtonStyle.secondary))
        if TAKE in observation.legal:
            buttons.append(self.button(table, 'take', language('swoop.button.take-all', n=len(_pile(observation)))))
        return rows, buttons

    def _which(self, table: Table, moves: Sequence[SwoopMove], observation: Observation, language: Language) -> ui.ActionRow[Any]:
        """A menu of these moves with one kind of card. When there are too many, a menu of the board cards comes first."""
        card = self.card(self._kind(moves[0], observation), language)
        if len(moves) <= MENU:
            placeholder = language('swoop.hand.which', card=card)
            return self.menu(table, [(move, _text(table, move)) for move in moves], observation, language, placeholder, 1)
        places = {move.slots: self._places(move, language) for move in moves}
        options = [
            discord.SelectOption(label=places[slots] or language('swoop.hand.no-places'), value=str(slots)) for slots in sorted(places)
        ]
        custom_id = press('board', table, f'{moves[0].kind}.{moves[0].card}', here=True)
        return ui.ActionRow(ui.Select(custom_id=custom_id, placeholder=language('swoop.hand.places', card=card), options=options))

    async def pressed(self, interaction: discord.Interaction[Any], table: Table, press: Press, values: list[str]) -> Answer:
        """The next step: a number of which only some are played, board cards for that, or a mystery that could cost the pile."""
        if press.action not in ('some', 'board', 'turn'):
            return await super().pressed(interaction, table, press, values)
        table.require('playing')
        language, redrawn = self.chat.languages.of(interaction), self.chat.actions.hand_reply(interaction, table)
        if press.made_for != table.position:
            return self.stale(interaction, table)
        observation = table.observation(interaction.user.id)
        if press.action == 'turn':
            turned = next((move for move in _of(observation, 'turn') if _text(table, move) == press.argument), None)
            return self._sure(interaction, table, turned) if turned else redrawn
        if press.action == 'some':
            chosen = [move for move in _of(observation, 'play') if [CARDS[move.card]] == values]
        else:
            kind, _, card = press.argument.partition('.')
            chosen = [move for move in _of(observation, kind) if str(move.card) == card and [str(move.slots)] == values]
        if not chosen:
            return redrawn
        rows = [self._which(table, chosen, observation, language), ui.ActionRow(_back(table, language))]
        return self.chat.actions.hand_reply(interaction, table, rows)

    def _sure(self, interaction: discord.Interaction[Any], table: Table, move: SwoopMove) -> Reply:
        """Asks whether a mystery should really be turned, and says what it could cost; replaces the hand when the press came from there."""
        language, observation, text = self.chat.languages.of(interaction), table.observation(interaction.user.id), _text(table, move)
        pile = _pile(observation)
        unseen = Counter(self.game.pack(observation.seats))
        unseen.subtract(card for zone in observation.zones for card in seen_cards(zone.cards))
        higher = sum(n for card, n in unseen.items() if card > pile[-1])
        asked = language('swoop.hand.sure', slot=self._slots(move)[0], top=pile[-1], n=len(pile) + 1)
        odds = language('swoop.hand.odds', percent=round(100 * higher / unseen.total()), top=pile[-1])
        turn: ui.Button[Any] = ui.Button(
            label=language('swoop.button.sure'), style=discord.ButtonStyle.danger, custom_id=press('sure', table, text, here=True)
        )
        view = layout(
            [self.piles(table, observation, language), asked + '\n' + odds], [ui.ActionRow(turn, _back(table, language))], self.colour
        )
        return replace(self.chat.actions.hand_reply(interaction, table), view=view)

    # --- commands --------------------------------------------------------------------------------------------------

    @app_commands.command(name='play', description=described('swoop.command.play'))
    @app_commands.describe(cards=described('swoop.command.play.cards'))
    @answered
    async def play_cards(self, interaction: discord.Interaction[Any], cards: str) -> Answer:
        return await self.play(interaction, cards)

    @play_cards.autocomplete('cards')
    async def _plays(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self._choices(interaction, typed, 'play')

    @app_commands.command(name='add', description=described('swoop.command.add'))
    @app_commands.describe(cards=described('swoop.command.add.cards'))
    @answered
    async def add(self, interaction: discord.Interaction[Any], cards: str = 'all') -> Answer:
        return await self.play(interaction, sentence('add', cards))

    @add.autocomplete('cards')
    async def _adds(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self._choices(interaction, typed, 'add')

    @app_commands.command(name='turn', description=described('swoop.command.turn'))
    @app_commands.describe(slot=described('swoop.command.turn.slot'), sure=described('swoop.command.turn.sure'))
    @answered
    async def turn(self, interaction: discord.Interaction[Any], slot: str, sure: bool = False) -> Answer:
        return await self.play(interaction, sentence('turn', slot), sure=sure)

    @turn.autocomplete('slot')
    async def _mysteries(self, interaction: discord.Interaction[Any], typed: str) -> Choices:
        return self.suggest(interaction, typed, 'turn')

    @app_commands.command(name='done', description=described('swoop.command.done'))
    @answered
    async def done(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'done')

    @app_commands.command(name='take', description=described('swoop.command.take'))
    @answered
    async def take(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.play(interaction, 'take')

    async def play(self, interaction: discord.Interaction[Any], text: str, *, sure: bool = False) -> Answer:
        """As for every game; but unless the person is `sure`, a mystery that could cost the pile is not turned without asking."""
        table = self.chat.actions.table_for(interaction, self.game_id)
        if not sure and table.state == 'playing':
            observation = table.observation(interaction.user.id)
            move = _read(table, observation, text)
            if move in _of(observation, 'turn') and _could_cost(observation):
                return self._sure(interaction, table, move)
        return await self.chat.actions.play_move(interaction, table, text)

    def _choices(self, interaction: discord.Interaction[Any], typed: str, kind: str) -> Choices:
        """The legal moves of a kind that fit what was typed: first the move that it means, then all of a number, then some of it."""
        table = self.playing(interaction)
        if table is None:
            return []
        observation, language = table.observation(interaction.user.id), self.chat.languages.of(interaction)
        moves = _of(observation, kind)
        largest, meant = _largest(moves), _read(table, observation, sentence(kind, typed))
        wanted = [word for word in normal(typed).replace('×', 'X').split() if word != kind.upper()]
        choices = []
        for move in sorted(moves, key=lambda move: (move != meant, move.size < largest[move.card])):
            card = CARDS[self._kind(move, observation)]
            parts = [card, f'{card}X{move.size}', *_text(table, move).upper().split()[1:]]
            parts += ['ALL'] * (move.size == largest[move.card]) + ['SWOOP'] * (move.card == SWOOP and kind == 'play')
            if move == meant or all(any(part.startswith(word) for part in parts) for word in wanted):
                label = self.move_label(move, '', observation, language)
                choices.append(app_commands.Choice(name=label[:LABEL], value=_text(table, move).removeprefix(f'{kind} ')))
        return choices[:MENU]


def _pile(observation: Observation) -> list[int]:
    return seen_cards(observation.cards('pile'))


def _counted(counts: Iterable[tuple[int, int]]) -> str:
    """Kinds of cards with how many there are of each, as they can be typed."""
    return ' '.join(f'`{CARDS[card]}×{n}`' for card, n in counts)


def _board(observation: Observation, seat: int) -> list[str]:
    """By place: the board card, or `?` for a mystery that is uncovered, or a dash."""
    pairs = zip(observation.cards('boards', seat), observation.cards('mysteries', seat), strict=True)
    return [CARDS[card] if card is not None else '–' if mystery is None else '?' for card, mystery in pairs]


def _left(observation: Observation, seat: int) -> int:
    """How many cards a player still has, in hand, on the board and as mysteries."""
    return sum(card is not None for zone in observation.zones if zone.at == seat for card in zone.cards)


def _of(observation: Observation, kind: str) -> list[SwoopMove]:
    """The viewer's legal moves of a kind: the highest number first, then the most cards, then the most from the hand."""
    return sorted((move for move in observation.legal if move.kind == kind), key=lambda move: (-move.card, -move.size, -move.hand))


def _largest(moves: Iterable[SwoopMove]) -> dict[int, int]:
    """By card, the most that can be played of it at once."""
    largest: dict[int, int] = {}
    for move in moves:
        largest[move.card] = max(move.size, largest.get(move.card, 0))
    return largest


def _could_cost(observation: Observation) -> bool:
    """Whether a mystery turned now could be too high, so that the pile has to be taken."""
    pile = _pile(observation)
    return bool(pile) and pile[-1] < HIGHEST


def _text(table: Table, move: SwoopMove) -> str:
    assert table.match is not None
    return table.match.round.format_move(move)


def _read(table: Table, observation: Observation, text: str) -> SwoopMove | None:
    """The move that the player on turn typed; None when it is no move, or when it is not the viewer's turn."""
    if table.match is None or not observation.legal:
        return None
    try:
        move: SwoopMove = table.match.round.parse_move(text)
    except MoveError:
        return None
    return move


def _back(table: Table, language: Language) -> ui.Button[Any]:
    """A button that shows the whole hand again."""
    return ui.Button(label=language('button.previous'), custom_id=press('refresh', table, 'back'))


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Swoop(bot.chat))
