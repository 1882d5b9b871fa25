"""What Discord does to tables: deleted messages and channels, shut threads, rights taken and given back, outages, faults, replays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.tables.time_control import GRACE, LIVE

from .night import Night
from .test_clocks import makers, stamp

pytestmark = pytest.mark.simcord(settle_timeout=20)

FIRST = LIVE.move + LIVE.time_bank
LOST = 'bot.chat.messages: table 1 in server .*: the board could not be updated'


def sent(night: Night, method: str, path: str) -> list[Any]:
    """The bot's requests of this kind, those that were refused too."""
    return [request for request in night.env.http_requests if request.method == method and path in request.path]


def boards(night: Night) -> Sequence[Any]:
    return [message for message in night.channel.history() if message.components]


async def direct_move(night: Night) -> None:
    """Whoever has to move plays from direct messages."""
    verb, _, card = night.legal()[0].partition(' ')
    await night.direct(night.name_of_turn(), f'superman {verb}', **({'card': card} if card else {}))


async def delete_board(night: Night) -> None:
    night.env.backend.delete_message(night.channel.id, night.board().id)
    await night.env.settle()


def refuse(night: Night, method: str, path: str, status: int, code: int, times: int | None = None) -> None:
    """Refuses requests. Tokens of earlier presses, by which messages could still be edited, have died."""
    night.let_tokens_die()
    night.env.inject_error(method, path, status=status, code=code, message='refused', times=times)


@pytest.fixture(autouse=True)
def tries_later(night: Night) -> None:
    """What Discord refused is first tried again when simcord no longer waits for it."""
    night.retry_after(30.0, 60.0, 300.0, 900.0)


def clear(night: Night) -> None:
    """Discord refuses nothing any more."""
    night.env.backend.faults.clear()


# --- messages and channels ------------------------------------------------------------------------------------------


async def test_a_deleted_board_is_posted_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await delete_board(night)
    await night.move()
    (board,) = boards(night)
    assert night.table.board_message == board.id
    await night.move()
    assert len(boards(night)) == 1
    await night.restart()
    assert night.table.board_message == board.id


@pytest.mark.parametrize('started', [True, False])
async def test_a_deleted_channel(night: Night, started: bool) -> None:
    if started:
        table = await night.begin('Ann', 'Bob')
    else:
        await night.slash('Ann', 'superman open')
        await night.press('Bob', 'Join')
        table = night.table
    night.env.backend.delete_channel(night.channel.id)
    await night.env.settle()
    assert (table.state, table.outcome) == ('abandoned' if started else 'closed', 'channel-gone')
    for name in ('Ann', 'Bob'):
        (said,) = night.told(name)
        assert said == 'Superman (1978) in Club: your table is closed. The channel no longer exists.'
    count = len(night.env.http_requests)
    await night.env.advance_time(86_400)
    made = [request.method for request in night.env.http_requests[count:]]
    assert made == ([] if started else ['DELETE']), 'only the board of a closed lobby is tidied away, once'
    assert await night.direct('Ann', 'table mine') == 'You have no seat at any table.'


async def test_a_deleted_thread_ends_only_its_own_table(night: Night) -> None:
    thread = await night.thread('side table')
    ours, theirs = await night.begin('Ann', 'Bob'), await thread.begin('Cem', 'Dora')
    night.env.backend.delete_channel(thread.channel.id)
    await night.env.settle()
    assert theirs.outcome == 'channel-gone'
    assert ours.state == 'playing'
    await night.move()
    assert night.table is ours


async def test_an_archived_thread_is_opened_by_posting(night: Night) -> None:
    thread = await night.thread('side table')
    await thread.begin('Ann', 'Bob')
    old = thread.board().id
    refuse(night, 'PATCH', f'/channels/{thread.channel.id}/messages/*', 400, 50083)
    await thread.move()
    clear(night)
    assert thread.board().id != old
    assert thread.table.channel_id == thread.channel.id


