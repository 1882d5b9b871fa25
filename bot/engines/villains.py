"""The Superman villain-capture game (fan game of the Warp Spawn Games collection): lock up the most powerful villains.

Source: the game's printed rules and card list, kept as facts in `villains.json`. What they leave open is decided in the
paragraphs of `/rules` (texts `villains.rules.*`).

A card is a place in CARDS: villains first, then weapons and plots, then the hero's cards, each part by id. So a sorted hand
reads by side, and a side sorted as text, its villain first, is a side sorted as ints. Copies exist only of villains and of Superman, of
which a capture takes one, so the cards of an attempt are all different.

The cards of a running attempt lie in two zones of their own, `villain` and `hero`, which are there only while it runs: a record
shows zones at the deal and at the end of the round, when there is none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import Any, ClassVar, Final, NamedTuple

from .base import Event, Game, IllegalMoveError, Match, Observation, Option, Options, Round, UnreadableMoveError, Zone, Zones
from .cards import drawn, shuffled

HAND_LIMIT: Final = 7
MOST_WEAPONS, MOST_PLOTS = 2, 1

DRAW, DISCARD, CAPTURE, OPPONENTS, SECOND = 'draw', 'discard', 'capture', 'opponents', 'second'
"""The phases of a turn. In `opponents` each opponent has a window, in `second` the active seat a second one."""


class VillainsMove(NamedTuple):
    """One decision. What its kind has no use for is empty."""

    kind: str
    """`draw`, `discard`, `capture`, `skip`, `add` or `pass`."""
    cards: tuple[int, ...] = ()
    """Sorted: the card drawn (none: from the deck), the cards discarded or added."""
    villain: tuple[int, ...] = ()
    """The villain's side of a capture, sorted, so the villain is first."""
    hero: tuple[int, ...] = ()
    """The hero's side of a capture, sorted."""
    xray: int | None = None
    """The seat whose hand X-Ray Vision looks at."""


SKIP: Final = VillainsMove('skip')
PASS: Final = VillainsMove('pass')
DRAW_DECK: Final = VillainsMove('draw')
_new: Final = tuple.__new__
"""Makes a move in half the time of `VillainsMove(…)`, for lists of a hundred."""


# --- the cards ------------------------------------------------------------------------------------------------------


class Card(NamedTuple):
    """What is printed on a card."""

    id: str
    name: str
    type: str
    """S Superman, P power, A ally, E equipment; V villain, W weapon, O plot."""
    points: int
    copies: int
    bonus: int
    """Points added to the villain's side, once, when one of `partners` is on it too."""
    partners: tuple[int, ...]
    special: str | None
    """`x-ray`, or None."""
    note: str


def _printed() -> tuple[Card, ...]:
    rows = json.loads(files(__package__).joinpath('villains.json').read_text('utf-8'))['cards']
    rows.sort(key=lambda row: (row['type'] != 'V', row['type'] in 'SPAE', row['id']))
    place = {row['id']: card for card, row in enumerate(rows)}
    return tuple(
        Card(
            row['id'], row['name'], row['type'], row['points'], row['copies'],
            row['bonus']['points'] if row['bonus'] else 0, tuple(place[name] for name in row['bonus']['with']) if row['bonus'] else (),
            row['special'], row['note'],
        )
        for row in rows
    )  # fmt: skip


CARDS: Final = _printed()
_NUMBER: Final = {card.id: number for number, card in enumerate(CARDS)}
_PACK: Final = [number for number, card in enumerate(CARDS) for _ in range(card.copies)]
_IDS: Final = tuple(card.id for card in CARDS)
_TYPES: Final = tuple(card.type for card in CARDS)
_POINTS: Final = tuple(card.points for card in CARDS)
_BONUS: Final = tuple(card.bonus for card in CARDS)
_BITS: Final = tuple(1 << number for number in range(len(CARDS)))
_PARTNERS: Final = tuple(sum(_BITS[partner] for partner in card.partners) for card in CARDS)
"""By card: its partners, as bits."""
_VILLAINS: Final = _TYPES.count('V')
"""Cards below are villains."""
_HEROES: Final = min(_TYPES.index(kind) for kind in 'SPAE')
"""Cards from here on are the hero's."""
XRAY: Final = next(number for number, card in enumerate(CARDS) if card.special == 'x-ray')

_DRAWS: Final = tuple(VillainsMove('draw', (card,)) for card in range(len(CARDS)))
_DISCARDS: Final = tuple(VillainsMove('discard', (card,)) for card in range(len(CARDS)))
_ONLY_SKIP: Final = [SKIP]
_ONLY_PASS: Final = [PASS]


