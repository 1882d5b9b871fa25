"""The host with a real database: tables change only as they are stored, a move is made once or not at all, and a restart finds all."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.engines import games
from bot.engines.base import MoveError, NotYourTurnError
from bot.engines.options import OptionError
from bot.storage import ALL_GAMES, EVERYWHERE, StorageError, Store
from bot.tables.host import Host
from bot.tables.seats import Person, Seat
from bot.tables.table import Table, TableError

from ..virtual_time import VirtualTime

ANN, BOB, CEM, DORA = (Person(number, name) for number, name in enumerate(('Ann', 'Bob', 'Cem', 'Dora'), 1))
SUPERMAN = games()['superman']
GUILD, CHANNEL = 100, 200


class Club:
    """A host, its database, and what it tells. Time stands still."""

    def __init__(self, file: Path, store: Store) -> None:
        self.file, self.store = file, store
        self.changes: list[tuple[int, str]] = []
        self.host = self.new_host()

    def new_host(self) -> Host:
        return Host(self.store, VirtualTime().clock, self)

    def changed(self, table: Table) -> None:
        self.changes.append((table.id, table.state))

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        """Nothing is announced in these tests that anyone would wait for."""

    def replaced(self, table: Table, former: Seat) -> None:
        """What happens to the hand of the former holder is a matter of the Discord side."""

    def remind(self, table: Table, seat_no: int) -> None:
        """Nobody is reminded while time stands still."""

    async def lobby(self, *people: Person, game: str = 'superman', channel: int = CHANNEL, **options: Any) -> Table:
        table = await self.host.open(GUILD, channel, game, people[0], options)
        for person in people[1:]:
            await self.host.join(table.id, person)
        return table

    async def match(self, *people: Person, game: str = 'superman', channel: int = CHANNEL, **options: Any) -> Table:
        return await self.host.start((await self.lobby(*people, game=game, channel=channel, **options)).id, people[0].id)

    async def move(self, table: Table, choose: Callable[[Sequence[Any]], Any] = lambda moves: moves[0]) -> str:
        assert table.match is not None
        round_ = table.match.round
        text = round_.format_move(choose(round_.legal_moves()))
        await self.host.play(table.id, table.seats[table.turn].person.id, text, interaction_id=None)
        return text

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Another program at work in the same database."""
        with closing(sqlite3.connect(self.file)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        tables = ('game_table', 'seat', 'move', 'round', 'result', 'standing', 'rating', 'watcher')
        return {table: self.sql(f'SELECT * FROM {table}') for table in tables}

    async def restart(self) -> list[Table]:
        self.host, self.changes = self.new_host(), []
        return await self.host.restore()


@pytest.fixture
async def club(tmp_path: Path) -> AsyncIterator[Club]:
    file = tmp_path / 'night.sqlite3'
    store = await Store.open(file, spawn=asyncio.create_task)
    yield Club(file, store)
    await store.close()


def put(table: Table, *hands: str, pile: str = 'R1', stock: str = 'B1', turn: int = 0) -> None:
    """Lays out a position of the 1978 game."""
    assert table.match is not None
    zones = {'hands': [[SUPERMAN.card(text) for text in hand.split()] for hand in hands]}
    zones |= {name: [SUPERMAN.card(text) for text in cards.split()] for name, cards in (('pile', pile), ('stock', stock))}
    table.match.round = SUPERMAN.position(len(hands), table.match.options, zones, {'turn': turn})


def position(table: Table) -> Any:
    """All that belongs to a table and its match."""
    match = table.match
    return (
        (table.id, table.guild_id, table.channel_id, table.state, table.host_id, table.most, table.seats, dict(table.options)),
        (table.watchers, table.time_control, table.position, list(table.recent), list(table.ends)),
        match and (match.number, match.totals, match.winners, match.seed, match.round.zones(), match.round.counters(), match.round.facts()),
    )


async def code(work: Awaitable[Any]) -> str:
    with pytest.raises((TableError, MoveError, OptionError)) as refused:
        await work
    return refused.value.code


# --- the lobby ----------------------------------------------------------------------------------------------------------------


async def test_what_people_do_in_the_lobby_is_stored(club: Club) -> None:
    table = await club.lobby(ANN, BOB, CEM, target=50)
    assert club.host.in_channel(CHANNEL) is table
    await club.host.leave(table.id, BOB.id)
    await club.host.join(table.id, DORA)
    await club.host.hand_over(table.id, ANN.id, DORA.id, moderator=False)
    await club.host.leave(table.id, DORA.id)
    await club.host.watch(table.id, BOB.id, True)
    assert table.people == [ANN, CEM]
    assert table.host_id == ANN.id, 'handed on when its host left'
    [again] = await club.restart()
    assert position(again) == position(table)
    assert again.watchers == (BOB.id,)
    assert again.options == {'target': 50, 'superman_followup': 'same'}
    assert await club.host.remove(again.id, ANN.id, CEM.id, moderator=False)
    await club.host.leave(again.id, ANN.id)
    assert club.changes[-1] == (table.id, 'closed')
    assert club.host.tables == []
    assert await club.restart() == []


async def test_what_is_refused_in_the_lobby_changes_nothing(club: Club) -> None:
    table = await club.lobby(ANN, BOB)
    before, rows, told = position(table), club.rows(), len(club.changes)
    host = club.host
    assert await code(host.join(table.id, BOB)) == 'already-seated'
    assert await code(host.leave(table.id, CEM.id)) == 'not-seated'
    assert await code(host.start(table.id, BOB.id)) == 'host-only'
    assert await code(host.end(table.id, BOB.id, moderator=False)) == 'host-only'
    assert await code(host.remove(table.id, BOB.id, ANN.id, moderator=False)) == 'host-busy'
    assert await code(host.remove(table.id, CEM.id, BOB.id, moderator=False)) == 'host-only'
    assert await code(host.hand_over(table.id, BOB.id, BOB.id, moderator=False)) == 'host-only'
    assert await code(host.hand_over(table.id, ANN.id, CEM.id, moderator=False)) == 'not-seated'
    assert await code(host.watch(table.id, BOB.id, True)) == 'already-seated'
    assert await code(host.play(table.id, ANN.id, 'draw', interaction_id=1)) == 'not-started'
    assert await code(host.open(GUILD, CHANNEL, 'superman', CEM, {})) == 'channel-taken'
    assert await code(host.open(GUILD, 7, 'superman', CEM, {'target': 0})) == 'option-number'
    assert await code(host.open(GUILD, 7, 'superman', CEM, {'jokers': 5})) == 'option-unknown'
    assert await code(host.open(GUILD, 7, 'superman', CEM, {}, most=6)) == 'seats'
    for work in (host.join(99, CEM), host.leave(99, ANN.id), host.start(99, ANN.id), host.play(99, ANN.id, 'draw', interaction_id=1)):
        assert await code(work) == 'table-over'
    await host.leave(table.id, BOB.id)
    assert await code(host.start(table.id, ANN.id)) == 'too-few'
    await host.join(table.id, BOB)
    assert (position(table), len(club.changes)) == (before, told + 2)
    assert {name: stored for name, stored in club.rows().items() if name != 'game_table'} == {
        name: stored for name, stored in rows.items() if name != 'game_table'
    }


async def test_a_crowd_at_the_last_seats(club: Club) -> None:
    table = await club.host.open(GUILD, CHANNEL, 'superman', ANN, {}, most=3)
    crowd = [Person(number, f'P{number}') for number in range(10, 20)]
    outcomes = await asyncio.gather(*(club.host.join(table.id, person) for person in [*crowd, *crowd]), return_exceptions=True)
    assert sum(outcome is table for outcome in outcomes) == 2
    assert {outcome.code for outcome in outcomes if isinstance(outcome, TableError)} <= {'table-full', 'already-seated'}
    assert [row[2] for row in club.sql('SELECT * FROM seat ORDER BY seat')] == [seat.person.id for seat in table.seats]


async def test_two_tables_want_the_same_channel(club: Club) -> None:
    opened = [club.host.open(GUILD, CHANNEL, 'superman', person, {}) for person in (ANN, BOB, CEM)]
    outcomes = await asyncio.gather(*opened, return_exceptions=True)
    assert sum(isinstance(outcome, Table) for outcome in outcomes) == 1
    assert [outcome.code for outcome in outcomes if isinstance(outcome, TableError)] == ['channel-taken'] * 2
    assert len(club.host.tables) == len(club.sql('SELECT * FROM game_table')) == 1


async def test_start_pressed_many_times(club: Club) -> None:
    table = await club.lobby(ANN, BOB)
    outcomes = await asyncio.gather(*(club.host.start(table.id, ANN.id) for _ in range(5)), return_exceptions=True)
    assert sum(outcome is table for outcome in outcomes) == 1
    assert [outcome.code for outcome in outcomes if isinstance(outcome, TableError)] == ['already-started'] * 4
    assert table.match is not None
    assert club.sql('SELECT seed FROM game_table') == [(table.match.seed,)]


# --- moves -------------------------------------------------------------------------------------------------------------------


async def test_a_move_is_stored_before_anyone_hears_of_it(club: Club) -> None:
    table = await club.match(ANN, BOB)
    stored_then: list[int] = []
    changed = club.changed
    club.changed = lambda table: (stored_then.append(len(club.sql('SELECT * FROM move'))), changed(table))[1]  # type: ignore[method-assign]
    for count in range(1, 6):
        text = await club.move(table)
        assert club.sql('SELECT text, "by" FROM move ORDER BY round, ply')[-1] == (text, 'player')
        assert stored_then[-1] == count


async def test_many_plays_of_one_position_one_wins(club: Club) -> None:
    table = await club.match(ANN, BOB)
    put(table, 'R2 R3 R4 Y4', 'B1 B2 S', turn=0)
    texts = ['play R2', 'play R3', 'play R4', 'play R2', 'play S', 'nonsense']
    plays = [club.host.play(table.id, ANN.id, text, interaction_id=number, made_for=(0, 0)) for number, text in enumerate(texts)]
    outcomes = await asyncio.gather(*plays, return_exceptions=True)
    assert not isinstance(outcomes[0], BaseException)
    assert [outcome.code for outcome in outcomes[1:] if isinstance(outcome, TableError)] == ['stale'] * 5
    assert club.sql('SELECT text FROM move') == [('play R2',)]
    assert table.position == (0, 1)
    plays = [club.host.play(table.id, person.id, 'draw', interaction_id=None) for person in (ANN, BOB, ANN, BOB)]
    await asyncio.gather(*plays, return_exceptions=True)
    assert len(club.sql('SELECT * FROM move')) <= 3


async def test_an_interaction_that_comes_twice(club: Club) -> None:
    table = await club.match(ANN, BOB)
    put(table, 'Y4', 'Y4', stock='B2 B3 B2 B3')
    play = club.host.play
    outcomes = await asyncio.gather(*(play(table.id, ANN.id, 'draw', interaction_id=7) for _ in range(3)), return_exceptions=True)
    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) == 1
    assert all(isinstance(outcome, NotYourTurnError) for outcome in outcomes[1:])
    await play(table.id, BOB.id, 'draw', interaction_id=8)
    assert await code(play(table.id, ANN.id, 'draw', interaction_id=7)) == 'duplicate'
    assert table.position == (0, 2)
    assert club.sql('SELECT interaction_id FROM move ORDER BY ply') == [(7,), (8,)]
    await play(table.id, ANN.id, 'draw', interaction_id=9)
    assert table.position == (0, 3)


