"""How fast the database is: moves stored durably, tables restored after a restart, leaderboards of a million results.

The peers are what one would write without a store: one aiosqlite transaction a move, and a GROUP BY over the results on a
covering index. Restoring is compared with the bare engine replaying the same moves, already parsed and without checking them.
Peers take turns with us, round by round, on the same kind of file; a figure is the median of the rounds, a ratio the median of
the ratios of each round.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import aiosqlite

from ...engines import games
from ...engines.base import Game
from ...engines.match import Match
from ...storage import EVERYWHERE, MoveRow, NewTable, Order, Store, StoredTable, periods

Progress = Callable[[str], None]
Figures = dict[str, float]
Way = tuple[Callable[[MoveRow], Awaitable[None]], Callable[[], Awaitable[None]]]
"""Adds a move; closes the database."""

ROUNDS: Final = 5
TASKS: Final = 50
TABLES: Final = 10_000
MOVES: Final = 40
"""Moves a table that is restored."""
QUERIES: Final = 400

ORDERS: Final[tuple[Order, ...]] = ('wins', 'points', 'rating')

GUILDS, PEOPLE, MATCHES, PLAYERS = 200, 50_000, 250_000, 4
START: Final = datetime(2025, 1, 1, tzinfo=UTC)
DAYS: Final = 730


def figures(progress: Progress) -> Figures:
    with tempfile.TemporaryDirectory(prefix='cardnight-bench-') as folder:
        found = asyncio.run(_moves(Path(folder), progress))
        found |= asyncio.run(_restore(Path(folder), progress))
        found |= asyncio.run(_leaderboards(Path(folder), progress))
    return found


def table(figures: Figures) -> list[list[str]]:
    """The figures for people; a ratio stands beside the peer's figure."""
    rows = [['', 'here', 'peer', 'ratio', 'at least']]

    def row(what: str, here: str, peer: str, ratio: str, bound: str = '') -> None:
        if here in figures:
            found = [figures.get(name) for name in (here, peer, ratio)]
            rows.append([what, *('' if figure is None else f'{figure:,.{0 if figure >= 100 else 2}f}' for figure in found), bound])

    row(f'moves a second from {TASKS} tasks; peer: aiosqlite', 'moves_per_s', 'aiosqlite_moves_per_s', 'moves_vs_aiosqlite', '6')
    row('one move, one task, median µs; peer: aiosqlite', 'move_us', 'aiosqlite_move_us', 'move_vs_aiosqlite')
    row(f'{TABLES:,} tables of {MOVES} moves restored, s; peer: bare replay', 'restore_s', 'replay_s', 'restore_vs_replay', '0.25')
    row('leaderboard, p50 ms; peer: GROUP BY', 'board_p50_ms', 'group_by_p50_ms', 'board_p50_vs_group_by')
    row('leaderboard, p99 ms; peer: GROUP BY', 'board_p99_ms', 'group_by_p99_ms', 'board_p99_vs_group_by', '8')
    row('leaderboard of all servers, p99 ms', 'board_everywhere_p99_ms', '', '')
    return rows


# --- moves ----------------------------------------------------------------------------------------------------------


async def _moves(folder: Path, progress: Progress) -> Figures:
    progress(f'Storing moves, from {TASKS} tasks at once and from one …')
    ways = {'': _our_way, 'aiosqlite_': _aiosqlite_way}
    found: dict[str, list[float]] = {}
    numbers = itertools.count()
    for _ in range(ROUNDS):
        for name, way in ways.items():
            together, alone = await _time_moves(way, folder / f'moves-{next(numbers)}.sqlite3', 200 if name == '' else 40)
            found.setdefault(f'{name}moves_per_s', []).append(together)
            found.setdefault(f'{name}move_us', []).append(alone)
    figures = {name: median(values) for name, values in found.items()}
    figures['moves_vs_aiosqlite'] = _ratio(found['moves_per_s'], found['aiosqlite_moves_per_s'])
    figures['move_vs_aiosqlite'] = _ratio(found['aiosqlite_move_us'], found['move_us'])
    return figures


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return median(mine / other for mine, other in zip(ours, theirs, strict=True))