# --- the two sides of an attempt ------------------------------------------------------------------------------------


class Bonus(NamedTuple):
    """One bonus that counts in an attempt."""

    card: int
    """The card that carries it."""
    points: int
    partner: int
    """The card it counts with (of several, the first)."""


def villain_total(cards: Iterable[int]) -> tuple[int, list[Bonus]]:
    """The points of a villain's side, bonuses included, and these bonuses one by one."""
    side = list(cards)
    bonuses = [
        Bonus(card, CARDS[card].bonus, min(partner for partner in CARDS[card].partners if partner in side))
        for card in side
        if not set(CARDS[card].partners).isdisjoint(side)
    ]
    return sum(_POINTS[card] for card in side) + sum(bonus.points for bonus in bonuses), bonuses


def printed_points(cards: Iterable[int]) -> int:
    """The printed points: what a hero's side counts, and what the cards of a prison are worth."""
    return sum(_POINTS[card] for card in cards)


def missing(villain: Iterable[int], hero: Iterable[int]) -> int:
    """How many points the hero's side still needs to exceed the villain's; 0 when it does."""
    return max(0, villain_total(villain)[0] + 1 - printed_points(hero))


def capture_move(cards: Iterable[int], xray: int | None = None) -> VillainsMove:
    """The move that plays these cards as a capture, each on the side of its type; `xray` is the seat whose hand is looked at."""
    side = sorted(cards)
    at = bisect_left(side, _HEROES)
    return VillainsMove('capture', (), tuple(side[:at]), tuple(side[at:]), xray)


def _against(side: Iterable[int]) -> int:
    """The total of `villain_total` alone, fast."""
    total = there = 0
    for card in side:
        total += _POINTS[card]
        there |= _BITS[card]
    for card in side:
        if _PARTNERS[card] & there:
            total += _BONUS[card]
    return total


def _attachments(hand: Iterable[int], weapons: int, plots: int) -> list[tuple[int, ...]]:
    """Every set of at most so many weapons and plots of the hand, the empty one first."""
    able = [card for card in hand if _VILLAINS <= card < _HEROES]
    if not able:
        return [()]
    armed: list[tuple[int, ...]] = [()]
    with_plot: list[tuple[int, ...]] = []
    for card in able:
        if _TYPES[card] == 'O':
            if plots:
                with_plot += [(*cards, card) for cards in armed]
        elif weapons:
            armed += [(*cards, card) for cards in armed if len(cards) < weapons]
            with_plot += [(*cards, card) for cards in with_plot if len(cards) <= weapons]
    return armed + with_plot


def _hero_sides(hand: Iterable[int], superman: bool) -> list[tuple[tuple[int, ...], int]]:
    """Every set of the hand's hero cards, with its points, the empty one first; with at most one Superman, or none."""
    plain: list[tuple[tuple[int, ...], int]] = [((), 0)]
    led: list[tuple[tuple[int, ...], int]] = []
    last = -1
    for card in hand:
        if card >= _HEROES and card != last:
            points = _POINTS[card]
            if _TYPES[card] != 'S':
                led += [((*cards, card), total + points) for cards, total in led]
                plain += [((*cards, card), total + points) for cards, total in plain]
            elif superman:
                led += [((*cards, card), total + points) for cards, total in plain]
            last = card
    return plain + led


def _captures(hand: Sequence[int]) -> list[VillainsMove]:
    """Every capture that a sorted hand can declare, without a look at another hand."""
    moves: list[VillainsMove] = []
    heroes = _hero_sides(hand, superman=True)
    strongest = max([total for _, total in heroes])
    attachments: list[tuple[int, ...]] = []
    last = -1
    for villain in hand:
        if villain >= _VILLAINS:
            break
        if villain == last or _POINTS[villain] >= strongest:
            continue
        last = villain
        attachments = attachments or _attachments(hand, MOST_WEAPONS, MOST_PLOTS)
        for attached in attachments:
            side = (villain, *attached)
            against = _against(side)
            if against < strongest:
                moves += [_new(VillainsMove, ('capture', (), side, cards, None)) for cards, total in heroes if total > against]
    return moves


# --- the round ------------------------------------------------------------------------------------------------------


