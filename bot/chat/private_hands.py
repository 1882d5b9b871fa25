"""Hands in channels: private answers that only their player sees.

Discord lets the bot edit such an answer only by the token of the interaction that it answers, for 15 minutes. So long the newest one of
each player is kept up to date; older ones show no cards any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import discord
from discord import ui

from ..tables.table import Table
from ..ui.hand import retired_hand
from ..ui.pictures import Picture
from .faults import FAULTS
from .hands import Rendered, render_hand
from .messages import Key, LiveMessage, LiveMessages, digest
from .replies import Edit
from .services import Services
from .tokens import LIFE


@dataclass(slots=True)
class LiveAnswer(LiveMessage):
    """The newest private answer that shows somebody their hand."""

    message_id: int = 0
    edit: Edit | None = None
    """None when it cannot be edited any more."""
    until: float = 0.0
    """When its token dies, in seconds since the epoch."""


class PrivateHands(LiveMessages[LiveAnswer]):
    """Keeps the newest private answer of each player up to date."""

    kind = LiveAnswer
    name = 'the private hand'

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._users: dict[int, set[int]] = {}
        """By table, whose private hands are kept up to date."""

    def changed(self, table: Table) -> None:
        """Brings the private hands of this table up to date."""
        for user_id in tuple(self._users.get(table.id, ())):
            self._want(table, user_id)

    def shown(self, table: Table, user_id: int, rendered: Rendered, choosing: tuple[int, int] | None, message_id: int, edit: Edit) -> None:
        """A private answer shows this hand now; it is the newest. `choosing`: it shows a choice half made for this position."""
        live = self._message(table, user_id)
        if live.edit is not None and live.message_id != message_id:
            self._services.clock.spawn(self._retire(live.edit, table, user_id))
        live.message_id, live.edit, live.until = message_id, edit, self._services.clock.now() + LIFE
        live.shown, live.choosing = digest(rendered[0]), choosing
        self._users.setdefault(table.id, set()).add(user_id)
        self.release(table.id, user_id)

    async def _retire(self, edit: Edit, table: Table, user_id: int) -> None:
        """Takes the cards out of an answer that is not the newest any more; where that fails, Discord hides it soon anyway."""
        language = self._services.languages.of_person(user_id, table.guild_id)
        with suppress(*FAULTS):
            await edit(view=retired_hand(self._services.game_view(table), language), attachments=[])

    def _keys(self, table: Table) -> Iterable[Key]:
        return [(table.id, user_id) for user_id in self._users.get(table.id, ())]

    def _urgent(self, live: LiveAnswer) -> bool:
        return True

    def _uncounted(self, live: LiveAnswer) -> bool:
        return True

    def _done(self, live: LiveAnswer) -> bool:
        return super()._done(live) or live.edit is None or self._services.clock.now() > live.until

    def _forgotten(self, live: LiveAnswer) -> None:
        users = self._users.get(live.table.id, set())
        users.discard(live.user_id)
        if not users:
            self._users.pop(live.table.id, None)

    def _render(self, live: LiveAnswer) -> Rendered | None:
        if live.edit is None or self._services.clock.now() > live.until:
            return None
        table, language = live.table, self._services.languages.of_person(live.user_id, live.table.guild_id)
        lost = table.state == 'playing' and table.seat_of(live.user_id) is None
        return render_hand(self._services, table, live.user_id, language, direct=lost)

    async def _send(self, live: LiveAnswer, view: ui.LayoutView, picture: Picture | None) -> None:
        assert live.edit is not None
        await self._services.pictures.send(view, picture, live.edit, edit=True)
        live.shown = digest(view)

    async def _refused(self, live: LiveAnswer, error: Exception) -> None:
        """Dismissed by the person, or its token has died; anything but that is tried again."""
        if isinstance(error, discord.HTTPException) and error.status < 500 and error.status != 429:
            live.edit, live.wanted = None, False

    def _log_refusal(self, live: LiveAnswer, error: Exception) -> None:
        """People dismiss such answers all the time."""
