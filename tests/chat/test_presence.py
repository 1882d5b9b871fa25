"""Who is looked up, when, and what becomes of the seats of those who have left."""

from __future__ import annotations

from bot.chat.presence import KNOWN, SLOW_TURN

from ..tables.evening import ANN, BOB
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


async def test_a_live_player_is_rung_once_a_turn_whatever_is_taken_back(room: Room) -> None:
    table = await room.open(pace='live')
    await room.chat.host.join(table.id, BOB)
    await room.chat.host.start(table.id, ANN.id)
    assert table.match is not None
    card = table.game.card
    zones = {'hands': [[card(one) for one in hand.split()] for hand in ('R2 R3 Y4', 'R4 B4')], 'pile': [card('R1')], 'stock': [card('B1')]}
    table.match.round = table.match.game.position(2, table.match.options, zones, {'turn': 0})
    room.chat.updates.changed(table)
    rung: list[int] = []

    async def wait(seconds: float) -> None:
        posted = room.client.posted
        for _ in range(int(seconds)):
            await room.pass_(1)
        rung.append(room.client.posted - posted)

    await wait(14)
    await room.chat.host.watch(table.id, 7, True)
    await wait(1)
    await wait(20)
    assert rung == [2, 1, 0], 'first the two hands, then one ring'
    await room.chat.host.play(table.id, ANN.id, 'play R2', interaction_id=1)
    await wait(16)
    await room.chat.host.take_back(table.id, ANN.id)
    await wait(16)
    await room.chat.host.play(table.id, ANN.id, 'play R3', interaction_id=2)
    await wait(16)
    assert rung[3:] == [1, 0, 0]


async def test_who_wants_no_pings_is_not_rung(room: Room) -> None:
    for person in (ANN, BOB):
        await room.chat.preferences.change_person(person.id, pings=False)
    table = await room.open(pace='live')
    await room.chat.host.join(table.id, BOB)
    await room.chat.host.start(table.id, ANN.id)
    await room.pass_(5)
    posted = room.client.posted
    await room.pass_(60)
    assert room.client.posted == posted
