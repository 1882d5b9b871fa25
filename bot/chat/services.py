"""What everything that sends to Discord works with, in one bundle."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from ..clock import Clock
from ..config import Settings
from ..storage import StorageError, Store
from ..tables.host import Host
from ..tables.table import Table, TableError
from ..ui.game_view import GameView
from .client import Client, sees, server_name
from .languages import Languages
from .notices import Notices
from .pictures import Pictures
from .preferences import Preferences
from .throttle import Throttle
from .tokens import Tokens
from .updates import TableUpdates

log: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class Services:
    """Built once, when the bot starts (`bot.chat.wiring`)."""

    client: Client
    settings: Settings
    store: Store
    clock: Clock
    host: Host
    preferences: Preferences
    game_views: dict[str, GameView]
    """By game id; the cog of each game adds its own."""
    languages: Languages
    pictures: Pictures
    throttle: Throttle
    tokens: Tokens
    notices: Notices
    updates: TableUpdates

    def sees(self, guild_id: int) -> bool:
        """Whether the bot is in this server and Discord shows it at present."""
        return sees(self.client, guild_id)

    def server_name(self, guild_id: int) -> str:
        """The name of a server, unescaped; a question mark when Discord has not told it."""
        return server_name(self.client, guild_id)

    def game_view(self, table: Table) -> GameView:
        """How the game of this table is shown."""
        return self.game_views[table.game.id]

    async def close_table(self, table_id: int, reason: str) -> None:
        """Closes a table that cannot go on, for the reason `outcome.<reason>`, and tells its people. Does nothing when it is over."""
        with suppress(TableError):
            table = self.host.table(table_id)
            try:
                await self.host.stop(table_id, reason)
            except StorageError as error:
                log.warning('table %d in server %d could not be closed (%s): %s', table_id, table.guild_id, reason, error)
                return
            for person in table.people:
                await self.notices.tell(table, person.id, 'stopped', reason=reason)
