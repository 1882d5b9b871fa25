"""What servers and people may choose, and that it does what it says; taking back through Discord."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from contextlib import closing
from typing import Any

import discord
import pytest
import sqlalchemy as sa

from bot.ui.custom_ids import press

from .night import Night, answer_text, controls_of, raw


@pytest.fixture
def boss(night: Night) -> str:
    """Somebody who may manage the server."""
    night.person('Boss', roles=[night.guild.create_role('managers', permissions=discord.Permissions(manage_guild=True))])
    return 'Boss'


def store_settings(night: Night, table: str, row_id: int, settings: str | bytes) -> None:
    """Writes settings into the database behind the bot's back."""
    file = str(night.bot.settings.database_url).removeprefix('sqlite:///')
    with closing(sqlite3.connect(file)) as connection:
        value = 'CAST(:settings AS TEXT)'
        put = f'INSERT INTO {table} (id, settings) VALUES (:id, {value}) ON CONFLICT (id) DO UPDATE SET settings = {value}'
        connection.execute(put, {'id': row_id, 'settings': settings})
        connection.commit()


# --- servers --------------------------------------------------------------------------------------------------------


async def test_only_managers_change_the_server(night: Night, boss: str) -> None:
    night.moderator('Mia')  # may manage channels, which is not enough
    before = night.everything()
    for name in ('Ann', 'Mia'):
        assert await night.slash(name, 'settings server', pace='none') == 'Only members who can manage the server can do that.'
    assert 'in a server’s channels' in await night.direct(boss, 'settings server', pace='none')
    assert night.everything()[0] == before[0]
    assert night.bot.chat.preferences.server(night.guild.id).pace == 'live'


async def test_settings_are_shown(night: Night, boss: str) -> None:
    said = await night.slash(boss, 'settings server')
    assert said.splitlines()[0] == '**Server settings**'
    assert 'Channels where tables can be opened: all channels' in said
    assert 'Pinged when a table opens: nobody' in said
    said = await night.slash('Ann', 'settings mine')
    assert said.splitlines()[0] == '**Your settings**'
    assert 'Send hands by direct message: yes' in said


async def test_where_tables_may_be_opened(night: Night, boss: str) -> None:
    other = night.in_channel(night.guild.create_text_channel('chat'))
    await night.slash(boss, 'settings server', channel=night.channel)
    assert await other.slash('Ann', 'superman open') == f'In this server, tables can only be opened in <#{night.channel.id}>.'
    thread = await night.thread('side')
    await thread.slash('Ann', 'superman open')
    assert thread.table.state == 'lobby'
    await other.slash(boss, 'settings server', everywhere=True)
    await other.slash('Ann', 'superman open')
    assert other.table.state == 'lobby'


@pytest.mark.parametrize('kind', ['text', 'news', 'voice', 'stage'])
async def test_every_channel_that_can_hold_a_table_can_be_chosen(night: Night, boss: str, kind: str) -> None:
    place = night.in_channel(getattr(night.guild, f'create_{kind}_channel')('place'))
    assert f'<#{place.channel.id}>' in await night.slash(boss, 'settings server', channel=place.channel)
    assert await night.slash('Ann', 'superman open') == f'In this server, tables can only be opened in <#{place.channel.id}>.'
    await place.slash('Ann', 'superman open')
    assert place.table.state == 'lobby'


@pytest.mark.parametrize('chosen', ['forum', 'thread'])
async def test_threads_of_a_forum_and_single_threads(night: Night, boss: str, chosen: str) -> None:
    forum = night.guild.create_forum_channel('forum')
    post = await night.bot.get_channel(forum.id).create_thread(name='post', content='.')  # type: ignore[union-attr]
    place = night.in_channel(next(thread for thread in forum.threads if thread.id == post.thread.id)) if chosen == 'forum' else None
    place = place or await night.thread('side')
    await night.slash(boss, 'settings server', channel=forum if chosen == 'forum' else place.channel)
    assert 'tables can only be opened in' in await night.slash('Ann', 'superman open')
    await place.slash('Ann', 'superman open')
    assert place.table.state == 'lobby'


async def test_a_category_cannot_be_chosen(night: Night) -> None:
    (settings,) = [command for command in await night.bot.tree.fetch_commands() if command.name == 'settings']
    (server,) = [option for option in settings.options if option.name == 'server']
    (channel,) = [option for option in server.options if option.name == 'channel']  # type: ignore[union-attr]
    kinds = {kind.name for kind in channel.channel_types}
    threads = {'public_thread', 'private_thread', 'news_thread'}
    assert kinds == {'text', 'news', 'voice', 'stage_voice', 'forum', 'media'} | threads


