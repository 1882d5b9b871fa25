"""Messages that are kept up to date: each soon after a change, at most once in an interval, and only when it looks different.

Editing happens outside the table's lock, in the background: discord.py waits out rate limits inside the call.
"""

from __future__ import annotations

import json
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, Final, Generic, TypeVar

import discord
from discord import ui

from ..clock import Backoff, Handle
from ..storage import StorageError
from ..tables.table import Table, TableError
from ..ui.pictures import Picture
from .client import Client
from .faults import FAULTS, cause
from .services import Services

log: Final = logging.getLogger(__name__)

RETRY: Final = (5.0, 15.0, 60.0, 300.0, 900.0)
"""Seconds until what Discord refused is tried again."""

Update = Callable[[], Awaitable[None]]
Key = tuple[int, int]
"""A table, and the user whose message it is: 0 for the board."""


@dataclass(slots=True)
class LiveMessage:
    """One message that is kept up to date."""

    table: Table
    user_id: int = 0
    """Whose message it is; 0 for the board."""
    update: Update | None = None
    """What brings it up to date; None when nothing has changed since the last time."""
    busy: bool = False
    timer: Handle | None = None
    last: float = 0.0
    """When it was last updated, in seconds since the epoch."""
    backoff: Backoff = field(default_factory=lambda: Backoff(RETRY))
    shown: bytes = b''
    """A digest of what it shows."""
    nonce: str = ''
    """Names the message that is being posted: when its answer was lost, the next try gets that message instead of a second one."""


M = TypeVar('M', bound=LiveMessage)


class LiveMessages(ABC, Generic[M]):
    """Keeps messages of one kind up to date. Nothing is sent for a server that Discord does not show us now."""

    kind: type[M]
    name: str
    """What the log calls such a message."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._live: dict[Key, M] = {}
        self.retry_pauses = RETRY

    @abstractmethod
    def _urgent(self, live: M) -> bool:
        """Whether it goes before others when more is to be sent than Discord allows."""

    @abstractmethod
    async def _refused(self, live: M, error: Exception) -> None:
        """Decides what a refusal means; a message whose `update` is still set is tried again."""

    @abstractmethod
    def _keys(self, table: Table) -> Iterable[Key]:
        """The messages of a table."""

    def _done(self, live: M) -> bool:
        """Whether the message will never change again."""
        return self._services.host.is_closed(live.table.id)

    def _forgotten(self, live: M) -> None:
        """The message is kept up to date no longer."""

    def retry(self, guild_id: int) -> None:
        """Sends at once what is still to be sent in a server: it is there again, or something was allowed."""
        for table in self._services.host.tables_in(guild_id):
            for key in self._keys(table):
                if (live := self._live.get(key)) is not None:
                    if live.backoff.failures and live.timer:
                        live.timer.cancel()
                        live.timer = None
                    self._go_on(key, at_once=bool(live.backoff.failures))

    # --- when ------------------------------------------------------------------------------------------------------

    def _want(self, table: Table, user_id: int, update: Update) -> M:
        """Has `update` called soon, instead of an earlier one that still waits."""
        key = (table.id, user_id)
        live = self._live.get(key)
        if live is None:
            live = self._live[key] = self.kind(table, user_id, backoff=Backoff(self.retry_pauses))
        live.update = update
        self._go_on(key)
        return live

    def _go_on(self, key: Key, *, at_once: bool = False) -> None:
        """Updates now, or as soon as the interval is over, or after a refusal when it is time to try again."""
        live = self._live.get(key)
        if live is None or live.busy or live.timer or live.update is None or not self._services.sees(live.table.guild_id):
            return
        pause = live.backoff.pause or self._services.settings.board_interval
        wait = 0.0 if at_once else live.last + pause - self._services.clock.now()
        if wait > 0:
            live.timer = self._services.clock.call_later(wait, partial(self._due, key))
        else:
            self._services.throttle.ask(key, partial(self._begin, key), urgent=self._urgent(live))

    def _begin(self, key: Key) -> None:
        live = self._live.get(key)
        if live and not live.busy and live.update is not None and self._services.sees(live.table.guild_id):
            live.busy = True
            self._services.clock.spawn(self._run(key, live))

    def _due(self, key: Key) -> None:
        self._live[key].timer = None
        self._go_on(key, at_once=True)

    async def _run(self, key: Key, live: M) -> None:
        update, live.update = live.update, None
        assert update is not None
        try:
            await update()
            live.backoff.worked()
        except TableError:
            pass  # the table has ended meanwhile, and is updated for that
        except (*FAULTS, StorageError) as error:
            live.backoff.failed()
            live.update = live.update or update
            self._log_refusal(live, error)
            await self._refused(live, error)
        except Exception:
            log.exception('table %d in server %d: an error while updating %s', key[0], live.table.guild_id, self.name)
        finally:
            live.busy = False
            live.last = self._services.clock.now()
        if self._done(live) and (live.update is None or live.backoff.failures > len(live.backoff.pauses)):
            self._live.pop(key, None)
            self._forgotten(live)
        self._go_on(key)

    def _log_refusal(self, live: M, error: Exception) -> None:
        if live.backoff.failures == 1 and live.table.open:
            said = error if isinstance(error, StorageError) else cause(error)
            whose = f' of user {live.user_id}' if live.user_id else ''
            log.warning('table %d in server %d: %s%s could not be updated: %s', live.table.id, live.table.guild_id, self.name, whose, said)

    # --- sending ---------------------------------------------------------------------------------------------------

    async def _post(
        self, live: M, channel: discord.abc.Messageable, view: ui.LayoutView, picture: Picture | None, **how: Any
    ) -> discord.Message:
        """Posts a message. When it was posted before but the answer was lost, Discord gives that one back, which is brought up to date."""
        again = bool(live.nonce)
        live.nonce = live.nonce or secrets.token_hex(8)
        pictures = self._services.pictures
        message = await pictures.send(view, picture, partial(channel.send, nonce=live.nonce, **how), edit=False)
        if again:
            await pictures.send(view, picture, message.edit, edit=True)
        live.nonce = ''
        return message

    async def _delete(self, channel_id: int, message_id: int) -> None:
        """Deletes a message that another one has replaced; where that fails it stays."""
        try:
            await message_at(self._services.client, channel_id, message_id).delete()
        except FAULTS as error:
            log.info('an old message in channel %d could not be deleted: %s', channel_id, cause(error))


def message_at(client: Client, channel_id: int, message_id: int) -> discord.PartialMessage:
    """A message to be edited or deleted, without asking Discord for it first."""
    return client.get_partial_messageable(channel_id).get_partial_message(message_id)


def digest(view: ui.LayoutView) -> bytes:
    """Equal for messages that look equal."""
    shown = json.dumps(view.to_components())  # type: ignore[no-untyped-call]
    return blake2b(shown.encode(), digest_size=16).digest()
