"""Kings in the Corner (Jax), with 80 chips: build down in alternate colours, put the kings in the corners, and get
rid of your cards.

Sources: the rules printed for the Jax tray, as rendered at https://www.geekyhobbies.com/kings-in-the-corner-rules/ and
https://entretenimientodigital.net/reglas-del-juego-de-kings-in-the-corner/; for the turn and its chips also
https://entertainment.howstuffworks.com/how-to-play-kings-in-the-corner.htm and
https://ourpastimes.com/play-kings-corner-card-game-8168622.html. What they leave open is decided in the paragraphs of
`/rules` (texts `kings.rules.*`).

Inside a round a card is a bit, by rank and then by suit, aces lowest. A pile runs down rank by rank, so the sum of its bits
describes it fully: the lowest bit is its top card, the highest its bottom card, and a pile is moved by adding it to another. A
move is an int: a card and a stall, two stalls, or one of END and END_NODRAW.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, ClassVar, Final

from .base import Event, Game, IllegalMoveError, Observation, Round, Sees, UnreadableMoveError, Zone, Zones
from .cards import CARDS, NUMBER, deal_hands, normal
from .options import Option, Options

KingsMove = int
CHIPS: Final = 80
HAND_SIZE: Final = 7
KING_FINE: Final = 3
BLOCKED_HANDS: Final = 3
"""This many blocked hands in a row end the match."""

STALLS: Final = ('T0', 'T1', 'T2', 'T3', 'K0', 'K1', 'K2', 'K3')
"""The tabbed stalls, then the king stalls; inside the engine a stall is its place here."""
_TABBED: Final = 4

_MOVE: Final = 52 * 8
"""Moves below this are plays, the place of the card's bit * 8 + the stall; from here on piles are moved, _MOVE + from * 8 + to."""
END: Final = _MOVE + 8 * 8
END_NODRAW: Final = END + 1

