"""Edits of messages through interactions' own tokens, which Discord counts against no limit of the bot.

A press on a message gives a token that edits this message for 15 minutes
(https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import discord

from .faults import REFUSED_TOKEN

LIFE: Final = 14 * 60.0
"""Seconds for which a token is used, a minute less than it lives."""


class Tokens:
    """The freshest token of each message that somebody has pressed a button or menu on."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._fresh: dict[int, tuple[float, discord.Interaction]] = {}
        """By message, oldest first."""

    def remember(self, interaction: discord.Interaction) -> None:
        """Keeps the token of an acknowledged press."""
        if interaction.message is not None and interaction.type is discord.InteractionType.component:
            self._fresh.pop(interaction.message.id, None)
            self._fresh[interaction.message.id] = (self._now(), interaction)
            while self._fresh and self._now() - self._fresh[oldest := next(iter(self._fresh))][0] > LIFE:
                del self._fresh[oldest]

    def has(self, message_id: int | None) -> bool:
        """Whether this message can be edited by a token."""
        fresh = self._fresh.get(message_id or 0)
        return fresh is not None and self._now() - fresh[0] <= LIFE

    async def edit(self, message: discord.PartialMessage, **what: Any) -> None:
        """Edits a message: by its token where there is one that Discord takes, else through its channel. Raises as
        `discord.PartialMessage.edit`."""
        if self.has(message.id):
            try:
                await self._fresh[message.id][1].edit_original_response(**what)
                return
            except discord.HTTPException as error:
                if error.code not in REFUSED_TOKEN:
                    raise
                del self._fresh[message.id]
        await message.edit(**what)
