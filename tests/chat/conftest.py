"""Boards, hands and notices with real tables and a real database, but without a bot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.chat.wiring import Chat, wire
from bot.config import Settings
from bot.storage import Store
from bot.tables.seats import Person
from bot.tables.table import Table
from cogs.superman import Superman

from ..tables.evening import ANN, BOB
from ..virtual_time import VirtualTime
from .fake_client import FakeClient, Message

CHANNEL = 10


@dataclass
class Room:
    """A channel of one server, with what keeps its boards and hands up to date."""

    time: VirtualTime
    client: FakeClient
    chat: Chat

    async def open(self, person: Person = ANN, *, pace: str = 'none') -> Table:
        """A table of the 1978 game, and everything about it sent."""
        table = await self.chat.host.open(self.client.guild_id, CHANNEL, 'superman', person, {}, pace=pace)
        await self.time.rest()
        return table

    async def begin(self) -> Table:
        """A match between Ann and Bob."""
        table = await self.open()
        await self.chat.host.join(table.id, BOB)
        await self.chat.host.start(table.id, ANN.id)
        await self.pass_(2)
        return table

    async def pass_(self, seconds: float) -> None:
        """Lets time pass and waits for all that is sent meanwhile."""
        await self.time.pass_(seconds)
        await self.time.rest()

    def board(self) -> Message:
        """The only board in the channel."""
        (board,) = [message for message in self.client.in_channel(CHANNEL) if 'view' in message.shown]
        return board

    def said(self, channel_id: int = CHANNEL) -> list[str]:
        """The texts in a channel that belong to no board or hand."""
        return [message.shown['content'] for message in self.client.in_channel(channel_id) if message.shown['content']]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    time = VirtualTime()
    store = await Store.open(tmp_path / 'room.sqlite3', spawn=time.clock.spawn)
    client = FakeClient(lambda: time.now)
    settings = Settings(token=None, board_interval=1, requests_per_second=0)
    chat = wire(client, settings, store, time.clock)
    await Superman(chat).cog_load()
    yield Room(time, client, chat)
    chat.host.pause()
    await time.rest()
    chat.pictures.close()
    await store.close()