async def test_refused_moves_change_nothing(club: Club) -> None:
    table = await club.match(ANN, BOB)
    put(table, 'R2 Y4', 'B1 S')
    before, rows, told = position(table), club.rows(), list(club.changes)
    for person, text, why in (
        (ANN, 'play Y4', 'no-match'),
        (ANN, 'play G1', 'not-held'),
        (ANN, 'draw', 'draw-while-able'),
        (ANN, 'nonsense', 'unreadable'),
        (ANN, 'x' * 4000, 'unreadable'),
        (BOB, 'play S', 'not-your-turn'),
        (CEM, 'play R2', 'not-seated'),
    ):
        assert await code(club.host.play(table.id, person.id, text, interaction_id=None)) == why
    assert (position(table), club.rows(), club.changes) == (before, rows, told)


async def test_a_database_that_fails_leaves_everything_as_it_was(club: Club) -> None:
    """Another program has taken tables away; when they are back, everything works again."""
    lobby = await club.lobby(ANN, BOB, channel=1)
    table = await club.match(BOB, ANN, channel=2)
    assert table.match is not None
    mover, text = table.seats[table.turn].person.id, table.match.round.format_move(table.match.round.legal_moves()[0])
    over = await club.match(ANN, BOB, channel=3)
    await club.host.end(over.id, ANN.id, moderator=False)
    host, names = club.host, ('seat', 'move', 'game_table', 'watcher')

    def works() -> list[Coroutine[Any, Any, Any]]:
        return [
            host.join(lobby.id, CEM),
            host.leave(lobby.id, ANN.id),
            host.leave(lobby.id, BOB.id),
            host.remove(lobby.id, ANN.id, BOB.id, moderator=False),
            host.hand_over(lobby.id, ANN.id, BOB.id, moderator=False),
            host.watch(lobby.id, CEM.id, True),
            host.start(lobby.id, ANN.id),
            host.end(lobby.id, ANN.id, moderator=False),
            host.play(table.id, mover, text, interaction_id=1),
            host.leave(table.id, ANN.id),
            host.end(table.id, BOB.id, moderator=False),
            host.rematch(over.id, ANN),
            host.open(GUILD, 4, 'superman', ANN, {}),
        ]

    before, rows, told = (position(lobby), position(table)), club.rows(), list(club.changes)
    for name in names:
        club.sql(f'ALTER TABLE {name} RENAME TO away_{name}')
    for work in works():
        with pytest.raises(StorageError):
            await work
    for name in names:
        club.sql(f'ALTER TABLE away_{name} RENAME TO {name}')
    assert ((position(lobby), position(table)), club.rows(), club.changes) == (before, rows, told)
    assert host.tables == [lobby, table]
    await host.play(table.id, mover, text, interaction_id=1)
    await host.join(lobby.id, CEM)
    await host.rematch(over.id, ANN)
    assert [again.position for again in await club.restart()] == [(0, 0), (0, 1), (0, 0)]


