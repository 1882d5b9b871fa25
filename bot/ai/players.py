"""The computer players by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Final

from ..engines.base import Move, Observation

Player = Callable[[Observation, Random], Move]
"""Gives a legal move for the viewer of an observation, whose turn it is. Chance comes from the generator alone."""


def random(observation: Observation, rng: Random) -> Move:
    """Any legal move, all equally likely."""
    return observation.legal[int(rng.random() * len(observation.legal))]


def greedy(observation: Observation, rng: Random) -> Move:
    """The game's own plain sense."""
    return observation.game.greedy(observation)


PLAYERS: Final[Mapping[str, Player]] = MappingProxyType({'random': random, 'greedy': greedy})
