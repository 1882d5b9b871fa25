"""Tables, seats and moves, through the door; on every kind of database."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest

from bot.storage import (
    AlreadyStartedError,
    ChannelTakenError,
    DuplicateInteractionError,
    DuplicatePlyError,
    NoSuchTableError,
    RoundEndRow,
    SeatRow,
    Store,
    StoredTable,
    TableRow,
)

from .values import ANN, BOB, CAT, CHANNEL, GUILD, NIGHT, SEATS, a_move, finish, new_table, playing, ratings, results, round_end


async def read(store: Store, table_id: int) -> StoredTable:
    table = await store.table(table_id)
    assert table
    return table


async def test_a_new_table_is_read_back_as_it_was_made(store: Store) -> None:
    table_id = await store.create_table(new_table(seated=SEATS[:1], watchers=[CAT, BOB]))
    assert await read(store, table_id) == StoredTable(
        TableRow(
            id=table_id,
            guild_id=GUILD,
            channel_id=CHANNEL,
            game='superman',
            options={'target': 100, 'superman_followup': 'same', 'mercy': None},
            host_id=ANN,
            state='lobby',
            seats=5,
            seed=None,
            pace='live',
            board_channel_id=None,
            board_message_id=None,
            created=NIGHT,
            changed=NIGHT,
            reason=None,
        ),
        SEATS[:1],
        [],
        [],
        [BOB, CAT],
    )


async def test_there_is_no_table_where_none_was_made(store: Store) -> None:
    assert await store.table(1) is None
    assert [table async for table in store.open_tables()] == []


async def test_a_channel_has_one_open_table(store: Store) -> None:
    first = await store.create_table(new_table())
    with pytest.raises(ChannelTakenError) as refused:
        await store.create_table(new_table())
    assert refused.value.table_id == first
    await store.start_match(first, 'seed', SEATS, at=NIGHT)
    with pytest.raises(ChannelTakenError):
        await store.create_table(new_table())
    await store.finish(finish(first))
    assert await store.create_table(new_table()) > first


async def test_two_who_open_a_table_at_once_get_one(store: Store) -> None:
    made = await asyncio.gather(*(store.create_table(new_table()) for _ in range(5)), return_exceptions=True)
    tables = [outcome for outcome in made if isinstance(outcome, int)]
    assert len(tables) == 1
    assert [outcome.table_id for outcome in made if isinstance(outcome, ChannelTakenError)] == tables * 4


async def test_a_table_changes_column_by_column(store: Store) -> None:
    table_id = await store.create_table(new_table())
    before = (await read(store, table_id)).row
    await store.update_table(table_id, host_id=BOB, board_channel_id=3, board_message_id=4)
    await store.update_table(table_id, at=NIGHT + 9, state='closed', reason='nobody came')
    assert (await read(store, table_id)).row == replace(
        before,
        host_id=BOB,
        board_channel_id=3,
        board_message_id=4,
        changed=NIGHT + 9,
        state='closed',
        reason='nobody came',
    )


async def test_a_table_moves_to_a_free_channel_only(store: Store) -> None:
    first, second = await store.create_table(new_table()), await store.create_table(new_table(CHANNEL + 1))
    with pytest.raises(ChannelTakenError) as refused:
        await store.update_table(first, channel_id=CHANNEL + 1, at=NIGHT + 5)
    assert refused.value.table_id == second
    assert (await read(store, first)).row.changed == NIGHT
    await store.update_table(first, channel_id=CHANNEL)
    await store.update_table(first, channel_id=CHANNEL + 2)
    assert (await read(store, first)).row.channel_id == CHANNEL + 2


async def test_only_a_tables_own_columns_change(store: Store) -> None:
    table_id = await store.create_table(new_table())
    with pytest.raises(TypeError, match='seed'):
        await store.update_table(table_id, seed='mine')  # type: ignore[call-arg]
    assert (await read(store, table_id)).row.seed is None


async def test_what_names_no_table_is_refused(store: Store) -> None:
    for write in (
        store.update_table(7, host_id=1),
        store.set_seats(7, SEATS),
        store.set_watching(7, ANN, True),
        store.start_match(7, 'seed', SEATS, at=NIGHT),
        store.add_move(a_move(7, 0)),
        store.finish(finish(7)),
    ):
        with pytest.raises(NoSuchTableError) as refused:
            await write
        assert refused.value.table_id == 7


async def test_seats_are_replaced_as_a_whole(store: Store) -> None:
    table_id = await store.create_table(new_table(seated=SEATS))
    await store.set_seats(table_id, [SeatRow(0, BOB, 'Bob'), SeatRow(1, ANN, 'Ann')], at=NIGHT + 2)
    table = await read(store, table_id)
    assert [(seat.seat, seat.user_id) for seat in table.seats] == [(0, BOB), (1, ANN)]
    assert table.row.changed == NIGHT + 2
    await store.set_hand_message(table_id, 1, 77, 78)
    assert (await read(store, table_id)).seats[1] == SeatRow(1, ANN, 'Ann', None, 77, 78)
    await store.set_seats(table_id, [])
    assert (await read(store, table_id)).seats == []


async def test_seats_with_one_twice_change_nothing(store: Store) -> None:
    table_id = await store.create_table(new_table(seated=SEATS))
    with pytest.raises(Exception, match=r'UNIQUE|UniqueViolation|23505'):
        await store.set_seats(table_id, [SEATS[0], SEATS[0]])
    assert (await read(store, table_id)).seats == SEATS


async def test_watchers_come_and_go(store: Store) -> None:
    table_id = await store.create_table(new_table())
    for user_id, watching in ((ANN, True), (BOB, True), (ANN, True), (BOB, False), (CAT, False)):
        await store.set_watching(table_id, user_id, watching)
    assert (await read(store, table_id)).watchers == [ANN]


async def test_a_match_starts_once(store: Store) -> None:
    table_id = await store.create_table(new_table(seated=SEATS[:1]))
    starts = [store.start_match(table_id, f'seed {number}', SEATS, at=NIGHT + 1) for number in range(3)]
    outcomes = await asyncio.gather(*starts, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), AlreadyStartedError, AlreadyStartedError]
    table = await read(store, table_id)
    assert (table.row.state, table.row.seed, table.row.changed) == ('playing', 'seed 0', NIGHT + 1)
    assert table.seats == SEATS


async def test_a_closed_table_does_not_start(store: Store) -> None:
    table_id = await store.create_table(new_table())
    await store.update_table(table_id, state='closed')
    with pytest.raises(AlreadyStartedError):
        await store.start_match(table_id, 'seed', SEATS, at=NIGHT)


async def test_what_the_deal_decides_is_stored_with_the_start(store: Store) -> None:
    table_id = await store.create_table(new_table())
    await store.start_match(table_id, 'seed', SEATS, at=NIGHT, round_ends=[round_end(0), round_end(1)], finish=finish(table_id))
    table = await read(store, table_id)
    assert (table.row.state, table.row.reason, len(table.rounds), table.moves) == ('finished', 'target', 2, [])


async def test_moves_and_rounds_are_read_back_in_order(store: Store) -> None:
    table_id = await playing(store)
    for ply in (0, 1):
        await store.add_move(a_move(table_id, ply, interaction_id=500 + ply))
    await store.add_move(a_move(table_id, 2, text='draw'), [round_end(0)])
    await store.add_move(replace(a_move(table_id, 0, round=1), by='clock'))
    await store.add_move(replace(a_move(table_id, 1, round=1), by='computer'), [RoundEndRow(1, 1, None, [0, 5], [12, 2], 'blocked', NIGHT)])
    table = await read(store, table_id)
    assert table.moves == [
        (0, 0, 0, 'play R2', 'player'),
        (0, 1, 1, 'play R2', 'player'),
        (0, 2, 0, 'draw', 'player'),
        (1, 0, 0, 'play R2', 'clock'),
        (1, 1, 1, 'play R2', 'computer'),
    ]
    assert all(type(move) is tuple for move in table.moves)
    assert table.rounds == [round_end(0), RoundEndRow(1, 1, None, [0, 5], [12, 2], 'blocked', NIGHT)]


async def test_an_interaction_delivered_twice_changes_nothing(store: Store) -> None:
    table_id, other = await playing(store), await playing(store, CHANNEL + 1)
    await store.add_move(a_move(table_id, 0, interaction_id=900))
    for again in (a_move(table_id, 0, interaction_id=900), a_move(table_id, 1, interaction_id=900), a_move(other, 0, interaction_id=900)):
        with pytest.raises(DuplicateInteractionError):
            await store.add_move(again, [round_end()], finish(again.table_id))
    assert len((await read(store, table_id)).moves) == 1
    assert await read(store, other) == replace(await read(store, other), moves=[], rounds=[])
    assert (await read(store, other)).row.state == 'playing'


async def test_a_ply_is_played_once(store: Store) -> None:
    table_id = await playing(store)
    await store.add_move(a_move(table_id, 0, interaction_id=900, text='play S'))
    with pytest.raises(DuplicatePlyError):
        await store.add_move(a_move(table_id, 0, interaction_id=901), [round_end()])
    table = await read(store, table_id)
    assert [move[3] for move in table.moves] == ['play S']
    assert table.rounds == []


async def test_fifty_tables_at_once_with_duplicates_among_them(store: Store) -> None:
    tables = [await playing(store, CHANNEL + number) for number in range(50)]

    async def play(number: int) -> list[str]:
        outcomes = []
        for ply in range(4):
            move = a_move(tables[number], ply, interaction_id=1_000 * number + ply)
            twice = await asyncio.gather(store.add_move(move), store.add_move(move), return_exceptions=True)
            outcomes += [type(outcome).__name__ for outcome in twice]
        return outcomes

    outcomes = await asyncio.gather(*map(play, range(50)))
    assert outcomes == [['NoneType', 'DuplicateInteractionError'] * 4] * 50
    for table_id in tables:
        assert [move[1] for move in (await read(store, table_id)).moves] == list(range(4))


async def test_one_bad_write_does_not_touch_those_beside_it(store: Store) -> None:
    table_id = await playing(store)
    writes = [store.add_move(a_move(table_id, ply, interaction_id=50 + ply)) for ply in range(20)]
    writes.insert(3, store.add_move(a_move(table_id, 2**70)))
    writes.insert(9, store.add_move(a_move(4_000, 0)))
    writes.insert(12, store.set_seats(table_id, [SeatRow(0, ANN, 'Ann', extra={'no': object()})]))
    writes.insert(15, store.add_move(a_move(table_id, 21, text='\ud800')))
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [number for number, outcome in enumerate(outcomes) if outcome is not None] == [3, 9, 12, 15]
    table = await read(store, table_id)
    assert [move[1] for move in table.moves] == list(range(20))
    assert table.seats == SEATS


async def test_writes_of_one_table_keep_their_order(store: Store) -> None:
    table_id = await store.create_table(new_table())
    await asyncio.gather(
        store.start_match(table_id, 'seed', SEATS, at=NIGHT),
        store.add_move(a_move(table_id, 0)),
        store.add_move(a_move(table_id, 1), [round_end()]),
        store.update_table(table_id, board_message_id=1),
        store.update_table(table_id, board_message_id=2),
        store.add_move(a_move(table_id, 0, round=1), [round_end(1)], finish(table_id)),
    )
    table = await read(store, table_id)
    assert (table.row.state, table.row.board_message_id, len(table.moves), len(table.rounds)) == ('finished', 2, 3, 2)


async def test_open_tables_come_by_id_with_all_that_is_theirs(store: Store) -> None:
    ways = (lambda store, channel: store.create_table(new_table(channel)), playing)
    made = sorted(await asyncio.gather(*(ways[number % 2](store, CHANNEL + number) for number in range(1_100))))
    await asyncio.gather(*(store.update_table(table_id, state='closed') for table_id in made[::10]))
    await asyncio.gather(*(store.add_move(a_move(table_id, ply)) for table_id in made[1::2] for ply in range(table_id % 4)))
    await store.set_watching(made[1], CAT, True)
    open_ones = [table async for table in store.open_tables()]
    assert [table.row.id for table in open_ones] == [table_id for number, table_id in enumerate(made) if number % 10]
    for table in open_ones[::31]:
        assert table == await read(store, table.row.id)
    for table in open_ones:
        playing_now = table.row.state == 'playing'
        assert len(table.moves) == (table.row.id % 4 if playing_now else 0)
        assert table.seats == (SEATS if playing_now else [])


async def test_a_match_ends_once(store: Store) -> None:
    table_id = await playing(store)
    await store.add_move(a_move(table_id, 0), [round_end()], finish(table_id, ratings=ratings((ANN, 5.0, 1))))
    stored = await read(store, table_id)
    assert (stored.row.state, stored.row.reason, stored.row.changed) == ('finished', 'target', NIGHT + 100)
    profile = await store.profile(ANN, GUILD)
    await store.finish(finish(table_id, state='abandoned', reason='nobody left', results=results(BOB, ANN), ratings=ratings((ANN, 9.0, 2))))
    assert await read(store, table_id) == stored
    assert await store.profile(ANN, GUILD) == profile
    assert (await store.ratings([GUILD], ['superman'], [ANN]))[GUILD, 'superman', ANN].ordinal == 5.0


async def test_an_ended_match_is_kept_with_its_moves(store: Store) -> None:
    table_id = await playing(store)
    await store.add_move(a_move(table_id, 0))
    await store.finish(finish(table_id, state='abandoned', reason='nobody left', results=[], counts=False))
    table = await read(store, table_id)
    assert (table.row.state, table.row.seed, len(table.moves)) == ('abandoned', f'seed of {CHANNEL}', 1)
    assert [open_one async for open_one in store.open_tables()] == []


async def test_a_move_that_is_taken_back_is_forgotten(store: Store) -> None:
    table_id = await playing(store)
    for ply in range(3):
        await store.add_move(a_move(table_id, ply, interaction_id=60 + ply))
    await store.remove_move(table_id, 0, 2)
    await store.remove_move(table_id, 0, 2)
    await store.remove_move(table_id, 1, 0)
    assert [move[1] for move in (await read(store, table_id)).moves] == [0, 1]
    await store.add_move(a_move(table_id, 2, interaction_id=70, text='draw'))
    assert (await read(store, table_id)).moves[-1] == (0, 2, 0, 'draw', 'player')


async def test_the_last_table_of_a_channel(store: Store) -> None:
    assert await store.last_table(CHANNEL) is None
    first = await playing(store)
    assert await store.last_table(CHANNEL) is None
    await store.finish(finish(first))
    other = await playing(store, CHANNEL + 1)
    await store.finish(finish(other))
    second = await playing(store)
    assert await store.last_table(CHANNEL) == first
    await store.finish(finish(second, state='abandoned', counts=False))
    assert await store.last_table(CHANNEL) == second


async def test_the_seed_does_not_show(store: Store) -> None:
    table = await read(store, await playing(store))
    assert table.row.seed
    assert table.row.seed not in repr(table)


async def test_settings_and_names(store: Store) -> None:
    assert (await store.guild_settings([GUILD]))[GUILD] == {}
    await store.set_guild_settings(GUILD, {'channels': [1, 2], 'pace': None})
    assert (await store.guild_settings([GUILD]))[GUILD] == {'channels': [1, 2], 'pace': None}
    await store.set_guild_settings(GUILD, {})
    assert (await store.guild_settings([GUILD]))[GUILD] == {}
    await store.remember_person(ANN, 'Ann')
    assert (await store.person_settings([ANN]))[ANN] == {}
    await store.set_person_settings(ANN, {'pings': False})
    await store.remember_person(ANN, 'Anna')
    await store.remember_person(ANN, 'Anna')
    assert (await store.person_settings([ANN]))[ANN] == {'pings': False}
    assert (await store.person_settings([BOB]))[BOB] == {}


async def test_a_closed_store_says_so(url: str) -> None:
    store = await Store.open(url)
    table_id = await store.create_table(new_table())
    last = asyncio.gather(*(store.update_table(table_id, at=NIGHT + number) for number in range(1, 9)))
    await asyncio.sleep(0)
    await store.close()
    await last
    with pytest.raises(RuntimeError, match='closed'):
        await store.update_table(table_id, at=NIGHT)
    store = await Store.open(url)
    assert (await read(store, table_id)).row.changed == NIGHT + 8
    await store.close()


async def test_the_writer_ends_when_nothing_waits(url: str) -> None:
    started: list[asyncio.Task[None]] = []

    def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        started.append(asyncio.create_task(work))
        return started[-1]

    store = await Store.open(url, spawn=spawn)
    table_id = await store.create_table(new_table())
    await asyncio.sleep(0)
    assert [task.done() for task in started] == [True]
    await asyncio.gather(*(store.update_table(table_id, at=NIGHT + number) for number in range(9)))
    await asyncio.sleep(0)
    assert [task.done() for task in started] == [True, True]
    await store.close()


async def test_a_cancelled_writer_loses_nothing(url: str) -> None:
    tasks: list[asyncio.Task[None]] = []

    def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        tasks.append(asyncio.create_task(work))
        return tasks[-1]

    store = await Store.open(url, spawn=spawn)
    table_id = await playing(store)
    for ply in range(12):
        move = asyncio.create_task(store.add_move(a_move(table_id, ply)))
        for _ in range(1 + ply % 3):  # before its first step, and while it stores
            await asyncio.sleep(0)
        tasks[-1].cancel()
        await asyncio.sleep(0)
        await asyncio.gather(move, store.update_table(table_id, at=NIGHT + ply))
        assert (await read(store, table_id)).row.changed == NIGHT + ply
    assert len((await read(store, table_id)).moves) == 12
    await store.close()


async def test_a_caller_that_gives_up_does_not_stop_the_others(store: Store) -> None:
    table_id = await playing(store)
    writes = [asyncio.create_task(store.add_move(a_move(table_id, ply))) for ply in range(6)]
    await asyncio.sleep(0)
    writes[2].cancel()
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert [type(outcome) for number, outcome in enumerate(outcomes) if number != 2] == [type(None)] * 5
    assert {move[1] for move in (await read(store, table_id)).moves} >= {0, 1, 3, 4, 5}
