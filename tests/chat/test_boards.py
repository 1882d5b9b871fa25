"""When boards and hands are posted, edited and tried again."""

from __future__ import annotations

import json

import pytest

from bot.chat.boards import SCROLLED_AWAY

from ..tables.evening import ANN, BOB, CEM, DORA
from .conftest import CHANNEL, Room
from .fake_client import CLOSED_MESSAGES, MISSING_PERMISSIONS, Message, refusal


def text(message: Message) -> str:
    return json.dumps(message.shown['view'].to_components(), ensure_ascii=False)


async def test_a_board_is_posted_once_and_then_edited(room: Room) -> None:
    table = await room.open()
    board = room.board()
    assert table.board_message == board.id
    await room.chat.host.join(table.id, BOB)
    await room.pass_(2)
    assert room.board() is board
    assert board.edits == 1
    assert 'Bob' in text(board)


async def test_many_changes_are_shown_by_one_edit_after_the_interval(room: Room) -> None:
    table = await room.open()
    await room.chat.host.join(table.id, BOB)
    await room.chat.host.join(table.id, CEM)
    await room.chat.host.join(table.id, DORA)
    await room.time.rest()
    assert room.board().edits == 0, 'not yet: it was posted just now'
    await room.pass_(1)
    assert room.board().edits == 1
    assert 'Dora' in text(room.board())


async def test_what_looks_the_same_is_not_sent(room: Room) -> None:
    table = await room.open()
    await room.pass_(2)
    room.chat.boards.changed(table)
    await room.pass_(2)
    assert (room.board().edits, room.client.posted) == (0, 1)


async def test_a_deleted_board_is_posted_again(room: Room) -> None:
    table = await room.open()
    await room.board().delete()
    await room.chat.host.join(table.id, BOB)
    await room.pass_(2)
    assert table.board_message == room.board().id
    assert 'Bob' in text(room.board())


@pytest.mark.parametrize('seen', [SCROLLED_AWAY - 1, SCROLLED_AWAY])
async def test_a_board_that_has_scrolled_away_is_posted_again_and_the_old_one_deleted(room: Room, seen: int) -> None:
    table = await room.open()
    old = room.board()
    for _ in range(seen):
        room.chat.boards.message_seen(table)
    await room.chat.host.join(table.id, BOB)
    await room.pass_(2)
    assert (room.board() is old) == (seen < SCROLLED_AWAY)


async def test_a_table_waits_while_its_board_cannot_be_shown(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    table = await room.begin()
    room.client.refused = {(what, CHANNEL): refusal(403, MISSING_PERMISSIONS) for what in ('edit', 'send')}
    room.chat.boards.repost(table)
    await room.pass_(2)
    assert table.waiting_for == 'no-access'
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith(f'table {table.id} in server 1: the board could not be updated: 403')
    assert 'error code: 50013' in line
    room.client.refused.clear()
    room.chat.boards.retry(room.client.guild_id)
    await room.time.rest()
    assert table.waiting_for == ''
    assert table.board_message == room.board().id


async def test_what_discord_refuses_is_tried_again_ever_more_rarely(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    room.chat.boards.retry_pauses = (5.0, 15.0)
    room.client.refused = {('send', CHANNEL): refusal(500, 0)}
    tries = []

    def may(what: str, channel_id: int, plainly: object = room.client.may) -> None:
        tries.append(room.time.now - began)
        plainly(what, channel_id)  # type: ignore[operator]

    began = room.time.now
    room.client.may = may  # type: ignore[method-assign]
    await room.open()
    await room.pass_(60)
    assert tries == [0, 5, 20, 35, 50]
    assert len(caplog.records) == 1, 'logged once'


async def test_nothing_is_sent_while_discord_does_not_show_the_server(room: Room) -> None:
    room.client.there = False
    await room.open()
    assert room.client.posted == 0
    room.client.there = True
    room.chat.boards.retry(room.client.guild_id)
    await room.time.rest()
    assert room.board()


async def test_the_player_on_turn_is_rung_once_a_turn(room: Room) -> None:
    table = await room.begin()
    old = room.board()
    room.chat.boards.ring(table)
    await room.pass_(2)
    board = room.board()
    assert board is not old
    assert board.shown['silent'] is False
    mentions = board.shown['allowed_mentions']
    assert [user.id for user in mentions.users] == [table.seats[table.turn].person.id]
    room.chat.boards.ring(table)
    await room.pass_(2)
    assert room.board() is board


async def test_hands_come_by_direct_message_and_are_edited_there(room: Room) -> None:
    table = await room.begin()
    hands = {person.id: room.client.in_channel(person.id * 1000) for person in (ANN, BOB)}
    assert [len(sent) for sent in hands.values()] == [1, 1]
    assert table.match is not None
    user_id = table.seats[table.turn].person.id
    await room.chat.host.play(table.id, user_id, table.match.round.format_move(table.match.round.legal_moves()[0]), interaction_id=1)
    await room.pass_(2)
    (hand,) = room.client.in_channel(user_id * 1000)
    assert hand.edits >= 1


async def test_closed_direct_messages_are_told_of_once_at_the_table(room: Room) -> None:
    room.client.refused = {('send', ANN.id * 1000): refusal(403, CLOSED_MESSAGES)}
    await room.begin()
    await room.pass_(60)
    (said,) = room.said()
    assert said.startswith(f'<@{ANN.id}>')
