"""The villain-capture game as a whole: seats, options, cards, the deal, and who wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from ..base import Game, Match, Observation, Option, Options, Round, Zones
from ..cards import drawn, shuffled
from . import player
from .cards import IDS, NUMBERS, PACK
from .moves import DRAW, VillainsMove
from .round import HAND_LIMIT, VillainsRound


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
        return list(PACK)

    def card_text(self, card: int) -> str:
        return IDS[card]

    def card(self, text: str) -> int:
        return NUMBERS[text]

    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round | None) -> VillainsRound:
        start = drawn(seats, seed, 'start')
        cards = shuffled(PACK, seed, number)
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
        return player.choose(observation)


GAME: Final = Villains()
VillainsRound.game = GAME
