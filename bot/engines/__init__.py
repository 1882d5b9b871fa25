"""The rules alone: no Discord, no storage, no clock. Every module or package here that defines `GAME` is a game; nothing lists them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from .base import Game

__all__ = ['games']


@cache
def games() -> Mapping[str, Game[Any]]:
    """All games by id, in the order of their ids. Raises ValueError when a game's id is not the name of its module or package."""
    found: dict[str, Game[Any]] = {}
    for module in sorted(iter_modules(__path__), key=lambda module: module.name):
        game = getattr(import_module(f'{__name__}.{module.name}'), 'GAME', None)
        if game is not None:
            if game.id != module.name:
                raise ValueError(f'the game in {module.name} calls itself {game.id!r}')
            found[game.id] = game
    return MappingProxyType(found)
