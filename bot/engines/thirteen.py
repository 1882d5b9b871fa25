"""Thirteen (Tien Len): beat the combination on the table, or pass; get rid of your cards.

Sources: https://en.wikipedia.org/wiki/Ti%E1%BA%BFn_l%C3%AAn, https://traditionalgamerules.neocities.org/tienlen.html,
https://foicica.com/thirteen/01_Rules.html and http://everything2.com/title/Tien+Len. Where they differ or are silent, the
paragraphs of `/rules` (texts `thirteen.rules.*`) decide.

Inside a round a card is a bit at rank * 4 + suit, ranks 3 to 2 and suits S C D H both from low to high, so four neighbouring
bits are a rank and a higher bit is a higher card. A combination is the sum of its bits, and above these 52 bits its *class*:
kind and length in one number, in this order: single, pair, three, four, sequences of 3 to 12, double sequences of 3 to 6 pairs.
So two combinations of one class compare like their ints, as no card is in both. A move is a combination, or PASS, which is 0.

`legal_moves` names one combination for each class and top card, the one whose other cards have the lowest suits: the suits below the
top card never matter for what beats what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any, ClassVar, Final, NamedTuple

from .base import Event, Game, IllegalMoveError, Observation, Round, Sees, UnreadableMoveError, Zone, Zones
from .cards import CARDS, NUMBER, SUITS, deal_hands, normal, read_cards
from .options import Option, Options

ThirteenMove = int
RANKS: Final = '3456789TJQKA2'
PASS: Final = 0
KINDS: Final = ('single', 'pair', 'three', 'four', 'sequence', 'double')
"""The names of the kinds, in the order of the classes; `double` is a double sequence."""
_BOMBS: Final = ('four', 'double')

_PACK: Final = [NUMBER[rank + suit] for rank in RANKS for suit in SUITS]
"""The cards from low to high: by bit, the card's number in `cards.CARDS`."""
_BITS: Final = tuple(1 << place for place in range(52))
_BIT: Final = {card: 1 << place for place, card in enumerate(_PACK)}
_BIT_OF_TEXT: Final = {CARDS[card]: bit for card, bit in _BIT.items()}

_CLASS: Final = 52
"""Where a move's class begins."""
_ALL: Final = (1 << _CLASS) - 1
_CLASSES: Final = ~_ALL
_SINGLE, _PAIR, _THREE, _FOUR = range(4)
_SEQUENCE: Final = 1
"""The class of a sequence is its length plus this."""
_DOUBLE: Final = 11
"""The class of a double sequence is the number of its pairs plus this."""
_LONGEST: Final = _SEQUENCE + 12
"""The last class of the sequences; every class after it is a double sequence."""

_LOW: Final = sum(1 << 4 * rank for rank in range(13))
"""The lowest bit of every rank: a set of ranks is written in these bits."""
_TWOS: Final = 15 << 48
_ACES: Final = 15 << 44
_RUN: Final = _LOW >> 4
"""The ranks that can be in a sequence: all but the 2."""
_THREE_OF_SPADES: Final = 1


class Kind(NamedTuple):
    """What a combination is, for menus that ask in two steps: kind and length first, then the top card."""

    kind: str
    """One of `KINDS`."""
    length: int
    """The ranks in a row: cards in a sequence, pairs in a double sequence, else 1."""
    top: int
    """The highest card, as in `cards.CARDS`."""


def kind_of(move: int) -> Kind:
    """Kind, length and top card of a combination; they alone decide what it beats. Raises ValueError for PASS."""
    if move == PASS:
        raise ValueError('a pass is no combination')
    kind = move >> _CLASS
    top = _PACK[(move & _ALL).bit_length() - 1]
    if kind <= _FOUR:
        return Kind(KINDS[kind], 1, top)
    return Kind('sequence', kind - _SEQUENCE, top) if kind <= _LONGEST else Kind('double', kind - _DOUBLE, top)


def cards_of(move: int) -> list[int]:
    """The cards of a combination from low to high, as in `cards.CARDS`."""
    return [_PACK[place] for place in range(52) if move >> place & 1]


def combination(cards: Iterable[int]) -> int:
    """The move that these cards are together, or PASS when they are no combination. Raises KeyError for an unknown card."""
    return _combination(sum({_BIT[card] for card in cards}))


