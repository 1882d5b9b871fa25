"""Pings, reminders and notices: who gets them, where, and in how many messages."""

from __future__ import annotations

import pytest

from bot.chat.notices import CALL_PAUSE, MOST
from bot.chat.tidying import KEPT

from ..tables.evening import ANN, BOB
from .conftest import CHANNEL, Room
from .fake_client import CLOSED_MESSAGES, Message, refusal


def pinged(message: Message) -> list[int]:
    users = message.shown['allowed_mentions'].users
    return [user.id for user in users] if users else []


async def test_many_people_are_pinged_in_several_messages_and_a_role_once(room: Room) -> None:
    table = await room.open()
    await room.chat.preferences.change_person(5, pings=False)
    people = range(1, 2 * MOST + 11)
    await room.chat.notices.ping(table, 'opened', [*people, 1, 2], role_id=77)
    said = room.said()
    assert len(said) == 3
    mentioned = [mention for line in said for mention in people if f'<@{mention}>' in line]
    assert sorted(mentioned) == [user_id for user_id in people if user_id != 5]
    assert ['<@&77>' in line for line in said] == [True, False, False]


async def test_nobody_to_ping_is_no_message(room: Room) -> None:
    table = await room.open()
    await room.chat.notices.ping(table, 'opened', [])
    assert room.said() == []


async def test_a_notice_comes_by_direct_message(room: Room) -> None:
    table = await room.open()
    await room.chat.notices.tell(table, ANN.id, 'no-access')
    assert len(room.said(ANN.id * 1000)) == 1
    assert room.said() == []


@pytest.mark.parametrize('pings', [True, False])
async def test_with_direct_messages_closed_it_is_said_at_the_table(room: Room, pings: bool) -> None:
    table = await room.open()
    await room.chat.preferences.change_person(ANN.id, pings=pings)
    room.client.refused = {('send', ANN.id * 1000): refusal(403, CLOSED_MESSAGES)}
    await room.chat.notices.tell(table, ANN.id, 'no-access')
    (message,) = [message for message in room.client.in_channel(CHANNEL) if message.shown['content']]
    assert message.shown['content'].startswith(f'<@{ANN.id}>')
    assert pinged(message) == ([ANN.id] if pings else [])


async def test_only_those_who_want_pings_are_reminded(room: Room) -> None:
    table = await room.begin()
    seat = table.seat(BOB.id)
    await room.chat.notices.remind(table, seat, room.time.now + 30)
    assert len(room.said(BOB.id * 1000)) == 1
    await room.chat.preferences.change_person(BOB.id, pings=False)
    await room.chat.notices.remind(table, seat, room.time.now + 30)
    assert len(room.said(BOB.id * 1000)) == 1


async def test_a_notice_that_discord_refuses_is_logged_and_nothing_else(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level('INFO')
    table = await room.open()
    room.client.refused = {('send', ANN.id * 1000): refusal(500, 0)}
    await room.chat.notices.tell(table, ANN.id, 'no-access')
    (line,) = [record.getMessage() for record in caplog.records if record.name == 'bot.chat.notices']
    assert line.startswith(f'table {table.id} in server 1: the notice no-access to user {ANN.id} was not delivered: 500')


async def test_a_server_is_called_once_in_ten_minutes(room: Room) -> None:
    table = await room.open()
    for _ in range(30):
        await room.chat.notices.ping(table, 'opened', [5], role_id=77)
        await room.pass_(1)
    assert len(room.said()) == 1
    await room.pass_(CALL_PAUSE)
    await room.chat.notices.ping(table, 'opened', [5])
    assert len(room.said()) == 2


async def test_a_closed_lobby_is_deleted_after_an_hour(room: Room) -> None:
    table = await room.open()
    await room.chat.host.end(table.id, ANN.id, moderator=False)
    await room.pass_(KEPT - 2)
    assert room.board()
    await room.pass_(5)
    assert room.client.in_channel(CHANNEL) == []
    assert await room.chat.store.table(table.id) is None
    other = await room.begin()
    await room.chat.host.end(other.id, ANN.id, moderator=False)
    await room.pass_(3 * KEPT)
    assert room.board(), 'a match is kept'