async def _time_moves(way: Callable[[Path], Awaitable[Way]], file: Path, moves: int) -> tuple[float, float]:
    """Moves a second from many tasks that make `moves` moves each; microseconds for one move from a single task."""
    add, close = await way(file)
    interactions = itertools.count(10**18)

    async def play(table_id: int, first: int, count: int, times: list[float]) -> None:
        for ply in range(first, first + count):
            move = MoveRow(table_id, 0, ply, ply % 4, 'play R2', next(interactions), 'player', 1.75e9 + ply)
            start = perf_counter()
            await add(move)
            times.append(perf_counter() - start)

    await asyncio.gather(*(play(table_id, 0, 5, []) for table_id in range(1, TASKS + 1)))
    start = perf_counter()
    await asyncio.gather(*(play(table_id, 5, moves, []) for table_id in range(1, TASKS + 1)))
    rate = TASKS * moves / (perf_counter() - start)
    times: list[float] = []
    await play(1, 10_000, 300, times)
    await close()
    return rate, median(times) * 1e6


async def _our_way(file: Path) -> Way:
    store = await _store_with_tables(file)
    return store.add_move, store.close


async def _aiosqlite_way(file: Path) -> Way:
    """The same rows in the same file, as safe on the disk, one transaction each."""
    await (await _store_with_tables(file)).close()
    connection = await aiosqlite.connect(file, isolation_level=None)
    await connection.execute('PRAGMA synchronous = FULL')
    await connection.execute('PRAGMA foreign_keys = ON')
    lock = asyncio.Lock()

    async def add(move: MoveRow) -> None:
        row = (move.table_id, move.round, move.ply, move.seat, move.text, move.interaction_id, move.by, move.at)
        async with lock:
            await connection.execute('BEGIN IMMEDIATE')
            await connection.execute('INSERT INTO move VALUES (?, ?, ?, ?, ?, ?, ?, ?)', row)
            await connection.commit()

    return add, connection.close


async def _store_with_tables(file: Path) -> Store:
    store = await Store.open(file)
    for number in range(TASKS):
        await store.create_table(NewTable(1, number, 'game', {}, 1, 4, 'none', 1.75e9))
    return store


# --- restoring ------------------------------------------------------------------------------------------------------


async def _restore(folder: Path, progress: Progress) -> Figures:
    # The game with the smallest pack: where the rules take the least time, storage takes its largest share.
    game = min(games().values(), key=lambda game: len(game.pack(game.seats[0])))
    progress(f'Playing {TABLES:,} matches to {MOVES} moves …')
    played = [_play(game, number) for number in range(TABLES)]
    file = folder / 'tables.sqlite3'
    await (await Store.open(file)).close()
    _write_tables(file, game, played)
    progress('Restoring them …')
    store = await Store.open(file)
    gc.collect()
    gc.freeze()  # a bot does not hold the matches to compare with
    restored, replayed = [], []
    for _ in range(ROUNDS):
        start = process_time()
        for match, moves in played:
            again = Match(game, match.seats, match.options, match.seed)
            for _, _, _, move in moves:
                while again.round.over:
                    again.next_round()
                again.apply(move)
        middle = process_time()
        count = 0
        async for stored in store.open_tables():
            again = _restored(stored)
            count += 1
            if count % 1_000 == 0 and again.round != played[count - 1][0].round:
                raise AssertionError('a restored table is not what it was')
        restored.append(process_time() - middle)
        replayed.append(middle - start)
        if count != TABLES:
            raise AssertionError('not every table came back')
    gc.unfreeze()
    await store.close()
    return {'restore_s': median(restored), 'replay_s': median(replayed), 'restore_vs_replay': _ratio(replayed, restored)}


def _play(game: Game[Any], number: int) -> tuple[Match, list[tuple[int, int, int, Any]]]:
    """A match of random moves; by move its round, ply, seat and value."""
    rng = Random(number)
    match = Match(game, game.usual_seats[number % len(game.usual_seats)], {}, f'bench {number}')
    moves: list[tuple[int, int, int, Any]] = []
    ply = 0
    while len(moves) < MOVES:
        while match.round.over and not match.over:
            match.next_round()
            ply = 0
        if match.over:
            return _play(game, number + TABLES)
        move = rng.choice(match.round.legal_moves())
        moves.append((match.number, ply, match.round.turn, move))
        match.apply(move)
        ply += 1
    return match, moves


def _write_tables(file: Path, game: Game[Any], played: list[tuple[Match, list[tuple[int, int, int, Any]]]]) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for number, (match, moves) in enumerate(played, 1):
            connection.execute(
                'INSERT INTO game_table '
                '(id, guild_id, channel_id, game, options, host_id, state, seats, seed, pace, created, changed, extra) '
                "VALUES (?, 1, ?, ?, '{}', 1, 'playing', ?, ?, 'none', 0, 0, '{}')",
                (number, number, game.id, match.seats, match.seed),
            )
            connection.executemany(
                "INSERT INTO seat (table_id, seat, user_id, name, extra) VALUES (?, ?, ?, 'Somebody', '{}')",
                ((number, seat, seat) for seat in range(match.seats)),
            )
            connection.executemany(
                "INSERT INTO move VALUES (?, ?, ?, ?, ?, ?, 'player', 0)",
                (
                    (number, round_, ply, seat, match.round.format_move(move), number * MOVES + place)
                    for place, (round_, ply, seat, move) in enumerate(moves)
                ),
            )