# --- the end ------------------------------------------------------------------------------------------------------------------------


async def test_the_end_of_a_match(club: Club) -> None:
    table = await club.match(ANN, BOB, CEM, target=20)
    put(table, 'R2', 'S', 'S S')
    await club.host.play(table.id, ANN.id, 'play R2', interaction_id=1)
    assert (table.state, table.outcome, club.changes[-1]) == ('finished', 'finished', (table.id, 'finished'))
    assert club.host.tables == []
    assert club.host.in_channel(CHANNEL) is None
    assert await code(club.host.play(table.id, BOB.id, 'draw', interaction_id=2)) == 'table-over'
    for guild in (GUILD, EVERYWHERE):
        for game in ('superman', ALL_GAMES):
            board, count = await club.store.leaderboard(guild, game, 'all', 'points')
            lines = [(line.name, line.wins, line.points, line.matches) for line in board]
            assert lines == [('Ann', 1, 2, 1), ('Bob', 0, 1, 1), ('Cem', 0, 0, 1)]
            assert count == 3
            assert board[0].rating is not None
            assert board[0].rating > 0 > (board[2].rating or 0)
    profile = await club.store.profile(CEM.id, GUILD)
    assert [(past.result.place, past.result.total, past.result.won, past.result.rated) for past in profile.last] == [(3, 50, False, True)]
    assert await club.restart() == []
    again = await club.host.rematch(table.id, BOB)
    assert (again.people, again.host_id, dict(again.options)) == ([BOB, ANN, CEM], BOB.id, dict(table.options))