class VillainsRound(Round):
    """One game. Facts beside the common ones: `active`, the seat whose turn it is while opponents have their windows;
    `phase`; `idle`, the turns in a row, with the one that runs, in which nobody drew from the deck and nobody captured;
    `looks`, by seat, who has seen the hand with X-Ray Vision since its owner last drew.

    Until its owner draws, whoever looked at a hand still knows it, for what leaves it goes to the table; so a look lasts that long.
    """

    __slots__ = (
        'seats', 'options', 'start', 'dealer', 'turn', 'over', 'points', 'reason',
        'hands', 'deck', 'discard', 'prisons', 'villain', 'hero', 'active', 'phase', 'idle', 'looks',
    )  # fmt: skip

    hands: list[list[int]]
    """Sorted."""
    deck: list[int]
    """The card drawn next is last."""
    discard: list[int]
    prisons: list[list[int]]
    villain: list[int]
    """The villain's side of the running attempt, in the order played; empty when there is none."""
    hero: list[int]

    def __init__(self, seats: int, options: Options, start: int, hands: list[list[int]], deck: list[int]) -> None:
        self.seats, self.options = seats, options
        self.start = self.turn = self.active = start
        self.dealer = None
        self.over, self.points, self.reason = False, [], ''
        self.hands, self.deck, self.discard = hands, deck, []
        self.prisons = [[] for _ in range(seats)]
        self.villain, self.hero = [], []
        self.phase, self.idle = DRAW, 0
        self.looks: list[tuple[int, ...]] = [()] * seats

    def legal_moves(self) -> list[VillainsMove]:
        phase = self.phase
        hand = self.hands[self.turn]
        if phase == DRAW:
            moves = [_DRAWS[card] for card in sorted(set(self.discard))]
            return [DRAW_DECK, *moves] if self.deck else moves
        if phase == DISCARD:
            due = len(hand) - HAND_LIMIT
            if due == 1:
                return [_DISCARDS[card] for card in sorted(set(hand))]
            return [VillainsMove('discard', cards) for cards in sorted(set(combinations(hand, due)))]
        if phase == CAPTURE:
            if hand and hand[0] < _VILLAINS and (moves := _captures(hand)):
                return [SKIP, *moves, *self._looking(moves)] if XRAY in hand else [SKIP, *moves]
            return _ONLY_SKIP
        if phase == OPPONENTS:
            weapons, plots = self.room()
            if weapons or plots:
                return [PASS, *[_new(VillainsMove, ('add', cards, (), (), None)) for cards in _attachments(hand, weapons, plots)[1:]]]
            return _ONLY_PASS
        moves = [_new(VillainsMove, ('add', cards, (), (), None)) for cards, _ in _hero_sides(hand, superman=False)[1:]]
        return [PASS, *moves, *self._looking(moves)] if XRAY in hand else [PASS, *moves]

    def _looking(self, moves: list[VillainsMove]) -> list[VillainsMove]:
        """Those of the moves that play X-Ray Vision, once for each hand that can be looked at."""
        others = [seat for seat in range(self.seats) if seat != self.turn]
        return [
            VillainsMove(kind, cards, villain, hero, seat)
            for kind, cards, villain, hero, _ in moves
            if XRAY in cards or XRAY in hero
            for seat in others
        ]

    def room(self) -> tuple[int, int]:
        """How many weapons and how many plots still fit the villain of the running attempt."""
        weapons, plots = MOST_WEAPONS, MOST_PLOTS
        for card in self.villain:
            if _TYPES[card] == 'W':
                weapons -= 1
            elif _TYPES[card] == 'O':
                plots -= 1
        return weapons, plots

    def is_legal(self, move: VillainsMove) -> bool:
        try:
            self._judge(move)
        except IllegalMoveError:
            return False
        return True

    def why_not(self, move: VillainsMove) -> IllegalMoveError:
        """Raises ValueError for a move that is legal."""
        try:
            self._judge(move)
        except IllegalMoveError as refusal:
            return refusal
        raise ValueError('the move is legal')

    def _judge(self, move: VillainsMove) -> None:
        """Raises IllegalMoveError unless the seat to move may do this."""
        kind, phase = move.kind, self.phase
        hand = self.hands[self.turn]
        if phase == DRAW:
            if kind != 'draw':
                raise IllegalMoveError('draw-first')
            self._judge_draw(move.cards)
        elif phase == DISCARD:
            due = len(hand) - HAND_LIMIT
            if kind != 'discard':
                raise IllegalMoveError('already-drawn') if kind == 'draw' else IllegalMoveError('discard-first', n=due)
            if len(move.cards) != due:
                raise IllegalMoveError('discard-count', n=due, given=len(move.cards))
            self._judge_held(move.cards)
        elif phase == CAPTURE:
            if kind == 'capture':
                self._judge_capture(move.villain, move.hero, move.xray)
            elif kind != 'skip':
                raise IllegalMoveError({'draw': 'already-drawn', 'discard': 'no-discard'}.get(kind, 'no-attempt'))
        elif kind == 'add':
            self._judge_add(move.cards, move.xray)
        elif kind != 'pass':
            raise IllegalMoveError('one-attempt') if kind == 'capture' and phase == SECOND else IllegalMoveError('window')

    def _judge_draw(self, cards: tuple[int, ...]) -> None:
        if not cards:
            if not self.deck:
                raise IllegalMoveError('deck-empty')
        elif len(cards) > 1:
            raise IllegalMoveError('draw-one')
        elif not self.discard:
            raise IllegalMoveError('discard-empty')
        elif cards[0] not in self.discard:
            raise IllegalMoveError('not-in-discard', card=cards[0])

    def _judge_capture(self, villain: tuple[int, ...], hero: tuple[int, ...], xray: int | None) -> None:
        for side, types, code in ((villain, 'VWO', 'not-with-villain'), (hero, 'SPAE', 'not-with-hero')):
            for card in side:
                if _TYPES[card] not in types:
                    raise IllegalMoveError(code, card=card)
        kinds = [_TYPES[card] for card in villain]
        if 'V' not in kinds:
            raise IllegalMoveError('no-villain')
        if kinds.count('V') > 1:
            raise IllegalMoveError('second-villain')
        if kinds.count('W') > MOST_WEAPONS:
            raise IllegalMoveError('third-weapon')
        if kinds.count('O') > MOST_PLOTS:
            raise IllegalMoveError('second-plot')
        if sum(_TYPES[card] == 'S' for card in hero) > 1:
            raise IllegalMoveError('second-superman')
        self._judge_held(villain)
        self._judge_held(hero)
        self._judge_look(hero, xray)
        against = _against(villain)
        if printed_points(hero) <= against:
            raise IllegalMoveError('too-weak', hero=printed_points(hero), villain=against, n=missing(villain, hero))

    def _judge_add(self, cards: tuple[int, ...], xray: int | None) -> None:
        if not cards:
            raise IllegalMoveError('nothing-named')
        kinds = [_TYPES[card] for card in cards]
        if self.phase == OPPONENTS:
            for card, kind in zip(cards, kinds, strict=True):
                if kind not in 'WO':
                    raise IllegalMoveError('only-weapon-or-plot', card=card)
            weapons, plots = self.room()
            if kinds.count('W') > weapons:
                raise IllegalMoveError('third-weapon')
            if kinds.count('O') > plots:
                raise IllegalMoveError('second-plot')
        else:
            for card, kind in zip(cards, kinds, strict=True):
                if kind == 'S':
                    raise IllegalMoveError('late-superman', card=card)
                if kind not in 'PAE':
                    raise IllegalMoveError('only-hero-cards', card=card)
        self._judge_held(cards)
        self._judge_look(cards, xray)

    def _judge_held(self, cards: tuple[int, ...]) -> None:
        hand = iter(self.hands[self.turn])
        for card in cards:
            if card not in hand:  # goes on from the card found before: both are sorted
                raise IllegalMoveError('not-held', card=card)

    def _judge_look(self, cards: tuple[int, ...], xray: int | None) -> None:
        if xray is None:
            return
        if XRAY not in cards:
            raise IllegalMoveError('look-without-x-ray')
        if not 0 <= xray < self.seats:
            raise IllegalMoveError('look-at-nobody', last=self.seats - 1)
        if xray == self.turn:
            raise IllegalMoveError('look-at-own-hand')

    def apply(self, move: VillainsMove, events: list[Event] | None = None) -> None:
        phase = self.phase
        if phase == DRAW:
            self._draw(move.cards, events)
        elif phase == DISCARD:
            self._discard(move.cards, events)
        elif phase == CAPTURE:
            if move.kind == 'capture':
                self._declare(move, events)
            else:
                if events is not None:
                    events.append(Event('skipped', self.turn, {}))
                self._end_turn()
        else:
            if move.kind == 'add':
                self._add(move, events)
            elif events is not None:
                events.append(Event('passed', self.turn, {}))
            if phase == SECOND:
                self._resolve(events)
            else:
                self.turn = (self.turn + 1) % self.seats
                if self.turn == self.active:
                    self.phase = SECOND

    def _draw(self, cards: tuple[int, ...], events: list[Event] | None) -> None:
        seat = self.turn
        if not cards:
            self.idle = 0
            drew = self.deck.pop()
            if events is not None:
                events.append(Event('drew', seat, {}))
                events.append(Event('drew-card', seat, {'card': drew}, (seat,)))
                if not self.deck:
                    events.append(Event('last-card', seat, {}))
        else:
            # The turn counts as idle until a capture shows otherwise.
            self.idle += 1
            drew = cards[0]
            self.discard.remove(drew)
            if events is not None:
                events.append(Event('drew-discard', seat, {'card': drew}))
        hand = self.hands[seat]
        insort(hand, drew)
        self.looks[seat] = ()
        self.phase = DISCARD if len(hand) > HAND_LIMIT else CAPTURE

    def _discard(self, cards: tuple[int, ...], events: list[Event] | None) -> None:
        hand = self.hands[self.turn]
        for card in cards:
            hand.remove(card)
        self.discard += cards
        self.phase = CAPTURE
        if events is not None:
            events.append(Event('discarded', self.turn, {'cards': list(cards)}))

    def _declare(self, move: VillainsMove, events: list[Event] | None) -> None:
        _, _, villain, hero, xray = move
        seat = self.turn
        hand = self.hands[seat]
        for card in villain + hero:
            hand.remove(card)
        self.villain, self.hero = list(villain), list(hero)
        if events is not None:
            events.append(Event('declared', seat, {'cards': list(villain), 'total': _against(villain)}))
            events.append(Event('hero-sent', seat, {'cards': list(hero), 'total': printed_points(hero)}))
        if xray is not None:
            self._look(xray, events)
        self.phase = OPPONENTS
        self.turn = (seat + 1) % self.seats

    def _add(self, move: VillainsMove, events: list[Event] | None) -> None:
        cards, xray = move.cards, move.xray
        hand = self.hands[self.turn]
        for card in cards:
            hand.remove(card)
        side, kind = (self.villain, 'villain-helped') if self.phase == OPPONENTS else (self.hero, 'hero-helped')
        side += cards
        if events is not None:
            totals = {'villain': _against(self.villain), 'hero': printed_points(self.hero)}
            events.append(Event(kind, self.turn, {'cards': list(cards), **totals}))
        if xray is not None:
            self._look(xray, events)

    def _look(self, seat: int, events: list[Event] | None) -> None:
        """The seat to move sees that seat's hand."""
        viewer = self.turn
        if viewer not in self.looks[seat]:
            self.looks[seat] = (*self.looks[seat], viewer)
        if events is not None:
            events.append(Event('looked', viewer, {'seat': seat}))
            kind = 'saw-hand' if self.hands[seat] else 'saw-empty-hand'
            events.append(Event(kind, viewer, {'seat': seat, 'cards': self.hands[seat][:]}, (viewer,)))

    def _resolve(self, events: list[Event] | None) -> None:
        villain, hero, active = self.villain, self.hero, self.active
        caught = printed_points(hero) > _against(villain)
        if events is not None:
            totals = {'villain': _against(villain), 'hero': printed_points(hero)}
            if caught:
                points = printed_points(villain)
                events.append(Event('captured', active, {'card': villain[0], 'cards': villain[:], 'points': points, **totals}))
            else:
                events.append(Event('escaped', active, {'card': villain[0], **totals}))
        if caught:
            self.prisons[active] += villain
            self.idle = 0
        else:
            self.discard += villain
        self.discard += hero
        self.villain, self.hero = [], []
        self._end_turn()

    def _end_turn(self) -> None:
        if not self.deck:
            self._end('deck')
        elif self.idle >= 2 * self.seats:
            self._end('stall')
        else:
            self.turn = self.active = (self.active + 1) % self.seats
            self.phase = DRAW

    def _end(self, reason: str) -> None:
        self.over, self.reason = True, reason
        self.points = [printed_points(prison) for prison in self.prisons]

    def default_move(self) -> VillainsMove:
        """From the deck; the cards of fewest points; no capture; no card added."""
        if self.phase == DISCARD:
            hand = self.hands[self.turn]
            return VillainsMove('discard', tuple(sorted(sorted(hand, key=_POINTS.__getitem__)[: len(hand) - HAND_LIMIT])))
        return self.legal_moves()[0]

    def copy(self) -> VillainsRound:
        twin = VillainsRound.__new__(VillainsRound)
        twin.seats, twin.options, twin.start, twin.dealer = self.seats, self.options, self.start, None
        twin.turn, twin.over, twin.points, twin.reason = self.turn, self.over, self.points, self.reason
        twin.hands, twin.deck, twin.discard = [hand[:] for hand in self.hands], self.deck[:], self.discard[:]
        twin.prisons = [prison[:] for prison in self.prisons]
        twin.villain, twin.hero = self.villain[:], self.hero[:]
        twin.active, twin.phase, twin.idle, twin.looks = self.active, self.phase, self.idle, self.looks[:]
        return twin

    def zones(self) -> list[Zone]:
        zones = [
            *(Zone('hands', seat, hand[:], (seat, *self.looks[seat])) for seat, hand in enumerate(self.hands)),
            Zone('deck', None, self.deck[::-1], ()),
            Zone('discard', None, self.discard[:], None),
            *(Zone('prisons', seat, prison[:], None) for seat, prison in enumerate(self.prisons)),
        ]
        if self.villain:
            zones += [Zone('villain', None, self.villain[:], None), Zone('hero', None, self.hero[:], None)]
        return zones

    def facts(self) -> dict[str, Any]:
        return {
            'turn': self.turn, 'start': self.start, 'dealer': None,
            'active': self.active, 'phase': self.phase, 'idle': self.idle, 'looks': [list(viewers) for viewers in self.looks],
        }  # fmt: skip

    @staticmethod
    def format_move(move: VillainsMove) -> str:
        kind, cards, villain, hero, xray = move
        if kind == 'draw':
            return f'draw discard {_IDS[cards[0]]}' if cards else 'draw deck'
        words = [kind]
        if kind == 'discard':
            words += sorted(_IDS[card] for card in cards)
        elif kind == 'capture':
            words += [*(_IDS[card] for card in villain), '|', *(_IDS[card] for card in hero)]
        elif kind == 'add':
            words += [_IDS[card] for card in cards]
        if xray is not None:
            words += ['xray', str(xray)]
        return ' '.join(words)

    def parse_move(self, text: str) -> VillainsMove:
        """As `Round.parse_move`. Cards are known by id, name, or the beginning of either or of a word in it, as far as only one card
        fits; a capture without `|` puts each card on the side of its type, and cards alone are what the phase asks for."""
        if len(text) > _LONGEST or not _TOKEN.search(text):
            raise UnreadableMoveError('unreadable')
        plain = ' '.join(unicodedata.normalize('NFKC', text).casefold().split())
        if plain in ('skip', 'pass'):
            return SKIP if plain == 'skip' else PASS
        if _DECK.fullmatch(plain):
            return DRAW_DECK
        found = _VERB.fullmatch(plain)
        verb, rest = (_VERBS[found[1]], found[2]) if found else (_BARE[self.phase], plain)
        unknown = 'unknown-card' if found else 'unreadable'
        if verb == 'draw':
            cards = _read(_PILE.sub('', rest), unknown)
            if len(cards) != 1:
                raise UnreadableMoveError('draw-one')
            return VillainsMove('draw', (cards[0],))
        if verb == 'discard':
            return VillainsMove('discard', tuple(sorted(_read(rest, unknown))))
        xray = None
        look = _LOOK.search(rest)
        if look:
            rest, xray = rest[: look.start()], int(look[1])
        sides = rest.split('|')
        if len(sides) > (2 if verb == 'capture' else 1):
            raise UnreadableMoveError('unreadable')
        read = [tuple(sorted(_read(side, unknown))) for side in sides]
        if not any(read):
            raise UnreadableMoveError('nothing-named')
        if verb == 'add':
            return VillainsMove('add', read[0], xray=xray)
        if len(read) == 1:
            return capture_move(read[0], xray)
        return VillainsMove('capture', villain=read[0], hero=read[1], xray=xray)


