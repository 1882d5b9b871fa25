"""Deletes the boards of lobbies that were closed before a match began, and their rows in the database, after a time."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

import discord

from ..clock import Handle
from ..storage import ClosedLobby, StorageError
from ..tables.table import Table
from .faults import FAULTS, cause
from .messages import message_at
from .services import Services

log: Final = logging.getLogger(__name__)

KEPT: Final = 3_600.0
"""Seconds for which a closed lobby can still be seen."""
AGAIN: Final = 600.0
"""Seconds until it is tried again what could not be deleted."""


class Tidying:
    """Looks for closed lobbies when one is due, also for those from before a restart."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._timer: Handle | None = None

    def changed(self, table: Table) -> None:
        """A lobby may have been closed."""
        if table.state == 'closed' and self._timer is None:
            self._look_in(KEPT)

    def restored(self) -> None:
        """The bot has started: there may be lobbies that were closed before."""
        if self._timer is None:
            self._look_in(AGAIN)

    def _look_in(self, seconds: float) -> None:
        self._timer = self._services.clock.call_later(seconds, self._look)

    def _look(self) -> None:
        self._timer = None
        self._services.clock.spawn(self._tidy())

    async def _tidy(self) -> None:
        """Has everything deleted that is due, and sets the timer to what is due next."""
        services = self._services
        try:
            lobbies = await services.store.closed_lobbies()
        except StorageError:  # the store has logged it
            lobbies, pause = [], AGAIN
        else:
            now = services.clock.now()
            due = [lobby for lobby in lobbies if lobby.closed + KEPT <= now]
            for lobby in due:
                services.throttle.ask(('tidy', lobby.id), partial(self._begin, lobby), urgent=False, guild_id=lobby.guild_id)
            later = [lobby.closed + KEPT - now for lobby in lobbies[len(due) :]]
            pause = AGAIN if due else min(later, default=0.0)
        if pause and self._timer is None:
            self._look_in(pause)

    def _begin(self, lobby: ClosedLobby) -> None:
        self._services.clock.spawn(self._delete(lobby))

    async def _delete(self, lobby: ClosedLobby) -> None:
        try:
            if lobby.board_channel_id and lobby.board_message_id:
                await message_at(self._services.client, lobby.board_channel_id, lobby.board_message_id).delete()
        except (discord.NotFound, discord.Forbidden):
            pass  # it is gone, or beyond reach
        except FAULTS as error:
            log.info('the board of closed table %d could not be deleted: %s', lobby.id, cause(error))
            return
        try:
            await self._services.store.delete_closed_lobby(lobby.id)
        except StorageError as error:
            log.info('closed table %d could not be deleted: %s', lobby.id, error)
