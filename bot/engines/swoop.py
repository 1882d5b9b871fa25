"""SWOOP (Mukanana Games, 2024): play equal or lower on the pile, sweep it away with four of a number,
and get rid of your cards.

Sources: the publisher's text, its manual at https://manuals.plus/swoop/card-game-manual-2 and its questions and answers at
https://swoop-cards.com/pages/how-to-play-swoop; for gaps the related game at https://pagat.com/beating/swoop.html. What they leave
open is decided in the paragraphs of `/rules` (texts `swoop.rules.*`).

A card is its number, and 0 is a SWOOP card. What a seat can play is 13 ints, one for each kind of card: 16 times the number of them in
the hand, plus the bits of the board slots that hold one (slot 0 to 3: bit 1, 2, 4, 8). Such an int picks the moves of its kind from
a table, so a hand of a hundred cards costs no more than one of ten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

from .base import Event, Game, IllegalMoveError, Observation, Round, Sees, UnreadableMoveError, Zone, Zones
from .cards import deal_hands, normal
from .options import SEATS, Option, OptionError, Options

SWOOP: Final = 0
CARDS: Final = ('W', *(str(number) for number in range(1, 13)))
POINTS: Final = (50, *[5] * 9, *[10] * 3)
_NUMBER: Final = {text: card for card, text in enumerate(CARDS)}

_SLOTS: Final = range(4)
_HAND_SIZE: Final = 11
_DECK: Final = (*[SWOOP] * 6, *[number for number in range(1, 13) for _ in range(4)])
HIGHEST: Final = 12
"""The highest number; on an empty pile everything up to it may be played."""
RUN: Final = 4
"""This many equal numbers on top of the pile are a SWOOP."""


class SwoopMove(NamedTuple):
    """`play` and `add` take cards from hand and board, `turn` the mystery in one slot; `done` and `take` stand alone."""

    kind: str
    card: int = 0
    """The kind of card, for `play` only."""
    hand: int = 0
    """How many from the hand."""
    slots: int = 0
    """The slots, as bits."""

    @property
    def size(self) -> int:
        """How many cards are played or added."""
        return self.hand + self.slots.bit_count()


DONE: Final = SwoopMove('done')
TAKE: Final = SwoopMove('take')
_move: Final = cache(SwoopMove)


class _Lists(dict[int, list[SwoopMove]]):
    """All moves with one kind of card, by the int that says how many of it a seat has and where; made when first asked for."""

    def __init__(self, kind: str, card: int = 0, last: tuple[SwoopMove, ...] = ()) -> None:
        self.kind, self.card, self.last = kind, card, last

    def __missing__(self, cell: int) -> list[SwoopMove]:
        parts = [(hand, slots) for hand in range((cell >> 4) + 1) for slots in range(16) if slots & cell == slots and hand + slots]
        if self.kind == 'play' and self.card == SWOOP:
            parts = [(hand, slots) for hand, slots in parts if hand + slots.bit_count() == 1]
        moves = self[cell] = [*(_move(self.kind, self.card, hand, slots) for hand, slots in parts), *self.last]
        return moves


_PLAYS: Final = tuple(_Lists('play', card) for card in range(13))
_ADDS: Final = _Lists('add', last=(DONE,))
_TURNS: Final = tuple([_move('turn', slots=1 << slot) for slot in _SLOTS if bits >> slot & 1] for bits in range(16))

_SEPARATORS: Final = re.compile(r'[\s,;+.!]+')
_WORDS: Final = {'DONE': DONE, 'TAKE': TAKE, 'TAKE PILE': TAKE, 'TAKE THE PILE': TAKE}
_TURN: Final = re.compile(r'(?:TURN|MYSTERY|TURN MYSTERY) ?[BM]?(\d)|M(\d)', re.ASCII)
_COUNTS: Final = {word: number for number, word in enumerate(('ONE', 'TWO', 'THREE', 'FOUR', 'FIVE', 'SIX', 'SEVEN', 'EIGHT'), 1)}
_PART: Final = re.compile(
    r'(?:(?P<number>1[0-2]|[1-9])S?|(?P<swoop>W|SWOOP|WILD))(?:[X×](?P<times>\d\d?))?|H(?P<hand>\d\d?)|B(?P<slot>\d)'
    rf'|[X×](?P<after>\d\d?)|(?P<before>\d\d?)[X×]|(?P<word>{"|".join(_COUNTS)})|(?P<all>ALL)',
    re.ASCII,
)
_LONGEST: Final = 200
"""Longer texts are not read as a move."""


def run(pile: Sequence[int]) -> int:
    """How many equal numbers are on top of the pile; at `RUN` it is swept away."""
    length = 0
    while length < len(pile) and pile[-1 - length] == pile[-1]:
        length += 1
    return length


def _slots(bits: int) -> list[int]:
    return [slot for slot in _SLOTS if bits >> slot & 1]


def _board(bits: int) -> list[str]:
    return [f'b{slot}' for slot in _slots(bits)]


class SwoopRound(Round[SwoopMove]):
    """One round. Facts beside the common ones: `adding`, whether the seat on turn has just turned a mystery, which is on the
    pile now, and may add to it; `swept`, how many cards have been swept away. The zone `out` is in two parts: the undealt cards,
    which nobody has seen, and then those swept away, which everybody has.
    """

    __slots__ = ('held', 'boards', 'covered', 'mysteries', 'dark', 'pile', 'undealt', 'swept', 'top', 'run', 'adding')

    held: list[list[int]]
    """By seat and kind of card: how many in the hand and where on the board, as the module's docstring tells."""
    boards: list[list[int | None]]
    """As dealt; never changed."""
    covered: list[int]
    """By seat: the slots where the board card is still there, as bits."""
    mysteries: list[list[int | None]]
    """As dealt; never changed."""
    dark: list[int]
    """By seat: the slots where the mystery is still there, as bits."""
    pile: list[int]
    """The card on top is last."""
    undealt: list[int]
    swept: list[int]
    top: int
    """What may be played: this number or a lower one."""
    run: int
    """How many equal numbers are on top of the pile."""

    def __init__(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> None:
        super().__init__(seats, options, facts)

        def by_seat(name: str, empty: list[Any]) -> list[list[Any]]:
            cards = [list(cards) for cards in zones.get(name, [])]
            return cards + [empty] * (seats - len(cards))

        self.boards, self.mysteries = by_seat('boards', [None] * 4), by_seat('mysteries', [None] * 4)
        self.covered = [sum(1 << slot for slot, card in enumerate(board) if card is not None) for board in self.boards]
        self.dark = [sum(1 << slot for slot, card in enumerate(mystery) if card is not None) for mystery in self.mysteries]
        self.held = []
        for hand, board in zip(by_seat('hands', []), self.boards, strict=True):
            cells = [0] * 13
            for card in hand:
                cells[card] += 16
            for slot, on_board in enumerate(board):
                if on_board is not None:
                    cells[on_board] += 1 << slot
            self.held.append(cells)
        out = zones.get('out', [])
        undealt = len(out) - facts.get('swept', 0)
        self.undealt, self.swept = out[:undealt], out[undealt:]
        self.pile = pile = zones.get('pile', [])[:]
        self.top, self.run = pile[-1] if pile else HIGHEST, run(pile)
        self.adding = facts.get('adding', False)

    def legal_moves(self) -> list[SwoopMove]:
        seat = self.turn
        cells = self.held[seat]
        if self.adding:
            return _ADDS[cells[self.top]]
        moves: list[SwoopMove] = []
        for plays, cell in zip(_PLAYS, cells[: self.top + 1], strict=False):
            if cell:
                moves += plays[cell]
        unable = not moves
        moves += _TURNS[self.dark[seat] & ~self.covered[seat]]
        if unable and self.pile and any(cells):
            moves.append(TAKE)
        return moves

    def apply(self, move: SwoopMove, events: list[Event] | None = None) -> None:
        kind, card, hand, slots = move
        seat = self.turn
        pile = self.pile
        if kind == 'play' or kind == 'add':
            if kind == 'add':
                card, self.adding = self.top, False
            self.held[seat][card] -= hand << 4 | slots
            self.covered[seat] &= ~slots
            count = hand + slots.bit_count()
            pile += [card] * count
            self.run = self.run + count if card == self.top else count
            self.top = card
            if events is not None:
                self._tell_played(move, card, events)
            self._close(events)
        elif kind == 'turn':
            self.dark[seat] &= ~slots
            slot = slots.bit_length() - 1
            turned = self.mysteries[seat][slot]
            assert turned is not None
            if events is not None:
                events.append(Event('turned', seat, {'card': turned, 'slot': slot}))
            pile.append(turned)
            if turned > self.top:
                if events is not None:
                    events.append(Event('turned-too-high', seat, {'card': turned, 'top': self.top, 'n': len(pile)}))
                self._take()
                return
            self.run = self.run + 1 if turned == self.top else 1
            self.top = turned
            if turned != SWOOP and self.held[seat][turned]:
                self.adding = True
            else:
                self._close(events)
        elif kind == 'done':
            self.adding = False
            if events is not None:
                events.append(Event('done', seat, {}))
            self._close(events)
        else:
            if events is not None:
                events.append(Event('took', seat, {'n': len(pile)}))
            self._take()

    def _close(self, events: list[Event] | None) -> None:
        """Ends a play: now it is decided whether it was a SWOOP, and whether the player is out."""
        seat, pile, top, length = self.turn, self.pile, self.top, self.run
        sweeps = top == SWOOP or length >= RUN
        if sweeps:
            if events is not None and top == SWOOP:
                events.append(Event('swoop-card', seat, {'n': len(pile)}))
            elif events is not None:
                events.append(Event('swoop-number', seat, {'card': top, 'run': length, 'n': len(pile)}))
            self.swept += pile
            self.pile, self.top, self.run = [], HIGHEST, 0
        if not self.dark[seat] and not any(self.held[seat]):
            if events is not None:
                events.append(Event('out', seat, {}))
            self.over, self.reason = True, 'out'
            self.points = [self._points(other) for other in range(self.seats)]
        elif not sweeps:
            self.turn = seat + 1 if seat + 1 < self.seats else 0

    def _take(self) -> None:
        cells = self.held[self.turn]
        for card in self.pile:
            cells[card] += 16
        self.pile, self.top, self.run = [], HIGHEST, 0
        self.turn = self.turn + 1 if self.turn + 1 < self.seats else 0

    def _points(self, seat: int) -> int:
        held = sum(POINTS[card] * ((cell >> 4) + (cell & 15).bit_count()) for card, cell in enumerate(self.held[seat]))
        return held + sum(POINTS[card] for card in self._mystery_cards(seat) if card is not None)

    def _board_cards(self, seat: int) -> list[int | None]:
        return [card if self.covered[seat] >> slot & 1 else None for slot, card in enumerate(self.boards[seat])]

    def _mystery_cards(self, seat: int) -> list[int | None]:
        return [card if self.dark[seat] >> slot & 1 else None for slot, card in enumerate(self.mysteries[seat])]

    def _tell_played(self, move: SwoopMove, card: int, events: list[Event]) -> None:
        seat, n, slots = self.turn, move.size, ', '.join(_board(move.slots))
        if move.kind == 'add':
            events.append(Event('added', seat, {'card': card, 'n': n}))
        elif not move.slots:
            events.append(Event('played-hand', seat, {'card': card, 'n': n}))
        elif not move.hand:
            events.append(Event('played-board', seat, {'card': card, 'n': n, 'slots': slots}))
        else:
            events.append(Event('played-both', seat, {'card': card, 'n': n, 'hand': move.hand, 'slots': slots}))
        uncovered = move.slots & self.dark[seat]
        if uncovered:
            events.append(Event('uncovered', seat, {'slots': ', '.join(_board(uncovered)), 'n': uncovered.bit_count()}))

    def why_not(self, move: SwoopMove) -> IllegalMoveError:
        kind, card, hand, slots = move
        seat = self.turn
        if self.adding and kind not in ('add', 'done'):
            return IllegalMoveError('adding', card=self.top)
        if not self.adding and kind in ('add', 'done'):
            return IllegalMoveError('nothing-to-add')
        if kind == 'turn':
            return IllegalMoveError('covered' if slots & self.covered[seat] else 'mystery-gone', slot=slots.bit_length() - 1)
        if kind == 'take':
            if not self.pile:
                return IllegalMoveError('pile-empty')
            return IllegalMoveError('take-while-able' if any(self.held[seat]) else 'must-turn')
        if kind == 'add':
            card = self.top
        elif card == SWOOP and move.size > 1:
            return IllegalMoveError('one-swoop')
        board = self._board_cards(seat)
        for slot in _slots(slots):
            if board[slot] is None:
                return IllegalMoveError('board-empty', slot=slot)
            if board[slot] != card:
                return IllegalMoveError('board-number', slot=slot, card=board[slot])
        in_hand = self.held[seat][card] >> 4
        if hand > in_hand:
            return IllegalMoveError('not-held', card=card, n=in_hand)
        return IllegalMoveError('too-high', card=card, top=self.top)

    def default_move(self) -> SwoopMove:
        """Nothing is added, and the pile is taken where that is legal. Else one card: the highest number that can be played, from
        the hand rather than from the board, the lowest slot first; a SWOOP card only when no number can be played, and a mystery
        only when nothing else can be played.
        """
        moves = self.legal_moves()
        if moves[-1] in (DONE, TAKE):
            return moves[-1]
        singles = [move for move in moves if move.size == 1 and move.kind == 'play']
        return max(singles, key=lambda move: (move.card, move.hand), default=moves[0])

    def copy(self) -> SwoopRound:
        twin = SwoopRound.__new__(SwoopRound)
        twin.seats, twin.options, twin.start, twin.dealer = self.seats, self.options, self.start, self.dealer
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.held = [cells[:] for cells in self.held]
        twin.boards, twin.covered = self.boards, self.covered[:]
        twin.mysteries, twin.dark = self.mysteries, self.dark[:]
        twin.pile, twin.undealt, twin.swept = self.pile[:], self.undealt, self.swept[:]
        twin.top, twin.run, twin.adding = self.top, self.run, self.adding
        return twin

    def zones(self) -> list[Zone]:
        places = range(self.seats)
        return [
            *(Zone('hands', seat, [card for card in range(13) for _ in range(self.held[seat][card] >> 4)], (seat,)) for seat in places),
            *(Zone('boards', seat, self._board_cards(seat), None) for seat in places),
            *(Zone('mysteries', seat, self._mystery_cards(seat), ()) for seat in places),
            Zone('pile', None, self.pile[:], None),
            Zone('out', None, self.undealt[:], ()),
            Zone('out', None, self.swept[:], None),
        ]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {'adding': self.adding, 'swept': len(self.swept)}

    @staticmethod
    def format_move(move: SwoopMove) -> str:
        if move.kind == 'turn':
            return f'turn {move.slots.bit_length() - 1}'
        words = [move.kind]
        if move.kind == 'play':
            words.append(CARDS[move.card])
        if move.hand:
            words.append(f'h{move.hand}')
        return ' '.join(words + _board(move.slots))

    def parse_move(self, text: str) -> SwoopMove:
        """Besides the canonical texts: `7 7 b0`, `two 7s`, `7×2`, `7 x2`, `all 7s`, `b0 b3`, `swoop`, `m2`.

        Cards named by number come from the hand; where it has too few of them and the board exactly the missing number, those
        are meant too. While a mystery waits for more cards, cards alone are added to it.
        """
        if len(text) > _LONGEST:
            raise UnreadableMoveError('unreadable')
        words = _SEPARATORS.sub(' ', normal(text)).split()
        plain = ' '.join(words)
        if plain in _WORDS:
            return _WORDS[plain]
        if plain == 'PASS':
            raise UnreadableMoveError('no-pass')
        turned = _TURN.fullmatch(plain)
        if turned is not None:
            return _move('turn', slots=1 << _slot(turned[1] or turned[2]))
        adds = self.adding
        if words and words[0] in ('PLAY', 'ADD'):
            adds = words.pop(0) == 'ADD'
        return self._read_cards('add' if adds else 'play', words)

    def _read_cards(self, kind: str, words: list[str]) -> SwoopMove:
        numbers: list[int] = []
        counts: list[int] = []
        hands: list[int] = []
        slots, everything = 0, False
        for word in words:
            found = _PART.fullmatch(word)
            if found is None:
                raise UnreadableMoveError('unreadable')
            if found['number'] or found['swoop']:
                numbers.append(int(found['number'] or SWOOP))
                counts += [int(found['times'])] if found['times'] else []
            elif found['hand']:
                hands.append(int(found['hand']))
            elif found['slot']:
                bit = 1 << _slot(found['slot'])
                if slots & bit:
                    raise UnreadableMoveError('unreadable')
                slots |= bit
            elif found['all']:
                everything = True
            else:
                counts.append(_COUNTS.get(found['word']) or int(found['after'] or found['before']))
        card = self._read_kind(kind, numbers, slots)
        cell = self.held[self.turn][card]
        if len(hands) + len(counts) + everything + (len(numbers) > 1) > 1 or (everything and slots):
            raise UnreadableMoveError('unreadable')
        hand = (hands or counts or [0 if slots and len(numbers) < 2 else len(numbers)])[0]
        if everything:
            hand, slots = (cell >> 4, cell & 15) if cell else (1, 0)
        elif not hands and not slots and hand - (cell >> 4) == (cell & 15).bit_count():
            hand, slots = cell >> 4, cell & 15
        if not hand and not slots:
            raise UnreadableMoveError('unreadable')
        return _move(kind, card if kind == 'play' else 0, hand, slots)

    def _read_kind(self, kind: str, numbers: list[int], slots: int) -> int:
        """The kind of card that is meant, from the numbers typed or else from the cards in the slots."""
        kinds = sorted(set(numbers))
        if kind == 'add' and self.adding:
            if kinds not in ([], [self.top]):
                raise UnreadableMoveError('add-number', cards=kinds, top=self.top)
            return self.top
        if kind == 'play' and not kinds and slots:
            board = self._board_cards(self.turn)
            for slot in _slots(slots):
                on_board = board[slot]
                if on_board is None:
                    raise UnreadableMoveError('board-empty', slot=slot)
                kinds.append(on_board)
            kinds = sorted(set(kinds))
        if len(kinds) > 1:
            raise UnreadableMoveError('mixed', cards=kinds)
        if not kinds and kind == 'play':
            raise UnreadableMoveError('unreadable')
        return kinds[0] if kinds else 0


def _slot(text: str) -> int:
    slot = int(text)
    if slot not in _SLOTS:
        raise UnreadableMoveError('no-slot', slot=slot)
    return slot


class Swoop(Game[SwoopMove]):
    """3 to 11 seats, usually up to 8; two to four decks of 54 cards, lowest total wins."""

    id = 'swoop'
    seats = range(3, 12)
    usual_seats = range(3, 9)
    options = (
        Option('rounds', SEATS, 1, 50, nullable=True),
        Option('target', None, 50, 2000, nullable=True),
    )
    low_wins = True
    zones: ClassVar[Mapping[str, Sees]] = {
        'hands': Sees.OWNER,
        'boards': Sees.EVERYONE,
        'mysteries': Sees.NOBODY,
        'pile': Sees.EVERYONE,
        'out': Sees.NOBODY | Sees.EVERYONE,
    }
    reveals = frozenset({'turned', 'turned-too-high'})
    sections = ('goal', 'cards', 'deal', 'play', 'swoop', 'mystery', 'take', 'end', 'score', 'match', 'notation')
    reasons: ClassVar[Mapping[str, str]] = {
        'not-held': 'play',
        'mixed': 'play',
        'too-high': 'play',
        'board-empty': 'play',
        'board-number': 'play',
        'one-swoop': 'swoop',
        'covered': 'mystery',
        'mystery-gone': 'mystery',
        'adding': 'mystery',
        'nothing-to-add': 'mystery',
        'add-number': 'mystery',
        'take-while-able': 'take',
        'pile-empty': 'take',
        'must-turn': 'take',
        'no-pass': 'take',
        'no-slot': 'notation',
    }

    def full_options(self, chosen: Options, seats: int | None = None) -> dict[str, Any]:
        """As for every game; raises OptionError `no-end` for a match without an end."""
        values = super().full_options(chosen, seats)
        if values['target'] is None and values.get('rounds', SEATS) is None:
            raise OptionError('no-end')
        return values

    def pack(self, seats: int) -> list[int]:
        decks = 2 if seats <= 5 else 3 if seats <= 8 else 4
        return sorted(_DECK * decks)

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return _NUMBER[text]

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        size = 2 * len(_SLOTS) + _HAND_SIZE
        dealt = deal_hands(cards, seats, size)
        return {
            'hands': [hand[8:] for hand in dealt],
            'boards': [hand[4:8] for hand in dealt],
            'mysteries': [hand[:4] for hand in dealt],
            'pile': [],
            'out': cards[seats * size :],
        }

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> SwoopRound:
        return SwoopRound(seats, options, zones, facts)

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[SwoopMove]) -> list[int]:
        limit, target = options['rounds'], options['target']
        played = limit is not None and rounds >= limit
        reached = target is not None and max(totals) >= target
        return self.best(totals) if played or reached else []

    def greedy(self, observation: Observation[SwoopMove]) -> SwoopMove:
        """Plays as many cards as possible: a number that sweeps the pile, else the highest. SWOOP cards are kept for when no number fits,
        unless somebody is about to go out; a mystery is turned when it cannot be too high, or instead of taking the pile.
        """
        moves = observation.legal
        if observation.facts['adding']:
            return max(moves, key=lambda move: move.size)
        pile = observation.known('pile')
        top, length = (pile[-1], run(pile)) if pile else (None, 0)
        turns = [move for move in moves if move.kind == 'turn']
        numbers = [move for move in moves if move.kind == 'play' and move.card != SWOOP]
        swoops = [move for move in moves if move.kind == 'play' and move.card == SWOOP]
        remaining = [0] * observation.seats
        for zone in observation.zones:
            if isinstance(zone.at, int):
                remaining[zone.at] += sum(card is not None for card in zone.cards)
        hurry = min(count for seat, count in enumerate(remaining) if seat != observation.viewer) <= 4
        if swoops and (hurry or not numbers):
            return swoops[0]
        if turns and not (pile and numbers):
            return turns[0]
        if not numbers:
            return TAKE
        return max(numbers, key=lambda move: (move.size + length * (move.card == top) >= RUN, move.card, move.size))


GAME: Final = Swoop()
SwoopRound.game = GAME