# --- reading --------------------------------------------------------------------------------------------------------

_LONGEST: Final = 4000
"""Characters; a longer text is no move."""
_VERBS: Final = {'draw': 'draw', 'take': 'draw', 'discard': 'discard', 'capture': 'capture', 'add': 'add'}
_BARE: Final = {DRAW: 'draw', DISCARD: 'discard', CAPTURE: 'capture', OPPONENTS: 'add', SECOND: 'add'}
"""By phase: what cards without a verb mean."""
_VERB: Final = re.compile(rf'({"|".join(_VERBS)})\b[ :,]*(.*)')
_DECK: Final = re.compile(r'draw|(?:(?:draw|take) )?(?:from )?(?:the )?deck')
_PILE: Final = re.compile(r'^(?:from )?(?:the )?discards?(?: pile)?\b[ :,]*| from (?:the )?discards?(?: pile)?$')
_LOOK: Final = re.compile(r'(?:^|[ ,;])x-?ray ([0-9]{1,3})$')
_ODD: Final = re.compile(r"[^\w\s,;+&.:'’‑–—-]")
_TOKEN: Final = re.compile(r'[^\W_]+|[,;+]')
_MARKS: Final = frozenset(',;+')
_FILLERS: Final = frozenset({'and', 'plus', 'using', 'with'})
_SMALL: Final = frozenset({'a', 'and', 'in', 'of', 'over', 'than', 'the'})
CANDIDATES: Final = 12
"""So many cards at most are named when a text fits several."""