@pytest.mark.parametrize('archived', [False, True])
async def test_a_locked_thread_is_left_for_its_channel(night: Night, expected_warnings: list[str], archived: bool) -> None:
    expected_warnings.append(LOST)
    thread = await night.thread('side table')
    table = await thread.begin('Ann', 'Bob')
    if archived:
        night.env.backend.edit_channel(thread.channel.id, {}, thread_metadata={'archived': True, 'locked': True})
        await night.env.settle()
    code = 50083 if archived else 160005
    refuse(night, 'PATCH', f'/channels/{thread.channel.id}/messages/*', 400, code)
    refuse(night, 'POST', f'/channels/{thread.channel.id}/messages', 400, code)
    await direct_move(thread)
    await night.env.settle()
    assert table.channel_id == night.channel.id
    assert table.waiting_for == ''
    assert night.table is table
    await night.move()
    assert len(boards(night)) == 1
    await night.restart()
    assert night.table.id == table.id


async def test_a_locked_thread_below_a_channel_that_has_a_table(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings.append('table 2 in server .*: the board could not be updated')
    thread = await night.thread('side table')
    await night.begin('Cem', 'Dora')
    table = await thread.begin('Ann', 'Bob')
    for method, path in (('PATCH', 'messages/*'), ('POST', 'messages')):
        refuse(night, method, f'/channels/{thread.channel.id}/{path}', 400, 160005)
    await direct_move(thread)
    assert table.waiting_for == 'no-access'
    assert night.table is not table
    clear(night)
    night.env.backend.edit_channel(thread.channel.id, {}, thread_metadata={'locked': False})
    await night.env.settle()
    assert table.waiting_for == ''


# --- rights ---------------------------------------------------------------------------------------------------------


async def test_without_the_right_to_write_the_board_is_still_edited(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    board = night.board().id
    night.deny('send_messages')
    for _ in range(2):
        await night.move()
        assert night.table.name(night.table.turn) in night.board_text()
    night.bot.chat.boards._scrolled[night.table.id] = 20  # it would have to be posted anew
    await night.move()
    assert night.board().id == board
    assert f'<@{night.person(night.name_of_turn()).id}>' in night.board_text()
    assert night.table.waiting_for == ''


@pytest.mark.parametrize('right', ['send_messages', 'view_channel'])
async def test_a_table_that_cannot_be_shown_waits(night: Night, expected_warnings: list[str], right: str) -> None:
    expected_warnings.append(LOST)
    table = await night.begin('Ann', 'Bob')
    await night.env.advance_time(100)
    night.deny(right)
    night.let_tokens_die()
    if right == 'send_messages':
        await delete_board(night)
    await direct_move(night)
    assert table.waiting_for == 'no-access'
    assert table.deadline is None
    for name in ('Ann', 'Bob'):
        (said,) = night.told(name)
        assert 'I can no longer write in your table’s channel. The clock is stopped' in said
    made = len(makers(night))
    for _ in range(3):
        await direct_move(night)
    assert len(makers(night)) == made + 3
    tried = len(night.env.http_requests)
    await night.env.advance_time(86_400)
    assert len(night.env.http_requests) - tried < 240  # once in a quarter of an hour, by edit and by post
    assert makers(night) == ['player'] * (made + 3)
    assert [len(night.told(name)) for name in ('Ann', 'Bob')] == [1, 1]
    night.deny()
    await night.env.settle()
    assert table.waiting_for == ''
    assert f'Time runs out {stamp(night, LIVE.move + table.time_bank[table.turn])}.' in night.board_text()
    assert len(boards(night)) == 1
    await night.move()
    assert [len(night.told(name)) for name in ('Ann', 'Bob')] == [1, 1]


async def test_a_board_can_not_be_opened_where_the_bot_may_not_write(night: Night) -> None:
    night.deny('send_messages')
    assert 'I need these permissions in this channel: Send Messages' in await night.slash('Ann', 'superman open')
    assert night.bot.host.tables == []


# --- the server -----------------------------------------------------------------------------------------------------


async def test_an_outage_of_the_server(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    await night.env.advance_time(100)
    back = night.guild_payload()
    await night.gateway('GUILD_DELETE', id=str(night.guild.id), unavailable=True)
    assert table.waiting_for == 'outage'
    count = len(night.env.http_requests)
    await night.dispatch('ready')
    assert table.waiting_for == 'outage'
    await night.env.advance_time(86_400)
    assert len(night.env.http_requests) == count
    assert makers(night) == []
    await night.gateway('GUILD_CREATE', **back)
    assert table.waiting_for == ''
    assert f'Time runs out {stamp(night, FIRST)}.' in night.board_text()
    await night.env.advance_time(FIRST + GRACE)
    assert makers(night) == ['clock']


async def test_removed_from_the_server_and_invited_again(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    back = night.guild_payload()
    for hours in (20, 20):
        await night.gateway('GUILD_DELETE', id=str(night.guild.id))
        assert table.waiting_for == 'server-gone'
        await night.env.advance_time(hours * 3600)
        await night.gateway('GUILD_CREATE', **back)
        assert table.waiting_for == ''
    assert f'Time runs out {stamp(night, FIRST)}.' in night.board_text()
    await night.move()


async def test_removed_from_the_server_for_good(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    await night.gateway('GUILD_DELETE', id=str(night.guild.id))
    await night.dispatch('ready')
    await night.env.advance_time(24 * 3600 - 10)
    assert table.state == 'playing'
    await night.env.advance_time(10)
    assert (table.state, table.outcome) == ('abandoned', 'server-gone')
    assert all('I was removed from the server' in night.told(name)[-1] for name in ('Ann', 'Bob'))


# --- the connection -------------------------------------------------------------------------------------------------


async def test_ready_again_doubles_nothing(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    count = len(night.env.http_requests)
    for _ in range(3):
        await night.dispatch('ready')
        await night.dispatch('resumed')
    assert len(night.env.http_requests) == count
    assert len(boards(night)) == 1
    await night.env.advance_time(FIRST - LIVE.remind)
    assert len(night.told(night.name_of_turn())) == 1
    await night.env.advance_time(LIVE.remind + GRACE)
    assert makers(night) == ['clock']


async def test_a_session_is_resumed_with_events_that_were_there_before(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    verb, _, card = night.legal()[0].partition(' ')
    move = night.a_command(night.name_of_turn(), f'superman {verb}', **({'card': card} if card else {}))
    await night.deliver(move)
    assert makers(night) == ['player']
    await night.dispatch('disconnect')
    await night.dispatch('resumed')
    position = table.position
    await night.deliver(move, move)
    assert table.position == position
    assert makers(night) == ['player']
    assert len(boards(night)) == 1


# --- faults ---------------------------------------------------------------------------------------------------------


async def test_faults_of_discord_are_waited_out(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings.append(LOST)
    await night.begin('Ann', 'Bob', pace='none')
    path = f'/channels/{night.channel.id}/messages/*'
    refuse(night, 'PATCH', path, 503, 0)
    refuse(night, 'POST', f'/channels/{night.channel.id}/messages', 503, 0)
    before = night.board_text()
    await night.move()
    tried = len(sent(night, 'PATCH', f'/channels/{night.channel.id}'))
    for _ in range(6):
        await night.move()
    assert len(sent(night, 'PATCH', f'/channels/{night.channel.id}')) - tried <= 2  # moves do not make it try more often
    await night.env.advance_time(3_600)
    assert len(sent(night, 'PATCH', f'/channels/{night.channel.id}')) - tried < 10
    assert night.board_text() == before
    assert night.table.waiting_for == ''
    clear(night)
    await night.env.advance_time(900)
    assert night.board_text() != before
    assert f'<@{night.person(night.name_of_turn()).id}>' in night.board_text()
    assert len(boards(night)) == 1


async def test_too_many_edits_of_an_old_board(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    old = night.board().id
    refuse(night, 'PATCH', f'/channels/{night.channel.id}/messages/*', 400, 30046, times=1)
    await night.move()
    (board,) = boards(night)
    assert board.id != old


async def test_a_broken_table_disturbs_no_other(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings += [LOST, 'table 1 in server .*: the hand of user .* could not be updated']
    other = night.in_server('Chess')
    broken = await night.begin('Ann', 'Bob', target=20, pace='none')
    await other.begin('Cem', 'Dora', target=20)
    night.close_direct('Ann')
    refuse(night, '*', f'/channels/{night.channel.id}/messages*', 500, 0)
    refuse(night, '*', f'/channels/{night.person("Bob").user.dm_channel.id}/messages*', 500, 0)
    while other.bot.host.in_channel(other.channel.id):
        await other.move()
        if other.bot.host.in_channel(other.channel.id):
            assert f'<@{other.person(other.name_of_turn()).id}>' in other.board_text()
        if broken.state == 'playing':
            await direct_move(night)
    assert 'the match is over' in other.board_text()
    clear(night)
    await night.env.advance_time(900)
    if broken.state == 'playing':
        await night.move()
    if broken.state == 'playing':
        assert f'<@{night.person(night.name_of_turn()).id}>' in night.board_text()
    else:
        assert 'the match is over' in night.board_text()
