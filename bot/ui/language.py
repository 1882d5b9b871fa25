"""Texts for one reader: the catalogue in that reader's language, with names escaped and cards written as the game's cog writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Protocol

from discord import app_commands

from ..engines.base import Event, MoveError, param_kind
from ..engines.options import OptionError
from ..storage import StorageError
from ..tables.table import Table, TableError
from ..text import Catalogues

Refusal = MoveError | OptionError | TableError | StorageError
REFUSALS: Final = (MoveError, OptionError, TableError, StorageError)
"""What is answered with a sentence; anything else is an error in the bot."""

LEGAL_SHOWN: Final = 12
"""How many legal moves an answer lists."""
LEGAL_LENGTH: Final = 600
"""Characters that these moves may take together; of longer ones fewer are listed."""


@cache
def catalogues() -> Catalogues:
    """The catalogues, read once."""
    return Catalogues.load()


def described(key: str, **params: Any) -> app_commands.locale_str:
    """The English text of a command or option for its declaration; the translator finds the other languages by key and params."""
    return app_commands.locale_str(catalogues().get('en', key, **params), key=key, params=params)


_SPECIAL: Final = re.compile(r'[\\`*_~|<@\[\]]|:(?=//)|^[#>+-]')
"""What could begin markdown, a mention or a link; at the start of a line also a heading, a quote or a list."""
_TURNS: Final = {'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'}
"""Classes of the signs that turn the direction of what follows."""


def escape_name(name: str) -> str:
    """A name as it may stand in a message: one line, no markdown, no mention, and it leaves everything beside it in its place."""
    name = ' '.join(name.split())
    name = ''.join(sign for sign in name if unicodedata.category(sign) != 'Cc' and unicodedata.bidirectional(sign) not in _TURNS)
    if not any(sign.isprintable() and sign != ' ' for sign in name):
        return '?'
    escaped = _SPECIAL.sub(r'\\\g<0>', name)
    if any(unicodedata.bidirectional(sign) in ('R', 'AL') for sign in name):
        return f'\u2068{escaped}\u2069'  # from right to left: set apart, so that the numbers beside it do not move to its other side
    return escaped


class CardNames(Protocol):
    """Knows how the cards of one game are written in a text (`bot.ui.game_view.GameView`)."""

    def card(self, card: int, language: Language, /) -> str: ...


class Language:
    """Everything that is said in one language."""

    def __init__(self, code: str, game_views: Mapping[str, CardNames]) -> None:
        self.code = code
        self.game_views = game_views

    def __call__(self, key: str, /, **params: Any) -> str:
        """The text of a key. Raises KeyError for a key that no catalogue has."""
        return catalogues().get(self.code, key, **params)

    def has(self, key: str) -> bool:
        return catalogues().has('en', key)

    def name(self, table: Table, seat: int) -> str:
        """The name of whoever holds a seat, safe to print."""
        return escape_name(table.name(seat))

    def listed(self, parts: Iterable[str]) -> str:
        return ', '.join(parts)

    def _params(self, table: Table | None, game_id: str, params: Mapping[str, Any]) -> dict[str, Any]:
        game_view = self.game_views[game_id]
        said = dict(params)
        for name, value in params.items():
            match param_kind(name):
                case 'card' if isinstance(value, int):
                    said[name] = game_view.card(value, self)
                case 'cards':
                    said[name] = self.listed(game_view.card(card, self) for card in value)
                case 'seat' if table is not None:
                    said[name] = self.name(table, value)
                case 'moves':
                    said[name] = self.listed(f'`{move}`' for move in value)
        return said

    def event(self, table: Table, event: Event) -> str:
        """One line on what happened."""
        game_id = table.game.id
        player = '' if event.seat is None else self.name(table, event.seat)
        if self.has(f'event.{event.kind}'):
            said = {name: escape_name(str(value)) for name, value in event.params.items()}
            return self(f'event.{event.kind}', player=player, **said)
        return self(f'{game_id}.event.{event.kind}', player=player, **self._params(table, game_id, event.params))

    def refusal(self, error: Refusal, table: Table | None = None, legal: Sequence[str] = ()) -> str:
        """Why something was refused, with the paragraph of the rules that says so and the legal moves, where there are any."""
        said = dict(getattr(error, 'params', {}))
        key = f'storage.{error.code}' if isinstance(error, StorageError) else f'reason.{error.code}'
        lines = []
        if table is not None and isinstance(error, MoveError):
            said = self._params(table, table.game.id, said)
            section = table.game.reasons.get(error.code)
            if section is not None:
                key = f'{table.game.id}.reason.{error.code}'
            lines.append(self(key, **said))
            if section is not None:
                title = self(f'{table.game.id}.rules.{section}.title')
                lines.append(self('refusal.section', title=title, game=table.game.id, section=section))
        else:
            lines.append(self(key, **said))
        if legal:
            lines.append(self.legal(legal))
        return '\n'.join(lines)

    def legal(self, moves: Sequence[str]) -> str:
        """What the player can do now, in one line; of many moves the first."""
        first = list(moves[:LEGAL_SHOWN])
        while len(first) > 1 and sum(map(len, first)) > LEGAL_LENGTH:
            first.pop()
        shown, more = self.listed(f'`{move}`' for move in first), len(moves) - len(first)
        return self('refusal.legal-more', moves=shown, n=more) if more > 0 else self('refusal.legal', moves=shown)
