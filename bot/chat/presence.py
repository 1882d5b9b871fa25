"""Who is still there: players are looked up when their turn comes or lasts long, and seats of those who have left are given up.

Without the privileged members intent Discord does not tell who leaves a server.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from typing import Final

import discord

from ..clock import Handle
from ..storage import StorageError
from ..tables.table import Position, Table, TableError
from ..tables.time_control import LIVE
from .boards import Boards
from .faults import FAULTS, UNKNOWN_MEMBER, UNKNOWN_USER, cause
from .services import Services

log: Final = logging.getLogger(__name__)

KNOWN: Final = 600.0
"""Seconds for which a player who was found in the server is not looked up again at the beginning of their turn."""
SLOW_TURN: Final = 30.0
"""Seconds after which a turn is slow: the player is looked up unless that was done at its beginning; and rung, but at a live table after
the seconds of the setting `live_ring`."""
LOOKS: Final = (SLOW_TURN, 600.0, 3600.0, 6 * 3600.0)
"""Seconds from the beginning of a turn to the first look at it, from that to the second, and so on; then always the last."""


class Presence:
    """Watches over slow turns and over players who leave their server."""

    def __init__(self, services: Services, boards: Boards) -> None:
        self._services = services
        self._boards = boards
        self._seen: dict[tuple[int, int], float] = {}
        """By server and user, when they were last looked up."""
        self._watched: dict[int, tuple[Position, int]] = {}
        """By table, the position and the user whose decision is waited for."""
        self._looks: dict[int, Handle] = {}
        """By table, the next look at the turn."""
        self._rings: dict[int, Handle] = {}
        """By table, when the player on turn is rung."""

    def changed(self, table: Table) -> None:
        """A turn may have begun at this table, or the table may have ended."""
        waits = table.state == 'playing' and not table.seats[table.turn].departed
        watched = (table.position, table.seats[table.turn].person.id) if waits else None
        if watched is not None and self._watched.get(table.id) == watched:
            return  # what others do at the table makes no turn longer
        self._watched.pop(table.id, None)
        for timers in (self._looks, self._rings):
            if (timer := timers.pop(table.id, None)) is not None:
                timer.cancel()
        if not table.open:
            for seat in table.seats:
                self._seen.pop((table.guild_id, seat.person.id), None)
        elif watched is not None:
            self._watched[table.id] = watched
            user_id = watched[1]
            pause = self._services.settings.live_ring if table.time_control == LIVE else SLOW_TURN
            if pause:
                self._rings[table.id] = self._services.clock.call_later(pause, partial(self._ring, table))
            looked_up = self._services.clock.now() - self._seen.get((table.guild_id, user_id), 0.0) > KNOWN
            if looked_up:
                self._look_up(table, user_id)
            self._watch(table, user_id, chain(LOOKS, repeat(LOOKS[-1])), looked_up)

    def _watch(self, table: Table, user_id: int, looks: Iterator[float], looked_up: bool) -> None:
        """Waits for the turn to last long; `looked_up`: the player was looked up just now."""
        self._looks[table.id] = self._services.clock.call_later(next(looks), partial(self._slow, table, user_id, looks, looked_up))

    def _slow(self, table: Table, user_id: int, looks: Iterator[float], looked_up: bool) -> None:
        self._watch(table, user_id, looks, looked_up=False)
        if not looked_up:
            self._look_up(table, user_id)

    def _ring(self, table: Table) -> None:
        del self._rings[table.id]
        self._boards.ring(table)

    def _look_up(self, table: Table, user_id: int) -> None:
        services = self._services
        if services.sees(table.guild_id):
            self._seen[table.guild_id, user_id] = services.clock.now()
            look_up = partial(self._leave_if_gone, table.guild_id, user_id)
            services.throttle.ask(
                ('look', table.guild_id, user_id), lambda: services.clock.spawn(look_up()), urgent=False, guild_id=table.guild_id
            )

    async def _leave_if_gone(self, guild_id: int, user_id: int) -> None:
        guild = self._services.client.get_guild(guild_id)
        if guild is None:
            return
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as error:
            if error.code in (UNKNOWN_MEMBER, UNKNOWN_USER):
                self._seen.pop((guild_id, user_id), None)
                await self.gone(guild_id, user_id)
        except FAULTS as error:
            log.info('user %d in server %d could not be looked up: %s', user_id, guild_id, cause(error))

    async def gone(self, guild_id: int, user_id: int) -> None:
        """Somebody is no longer in a server: they leave their seats there."""
        host = self._services.host
        for table in host.tables_in(guild_id):
            if table.seat_of(user_id) is not None:
                try:
                    await host.leave(table.id, user_id)
                except TableError:
                    pass
                except StorageError as error:
                    log.warning('table %d in server %d: user %d has left the server, but that could not be stored: %s',
                                table.id, guild_id, user_id, error)  # fmt: skip
