"""The computer players by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, Final

from ..engines.base import Move, Observation

Player = Callable[[Observation[Any], Random], Any]
"""Gives a legal move for the viewer of an observation, whose turn it is. All chance comes from the generator."""


def random(observation: Observation[Move], rng: Random) -> Move:
    """Any legal move, all equally likely."""
    return observation.legal[int(rng.random() * len(observation.legal))]


def greedy(observation: Observation[Move], _rng: Random) -> Move:
    """The simple player that every game brings with it."""
    return observation.game.greedy(observation)


PLAYERS: Final[Mapping[str, Player]] = MappingProxyType({'random': random, 'greedy': greedy})
