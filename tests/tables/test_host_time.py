"""Deadlines, leaving and taking back at the host: real tables and a real database, in virtual time."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from bot.engines import games
from bot.storage import StorageError
from bot.tables.host import Host
from bot.tables.seats import Person
from bot.tables.table import Table, TableError
from bot.tables.time_control import GRACE, HOST_IDLE, LIVE, RELAXED, UNTOUCHED
from bot.tables.timers import ASLEEP, RETRY_PAUSES

from .evening import ANN, BOB, CEM, COMPUTER, DORA, Evening, an_evening
from .test_host import put

FIRST, LONGEST = RETRY_PAUSES[0], RETRY_PAUSES[-1]
"""Seconds until the host tries again what the database has refused."""


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    async with an_evening(tmp_path) as evening:
        yield evening


def cards(table: Table) -> Counter[int]:
    assert table.match is not None
    return Counter(card for zone in table.match.round.zones() for card in zone.cards if card is not None)


# --- deadlines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('pace', [LIVE, RELAXED])
async def test_reminder_then_the_default_move_to_the_second(evening: Evening, pace: Any) -> None:
    table = await evening.begin(ANN, BOB, pace=pace.id)
    assert table.match is not None
    start, seat = evening.time.now, table.turn
    default = table.match.round.format_move(table.match.round.default_move())
    assert table.deadline == start + pace.move + pace.time_bank
    await evening.time.pass_(pace.move + pace.time_bank - pace.remind - 1)
    assert evening.heard.reminded == []
    await evening.time.pass_(1)
    assert evening.heard.reminded == [(seat, start + pace.move + pace.time_bank - pace.remind)]
    await evening.time.pass_(pace.remind + GRACE - 0.5)
    assert await evening.moves(table) == []
    await evening.time.pass_(0.5)
    stored = await evening.store.table(table.id)
    assert stored is not None
    assert [move[2:] for move in stored.moves] == [(seat, default, 'clock')]
    assert [event.kind for event in table.recent if event.seat == seat][-1] == 'seat-timed-out'
    assert table.seats[seat].idle == 1
    assert not table.seats[seat].away
    assert len(evening.heard.reminded) == 1


async def test_without_a_pace_nobody_is_hurried(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, pace='none')
    assert table.deadline is None
    await evening.time.pass_(UNTOUCHED - 1)
    assert await evening.moves(table) == []
    assert evening.heard.reminded == []


@pytest.mark.parametrize('restarted', [False, True])
@pytest.mark.parametrize('suspended', [False, True])
async def test_a_match_that_nobody_touches_ends_and_its_people_are_told(evening: Evening, suspended: bool, restarted: bool) -> None:
    table = await evening.begin(ANN, BOB, pace='none')
    await evening.time.pass_(UNTOUCHED - 1)
    await evening.move(table)
    if suspended:
        evening.host.suspend(table.id, 'no-access')
    await evening.time.pass_(UNTOUCHED - 1)
    if restarted:
        table = await evening.restart()
    assert table.state == 'playing'
    await evening.time.pass_(1)
    assert (table.state, table.outcome) == ('abandoned', 'untouched')
    assert evening.heard.announced == [('untouched', (ANN.id, BOB.id))]
    assert evening.time.timers == 0


# --- time that was used stays used ----------------------------------------------------------------------------------


async def test_time_used_stays_used_when_a_move_is_taken_back(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen')
    began, seat = evening.time.now, table.turn
    person = table.seats[seat].person
    await evening.time.pass_(LIVE.move + 10)
    await evening.move(table)
    assert table.time_bank[seat] == LIVE.time_bank - 10
    await evening.time.pass_(5)
    await evening.host.take_back(table.id, person.id)
    assert table.deadline == began + 5 + LIVE.move + LIVE.time_bank, 'the five seconds were those of the next player'
    await evening.time.pass_(20)
    await evening.move(table)
    assert table.time_bank[seat] == LIVE.time_bank - 30
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, person.id)


async def test_time_used_stays_used_when_a_seat_is_left_and_taken_again(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM)
    deadline, person = table.deadline, table.seats[table.turn].person
    for _ in range(5):
        await evening.time.pass_(10)
        await evening.host.leave(table.id, person.id)
        await evening.time.pass_(COMPUTER / 2)
        await evening.host.join(table.id, person)
    assert table.deadline == deadline
    assert await evening.moves(table) == []


async def test_an_own_seat_that_was_left_comes_back_as_idle_as_it_was(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.until_turn_of(table, BOB)
    assert table.deadline is not None
    await evening.time.pass_(table.deadline + GRACE - evening.time.now)
    assert table.seats[1].idle == 1
    await evening.host.leave(table.id, BOB.id)
    await evening.host.join(table.id, BOB)
    assert (table.seats[1].idle, table.seats[1].auto) == (1, False)
    await evening.until_turn_of(table, BOB)
    await evening.time.pass_(table.deadline + GRACE - evening.time.now)
    assert table.seats[1].away


async def test_votes_and_the_minutes_of_a_host_outlast_a_restart(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    for person in (BOB, CEM, DORA):
        await evening.host.join(table.id, person)
    await evening.time.pass_(HOST_IDLE - 100)
    table = await evening.restart()
    with pytest.raises(TableError, match='host-busy'):
        await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    await evening.time.pass_(100)
    assert not await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    table = await evening.restart()
    assert table.votes == {BOB.id}
    assert await evening.host.remove(table.id, CEM.id, ANN.id, moderator=False)
    table = await evening.restart()
    assert (table.host_id, table.votes) == (BOB.id, frozenset())


async def test_the_bank_is_spent_and_refilled_for_a_new_match(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    seat = table.turn
    await evening.time.pass_(LIVE.move + 40)
    await evening.move(table)
    assert table.time_bank[seat] == LIVE.time_bank - 40
    assert table.time_bank[1 - seat] == LIVE.time_bank
    await evening.until_turn_of(table, table.seats[seat].person)
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank - 40
    await evening.time.pass_(LIVE.move)
    await evening.move(table)
    assert table.time_bank[seat] == LIVE.time_bank - 40
    await evening.host.end(table.id, ANN.id, moderator=False)
    again = await evening.host.rematch(table.id, ANN)
    await evening.host.start(again.id, ANN.id)
    assert again.time_bank == [LIVE.time_bank] * 2


@pytest.mark.parametrize('late', [-1, 0, GRACE / 2])
async def test_a_move_made_in_time_is_never_punished(evening: Evening, late: float) -> None:
    """Not even one that arrives within the grace."""
    table = await evening.begin(ANN, BOB)
    seat = table.turn
    await evening.time.pass_(LIVE.move + LIVE.time_bank + late)
    await evening.move(table)
    await evening.time.pass_(LIVE.move - LIVE.remind - 1)
    assert await evening.moves(table) == [(seat, 'player')]
    assert [seat.idle for seat in table.seats] == [0, 0]


async def test_a_move_that_waits_for_the_table_when_time_is_up(evening: Evening) -> None:
    """The clock and a player come at the same moment: one of them moves, never both."""
    table = await evening.begin(ANN, BOB)
    seat = table.turn
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE - 0.001)
    moving = asyncio.create_task(evening.move(table))
    await asyncio.sleep(0)
    await evening.time.pass_(0.001)
    await moving
    assert await evening.moves(table) == [(seat, 'player')]
    assert table.seats[seat].idle == 0


async def idle(evening: Evening, table: Table, person: Person) -> None:
    """This person lets time run out twice in a row; the others play."""
    while not table.seats[table.seat(person.id)].away:
        await evening.until_turn_of(table, person)
        assert table.deadline is not None
        await evening.time.pass_(table.deadline + GRACE - evening.time.now)


async def test_after_two_in_a_row_the_seat_plays_by_itself(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await idle(evening, table, BOB)
    assert [by for seat, by in await evening.moves(table) if seat == 1] == ['clock', 'clock']
    assert 'seat-away' in [event.kind for event in table.recent]
    for _ in range(20):
        if table.turn == 0:
            await evening.move(table)
        else:
            assert table.deadline is None
            await evening.time.pass_(COMPUTER)
    assert {by for seat, by in await evening.moves(table) if seat == 0} == {'player'}
    assert [by for seat, by in await evening.moves(table) if seat == 1][2:].count('computer') > 1


async def test_a_move_after_a_missed_deadline_starts_the_count_again(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    for _ in range(3):
        await evening.until_turn_of(table, BOB)
        if table.seats[1].idle:
            await evening.move(table)
            await evening.until_turn_of(table, BOB)
        assert table.deadline is not None
        await evening.time.pass_(table.deadline + GRACE - evening.time.now)
        assert table.seats[1].idle == 1
        assert not table.seats[1].away


async def test_back_by_command(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    with pytest.raises(TableError, match='not-away'):
        await evening.host.return_to_seat(table.id, BOB.id)
    await idle(evening, table, BOB)
    await evening.host.return_to_seat(table.id, BOB.id)
    assert (table.seats[1].away, table.seats[1].idle) == (False, 0)
    await evening.until_turn_of(table, BOB)
    assert table.deadline == evening.time.now + LIVE.move  # the bank is spent
    await evening.time.pass_(LIVE.move - LIVE.remind - 1)
    assert (await evening.moves(table))[-1] != (1, 'computer')


async def test_back_by_a_move(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await idle(evening, table, BOB)
    while table.turn != 1:
        await evening.move(table)
    await evening.move(table)
    assert not table.seats[1].away
    assert (await evening.moves(table))[-1] == (1, 'player')
    assert await evening.restart() is not None
    assert not evening.host.tables[0].seats[1].away


async def test_replaced_by_somebody_who_joins(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    with pytest.raises(TableError, match='no-free-seat'):
        await evening.host.join(table.id, CEM)
    await idle(evening, table, BOB)
    await evening.host.join(table.id, CEM)
    assert table.seats[1].person == CEM
    assert not table.seats[1].auto
    assert table.seat_of(BOB.id) is None
    with pytest.raises(TableError, match='no-free-seat'):
        await evening.host.join(table.id, BOB)
    await play_out(evening, table)
    assert await evening.results(BOB) == [(2, False, True, False)]
    assert [result[2:] for result in await evening.results(ANN)] == [(False, False)]
    assert await evening.store.ratings([1], ['superman'], [ANN.id, BOB.id, CEM.id]) == {}


async def play_out(evening: Evening, table: Table) -> None:
    """Plays the match to its end by any legal moves, and checks that no card is lost."""
    rng = Random(3)
    before = cards(table)
    while table.state == 'playing':
        assert table.match is not None
        assert cards(table) == before
        if table.seats[table.turn].auto:
            await evening.time.pass_(COMPUTER)
        else:
            await evening.move(table, table.match.round.format_move(rng.choice(table.match.round.legal_moves())))


async def test_everyone_away_ends_the_match(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(2 * (LIVE.move + LIVE.time_bank + GRACE) + 4 * (LIVE.move + GRACE) + COMPUTER)
    assert (table.state, table.outcome) == ('abandoned', 'everyone-away')
    assert {by for _, by in await evening.moves(table)} <= {'clock', 'computer'}
    assert evening.time.timers == 0
    assert [result[1:] for result in await evening.results(ANN)] == [(False, False, False)]
    made = len(await evening.moves(table))
    await evening.time.pass_(86_400)
    assert len(await evening.moves(table)) == made


# --- time that does not count ---------------------------------------------------------------------------------------


async def test_no_time_passes_while_discord_is_away(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(100)
    deadline = table.deadline
    assert deadline is not None
    evening.host.pause()
    evening.host.pause()
    await evening.time.pass_(5000)
    assert await evening.moves(table) == []
    assert evening.heard.reminded == []
    evening.host.resume()
    evening.host.resume()
    assert table.deadline == deadline + 5000
    assert evening.time.timers == 1
    assert evening.heard.changes[-1] == table.id
    await evening.time.pass_(LIVE.move + LIVE.time_bank - 100 - LIVE.remind)
    assert len(evening.heard.reminded) == 1


async def test_no_computer_move_while_discord_is_away(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await idle(evening, table, BOB)
    while table.turn != 1:
        await evening.move(table)
    made = await evening.moves(table)
    evening.host.pause()
    await evening.time.pass_(5000)
    assert await evening.moves(table) == made
    evening.host.resume()
    await evening.time.pass_(COMPUTER)
    assert len(await evening.moves(table)) == len(made) + 1


@pytest.mark.parametrize('asleep', [ASLEEP + 300, 86_400])
async def test_a_process_that_stood_still_grants_the_time(evening: Evening, asleep: float) -> None:
    table = await evening.begin(ANN, BOB)
    left = LIVE.move + LIVE.time_bank - LIVE.remind
    await evening.time.sleep(left + asleep)
    assert await evening.moves(table) == []
    assert evening.heard.reminded == []
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE - 1)
    assert len(evening.heard.reminded) == 1
    await evening.time.sleep(1 + asleep)
    assert await evening.moves(table) == []
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    assert len(await evening.moves(table)) == 1


async def test_a_lobby_survives_a_process_that_stood_still(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    await evening.time.sleep(50_000)
    assert table.state == 'lobby'
    await evening.time.pass_(3600)
    assert table.outcome == 'expired'


async def test_fresh_time_for_all_after_a_restart_and_who_is_away_stays_away(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM)
    await idle(evening, table, BOB)
    await evening.until_turn_of(table, ANN)
    assert table.deadline is not None
    await evening.time.pass_(table.deadline + GRACE - evening.time.now)
    assert [seat.idle for seat in table.seats] == [1, 2, 0]
    table = await evening.restart()
    assert [(seat.idle, seat.away) for seat in table.seats] == [(1, False), (2, True), (0, False)]
    assert table.time_bank == [LIVE.time_bank] * 3
    if not table.seats[table.turn].auto:
        assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank


async def test_no_time_passes_between_the_start_and_discord(evening: Evening) -> None:
    """A restart finds Discord away for hours: nobody loses a second by that."""
    await evening.begin(ANN, BOB)
    evening.host.pause()
    evening.host = Host(evening.store, evening.time.clock, evening.heard)
    (table,) = await evening.host.restore()
    await evening.time.pass_(20_000)
    assert await evening.moves(table) == []
    evening.host.resume()
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank


async def test_a_table_that_waits_has_no_clock(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(200)
    evening.host.suspend(table.id, 'no-access')
    assert table.deadline is None
    await evening.time.pass_(86_400)
    assert await evening.moves(table) == []
    evening.host.unsuspend(table.id)
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank
    other = await evening.host.open(1, 11, 'superman', CEM, {}, pace='live')
    evening.host.suspend(other.id, 'no-access')
    await evening.time.pass_(3600)
    assert other.outcome == 'expired'


# --- the lobby ------------------------------------------------------------------------------------------------------


async def test_a_lobby_expires_and_those_who_wait_are_told(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    await evening.time.pass_(3599)
    await evening.host.join(table.id, BOB)
    await evening.host.watch(table.id, CEM.id, True)
    await evening.time.pass_(3599)
    assert table.state == 'lobby'
    await evening.time.pass_(1)
    assert (table.state, table.outcome) == ('closed', 'expired')
    assert evening.heard.announced == [('expired', (ANN.id, BOB.id))]
    assert evening.time.timers == 0


async def test_a_match_that_begins_in_time_does_not_expire(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {}, pace='none')
    await evening.host.join(table.id, BOB)
    await evening.time.pass_(3599)
    await evening.host.start(table.id, ANN.id)
    await evening.time.pass_(86_400)
    assert table.state == 'playing'


async def test_someone_joins_in_the_moment_of_expiry(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    await evening.time.pass_(3599.9)
    joining = asyncio.create_task(evening.host.join(table.id, BOB))
    await asyncio.sleep(0)
    await evening.time.pass_(0.1)
    await asyncio.gather(joining, return_exceptions=True)
    if joining.exception():  # the clock was first
        assert (table.state, table.outcome) == ('closed', 'expired')
    else:
        await evening.time.pass_(3599)
        assert table.state == 'lobby'


# --- leaving --------------------------------------------------------------------------------------------------------


async def test_a_leaver_comes_back_to_their_seat_and_the_match_rates(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM)
    await idle(evening, table, BOB)
    await evening.host.leave(table.id, CEM.id)
    await evening.host.join(table.id, CEM)
    assert [seat.person for seat in table.seats] == [ANN, BOB, CEM]
    assert table.seats[2].before == ()
    await evening.host.return_to_seat(table.id, BOB.id)
    await play_out(evening, table)
    for person in (ANN, BOB, CEM):
        ((_, _, left, rated),) = await evening.results(person)
        assert (left, rated) == (False, True)


@pytest.mark.parametrize('restart', [False, True])
async def test_what_the_computer_player_played_for_somebody_does_not_rate(evening: Evening, restart: bool) -> None:
    table = await evening.begin(ANN, BOB)
    await idle(evening, table, BOB)
    await evening.until_turn_of(table, BOB)
    await evening.time.pass_(COMPUTER)
    assert (1, 'computer') in await evening.moves(table)
    if restart:
        table = await evening.restart()
    await evening.host.return_to_seat(table.id, BOB.id)
    await play_out(evening, table)
    results = [(await evening.results(person))[0] for person in (ANN, BOB)]
    assert sorted(result[:2] for result in results) == [(1, True), (2, False)], 'the result stands'
    assert [result[2:] for result in results] == [(False, False)] * 2
    assert await evening.store.ratings([1], ['superman'], [ANN.id, BOB.id]) == {}


async def test_a_match_that_the_computer_player_ends_does_not_rate(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, target=20)
    await idle(evening, table, BOB)
    while table.turn != 1:
        await evening.move(table)
    assert 'computer' not in [by for _, by in await evening.moves(table)]
    put(table, 'S S', 'R2', turn=1)
    await evening.time.pass_(COMPUTER)
    assert table.state == 'finished'
    assert await evening.results(BOB) == [(1, True, False, False)]
    assert await evening.results(ANN) == [(2, False, False, False)]
    assert await evening.store.ratings([1], ['superman'], [ANN.id, BOB.id]) == {}


async def test_deadlines_that_were_missed_do_not_keep_a_match_from_rating(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    assert [by for _, by in await evening.moves(table)] == ['clock']
    await play_out(evening, table)
    assert [(await evening.results(person))[0][2:] for person in (ANN, BOB)] == [(False, True)] * 2


async def test_their_former_seat_comes_before_one_that_is_free_for_anyone(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA)
    await evening.host.leave(table.id, BOB.id)
    await evening.host.leave(table.id, CEM.id)
    await evening.host.join(table.id, CEM)
    assert table.seat_of(CEM.id) == 2
    await evening.host.join(table.id, Person(9, 'Eve'))
    assert table.seat_of(9) == 1
    table = await evening.restart()
    assert table.seats[1].before == (BOB,)
    await evening.host.leave(table.id, 9)
    await evening.host.join(table.id, BOB)
    assert table.seat_of(BOB.id) == 1
    await play_out(evening, table)
    assert [left for _, _, left, _ in await evening.results(Person(9, 'Eve'))] == [True]
    assert [(left, rated) for _, _, left, rated in await evening.results(BOB)] == [(False, False)]


@pytest.mark.parametrize('game_id', sorted(games()))
async def test_a_seat_that_was_left_plays_on(evening: Evening, game_id: str) -> None:
    """In every game: the order of play stays, no card is lost, and the result says who left."""
    game = games()[game_id]
    people = [ANN, BOB, CEM, DORA][: max(game.seats[0], min(3, game.seats[-1]))]
    table = await evening.begin(*people, game=game_id, pace='none')
    await evening.move(table)
    await evening.host.leave(table.id, people[-1].id)
    await play_out(evening, table)
    assert table.state == 'finished'
    assert [left for _, _, left, _ in await evening.results(people[-1])] == [True]
    assert [(left, rated) for _, _, left, rated in await evening.results(ANN)] == [(False, False)]
    by = {}
    for seat, maker in await evening.moves(table):
        by.setdefault(seat, set()).add(maker)
    assert by[0] == {'player'}


async def test_the_last_person_leaves(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await evening.host.leave(table.id, ANN.id)
    assert table.host_id == BOB.id
    await evening.host.leave(table.id, BOB.id)
    assert (table.state, table.outcome) == ('abandoned', 'nobody-left')
    assert [result[1:] for result in await evening.results(ANN)] == [(False, True, False)]
    assert evening.time.timers == 0


async def test_the_last_one_at_the_table_leaves_while_the_other_is_away(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    await idle(evening, table, BOB)
    await evening.host.leave(table.id, ANN.id)
    assert (table.state, table.outcome) == ('abandoned', 'everyone-away')
    assert [result[2] for result in await evening.results(ANN)] == [True]
    assert [result[2] for result in await evening.results(BOB)] == [False]


async def test_only_a_host_who_does_nothing_can_be_voted_out(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA)
    with pytest.raises(TableError, match='host-busy'):
        await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    await idle(evening, table, ANN)
    with pytest.raises(TableError, match='host-only'):
        await evening.host.remove(table.id, BOB.id, CEM.id, moderator=False)
    with pytest.raises(TableError, match='host-only'):
        await evening.host.remove(table.id, 99, ANN.id, moderator=False)
    assert not await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    assert not await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)  # one person, one vote
    assert await evening.host.remove(table.id, CEM.id, ANN.id, moderator=False)
    assert table.seat_of(ANN.id) is None
    assert table.host_id == BOB.id
    assert table.votes == frozenset()


async def test_the_vote_of_somebody_who_leaves_is_gone(evening: Evening) -> None:
    """It neither counts nor is shown any more, also when they come back."""
    table = await evening.begin(ANN, BOB, CEM, DORA)
    await idle(evening, table, ANN)
    assert not await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    assert table.votes == {BOB.id}
    await evening.host.leave(table.id, BOB.id)
    assert table.votes == frozenset()
    await evening.host.join(table.id, BOB)
    assert not await evening.host.remove(table.id, CEM.id, ANN.id, moderator=False)
    assert table.votes == {CEM.id}
    assert table.host_id == ANN.id


async def test_the_votes_against_a_host_are_gone_when_they_hand_over(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA)
    await idle(evening, table, ANN)
    assert not await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    await evening.host.hand_over(table.id, ANN.id, DORA.id, moderator=False)
    assert table.votes == frozenset()
    await idle(evening, table, DORA)
    assert not await evening.host.remove(table.id, CEM.id, DORA.id, moderator=False), 'one of three others: the vote against Ann is gone'
    assert (table.host_id, table.votes) == (DORA.id, {CEM.id})


async def test_an_idle_host_in_the_lobby_can_be_voted_out(evening: Evening) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    await evening.host.join(table.id, BOB)
    with pytest.raises(TableError, match='host-busy'):
        await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    await evening.time.pass_(300)
    assert await evening.host.remove(table.id, BOB.id, ANN.id, moderator=False)
    assert [seat.person for seat in table.seats] == [BOB]
    assert table.host_id == BOB.id


async def test_a_hand_is_never_kept_for_a_former_holder(evening: Evening) -> None:
    """A hand was on its way when the seat changed hands: where it is, is not kept for the new holder."""
    table = await evening.begin(ANN, BOB)
    await evening.host.leave(table.id, BOB.id)
    await evening.host.join(table.id, CEM)
    with pytest.raises(TableError, match='not-seated'):
        await evening.host.hand_sent(table.id, BOB.id, 77, 78)
    assert table.seats[1].hand_message is None


# --- undo -----------------------------------------------------------------------------------------------------------


async def test_what_the_clock_played_is_not_taken_back(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    seat = table.turn
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    assert (await evening.moves(table))[-1] == (seat, 'clock')
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, table.seats[seat].person.id)


# --- a database that fails ------------------------------------------------------------------------------------------


class Lock:
    """Another connection that can keep the database file locked; that of the host waits for it only a moment."""

    def __init__(self, file: Path) -> None:
        self._other = sqlite3.connect(file, isolation_level=None)
        self.tries = 0

    def hold(self) -> None:
        self._other.execute('BEGIN IMMEDIATE')

    def release(self) -> None:
        self._other.execute('ROLLBACK')

    def close(self) -> None:
        self._other.close()

    def tried(self, _: sa.Connection) -> None:
        self.tries += 1


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Connections wait for a lock 10 ms instead of seconds."""

    def on_connect(connection: sqlite3.Connection, _: object) -> None:
        connection.execute('PRAGMA busy_timeout = 10')

    sa.event.listen(sa.Engine, 'connect', on_connect)
    yield
    sa.event.remove(sa.Engine, 'connect', on_connect)


