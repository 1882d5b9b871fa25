"""Those who come and go: leaving and coming back, hosts, votes, people who are no longer in the server, rematches, watchers, calls."""

from __future__ import annotations

from collections import Counter

import discord
import pytest

from bot.config import Settings
from bot.tables.table import Table

from .night import Night, answer_text, controls_of, raw
from .test_clocks import makers

pytestmark = pytest.mark.simcord(settle_timeout=20)


def cards(table: Table) -> Counter[int]:
    assert table.match is not None
    return Counter(card for zone in table.match.round.zones() for card in zone.cards if card is not None)


async def finish(night: Night) -> Table:
    """Plays the match to its end; seats without a person play by themselves. No card is lost on the way."""
    table = night.table
    before = cards(table)
    night.bot.host.timers.computer_delay = 30  # longer than simcord waits for
    while table.state == 'playing':
        assert cards(table) == before
        await (night.env.advance_time(30) if table.seats[table.turn].auto else night.move())
    return table


def results(night: Night) -> dict[int, tuple[bool, bool, bool]]:
    """By person: won, left, rated; of the newest match."""
    rows = night.stored()['result']
    newest = max(row[0] for row in rows)
    return {row[4]: (bool(row[7]), bool(row[10]), bool(row[11])) for row in rows if row[0] == newest}


def ids(night: Night, *names: str) -> list[int]:
    return [night.person(name).id for name in names]


# --- leaving --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('way', ['button', 'command'])
async def test_leaving_the_lobby(night: Night, way: str) -> None:
    await night.slash('Ann', 'superman open')
    await night.press('Bob', 'Join')
    table = night.table
    said = await (night.press('Ann', 'Leave') if way == 'button' else night.slash('Ann', 'table leave'))
    assert said == 'You have left the table.'
    assert [seat.person.name for seat in table.seats] == ['Bob']
    assert 'Bob 👑' in night.board_text()
    await night.slash('Bob', 'table leave')
    assert (table.state, table.outcome) == ('closed', 'empty')
    assert 'Everyone has left.' in night.board_text()


async def test_leaving_a_match(night: Night) -> None:
    await night.begin('Ann', 'Bob', 'Cem', target=20)
    table = night.table
    said = await night.slash('Ann', 'table leave')
    assert said == (
        'You have left the match, and it counts as left for you. The computer plays on in your seat. '
        'To come back while the seat is free, use `/table join`.'
    )
    assert table.host_id == night.person('Bob').id
    assert 'Ann' in night.board_text()
    assert '(left)' in night.board_text()
    assert 'no seat at this table' in await night.slash('Ann', 'superman draw')
    await finish(night)
    ann, bob, cem = ids(night, 'Ann', 'Bob', 'Cem')
    assert {user: result[1:] for user, result in results(night).items()} == {ann: (True, False), bob: (False, False), cem: (False, False)}
    assert not results(night)[ann][0]
    assert night.stored()['rating'] == []


async def test_nobody_left(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'table leave')
    await night.slash('Bob', 'table leave')
    assert (table.state, table.outcome) == ('abandoned', 'nobody-left')
    assert 'Everyone has left, so nobody wins.' in night.board_text()
    assert all(result == (False, True, False) for result in results(night).values())
    assert night.stored()['standing'] == []