async def test_a_match_that_somebody_left_rates_nobody_and_is_not_won_by_them(club: Club) -> None:
    table = await club.match(ANN, BOB, CEM, target=20)
    await club.host.leave(table.id, ANN.id)
    put(table, 'Y1', 'R2', 'S S', turn=1)
    await club.host.play(table.id, BOB.id, 'play R2', interaction_id=1)
    assert table.state == 'finished'
    assert club.sql('SELECT * FROM rating') == []
    results = club.sql('SELECT user_id, place, won, "left", rated FROM result ORDER BY seat')
    assert results == [(ANN.id, 2, 0, 1, 0), (BOB.id, 1, 1, 0, 0), (CEM.id, 3, 0, 0, 0)]
    again = await club.host.rematch(table.id, BOB)
    assert again.people == [BOB, CEM], 'who has left is not put at the next table'


async def test_two_matches_that_end_at_once_count_both_for_the_ratings(club: Club) -> None:
    tables = [await club.match(ANN, BOB, target=20, channel=channel) for channel in range(1, 6)]
    for table in tables:
        put(table, 'R2', 'S')
    await asyncio.gather(*(club.host.play(table.id, ANN.id, 'play R2', interaction_id=table.id) for table in tables))
    matches = club.sql('SELECT DISTINCT matches FROM rating')
    assert matches == [(5,)]
    [ann, bob] = (await club.store.leaderboard(GUILD, 'superman', 'all', 'wins'))[0]
    assert (ann.wins, ann.matches, bob.wins, bob.matches) == (5, 5, 0, 5)