def beats(move: int, other: int) -> bool:
    """Whether a combination may be played on another one: higher in the same class, or a bomb on 2s that is big enough."""
    kind, below = move >> _CLASS, other >> _CLASS
    if kind == below:
        return (move & _ALL).bit_length() > (other & _ALL).bit_length()
    if not other & _TWOS or below > _THREE:
        return False
    return kind >= _DOUBLE + 3 + below or (kind == _FOUR and below == _SINGLE)


def _ranks(cards: int) -> int:
    """The ranks of the cards."""
    cards |= cards >> 1
    return (cards | cards >> 2) & _LOW


def _combination(cards: int) -> int:
    ranks = _ranks(cards)
    count = cards.bit_count()
    if not ranks & (ranks - 1):
        return count - 1 << _CLASS | cards if count else PASS
    length = _RUN_LENGTH.get(ranks, 0)
    if count == length:
        return length + _SEQUENCE << _CLASS | cards
    if count == 2 * length <= 12 and _ranks(cards & (cards - ranks)) == ranks:
        return length + _DOUBLE << _CLASS | cards
    return PASS


# --- tables ---------------------------------------------------------------------------------------------------------


def _run(top: int, length: int) -> int:
    """The ranks of a run, by its top rank (0 for the 3)."""
    return sum(1 << 4 * rank for rank in range(top - length + 1, top + 1))


_RUN_LENGTH: Final = {_run(top, length): length for length in range(3, 13) for top in range(length - 1, 12)}


def _same_rank(rank: int) -> list[tuple[int, ...]]:
    """By the suits held of this rank: its singles, pairs, threes and fours for a leader."""
    lists = []
    for held in range(16):
        bits = [bit << 4 * rank for bit in _BITS[:4] if held & bit]
        lists.append(tuple(size << _CLASS | sum(bits[:size]) | top for size in range(len(bits)) for top in bits[size:]))
    return lists


_SAME_RANK: Final = [
    [low + middle + high for high in _same_rank(rank + 2) for middle in _same_rank(rank + 1) for low in _same_rank(rank)]
    for rank in range(0, 12, 3)
] + [_same_rank(12)]
"""The same by the cards of ranks 3 to 5, 6 to 8, 9 to J and Q to A, and by the 2s."""


class _Runs(dict[int, tuple[tuple[int, int, int], ...]]):
    """By a set of ranks: every run of three or more in it (without the 2), as the cards of the ranks below the top one, the cards
    of the top rank, and its class in place. `base` is what makes a class of a length."""

    def __init__(self, base: int, longest: int) -> None:
        self.base = base
        self.longest = longest

    def __missing__(self, ranks: int) -> tuple[tuple[int, int, int], ...]:
        runs = self[ranks] = tuple(
            (_run(top - 1, length - 1) * 15, 15 << 4 * top, length + self.base << _CLASS)
            for length in range(3, self.longest + 1)
            for top in range(length - 1, 12)
            if ranks & _run(top, length) == _run(top, length)
        )
        return runs


_SEQUENCES: Final = _Runs(_SEQUENCE, 12)
_DOUBLES: Final = _Runs(_DOUBLE, 6)