@pytest.fixture
def lock(evening: Evening, tmp_path: Path) -> Iterator[Lock]:
    lock = Lock(tmp_path / 'night.sqlite3')
    sa.event.listen(sa.Engine, 'begin', lock.tried)
    yield lock
    sa.event.remove(sa.Engine, 'begin', lock.tried)
    lock.close()


async def test_clock_and_computer_go_on_as_soon_as_the_database_does(evening: Evening, lock: Lock) -> None:
    table = await evening.begin(ANN, BOB)
    seat = table.turn
    lock.hold()
    lock.tries = 0
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    assert lock.tries == 1
    for pause in (*RETRY_PAUSES, LONGEST, LONGEST):  # each time it reads, then writes; less and less often
        lock.tries = 0
        await evening.time.pass_(pause - 0.1)
        assert lock.tries == 0
        await evening.time.pass_(0.1)
        assert lock.tries == 2
    assert await evening.moves(table) == []
    assert table.position == (0, 0)
    lock.release()
    await evening.time.pass_(LONGEST)
    assert await evening.moves(table) == []
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank, 'the outage cost nobody a turn'
    reminded = len(evening.heard.reminded)
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    assert len(evening.heard.reminded) == reminded + 1
    assert await evening.moves(table) == [(seat, 'clock')]
    await idle(evening, table, table.seats[seat].person)
    while table.turn != seat:
        await evening.move(table)
    made = await evening.moves(table)
    lock.hold()
    await evening.time.pass_(60)
    lock.release()
    assert await evening.moves(table) == made
    await evening.time.pass_(LONGEST)
    assert (await evening.moves(table))[len(made)] == (seat, 'computer')