async def test_who_may_open_tables(night: Night, boss: str) -> None:
    role = night.guild.create_role('hosts')
    await night.slash(boss, 'settings server', hosts=role)
    assert await night.slash('Ann', 'superman open') == f'In this server, only <@&{role.id}> can open tables.'
    night.person('Hana', roles=[role])
    assert 'The table is open.' in await night.slash('Hana', 'superman open')
    assert 'You have a seat' in await night.press('Ann', 'Join')
    await night.slash('Hana', 'table end')
    await night.slash(boss, 'settings server', hosts=role)
    assert 'The table is open.' in await night.slash('Ann', 'superman open')


async def test_the_default_pace(night: Night, boss: str) -> None:
    await night.slash(boss, 'settings server', pace='relaxed')
    await night.slash('Ann', 'superman open')
    assert night.table.time_control is not None
    assert night.table.time_control.id == 'relaxed'
    await night.slash('Ann', 'table end')
    await night.slash('Ann', 'superman open', pace='none')
    assert night.table.time_control is None


async def test_the_mention_style(night: Night, boss: str) -> None:
    await night.begin('Ann', 'Bob')
    turn = night.person(night.name_of_turn()).id
    assert f'<@{turn}>' in night.board_text()
    await night.slash(boss, 'settings server', mentions='none')
    assert f'<@{turn}>' not in night.board_text()
    assert f'**{night.name_of_turn()}**, it is your turn.' in night.board_text()


def called(night: Night) -> list[str]:
    """Whom the boards that were posted have called, by a sound."""
    names = {person.id: name for name, person in night.people.items()}
    sent = [request for request in night.env.http_requests if request.method == 'POST']
    posts = [request.json for request in sent if request.path.endswith(f'/{night.channel.id}/messages')]
    boards = [post for post in posts if post.get('components') and not (post.get('flags') or 0) & 4096]
    return [names[int(user)] for post in boards for user in post['allowed_mentions'].get('users') or []]


@pytest.mark.parametrize('pace', ['relaxed', 'none'])
async def test_who_is_slow_is_called_where_nobody_is_hurried(night: Night, boss: str, pace: str) -> None:
    await night.begin('Ann', 'Bob', pace=pace)
    night.put(['B1 R2 G1', 'G3 B4 Y4'], pile='B2')
    await night.render()
    expected = called(night)
    before = night.board().id
    await night.slash('Ann', 'superman play', card='B1')
    await night.env.advance_time(29)
    assert (night.board().id, called(night)) == (before, expected)
    await night.env.advance_time(2)
    assert night.board().id != before
    assert called(night) == [*expected, 'Bob']
    assert len([message for message in night.channel.history() if message.components]) == 1
    await night.slash('Cem', 'table watch')
    await night.env.advance_time(24 * 3600 if pace == 'none' else 3600)
    assert called(night) == [*expected, 'Bob'], 'once a turn'
    await night.slash('Bob', 'superman play', card='B4')
    await night.env.advance_time(31)
    assert called(night) == [*expected, 'Bob', 'Ann']


async def test_a_restart_calls_nobody_again(night: Night, boss: str) -> None:
    await night.begin('Ann', 'Bob', pace='relaxed')
    await night.move()
    await night.env.advance_time(31)
    before, calls = night.board().id, called(night)
    await night.restart()
    await night.env.advance_time(700)
    assert night.board().id == before
    assert called(night) == calls


@pytest.mark.parametrize('way', ['live', 'server', 'person'])
async def test_nobody_is_called_who_need_not_be(night: Night, boss: str, way: str) -> None:
    await night.slash('Bob', 'settings mine', pings=way != 'person')
    if way == 'server':
        await night.slash(boss, 'settings server', mentions='none')
    await night.begin('Ann', 'Bob', pace='live' if way == 'live' else 'relaxed')
    night.put(['B1 R2 G1', 'G3 B4 Y4'], pile='B2')
    await night.render()
    before = night.board().id
    await night.slash('Ann', 'superman play', card='B1')
    await night.env.advance_time(61)
    assert night.board().id == before
    assert 'Bob' not in called(night)


async def test_the_language_field(night: Night, boss: str) -> None:
    assert 'I don’t speak that language. I know: own, en' in await night.slash(boss, 'settings server', language='tlh')
    assert 'I don’t speak that language.' in await night.slash('Ann', 'settings mine', language='../../etc')
    assert 'Language: English' in await night.slash(boss, 'settings server', language='en')
    assert 'Language: English' in await night.slash('Ann', 'settings mine', language='en')
    assert 'English' not in await night.slash('Ann', 'settings mine', language='own')
    choices = await night.person('Ann').autocomplete(night.channel, 'settings mine', 'language', 'engl')
    assert [choice['value'] for choice in choices] == ['en']


