"""Tables through Discord: opening, sitting down, getting up, hosting, ending; the board, the hands, and a restart in between."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from cogs.tables import LISTED

from .night import Night, answer_text, controls_of, raw, texts_of

NOWHERE = 'You have no seat at any open table. Join one in a server’s channel, or open one there.'


def labels(message: discord.Message) -> list[str]:
    return [control['label'] for control in controls_of(raw(message)) if control['type'] == 2]


def boards(night: Night) -> list[discord.Message]:
    """The boards that stand in the channel."""
    return [message for message in night.channel.history() if message.author.id == night.bot.user.id and message.components]


def names(night: Night) -> list[str]:
    return [person.name for person in night.table.people]


# --- opening and sitting down -----------------------------------------------------------------------------------------


async def test_open_with_the_usual_rules(night: Night) -> None:
    said = await night.slash('Ann', 'superman open')
    assert said == 'The table is open. Others can join with the button or with `/table join`.'
    text = night.board_text()
    assert '### Superman (1978) · open table' in text
    assert '**Seats: 1 of 5 taken**\n1. Ann 👑' in text
    assert 'One more player is needed.' in text
    assert 'Point limit: 100 · After a Superman: the same player plays any card' in text
    assert '-# Time control: live (90 seconds a move, and a time bank of 3 minutes)' in text
    assert labels(night.board()) == ['Join', 'Leave', 'Start', 'Watch', 'Rules']
    assert not night.board().mentions


async def test_open_with_options(night: Night) -> None:
    await night.slash('Ann', 'superman open', target=20, followup='next', seats=3)
    assert night.table.options == {'target': 20, 'superman_followup': 'next'}
    assert 'Seats: 1 of 3 taken' in night.board_text()
    assert 'Point limit: 20 · After a Superman: the next player plays any card' in night.board_text()
    await night.press('Bob', 'Join')
    await night.press('Ann', 'Start')
    assert 'Point limit: 20 · After a Superman: the next player plays any card' in night.board_text()


async def test_sitting_down_and_getting_up(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    assert await night.slash('Bob', 'table join') == 'You have a seat. 2 players are at the table.'
    assert await night.press('Cem', 'Join') == 'You have a seat. 3 players are at the table.'
    assert '1. Ann 👑\n2. Bob\n3. Cem' in night.board_text()
    assert 'Ann 👑 can start the match.' in night.board_text()
    for said in (await night.slash('Bob', 'table join'), await night.press('Bob', 'Join')):
        assert said == 'You already have a seat at this table.'
    assert await night.slash('Bob', 'table leave') == 'You have left the table.'
    for said in (await night.slash('Bob', 'table leave'), await night.press('Bob', 'Leave')):
        assert said == 'You have no seat at this table.'
    assert await night.press('Cem', 'Leave') == 'You have left the table.'
    assert names(night) == ['Ann']
    assert len(boards(night)) == 1


async def test_a_full_table(night: Night) -> None:
    await night.slash('Ann', 'superman open', seats=2)
    await night.press('Bob', 'Join')
    before = night.everything()
    for said in (await night.press('Cem', 'Join'), await night.slash('Cem', 'table join')):
        assert said == 'The table is full: all 2 seats are taken.'
    assert night.everything()[0] == before[0]
    assert night.stored()['seat'] == before[1]['seat']


async def test_one_table_a_channel(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    before = night.table
    for name in ('Ann', 'Bob'):
        said = await night.slash(name, 'superman open', target=50)
        assert said == (
            'There is already an open table in this channel. Join it if it has a free seat, or open yours in another channel or thread.'
        )
    assert night.bot.host.tables == [before]
    assert len(night.stored()['game_table']) == 1
    await night.slash('Ann', 'table end')
    await night.slash('Bob', 'superman open')
    assert night.table is not before


async def test_a_table_in_a_thread_beside_one_in_the_channel(night: Night) -> None:
    thread = await night.thread('side table')
    await night.slash('Ann', 'superman open', target=30)
    await thread.slash('Cem', 'superman open', target=40)
    await thread.press('Dora', 'Join')
    assert names(night) == ['Ann']
    assert names(thread) == ['Cem', 'Dora']
    await thread.press('Cem', 'Start')
    assert '· round 1' in thread.board_text()
    assert 'open table' in night.board_text()
    await thread.move()
    assert 'side table' not in await night.slash('Dora', 'table mine')
    assert f'/{thread.channel.id}/{thread.board().id}' in await night.slash('Dora', 'table mine')


async def test_no_table_in_direct_messages(night: Night) -> None:
    night.person('Ann')
    said = await night.direct('Ann', 'superman open')
    assert said == 'Tables can only be opened in a server’s channels, not in direct messages.'
    assert night.stored()['game_table'] == []


async def test_no_table_where_the_bot_may_not_write(night: Night) -> None:
    mute = {night.guild.me: discord.PermissionOverwrite(send_messages=False, send_messages_in_threads=False)}
    quiet = night.in_channel(night.guild.create_text_channel('quiet', overwrites=mute))
    said = await quiet.slash('Ann', 'superman open')
    assert 'I need these permissions in this channel: Send Messages.' in said
    assert night.stored()['game_table'] == []


async def test_commands_where_there_is_no_table(night: Night) -> None:
    tables = [f'table {name}' for name in ('join', 'leave', 'start', 'show', 'end', 'watch', 'back', 'undo', 'rematch')]
    for command in (*tables, 'superman draw', 'superman pass', 'superman stop'):
        said = await night.slash('Ann', command)
        assert said == 'There is no open table in this channel. You can open one, for example with `/superman open`.', command
    for command in ('table leave', 'table show', 'hand', 'superman draw'):
        assert await night.direct('Ann', command) == NOWHERE


async def test_commands_of_another_game(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    for name in ('Ann', 'Watcher'):
        said = await night.slash(name, 'thirteen pass')
        assert said == 'The table in this channel plays another game. Its commands start with `/superman`.'
    assert await night.direct('Ann', 'thirteen pass') == 'You have no seat at a table for that game. `/table mine` lists your seats.'
    assert await night.direct('Watcher', 'thirteen pass') == NOWHERE
    assert night.table.position == (0, 0)


# --- starting -----------------------------------------------------------------------------------------------------------


async def test_who_starts_and_when(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    for said in (await night.slash('Ann', 'table start'), await night.press('Ann', 'Start')):
        assert said == 'A match needs at least 2 players. Wait for others to join.'
    await night.press('Bob', 'Join')
    for name in ('Bob', 'Stranger'):
        said = await night.press(name, 'Start')
        assert said == 'Only the host can do that, or a moderator who can manage this channel.'
    assert night.table.state == 'lobby'
    lobby = night.board()
    assert await night.press('Ann', 'Start') == ''
    assert night.table.state == 'playing'
    assert night.board().id == lobby.id, 'the board is edited in place'
    assert labels(night.board()) == ['My hand', 'Draw', 'Pass', 'Stop', 'Rules']
    assert await night.slash('Ann', 'table start') == 'The match has already started.'
    assert (await night.slash('Cem', 'table join')).startswith('The match has started, and no seat is free.')


async def test_a_moderator_may_start(night: Night) -> None:
    night.moderator('Mod')
    await night.slash('Ann', 'superman open')
    await night.press('Bob', 'Join')
    assert await night.slash('Mod', 'table start') == 'The match has started.'
    assert night.table.state == 'playing'


async def test_the_board_mentions_only_whose_turn_it_is(night: Night) -> None:
    await night.begin('Ann', 'Bob', 'Cem')
    turn = night.person(night.name_of_turn())
    assert f'<@{turn.id}>, it is your turn.' in night.board_text()
    sent = [request.json for request in night.env.http_requests if request.method in ('POST', 'PATCH') and '/messages' in request.path]
    pinged = [message['allowed_mentions'] for message in sent if message.get('allowed_mentions', {}).get('users')]
    assert pinged == [{'parse': [], 'users': [turn.id]}]


# --- hosting ------------------------------------------------------------------------------------------------------------


async def test_the_host_passes_on_when_the_host_leaves(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    await night.press('Bob', 'Join')
    await night.press('Cem', 'Join')
    await night.press('Ann', 'Leave')
    assert '1. Bob 👑\n2. Cem' in night.board_text()
    await night.press('Bob', 'Start')
    assert night.table.state == 'playing'
    await night.slash('Bob', 'table leave')
    assert await night.slash('Cem', 'table end') == 'The table is closed.'


async def test_the_last_one_out_closes_the_table(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    await night.press('Ann', 'Leave')
    assert night.bot.host.in_channel(night.channel.id) is None
    assert night.board_text() == '### Superman (1978) · this table is closed\nEveryone has left.'
    assert controls_of(raw(night.board())) == []
    assert 'The table is open' in await night.slash('Bob', 'superman open')


async def test_handing_the_table_over(night: Night) -> None:
    night.moderator('Mod')
    await night.slash('Ann', 'superman open')
    await night.press('Bob', 'Join')
    bob, stranger = night.person('Bob'), night.person('Stranger')
    assert 'Only the host' in await night.slash('Bob', 'table host', player=bob)
    assert await night.slash('Ann', 'table host', player=stranger) == 'Stranger has no seat at this table.'
    assert night.table.host_id == night.person('Ann').id
    assert await night.slash('Ann', 'table host', player=bob) == 'Bob is the host now.'
    assert '1. Ann\n2. Bob 👑' in night.board_text()
    assert 'Only the host' in await night.slash('Ann', 'table host', player=night.person('Ann'))
    assert await night.slash('Mod', 'table host', player=night.person('Ann')) == 'Ann is the host now.'


async def test_removing_somebody(night: Night) -> None:
    night.moderator('Mod')
    await night.slash('Ann', 'superman open')
    for name in ('Bob', 'Cem'):
        await night.press(name, 'Join')
    bob, cem, stranger = night.person('Bob'), night.person('Cem'), night.person('Stranger')
    for name in ('Cem', 'Stranger'):
        assert 'Only the host' in await night.slash(name, 'table remove', player=bob)
    assert await night.slash('Ann', 'table remove', player=stranger) == 'Stranger has no seat at this table.'
    assert names(night) == ['Ann', 'Bob', 'Cem']
    assert await night.slash('Ann', 'table remove', player=bob) == 'Bob is no longer at the table.'
    assert await night.slash('Mod', 'table remove', player=cem) == 'Cem is no longer at the table.'
    assert names(night) == ['Ann']
    assert await night.press('Bob', 'Join') == 'You have a seat. 2 players are at the table.'


async def test_ending_a_table(night: Night) -> None:
    night.moderator('Mod')
    await night.slash('Ann', 'superman open')
    assert 'Only the host' in await night.slash('Bob', 'table end')
    assert await night.slash('Mod', 'table end') == 'The table is closed.'
    assert night.board_text() == '### Superman (1978) · this table is closed\nThe host or a moderator ended it.'


async def test_ending_a_match(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await night.move()
    assert await night.slash('Ann', 'table end') == 'The table is closed.'
    text = night.board_text()
    assert '### Superman (1978) · the match was stopped\nThe host or a moderator ended it.' in text
    assert labels(night.board()) == ['Rematch']
    rows = night.stored()
    assert len(rows['result']) == 2
    assert rows['standing'] == []
    assert rows['rating'] == []
    for name in ('Ann', 'Bob'):
        assert 'The host or a moderator ended it' in '\n'.join(texts_of(raw(night.hand_message(name))))
        assert labels(night.hand_message(name)) == ['Rematch']


async def plays_by_itself(night: Night, name: str) -> None:
    """The others move until the computer player has made a move in this seat."""
    seat = next(number for number, one in enumerate(night.table.seats) if one.person.name == name)
    while not any(row[3] == seat and 'computer' in row for row in night.stored()['move']):
        if night.table.turn == seat:
            await night.env.advance_time(1.5)
        else:
            await night.move()


# --- leaving a match ----------------------------------------------------------------------------------------------------


async def test_leaving_a_match(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem')
    said = await night.slash('Cem', 'table leave')
    assert said == (
        'You have left the match, and it counts as left for you. The computer plays on in your seat. '
        'To come back while the seat is free, use `/table join`.'
    )
    assert '(left)' in night.board_text()
    shown = '\n'.join(texts_of(raw(night.hand_message('Cem'))))
    assert 'You have left this match.' in shown
    assert controls_of(raw(night.hand_message('Cem'))) == []
    assert await night.slash('Cem', 'superman draw') == 'You have no seat at this table.'
    assert await night.press('Cem', 'My hand') == 'You have no seat at this table.'
    assert await night.slash('Cem', 'table mine') == 'You have no seat at any table.'
    await plays_by_itself(night, 'Cem')
    assert table.state == 'playing'
    await night.slash('Ann', 'table end')
    assert 'Cem · ' in night.board_text()
    assert '(left)' in night.board_text()
    assert 'Cem' in night.board_text()


async def test_everyone_leaves_a_match(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'table leave')
    await night.slash('Bob', 'table leave')
    assert table.state == 'abandoned'
    played = night.stored()['move']
    assert 'Everyone has left, so nobody wins.' in night.board_text()
    assert night.bot.host.tables == []
    await night.env.advance_time(5)
    assert night.stored()['move'] == played


# --- after the match ----------------------------------------------------------------------------------------------------


async def test_rematch(night: Night) -> None:
    await night.slash('Ann', 'superman open', target=20, followup='next', seats=4)
    await night.press('Bob', 'Join')
    await night.press('Ann', 'Start')
    old = await night.play_out()
    over = night.board()
    assert labels(over) == ['Rematch', 'Rules']
    assert old.match is not None
    for name in ('Ann', 'Bob'):
        shown = '\n'.join(texts_of(raw(night.hand_message(name))))
        assert 'The match is over.' in shown
        assert all(f'**{old.name(seat)}**' in shown for seat in old.match.winners)
    assert await night.press('Watcher', 'Rematch') == 'You did not play in that match. Open a table of your own.'
    assert (await night.press('Bob', 'Rematch')).startswith('A new table is open, with the same players and rules as before')
    new = night.table
    assert new.id != old.id
    assert (new.options, new.most, new.state) == (old.options, 4, 'lobby')
    assert sorted(names(night)) == ['Ann', 'Bob']
    assert new.host_id == night.person('Bob').id
    assert night.board().id != over.id
    assert 'There is already an open table' in await night.press('Ann', 'Rematch', over)
    await night.press('Cem', 'Join')
    await night.press('Bob', 'Start')
    assert night.table.match is not None
    assert night.table.match.totals == [0, 0, 0]


async def test_rematch_where_the_bot_may_no_longer_write(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'table end')
    over = night.board()
    channel = night.bot.get_channel(night.channel.id)
    await channel.set_permissions(night.guild.me, send_messages=False)
    assert 'I need these permissions in this channel: Send Messages.' in await night.press('Ann', 'Rematch', over)
    assert night.bot.host.tables == []


# --- one's own tables ---------------------------------------------------------------------------------------------------


async def test_mine_in_all_servers(night: Night) -> None:
    other = night.in_server('Chess *Club*')
    assert await night.slash('Ann', 'table mine') == 'You have no seat at any table.'
    await night.slash('Ann', 'superman open')
    await other.slash('Bob', 'superman open')
    await other.press('Ann', 'Join')
    await other.press('Bob', 'Start')
    turn = '**your turn**' if other.name_of_turn() == 'Ann' else 'playing'
    for said in (await night.slash('Ann', 'table mine'), await other.slash('Ann', 'table mine'), await night.direct('Ann', 'table mine')):
        assert said.splitlines() == [
            '**Your seats**',
            f'1. Superman (1978) in Club: waiting for players · [Go to the table](https://discord.com/channels/'
            f'{night.guild.id}/{night.channel.id}/{night.board().id})',
            f'2. Superman (1978) in Chess \\*Club\\*: {turn} · [Go to the table](https://discord.com/channels/'
            f'{other.guild.id}/{other.channel.id}/{other.board().id})',
            'Leave 1',
            'Leave 2',
        ]


@pytest.mark.parametrize('where', ['server', 'direct'])
async def test_the_list_of_seats_is_drawn_again_after_leaving(night: Night, where: str) -> None:
    other = night.in_server('Chess Club')
    await night.slash('Ann', 'superman open')
    await other.slash('Ann', 'superman open')
    ann = night.person('Ann')
    actor = ann.user if where == 'direct' else ann
    result = await (ann.user.slash('table mine') if where == 'direct' else ann.slash(night.channel, 'table mine'))
    listed = result.response.message

    async def leave(label: str) -> tuple[str, str]:
        (button,) = [one for one in controls_of(raw(now())) if one.get('label') == label]
        left = await actor.click(now(), custom_id=button['custom_id'])
        return answer_text(left), '\n'.join(texts_of(raw(now())))

    def now() -> Any:
        place = ann.user.dm_channel.history(viewer=ann.user) if where == 'direct' else night.channel.history(viewer=ann)
        return next(message for message in place if message.id == listed.id)

    said, seats = await leave('Leave 1')
    assert 'You have left' in said
    assert 'in Club' not in seats
    assert '1. Superman (1978) in Chess Club' in seats
    said, seats = await leave('Leave 1')
    assert 'You have left' in said
    assert seats == 'You have no seat at any table.'
    assert night.bot.host.tables == []


@pytest.mark.parametrize('over', [True, False])
async def test_the_list_of_seats_is_drawn_again_when_there_is_nothing_to_leave_any_more(night: Night, over: bool) -> None:
    other = night.in_server('Chess Club')
    await night.slash('Bob', 'superman open')
    await night.press('Ann', 'Join')
    await other.slash('Ann', 'superman open')
    ann = night.person('Ann')
    listed = (await ann.slash(night.channel, 'table mine')).response.message
    button = controls_of(raw(listed))[0]
    await (night.slash('Bob', 'table end') if over else night.press('Ann', 'Leave'))
    said = answer_text(await ann.click(listed, custom_id=button['custom_id']))
    assert ('This table is no longer open.' if over else 'You have no seat at this table.') in said
    now = next(message for message in night.channel.history(viewer=ann) if message.id == listed.id)
    assert texts_of(raw(now))[0].splitlines()[1].startswith('1. Superman (1978) in Chess Club')
    assert len(controls_of(raw(now))) == 1


async def test_the_list_of_seats_never_takes_the_place_of_a_board(night: Night) -> None:
    await night.slash('Bob', 'superman open')
    await night.press('Ann', 'Join')
    (said,) = await night.deliver(night.a_press('Ann', night.board(), f't:leave:{night.table.id}::{LISTED}'))
    assert said == 'You have left the table.'
    assert [seat.person.name for seat in night.table.seats] == ['Bob']
    assert 'Bob' in night.board_text()
    sent = [str(request.json) for request in night.env.http_requests]
    assert [text for text in sent if 'You have no seat at any table.' in text] == [], 'the board is not drawn over, not even for a moment'


@pytest.mark.parametrize(('name', 'seats', 'listed'), [('*' * 100, 20, 10), ('Card Club of Upper Saxony', 21, 20), ('Club', 20, 20)])
async def test_of_many_seats_as_many_are_listed_as_fit_into_a_message(night: Night, name: str, seats: int, listed: int) -> None:
    for _ in range(seats):
        await night.in_server(name).slash('Ann', 'superman open')
    lines = (await night.slash('Ann', 'table mine')).splitlines()
    numbered = [line for line in lines if line.endswith(')')]
    assert [line.partition('.')[0] for line in numbered] == [str(number + 1) for number in range(len(numbered))]
    assert [line for line in lines if line.startswith('Leave ')] == [f'Leave {number + 1}' for number in range(len(numbered))]
    assert len(numbered) == listed
    more = {0: [], 1: ['… and one more table. It will be listed here when there is room.']}
    expected = more.get(seats - listed, [f'… and {seats - listed} more tables. They will be listed here when there is room.'])
    assert [line for line in lines if line.startswith('…')] == expected


async def test_commands_in_direct_messages_with_one_table(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    for _ in range(3):
        name, before = night.name_of_turn(), night.table.position
        match = night.table.match
        assert match is not None
        verb, _, card = match.round.format_move(match.round.legal_moves()[0]).partition(' ')
        await night.direct(name, f'superman {verb}', **({'card': card} if card else {}))
        assert night.table.position != before
    assert 'Your hand' in await night.direct('Ann', 'hand')
    assert f'<#{night.channel.id}>' in await night.direct('Bob', 'table show')
    assert 'Only the host' in await night.direct('Bob', 'table end')
    assert await night.direct('Ann', 'table end') == 'The table is closed.'


async def test_commands_in_direct_messages_with_two_tables(night: Night) -> None:
    other = night.in_server('Chess')
    for one in (night, other):
        await one.begin('Ann', 'Bob')
        while one.name_of_turn() != 'Bob':
            await one.move()
    for command in ('superman draw', 'hand', 'table leave', 'table end', 'table show', 'table start'):
        said = await night.direct('Ann', command)
        assert said.startswith('You sit at 2 tables, so I can’t tell which one you mean.'), command
    while other.name_of_turn() != 'Ann':
        await other.move()
    verb, _, card = other.legal()[0].partition(' ')
    before, there = night.table.position, other.table.position
    await night.direct('Ann', f'superman {verb}', **({'card': card} if card else {}))
    assert night.table.position == before
    assert other.table.position == (0, there[1] + 1)
    while other.name_of_turn() != 'Ann':
        await other.move()
    assert 'in Chess' in await night.direct('Ann', 'hand')
    for command in ('table leave', 'table end'):
        assert (await night.direct('Ann', command)).startswith('You sit at 2 tables'), 'only a move goes to the table that waits'
    assert len(night.bot.host.tables) == 2
    assert len(night.table.people) == len(other.table.people) == 2


async def test_the_hand_command(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    assert await night.slash('Ann', 'hand') == 'The match has not started yet. The host starts it.'
    await night.press('Bob', 'Join')
    await night.press('Ann', 'Start')
    said = await night.slash('Ann', 'hand')
    table = night.table
    held = table.observation(night.person('Ann').id).cards('hands', 0)
    assert all(table.game.card_text(card) in said for card in held if card is not None)
    assert await night.slash('Watcher', 'hand') == 'You have no seat at this table.'
    lounge = night.in_channel(night.guild.create_text_channel('lounge'))
    assert 'Superman (1978) in Club' in await lounge.slash('Ann', 'hand'), 'also where there is no table'
    assert await lounge.slash('Watcher', 'hand') == NOWHERE


# --- the board ----------------------------------------------------------------------------------------------------------


async def test_a_deleted_board_is_posted_anew(night: Night) -> None:
    night.moderator('Mod')
    await night.begin('Ann', 'Bob')
    gone = night.board()
    channel = night.bot.get_channel(night.channel.id)
    await channel.get_partial_message(gone.id).delete()
    await night.move()
    assert [message.id for message in boards(night)] == [night.table.board_message]
    assert night.table.board_message != gone.id
    assert night.stored()['game_table'][0].count(night.table.board_message) == 1
    await night.move()
    assert len(boards(night)) == 1


async def test_a_board_that_has_scrolled_away_is_posted_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    old = night.board()
    for number in range(14):
        await night.person('Cem').send(night.channel, f'chatter {number}')
    await night.move()
    assert night.board().id == old.id
    await night.person('Cem').send(night.channel, 'one more')
    assert night.board().id == old.id, 'not before something changes'
    await night.move()
    assert [message.id for message in boards(night)] == [night.table.board_message]
    assert night.board().id != old.id
    assert night.channel.history()[-1].id == night.board().id
    await night.move()
    assert len(boards(night)) == 1


async def test_an_old_board_is_posted_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    old = night.board()
    await night.env.advance_time(night.bot.settings.board_max_age + 1)
    await night.move()
    assert [message.id for message in boards(night)] == [night.table.board_message]
    assert night.board().id != old.id


async def test_show_posts_the_board_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    old = night.board()
    await night.person('Cem').send(night.channel, 'chatter')
    for act in (night.slash, night.direct):
        said = await act('Ann', 'table show')
        assert said == f'I have posted the board again in <#{night.channel.id}>.'
        assert [message.id for message in boards(night)] == [night.table.board_message]
        assert night.board().id != old.id
        assert night.channel.history()[-1].id == night.board().id
        assert '· round 1' in night.board_text()
        old = night.board()
        await night.env.advance_time(30)
    await night.move()
    assert night.board().id == old.id


# --- the hands ----------------------------------------------------------------------------------------------------------


async def test_the_hand_comes_once_and_is_edited_in_place(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    first = {name: night.hand_message(name).id for name in ('Ann', 'Bob')}
    assert night.person('Ann').user.dm_channel.id != night.person('Bob').user.dm_channel.id
    for _ in range(6):
        await night.move()
        for name, number in first.items():
            messages = night.person(name).user.dm_channel.history()
            assert [message.id for message in messages] == [number]
            text = '\n'.join(texts_of(raw(messages[0])))
            assert 'Superman (1978) in Club · [Go to the table]' in text
            seat = night.table.seat_of(night.person(name).id)
            held = night.table.observation(night.person(name).id).cards('hands', seat)
            assert all(f'{night.table.game.card_text(card)}`' in text for card in held if card is not None)
            assert ('**It is your turn.**' in text) == (night.name_of_turn() == name)
            plays = [control for control in controls_of(raw(messages[0])) if control.get('label') != 'Take back']
            assert bool(plays) == (night.name_of_turn() == name)


async def test_closed_direct_messages(night: Night) -> None:
    bob = night.person('Bob')
    night.env.inject_error('POST', f'/channels/{bob.user.dm_channel.id}/messages', status=403, code=50007, times=None)
    await night.begin('Ann', 'Bob')
    notice = [message.content for message in night.channel.history() if message.content]
    assert notice == [
        f'<@{bob.id}>, your direct messages are closed, so I can’t send you your hand. '
        'Press **My hand** here or use `/hand`. Only you will see it.'
    ]
    assert bob.user.dm_channel.history() == []
    assert night.hand_message('Ann')
    for _ in range(10):
        position = night.table.position
        if night.name_of_turn() == 'Bob':
            await night.play_from('Bob', await night.open_hand('Bob'), night.legal()[0])
        else:
            await night.move()
        assert night.table.position != position, 'the game goes on'
    assert [message.content for message in night.channel.history() if message.content] == notice, 'told once'


async def test_direct_messages_that_are_opened_again(night: Night) -> None:
    bob = night.person('Bob')
    night.env.inject_error('POST', f'/channels/{bob.user.dm_channel.id}/messages', status=403, code=50007, times=1)
    await night.begin('Ann', 'Bob')
    assert bob.user.dm_channel.history() == []
    await night.direct('Bob', 'hand')
    await night.move()
    assert len([message for message in bob.user.dm_channel.history() if not message.flags.ephemeral]) == 1


async def test_the_next_match_tries_closed_direct_messages_again(night: Night) -> None:
    bob = night.person('Bob')
    night.env.inject_error('POST', f'/channels/{bob.user.dm_channel.id}/messages', status=403, code=50007, times=1)
    await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'table end')
    await night.press('Ann', 'Rematch')
    await night.press('Ann', 'Start')
    assert len(bob.user.dm_channel.history()) == 1


async def test_playing_from_the_private_hand_redraws_it(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    hand = await night.open_hand(name)
    match = night.table.match
    assert match is not None
    count = len(night.channel.history(viewer=night.person(name)))
    await night.play_from(name, hand, match.round.format_move(match.round.legal_moves()[0]))
    history = night.channel.history(viewer=night.person(name))
    assert len(history) == count, 'nothing new is posted'
    redrawn = '\n'.join(texts_of(raw(next(message for message in history if message.id == hand.id))))
    held = night.table.observation(night.person(name).id).cards('hands', night.table.seat_of(night.person(name).id))
    assert all(f'{night.table.game.card_text(card)}`' in redrawn for card in held if card is not None)
    other = 'Bob' if name == 'Ann' else 'Ann'
    stale = await night.open_hand(other)
    count = len(night.channel.history(viewer=night.person(other)))
    refreshed = await night.press(other, 'Refresh', stale)
    assert 'Your hand' in refreshed
    assert len(night.channel.history(viewer=night.person(other))) == count, 'the private hand is redrawn in its place'


# --- a restart ----------------------------------------------------------------------------------------------------------


async def test_a_restart_in_the_middle_of_a_match(night: Night) -> None:
    await night.begin('Ann', 'Bob', 'Cem')
    for _ in range(5):
        await night.move()
    name = night.name_of_turn()
    private, direct, board = await night.open_hand(name), night.hand_message(name), night.board()
    before = night.everything()
    told = {one: len(night.person(one).user.dm_channel.history()) for one in ('Ann', 'Bob', 'Cem')}
    posted = len(night.channel.history())

    await night.restart()

    assert night.everything() == before
    assert night.board().id == board.id
    assert len(night.channel.history()) == posted
    assert {one: len(night.person(one).user.dm_channel.history()) for one in told} == told
    match = night.table.match
    assert match is not None
    position = night.table.position
    move = match.round.format_move(match.round.legal_moves()[0])
    await night.play_from(name, private, move)
    assert night.table.position != position
    assert len(night.stored()['move']) == 6
    [said] = await night.deliver(night.a_press(name, direct, f't:play:{night.table.id}:0.5:{move}'))
    assert 'The game has moved on' in said
    assert len(night.stored()['move']) == 6
    assert 'Your hand' in await night.press('Ann', 'My hand', board)
    assert 'Rules' in await night.press('Dora', 'Rules', board)
    for _ in range(4):
        await night.move()
    assert len(boards(night)) == 1
    assert {one: len(night.person(one).user.dm_channel.history()) for one in told} == told


async def test_a_restart_in_the_lobby_and_after_the_end(night: Night) -> None:
    await night.slash('Ann', 'superman open', target=20)
    await night.restart()
    await night.press('Bob', 'Join')
    await night.press('Ann', 'Start')
    await night.slash('Ann', 'table end')
    over = night.board()
    await night.restart()
    assert night.board().id == over.id
    assert labels(night.board()) == ['Rematch']
    assert 'A new table is open' in await night.press('Bob', 'Rematch', over)
    assert names(night) == ['Bob', 'Ann']


async def test_a_restart_after_somebody_left(night: Night) -> None:
    await night.begin('Ann', 'Bob', 'Cem')
    await night.slash('Cem', 'table leave')
    await night.restart()
    assert '(left)' in night.board_text()
    assert names(night) == ['Ann', 'Bob']
    await plays_by_itself(night, 'Cem')


async def test_the_board_is_posted_again_for_those_at_the_table_only_and_not_all_the_time(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    board = night.board().id
    assert (await night.slash('Cem', 'table show')).startswith('Only players at this table')
    assert night.board().id == board
    await night.slash('Ann', 'table show')
    board, old = night.board().id, board
    assert board != old
    night.moderator('Mod')
    for name in ('Bob', 'Mod'):
        assert 'again in 30 seconds' in await night.slash(name, 'table show')
    assert night.board().id == board
    await night.env.advance_time(30)
    await night.slash('Mod', 'table show')
    assert night.board().id != board


async def test_the_move_buttons_of_a_board_belong_to_a_position(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name, seat = night.name_of_turn(), night.table.turn
    night.put(['S R3 Y4', 'S R3 Y4'], 'R1', turn=seat)
    await night.render()
    board = night.board()
    [stop] = [one['custom_id'] for one in controls_of(raw(board)) if one.get('label') == 'Stop']
    await night.slash(name, 'superman play', card='S')
    before = night.stored()['move']
    [said] = await night.deliver(night.a_press(name, board, stop))
    assert said.startswith('The game has moved on')
    assert night.stored()['move'] == before
    await night.press(name, 'Stop')
    assert len(night.stored()['move']) == len(before) + 1