@pytest.mark.parametrize('seconds', [3, LIVE.move + LIVE.time_bank, 2_000])
async def test_a_player_who_is_refused_in_an_outage_has_fresh_time_after_it(evening: Evening, lock: Lock, seconds: float) -> None:
    table = await evening.begin(ANN, BOB)
    seat, position = table.turn, table.position
    await evening.time.pass_(LIVE.move + LIVE.time_bank - 2)
    lock.hold()
    with pytest.raises(StorageError):
        await evening.move(table)
    await evening.time.pass_(seconds)
    lock.release()
    await evening.time.pass_(LONGEST)
    assert table.deadline is not None
    assert evening.time.now + LIVE.move + LIVE.time_bank - LONGEST <= table.deadline
    await evening.time.pass_(LIVE.move + LIVE.time_bank - LONGEST)
    assert await evening.moves(table) == []
    assert table.position == position
    await evening.move(table)
    assert await evening.moves(table) == [(seat, 'player')]
    assert [(seat.idle, seat.away) for seat in table.seats] == [(0, False)] * 2


async def test_what_people_try_in_an_outage_puts_off_no_try_of_the_host(evening: Evening, lock: Lock) -> None:
    table = await evening.begin(ANN, BOB)
    lock.hold()
    for _ in range(4):
        with pytest.raises(StorageError):
            await evening.move(table)
        await evening.time.pass_(FIRST / 5)
    lock.release()
    lock.tries = 0
    await evening.time.pass_(FIRST / 5)
    assert lock.tries == 2, 'the host has tried at its time, and it works'
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank
    lock.hold()
    with pytest.raises(StorageError):
        await evening.move(table)
    lock.tries = 0
    await evening.time.pass_(FIRST)
    assert lock.tries == 2, 'the next outage begins with the first pause again'


