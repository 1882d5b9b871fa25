"""Messages that are kept up to date: each soon after a change, at most once in an interval, and only when it looks different.

Editing happens outside the table's lock, in the background: discord.py waits out rate limits inside the call.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
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

ANSWER: Final = 0.3
"""Seconds that a message which somebody has pressed waits, since the answer to a press usually shows the change already."""

Key = tuple[int, int]
"""A table, and the user whose message it is: 0 for the board."""


@dataclass(slots=True)
class LiveMessage:
    """One message that is kept up to date."""

    table: Table
    user_id: int = 0
    """Whose message it is; 0 for the board."""
    wanted: bool = False
    """Whether something may have changed since it was last updated."""
    rendered: tuple[ui.LayoutView, Picture | None] | None = None
    """How it is to look, until that is sent or something changes again."""
    busy: bool = False
    work: asyncio.Task[Any] | None = None
    """What updates it while it is busy."""
    timer: Handle | None = None
    last: float = 0.0
    """When it was last updated, in seconds since the epoch."""
    backoff: Backoff = field(default_factory=lambda: Backoff(RETRY))
    choosing: tuple[int, int] | None = None
    """The position for which it shows a choice half made, which stays there as long as the position does."""
    shown: bytes = b''
    """A digest of what it shows; empty when that is not known."""
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
        self._ended: dict[int, set[Key]] = {}
        """By server, the messages of ended tables that have still to be sent."""
        self.retry_pauses = RETRY

    @abstractmethod
    def _urgent(self, live: M) -> bool:
        """Whether it goes before others when more is to be sent than Discord allows."""

    @abstractmethod
    def _render(self, live: M) -> tuple[ui.LayoutView, Picture | None] | None:
        """How the message is to look now; None where there is nothing to send. Raises TableError."""

    @abstractmethod
    async def _send(self, live: M, view: ui.LayoutView, picture: Picture | None) -> None:
        """Edits the message, or posts it. Raises what Discord and the database refuse."""

    @abstractmethod
    def _uncounted(self, live: M) -> bool:
        """Whether it can be edited without counting against Discord's limit (`bot.chat.tokens`)."""

    @abstractmethod
    async def _refused(self, live: M, error: Exception) -> None:
        """Decides what a refusal means; a message that is still `wanted` is tried again."""

    def _pending(self, live: M) -> bool:
        """Whether something has to be done even if the message looks as it should."""
        return False

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
        keys = [key for table in self._services.host.tables_in(guild_id) for key in self._keys(table)]
        for key in (*keys, *self._ended.get(guild_id, ())):
            if (live := self._live.get(key)) is not None:
                if live.backoff.failures and live.timer:
                    live.timer.cancel()
                    live.timer = None
                self._go_on(key, at_once=bool(live.backoff.failures))

    def shows_end(self, table: Table) -> bool:
        """Whether no message of this ended table has still to be sent."""
        return not any(key in self._live for key in self._keys(table))

    def flush(self, most: int) -> list[asyncio.Task[Any]]:
        """Sends at once what waits, at most so many messages, those of ended tables first; the work that has begun."""
        waiting = [(live.table.open, key) for key, live in self._live.items() if live.wanted and not live.busy]
        for _, key in sorted(waiting)[:most]:
            live = self._live[key]
            if live.timer is not None:
                live.timer.cancel()
                live.timer = None
            if self._differs(live):
                self._begin(key)
        return [live.work for live in self._live.values() if live.busy and live.work is not None]

    def release(self, table_id: int, user_id: int) -> None:
        """The message was redrawn by an answer; what has changed since is shown in its time."""
        if (live := self._live.get((table_id, user_id))) is not None:
            live.last = self._services.clock.now()
            if live.timer is not None:
                live.timer.cancel()
                live.timer = None
            self._go_on((table_id, user_id))

    # --- when ------------------------------------------------------------------------------------------------------

    def _want(self, table: Table, user_id: int) -> M:
        """Has this message brought up to date soon."""
        live = self._message(table, user_id)
        live.wanted, live.rendered = True, None
        if not table.open:
            self._ended.setdefault(table.guild_id, set()).add((table.id, user_id))
        self._go_on((table.id, user_id))
        return live

    def _message(self, table: Table, user_id: int) -> M:
        key = (table.id, user_id)
        live = self._live.get(key)
        if live is None:
            live = self._live[key] = self.kind(table, user_id, backoff=Backoff(self.retry_pauses))
        return live

    def _go_on(self, key: Key, *, at_once: bool = False) -> None:
        """Updates now, or as soon as the interval is over, or after a refusal when it is time to try again."""
        live = self._live.get(key)
        if live is None or live.busy or live.timer or not live.wanted or not self._services.sees(live.table.guild_id):
            return
        interval = self._services.settings.board_interval
        wait = 0.0 if at_once else live.last + (live.backoff.pause or interval) - self._services.clock.now()
        if not at_once and self._uncounted(live):
            wait = max(wait, min(interval, ANSWER))
        if wait > 0:
            live.timer = self._services.clock.call_later(wait, partial(self._due, key))
        elif not self._differs(live):
            live.wanted = False
            self._forget_if_done(key, live)
        elif self._uncounted(live):
            self._begin(key)
        else:
            begin = partial(self._begin, key)
            self._services.throttle.ask(key, begin, urgent=self._urgent(live), guild_id=live.table.guild_id)

    def _differs(self, live: M) -> bool:
        """Whether the message does not look as it should, or something else has to be done."""
        if live.table.state == 'playing' and live.choosing == live.table.position:
            return self._pending(live)
        try:
            live.rendered = self._render(live)
        except TableError:
            live.rendered = None
        except Exception:
            log.exception('table %d in server %d: an error while rendering %s', live.table.id, live.table.guild_id, self.name)
            live.rendered = None
        return self._pending(live) or (live.rendered is not None and digest(live.rendered[0]) != live.shown)

    def _begin(self, key: Key) -> None:
        live = self._live.get(key)
        if live and not live.busy and live.wanted and self._services.sees(live.table.guild_id):
            live.busy = True
            live.work = self._services.clock.spawn(self._run(key, live))

    def _due(self, key: Key) -> None:
        self._live[key].timer = None
        self._go_on(key, at_once=True)

    async def _run(self, key: Key, live: M) -> None:
        live.wanted = False
        try:
            rendered, live.rendered = live.rendered or self._render(live), None
            if rendered is not None:
                await self._send(live, *rendered)
            live.backoff.worked()
        except TableError:
            pass  # the table has ended meanwhile, and is updated for that
        except (*FAULTS, StorageError) as error:
            live.backoff.failed()
            live.wanted = True
            self._log_refusal(live, error)
            await self._refused(live, error)
        except Exception:
            log.exception('table %d in server %d: an error while updating %s', live.table.id, live.table.guild_id, self.name)
        finally:
            live.busy = False
            live.last = self._services.clock.now()
        self._forget_if_done(key, live)
        self._go_on(key)

    def _forget_if_done(self, key: Key, live: M) -> None:
        done = self._done(live) and (not live.wanted or live.backoff.failures > len(live.backoff.pauses))
        if done and self._live.pop(key, None) is not None:
            self._ended.get(live.table.guild_id, set()).discard(key)
            self._forgotten(live)
            if not live.table.open:
                self._services.updates.end_shown(live.table, given_up=live.wanted)

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
        self._services.throttle.spend()
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