async def test_a_match_that_is_stopped(club: Club) -> None:
    table = await club.match(ANN, BOB)
    await club.move(table)
    await club.host.end(table.id, CEM.id, moderator=True)
    assert (table.state, table.outcome) == ('abandoned', 'ended-by-host')
    assert club.sql('SELECT state, reason FROM game_table') == [('abandoned', 'ended-by-host')]
    assert len(club.sql('SELECT * FROM result')) == 2
    assert club.sql('SELECT * FROM standing') == club.sql('SELECT * FROM rating') == []
    assert await code(club.host.rematch(table.id, CEM)) == 'not-played'
    assert await code(club.host.rematch(99, ANN)) == 'no-table'
    running = await club.match(ANN, BOB)
    assert await code(club.host.rematch(running.id, ANN)) == 'not-ended'


# --- after a restart -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('game_id', sorted(games()))
async def test_a_restart_finds_every_table_as_it_was(club: Club, game_id: str) -> None:
    game, rng = games()[game_id], Random(game_id)
    people = [Person(number, f'P{number}') for number in range(1, game.usual_seats[-1] + 1)]
    counts = {game.usual_seats[0], game.usual_seats[-1]}
    tables = [await club.match(*people[:seats], game=game_id, channel=seats) for seats in counts]
    for table in tables:
        for _ in range(rng.randrange(15, 30)):
            if table.open:
                await club.move(table, rng.choice)
    live = {table.id: table for table in tables if table.open}
    assert live
    for _ in range(2):
        restored = await club.restart()
        assert {table.id: position(table) for table in restored} == {number: position(table) for number, table in live.items()}
        assert club.changes == [(table.id, 'playing') for table in restored]
        for table in restored:
            if table.open:
                await club.move(table, rng.choice)
        live = {table.id: table for table in restored if table.open}


