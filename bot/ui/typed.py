"""What people type into the options of commands: moves, and the beginnings of what an autocomplete offers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from discord import app_commands

from ..engines.cards import normal
from .game_view import LABEL, MENU

Choices = list[app_commands.Choice[str]]


def sentence(verb: str, *parts: str, between: str = ' ') -> str:
    """A move from a verb and the parts that were typed, where the first part may begin with the verb already."""
    text = between.join(part.strip() for part in parts if part.strip())
    return text if normal(text).startswith(verb.upper()) else f'{verb} {text}'


def fitting(typed: str, choices: Iterable[tuple[str, str]], verb: str = '') -> Choices:
    """The first choices, given as labels and values, that have every word that was typed, except the `verb` of the command.

    Only letters, digits and suits matter: `10h`, `10♥` and `th` find the same card. Values that are too long for Discord are left out,
    because a part of a move would be another move.
    """
    words = [_letters(word) for word in re.split(r'[\s,;+|]+', typed) if word.casefold() != verb]
    fits = ((label, value) for label, value in choices if all(word in _letters(f'{label} {value}') for word in words))
    return [app_commands.Choice(name=label[:LABEL], value=value) for label, value in fits if len(value) <= LABEL][:MENU]


def _letters(text: str) -> str:
    """The letters and digits of a text, with a letter for each sign of a suit."""
    return ''.join(filter(str.isalnum, normal(text)))
