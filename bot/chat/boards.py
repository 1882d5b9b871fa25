"""Boards: the one public message of each table, posted and edited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import discord
from discord import ui

from ..storage import StorageError
from ..tables.table import Table, TableError
from ..ui.board import board
from ..ui.pictures import Picture
from .faults import FAULTS, NO_ACCESS, SHUT_THREAD, TOO_MANY_EDITS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE
from .messages import Key, LiveMessage, LiveMessages, digest, message_at
from .services import Services

SCROLLED_AWAY: Final = 15
"""After so many messages of others a board is posted again at its next change."""


@dataclass(slots=True)
class LiveBoard(LiveMessage):
    """The board of a table."""

    unsaved: bool = False
    """Whether its place still has to be stored."""
    rings: bool = False
    """Whether it is next posted with a sound."""
    moved: bool = False
    """Whether people still have to be told that the table goes on elsewhere."""


class Boards(LiveMessages[LiveBoard]):
    """Keeps the board of every table up to date."""

    kind = LiveBoard
    name = 'the board'

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._scrolled: dict[int, int] = {}
        """By table, how many messages of others have come below its board."""
        self._rung: dict[int, tuple[int, int]] = {}
        """By table, the last turn in which the player on turn was rung (`Table.turn_id`)."""

    def restored(self, tables: Iterable[Table]) -> None:
        """These tables come from before a restart: nobody is rung again for the same turn."""
        self._rung.update((table.id, table.turn_id) for table in tables if table.state == 'playing')

    def changed(self, table: Table) -> None:
        """Brings the board of this table up to date."""
        self._want(table, 0)
        if not table.open:
            self._rung.pop(table.id, None)

    def ring(self, table: Table) -> None:
        """Posts the board again, with a sound for the player on turn: Discord tells nobody of a mention in an edit. Once a turn, also when
        moves are taken back."""
        if table.state != 'playing' or table.seats[table.turn].auto or not self._may_ping(table):
            return
        if self._rung.get(table.id, (-1, 0)) < table.turn_id:
            self._rung[table.id] = table.turn_id
            self.repost(table).rings = True

    def repost(self, table: Table) -> LiveBoard:
        """Posts the board again, below everything else in its channel."""
        self._scrolled[table.id] = SCROLLED_AWAY
        return self._want(table, 0)

    def message_seen(self, table: Table) -> None:
        """Somebody wrote in the channel of this table."""
        self._scrolled[table.id] = self._scrolled.get(table.id, 0) + 1

    # --- one board ---------------------------------------------------------------------------------------------------

    def _urgent(self, live: LiveBoard) -> bool:
        return True

    def _keys(self, table: Table) -> Iterable[Key]:
        return [(table.id, 0)]

    def _uncounted(self, live: LiveBoard) -> bool:
        return not self._posts(live) and self._services.tokens.has(live.table.board_message)

    def _posts(self, live: LiveBoard) -> bool:
        """Whether the board is posted rather than edited."""
        old = live.table.board_message
        return old is None or self._is_stale(live.table, old)

    def _pending(self, live: LiveBoard) -> bool:
        return live.unsaved or live.moved or live.table.waiting_for == 'no-access' or self._posts(live)

    def _render(self, live: LiveBoard) -> tuple[ui.LayoutView, None]:
        table, services = live.table, self._services
        mention = services.preferences.server(table.guild_id).mentions == 'turn'
        return board(table, services.game_view(table), services.languages.of_server(table.guild_id), mention=mention), None

    async def _send(self, live: LiveBoard, view: ui.LayoutView, picture: Picture | None) -> None:
        table, services = live.table, self._services
        looks, old, repost = digest(view), table.board_message, self._posts(live)
        if old and not repost and looks != live.shown:
            repost = not await self._edited(table, old, view)
        if repost:
            await self._post_or_edit(live, view)
        live.shown = looks
        if live.unsaved and table.board_channel and table.board_message:
            await services.host.board_posted(table.id, table.board_channel, table.board_message)
            live.unsaved = False
        if live.moved:
            live.moved = False
            services.updates.show(table)  # hands link to the board
            for person in table.people:
                await services.notices.tell(table, person.id, 'moved')
        if not table.open:
            self._scrolled.pop(table.id, None)
        if table.waiting_for == 'no-access':
            services.host.unsuspend(table.id)

    def _is_stale(self, table: Table, message_id: int) -> bool:
        """Whether the board has scrolled away, or is so old that Discord soon takes no more edits of it."""
        age = self._services.clock.now() - discord.utils.snowflake_time(message_id).timestamp()
        return self._scrolled.get(table.id, 0) >= SCROLLED_AWAY or age > self._services.settings.board_max_age

    async def _edited(self, table: Table, message_id: int, view: ui.LayoutView) -> bool:
        """Edits the board; False when a new one has to be posted, which also opens a thread that is only archived."""
        try:
            await self._edit(table, message_id, view)
        except discord.HTTPException as error:
            if error.code not in (UNKNOWN_MESSAGE, TOO_MANY_EDITS, *SHUT_THREAD):
                raise
            return False
        return True

    async def _post_or_edit(self, live: LiveBoard, view: ui.LayoutView) -> None:
        """Posts the board; where the bot may not, edits the one that is there, which needs no permission to send."""
        table, old = live.table, live.table.board_message
        try:
            await self._repost(live, view)
        except discord.Forbidden as error:
            if not old or error.code not in NO_ACCESS:
                raise
            try:
                await self._edit(table, old, view)
            except discord.NotFound:
                raise error from None

    async def _edit(self, table: Table, message_id: int, view: ui.LayoutView) -> None:
        message = message_at(self._services.client, table.board_channel or table.channel_id, message_id)
        await self._services.tokens.edit(message, view=view, allowed_mentions=self._mentions(table))

    async def _repost(self, live: LiveBoard, view: ui.LayoutView) -> None:
        """Posts the board and deletes the old one. Silently, but for the first one and where somebody is rung."""
        table = live.table
        old_channel, old = table.board_channel or table.channel_id, table.board_message
        channel = self._services.client.get_partial_messageable(table.channel_id)
        silent = old is not None and not live.rings
        message = await self._post(live, channel, view, None, allowed_mentions=self._mentions(table), silent=silent)
        self._scrolled[table.id], live.rings = 0, False
        table.board_channel, table.board_message = table.channel_id, message.id
        live.unsaved = True
        if old:
            await self._delete(old_channel, old)

    def _may_ping(self, table: Table) -> bool:
        """Whether the server and the player on turn want the board to ping them."""
        preferences, user_id = self._services.preferences, table.seats[table.turn].person.id
        return preferences.server(table.guild_id).mentions == 'turn' and preferences.person(user_id).pings

    def _mentions(self, table: Table) -> discord.AllowedMentions:
        """Nobody is mentioned but the player on turn, where they may be."""
        users: list[discord.abc.Snowflake] = []
        if table.state == 'playing' and self._may_ping(table):
            users = [discord.Object(table.seats[table.turn].person.id)]
        return discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)

    # --- what Discord refuses ----------------------------------------------------------------------------------------

    async def _refused(self, live: LiveBoard, error: Exception) -> None:
        """The channel is gone, the bot may not write there, or just not now."""
        table, code, services = live.table, getattr(error, 'code', 0), self._services
        if code == UNKNOWN_CHANNEL:
            live.wanted = False
            await services.close_table(table.id, 'channel-gone')
        elif code in SHUT_THREAD and await self._moved_to_parent(live):
            live.backoff.worked()
        elif code in (*NO_ACCESS, *SHUT_THREAD) and table.open and table.waiting_for != 'no-access':
            services.host.suspend(table.id, 'no-access')
            for person in table.people:
                await services.notices.tell(table, person.id, 'no-access')

    async def _moved_to_parent(self, live: LiveBoard) -> bool:
        """Moves a table out of a thread that is archived or locked, into the thread's channel; whether that was possible."""
        client, channel_id = self._services.client, live.table.channel_id
        try:
            # an archived thread is not kept in memory
            thread = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
            if not isinstance(thread, discord.Thread) or not isinstance(thread.parent, discord.TextChannel):
                return False  # in a forum there is nothing above a post
            await self._services.host.move_to(live.table.id, thread.parent_id)
        except (*FAULTS, discord.DiscordException, TableError, StorageError):
            return False
        live.moved = True
        return True
