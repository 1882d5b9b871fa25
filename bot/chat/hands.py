"""Hands: each player's private message, sent and edited by direct message."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import discord
from discord import ui

from ..tables.seats import Seat
from ..tables.table import Table
from ..ui.hand import hand
from ..ui.language import Language
from ..ui.pictures import Picture, pictured
from .faults import CLOSED_MESSAGES, TOO_MANY_EDITS
from .messages import Key, LiveMessage, LiveMessages, digest, message_at
from .services import Services


def render_hand(
    services: Services, table: Table, user_id: int, language: Language, *, direct: bool, rows: list[ui.ActionRow[Any]] | None = None
) -> tuple[ui.LayoutView, Picture | None]:
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


class Hands(LiveMessages[LiveHand]):
    """Keeps the hand of every player up to date."""

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
            if seat.hand_message or (table.state == 'playing' and not seat.departed):
                self._want(table, seat.person.id, partial(self._update, table, seat.person.id))

    def replaced(self, table: Table, former: Seat) -> None:
        """Somebody else has taken this seat over: the hand of the person who held it shows no cards any more."""
        if former.hand_channel and former.hand_message:
            self._want(table, former.person.id, partial(self._clear, table, former))

    def reopened(self, user_id: int) -> None:
        """This person acts in direct messages again: hands may be sent there."""
        self._closed = {key for key in self._closed if key[1] != user_id}
        self._told.discard(user_id)

    # --- one hand ----------------------------------------------------------------------------------------------------

    def _urgent(self, live: LiveHand) -> bool:
        """The hand of the player on turn goes before the hands of those who wait."""
        return live.table.state == 'playing' and live.table.seat_of(live.user_id) == live.table.turn

    def _keys(self, table: Table) -> Iterable[Key]:
        return [(table.id, seat.person.id) for seat in table.seats]

    def _done(self, live: LiveHand) -> bool:
        return super()._done(live) or all(seat.person.id != live.user_id for seat in live.table.seats)

    def _forgotten(self, live: LiveHand) -> None:
        self._closed.discard((live.table.id, live.user_id))

    async def _refused(self, live: LiveHand, error: Exception) -> None:
        if isinstance(error, discord.Forbidden | discord.NotFound):
            live.update = None

    async def _update(self, table: Table, user_id: int) -> None:
        """Edits the hand of this person, or sends it: when there is none yet, it was deleted, or Discord takes no more edits of it."""
        services = self._services
        seat = next((seat for seat in table.seats if seat.person.id == user_id), None)
        wanted = services.preferences.person(user_id).direct
        if seat is None or (table.id, user_id) in self._closed or not (wanted or seat.hand_message):
            return
        live = self._live[table.id, user_id]
        view, picture = self._render(table, user_id)
        looks = digest(view)
        if looks != live.shown:
            may_send = wanted and table.state == 'playing' and not seat.departed
            if await self._edited(live, seat, view, picture, may_send) or (may_send and await self._sent(live, seat, view, picture)):
                live.shown = looks if live.picture == picture else b''  # without its picture it is sent again soon
        if live.sent and table.state == 'playing':
            if table.seat_of(user_id) is not None:
                await services.host.hand_sent(table.id, user_id, *live.sent)
            else:  # the seat has changed hands meanwhile
                self.replaced(table, replace(seat, hand_channel=live.sent[0], hand_message=live.sent[1]))
            live.sent = None

    def _render(self, table: Table, user_id: int) -> tuple[ui.LayoutView, Picture | None]:
        language = self._services.languages.of_person(user_id, table.guild_id)
        return render_hand(self._services, table, user_id, language, direct=True)

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
        if picture is not None and picture == live.picture:
            try:
                await message.edit(view=view)
            except discord.HTTPException as error:
                if error.status != 400 or error.code == TOO_MANY_EDITS:
                    raise
            else:
                return
        await self._services.pictures.send(view, picture, message.edit, edit=True)
        live.picture = picture if pictured(view) else None

    async def _sent(self, live: LiveHand, seat: Seat, view: ui.LayoutView, picture: Picture | None) -> bool:
        """Sends a hand and deletes the one before; whether direct messages are open."""
        old = _place(live, seat)
        try:
            channel = await self._services.client.create_dm(discord.Object(live.user_id))
            silent = old[1] is not None
            message = await self._post(live, channel, view, picture, allowed_mentions=discord.AllowedMentions.none(), silent=silent)
        except discord.Forbidden as error:
            if error.code != CLOSED_MESSAGES:
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
        await services.client.get_partial_messageable(table.channel_id).send(text, allowed_mentions=allowed)

    async def _clear(self, table: Table, former: Seat) -> None:
        """Takes the cards out of the hand of somebody who has lost this seat."""
        if former.hand_channel and former.hand_message and table.seat_of(former.person.id) is None:
            with suppress(discord.NotFound):
                view, _ = self._render(table, former.person.id)
                message = message_at(self._services.client, former.hand_channel, former.hand_message)
                await message.edit(view=view, attachments=[])


def _place(live: LiveHand, seat: Seat) -> tuple[int | None, int | None]:
    """Channel and id of the hand that is there."""
    return live.sent or (seat.hand_channel, seat.hand_message)