_UNDER: Final = {bit: (bit - 1) & 15 << place // 4 * 4 for place, bit in enumerate(_BITS)}
"""By a card: the lower cards of its rank."""

_NEXT: Final = tuple(
    tuple(next((seat for step in range(1, 5) if among >> (seat := (after + step) % 4) & 1), -1) for after in range(4))
    for among in range(16)
)
"""By a set of seats and a seat: the next seat of the set clockwise, the seat itself coming last; -1 when the set is empty."""

_LONGEST_TEXT: Final = 200
"""Longer text is not read at all; thirteen cards need no more than a hundred characters."""

_ONLY_PASS: Final = [PASS]


# --- lists of moves -------------------------------------------------------------------------------------------------


def _bits(cards: int) -> list[int]:
    bits = []
    while cards:
        remaining = cards & cards - 1
        bits.append(cards ^ remaining)
        cards = remaining
    return bits


def _leads(hand: int) -> list[int]:
    threes, sixes, nines, queens, twos = _SAME_RANK
    moves = [
        *threes[hand & 0xFFF], *sixes[hand >> 12 & 0xFFF], *nines[hand >> 24 & 0xFFF], *queens[hand >> 36 & 0xFFF], *twos[hand >> 48],
    ]  # fmt: skip
    ranks = _ranks(hand)
    runs = _SEQUENCES[ranks]
    if runs:
        rest = hand & hand - ranks
        lowest = hand ^ rest
        for below, top_rank, kind in runs:
            others = lowest & below | kind
            tops = hand & top_rank
            while tops:
                remaining = tops & tops - 1
                moves.append(others | tops ^ remaining)
                tops = remaining
        if rest.bit_count() > 2:
            moves += _doubles(hand, 0)
    return moves


def _doubles(hand: int, least: int) -> list[int]:
    """Every double sequence from class `least` on."""
    moves: list[int] = []
    rest = hand & hand - _ranks(hand)
    ranks = _ranks(rest)
    lowest, lowest_two = hand ^ rest, hand ^ rest & rest - ranks
    for below, top_rank, kind in _DOUBLES[ranks]:
        if kind >> _CLASS >= least:
            others = lowest_two & below | lowest & top_rank | kind
            moves += [others | top for top in _bits(rest & top_rank)]
    return moves


def _bombs(hand: int, below: int) -> list[int]:
    """The bombs that beat 2s of this class."""
    rest = hand & hand - _ranks(hand)
    if rest.bit_count() < 3:
        return []
    moves = _doubles(hand, _DOUBLE + 3 + below)
    if below == _SINGLE:
        twice = hand & hand >> 1
        moves += [_FOUR << _CLASS | rank * 15 for rank in _bits(twice & twice >> 2 & _LOW)]
    return moves


def _variants(move: int, hand: int) -> list[int]:
    """Every combination from the hand with the class and top card of this one."""
    top = 1 << (move & _ALL).bit_length() - 1
    choices = []
    for shift in range(0, 52, 4):
        size = (move >> shift & 15).bit_count()
        if size:
            bits = [bit for bit in _BITS[shift : shift + 4] if hand & bit]
            if top >> shift <= 8:
                choices.append([sum(others) | top for others in combinations([bit for bit in bits if bit < top], size - 1)])
            else:
                choices.append([sum(cards) for cards in combinations(bits, size)])
    return [move & _CLASSES | sum(parts) for parts in product(*choices)]


def instant_win(hand: int) -> int:
    """The combination in a hand (bits) that wins at once when dealt: the four 2s, else the best sequence from 3 to ace, else PASS."""
    if hand & _TWOS == _TWOS:
        return _FOUR << _CLASS | _TWOS
    ranks = _ranks(hand)
    if ranks & _RUN != _RUN:
        return PASS
    lowest = hand & ~(hand & (hand - ranks))
    return _LONGEST << _CLASS | lowest & _RUN * 15 & ~_ACES | 1 << (hand & _ACES).bit_length() - 1


# --- round and game -------------------------------------------------------------------------------------------------


class ThirteenRound(Round[ThirteenMove]):
    """One game, as the rules call it. Facts beside the common ones:

    `opening`, whether the lead must hold the 3 of spades; `to_beat`, the cards of the combination on the table (empty: the seat on
    turn leads), and `owner`, who played it; `passed`, the seats that may not play until the cards are cleared; `out`, the seats
    without cards in the order of going out; `instant`, the seat that won by the deal.
    """

    __slots__ = ('hands', 'played', 'last', 'owner', 'above', 'free', 'holding', 'out', 'opening', 'instant')

    hands: list[int]
    """By seat, as bits."""
    played: list[int]
    """Sets of cards, in the order of play."""
    last: int
    """The move to beat; PASS for a leader."""
    owner: int
    """The seat that played it, or -1."""
    above: int
    """Every bit above its top card."""
    free: int
    """The seats (as bits) that hold cards and have not passed since the cards were cleared."""
    holding: int
    """The seats (as bits) that hold cards."""
    out: list[int]
    opening: bool
    instant: int | None

    def __init__(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> None:
        super().__init__(seats, options, facts)
        self.hands = _hands(zones)
        self.played = [_BIT[card] for card in zones.get('played', [])]
        self.out = list(facts.get('out', []))
        self.last, self.owner, self.above = PASS, -1, 0
        if to_beat := facts.get('to_beat'):
            self.last, self.owner = combination(to_beat), facts['owner']
            self.above = -1 << (self.last & _ALL).bit_length()
        self.free = self.holding = sum(1 << seat for seat, hand in enumerate(self.hands) if hand)
        for seat in facts.get('passed', []):
            self.free &= ~(1 << seat)
        self.opening, self.instant = facts.get('opening', False), facts.get('instant')
        if self.instant is not None:
            self._win_at_once(self.instant)
        elif len(self.out) == 3:
            self._end()

    def _win_at_once(self, seat: int) -> None:
        self.instant = seat
        self.over, self.reason = True, 'instant'
        self.points = [3 if other == seat else 0 for other in range(4)]

    def legal_moves(self) -> list[ThirteenMove]:
        hand = self.hands[self.turn]
        last = self.last
        if not last:
            moves = _leads(hand)
            return [move for move in moves if move & _THREE_OF_SPADES] if self.opening else moves
        above = hand & self.above
        if not above and not last & _TWOS:
            return _ONLY_PASS
        kind = last >> _CLASS
        if kind == _SINGLE:
            moves = _bits(above)
        elif kind <= _FOUR:
            rest = hand
            for _ in range(kind):
                rest &= rest - _ranks(rest)
            low, this = hand ^ rest, last & _CLASSES
            moves = [low & _UNDER[top] | this | top for top in _bits(rest & above)]
        elif kind <= _LONGEST:
            ranks = _ranks(hand)
            low, this = hand & ~(hand - ranks), last & _CLASSES
            moves = [
                low & below | this | top
                for below, top_rank, kind_there in _SEQUENCES[ranks]
                if kind_there == this
                for top in _bits(above & top_rank)
            ]
        else:
            moves = [move for move in _doubles(hand, kind) if move >> _CLASS == kind and move > last]
        if last & _TWOS and kind <= _THREE:
            moves += _bombs(hand, kind)
        moves.append(PASS)
        return moves

    def exact_moves(self) -> list[ThirteenMove]:
        hand = self.hands[self.turn]
        moves = [exact for move in self.legal_moves() for exact in (_variants(move, hand) if move else _ONLY_PASS)]
        return [move for move in moves if move & _THREE_OF_SPADES] if self.opening else moves

    def is_legal(self, move: ThirteenMove) -> bool:
        if move == PASS:
            return self.last != PASS
        cards = move & _ALL
        if cards & ~self.hands[self.turn] or _combination(cards) != move:
            return False
        return beats(move, self.last) if self.last else not self.opening or bool(move & _THREE_OF_SPADES)

    def apply(self, move: ThirteenMove, events: list[Event] | None = None) -> None:
        seat = self.turn
        if move:
            if events is not None:
                kind = move >> _CLASS
                what = 'led' if not self.last else 'bombed' if kind == _FOUR or kind > _LONGEST else 'beat'
                events.append(Event(what, seat, {'cards': cards_of(move)}))
            cards = move & _ALL
            hand = self.hands[seat] = self.hands[seat] ^ cards
            self.played.append(cards)
            self.last, self.owner, self.above = move, seat, -1 << cards.bit_length()
            self.opening = False
            if not hand:
                self._out(seat, events)
                if self.over:
                    return
            free = self.free
        else:
            free = self.free = self.free ^ 1 << seat
            if events is not None:
                events.append(Event('passed', seat, {}))
        following = _NEXT[free][seat]
        if following == self.owner or following < 0:
            self._clear(events)
        else:
            self.turn = following

    def _out(self, seat: int, events: list[Event] | None) -> None:
        self.out.append(seat)
        self.holding ^= 1 << seat
        self.free ^= 1 << seat
        if events is not None:
            events.append(Event('out', seat, {'place': len(self.out), 'n': 4 - len(self.out)}))
        if not self.holding & (self.holding - 1):
            self._end()
            if events is not None:
                events.extend(Event('left', last, {'n': hand.bit_count()}) for last, hand in enumerate(self.hands) if hand)

    def _end(self) -> None:
        self.over, self.reason = True, 'out'
        self.points = [0] * 4
        for place, seat in enumerate(self.out):
            self.points[seat] = 3 - place

    def _clear(self, events: list[Event] | None) -> None:
        owner, holding = self.owner, self.holding
        self.last, self.owner, self.above = PASS, -1, 0
        self.free = holding
        inherits = not holding >> owner & 1
        self.turn = _NEXT[holding][owner] if inherits else owner
        if events is not None:
            events.append(Event('inherited', self.turn, {'seat': owner}) if inherits else Event('cleared', owner, {}))

    def why_not(self, move: ThirteenMove) -> IllegalMoveError:
        if move == PASS:
            return IllegalMoveError('pass-on-lead')
        cards, last = move & _ALL, self.last
        missing = cards & ~self.hands[self.turn]
        if missing:
            return IllegalMoveError('not-held', cards=cards_of(missing))
        if _combination(cards) != move:
            return IllegalMoveError('no-combination', cards=cards_of(cards))
        if not last:
            return IllegalMoveError('three-of-spades', card=_PACK[0])
        on_table = cards_of(last)
        kind, below = kind_of(move), kind_of(last)
        if kind[:2] == below[:2]:
            return IllegalMoveError('too-low', cards=on_table)
        if kind.kind in _BOMBS:
            if below.kind in _BOMBS:
                return IllegalMoveError('bomb-on-bomb', cards=on_table)
            if not last & _TWOS:
                return IllegalMoveError('bomb-without-twos', cards=on_table)
            return IllegalMoveError('bomb-too-small', cards=on_table, n=3 + (last >> _CLASS))
        if kind.kind == below.kind:
            return IllegalMoveError('wrong-length', cards=on_table, n=below.length)
        return IllegalMoveError('wrong-kind', cards=on_table)

    def default_move(self) -> ThirteenMove:
        if self.last:
            return PASS
        hand = self.hands[self.turn]
        return hand & -hand

    def copy(self) -> ThirteenRound:
        twin = ThirteenRound.__new__(ThirteenRound)
        twin.seats, twin.options, twin.start, twin.dealer = 4, self.options, self.start, None
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.hands, twin.played, twin.out = self.hands[:], self.played[:], self.out[:]
        twin.last, twin.owner, twin.above = self.last, self.owner, self.above
        twin.free, twin.holding = self.free, self.holding
        twin.opening, twin.instant = self.opening, self.instant
        return twin

    def zones(self) -> list[Zone]:
        return [
            *(Zone('hands', seat, cards_of(hand), None if seat == self.instant else (seat,)) for seat, hand in enumerate(self.hands)),
            Zone('played', None, [card for cards in self.played for card in cards_of(cards)], None),
        ]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {
            'opening': self.opening,
            'to_beat': cards_of(self.last),
            'owner': self.owner if self.last else None,
            'passed': [seat for seat in range(4) if self.holding & ~self.free & 1 << seat],
            'out': self.out[:],
            'instant': self.instant,
        }

    def dealt(self) -> list[Event]:
        if self.instant is not None:
            hand = self.hands[self.instant]
            return [Event('four-twos' if hand & _TWOS == _TWOS else 'three-to-ace', self.instant, {'cards': cards_of(hand)})]
        return [Event('opens', self.start, {'card': _PACK[0]}) if self.opening else Event('leads', self.start, {})]

    @staticmethod
    def format_move(move: ThirteenMove) -> str:
        return ' '.join(CARDS[card] for card in cards_of(move)) if move else 'pass'

    def parse_move(self, text: str) -> ThirteenMove:
        if text == 'pass':
            return PASS
        if len(text) > _LONGEST_TEXT:
            raise UnreadableMoveError('unreadable')
        bits = [_BIT_OF_TEXT.get(word, 0) for word in text.split(' ')]
        if not all(bits):
            words = normal(text).replace('-', ' ').strip().removeprefix('PLAY ')
            if words == 'PASS':
                return PASS
            read = read_cards(words)
            if not read:
                raise UnreadableMoveError('unreadable')
            bits = [_BIT[card] for card in read]
        cards = 0
        for bit in bits:
            if cards & bit:
                raise UnreadableMoveError('twice', card=cards_of(bit)[0])
            cards |= bit
        move = _combination(cards)
        if not move:
            twos = cards & _TWOS and _ranks(cards) & (_ranks(cards) - 1)
            raise UnreadableMoveError('two-in-sequence' if twos else 'no-combination', cards=cards_of(cards))
        return move


class Thirteen(Game[ThirteenMove]):
    """Exactly 4 seats, the 52-card pack, highest total wins; a shared highest total plays on."""

    id = 'thirteen'
    seats = range(4, 5)
    usual_seats = range(4, 5)
    options = (Option('target', 10, 3, 50),)
    low_wins = False
    zones: ClassVar[Mapping[str, Sees]] = {'hands': Sees.OWNER, 'played': Sees.EVERYONE}
    reveals = frozenset({'opens'})
    sections = ('goal', 'cards', 'combinations', 'beating', 'lead', 'passing', 'clearing', 'bombs', 'instant', 'score')
    reasons: ClassVar[Mapping[str, str]] = {
        'not-held': 'combinations',
        'twice': 'combinations',
        'no-combination': 'combinations',
        'two-in-sequence': 'combinations',
        'three-of-spades': 'lead',
        'pass-on-lead': 'lead',
        'wrong-kind': 'beating',
        'wrong-length': 'beating',
        'too-low': 'beating',
        'bomb-without-twos': 'bombs',
        'bomb-too-small': 'bombs',
        'bomb-on-bomb': 'bombs',
    }

    def pack(self, seats: int) -> list[int]:
        return _PACK[:]

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return NUMBER[text]

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        return {'hands': deal_hands(cards, 4, 13), 'played': []}

    def opening(self, seats: int, options: Options, zones: Zones, number: int, before: Round[Any] | None, first: int) -> ThirteenRound:
        """The winner of the round before starts, in round 0 the holder of the 3 of spades (`first` when nobody holds it)."""
        round_ = self.position(seats, options, zones, {'turn': first})
        hands = round_.hands
        if before is not None:
            round_.start = before.points.index(3)
        else:
            round_.start = next((seat for seat, hand in enumerate(hands) if hand & _THREE_OF_SPADES), first)
        round_.turn = round_.start
        round_.opening = number == 0 and hands[round_.start] & _THREE_OF_SPADES > 0
        winner = _instant_winner(hands)
        if winner is not None:
            round_._win_at_once(winner)
        return round_

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> ThirteenRound:
        return ThirteenRound(seats, options, zones, facts)

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[ThirteenMove]) -> list[int]:
        best = self.best(totals)
        return best if len(best) == 1 and totals[best[0]] >= options['target'] else []

    def determinise(self, observation: Observation[ThirteenMove], rng: Random) -> ThirteenRound:
        """As for every game, but before the first lead everyone knows who holds the 3 of spades."""
        round_ = super().determinise(observation, rng)
        assert isinstance(round_, ThirteenRound)
        hands, turn = round_.hands, round_.turn
        if round_.opening and not hands[turn] & _THREE_OF_SPADES:
            holder = next(seat for seat in range(4) if hands[seat] & _THREE_OF_SPADES)
            swap = _THREE_OF_SPADES | rng.choice(_bits(hands[turn]))
            hands[turn] ^= swap
            hands[holder] ^= swap
        return round_

    def greedy(self, observation: Observation[ThirteenMove]) -> ThirteenMove:
        """Leads the longest combination with its lowest card in it, follows as low as it can, and keeps 2s and bombs for the end."""
        moves = [move for move in observation.legal if move]
        if not moves:
            return PASS
        viewer = observation.turn
        hand = sum(_BIT[card] for card in observation.known('hands', viewer))
        for move in moves:
            if move & _ALL == hand:
                return move
        others = [len(zone.cards) for zone in observation.zones if zone.name == 'hands' and zone.at != viewer]
        fewest = min(filter(None, others), default=13)
        keep = _TWOS
        for move in moves:
            if kind_of(move).kind in _BOMBS:
                keep |= move & _ALL
        plain = [move for move in moves if not move & keep]
        if observation.facts['to_beat']:
            if plain:
                return min(plain, key=lambda move: (_split(move, hand), move))
            return min(moves) if fewest <= 4 or hand.bit_count() <= 5 else PASS
        if fewest == 1:
            several = [move for move in moves if move >> _CLASS != _SINGLE]
            return several[0] if several else max(moves)
        choice = plain or moves
        lowest = min(move & -move for move in choice)
        return max((move for move in choice if move & lowest), key=lambda move: (move & _ALL).bit_count())


def _split(move: int, hand: int) -> int:
    """How many cards stay in the hand from the ranks that this move takes from."""
    return sum((hand >> shift & 15).bit_count() - (move >> shift & 15).bit_count() for shift in range(0, 52, 4) if move >> shift & 15)


def _hands(zones: Zones) -> list[int]:
    held = zones.get('hands', [])
    return [sum(map(_BIT.__getitem__, hand)) for hand in held] + [0] * (4 - len(held))


def _instant_winner(hands: list[int]) -> int | None:
    winning = [(instant_win(hand), seat) for seat, hand in enumerate(hands)]
    # four 2s hold the highest cards of all, and a sequence to a higher ace is the higher one
    move, seat = max(winning, key=lambda pair: pair[0] & _ALL)
    return seat if move else None


GAME: Final = Thirteen()
ThirteenRound.game = GAME
