"""The 1978 Superman matching game (Whitman): match the number or the colour, and get rid of your cards.

Sources: the rules printed for the Whitman pack, and the card descriptions at
https://www.kandorarchives.com/p/1978-whitman-superman.html. What the rules leave open is decided in the paragraphs of
`/rules` (texts `superman.rules.*`).

A card is colour * 4 + number - 1 (colours blue, red, green, yellow), and 16 is a Superman. A hand is one int, the sum of its
cards' units: two bits for each card count its copies (three bits for a Superman), and the bits above them add up the points. The
hand masked with what fits the pile is what can be played, and a table turns that into the list of moves. A move is the card played,
or one of DRAW, PASS and STOP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, ClassVar, Final

from .base import Event, Game, IllegalMoveError, Observation, Round, Sees, UnreadableMoveError, Zone, Zones
from .cards import deal_hands, drawn, normal, shuffled
from .options import Option, Options

SupermanMove = int
COLOURS: Final = ('blue', 'red', 'green', 'yellow')
SUPERMAN: Final = 16
DRAW, PASS, STOP = 17, 18, 19

CARDS: Final = (*(f'{colour[0].upper()}{number}' for colour in COLOURS for number in (1, 2, 3, 4)), 'S')
POINTS: Final = (1, 2, 3, 4) * 4 + (25,)
_NUMBER: Final = {text: card for card, text in enumerate(CARDS)}
_HAND_SIZE: Final = {2: 7, 3: 5, 4: 5, 5: 5}
_NEXT_SEAT: Final = {seats: (*range(1, seats), 0) for seats in _HAND_SIZE}
_DEALT: Final = {
    seats: [[slice((seat - start) % seats, seats * size, seats) for seat in range(seats)] for start in range(seats)]
    for seats, size in _HAND_SIZE.items()
}
"""By number of seats and starting seat: the places in the pack from which each seat gets its hand."""

_POINTS_AT: Final = 36
_UNITS: Final = tuple(1 << 2 * card | points << _POINTS_AT for card, points in enumerate(POINTS))
"""By card: what it adds to a hand."""
_CARD_OF: Final = {unit: card for card, unit in enumerate(_UNITS)}
_COUNTS: Final = (*(3 << 2 * card for card in range(16)), 7 << 2 * SUPERMAN)
"""By card: the bits of a hand that count it."""
_FITS: Final = (
    *(sum(_COUNTS[card] for card in range(16) if card // 4 == top // 4 or card % 4 == top % 4) | _COUNTS[SUPERMAN] for top in range(16)),
    sum(_COUNTS),
)
"""By the card on top: the bits of a hand that count what may be played on it."""
_PACK: Final = (*range(16), *range(16), *[SUPERMAN] * 4)
_UNIT_PACK: Final = tuple(_UNITS[card] for card in _PACK)

_MOVE_TEXTS: Final = (*(f'play {card}' for card in CARDS), 'draw', 'pass', 'stop')
_MOVES: Final = {text: move for move, text in enumerate(_MOVE_TEXTS)}
_WORDS: Final = {'D': DRAW, 'DRAW': DRAW, 'PASS': PASS, 'STOP': STOP}
_COLOUR: Final = 'B(?:LUE)?|R(?:ED)?|G(?:REEN)?|Y(?:ELLOW)?'
_CARD: Final = re.compile(rf'({_COLOUR})[\s-]*([1-4])|([1-4])[\s-]*({_COLOUR})')

_PLAYS: Final[dict[int, list[int]]] = {}
_PLAYS_OR_STOP: Final[dict[int, list[int]]] = {}
"""By the set of playable cards (bits of a hand): the list of moves, made when first asked for."""
_ONLY_DRAW: Final = [DRAW]
_ONLY_PASS: Final = [PASS]

_PLAYED: Final = [[Event('played', seat, {'card': card}) for card in range(17)] for seat in range(5)]
_DREW: Final = [[(Event('drew', seat, {}), Event('drew-card', seat, {'card': card}, (seat,))) for card in range(17)] for seat in range(5)]
"""By seat and card: the usual events, made once and used again."""


def _list(playable: int, follow_up: bool) -> list[int]:
    """The moves for these playable cards, also kept in `_PLAYS` or `_PLAYS_OR_STOP`."""
    known, last = (_PLAYS_OR_STOP, [STOP]) if follow_up else (_PLAYS, [])
    if len(known) == 1 << 16:  # bounds the memory; even a million rounds hardly get here
        known.clear()
    moves = known[playable] = [card for card in range(17) if playable & _COUNTS[card]] + last
    return moves


def _cards(hand: int) -> list[int]:
    """The cards of a hand, in card order."""
    return [card for card in range(17) for _ in range((hand & _COUNTS[card]) >> 2 * card)]


class SupermanRound(Round[SupermanMove]):
    """One run, as the rules call it. Facts beside the common ones: `follow_up`, whether the seat on turn has just played a Superman and
    may play another card on it."""

    __slots__ = ('hands', 'stock', 'pile', 'next_seat', 'fits', 'follow_up')

    hands: list[int]
    """By seat, as the module's docstring tells."""
    stock: list[int]
    """As units; the card drawn next is last."""
    pile: list[int]
    """The card on top is last."""
    next_seat: tuple[int, ...]
    """By seat: the seat after it."""
    fits: int
    """The bits of a hand that count what may be played on the pile."""
    follow_up: bool

    def __init__(self, seats: int, options: Options, facts: Mapping[str, Any], hands: list[int], stock: list[int], pile: list[int]) -> None:
        super().__init__(seats, options, facts)
        self.hands, self.stock, self.pile = hands, stock, pile
        self.next_seat = _NEXT_SEAT[seats]
        self.fits = _FITS[pile[-1]]
        self.follow_up = facts.get('follow_up', False)

    def legal_moves(self) -> list[SupermanMove]:
        playable = self.hands[self.turn] & self.fits
        if playable:
            try:
                return _PLAYS_OR_STOP[playable] if self.follow_up else _PLAYS[playable]
            except KeyError:
                return _list(playable, self.follow_up)
        return _ONLY_DRAW if self.stock else _ONLY_PASS

    def is_legal(self, move: SupermanMove) -> bool:
        playable = self.hands[self.turn] & self.fits
        if playable:
            return playable & _COUNTS[move] != 0 if move < DRAW else move == STOP and self.follow_up
        return move == (DRAW if self.stock else PASS)

    def apply(self, move: SupermanMove, events: list[Event] | None = None) -> None:
        seat = self.turn
        self.follow_up = False
        if move < DRAW:
            hands = self.hands
            hands[seat] = hand = hands[seat] - _UNITS[move]
            self.pile.append(move)
            self.fits = _FITS[move]
            if events is not None:
                events.append(_PLAYED[seat][move])
            if not hand:
                self._end('out')
                return
            if move == SUPERMAN and self.options['superman_followup'] == 'same':
                self.follow_up = True
                return
        elif move == DRAW:
            unit = self.stock.pop()
            self.hands[seat] += unit
            if events is not None:
                events.extend(_DREW[seat][_CARD_OF[unit]])
        elif events is not None:
            events.append(Event('passed' if move == PASS else 'stopped', seat, {}))
        self.turn = self.next_seat[seat]
        if not self.stock:
            fits = self.fits
            for hand in self.hands:
                if hand & fits:
                    return
            self._end('blocked')

    def _end(self, reason: str) -> None:
        self.over, self.reason = True, reason
        self.points = [hand >> _POINTS_AT for hand in self.hands]

    def why_not(self, move: SupermanMove) -> IllegalMoveError:
        hand = self.hands[self.turn]
        able = hand & self.fits
        if move == STOP:
            return IllegalMoveError('nothing-to-stop')
        if self.follow_up and move in (DRAW, PASS):
            return IllegalMoveError('follow-up')
        if move == DRAW:
            return IllegalMoveError('draw-while-able') if able else IllegalMoveError('stock-empty')
        if move == PASS:
            return IllegalMoveError('pass-while-able') if able else IllegalMoveError('pass-with-stock')
        if not hand & _COUNTS[move]:
            return IllegalMoveError('not-held', card=move)
        return IllegalMoveError('no-match', card=move, top=self.pile[-1])

    def default_move(self) -> SupermanMove:
        return STOP if self.follow_up else self.legal_moves()[0]

    def copy(self) -> SupermanRound:
        twin = SupermanRound.__new__(SupermanRound)
        twin.seats, twin.options, twin.start, twin.dealer = self.seats, self.options, self.start, self.dealer
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.hands, twin.stock, twin.pile = self.hands[:], self.stock[:], self.pile[:]
        twin.next_seat, twin.fits, twin.follow_up = self.next_seat, self.fits, self.follow_up
        return twin

    def zones(self) -> list[Zone]:
        return [
            *(Zone('hands', seat, _cards(hand), (seat,)) for seat, hand in enumerate(self.hands)),
            Zone('stock', None, [_CARD_OF[unit] for unit in reversed(self.stock)], ()),
            Zone('pile', None, self.pile[:], None),
        ]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {'follow_up': self.follow_up}

    @staticmethod
    def format_move(move: SupermanMove) -> str:
        return _MOVE_TEXTS[move]

    def parse_move(self, text: str) -> SupermanMove:
        exact = _MOVES.get(text)
        if exact is not None:
            return exact
        words = re.sub(r'[\s,]+', ' ', normal(text)).strip()
        if words in _WORDS:
            return _WORDS[words]
        words = words.removeprefix('PLAY ')
        if words in ('S', 'SUPERMAN', 'WILD'):
            return SUPERMAN
        found = _CARD.fullmatch(words)
        if found is None:
            raise UnreadableMoveError('unreadable')
        return _NUMBER[(found[1] or found[4])[0] + (found[2] or found[3])]


