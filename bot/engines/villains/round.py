"""The round of the villain-capture game: whose decision it is, what is legal, and what a move does."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

from ..base import Event, IllegalMoveError, Round, Zone, Zones
from ..options import Options
from .cards import (
    ATTACHED_TYPES,
    FIRST_ATTACHED,
    HELPER_TYPES,
    HERO_TYPES,
    POINTS,
    TYPES,
    VILLAIN_TYPES,
    XRAY,
    missing,
    printed_points,
    villain_points,
)
from .moves import (
    CAPTURE,
    DISCARD,
    DISCARDS,
    DRAW,
    DRAW_DECK,
    DRAWS,
    MOST_PLOTS,
    MOST_WEAPONS,
    OPPONENTS,
    PASS,
    SECOND,
    SKIP,
    VillainsMove,
    capture_moves,
    format_move,
    opponent_moves,
    second_moves,
)
from .reading import parse_move

HAND_LIMIT: Final = 7
IDLE_ROUNDS: Final = 2
"""After this many turns of every seat without a card from the deck or a capture, the game ends."""
_ONLY_SKIP: Final = [SKIP]
_ONLY_PASS: Final = [PASS]


class VillainsRound(Round[VillainsMove]):
    """One game.

    Facts beside the common ones: `active`, the seat whose turn it is, also while opponents have their windows; `phase`; `idle`, the
    number of turns in a row, the present one included, in which nobody drew from the deck and nobody captured; `looks`, for each
    seat the seats that have looked at its hand with X-Ray Vision since it last drew. They still know that hand: until its owner
    draws, cards only leave it, and face up.

    The cards of a running attempt are in two more zones, `villain` and `hero`, which exist only while it runs. Records show zones at
    the deal and at the end of the round, when there is no attempt. Only villains and Superman have copies, and a capture takes one of
    each at most: the cards of an attempt are all different.
    """

    __slots__ = ('hands', 'deck', 'discard', 'prisons', 'villain', 'hero', 'active', 'phase', 'idle', 'looks')

    hands: list[list[int]]
    """Sorted."""
    deck: list[int]
    """The card drawn next is last."""
    discard: list[int]
    prisons: list[list[int]]
    villain: list[int]
    """The villain's side of the running attempt, in the order played; empty when there is none."""
    hero: list[int]

    def __init__(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> None:
        super().__init__(seats, options, facts)
        hands, prisons, looks = zones.get('hands', []), zones.get('prisons', []), facts.get('looks', [])
        self.hands = [*map(sorted, hands), *([] for _ in range(seats - len(hands)))]
        self.deck = zones.get('deck', [])[::-1]
        self.discard = list(zones.get('discard', []))
        self.prisons = [*map(list, prisons), *([] for _ in range(seats - len(prisons)))]
        self.villain, self.hero = list(zones.get('villain', [])), list(zones.get('hero', []))
        self.active = facts.get('active', self.turn)
        self.phase, self.idle = facts.get('phase', DRAW), facts.get('idle', 0)
        self.looks: list[tuple[int, ...]] = [*map(tuple, looks), *[()] * (seats - len(looks))]

    def legal_moves(self) -> list[VillainsMove]:
        phase = self.phase
        hand = self.hands[self.turn]
        if phase == DRAW:
            moves = [DRAWS[card] for card in sorted(set(self.discard))]
            return [DRAW_DECK, *moves] if self.deck else moves
        if phase == DISCARD:
            due = len(hand) - HAND_LIMIT
            if due == 1:
                return [DISCARDS[card] for card in sorted(set(hand))]
            return [VillainsMove('discard', cards) for cards in sorted(set(combinations(hand, due)))]
        if phase == CAPTURE:
            if not hand or hand[0] >= FIRST_ATTACHED:
                return _ONLY_SKIP
            moves = capture_moves(hand)
        elif phase == OPPONENTS:
            weapons, plots = self.room()
            return opponent_moves(hand, weapons, plots) if weapons or plots else _ONLY_PASS
        else:
            moves = second_moves(hand)
        return moves + self._looking(moves) if XRAY in hand else moves

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
            if TYPES[card] == 'W':
                weapons -= 1
            elif TYPES[card] == 'O':
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
        """Raises IllegalMoveError unless the seat on turn may make this move."""
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
        for side, types, code in ((villain, VILLAIN_TYPES, 'not-with-villain'), (hero, HERO_TYPES, 'not-with-hero')):
            for card in side:
                if TYPES[card] not in types:
                    raise IllegalMoveError(code, card=card)
        kinds = [TYPES[card] for card in villain]
        if 'V' not in kinds:
            raise IllegalMoveError('no-villain')
        if kinds.count('V') > 1:
            raise IllegalMoveError('second-villain')
        if kinds.count('W') > MOST_WEAPONS:
            raise IllegalMoveError('third-weapon')
        if kinds.count('O') > MOST_PLOTS:
            raise IllegalMoveError('second-plot')
        if sum(TYPES[card] == 'S' for card in hero) > 1:
            raise IllegalMoveError('second-superman')
        self._judge_held(villain)
        self._judge_held(hero)
        self._judge_look(hero, xray)
        against = villain_points(villain)
        if printed_points(hero) <= against:
            raise IllegalMoveError('too-weak', hero=printed_points(hero), villain=against, n=missing(villain, hero))

    def _judge_add(self, cards: tuple[int, ...], xray: int | None) -> None:
        if not cards:
            raise IllegalMoveError('nothing-named')
        kinds = [TYPES[card] for card in cards]
        if self.phase == OPPONENTS:
            for card, kind in zip(cards, kinds, strict=True):
                if kind not in ATTACHED_TYPES:
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
                if kind not in HELPER_TYPES:
                    raise IllegalMoveError('only-hero-cards', card=card)
        self._judge_held(cards)
        self._judge_look(cards, xray)

    def _judge_held(self, cards: tuple[int, ...]) -> None:
        hand = iter(self.hands[self.turn])
        for card in cards:
            if card not in hand:  # `in` moves the iterator past the card it finds; both are sorted, so a copy counts once
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
            # The turn counts as idle unless a capture succeeds in it.
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
            events.append(Event('declared', seat, {'cards': list(villain), 'total': villain_points(villain)}))
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
            totals = {'villain': villain_points(self.villain), 'hero': printed_points(self.hero)}
            events.append(Event(kind, self.turn, {'cards': list(cards), **totals}))
        if xray is not None:
            self._look(xray, events)

    def _look(self, seat: int, events: list[Event] | None) -> None:
        """The seat on turn sees that seat's hand."""
        viewer = self.turn
        if viewer not in self.looks[seat]:
            self.looks[seat] = (*self.looks[seat], viewer)
        if events is not None:
            events.append(Event('looked', viewer, {'seat': seat}))
            kind = 'saw-hand' if self.hands[seat] else 'saw-empty-hand'
            events.append(Event(kind, viewer, {'seat': seat, 'cards': self.hands[seat][:]}, (viewer,)))

    def _resolve(self, events: list[Event] | None) -> None:
        villain, hero, active = self.villain, self.hero, self.active
        caught = printed_points(hero) > villain_points(villain)
        if events is not None:
            totals = {'villain': villain_points(villain), 'hero': printed_points(hero)}
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
        elif self.idle >= IDLE_ROUNDS * self.seats:
            self._end('stall')
        else:
            self.turn = self.active = (self.active + 1) % self.seats
            self.phase = DRAW

    def _end(self, reason: str) -> None:
        self.over, self.reason = True, reason
        self.points = [printed_points(prison) for prison in self.prisons]

    def default_move(self) -> VillainsMove:
        """Draws from the deck, discards the cards of fewest points, declares no capture, adds no card."""
        if self.phase == DISCARD:
            hand = self.hands[self.turn]
            return VillainsMove('discard', tuple(sorted(sorted(hand, key=POINTS.__getitem__)[: len(hand) - HAND_LIMIT])))
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
        looks = [list(viewers) for viewers in self.looks]
        return super().facts() | {'active': self.active, 'phase': self.phase, 'idle': self.idle, 'looks': looks}

    @staticmethod
    def format_move(move: VillainsMove) -> str:
        return format_move(move)

    def parse_move(self, text: str) -> VillainsMove:
        return parse_move(text, self.phase)