async def test_changes_stand_in_the_log(night: Night, boss: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, 'cogs.settings')
    await night.slash(boss, 'settings server')
    assert 'settings of server' not in caplog.text
    await night.slash(boss, 'settings server', pace='relaxed', mentions='none')
    who, where = night.person(boss).id, night.guild.id
    assert f'settings of server {where} changed by {who}: mentions=none, pace=relaxed' in caplog.text


async def test_settings_outlive_a_restart(night: Night, boss: str) -> None:
    await night.slash(boss, 'settings server', pace='none', mentions='none')
    await night.slash('Ann', 'settings mine', direct=False, confirm=True)
    await night.restart()
    await night.begin('Ann', 'Bob')
    assert night.table.time_control is None
    assert f'<@{night.person("Ann").id}>' not in night.board_text()
    assert 'Send hands by direct message: no' in await night.slash('Ann', 'settings mine')


@pytest.mark.parametrize('hostile', ['[]', '"x"', '7', 'null', '', '{', '{"pace": }', '[' * 100_000, b'{"pace": "\xff"}'])
async def test_stored_settings_that_are_none(night: Night, expected_warnings: list[str], hostile: str | bytes) -> None:
    expected_warnings += [f'the settings of {kind} .* are not a JSON object and are ignored' for kind in ('guild', 'person')]
    await the_defaults_serve(night, hostile)


@pytest.mark.parametrize(
    'hostile',
    [
        '{"pace": "hourly", "direct": "perhaps"}',
        '{"channels": "everywhere", "language": {"a": [1]}}',
        '{"channels": [{}], "mentions": 4, "pings": []}',
        '{"callers": {"superman": ["%s"]}, "confirm": 8}' % ('x' * 5000),
        '{"callers": %s, "channels": 1, "confirm": 8}' % ('[' * 600 + ']' * 600),
    ],
)
async def test_stored_settings_that_make_no_sense(night: Night, expected_warnings: list[str], hostile: str) -> None:
    expected_warnings.append('stored settings cannot be understood and are left aside')
    await the_defaults_serve(night, hostile)


