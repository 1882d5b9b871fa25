"""Every press of a button or menu comes through here; custom ids say what they mean (`bot.ui.custom_ids`).

Buttons are plain items in views that discord.py does not keep (`view.stop()` before sending), so they work after a restart and on
boards that have been updated since. discord.py's own way, `ui.DynamicItem`, would do that too; but it logs and drops what a callback
raises and answers nothing to an id that no pattern matches, while here each press is acknowledged first and always answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import discord

from ..tables.table import Table, TableError
from ..ui.custom_ids import Press
from .replies import Answer, Replies

Handler = Callable[[discord.Interaction[Any], str, list[str]], Awaitable[Answer]]
"""Gets the interaction, the custom id and the chosen values of a menu."""
GameHandler = Callable[[discord.Interaction[Any], Table, Press, list[str]], Awaitable[Answer]]
"""Gets the interaction, its table, what was pressed there, and the chosen values of a menu."""


class Router:
    """Finds the handler of a press by the prefix of its custom id."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self._handlers: dict[str, Handler] = {}
        self.games: dict[str, GameHandler] = {}
        """By game id, what answers the buttons and menus that only this game has."""

    def on(self, prefix: str, handler: Handler) -> None:
        """Sends every id that begins with `prefix:` to this handler. Raises ValueError when the prefix is taken."""
        if prefix in self._handlers:
            raise ValueError(f'the prefix {prefix} is taken')
        self._handlers[prefix] = handler

    def off(self, prefix: str) -> None:
        """Forgets the handler of a prefix."""
        del self._handlers[prefix]

    async def dispatch(self, interaction: discord.Interaction[Any]) -> None:
        """Answers a press; ids that nobody knows get a sentence too."""
        if interaction.type is discord.InteractionType.component:
            data: Mapping[str, Any] = interaction.data or {}
            pressed = str(data.get('custom_id', ''))
            values = [str(value) for value in data.get('values') or []]
            handler = self._handlers.get(pressed.partition(':')[0], _unknown)
            await self._replies.answer(interaction, handler, pressed, values)


async def _unknown(_interaction: discord.Interaction[Any], _pressed: str, _values: list[str]) -> Answer:
    raise TableError('old-button')