async def test_nobody_is_reminded_of_a_turn_that_has_begun_again(evening: Evening, lock: Lock) -> None:
    """Somebody else at the table finds the database working before the host does."""
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(LIVE.move)
    lock.hold()
    with pytest.raises(StorageError):
        await evening.move(table)
    lock.release()
    await evening.host.watch(table.id, CEM.id, True)
    began = evening.time.now
    assert table.deadline == began + LIVE.move + LIVE.time_bank
    await evening.time.pass_(LIVE.move + LIVE.time_bank - LIVE.remind - 1)
    assert evening.heard.reminded == []
    await evening.time.pass_(1)
    assert evening.heard.reminded == [(table.turn, began + LIVE.move + LIVE.time_bank - LIVE.remind)]


async def test_what_cannot_be_stored_has_not_happened(evening: Evening, lock: Lock) -> None:
    table = await evening.begin(ANN, BOB, CEM)
    await evening.until_turn_of(table, ANN)
    await evening.host.leave(table.id, CEM.id)

    def everything() -> Any:
        return table.seats, table.host_id, table.watchers, table.position, table.state, table.recent.copy()

    before = everything()
    lock.hold()
    player = table.seats[table.turn].person.id
    assert table.match is not None
    text = table.match.round.format_move(table.match.round.legal_moves()[0])
    for attempt in (
        lambda: evening.host.play(table.id, player, text, interaction_id=5),
        lambda: evening.host.leave(table.id, ANN.id),
        lambda: evening.host.join(table.id, DORA),
        lambda: evening.host.watch(table.id, DORA.id, True),
        lambda: evening.host.hand_over(table.id, ANN.id, BOB.id, moderator=False),
        lambda: evening.host.end(table.id, ANN.id, moderator=False),
    ):
        with pytest.raises(StorageError):
            await attempt()
        assert everything() == before
    lock.release()
    restarted = await evening.restart()
    assert (restarted.seats, restarted.host_id, restarted.watchers, restarted.position) == before[:4]


