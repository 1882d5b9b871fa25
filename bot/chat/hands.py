"""Hands: each player's private message, by direct message or as a private answer in the channel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import discord
from discord import ui

from ..tables.seats import Seat
from ..tables.table import Table
from ..ui.hand import hand
from ..ui.language import Language
from ..ui.pictures import Picture, pictured
from .faults import TOO_MANY_EDITS, refuses_direct_messages
from .messages import Key, LiveMessage, LiveMessages, digest, message_at
from .services import Services

Rendered = tuple[ui.LayoutView, Picture | None]


def render_hand(
    services: Services, table: Table, user_id: int, language: Language, *, direct: bool, rows: list[ui.ActionRow[Any]] | None = None
) -> Rendered:
    """The hand of a user as their server wants it shown; arguments and errors as `bot.ui.hand.hand`."""
    return hand(
        table,
        user_id,
        services.game_view(table),
        language,
        server=services.server_name(table.guild_id),
        direct=direct,
        pictures=services.preferences.server(table.guild_id).pictures,
        rows=rows,
    )


@dataclass(slots=True)
class LiveHand(LiveMessage):
    """The hand of one player at one table."""

    picture: Picture | None = None
    """The picture that the message is known to show."""
    sent: tuple[int, int] | None = None
    """Channel and id of a hand that was sent, until the table knows them."""
    former: Seat | None = None
    """The seat that this person has lost to somebody else, until their hand shows no cards any more."""


class Hands(LiveMessages[LiveHand]):
    """Keeps the hand of every player in their direct messages up to date."""

    kind = LiveHand
    name = 'the hand'

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._closed: set[Key] = set()
        """Tables and users whose direct messages are closed; at the next table it is tried again."""
        self._told: set[int] = set()
        """Users who were told that their direct messages are closed."""

    def restored(self, tables: Iterable[Table]) -> None:
        """These tables come from before a restart: what people were told then, they are not told again."""
        for table in tables:
            if table.state == 'playing':
                self._told |= {seat.person.id for seat in table.seats if not seat.hand_message}

    def changed(self, table: Table) -> None:
        """Brings the hands of everyone at this table up to date."""
        for seat in table.seats:
            under_way = (live := self._live.get((table.id, seat.person.id))) is not None and (live.busy or live.sent is not None)
            if seat.hand_message or under_way or (table.state == 'playing' and not seat.departed):
                self._message(table, seat.person.id).former = None
                self._want(table, seat.person.id)

    def replaced(self, table: Table, former: Seat) -> None:
        """Somebody else has taken this seat over: the hand of the person who held it shows no cards any more."""
        live = self._live.get((table.id, former.person.id))
        if (former.hand_channel and former.hand_message) or (live is not None and (live.busy or live.sent is not None)):
            self._message(table, former.person.id).former = former
            self._want(table, former.person.id)

    def reopened(self, user_id: int) -> None:
        """This person acts in direct messages again: hands may be sent there."""
        self._closed = {key for key in self._closed if key[1] != user_id}
        self._told.discard(user_id)

    def answered(self, table: Table, user_id: int, rendered: Rendered, choosing: tuple[int, int] | None) -> None:
        """The hand in direct messages was redrawn by the answer to a press on it; `choosing`: for this position it shows a choice half
        made."""
        if (live := self._live.get((table.id, user_id))) is not None:
            live.shown, live.picture = digest(rendered[0]), rendered[1] if pictured(rendered[0]) else None
            live.choosing = choosing
            self.release(table.id, user_id)

    # --- one hand ----------------------------------------------------------------------------------------------------

    def _urgent(self, live: LiveHand) -> bool:
        """The hand of the player on turn goes before the hands of those who wait."""
        return live.table.state == 'playing' and live.table.seat_of(live.user_id) == live.table.turn

    def _uncounted(self, live: LiveHand) -> bool:
        seat = self._seat(live)
        return seat is not None and self._services.tokens.has(_place(live, seat)[1])

    def _keys(self, table: Table) -> Iterable[Key]:
        return [(table.id, seat.person.id) for seat in table.seats]

    def _done(self, live: LiveHand) -> bool:
        return super()._done(live) or all(seat.person.id != live.user_id for seat in live.table.seats)

    def _forgotten(self, live: LiveHand) -> None:
        self._closed.discard((live.table.id, live.user_id))

    def _pending(self, live: LiveHand) -> bool:
        return live.sent is not None

    async def _refused(self, live: LiveHand, error: Exception) -> None:
        if isinstance(error, discord.Forbidden | discord.NotFound):
            live.wanted = False

    def _seat(self, live: LiveHand) -> Seat | None:
        """The seat whose hand it is: the one that they hold, or the one that they have lost."""
        return next((seat for seat in live.table.seats if seat.person.id == live.user_id), live.former)

    def _render(self, live: LiveHand) -> Rendered | None:
        services, seat, key = self._services, self._seat(live), (live.table.id, live.user_id)
        wanted = services.preferences.person(live.user_id).direct
        if seat is None or key in self._closed or not (wanted or _place(live, seat)[1]):
            return None
        language = services.languages.of_person(live.user_id, live.table.guild_id)
        return render_hand(services, live.table, live.user_id, language, direct=True)

    async def _send(self, live: LiveHand, view: ui.LayoutView, picture: Picture | None) -> None:
        """Edits the hand of this person, or sends it: when there is none yet, it was deleted, or Discord takes no more edits of it."""
        table, seat, services = live.table, self._seat(live), self._services
        if seat is None:
            return
        looks = digest(view)
        if looks != live.shown:
            may_send = (
                services.preferences.person(live.user_id).direct and table.state == 'playing' and table.seat_of(live.user_id) is not None
            )
            if await self._edited(live, seat, view, picture, may_send) or (may_send and await self._sent(live, seat, view, picture)):
                live.shown = looks if live.picture == picture else b''  # without its picture it is sent again soon
        if live.sent is not None:
            if table.seat_of(live.user_id) is None or not table.open:
                return  # the seat has changed hands, or the match has ended meanwhile
            await services.host.hand_sent(table.id, live.user_id, *live.sent)
            live.sent = None

    async def _edited(self, live: LiveHand, seat: Seat, view: ui.LayoutView, picture: Picture | None, may_send: bool) -> bool:
        """Whether the hand that is there could be edited; False when a new one is wanted."""
        channel_id, message_id = _place(live, seat)
        if not channel_id or not message_id:
            return False
        age = self._services.clock.now() - discord.utils.snowflake_time(message_id).timestamp()
        if may_send and age > self._services.settings.board_max_age:
            return False
        try:
            await self._edit(live, message_at(self._services.client, channel_id, message_id), view, picture)
        except discord.NotFound:
            return False
        except discord.HTTPException as error:
            if error.code != TOO_MANY_EDITS:
                raise
            return False
        return True

    async def _edit(self, live: LiveHand, message: discord.PartialMessage, view: ui.LayoutView, picture: Picture | None) -> None:
        """Edits a hand; a picture that is there already is not sent again."""
        edit = partial(self._services.tokens.edit, message)
        if picture is not None and picture == live.picture:
            try:
                await edit(view=view)
            except discord.HTTPException as error:
                if error.status != 400 or error.code == TOO_MANY_EDITS:
                    raise
            else:
                return
        await self._services.pictures.send(view, picture, edit, edit=True)
        live.picture = picture if pictured(view) else None

    async def _sent(self, live: LiveHand, seat: Seat, view: ui.LayoutView, picture: Picture | None) -> bool:
        """Sends a hand and deletes the one before; whether direct messages are open."""
        old = _place(live, seat)
        try:
            if old[0] is None:
                self._services.throttle.spend()  # for opening the direct messages
            channel = await self._services.client.create_dm(discord.Object(live.user_id))
            silent = old[1] is not None
            message = await self._post(live, channel, view, picture, allowed_mentions=discord.AllowedMentions.none(), silent=silent)
        except discord.HTTPException as error:
            if not refuses_direct_messages(error):
                raise
            await self._say_closed(live.table, live.user_id)
            return False
        live.picture = picture if pictured(view) else None
        live.sent = channel.id, message.id
        if old[0] and old[1]:
            await self._delete(old[0], old[1])
        return True

    async def _say_closed(self, table: Table, user_id: int) -> None:
        """Tells somebody once, at the table, that their direct messages are closed and how they can play."""
        self._closed.add((table.id, user_id))
        if user_id in self._told:
            return
        self._told.add(user_id)
        services = self._services
        text = services.languages.of_server(table.guild_id)('hand.closed', mention=f'<@{user_id}>')
        pinged = [discord.Object(user_id)] if services.preferences.person(user_id).pings else []
        allowed = discord.AllowedMentions(everyone=False, roles=False, users=pinged)
        services.throttle.spend()
        await services.client.get_partial_messageable(table.channel_id).send(text, allowed_mentions=allowed)


def _place(live: LiveHand, seat: Seat) -> tuple[int | None, int | None]:
    """Channel and id of the hand that is there."""
    return live.sent or (seat.hand_channel, seat.hand_message)