def _restored(stored: StoredTable) -> Match:
    """The match of a stored table: every move read, checked, and played in its place."""
    row = stored.row
    match = Match(games()[row.game], len(stored.seats), row.options, row.seed or '')
    expected = 0
    for number, ply, seat, text, _ in stored.moves:
        while match.round.over:
            match.next_round()
            expected = 0
        if (number, ply) != (match.number, expected):
            raise AssertionError('a move is missing')
        current = match.round
        move = current.parse_move(text)
        current.check(seat, move)
        match.apply(move)
        expected += 1
    return match


# --- leaderboards ---------------------------------------------------------------------------------------------------


async def _leaderboards(folder: Path, progress: Progress) -> Figures:
    file = folder / 'results.sqlite3'
    await (await Store.open(file)).close()
    progress(f'Writing {MATCHES * PLAYERS:,} results and their leaderboards (about a minute) …')
    _write_results(file)
    progress('Asking for leaderboards …')
    ours: list[float] = []
    theirs: list[float] = []
    everywhere: list[float] = []
    store = await Store.open(file)
    with closing(sqlite3.connect(file)) as peer:
        questions = list(itertools.islice(_questions(peer), QUERIES))
        for warm in (True, False):
            for guild_id, game, period, user_id in questions:
                start = perf_counter()
                standings, _ = await store.leaderboard(guild_id, game, period, 'wins')
                mine = await store.my_rank(guild_id, game, period, 'wins', user_id)
                between = perf_counter()
                same = _group_by(peer, guild_id, game, period, user_id)
                after = perf_counter()
                for order in ORDERS:
                    await store.leaderboard(EVERYWHERE, game, period, order)
                    await store.my_rank(EVERYWHERE, game, period, order, user_id)
                end = perf_counter()
                if same != ([standing.wins for standing in standings], mine and mine.rank):
                    raise AssertionError(f'the leaderboard {guild_id}, {game}, {period} is not what the results say')
                if not warm:
                    ours.append((between - start) / 2 * 1e3)
                    theirs.append((after - between) / 2 * 1e3)
                    everywhere.append((end - after) / 6 * 1e3)
    await store.close()
    found = {
        'board_p50_ms': median(ours),
        'board_p99_ms': _p99(ours),
        'group_by_p50_ms': median(theirs),
        'group_by_p99_ms': _p99(theirs),
        'board_everywhere_p99_ms': _p99(everywhere),
    }
    found['board_p50_vs_group_by'] = found['group_by_p50_ms'] / found['board_p50_ms']
    found['board_p99_vs_group_by'] = found['group_by_p99_ms'] / found['board_p99_ms']
    return found


