"""Ninety-nine: everybody adds a card to the count, and whoever cannot stay below 100 loses the round.

An old family game; https://www.pagat.com/adders/99.html tells of its many forms. This one is kept plain: aces count 1, number cards
their number, jacks and queens 10, kings nothing. It shows what a game consists of, clear rather than fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .base import Event, Game, IllegalMoveError, Observation, Round, Sees, UnreadableMoveError, Zone, Zones
from .cards import CARDS, NUMBER, deal_hands, normal, read_cards
from .options import Option, Options

LIMIT: Final = 99
"""The highest count."""
HAND: Final = 3
"""Cards in a hand; after each play one is drawn. The count is above 99 long before the stock is empty."""
FOLD: Final = -1
"""The move of a player whose cards all go above the limit. All other moves are cards."""
VALUES: Final = tuple(0 if card % 13 == 12 else min(card % 13 + 1, 10) for card in range(52))
"""By card, what it adds to the count."""


class NinetynineRound(Round[int]):
    """One round. A move is the card played, or `FOLD`; a fact beside the common ones is `count`."""

    __slots__ = ('count', 'hands', 'pile', 'stock')

    def __init__(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> None:
        super().__init__(seats, options, facts)
        self.hands: list[list[int]] = [sorted(hand) for hand in zones.get('hands', [[] for _ in range(seats)])]
        self.stock: list[int] = list(zones.get('stock', []))
        self.pile: list[int] = list(zones.get('pile', []))
        self.count: int = facts.get('count', 0)

    def legal_moves(self) -> Sequence[int]:
        return [card for card in self.hands[self.turn] if self.count + VALUES[card] <= LIMIT] or [FOLD]

    def apply(self, move: int, events: list[Event] | None = None) -> None:
        seat, seen = self.turn, [] if events is None else events
        if move == FOLD:
            seen.append(Event('folded', seat, {}))
            self.over, self.reason = True, 'folded'
            self.points = [int(other == seat) for other in range(self.seats)]
            return
        self.hands[seat].remove(move)
        self.pile.append(move)
        self.count += VALUES[move]
        seen.append(Event('played', seat, {'card': move, 'count': self.count}))
        if self.stock:
            drawn = self.stock.pop(0)
            self.hands[seat] = sorted([*self.hands[seat], drawn])
            seen.append(Event('drew', seat, {'card': drawn}, seen_by=(seat,)))
        self.turn = (seat + 1) % self.seats

    def why_not(self, move: int) -> IllegalMoveError:
        if move == FOLD:
            return IllegalMoveError('can-play')
        if move not in self.hands[self.turn]:
            return IllegalMoveError('not-held', card=move)
        return IllegalMoveError('above-limit', card=move, count=self.count + VALUES[move])

    def default_move(self) -> int:
        return min(self.legal_moves(), key=lambda move: VALUES[move])

    def copy(self) -> NinetynineRound:
        zones = {'hands': self.hands, 'stock': self.stock, 'pile': self.pile}
        twin = NinetynineRound(self.seats, self.options, zones, self.facts())
        twin.over, twin.points, twin.reason = self.over, list(self.points), self.reason
        return twin

    def zones(self) -> list[Zone]:
        hands = [Zone('hands', seat, list(hand), (seat,)) for seat, hand in enumerate(self.hands)]
        return [*hands, Zone('pile', None, list(self.pile), None), Zone('stock', None, list(self.stock), ())]

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), 'count': self.count}

    @staticmethod
    def format_move(move: int) -> str:
        return 'fold' if move == FOLD else f'play {CARDS[move]}'

    def parse_move(self, text: str) -> int:
        typed = normal(text).strip()
        if typed == 'FOLD':
            return FOLD
        cards = read_cards(typed.removeprefix('PLAY '))
        if cards is None or len(cards) != 1:
            raise UnreadableMoveError('unreadable')
        return cards[0]


class Ninetynine(Game[int]):
    """The rules without a position."""

    id = 'ninetynine'
    seats = range(2, 8)
    usual_seats = range(2, 8)
    options = (Option('losses', default=3, low=1, high=5),)
    low_wins = True
    zones = {'hands': Sees.OWNER, 'pile': Sees.EVERYONE, 'stock': Sees.NOBODY}  # noqa: RUF012 (declared in the base class)
    sections = ('goal', 'turn', 'end')
    reasons = {'not-held': 'turn', 'above-limit': 'turn', 'can-play': 'end'}  # noqa: RUF012

    def pack(self, seats: int) -> list[int]:
        return list(range(52))

    def card_text(self, card: int) -> str:
        return CARDS[card]

    def card(self, text: str) -> int:
        return NUMBER[text]

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        return {'hands': deal_hands(cards, seats, HAND, start), 'stock': cards[seats * HAND :], 'pile': []}

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> NinetynineRound:
        return NinetynineRound(seats, options, zones, facts)

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[int]) -> list[int]:
        return self.best(totals) if max(totals) >= options['losses'] else []

    def greedy(self, observation: Observation[int]) -> int:
        """The highest card that fits: low cards and kings are for later."""
        return max(observation.legal, key=lambda move: VALUES[move])


GAME: Final = Ninetynine()
NinetynineRound.game = GAME
