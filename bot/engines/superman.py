"""The 1978 Superman matching game (Whitman): match the number or the colour, be rid of your cards.

Sources: the rules printed for the Whitman pack, and the card descriptions at
https://www.kandorarchives.com/p/1978-whitman-superman.html. What the rules leave open is decided in the paragraphs of
`/rules` (texts `superman.rules.*`).

A card is colour * 4 + number - 1 (colours blue, red, green, yellow), and 16 is a Superman. Inside a round each of the 36
cards is a bit of its own, in two halves of 18: bits 0 to 15 and 18 to 33 are the two copies of cards 0 to 15, bits 16, 17, 34 and 35
the Supermen. A hand is the sum of its bits, so laying its halves over each other and over the cards that fit the pile
gives what is playable, and a table the list of moves. A move is the card played, or one of DRAW, PASS and STOP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any, Final

from .base import Event, Game, IllegalMoveError, Match, Move, Observation, Option, Options, Round, UnreadableMoveError, Zone, Zones
from .cards import drawn, normal, shuffled

COLOURS: Final = ('blue', 'red', 'green', 'yellow')
SUPERMAN: Final = 16
DRAW, PASS, STOP = 17, 18, 19

CARDS: Final = (*(f'{colour[0].upper()}{number}' for colour in COLOURS for number in (1, 2, 3, 4)), 'S')
POINTS: Final = (1, 2, 3, 4) * 4 + (25,)
_NUMBER: Final = {text: card for card, text in enumerate(CARDS)}
_HAND_SIZE: Final = {2: 7, 3: 5, 4: 5, 5: 5}

_BITS: Final = tuple(1 << bit for bit in range(36))
_KIND: Final = {bit: min(place % 18, SUPERMAN) for place, bit in enumerate(_BITS)}
_COPIES: Final = tuple(sum(bit for bit in _BITS if _KIND[bit] == card) for card in range(17))
"""By card: the bits of all its copies."""

_HALF: Final = (1 << 18) - 1
_FITS: Final = tuple(
    sum(bit for bit in _BITS[:18] if _KIND[bit] == SUPERMAN or _KIND[bit] // 4 == top // 4 or _KIND[bit] % 4 == top % 4) for top in range(16)
) + (_HALF,)
"""By the card on top: what may be played on it, as bits of the first half."""
_ONES, _TWOS, _THREES, _FOURS = (sum(_COPIES[card] for card in range(number, 16, 4)) for number in range(4))

_MOVE_TEXTS: Final = (*(f'play {card}' for card in CARDS), 'draw', 'pass', 'stop')
_MOVES: Final = {text: move for move, text in enumerate(_MOVE_TEXTS)}
_WORDS: Final = {'D': DRAW, 'DRAW': DRAW, 'PASS': PASS, 'STOP': STOP}
_CARD: Final = re.compile(r'(B(?:LUE)?|R(?:ED)?|G(?:REEN)?|Y(?:ELLOW)?)[\s-]*([1-4])|([1-4])[\s-]*(B(?:LUE)?|R(?:ED)?|G(?:REEN)?|Y(?:ELLOW)?)')


class _Lists(dict[int, list[int]]):
    """The list of moves for each set of playable bits of the first half, made when first asked for (at most 2**18 of them)."""

    def __init__(self, *last: int) -> None:
        self.last = last

    def __missing__(self, playable: int) -> list[int]:
        cards = sorted({_KIND[bit] for bit in _BITS[:18] if playable & bit})
        moves = self[playable] = [*cards, *self.last]
        return moves


_PLAYS: Final = _Lists()
_PLAYS_OR_STOP: Final = _Lists(STOP)
_ONLY_DRAW: Final = [DRAW]
_ONLY_PASS: Final = [PASS]


def _bits(cards: Iterable[int]) -> list[int]:
    """A bit for each of the cards, its first free copy. Raises ValueError when there are more than the pack has."""
    used, bits = 0, []
    for card in cards:
        free = _COPIES[card] & ~used
        if not free:
            raise ValueError(f'there are not so many cards {CARDS[card]}')
        bits.append(free & -free)
        used |= bits[-1]
    return bits


def _cards(hand: int) -> list[int]:
    """The cards of a hand, in card order."""
    return sorted(_KIND[bit] for bit in _BITS if hand & bit)


def _points(hand: int) -> int:
    return (
        (hand & _ONES).bit_count()
        + 2 * (hand & _TWOS).bit_count()
        + 3 * (hand & _THREES).bit_count()
        + 4 * (hand & _FOURS).bit_count()
        + 25 * (hand & _COPIES[SUPERMAN]).bit_count()
    )


class SupermanRound(Round):
    """One run. Facts beside the common ones: `follow_up`, whether the seat to move has just played a Superman."""

    __slots__ = (
        'seats', 'options', 'start', 'dealer', 'turn', 'over', 'points', 'reason',
        'hands', 'stock', 'pile', 'fits', 'follow_up', 'same_follows',
    )  # fmt: skip

    hands: list[int]
    stock: list[int]
    """As bits; the card drawn next is last."""
    pile: list[int]
    fits: int
    """What may be played on the pile, as bits of the first half."""
    same_follows: bool
    """The option `superman_followup`: whoever plays a Superman plays the next card too."""

    def __init__(self, seats: int, options: Options, start: int, dealer: int | None, hands: list[int], stock: list[int], pile: list[int]) -> None:
        self.seats, self.options = seats, options
        self.start = self.turn = start
        self.dealer = dealer
        self.over, self.points, self.reason = False, [], ''
        self.hands, self.stock, self.pile = hands, stock, pile
        self.fits = _FITS[pile[-1]]
        self.follow_up = False
        self.same_follows = options['superman_followup'] == 'same'

    def legal_moves(self) -> list[int]:
        hand = self.hands[self.turn]
        playable = (hand | hand >> 18) & self.fits
        if playable:
            return _PLAYS_OR_STOP[playable] if self.follow_up else _PLAYS[playable]
        return _ONLY_DRAW if self.stock else _ONLY_PASS

    def apply(self, move: int, events: list[Event] | None = None) -> None:
        seat = self.turn
        self.follow_up = False
        if move < DRAW:
            hand = self.hands[seat]
            copies = hand & _COPIES[move]
            self.hands[seat] = hand = hand ^ copies & -copies
            self.pile.append(move)
            self.fits = _FITS[move]
            if events is not None:
                events.append(Event('played', seat, {'card': move}))
            if not hand:
                self._end('out')
                return
            if move == SUPERMAN and self.same_follows:
                self.follow_up = True
                return
        elif move == DRAW:
            bit = self.stock.pop()
            self.hands[seat] |= bit
            if events is not None:
                events.append(Event('drew', seat, {}))
                events.append(Event('drew-card', seat, {'card': _KIND[bit]}, (seat,)))
        elif events is not None:
            events.append(Event('passed' if move == PASS else 'stopped', seat, {}))
        seat += 1
        self.turn = seat if seat < self.seats else 0
        if not self.stock:
            fits = self.fits
            for hand in self.hands:
                if (hand | hand >> 18) & fits:
                    return
            self._end('blocked')

    def _end(self, reason: str) -> None:
        self.over, self.reason = True, reason
        self.points = [_points(hand) for hand in self.hands]

    def why_not(self, move: int) -> IllegalMoveError:
        hand = self.hands[self.turn]
        able = (hand | hand >> 18) & self.fits
        if move == STOP:
            return IllegalMoveError('nothing-to-stop')
        if self.follow_up and move in (DRAW, PASS):
            return IllegalMoveError('follow-up')
        if move == DRAW:
            return IllegalMoveError('draw-while-able') if able else IllegalMoveError('stock-empty')
        if move == PASS:
            return IllegalMoveError('pass-while-able') if able else IllegalMoveError('pass-with-stock')
        if not hand & _COPIES[move]:
            return IllegalMoveError('not-held', card=move)
        return IllegalMoveError('no-match', card=move, top=CARDS[self.pile[-1]])

    def default_move(self) -> int:
        return STOP if self.follow_up else self.legal_moves()[0]

    def copy(self) -> SupermanRound:
        twin = SupermanRound.__new__(SupermanRound)
        twin.seats, twin.options, twin.start, twin.dealer = self.seats, self.options, self.start, self.dealer
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.hands, twin.stock, twin.pile = self.hands[:], self.stock[:], self.pile[:]
        twin.fits, twin.follow_up, twin.same_follows = self.fits, self.follow_up, self.same_follows
        return twin

    def zones(self) -> list[Zone]:
        return [
            *(Zone('hands', seat, _cards(hand), (seat,)) for seat, hand in enumerate(self.hands)),
            Zone('stock', None, [_KIND[bit] for bit in reversed(self.stock)], ()),
            Zone('pile', None, self.pile[:], None),
        ]

    def facts(self) -> dict[str, Any]:
        return {'turn': self.turn, 'start': self.start, 'dealer': self.dealer, 'follow_up': self.follow_up}

    @staticmethod
    def format_move(move: int) -> str:
        return _MOVE_TEXTS[move]

    def parse_move(self, text: str) -> int:
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


class Superman(Game):
    """2 to 5 seats, 36 cards, lowest total wins."""

    id = 'superman'
    seats = range(2, 6)
    usual_seats = range(2, 6)
    options = (
        Option('target', 100, 20, 500),
        Option('superman_followup', 'same', choices=('same', 'next')),
    )
    low_wins = True
    sections = ('goal', 'cards', 'deal', 'match', 'superman', 'draw', 'pass', 'end', 'score')
    reasons: Mapping[str, str] = {
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
        return [*range(16), *range(16), *[SUPERMAN] * 4]

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return _NUMBER[text]

    def characters(self, card: int) -> list[str]:
        """The characters shown on the cards of this kind; they have no effect on play."""
        return _CHARACTERS[card]

    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round | None) -> SupermanRound:
        dealer = drawn(seats, seed, 'dealer') if before is None or before.dealer is None else (before.dealer + 1) % seats
        bits = shuffled(_BITS, seed, number)
        dealt = seats * _HAND_SIZE[seats]
        start = (dealer + 1) % seats
        hands = [sum(bits[(seat - start) % seats : dealt : seats]) for seat in range(seats)]
        up, stock = _turn_up(bits[dealt:])
        stock.reverse()
        return SupermanRound(seats, options, start, dealer, hands, stock, [_KIND[up]])

    def opening_facts(self, seats: int, options: Options, zones: Zones, number: int, before: Round | None, first: int) -> dict[str, Any]:
        dealer = first if before is None or before.dealer is None else (before.dealer + 1) % seats
        start = (dealer + 1) % seats
        return {'turn': start, 'start': start, 'dealer': dealer}

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> SupermanRound:
        held = zones.get('hands', [])
        stock = zones.get('stock', [])[::-1]
        bits = iter(_bits([card for hand in held for card in hand] + stock))
        hands = [sum(next(bits) for _ in hand) for hand in held] + [0] * (seats - len(held))
        start = facts.get('start', facts['turn'])
        round_ = SupermanRound(seats, options, start, facts.get('dealer'), hands, list(bits), list(zones['pile']))
        round_.turn = facts['turn']
        round_.follow_up = facts.get('follow_up', False)
        return round_

    def winners(self, match: Match) -> list[int]:
        return self.best(match.totals) if max(match.totals) >= match.options['target'] else []

    def greedy(self, observation: Observation) -> int:
        """The card worth most leaves first; a Superman only when nothing else fits, or when somebody is about to go out."""
        moves: tuple[int, ...] = observation.legal
        others = [len(zone.cards) for zone in observation.zones if zone.name == 'hands' and zone.at != observation.viewer]
        if SUPERMAN in moves and min(others) <= 2:
            return SUPERMAN
        plain = [move for move in moves if move < SUPERMAN]
        if plain:
            return max(plain, key=lambda card: POINTS[card])
        return moves[0]


def turn_up(stock: list[int]) -> tuple[int, list[int]]:
    """The first up card and the stock that is left, next card first. A Superman goes back into the middle of what is left
    (index half its number, rounded down), and the next card is turned (paragraph "deal")."""
    up, left = _turn_up(_bits(stock))
    return _KIND[up], [_KIND[bit] for bit in left]


def _turn_up(stock: list[int]) -> tuple[int, list[int]]:
    stock = stock[:]
    while _KIND[up := stock.pop(0)] == SUPERMAN:
        stock.insert(len(stock) // 2, up)
    return up, stock


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
