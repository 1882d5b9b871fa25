"""How much memory open tables take: the bot with 10,000 restored tables of all games, compared with the bot without tables.

Both are whole processes that load every cog and open a database, but do not connect. The figures are peaks of a process's memory.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

from ...app import create_bot
from ...config import Settings
from ...engines import games
from ...engines.match import Match
from ...storage import MoveRow, NewTable, SeatRow, Store

Figures = dict[str, float]

TABLES: Final = 10_000
MOVES: Final = 40
"""Moves in each table, or fewer where the match ends sooner."""
AT_ONCE: Final = 200
"""How many tables are filled at the same time."""
ALLOWED: Final = 150
"""Megabytes that all tables together may take."""


def figures(progress: Callable[[str], None]) -> Figures:
    """The peaks of both processes, their difference, bytes for each table, and seconds until all tables were restored."""
    with tempfile.TemporaryDirectory(prefix='cardnight-bench-') as folder:
        empty, full = Path(folder, 'empty.sqlite3'), Path(folder, 'full.sqlite3')
        progress(f'Playing {TABLES:,} tables …')
        asyncio.run(_fill(full))
        progress('Starting the bot without tables, and with them …')
        (bare, _), (loaded, seconds) = _measured(empty), _measured(full)
    return {
        'bare_bot_mb': bare,
        'bot_with_tables_mb': loaded,
        'tables_mb': loaded - bare,
        'table_bytes': (loaded - bare) * 1e6 / TABLES,
        'restored_s': seconds,
        'allowed_vs_tables_mb': ALLOWED / (loaded - bare),
    }


def table(figures: Figures) -> list[list[str]]:
    """The figures for people."""
    return [
        ['', 'MB'],
        ['the bot without tables', f'{figures["bare_bot_mb"]:.0f}'],
        [f'the bot with {TABLES:,} tables of {MOVES} moves', f'{figures["bot_with_tables_mb"]:.0f}'],
        [f'the tables (allowed: {ALLOWED})', f'{figures["tables_mb"]:.0f}'],
        ['bytes for each table', f'{figures["table_bytes"]:,.0f}'],
        ['seconds until all were restored', f'{figures["restored_s"]:.1f}'],
    ]


async def _fill(path: Path) -> None:
    """Fills a database with many tables in the middle of a match: the games in rotation, each with the fewest seats."""
    store = await Store.open(path)
    numbers = zip(range(TABLES), itertools.cycle(games()), strict=False)
    waiting = iter(numbers)

    async def work() -> None:
        for number, game_id in waiting:
            await _play(store, number, game_id)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    await store.close()


async def _play(store: Store, number: int, game_id: str) -> None:
    game, rng = games()[game_id], Random(number)
    people = [SeatRow(seat, number * 16 + seat + 1, f'Player {seat + 1}') for seat in range(game.seats[0])]
    match = Match(game, len(people), game.full_options({}), f'bench-{number}')
    table_id = await store.create_table(
        NewTable(number % 1000 + 1, number + 1, game_id, match.options, people[0].user_id or 0, len(people), 'none', 0.0, people)
    )
    await store.start_match(table_id, match.seed, people, at=0.0)
    ply = 0
    for _ in range(MOVES):
        while match.round.over and not match.over:
            match.next_round()
            ply = 0
        if match.over:
            break
        round_ = match.round
        move = rng.choice(round_.legal_moves())
        await store.add_move(MoveRow(table_id, match.number, ply, round_.turn, round_.format_move(move), None, 'player', 0.0))
        match.apply(move)
        ply += 1


def _measured(path: Path) -> tuple[float, float]:
    """The peak memory of a process that loads this database, in megabytes, and the seconds it took."""
    code = f'from {__name__} import child; child({str(path)!r})'
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    megabytes, seconds = done.stdout.split()
    return float(megabytes), float(seconds)


def child(path: str) -> None:
    """Loads a database as the bot does when it starts, and prints this process's peak memory in megabytes and the seconds it took."""

    async def load() -> float:
        store = await Store.open(path)
        bot = create_bot(Settings(token=None, sync_commands=False), store=store)
        began = perf_counter()
        await bot.setup_hook()
        took = perf_counter() - began
        bot.host.pause()
        await store.close()
        return took

    seconds = asyncio.run(load())
    unit = 1 if sys.platform == 'darwin' else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, seconds)