def _words(text: str) -> list[str]:
    """The words of a text in lower case, and the marks between its parts."""
    return _TOKEN.findall(text.replace('&', ' and ').replace("'", '').replace('’', ''))


def _keys(first: bool) -> list[tuple[str, int]]:
    """What cards are known by, without spaces: the whole name, or its part from any later word on that says something."""
    keys = []
    for number, card in enumerate(CARDS):
        words = [word for word in _words(card.name.casefold()) if word not in _MARKS]
        starts = [0] if first else [at for at in range(1, len(words)) if words[at] not in _SMALL]
        keys += [(''.join(words[at:]), number) for at in starts]
    return sorted(keys)


_NAMES: Final = _keys(first=True)
_PARTS: Final = _keys(first=False)
_EXACT: Final = dict(_NAMES)
_MOST_WORDS: Final = max(len(_words(card.name)) for card in CARDS)


def _starting(keys: list[tuple[str, int]], begin: str) -> list[int]:
    """The cards of which a key begins so, in card order."""
    at = bisect_left(keys, (begin, 0))
    cards = set()
    while at < len(keys) and keys[at][0].startswith(begin):
        cards.add(keys[at][1])
        at += 1
    return sorted(cards)


def _read(text: str, unknown: str) -> list[int]:
    """The cards that a text names. Raises UnreadableMoveError: `unknown`, or `ambiguous` when a name fits several."""
    ids = text.split()
    if all(word in _NUMBER for word in ids):
        return [_NUMBER[word] for word in ids]
    if _ODD.search(text):
        raise UnreadableMoveError(unknown)
    cards: list[int] = []
    words = _words(text)
    at = 0
    while at < len(words):
        card, used = _read_one(words[at : at + _MOST_WORDS])
        if card is not None:
            cards.append(card)
        elif words[at] not in _FILLERS | _MARKS:
            raise UnreadableMoveError(unknown)
        at += used
    return cards


