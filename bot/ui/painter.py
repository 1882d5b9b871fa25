"""Draws boards and hands: soon after a change, but each message at most once in an interval, and only when it looks different.

Editing happens outside the table's lock, in the background: discord.py waits out rate limits inside the call.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import discord
from discord import ui

from ..clock import Handle
from ..storage import StorageError
from ..table import Table, TableError
from .board import board
from .hand import hand

if TYPE_CHECKING:
    from ..app import CardBot

log: Final = logging.getLogger(__name__)

UNKNOWN_MESSAGE: Final = 10008
CLOSED_MESSAGES: Final = 50007
SCROLLED_AWAY: Final = 15
"""After so many messages of others a board is posted anew at its next change."""

Draw = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Picture:
    """One message that is drawn again and again."""

    guild_id: int
    draw: Draw | None = None
    """What has to be drawn next; None when nothing has changed since."""
    busy: bool = False
    timer: Handle | None = None
    last: float = 0.0
    """When it was drawn last, in seconds since the epoch."""
    shown: bytes = b''
    """A digest of what it shows."""


class Painter:
    """Keeps every board and every hand up to date. Nothing is drawn for a server that Discord does not show us now."""

    def __init__(self, bot: CardBot, interval: float, max_age: float) -> None:
        """`interval`: seconds between two edits of one message; `max_age`: seconds after which a board is posted anew."""
        self._bot = bot
        self._interval = interval
        self._max_age = max_age
        self._pictures: dict[tuple[int, int], _Picture] = {}
        self._closed: set[int] = set()
        self._since: dict[int, int] = {}

    def server_is_there(self, guild_id: int) -> None:
        """Draws what has changed at the tables of a server while it was not to be seen."""
        for key, picture in list(self._pictures.items()):
            if picture.guild_id == guild_id:
                self._go_on(key)

    def changed(self, table: Table) -> None:
        """Draws the board of this table, and the hands of those who play there."""
        self._want(table, 0, partial(self._board, table))
        for number, seat in enumerate(table.seats):
            if not seat.left and (table.state == 'playing' or seat.hand_message):
                self._want(table, seat.person.id, partial(self._hand, table, number))

    def anew(self, table: Table) -> None:
        """Posts the board anew, below everything else in its channel."""
        self._want(table, 0, partial(self._board, table, anew=True))

    def message_seen(self, table: Table) -> None:
        """Somebody wrote in the channel of this table."""
        self._since[table.id] = self._since.get(table.id, 0) + 1

    def reopened(self, user_id: int) -> None:
        """This person acts in direct messages again: hands may be sent there."""
        self._closed.discard(user_id)

    # --- when ------------------------------------------------------------------------------------------------------

    def _want(self, table: Table, whose: int, draw: Draw) -> None:
        """`whose` is the user whose hand it is, or 0 for the board."""
        key = (table.id, whose)
        self._pictures.setdefault(key, _Picture(table.guild_id)).draw = draw
        self._go_on(key)

    def _go_on(self, key: tuple[int, int]) -> None:
        """Draws now, or as soon as the interval is over."""
        picture = self._pictures.get(key)
        if picture is None or picture.busy or picture.timer or picture.draw is None or not self._bot.sees(picture.guild_id):
            return
        wait = picture.last + self._interval - self._bot.clock.now()
        if wait > 0:
            picture.timer = self._bot.clock.call_later(wait, partial(self._due, key))
        else:
            picture.busy = True
            self._bot.clock.spawn(self._paint(key, picture))

    def _due(self, key: tuple[int, int]) -> None:
        self._pictures[key].timer = None
        self._go_on(key)

    async def _paint(self, key: tuple[int, int], picture: _Picture) -> None:
        draw, picture.draw = picture.draw, None
        assert draw is not None
        try:
            await draw()
        except (discord.HTTPException, StorageError, TableError) as error:
            log.warning('table %d: its message could not be drawn: %s', key[0], error)
        except Exception:
            log.exception('table %d: a fault while drawing', key[0])
        picture.busy = False
        picture.last = self._bot.clock.now()
        if picture.draw is None and self._bot.host.is_closed(key[0]):
            self._pictures.pop(key, None)
        self._go_on(key)

    # --- what ------------------------------------------------------------------------------------------------------

    async def _board(self, table: Table, *, anew: bool = False) -> None:
        view = board(table, self._bot.public_words(table.guild_id))
        picture = self._pictures[table.id, 0]
        digest = _digest(view)
        old = table.board_message
        posted = discord.utils.snowflake_time(old).timestamp() if old else 0.0
        anew = anew or self._since.get(table.id, 0) >= SCROLLED_AWAY or self._bot.clock.now() - posted > self._max_age
        if old and not anew and digest != picture.shown:
            try:
                await self._message(table.board_channel or table.channel_id, old).edit(view=view, allowed_mentions=_mentions(table))
            except discord.NotFound as error:
                if error.code != UNKNOWN_MESSAGE:
                    raise
                anew = True
        if not old or anew:
            channel = self._bot.get_partial_messageable(table.channel_id)
            message = await channel.send(view=view, allowed_mentions=_mentions(table), silent=old is not None)
            self._since[table.id] = 0
            await self._bot.host.board_posted(table, table.channel_id, message.id)
            if old:
                await self._forget(table.board_channel or table.channel_id, old)
        picture.shown = digest
        if not table.open:
            self._since.pop(table.id, None)

    async def _hand(self, table: Table, number: int) -> None:
        if number >= len(table.seats):
            return
        seat = table.seats[number]
        user_id = seat.person.id
        if user_id in self._closed or seat.left:
            return
        picture = self._pictures[table.id, user_id]
        view = hand(
            table, user_id, self._bot.private_words(user_id, table.guild_id), server=self._bot.server_name(table.guild_id), direct=True
        )
        digest = _digest(view)
        if digest == picture.shown:
            return
        try:
            if seat.hand_channel and seat.hand_message:
                try:
                    await self._message(seat.hand_channel, seat.hand_message).edit(view=view)
                    picture.shown = digest
                    return
                except discord.NotFound:
                    pass
            if table.state != 'playing':
                return
            channel = await self._bot.create_dm(discord.Object(user_id))
            message = await channel.send(view=view, allowed_mentions=discord.AllowedMentions.none())
        except discord.Forbidden as error:
            if error.code != CLOSED_MESSAGES:
                raise
            self._closed.add(user_id)
            text = self._bot.public_words(table.guild_id)('hand.closed', mention=f'<@{user_id}>')
            await self._bot.get_partial_messageable(table.channel_id).send(
                text, allowed_mentions=discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(user_id)])
            )
            return
        picture.shown = digest
        await self._bot.host.hand_sent(table, number, channel.id, message.id)

    def _message(self, channel_id: int, message_id: int) -> discord.PartialMessage:
        return self._bot.get_partial_messageable(channel_id).get_partial_message(message_id)

    async def _forget(self, channel_id: int, message_id: int) -> None:
        try:
            await self._message(channel_id, message_id).delete()
        except discord.HTTPException as error:
            log.info('an old board could not be deleted: %s', error.code)


def _digest(view: ui.LayoutView) -> bytes:
    shown = json.dumps(view.to_components())  # type: ignore[no-untyped-call]
    return blake2b(shown.encode(), digest_size=16).digest()


def _mentions(table: Table) -> discord.AllowedMentions:
    """Nobody is mentioned but the person whose turn it is."""
    users: list[discord.abc.Snowflake] = []
    if table.state == 'playing' and table.match:
        users = [discord.Object(table.seats[table.match.round.turn].person.id)]
    return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)
