"""The villain-capture game as a whole: seats, options, cards, the deal, and who wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from ..base import Game, Observation, Round, Sees, Zones
from ..cards import deal_hands
from ..options import Option, Options
from . import player
from .cards import IDS, NUMBERS, PACK
from .moves import VillainsMove
from .round import HAND_LIMIT, VillainsRound


class Villains(Game[VillainsMove]):
    """2 to 10 seats, 121 cards, one round; the most points in prison win."""

    id = 'villains'
    seats = range(2, 11)
    usual_seats = range(2, 7)
    options = (Option('hand', 7, 3, HAND_LIMIT),)
    low_wins = False
    zones: ClassVar[Mapping[str, Sees]] = {
        'hands': Sees.OWNER,
        'deck': Sees.NOBODY,
        'discard': Sees.EVERYONE,
        'prisons': Sees.EVERYONE,
        'villain': Sees.EVERYONE,
        'hero': Sees.EVERYONE,
    }
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
        return list(PACK)

    def card_text(self, card: int) -> str:
        return IDS[card]

    def card(self, text: str) -> int:
        return NUMBERS[text]

    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        hands = deal_hands(cards, seats, options['hand'], start)
        return {'hands': hands, 'deck': cards[seats * options['hand'] :]}

    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> VillainsRound:
        return VillainsRound(seats, options, zones, facts)

    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[VillainsMove]) -> list[int]:
        return self.best(totals)

    def greedy(self, observation: Observation[VillainsMove]) -> VillainsMove:
        return player.choose(observation)


GAME: Final = Villains()
VillainsRound.game = GAME