def _read_one(words: list[str]) -> tuple[int | None, int]:
    """The card that the first of these words name, as many as possible, and how many they are; (None, 1) when there is none."""
    for used in range(len(words), 0, -1):
        name = ''.join(word for word in words[:used] if word not in _MARKS)
        if words[used - 1] in _MARKS:
            continue
        if name in _EXACT:
            return _EXACT[name], used
        # A comma can stand inside a whole name ("Truth, Justice, & the American Way"), but it ends a shortened one.
        if _MARKS.isdisjoint(words[:used]):
            fits = _starting(_NAMES, name) or _starting(_PARTS, name)
            if len(fits) == 1:
                return fits[0], used
            if fits:
                raise UnreadableMoveError('ambiguous', cards=fits[:CANDIDATES])
    return None, 1


# --- the game -------------------------------------------------------------------------------------------------------


class Villains(Game):
    """2 to 6 seats, 121 cards, one round; the most points in prison win."""

    id = 'villains'
    seats = range(2, 7)
    usual_seats = range(2, 7)
    options = (Option('hand', 7, 3, HAND_LIMIT),)
    low_wins = False
    sections = ('goal', 'cards', 'deal', 'draw', 'discard', 'capture', 'bonus', 'opponents', 'second', 'result', 'xray', 'end', 'score')
    reasons: ClassVar[Mapping[str, str]] = {
        'draw-first': 'draw',
        'draw-one': 'draw',
        'already-drawn': 'draw',
        'deck-empty': 'draw',
        'discard-empty': 'draw',
        'not-in-discard': 'draw',
        'discard-first': 'discard',
        'discard-count': 'discard',
        'no-discard': 'discard',
        'not-held': 'capture',
        'no-villain': 'capture',
        'second-villain': 'capture',
        'third-weapon': 'capture',
        'second-plot': 'capture',
        'second-superman': 'capture',
        'not-with-villain': 'capture',
        'not-with-hero': 'capture',
        'too-weak': 'capture',
        'one-attempt': 'capture',
        'no-attempt': 'opponents',
        'window': 'opponents',
        'only-weapon-or-plot': 'opponents',
        'only-hero-cards': 'second',
        'late-superman': 'second',
        'look-without-x-ray': 'xray',
        'look-at-own-hand': 'xray',
        'look-at-nobody': 'xray',
        'nothing-named': 'cards',
        'unknown-card': 'cards',
        'ambiguous': 'cards',
    }

    def pack(self, seats: int) -> list[int]:
        return _PACK[:]

    def card_text(self, card: int) -> str:
        return _IDS[card]

    def card(self, text: str) -> int:
        return _NUMBER[text]

    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round | None) -> VillainsRound:
        start = drawn(seats, seed, 'start')
        cards = shuffled(_PACK, seed, number)
        dealt = seats * options['hand']
        hands = [sorted(cards[(seat - start) % seats : dealt : seats]) for seat in range(seats)]
        return VillainsRound(seats, options, start, hands, cards[: dealt - 1 : -1])

    def opening_facts(self, seats: int, options: Options, zones: Zones, number: int, before: Round | None, first: int) -> dict[str, Any]:
        return {'turn': first, 'start': first, 'dealer': None}

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> VillainsRound:
        hands = [sorted(hand) for hand in zones.get('hands', [])]
        hands += [[] for _ in range(seats - len(hands))]
        round_ = VillainsRound(seats, options, facts.get('start', facts['turn']), hands, zones.get('deck', [])[::-1])
        round_.discard = list(zones.get('discard', []))
        for seat, prison in enumerate(zones.get('prisons', [])):
            round_.prisons[seat] += prison
        round_.villain, round_.hero = list(zones.get('villain', [])), list(zones.get('hero', []))
        round_.turn = facts['turn']
        round_.active = facts.get('active', round_.turn)
        round_.phase = facts.get('phase', DRAW)
        round_.idle = facts.get('idle', 0)
        for seat, viewers in enumerate(facts.get('looks', [])):
            round_.looks[seat] = tuple(viewers)
        return round_

    def winners(self, match: Match) -> list[int]:
        return self.best(match.totals)

    def greedy(self, observation: Observation) -> VillainsMove:
        """Goes for the prison worth most that has a good chance to hold, spends as few hero points on it as will do, and helps a
        villain only where that is likely to set it free."""
        moves: tuple[VillainsMove, ...] = observation.legal
        hand = [card for card in observation.cards('hands', observation.viewer) if card is not None]
        phase = observation.facts['phase']
        if phase == DRAW:
            # The first move, from the deck, unless a card of the discard pile makes a better capture possible at once.
            return max(moves, key=lambda move: _plan(sorted([*hand, *move.cards]))[0])
        if phase == DISCARD:
            return max(moves, key=lambda move: (_plan(_without(hand, move.cards))[0], -printed_points(move.cards)))
        if phase == CAPTURE:
            return _plan(hand)[1]
        villain = [card for card in observation.cards('villain') if card is not None]
        hero = printed_points(card for card in observation.cards('hero') if card is not None)
        adds = moves[1:]
        if phase == SECOND:
            needed = _against(villain) + 1 - hero
            adds = tuple(move for move in adds if 0 < needed <= printed_points(move.cards))
        else:
            feared = hero + _HELP * len(observation.cards('hands', observation.facts['active']))
            adds = tuple(move for move in adds if _against(villain) < hero and _against([*villain, *move.cards]) >= feared)
        return min(adds, key=lambda move: printed_points(move.cards), default=PASS)


_RISK: Final = 5
"""Points that a simple player expects the opponents to add for each weapon or plot that still fits."""
_HELP: Final = 3
"""Points that it expects the active seat to add in its second window for each card in hand."""


def _plan(hand: Sequence[int]) -> tuple[int, VillainsMove]:
    """The capture that a sorted hand had better declare, and the printed points it would bring; 0 and SKIP when none is safe enough."""
    best, points, spent = SKIP, 0, 0
    reserve = sum(_POINTS[card] for card in hand if _TYPES[card] in 'PAE')
    for move in _captures(hand):
        side, heroes = move.villain, move.hero
        brings, costs = printed_points(side), printed_points(heroes)
        if (brings, -costs) > (points, -spent):
            reach = reserve + sum(_POINTS[card] for card in heroes if _TYPES[card] == 'S')
            room = MOST_WEAPONS + MOST_PLOTS + 1 - len(side)
            if reach > _against(side) + _RISK * room:
                best, points, spent = move, brings, costs
    return points, best


def _without(hand: Sequence[int], cards: Iterable[int]) -> list[int]:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left


GAME: Final = Villains()
VillainsRound.game = GAME
