"""Every press of a button or menu comes through here; custom ids say what they mean (`bot.ui.custom_ids`).

Buttons are plain items in views that discord.py does not keep (`view.stop()` before sending), so they work after a restart
and on boards that have been redrawn since.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import discord

from .replies import Answer, answer, custom_id

if TYPE_CHECKING:
    from ..app import CardBot

Handler = Callable[['discord.Interaction[CardBot]', str, list[str]], Awaitable[Answer]]
"""Gets the interaction, the custom id and the chosen values of a menu."""


class Router:
    """Finds the handler of a press by the prefix of its custom id."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def on(self, prefix: str, handler: Handler) -> None:
        """Sends every id that begins with `prefix:` to this handler. Raises ValueError when the prefix is taken."""
        if prefix in self._handlers:
            raise ValueError(f'the prefix {prefix} is taken')
        self._handlers[prefix] = handler

    def off(self, prefix: str) -> None:
        """Forgets the handler of a prefix."""
        del self._handlers[prefix]

    async def dispatch(self, interaction: discord.Interaction[CardBot]) -> None:
        """Answers a press; ids that nobody knows get a sentence too."""
        if interaction.type is not discord.InteractionType.component:
            return
        pressed = custom_id(interaction)
        data: Mapping[str, Any] = interaction.data or {}
        values = [str(value) for value in data.get('values') or []]
        handler = self._handlers.get(pressed.partition(':')[0])

        async def work() -> Answer:
            if handler is None:
                return interaction.client.language_for(interaction)('reason.old-button')
            return await handler(interaction, pressed, values)

        await answer(interaction, work)
