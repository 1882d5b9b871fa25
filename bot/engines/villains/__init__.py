"""The Superman villain-capture game (fan game of the Warp Spawn Games collection): lock up the most powerful villains.

Source: the game's printed rules and card list, kept as facts in `cards.json`. Where they leave a question open, the paragraphs
of `/rules` (texts `villains.rules.*`) answer it.
"""

from __future__ import annotations

from .cards import (
    ATTACHED_TYPES,
    CARDS,
    HELPER_TYPES,
    HERO_TYPES,
    XRAY,
    Bonus,
    missing,
    printed_points,
    strongest_hero,
    villain_total,
)
from .game import GAME
from .moves import CAPTURE, DISCARD, DRAW, DRAW_DECK, OPPONENTS, PASS, SECOND, SKIP, VillainsMove, capture_move
from .round import IDLE_ROUNDS, VillainsRound

__all__ = [
    'ATTACHED_TYPES',
    'CAPTURE',
    'CARDS',
    'DISCARD',
    'DRAW',
    'DRAW_DECK',
    'GAME',
    'HELPER_TYPES',
    'HERO_TYPES',
    'IDLE_ROUNDS',
    'OPPONENTS',
    'PASS',
    'SECOND',
    'SKIP',
    'XRAY',
    'Bonus',
    'VillainsMove',
    'VillainsRound',
    'capture_move',
    'missing',
    'printed_points',
    'strongest_hero',
    'villain_total',
]