def _p99(times: list[float]) -> float:
    return sorted(times)[len(times) * 99 // 100]


_FIRST_ID: Final = 10**18
"""Ids are as long as Discord's."""


def _write_results(file: Path) -> None:
    """The results, and the leaderboards that a store would have made of them match by match (but for those of all games together)."""
    names = list(games())
    calendar = [periods((START + timedelta(day)).timestamp()) for day in range(DAYS)]
    numbers = {name: number for number, name in enumerate(sorted({name for day in calendar for name in day}))}
    boards = itertools.product(numbers, range(GUILDS + 1), names)
    kinds = ('all_time', 'year', 'month', 'week')
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for pragma in ('synchronous = OFF', 'journal_mode = OFF', 'temp_store = MEMORY', 'cache_size = -400000'):
            connection.execute(f'PRAGMA {pragma}')
        connection.execute('BEGIN')
        indexes = "SELECT name, sql FROM sqlite_master WHERE tbl_name IN ('standing', 'result') AND sql LIKE 'CREATE INDEX%'"
        later = connection.execute(indexes).fetchall()
        for name, _ in later:
            connection.execute(f'DROP INDEX {name}')
        connection.executemany('INSERT INTO result VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, 0, 0, 1, ?)', _results(Random(1), names))
        connection.executemany(
            'INSERT INTO leaderboard VALUES (?, ?, ?, ?)',
            ((number, guild and _FIRST_ID + guild, period, game) for number, (period, guild, game) in enumerate(boards)),
        )
        connection.execute(f'CREATE TEMP TABLE day (day INTEGER PRIMARY KEY, {", ".join(kinds)})')
        connection.executemany(
            'INSERT INTO day VALUES (?, ?, ?, ?, ?)', ((day, *(numbers[name] for name in of_day)) for day, of_day in enumerate(calendar))
        )
        game = f'CASE game {" ".join(f"WHEN {name!r} THEN {number}" for number, name in enumerate(names))} END'
        connection.execute(
            f'CREATE TEMP TABLE played AS SELECT guild_id - {_FIRST_ID} AS guild, {game} AS game, user_id, won, points, day.* '
            f'FROM result JOIN day ON day = CAST((at - {START.timestamp()}) / 86400 AS INTEGER)'
        )
        for kind, guild in itertools.product(kinds, ('0', 'guild')):
            connection.execute(
                f'INSERT INTO standing SELECT ({kind} * {GUILDS + 1} + {guild}) * {len(names)} + game AS board, user_id, '
                'count(*), sum(won), sum(points), user_id * 7919 % 5000 / 100.0, count(*) FROM played GROUP BY board, user_id'
            )
        for _, sql in later:
            connection.execute(sql)
        connection.execute('CREATE INDEX peer ON result (guild_id, game, at, user_id, won)')
        connection.execute('COMMIT')
        connection.execute('PRAGMA journal_mode = WAL')


def _results(rng: Random, names: list[str]) -> Iterator[tuple[Any, ...]]:
    """Rows of results: servers busy by Zipf's law, and everybody in one of them."""
    weights = [1 / place for place in range(1, GUILDS + 1)]
    ends = [int(PEOPLE * share / sum(weights)) for share in itertools.accumulate(weights)]
    members = [range(start, end) for start, end in itertools.pairwise([0, *ends])]
    for number, guild in enumerate(rng.choices(range(GUILDS), weights, k=MATCHES)):
        at = START.timestamp() + rng.random() * DAYS * 86_400
        game = rng.choice(names)
        for seat, member in enumerate(rng.sample(members[guild], PLAYERS)):
            points = (PLAYERS - 1 - seat) / (PLAYERS - 1)
            yield number, seat, _FIRST_ID + guild + 1, game, _FIRST_ID + member, seat + 1, seat == 0, points, at


def _questions(connection: sqlite3.Connection) -> Iterator[tuple[int, str, str, int]]:
    """Server, game, period and person, drawn by activity: a busy server is asked about as often as it plays."""
    rng = Random(2)
    while True:
        place = rng.randrange(MATCHES), rng.randrange(PLAYERS)
        query = 'SELECT guild_id, game, user_id, at FROM result WHERE table_id = ? AND seat = ?'
        guild_id, game, user_id, at = connection.execute(query, place).fetchone()
        yield guild_id, game, rng.choice(periods(at)), user_id


def _group_by(connection: sqlite3.Connection, guild_id: int, game: str, period: str, user_id: int) -> tuple[list[int], int | None]:
    """The wins of the ten best, and the rank of a person, from the results."""
    start, end = _span(period)
    counted = 'SELECT user_id, sum(won) AS wins FROM result WHERE guild_id = ? AND game = ? AND at >= ? AND at < ? GROUP BY user_id'
    span = (guild_id, game, start, end)
    best = connection.execute(f'{counted} ORDER BY wins DESC, user_id DESC LIMIT 10', span).fetchall()
    better = 'SELECT 1 + count(*) FROM counted WHERE wins > (SELECT wins FROM counted WHERE user_id = ?)'
    rank = connection.execute(f'WITH counted AS MATERIALIZED ({counted}) {better}', (*span, user_id)).fetchone()
    return [wins for _, wins in best], rank[0]


def _span(period: str) -> tuple[float, float]:
    """When a period begins and ends."""
    if 'W' in period:
        start = datetime.strptime(f'{period}-1', '%G-W%V-%u').replace(tzinfo=UTC)
        return start.timestamp(), (start + timedelta(7)).timestamp()
    if '-' in period:
        start = datetime.strptime(period, '%Y-%m').replace(tzinfo=UTC)
        return start.timestamp(), (start + timedelta(31)).replace(day=1).timestamp()
    if period.isdecimal():
        return datetime(int(period), 1, 1, tzinfo=UTC).timestamp(), datetime(int(period) + 1, 1, 1, tzinfo=UTC).timestamp()
    return 0, 1e12