class Superman(Game[SupermanMove]):
    """2 to 5 seats, 36 cards, lowest total wins."""

    id = 'superman'
    seats = range(2, 6)
    usual_seats = range(2, 6)
    options = (
        Option('target', 100, 1, 500),  # 1: a single round, as somebody always has cards left at its end
        Option('superman_followup', 'same', choices=('same', 'next')),
    )
    low_wins = True
    has_dealer = True
    zones: ClassVar[Mapping[str, Sees]] = {'hands': Sees.OWNER, 'stock': Sees.NOBODY, 'pile': Sees.EVERYONE}
    sections = ('goal', 'cards', 'deal', 'match', 'superman', 'draw', 'pass', 'end', 'score')
    reasons: ClassVar[Mapping[str, str]] = {
        'not-held': 'match',
        'no-match': 'match',
        'follow-up': 'superman',
        'nothing-to-stop': 'superman',
        'draw-while-able': 'draw',
        'stock-empty': 'pass',
        'pass-while-able': 'pass',
        'pass-with-stock': 'draw',
    }

    def pack(self, seats: int) -> list[int]:
        return list(_PACK)

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return _NUMBER[text]

    def characters(self, card: int) -> list[str]:
        """The characters shown on the cards of this kind; they have no effect on play."""
        return _CHARACTERS[card]

    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round[Any] | None) -> SupermanRound:
        """As `Game.deal`, but with units from the start: the rounds of this game are so short that playouts are a sixth faster by that."""
        first = drawn(seats, seed, 'dealer') if before is None else 0
        dealer, start = self.dealer_and_start(seats, before, first)
        units = shuffled(_UNIT_PACK, seed, number)
        hands = [sum(units[places]) for places in _DEALT[seats][start]]
        stock = units[: seats * _HAND_SIZE[seats] - 1 : -1]
        up = turn_up(stock, _UNITS[SUPERMAN])
        return SupermanRound(seats, options, {'turn': start, 'dealer': dealer}, hands, stock, [_CARD_OF[up]])

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        size = _HAND_SIZE[seats]
        stock = cards[: seats * size - 1 : -1]
        up = turn_up(stock)
        return {'hands': deal_hands(cards, seats, size, start), 'stock': stock[::-1], 'pile': [up]}

    def opening(
        self, seats: int, options: Options, zones: Zones, number: int, before: Round[Any] | None, first: int
    ) -> Round[SupermanMove]:
        if zones['pile'] == [SUPERMAN]:
            raise ValueError('a Superman is never the first up card')
        return super().opening(seats, options, zones, number, before, first)

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> SupermanRound:
        held = zones.get('hands', [])
        hands = [sum(map(_UNITS.__getitem__, cards)) for cards in held] + [0] * (seats - len(held))
        stock = [_UNITS[card] for card in reversed(zones.get('stock', []))]
        return SupermanRound(seats, options, facts, hands, stock, zones['pile'][:])

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[SupermanMove]) -> list[int]:
        return self.best(totals) if max(totals) >= options['target'] else []

    def greedy(self, observation: Observation[SupermanMove]) -> SupermanMove:
        """Plays the card worth most; a Superman only when nothing else fits, or when somebody is about to go out."""
        moves = observation.legal
        others = [len(zone.cards) for zone in observation.zones if zone.name == 'hands' and zone.at != observation.viewer]
        if SUPERMAN in moves and min(others) <= 2:
            return SUPERMAN
        numbered = [move for move in moves if move < SUPERMAN]
        return max(numbered, key=POINTS.__getitem__) if numbered else moves[0]


def turn_up(stock: list[int], superman: int = SUPERMAN) -> int:
    """Takes the first up card from the stock, which has its next card last. A Superman goes back into the middle of the remaining cards
    (under half of them, rounded down), and the next card is turned up (paragraph "deal")."""
    while (up := stock.pop()) == superman:
        stock.insert((len(stock) + 1) // 2, up)
    return up


def _characters() -> list[list[str]]:
    deck = json.loads(files(__package__).joinpath('superman.json').read_text('utf-8'))
    shown: list[list[str]] = [[] for _ in range(17)]
    for character in deck['characters']:
        for number in range(4):
            shown[(number + character['colour_shift']) % 4 * 4 + number].append(character['name'])
    shown[SUPERMAN] = [deck['superman']]
    return shown


_CHARACTERS: Final = _characters()
GAME: Final = Superman()
SupermanRound.game = GAME
