"""Who is looked up, when, and what becomes of the seats of those who have left."""

from __future__ import annotations

from bot.chat.presence import KNOWN, SLOW_TURN

from ..tables.evening import ANN
from .conftest import Room


async def test_a_player_is_looked_up_when_their_turn_begins_and_not_again_soon(room: Room) -> None:
    table = await room.begin()
    on_turn = table.seats[table.turn].person.id
    assert room.client.looked_up == [on_turn]
    room.chat.presence.changed(table)
    await room.pass_(2)
    assert room.client.looked_up == [on_turn]


async def test_a_slow_turn_is_looked_at_ever_more_rarely(room: Room) -> None:
    table = await room.begin()
    on_turn = table.seats[table.turn].person.id
    room.client.looked_up.clear()
    await room.pass_(SLOW_TURN)
    assert room.client.looked_up == [], 'it was looked up at the beginning of the turn'
    await room.pass_(KNOWN)
    assert room.client.looked_up == [on_turn]
    await room.pass_(3600 + 6 * 3600)
    assert room.client.looked_up == [on_turn] * 3


async def test_who_has_left_the_server_leaves_the_seat(room: Room) -> None:
    table = await room.begin()
    on_turn = table.turn
    room.client.gone = {table.seats[on_turn].person.id}
    await room.pass_(SLOW_TURN + KNOWN)
    assert table.seats[on_turn].departed
    assert not table.seats[1 - on_turn].departed


async def test_an_ended_table_is_watched_no_longer(room: Room) -> None:
    table = await room.begin()
    room.client.looked_up.clear()
    await room.chat.host.end(table.id, ANN.id, moderator=False)
    await room.pass_(24 * 3600)
    assert room.client.looked_up == []