_BITS: Final = tuple(1 << card % 13 * 4 + card // 13 for card in range(52))
"""By card: its bit."""
_CARD: Final = {bit: card for card, bit in enumerate(_BITS)}
_KINGS: Final = 0b1111 << 48
_OTHERS: Final = (1 << 48) - 1
_FITS: Final = {bit: (0b1100 if card < 26 else 0b0011) << card % 13 * 4 >> 4 if card % 13 else 0 for bit, card in _CARD.items()}
"""By the bit of a top card: what goes on it, one rank lower and of the other colour; nothing goes on an ace."""

_MOVE_TEXTS: Final = (
    *(f'play {CARDS[_CARD[1 << place]]} {stall}' for place in range(52) for stall in STALLS),
    *(f'move {source} {target}' for source in STALLS for target in STALLS),
    'end',
    'end nodraw',
)
_MOVES: Final = {text: move for move, text in enumerate(_MOVE_TEXTS)}
_ENDS: Final = [END, END_NODRAW]
_ONLY_END: Final = [END]

_NAMES: Final = {
    **{'ACE': 'A', 'TWO': '2', 'THREE': '3', 'FOUR': '4', 'FIVE': '5', 'SIX': '6', 'SEVEN': '7'},
    **{'EIGHT': '8', 'NINE': '9', 'TEN': 'T', 'JACK': 'J', 'QUEEN': 'Q', 'KING': 'K', 'TAB': 'T', 'TABBED': 'T'},
    **{word + end: word[0] for word in ('SPADE', 'CLUB', 'DIAMOND', 'HEART') for end in ('', 'S')},
}
_FILLERS: Final = frozenset(('OF', 'THE', 'TO', 'ON', 'ONTO', 'IN', 'INTO', 'AT', 'FROM', 'STALL', 'PILE', 'TURN', 'MY'))
_WORDS: Final = {
    **dict.fromkeys(('END', 'DRAW', 'END DRAW', 'DONE', 'PASS'), END),
    **dict.fromkeys(('NODRAW', 'NO DRAW', 'END NODRAW', 'END NO DRAW', 'END WITHOUT DRAW', 'END WITHOUT DRAWING'), END_NODRAW),
}
_PART: Final = re.compile(r'(10|[A2-9TJQK]) ?([SCDH]) ?|([SCDH]) ?(10|[A2-9TJQK]) ?|([TK]) ?([0-9]) ?')


class _Plays(dict[int, tuple[list[int], ...]]):
    """By a set of cards and by stall: the plays of these cards to this stall. Made when first asked for, which happens only for
    the few sets that can fit one pile, and for kings."""

    def __missing__(self, cards: int) -> tuple[list[int], ...]:
        plays = self[cards] = tuple([place << 3 | stall for place in _places(cards)] for stall in range(8))
        return plays


def _places(cards: int) -> list[int]:
    """The places of the bits, lowest first."""
    places = []
    while cards:
        bit = cards & -cards
        places.append(bit.bit_length() - 1)
        cards ^= bit
    return places


_PLAYS: Final = _Plays()


def _sum(cards: Iterable[int]) -> int:
    return sum(map(_BITS.__getitem__, cards))


def _cards(bits: int) -> list[int]:
    """The cards of these bits: spades, clubs, diamonds, hearts, each from the ace up."""
    return [card for card, bit in enumerate(_BITS) if bits & bit]


def _pile(bits: int) -> list[int]:
    """The cards of a pile, the bottom card first."""
    return [_CARD[1 << place] for place in reversed(_places(bits))]


def _bottom(bits: int) -> int:
    return 1 << bits.bit_length() - 1


def blocking_limit(seats: int, stock: int) -> int:
    """How many turns in a row with neither a play nor a card drawn block the hand, given the number of cards in the stock."""
    return 2 * seats if stock else seats


class KingsRound(Round[KingsMove]):
    """One hand, as the rules call it. Facts beside the common ones: `played`, whether the seat on turn has made a play this turn;
    `turns`, how many turns have ended; `idle`, how many of the last ones had neither a play nor a card drawn; `blocked`, how
    many hands in a row before this one were blocked."""

    __slots__ = ('hands', 'stock', 'stalls', 'chips', 'pot', 'aside', 'played', 'turns', 'idle', 'blocked')

    hands: list[int]
    """By seat, as bits."""
    stock: list[int]
    """As bits; the card drawn next is last."""
    stalls: list[int]
    """By stall: its pile, as bits."""
    chips: list[int]
    pot: int
    aside: int
    """The chips that could not be shared out equally; they are out of the match."""
    played: bool
    turns: int
    idle: int
    blocked: int

    def __init__(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> None:
        """The chips are those after the ante unless the zones tell otherwise."""
        super().__init__(seats, options, facts)
        held, piles = zones.get('hands', []), zones.get('stalls', {})
        self.hands = [*map(_sum, held)] + [0] * (seats - len(held))
        self.stock = [*map(_BITS.__getitem__, reversed(zones.get('stock', [])))]
        self.stalls = [_sum(piles.get(name, [])) for name in STALLS]
        self.chips = list(zones.get('chips', [CHIPS // seats - 1] * seats))
        self.pot = zones.get('pot', seats)
        self.aside = zones.get('aside', CHIPS % seats)
        self.played = facts.get('played', False)
        self.turns = facts.get('turns', 0)
        self.idle = facts.get('idle', 0)
        self.blocked = facts.get('blocked', 0)

    def legal_moves(self) -> list[KingsMove]:
        hand, stalls = self.hands[self.turn], self.stalls
        moves: list[int] = []
        takes = 0
        for stall, pile in enumerate(stalls):
            if pile:
                fits = _FITS[pile & -pile]
            elif stall < _TABBED:
                moves += [place << 3 | stall for place in _places(hand & _OTHERS)]
                continue
            else:
                fits = _KINGS
            takes |= fits
            able = hand & fits
            if able:
                moves += _PLAYS[able][stall]
        for source in range(_TABBED):
            if stalls[source] and (bottom := _bottom(stalls[source])) & takes:
                moves += [_MOVE + source * 8 + target for target in range(8) if self._takes(target, bottom)]
        moves += _ENDS if self.stock else _ONLY_END
        return moves

    def _takes(self, stall: int, bottom: int) -> bool:
        """Whether a pile with this bottom card may be moved to the stall."""
        pile = self.stalls[stall]
        if pile:
            return _FITS[pile & -pile] & bottom > 0
        return stall >= _TABBED and bottom & _KINGS > 0

    def apply(self, move: KingsMove, events: list[Event] | None = None) -> None:
        if move >= END:
            self._end_turn(move == END, events)
            return
        self.played = True
        if move >= _MOVE:
            source, target = divmod(move - _MOVE, 8)
            pile = self.stalls[source]
            self.stalls[target] |= pile
            self.stalls[source] = 0
            if events is not None:
                events.append(Event('moved', self.turn, {'cards': _pile(pile), 'stall': STALLS[source], 'to': STALLS[target]}))
            return
        bit, stall = 1 << (move >> 3), move & 7
        hand = self.hands[self.turn] ^ bit
        self.hands[self.turn] = hand
        self.stalls[stall] |= bit
        if events is not None:
            events.append(Event('played', self.turn, {'card': _CARD[bit], 'stall': STALLS[stall]}))
        if not hand:
            self._out(events)

    def _end_turn(self, draws: bool, events: list[Event] | None) -> None:
        seat = self.turn
        kings = self.hands[seat] & _KINGS
        while kings:
            king = kings & -kings
            kings ^= king
            self.hands[seat] ^= king
            self._pay(seat, KING_FINE, 'king-fine', events, card=_CARD[king])
            self._place(king, 'king-placed', events)
        if not self.played:
            self._pay(seat, 1, 'no-play', events)
        if not self.hands[seat]:
            self._out(events)
            return
        self.idle = 0 if self.played else self.idle + 1
        limit = blocking_limit(self.seats, len(self.stock))
        if self.stock:
            if draws:
                self.idle = 0
                self._draw(events)
            else:
                self._pay(seat, 1, 'no-draw', events)
        elif events is not None:
            events.append(Event('ended', seat, {}))
        self.turns += 1
        self.played = False
        self.turn = seat + 1 if seat + 1 < self.seats else 0
        if self.idle >= limit:
            self.over, self.reason, self.points = True, 'blocked', [0] * self.seats
            if events is not None:
                events.append(Event('blocked', None, {'n': self.blocked + 1}))

    def _draw(self, events: list[Event] | None) -> None:
        card = self.stock.pop()
        if card & _KINGS:
            self._place(card, 'king-drawn', events)
        else:
            self.hands[self.turn] |= card
            if events is not None:
                events.append(Event('drew', self.turn, {}))
                events.append(Event('drew-card', self.turn, {'card': _CARD[card]}, (self.turn,)))
        if events is not None and not self.stock:
            events.append(Event('stock-empty', None, {}))

    def _place(self, king: int, kind: str, events: list[Event] | None) -> None:
        """Puts a king into the lowest free king stall; one is always free, as no other card can start one."""
        stall = self.stalls.index(0, _TABBED)
        self.stalls[stall] = king
        if events is not None:
            events.append(Event(kind, self.turn, {'card': _CARD[king], 'stall': STALLS[stall]}))

    def _pay(self, seat: int, due: int, kind: str, events: list[Event] | None, **params: Any) -> None:
        """The seat pays chips to the pot, as many of those due as it has."""
        paid = min(due, self.chips[seat])
        self.chips[seat] -= paid
        self.pot += paid
        if events is not None:
            events.append(Event(kind, seat, {'n': paid, **params}))
            if paid < due:
                events.append(Event('forgiven', seat, {'n': due - paid}))

    def _out(self, events: list[Event] | None) -> None:
        """The seat on turn has no cards left: the others pay, and it takes the pot."""
        winner = self.turn
        for place in range(winner + 1, winner + self.seats):
            seat = place % self.seats
            self._pay(seat, self.hands[seat].bit_count(), 'paid', events)
        self.over, self.reason, self.points = True, 'out', [0] * self.seats
        self.points[winner] = self.pot
        if events is not None:
            events.append(Event('won-pot', winner, {'n': self.pot}))
        self.chips[winner] += self.pot
        self.pot = 0

    def why_not(self, move: KingsMove) -> IllegalMoveError:
        if move == END_NODRAW:
            return IllegalMoveError('nodraw-stock-empty')
        if move < _MOVE:
            bit, target = 1 << (move >> 3), move & 7
            if not self.hands[self.turn] & bit:
                return IllegalMoveError('not-held', card=_CARD[bit])
            params: dict[str, Any] = {'card': _CARD[bit], 'stall': STALLS[target]}
        else:
            source, target = divmod(move - _MOVE, 8)
            params = {'stall': STALLS[source], 'to': STALLS[target]}
            if source >= _TABBED:
                return IllegalMoveError('from-king-stall', **params)
            if not self.stalls[source]:
                return IllegalMoveError('nothing-to-move', **params)
            if source == target:
                return IllegalMoveError('same-stall', **params)
            if target < _TABBED and not self.stalls[target]:
                return IllegalMoveError('to-empty-tabbed', **params)
            bit = _bottom(self.stalls[source])
            params = {'card': _CARD[bit], 'stall': STALLS[target], 'from': STALLS[source]}
        if bit & _KINGS:
            return IllegalMoveError('king-to-empty-king-stall', **params)
        pile = self.stalls[target]
        if not pile:
            return IllegalMoveError('king-stall-start', **params)
        card, top = _CARD[bit], _CARD[pile & -pile]
        params['top'] = top
        if top % 13 == 0:
            return IllegalMoveError('on-ace', **params)
        if move >= _MOVE:
            return IllegalMoveError('bottom-no-fit', **params)
        return IllegalMoveError('wrong-colour' if card % 13 + 1 == top % 13 else 'wrong-rank', **params)

    def default_move(self) -> KingsMove:
        return END_NODRAW if self.stock else END

    def copy(self) -> KingsRound:
        twin = KingsRound.__new__(KingsRound)
        twin.seats, twin.options, twin.start, twin.dealer = self.seats, self.options, self.start, self.dealer
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.hands, twin.stock, twin.stalls = self.hands[:], self.stock[:], self.stalls[:]
        twin.chips, twin.pot, twin.aside = self.chips[:], self.pot, self.aside
        twin.played, twin.turns, twin.idle, twin.blocked = self.played, self.turns, self.idle, self.blocked
        return twin

    def zones(self) -> list[Zone]:
        return [
            *(Zone('hands', seat, _cards(hand), (seat,)) for seat, hand in enumerate(self.hands)),
            Zone('stock', None, [_CARD[bit] for bit in reversed(self.stock)], ()),
            *(Zone('stalls', name, _pile(pile), None) for name, pile in zip(STALLS, self.stalls, strict=True)),
        ]

    def counters(self) -> dict[str, Any]:
        return {'chips': self.chips[:], 'pot': self.pot, 'aside': self.aside}

    def facts(self) -> dict[str, Any]:
        return super().facts() | {'played': self.played, 'turns': self.turns, 'idle': self.idle, 'blocked': self.blocked}

    def had_turn(self, seat: int) -> bool:
        """Whether a turn of this seat has ended; from then on its hand holds no king."""
        return self.turns > (seat - self.start) % self.seats

    @staticmethod
    def format_move(move: KingsMove) -> str:
        return _MOVE_TEXTS[move]

    def parse_move(self, text: str) -> KingsMove:
        exact = _MOVES.get(text)
        if exact is not None:
            return exact
        if len(text) > 100:
            raise UnreadableMoveError('unreadable')
        words = [word for word in re.split(r'[\s,;:>→-]+', normal(text)) if word and word not in _FILLERS]
        typed = ' '.join(words)
        if typed in _WORDS:
            return _WORDS[typed]
        verb = words.pop(0) if words and words[0] in ('PLAY', 'MOVE') else ''
        parts = _parts(' '.join(_NAMES.get(word, word) for word in words))
        if not 1 <= len(parts) <= 2:
            raise UnreadableMoveError('unreadable')
        card, source = parts[0]
        if card and verb != 'PLAY':
            source = self._pile_of(card)
        elif source is not None and self.stalls[source]:
            card = _bottom(self.stalls[source])
        first = card.bit_length() - 1 << 3 if source is None else _MOVE + source * 8
        if len(parts) == 2:
            return first + self._named(*parts[1])
        targets = self._targets(card, source)
        if len(targets) > 1:
            raise UnreadableMoveError('which-stall', card=_CARD[card], moves=[_MOVE_TEXTS[first + target] for target in targets])
        return first + targets[0]

    # What a text means depends on the table, never on a hand: or else a refusal would tell others who holds what.

    def _pile_of(self, card: int) -> int | None:
        """The stall whose pile is meant by this card; None when the card cannot be seen on the table."""
        for stall, pile in enumerate(self.stalls):
            if pile & card:
                if stall >= _TABBED and card != pile & -pile:
                    return None  # covered: nobody is told where it is
                if stall < _TABBED and card != _bottom(pile):
                    raise UnreadableMoveError('part-of-pile', card=_CARD[card], stall=STALLS[stall])
                return stall
        return None

    def _named(self, card: int, stall: int | None) -> int:
        """The stall that was named, or the one with this card on top."""
        if stall is not None:
            return stall
        for place, pile in enumerate(self.stalls):
            if pile & -pile & card:
                return place
        raise UnreadableMoveError('not-on-top', card=_CARD[card])

    def _targets(self, card: int, source: int | None) -> list[int]:
        """Where the card, or the pile of the stall, can go when no stall was named; of several empty stalls only the first."""
        if source is not None and (source >= _TABBED or not card):
            return [source]  # not legal, and `why_not` says why
        targets = [stall for stall, pile in enumerate(self.stalls) if pile and self._takes(stall, card)]
        first = _TABBED if card & _KINGS else 0
        if (source is None or first) and 0 in self.stalls[first : first + 4]:
            targets.append(self.stalls.index(0, first))
        if not targets:
            raise UnreadableMoveError('fits-nowhere', card=_CARD[card])
        return targets


def _parts(text: str) -> list[tuple[int, int | None]]:
    """The cards (as bits) and stalls that the text names, or nothing when it holds anything else."""
    parts: list[tuple[int, int | None]] = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:
            return []
        if found[5]:
            if found[6] > '3':
                raise UnreadableMoveError('no-such-stall', stall=found[5] + found[6])
            parts.append((0, STALLS.index(found[5] + found[6])))
        else:
            rank, suit = found[1] or found[4], found[2] or found[3]
            parts.append((_BITS[NUMBER[('T' if rank == '10' else rank) + suit]], None))
        at = found.end()
    return parts


class Kings(Game[KingsMove]):
    """2 to 6 seats, 52 cards, 80 chips, highest total wins."""

    id = 'kings'
    seats = range(2, 7)
    usual_seats = range(2, 7)
    options = (Option('target', 100, 20, 500),)
    low_wins = False
    has_dealer = True
    zones: ClassVar[Mapping[str, Sees]] = {'hands': Sees.OWNER, 'stock': Sees.NOBODY, 'stalls': Sees.EVERYONE}
    sections = ('goal', 'table', 'deal', 'turn', 'build', 'kings', 'piles', 'end', 'out', 'blocked', 'match')
    reasons: ClassVar[Mapping[str, str]] = {
        'not-held': 'turn',
        'wrong-rank': 'build',
        'wrong-colour': 'build',
        'on-ace': 'build',
        'king-to-empty-king-stall': 'kings',
        'king-stall-start': 'kings',
        'from-king-stall': 'kings',
        'nothing-to-move': 'piles',
        'same-stall': 'piles',
        'to-empty-tabbed': 'piles',
        'bottom-no-fit': 'piles',
        'nodraw-stock-empty': 'end',
        'no-such-stall': 'table',
        'part-of-pile': 'piles',
        'not-on-top': 'build',
        'fits-nowhere': 'build',
        'which-stall': 'turn',
    }

    def pack(self, seats: int) -> list[int]:
        return list(range(52))

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return NUMBER[text]

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        dealt = seats * HAND_SIZE
        stalls = {name: [card] for name, card in zip(STALLS[:_TABBED], cards[dealt:], strict=False)}
        return {'hands': deal_hands(cards, seats, HAND_SIZE, start), 'stock': cards[dealt + _TABBED :], 'stalls': stalls}

    def opening(self, seats: int, options: Options, zones: Zones, number: int, before: Round[Any] | None, first: int) -> KingsRound:
        round_ = super().opening(seats, options, zones, number, before, first)
        assert isinstance(round_, KingsRound)
        if isinstance(before, KingsRound) and before.reason == 'blocked':
            round_.blocked = before.blocked + 1
        return round_

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> KingsRound:
        """Raises ValueError when a card is there twice, or a pile is not built as the rules say."""
        round_ = KingsRound(seats, options, zones, facts)
        hands, stock, piles = zones.get('hands', []), zones.get('stock', []), zones.get('stalls', {})
        count = len(stock) + sum(map(len, hands)) + sum(map(len, piles.values()))
        if (sum(round_.hands) + sum(round_.stock) + sum(round_.stalls)).bit_count() < count:
            raise ValueError('a card is there twice')  # cards that are all different are each one bit of the sum
        for name, pile in piles.items():
            built = len(pile) < 2 or all(_FITS[_BITS[under]] & _BITS[card] for under, card in pairwise(pile))
            if not built or (name[0] == 'K' and pile and not _BITS[pile[0]] & _KINGS):
                raise ValueError(f'the pile in {name} is not built as the rules say')
        return round_

    def determinise(self, observation: Observation[KingsMove], rng: Random) -> KingsRound:
        """As for every game, but a seat that has ended a turn gets no king: it would have had to place it."""
        round_ = super().determinise(observation, rng)
        assert isinstance(round_, KingsRound)
        hands, stock = round_.hands, round_.stock
        unseen = [seat for seat in range(round_.seats) if seat != observation.viewer]
        free = [seat for seat in unseen if not round_.had_turn(seat)]
        others = [bit for bit in stock if bit & _OTHERS] + [_BITS[card] for seat in free for card in _cards(hands[seat] & _OTHERS)]
        rng.shuffle(others)
        misplaced = [(seat, _BITS[card]) for seat in unseen if seat not in free for card in _cards(hands[seat] & _KINGS)]
        for (seat, king), other in zip(misplaced, others, strict=False):
            hands[seat] ^= king | other
            if other in stock:
                stock[stock.index(other)] = king
            else:
                hands[next(seat for seat in free if hands[seat] & other)] ^= king | other
        return round_

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[KingsMove]) -> list[int]:
        assert isinstance(last, KingsRound)
        stuck = last.reason == 'blocked' and last.blocked + 1 >= BLOCKED_HANDS
        return self.best(totals) if stuck or max(totals) >= options['target'] else []

    def greedy(self, observation: Observation[KingsMove]) -> KingsMove:
        """A king, then a pile that frees a stall, then the card with the longest run in the hand behind it; last the draw."""
        hand = _sum(observation.known('hands', observation.viewer))

        def run(bit: int) -> int:
            return 1 + max((run(_BITS[card]) for card in _cards(hand & _FITS[bit])), default=0)

        def worth(move: KingsMove) -> tuple[int, int, int]:
            if move >= _MOVE:
                return {END: 1, END_NODRAW: 0}.get(move, 4), 0, 0
            bit, stall = 1 << (move >> 3), move & 7
            if bit & _KINGS:
                return 5, run(bit), 0
            return (3 if observation.cards('stalls', STALLS[stall]) else 2), run(bit), move >> 3

        return max(observation.legal, key=worth)


GAME: Final = Kings()
KingsRound.game = GAME