async def test_coming_back_to_the_own_seat(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem', target=20)
    await night.slash('Bob', 'table leave')
    await night.slash('Cem', 'table leave')
    assert 'You have a seat' in await night.slash('Cem', 'table join')
    assert [(seat.person.name, seat.departed) for seat in table.seats] == [('Ann', False), ('Bob', True), ('Cem', False)]
    assert 'Cem is back.' in night.board_text()
    assert 'You have a seat' in await night.slash('Bob', 'table join')
    await finish(night)
    rated = 'computer' not in makers(night)  # it moves only if the turn comes to a seat while its owner is gone
    assert [result[1:] for result in results(night).values()] == [(False, rated)] * 3


async def test_a_seat_that_is_taken_over(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', target=20)
    await night.slash('Bob', 'table leave')
    await night.slash('Dora', 'table watch')
    await night.slash('Dora', 'table join')
    assert table.name(1) == 'Dora'
    assert table.watchers == ()
    await night.restart()
    assert night.table.name(1) == 'Dora'
    assert 'no seat is free' in await night.slash('Bob', 'table join')
    table = await finish(night)
    ann, bob, dora = ids(night, 'Ann', 'Bob', 'Dora')
    found = results(night)
    assert {user: result[1:] for user, result in found.items()} == {ann: (False, False), bob: (True, False), dora: (False, False)}
    assert table.match is not None
    assert sum(won for won, _, _ in found.values()) == len(table.match.winners)


async def test_a_removed_player_may_watch_and_join_the_next_table_at_once(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'table remove', player=night.person('Bob'))
    assert 'You are watching' in await night.slash('Bob', 'table watch')
    await night.slash('Ann', 'table end')
    await night.slash('Ann', 'superman open')
    assert 'You have a seat' in await night.press('Bob', 'Join')


# --- hosts ----------------------------------------------------------------------------------------------------------


async def test_removing_needs_the_host_or_a_moderator(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem')
    assert 'Only the host' in await night.slash('Bob', 'table remove', player=night.person('Cem'))
    assert 'Only the host' in await night.slash('Eve', 'table remove', player=night.person('Ann'))
    night.moderator('Mia')
    assert await night.slash('Mia', 'table remove', player=night.person('Ann')) == 'Ann is no longer at the table.'
    assert table.host_id == night.person('Bob').id
    assert await night.slash('Bob', 'table remove', player=night.person('Cem')) == 'Cem is no longer at the table.'


async def test_a_vote_against_an_idle_host(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    for name in ('Bob', 'Cem', 'Dora'):
        await night.press(name, 'Join')
    ann = night.person('Ann')
    assert 'You can only vote to remove a host who is inactive' in await night.slash('Bob', 'table remove', player=ann)
    await night.env.advance_time(300)
    assert 'Your vote to remove Ann is counted' in await night.slash('Bob', 'table remove', player=ann)
    assert '1 vote to remove Ann.' in night.board_text()
    assert 'Your vote to remove Ann is counted' in await night.slash('Bob', 'table remove', player=ann)
    assert await night.slash('Cem', 'table remove', player=ann) == 'Ann is no longer at the table.'
    assert 'Bob 👑' in night.board_text()
    assert 'vote' not in night.board_text()
    assert 'You have a seat' in await night.slash('Ann', 'table join')


async def test_an_idle_host_in_a_match(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem')
    ann = night.person('Ann')
    while not table.seats[0].away:
        if night.name_of_turn() == 'Ann':
            assert table.deadline is not None
            await night.env.advance_time(table.deadline + 2 - night.env.now().timestamp())
        else:
            await night.move()
    await night.slash('Bob', 'table remove', player=ann)
    assert '1 vote to remove Ann.' in night.board_text()
    await night.slash('Cem', 'table remove', player=ann)
    assert table.seats[0].departed
    assert table.host_id == night.person('Bob').id


# --- the server -----------------------------------------------------------------------------------------------------


async def test_a_player_who_goes_in_the_middle_of_a_slow_turn_is_noticed_without_a_clock(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem', pace='none')
    for _ in range(6):  # everyone has been looked up not long ago
        await night.move()
    number = table.turn
    night.guild.remove_member(night.person(night.name_of_turn()))
    await night.env.advance_time(31)
    assert table.seats[number].departed
    assert '(left)' in night.board_text()


async def test_a_player_who_is_no_longer_in_the_server_is_noticed_on_turn(night: Night) -> None:
    """Without the members intent Discord does not say who leaves."""
    table = await night.begin('Ann', 'Bob', 'Cem')
    first = night.name_of_turn()
    gone = next(name for name in ('Ann', 'Bob', 'Cem') if name != first)
    night.guild.remove_member(night.person(gone))
    await night.env.settle()
    number = table.seat(night.person(gone).id)
    await night.env.advance_time(20)
    while not table.seats[number].departed:
        assert night.name_of_turn() != gone
        await night.move()
    assert '(left)' in night.board_text()
    assert table.state == 'playing'


async def test_a_player_who_is_looked_up_seldom(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    for _ in range(10):
        await night.move()
    looked = [request for request in night.env.http_requests if request.method == 'GET' and '/members/' in request.path]
    assert len(looked) == 2


class TestWithTheMembersIntent:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={'members_intent': True})

    async def test_a_player_who_leaves_the_server_leaves_the_table_at_once(self, night: Night) -> None:
        table = await night.begin('Ann', 'Bob', 'Cem')
        waiting = next(name for name in ('Ann', 'Bob', 'Cem') if name != night.name_of_turn())
        night.guild.remove_member(night.person(waiting))
        await night.env.settle()
        assert [seat.person.name for seat in table.seats if seat.departed] == [waiting]

    async def test_in_the_lobby_too(self, night: Night) -> None:
        await night.slash('Ann', 'superman open')
        await night.press('Bob', 'Join')
        night.guild.remove_member(night.person('Ann'))
        await night.env.settle()
        assert [seat.person.name for seat in night.table.seats] == ['Bob']
        assert 'Bob 👑' in night.board_text()


# --- all one's seats ------------------------------------------------------------------------------------------------


async def test_mine_leaves_seats_in_any_server(night: Night) -> None:
    other = night.in_server('Chess')
    await night.slash('Ann', 'superman open')
    await other.slash('Bob', 'superman open')
    await other.press('Ann', 'Join')
    result = await night.person('Ann').user.slash('table mine')
    message = (result.followups or [result.response])[-1].message
    assert [control['label'] for control in controls_of(raw(message))] == ['Leave 1', 'Leave 2']
    button = controls_of(raw(message))[1]
    said = answer_text(await night.person('Ann').user.click(message, custom_id=button['custom_id']))
    assert said.endswith('You have left the table.')
    assert [seat.person.name for seat in other.table.seats] == ['Bob']
    said = await night.slash('Ann', 'table mine')
    assert 'Club' in said
    assert 'Chess' not in said


async def test_mine_heals_a_seat_whose_channel_is_gone(night: Night) -> None:
    """The event that told of the deletion was lost."""
    await night.begin('Ann', 'Bob')
    table = night.table
    night.env.backend.subscribers, kept = [], night.env.backend.subscribers
    night.env.backend.delete_channel(night.channel.id)
    night.env.backend.subscribers = kept
    night.bot.get_guild(night.guild.id)._channels.pop(night.channel.id)
    assert await night.direct('Ann', 'table mine') == 'You have no seat at any table.'
    assert (table.state, table.outcome) == ('abandoned', 'channel-gone')
    assert night.told('Ann')[-1].startswith('Superman (1978) in Club: your table is closed. The channel no longer exists.')


# --- rematch, watching, calls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize('way', ['button', 'command'])
async def test_a_rematch_carries_everything(night: Night, way: str) -> None:
    old = await night.begin('Ann', 'Bob', target=20, pace='relaxed', seats=3)
    await night.slash('Cem', 'table watch')
    await night.play_out()
    said = await (night.press('Bob', 'Rematch') if way == 'button' else night.slash('Bob', 'table rematch'))
    assert 'A new table is open' in said
    new = night.table
    assert new.id != old.id
    assert [seat.person.name for seat in new.seats] == ['Bob', 'Ann']
    assert new.host_id == night.person('Bob').id
    assert (new.options, new.time_control, new.most, new.watchers) == (old.options, old.time_control, 3, (night.person('Cem').id,))
    assert 'already an open table' in await night.slash('Ann', 'table rematch')
    await night.press('Bob', 'Start')
    assert new.match is not None
    assert old.match is not None
    assert new.match.seed != old.match.seed
    assert f'<@{night.person("Cem").id}> · Superman (1978): the match starts here.' in night.said()


async def test_only_those_who_played_ask_for_a_rematch(night: Night) -> None:
    await night.begin('Ann', 'Bob', target=20)
    await night.slash('Cem', 'table watch')
    await night.play_out()
    assert 'You did not play in that match' in await night.press('Cem', 'Rematch')


async def test_watchers_are_mentioned_at_the_start_once_each(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    await night.press('Bob', 'Join')
    assert 'You are watching' in await night.press('Cem', 'Watch')
    assert 'You are watching' in await night.press('Dora', 'Watch')
    assert 'You are no longer watching.' in await night.press('Dora', 'Watch')
    assert 'You already have a seat' in await night.press('Ann', 'Watch')
    assert '1 person is watching' in night.board_text()
    await night.press('Ann', 'Start')
    assert night.said() == [f'<@{night.person("Cem").id}> · Superman (1978): the match starts here.']
    (message,) = [message for message in night.channel.history() if message.content]
    assert [user.id for user in message.mentions] == [night.person('Cem').id]


async def test_people_are_called_when_a_table_opens(night: Night) -> None:
    assert 'I will ping you when a table opens in this server' in await night.slash('Bob', 'table call', game='superman')
    await night.slash('Cem', 'table call')
    await night.slash('Dora', 'table call', game='kings')
    await night.slash('Eve', 'table call')
    await night.slash('Eve', 'settings mine', pings=False)
    await night.slash('Ann', 'table call')
    await night.slash('Ann', 'superman open')
    bob, cem = ids(night, 'Bob', 'Cem')
    assert night.said() == [f'<@{bob}> <@{cem}> · Superman (1978): a table is open here.']
    await night.slash('Ann', 'table end')
    assert 'I will no longer ping you' in await night.slash('Bob', 'table call', game='superman')
    await night.env.advance_time(600)
    await night.slash('Ann', 'superman open')
    assert night.said()[1:] == [f'<@{cem}> · Superman (1978): a table is open here.']


async def test_everyone_of_many_is_called_in_several_messages_and_the_role_once(night: Night) -> None:
    role, subscribers = night.guild.create_role('players'), [f'Guest {number}' for number in range(120)]
    guests = ids(night, *subscribers)
    await night.bot.chat.preferences.change_server(night.guild.id, subscribers={'': guests}, ping_role=role.id)
    await night.slash('Ann', 'superman open')
    calls = [message for message in night.channel.history() if message.content]
    assert [len(message.mentions) + len(message.role_mentions) for message in calls] == [50, 50, 21]
    assert sorted(user.id for message in calls for user in message.mentions) == sorted(guests)
    assert [one.id for message in calls for one in message.role_mentions] == [role.id]
    assert all(message.content.endswith('· Superman (1978): a table is open here.') for message in calls)


async def test_calls_at_the_same_moment_are_all_kept(night: Night) -> None:
    names = [f'Guest {number}' for number in range(8)]
    await night.deliver(*(night.a_command(name, 'table call') for name in names))
    (row,) = [row for row in night.stored()['guild'] if row[0] == night.guild.id]
    assert all(str(user_id) in row[3] for user_id in ids(night, *names))


async def test_a_role_is_told(night: Night) -> None:
    role = night.guild.create_role('players')
    night.person('Boss', roles=[night.guild.create_role('managers', permissions=discord.Permissions(manage_guild=True))])
    await night.slash('Boss', 'settings server', ping=role)
    await night.slash('Ann', 'superman open')
    assert night.said() == [f'<@&{role.id}> · Superman (1978): a table is open here.']
    (message,) = [message for message in night.channel.history() if message.content]
    assert [one.id for one in message.role_mentions] == [role.id]