@pytest.mark.parametrize('table', ['game_table', 'seat'])
@pytest.mark.parametrize('value', ['[]', '5', 'null', '{"before": 5, "gone": 5}', '{"before": [[]]}', 'no JSON at all', ''])
async def test_a_table_with_senseless_values_never_keeps_the_others_away(club: Club, table: str, value: str) -> None:
    broken, other = await club.match(ANN, BOB, channel=CHANNEL), await club.match(ANN, BOB, channel=CHANNEL + 1)
    which = f'id = {broken.id}' if table == 'game_table' else f'table_id = {broken.id}'
    club.sql(f"UPDATE {table} SET {'options' if table == 'game_table' else 'extra'} = '{value}' WHERE {which}")
    restored = {table.channel_id: table for table in await club.restart() if table.open}
    assert position(restored[CHANNEL + 1]) == position(other)
    if CHANNEL in restored:
        assert position(restored[CHANNEL]) == position(broken)
    else:
        assert club.sql(f'SELECT state, reason FROM game_table WHERE id = {broken.id}') == [('closed', 'damaged')]
        assert (await club.host.open(GUILD, CHANNEL, 'superman', ANN, {})).open


@pytest.mark.parametrize('depth', [300, 5_000, 100_000])
@pytest.mark.parametrize('column', ['game_table.options', 'seat.extra', 'round.points', 'round.totals'])
async def test_deeply_nested_values_lose_their_table_only(club: Club, column: str, depth: int) -> None:
    broken, other = await club.match(ANN, BOB, channel=CHANNEL), await club.match(ANN, BOB, channel=CHANNEL + 1)
    while not club.sql(f'SELECT * FROM round WHERE table_id = {broken.id}'):
        await club.move(broken)
    table, _, name = column.partition('.')
    value = '[' * depth + ']' * depth
    club.sql(f"UPDATE {table} SET {name} = '{value}' WHERE {'id' if table == 'game_table' else 'table_id'} = {broken.id}")
    restored = {table.channel_id: table for table in await club.restart() if table.open}
    assert position(restored[CHANNEL + 1]) == position(other)
    assert depth == 300 or CHANNEL not in restored
    if CHANNEL not in restored:
        assert club.sql(f'SELECT state, reason FROM game_table WHERE id = {broken.id}') == [('closed', 'damaged')]
        assert (await club.host.open(GUILD, CHANNEL, 'superman', ANN, {})).open