async def test_a_read_that_ends_late_undoes_no_change(night: Night) -> None:
    began, may_end = threading.Event(), threading.Event()

    def hold(connection: sa.Connection, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith('SELECT') and 'settings' in statement and not began.is_set():
            began.set()
            may_end.wait(10)

    user_id, guild_id, preferences = night.person('Ann').id, night.guild.id, night.bot.chat.preferences
    for kind in ('server', 'person'):
        began.clear()
        may_end.clear()
        sa.event.listen(sa.Engine, 'after_cursor_execute', hold)
        try:
            late = asyncio.create_task(preferences.load([guild_id], []) if kind == 'server' else preferences.load([], [user_id]))
            assert await asyncio.to_thread(began.wait, 10)
            if kind == 'server':
                await preferences.change_server(guild_id, pace='none')
            else:
                await preferences.change_person(user_id, pings=False)
            may_end.set()
            await late
        finally:
            may_end.set()
            sa.event.remove(sa.Engine, 'after_cursor_execute', hold)
    assert preferences.server(guild_id).pace == 'none'
    await preferences.toggle_subscriber(guild_id, '', user_id)
    await preferences.change_person(user_id, confirm=True)
    assert (await night.bot.store.guild_settings([guild_id]))[guild_id]['pace'] == 'none'
    assert (await night.bot.store.person_settings([user_id]))[user_id]['pings'] is False


async def the_defaults_serve(night: Night, hostile: str | bytes) -> None:
    await night.slash('Ann', 'settings mine')
    store_settings(night, 'guild', night.guild.id, hostile)
    store_settings(night, 'person', night.person('Ann').id, hostile)
    await night.restart()
    await night.begin('Ann', 'Bob')
    assert night.table.time_control is not None
    assert night.table.time_control.id == 'live'
    assert 'Send hands by direct message: yes' in await night.slash('Ann', 'settings mine', pings=False)
    assert 'Your hand' in night.seen_by('Ann')


# --- people ---------------------------------------------------------------------------------------------------------


async def test_no_hand_by_direct_message(night: Night) -> None:
    await night.slash('Ann', 'settings mine', direct=False)
    await night.begin('Ann', 'Bob')
    for _ in range(3):
        await night.move()
    assert night.person('Ann').user.dm_channel.history() == []
    assert night.person('Bob').user.dm_channel.history() != []
    assert controls_of(raw(await night.open_hand('Ann')))
    await night.slash('Ann', 'settings mine', direct=True)
    await night.move()
    assert len(night.person('Ann').user.dm_channel.history()) == 1


def button(message: Any, label: str) -> str:
    (found,) = [control for control in controls_of(raw(message)) if control.get('label') == label]
    return str(found['custom_id'])


async def confirmed(night: Night, name: str, text: str) -> Any:
    """Plays with the private hand; the question that comes."""
    message = await night.open_hand(name)
    person = night.person(name)
    for control in controls_of(raw(message)):
        if control['type'] == 3 and any(option['value'] == text for option in control['options']):
            return (await person.select(message, custom_id=control['custom_id'], values=[text])).followups[-1].message
        if control['type'] == 2 and control['custom_id'].endswith(f':{text}'):
            return (await person.click(message, custom_id=control['custom_id'])).followups[-1].message
    raise AssertionError(text)


async def test_asked_before_a_button_plays(night: Night) -> None:
    for name in ('Ann', 'Bob'):
        await night.slash(name, 'settings mine', confirm=True)
    table = await night.begin('Ann', 'Bob')
    name, text, before = night.name_of_turn(), night.legal()[0], night.table.position
    question = await confirmed(night, name, text)
    assert table.position == before
    assert f'Do you want to play `{text}`?' in str(raw(question))
    await night.person(name).click(question, custom_id=button(question, 'Yes, play it'))
    assert [row[4] for row in night.stored()['move']] == [text]
    name, text = night.name_of_turn(), night.legal()[0]
    question = await confirmed(night, name, text)
    old = button(question, 'Yes, play it')
    verb, _, card = text.partition(' ')
    await night.slash(name, f'superman {verb}', **({'card': card} if card else {}))  # a command is not asked for twice
    position = table.position
    await night.person(name).click(question, custom_id=old)
    assert table.position == position


# --- taking back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('way', ['command', 'direct', 'hand'])
async def test_taking_back(night: Night, way: str) -> None:
    table = await night.begin('Ann', 'Bob')
    night.put(['B1 R2 Y4', 'G1 G2 R4'], pile='B3')
    assert table.match is not None
    before, position = table.match.round.copy(), table.position
    await night.slash('Ann', 'superman play', card='B1')
    match way:
        case 'command':
            said = await night.slash('Ann', 'table undo')
        case 'direct':
            message = night.hand_message('Ann')
            said = answer_text(await night.person('Ann').user.click(message, custom_id=button(message, 'Take back')))
        case _:
            message = await night.open_hand('Ann')
            await night.person('Ann').click(message, custom_id=button(message, 'Take back'))
            said = 'You have taken back your last move.'
    assert 'You have taken back your last move.' in said
    assert table.match.round == before
    assert table.position > position
    assert 'Ann takes back the last move.' in night.board_text()
    assert night.stored()['move'] == []
    assert 'You can’t take that back.' in await night.slash('Ann', 'table undo')
    assert 'Take back' not in str(raw(night.hand_message('Ann')))
    await night.slash('Ann', 'superman play', card='B1')
    assert len(night.stored()['move']) == 1


async def test_a_button_drawn_for_what_was_taken_back_is_stale(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    night.put(['B1 B2 Y4', 'G1 G2 R4'], pile='B3')
    await night.slash('Ann', 'superman play', card='B1')
    old = f't:play:{table.id}:{table.position[0]}.{table.position[1]}:play G2'
    await night.slash('Ann', 'table undo')
    await night.slash('Ann', 'superman play', card='B2')
    (said,) = await night.deliver(night.a_press('Bob', night.board(), old))
    assert 'The game has moved on' in said
    assert len(night.stored()['move']) == 1
    await night.deliver(night.a_press('Bob', night.board(), press('play', table, 'play G2', here=True)))
    assert len(night.stored()['move']) == 2


async def test_a_take_back_twice_at_once(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    night.put(['B1 R2 Y4', 'G1 G2 R4'], pile='B3')
    await night.slash('Ann', 'superman play', card='B1')
    said = await night.deliver(*(night.a_command('Ann', 'table undo') for _ in range(2)))
    assert sorted('can’t' in one for one in said) == [False, True]
    assert table.ply == 0


async def test_no_taking_back_of_a_draw(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    night.put(['B1 R2 Y4', 'G1 G2 R4'], pile='G3')
    await night.slash('Ann', 'superman draw')
    assert 'by drawing, turning or looking' in await night.slash('Ann', 'table undo')
    assert 'You have no seat at this table.' in await night.slash('Cem', 'table undo')
    assert len(night.stored()['move']) == 1