async def test_a_move_that_is_stored_counts_even_if_the_rest_fails(evening: Evening, lock: Lock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database fails just after the move: the player is told that it was played, and the clock goes on."""
    table = await evening.begin(ANN, BOB)
    await evening.time.pass_(LIVE.move + LIVE.time_bank + GRACE)
    seat = next(seat_no for seat_no, seat in enumerate(table.seats) if seat.idle)
    await evening.until_turn_of(table, table.seats[seat].person)
    add_move = evening.store.add_move

    async def then_break(*args: Any, **kwargs: Any) -> None:
        await add_move(*args, **kwargs)
        lock.hold()

    monkeypatch.setattr(evening.store, 'add_move', then_break)
    await evening.move(table)
    assert table.seats[seat].idle == 0
    assert (await evening.moves(table))[-1] == (seat, 'player')
    assert evening.time.timers == 1
    lock.release()


Lose = Callable[[str], None]


@pytest.fixture
def lose(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> Lose:
    """`lose('add_move')`: the connection is lost while the next such write is committed; it is stored, and nobody learns it."""

    def lose(name: str) -> None:
        write = getattr(evening.store, name)

        async def lost(*args: Any, **kwargs: Any) -> None:
            monkeypatch.setattr(evening.store, name, write)
            await write(*args, **kwargs)
            raise StorageError('unreachable', 'The connection was lost.')

        monkeypatch.setattr(evening.store, name, lost)

    return lose


async def as_stored(evening: Evening, table: Table) -> None:
    """The table is what a restart finds."""
    before, seats = table.match, table.seats
    assert before is not None
    restarted = await evening.restart()
    assert restarted.match is not None
    assert (restarted.match.round, restarted.seats) == (before.round, seats)


async def test_a_move_that_seemed_to_fail_was_done(evening: Evening, lose: Lose) -> None:
    """The table goes on from what is stored, and the same words again are not taken for the next move."""
    table = await evening.begin(ANN, BOB)
    lose('add_move')
    with pytest.raises(StorageError):
        await evening.move(table)
    assert table.position == (0, 0)
    with pytest.raises(TableError, match='stale'):
        await evening.move(table)
    assert table.position == (0, 1)
    await evening.move(table)
    assert len(await evening.moves(table)) == 2
    await as_stored(evening, table)


async def test_a_move_taken_back_that_seemed_to_stand(evening: Evening, lose: Lose) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen')
    first = table.seats[table.turn].person
    await evening.move(table)
    lose('remove_move')
    with pytest.raises(StorageError):
        await evening.host.take_back(table.id, first.id)
    await evening.time.pass_(FIRST)
    assert table.seats[table.turn].person == first
    await evening.move(table)
    await evening.move(table)
    await as_stored(evening, table)


async def test_a_start_that_seemed_to_fail_was_done(evening: Evening, lose: Lose) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {}, pace='live')
    await evening.host.join(table.id, BOB)
    await evening.host.watch(table.id, CEM.id, True)
    lose('start_match')
    with pytest.raises(StorageError):
        await evening.host.start(table.id, ANN.id)
    assert table.state == 'lobby'
    await evening.time.pass_(FIRST)
    assert table.state == 'playing'
    assert evening.heard.announced == [('started', (CEM.id,))]
    assert evening.heard.changes[-1] == table.id
    assert table.deadline == evening.time.now + LIVE.move + LIVE.time_bank
    await evening.move(table)
    await as_stored(evening, table)


@pytest.mark.parametrize('again', ['start', 'join', 'leave'])
async def test_who_is_quicker_after_a_start_that_seemed_to_fail(evening: Evening, lose: Lose, again: str) -> None:
    table = await evening.host.open(1, 10, 'superman', ANN, {})
    await evening.host.join(table.id, BOB)
    lose('start_match')
    with pytest.raises(StorageError):
        await evening.host.start(table.id, ANN.id)
    works = {
        'start': lambda: evening.host.start(table.id, ANN.id),
        'join': lambda: evening.host.join(table.id, CEM),
        'leave': lambda: evening.host.leave(table.id, BOB.id),
    }
    with pytest.raises(TableError, match='stale'):
        await works[again]()
    assert (table.state, table.people) == ('playing', [ANN, BOB])
    await evening.time.pass_(7200)
    assert table.state == 'playing'
    await as_stored(evening, table)


async def test_somebody_who_seemed_not_to_leave_is_still_there(evening: Evening, lose: Lose) -> None:
    """They were told that nothing has changed, so nothing has."""
    table = await evening.begin(ANN, BOB, CEM)
    lose('set_seats')
    with pytest.raises(StorageError):
        await evening.host.leave(table.id, CEM.id)
    await evening.time.pass_(FIRST)
    assert table.people == [ANN, BOB, CEM]
    await as_stored(evening, table)


async def test_an_end_that_seemed_to_fail_was_done(evening: Evening, lose: Lose) -> None:
    table = await evening.begin(ANN, BOB)
    lose('finish')
    with pytest.raises(StorageError):
        await evening.host.end(table.id, ANN.id, moderator=False)
    assert table.open
    await evening.time.pass_(FIRST)
    assert (table.state, table.outcome) == ('abandoned', 'ended-by-host')
    assert evening.host.in_channel(10) is None
    assert evening.time.timers == 0


async def test_a_table_that_seemed_not_to_open_is_found(evening: Evening, lose: Lose) -> None:
    lose('create_table')
    with pytest.raises(StorageError):
        await evening.host.open(1, 10, 'superman', ANN, {}, pace='live')
    assert evening.host.in_channel(10) is None
    for person in (ANN, BOB):
        with pytest.raises(TableError, match='channel-taken'):
            await evening.host.open(1, 10, 'superman', person, {})
    table = evening.host.in_channel(10)
    assert table is not None
    assert evening.host.tables == [table]
    assert evening.heard.changes == [table.id]
    assert (table.people, table.host_id, table.time_control) == ([ANN], ANN.id, LIVE)
    await evening.host.join(table.id, BOB)
    await evening.host.start(table.id, ANN.id)
    await evening.move(table)
    await as_stored(evening, table)


async def test_no_table_moves_to_the_channel_of_one_that_seemed_not_to_open(evening: Evening, lose: Lose) -> None:
    lose('create_table')
    with pytest.raises(StorageError):
        await evening.host.open(1, 10, 'superman', ANN, {})
    other = await evening.host.open(1, 11, 'superman', BOB, {})
    with pytest.raises(TableError, match='channel-taken'):
        await evening.host.move_to(other.id, 10)
    assert [table.channel_id for table in evening.host.tables] == [11, 10]
    await evening.time.pass_(3600)
    assert evening.host.tables == []