@pytest.mark.parametrize(
    'damage',
    [
        "UPDATE seat SET name = CAST(x'ff41' AS TEXT) WHERE seat = 1 AND table_id = {}",
        "UPDATE seat SET extra = CAST(x'7bff7d' AS TEXT) WHERE seat = 0 AND table_id = {}",
        "UPDATE move SET text = CAST(x'706c6179c3' AS TEXT) WHERE ply = 2 AND table_id = {}",
        "UPDATE game_table SET options = CAST(x'7b22ff223a317d' AS TEXT) WHERE id = {}",
        "UPDATE game_table SET seed = CAST(x'736565ff' AS TEXT) WHERE id = {}",
    ],
)
async def test_a_text_that_is_not_utf_8_loses_its_table_only(club: Club, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    broken, *others = [await club.match(ANN, BOB, channel=CHANNEL + number) for number in range(3)]
    for table in (broken, *others):
        for _ in range(3):
            await club.move(table)
    club.sql(damage.format(broken.id))
    restored = await club.restart()
    assert [position(table) for table in restored] == [position(table) for table in others]
    assert club.sql("SELECT id, reason FROM game_table WHERE state = 'closed'") == [(broken.id, 'damaged')]
    logged = [record.getMessage() for record in caplog.records if record.levelname == 'ERROR']
    assert logged == [f'table {broken.id} holds values that cannot be read and is closed']
    assert (await club.host.open(GUILD, CHANNEL, 'superman', ANN, {})).open


@pytest.mark.parametrize(
    ('damage', 'why'),
    [
        ("UPDATE move SET text = 'play nothing' WHERE ply = 2", 'UnreadableMoveError: unreadable; round 0, ply 2, seat '),
        ("UPDATE move SET text = 'pass' WHERE ply = 2", 'IllegalMoveError: pass-while-able; round 0, ply 2, seat '),
        ('UPDATE move SET seat = 1 - seat WHERE ply = 1', 'NotYourTurnError: not-your-turn; round 0, ply 1, seat '),
        ('DELETE FROM move WHERE ply = 1', 'TableError: stale; round 0, ply 2, seat '),
        ('UPDATE game_table SET seed = NULL WHERE channel_id = 200', 'ValueError: a match without a seed'),
        ("UPDATE game_table SET seed = 'another' WHERE channel_id = 200", 'Error: '),
        ("""UPDATE game_table SET options = '{"target": 0}' WHERE channel_id = 200""", 'OptionError: option-number: '),
        ("""UPDATE game_table SET options = '{"target": "many"}' WHERE channel_id = 200""", 'OptionError: option-number: '),
        ("UPDATE game_table SET game = 'poker' WHERE channel_id = 200", 'LookupError: poker'),
        ('DELETE FROM seat WHERE table_id = (SELECT id FROM game_table WHERE channel_id = 200)', 'OptionError: seats: '),
    ],
)
async def test_a_table_that_does_not_fit_the_rules_is_closed_and_the_others_go_on(
    club: Club, damage: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = await club.match(ANN, BOB, channel=CHANNEL)
    other = await club.match(ANN, BOB, channel=CHANNEL + 1)
    while len(club.sql(f'SELECT * FROM move WHERE table_id = {table.id}')) < 12:
        await club.move(table)
    club.sql(damage)
    restored = {again.channel_id: again for again in await club.restart()}
    assert position(restored[CHANNEL + 1]) == position(other)
    assert club.host.tables == [restored[CHANNEL + 1]]
    assert club.sql('SELECT state, reason FROM game_table WHERE channel_id = 200') == [('closed', 'damaged')]
    if "'poker'" not in damage:
        assert (restored[CHANNEL].state, restored[CHANNEL].outcome) == ('closed', 'damaged'), 'people are told'
        assert (table.id, 'closed') in club.changes
    logged = [record.getMessage() for record in caplog.records if record.levelname == 'ERROR']
    assert len(logged) == 1
    assert logged[0].startswith(f'table {table.id} cannot be replayed and is closed as damaged (server {GUILD}, ')
    assert why in logged[0]
    assert table.match is not None
    assert table.match.seed not in caplog.text
    assert await code(club.host.rematch(table.id, ANN)) == ('no-table' if "'poker'" in damage else 'not-ended')
    assert (await club.host.open(GUILD, CHANNEL, 'superman', ANN, {})).open


async def test_nobody_hosts_too_many_tables_and_no_server_has_too_many(club: Club) -> None:
    host = Host(club.store, VirtualTime().clock, club, per_person=2, per_server=3)
    opening = [host.open(1, channel, 'superman', ANN, {}) for channel in range(900, 905)]
    opened = await asyncio.gather(*opening, return_exceptions=True)
    assert [getattr(one, 'code', 'open') for one in opened] == ['open', 'open', *['too-many-hosted'] * 3]
    await host.open(1, 910, 'superman', BOB, {})
    with pytest.raises(TableError, match='too-many-here'):
        await host.open(1, 911, 'superman', CEM, {})
    await host.open(2, 912, 'superman', CEM, {})
    await host.leave(host.tables[0].id, ANN.id)
    await host.open(1, 913, 'superman', ANN, {})
