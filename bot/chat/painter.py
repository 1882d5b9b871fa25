"""Draws boards and hands: soon after a change, but each message at most once in an interval, and only when it looks different.

Editing happens outside the table's lock, in the background: discord.py waits out rate limits inside the call.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import ui

from ..clock import Handle
from ..storage import StorageError
from ..tables.table import Seat, Table, TableError
from ..tables.time_control import RELAXED
from ..ui.board import board
from ..ui.hand import hand
from ..ui.pictures import Picture, pictured
from .faults import CLOSED_MESSAGES, FAULTS, NO_ACCESS, SHUT_THREAD, TOO_MANY_EDITS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, cause

if TYPE_CHECKING:
    from ..app import CardBot

log: Final = logging.getLogger(__name__)

SCROLLED_AWAY: Final = 15
"""After so many messages of others a board is posted anew at its next change."""
AGAIN: Final = (5.0, 15.0, 60.0, 300.0, 900.0)
"""Seconds until what Discord refused is tried again: the first time, the second, … and then always the last."""

Draw = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Canvas:
    """One message that is drawn again and again."""

    table: Table
    draw: Draw | None = None
    """What has to be drawn next; None when nothing has changed since."""
    busy: bool = False
    timer: Handle | None = None
    last: float = 0.0
    """When it was drawn last, in seconds since the epoch."""
    failures: int = 0
    """How many times in a row Discord has refused it."""
    shown: bytes = b''
    """A digest of what it shows."""
    picture: Picture | None = None
    """The picture that the message is known to show."""
    unsaved: bool = False
    """Whether it still has to be stored where the message lies."""
    sent: tuple[int, int] | None = None
    """Channel and id of a hand that was sent, until the table knows them."""
    nonce: str = ''
    """Names the message that is being posted: when its answer was lost, the next try gets that message instead of a second one."""
    aloud: bool = False
    """Whether the board is next posted with a sound."""
    moved: bool = False
    """Whether people still have to be told that the table goes on elsewhere."""


class Painter:
    """Keeps every board and every hand up to date. Nothing is drawn for a server that Discord does not show us now."""

    def __init__(self, bot: CardBot, interval: float, max_age: float) -> None:
        """`interval`: seconds between two edits of one message; `max_age`: seconds after which a board is posted anew."""
        self._bot = bot
        self._interval = interval
        self._max_age = max_age
        self.again = AGAIN
        self._canvases: dict[tuple[int, int], _Canvas] = {}
        self._closed: set[tuple[int, int]] = set()
        """Tables and users whose direct messages are closed; at the next table it is tried again."""
        self._told: set[int] = set()
        """Users who were told that their direct messages are closed."""
        self._since: dict[int, int] = {}
        self._called: dict[int, tuple[int, int]] = {}
        """By table, the position for which whoever is to play was called last."""

    def restored(self, tables: Iterable[Table]) -> None:
        """These tables come from before a restart: what people were told then, they are not told again."""
        for table in tables:
            if table.state == 'playing':
                self._called[table.id] = table.position
                self._told |= {seat.person.id for seat in table.seats if not seat.hand_message}

    def changed(self, table: Table) -> None:
        """Draws the board of this table, and the hands of those who play there."""
        self._want(table, 0, partial(self._board, table))
        for seat in table.seats:
            if seat.hand_message or (table.state == 'playing' and not seat.departed):
                self._want(table, seat.person.id, partial(self._hand, table, seat.person.id))
        if not table.open:
            self._called.pop(table.id, None)

    def replaced(self, table: Table, former: Seat) -> None:
        """Somebody else has taken this seat over: the hand of whoever held it shows no cards any more."""
        if former.hand_channel and former.hand_message:
            self._want(table, former.person.id, partial(self._last_hand, table, former))

    def call(self, table: Table) -> None:
        """Posts the board anew, with a sound for whoever is to play, once a turn. Only where nobody is hurried: Discord tells nobody of a
        mention in an edit, and where the clock runs there is the reminder."""
        slow = table.time_control is None or table.time_control.id == RELAXED.id
        if table.state != 'playing' or not slow or table.seats[table.turn].auto or not self._wanted(table):
            return
        if self._called.get(table.id) != table.position:
            self._called[table.id] = table.position
            self.anew(table)
            self._canvases[table.id, 0].aloud = True

    def anew(self, table: Table) -> None:
        """Posts the board anew, below everything else in its channel."""
        self._since[table.id] = SCROLLED_AWAY
        self._want(table, 0, partial(self._board, table))

    def retry(self, guild_id: int) -> None:
        """Draws at once what is still to be drawn in a server: it is there again, or something was allowed."""
        for table in self._bot.host.tables_in(guild_id):
            for whose in (0, *(seat.person.id for seat in table.seats)):
                canvas = self._canvases.get((table.id, whose))
                if canvas is not None:
                    if canvas.failures and canvas.timer:
                        canvas.timer.cancel()
                        canvas.timer = None
                    self._go_on((table.id, whose), at_once=bool(canvas.failures))

    def message_seen(self, table: Table) -> None:
        """Somebody wrote in the channel of this table."""
        self._since[table.id] = self._since.get(table.id, 0) + 1

    def reopened(self, user_id: int) -> None:
        """This person acts in direct messages again: hands may be sent there."""
        self._closed = {key for key in self._closed if key[1] != user_id}
        self._told.discard(user_id)

    # --- when ------------------------------------------------------------------------------------------------------

    def _want(self, table: Table, whose: int, draw: Draw) -> None:
        """`whose` is the user whose hand it is, or 0 for the board."""
        key = (table.id, whose)
        self._canvases.setdefault(key, _Canvas(table)).draw = draw
        self._go_on(key)

    def _go_on(self, key: tuple[int, int], *, at_once: bool = False) -> None:
        """Draws now, or as soon as the interval is over, or after a refusal when it is time to try again."""
        canvas = self._canvases.get(key)
        if canvas is None or canvas.busy or canvas.timer or canvas.draw is None or not self._bot.sees(canvas.table.guild_id):
            return
        pause = self.again[min(canvas.failures, len(self.again)) - 1] if canvas.failures else self._interval
        wait = 0.0 if at_once else canvas.last + pause - self._bot.clock.now()
        if wait > 0:
            canvas.timer = self._bot.clock.call_later(wait, partial(self._due, key))
        else:
            self._bot.throttle.ask(key, partial(self._begin, key), urgent=_urgent(canvas.table, key[1]))

    def _begin(self, key: tuple[int, int]) -> None:
        canvas = self._canvases.get(key)
        if canvas and not canvas.busy and canvas.draw is not None and self._bot.sees(canvas.table.guild_id):
            canvas.busy = True
            self._bot.clock.spawn(self._paint(key, canvas))

    def _due(self, key: tuple[int, int]) -> None:
        self._canvases[key].timer = None
        self._go_on(key, at_once=True)

    async def _paint(self, key: tuple[int, int], canvas: _Canvas) -> None:
        draw, canvas.draw = canvas.draw, None
        assert draw is not None
        try:
            await draw()
            canvas.failures = 0
            if key[1] == 0 and canvas.table.waiting_for == 'no-access':
                self._bot.host.unsuspend(canvas.table)
        except TableError:
            pass  # the table has ended meanwhile, and is drawn for that
        except (*FAULTS, StorageError) as error:
            canvas.failures += 1
            canvas.draw = canvas.draw or draw
            await self._refused(key, canvas, error)
        except Exception:
            log.exception('table %d: a fault while drawing', key[0])
        finally:
            canvas.busy = False
            canvas.last = self._bot.clock.now()
        former = key[1] and all(seat.person.id != key[1] for seat in canvas.table.seats)
        if (former or self._bot.host.is_closed(key[0])) and (canvas.draw is None or canvas.failures > len(self.again)):
            self._canvases.pop(key, None)
            self._closed.discard(key)
        self._go_on(key)

    async def _refused(self, key: tuple[int, int], canvas: _Canvas, error: Exception) -> None:
        """Decides what a refusal means: the channel is gone, we may not write there, or just not now."""
        table, code = canvas.table, getattr(error, 'code', 0)
        if canvas.failures == 1 and table.open:
            said = error if isinstance(error, StorageError) else cause(error)
            log.warning('table %d: %s could not be drawn: %s', table.id, 'a hand' if key[1] else 'the board', said)
        if key[1]:
            if isinstance(error, discord.Forbidden | discord.NotFound):
                canvas.draw = None
        elif code == UNKNOWN_CHANNEL:
            canvas.draw = None
            await self._bot.notices.stop(table.id, 'channel-gone')
        elif code in NO_ACCESS or code in SHUT_THREAD:
            if code in SHUT_THREAD and await self._moved_up(table):
                canvas.failures = 0
            elif table.open and table.waiting_for != 'no-access':
                self._bot.host.suspend(table, 'no-access')
                for person in table.people:
                    await self._bot.notices.tell(table, person.id, 'no-access')

    async def _moved_up(self, table: Table) -> bool:
        """Moves a table out of a thread that is shut, into the thread's channel; whether that was possible."""
        try:
            # a thread that is archived is not kept in memory
            thread = self._bot.get_channel(table.channel_id) or await self._bot.fetch_channel(table.channel_id)
            if not isinstance(thread, discord.Thread) or not isinstance(thread.parent, discord.TextChannel):
                return False  # in a forum there is nothing above a post
            await self._bot.host.move_to(table, thread.parent_id)
        except (*FAULTS, discord.DiscordException, TableError, StorageError):
            return False
        self._canvases[table.id, 0].moved = True
        return True

    # --- what ------------------------------------------------------------------------------------------------------

    async def _board(self, table: Table) -> None:
        mention = self._bot.preferences.server(table.guild_id).mentions == 'turn'
        view = board(table, self._bot.public_language(table.guild_id), mention=mention)
        canvas = self._canvases[table.id, 0]
        digest = _digest(view)
        old = table.board_message
        posted = discord.utils.snowflake_time(old).timestamp() if old else 0.0
        anew = self._since.get(table.id, 0) >= SCROLLED_AWAY or self._bot.clock.now() - posted > self._max_age
        if old and not anew and digest != canvas.shown:
            try:
                await self._edit_board(table, old, view)
            except discord.HTTPException as error:
                # a new message also opens a thread that is only archived
                if error.code not in (UNKNOWN_MESSAGE, TOO_MANY_EDITS, *SHUT_THREAD):
                    raise
                anew = True
        if not old or anew:
            try:
                await self._post_board(table, view)
            except discord.Forbidden as error:
                if not old or error.code not in NO_ACCESS:
                    raise
                try:
                    await self._edit_board(table, old, view)  # that needs no right to write
                except discord.NotFound:
                    raise error from None
        canvas.shown = digest
        if canvas.unsaved and table.board_channel and table.board_message:
            await self._bot.host.board_posted(table, table.board_channel, table.board_message)
            canvas.unsaved = False
        if canvas.moved:
            canvas.moved = False
            self.changed(table)  # hands link to the board
            for person in table.people:
                await self._bot.notices.tell(table, person.id, 'moved')
        if not table.open:
            self._since.pop(table.id, None)

    async def _edit_board(self, table: Table, message_id: int, view: ui.LayoutView) -> None:
        message = self._message(table.board_channel or table.channel_id, message_id)
        await message.edit(view=view, allowed_mentions=self._mentions(table))

    def _wanted(self, table: Table) -> bool:
        """Whether whoever is to play may be called."""
        preferences, user_id = self._bot.preferences, table.seats[table.turn].person.id
        return preferences.server(table.guild_id).mentions == 'turn' and preferences.person(user_id).pings

    async def _post_board(self, table: Table, view: ui.LayoutView) -> None:
        """Posts the board and deletes the old one. Without a sound, but for the first one and where somebody is to be called."""
        canvas, old = self._canvases[table.id, 0], (table.board_channel or table.channel_id, table.board_message)
        channel = self._bot.get_partial_messageable(table.channel_id)
        silent = old[1] is not None and not canvas.aloud
        message = await self._post(canvas, channel, view, None, allowed_mentions=self._mentions(table), silent=silent)
        self._since[table.id], canvas.aloud = 0, False
        table.board_channel, table.board_message = table.channel_id, message.id
        canvas.unsaved = True
        if old[1]:
            await self._forget(old[0], old[1])

    async def _post(
        self, canvas: _Canvas, channel: discord.abc.Messageable, view: ui.LayoutView, picture: Picture | None, **how: Any
    ) -> discord.Message:
        """Posts a message. When it was posted before, but the answer was lost, Discord gives that one back, which is brought up to date."""
        again = bool(canvas.nonce)
        canvas.nonce = canvas.nonce or secrets.token_hex(8)
        message = await self._bot.pictures.send(view, picture, partial(channel.send, nonce=canvas.nonce, **how), edit=False)
        if again:
            await self._bot.pictures.send(view, picture, message.edit, edit=True)
        canvas.nonce = ''
        return message

    async def _hand(self, table: Table, user_id: int) -> None:
        """Edits the hand of this person, or sends it: when there is none yet, it was deleted, or Discord takes no more edits of it."""
        seat = next((seat for seat in table.seats if seat.person.id == user_id), None)
        wanted = self._bot.preferences.person(user_id).direct
        if seat is None or (table.id, user_id) in self._closed or not (wanted or seat.hand_message):
            return
        canvas = self._canvases[table.id, user_id]
        view, picture = self._drawn(table, user_id)
        digest = _digest(view)
        if digest != canvas.shown:
            may_send = wanted and table.state == 'playing' and not seat.departed
            if await self._hand_edited(canvas, seat, view, picture, may_send):
                canvas.shown = digest if canvas.picture == picture else b''  # without its picture it is drawn again soon
            elif may_send and await self._hand_posted(table, seat, view, picture):
                canvas.shown = digest if canvas.picture == picture else b''
        if canvas.sent and table.state == 'playing':
            if table.seat_of(user_id) is not None:
                await self._bot.host.hand_sent(table, user_id, *canvas.sent)
            else:  # the seat has changed hands meanwhile
                self.replaced(table, replace(seat, hand_channel=canvas.sent[0], hand_message=canvas.sent[1]))
            canvas.sent = None

    def _drawn(self, table: Table, user_id: int) -> tuple[ui.LayoutView, Picture | None]:
        return hand(
            table,
            user_id,
            self._bot.private_language(user_id, table.guild_id),
            server=self._bot.server_name(table.guild_id),
            direct=True,
            pictures=self._bot.preferences.server(table.guild_id).pictures,
        )

    async def _hand_edited(self, canvas: _Canvas, seat: Seat, view: ui.LayoutView, picture: Picture | None, may_send: bool) -> bool:
        """Whether the hand that is there could be edited; False when a new one is wanted."""
        channel_id, message_id = _place(canvas, seat)
        if not channel_id or not message_id:
            return False
        age = self._bot.clock.now() - discord.utils.snowflake_time(message_id).timestamp()
        if may_send and age > self._max_age:
            return False
        try:
            await self._edit_hand(canvas, self._message(channel_id, message_id), view, picture)
        except discord.NotFound:
            return False
        except discord.HTTPException as error:
            if error.code != TOO_MANY_EDITS:
                raise
            return False
        return True

    async def _hand_posted(self, table: Table, seat: Seat, view: ui.LayoutView, picture: Picture | None) -> bool:
        """Sends a hand, and deletes the one before; whether direct messages are open."""
        user_id = seat.person.id
        canvas = self._canvases[table.id, user_id]
        try:
            channel = await self._bot.create_dm(discord.Object(user_id))
            old = _place(canvas, seat)
            silent = old[1] is not None
            message = await self._post(canvas, channel, view, picture, allowed_mentions=discord.AllowedMentions.none(), silent=silent)
        except discord.Forbidden as error:
            if error.code != CLOSED_MESSAGES:
                raise
            await self._say_closed(table, user_id)
            return False
        canvas.picture = picture if pictured(view) else None
        canvas.sent = channel.id, message.id
        if old[0] and old[1]:
            await self._forget(old[0], old[1])
        return True

    async def _say_closed(self, table: Table, user_id: int) -> None:
        """Tells somebody once, at the table, that their direct messages are closed and how they play."""
        self._closed.add((table.id, user_id))
        if user_id in self._told:
            return
        self._told.add(user_id)
        text = self._bot.public_language(table.guild_id)('hand.closed', mention=f'<@{user_id}>')
        called = [discord.Object(user_id)] if self._bot.preferences.person(user_id).pings else []
        allowed = discord.AllowedMentions(everyone=False, roles=False, users=called)
        await self._bot.get_partial_messageable(table.channel_id).send(text, allowed_mentions=allowed)

    async def _last_hand(self, table: Table, former: Seat) -> None:
        if former.hand_channel and former.hand_message and table.seat_of(former.person.id) is None:
            with suppress(discord.NotFound):
                view, _ = self._drawn(table, former.person.id)
                await self._message(former.hand_channel, former.hand_message).edit(view=view, attachments=[])

    async def _edit_hand(self, canvas: _Canvas, message: discord.PartialMessage, view: ui.LayoutView, picture: Picture | None) -> None:
        """Edits a hand; a picture that is there already is not sent again."""
        if picture is not None and picture == canvas.picture:
            try:
                await message.edit(view=view)
            except discord.HTTPException as error:
                if error.status != 400 or error.code == TOO_MANY_EDITS:
                    raise
            else:
                return
        await self._bot.pictures.send(view, picture, message.edit, edit=True)
        canvas.picture = picture if pictured(view) else None

    def _mentions(self, table: Table) -> discord.AllowedMentions:
        """Nobody is mentioned but the person whose turn it is, and that only where the server and that person want it."""
        users: list[discord.abc.Snowflake] = []
        if table.state == 'playing' and self._wanted(table):
            users = [discord.Object(table.seats[table.turn].person.id)]
        return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)

    def _message(self, channel_id: int, message_id: int) -> discord.PartialMessage:
        return self._bot.get_partial_messageable(channel_id).get_partial_message(message_id)

    async def _forget(self, channel_id: int, message_id: int) -> None:
        try:
            await self._message(channel_id, message_id).delete()
        except FAULTS as error:
            log.info('an old message could not be deleted: %s', cause(error))


def _place(canvas: _Canvas, seat: Seat) -> tuple[int | None, int | None]:
    """Channel and id of the hand that is there."""
    return canvas.sent or (seat.hand_channel, seat.hand_message)


def _urgent(table: Table, whose: int) -> bool:
    """The board, and the hand of whoever has to move, go before the hands of those who wait."""
    return whose == 0 or (table.state == 'playing' and table.seat_of(whose) == table.turn)


def _digest(view: ui.LayoutView) -> bytes:
    shown = json.dumps(view.to_components())  # type: ignore[no-untyped-call]
    return blake2b(shown.encode(), digest_size=16).digest()
