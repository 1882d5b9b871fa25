"""A full disk, a lock, a file that may not be written, a damaged file, a server that is gone, and kill -9.

What is acknowledged is stored, what is not stored is refused with its reason, and writing goes on as soon as it can.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.storage import StorageError, Store, StoredTable

from . import postgres
from .conftest import BACKENDS
from .values import NIGHT, a_move, finish, new_table, playing
from .worker import ROUND

ROOT = Path(__file__).parents[2]
WORKER = [sys.executable, '-m', 'tests.storage.worker']


def mountable() -> bool:
    """Whether a small file system can be mounted here, in a namespace of its own."""
    if not shutil.which('unshare'):
        return False
    attempt = subprocess.run(['unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], capture_output=True, check=False)
    return attempt.returncode == 0


async def stored(store: Store, table_id: int) -> StoredTable:
    table = await store.table(table_id)
    assert table
    return table


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith('bot.storage')]


# --- a full disk ----------------------------------------------------------------------------------------------------


@contextmanager
def few_pages() -> Iterator[Callable[[int], None]]:
    """Limits how many pages SQLite's files may have: what it does then is what it does when the disk is full."""
    limit = 60

    def set_limit(pages: int) -> None:
        nonlocal limit
        limit = pages

    def on_connect(connection: Any, _: object) -> None:
        connection.execute(f'PRAGMA max_page_count = {limit}')

    sa.event.listen(sa.Engine, 'connect', on_connect)
    try:
        yield set_limit
    finally:
        sa.event.remove(sa.Engine, 'connect', on_connect)


async def test_a_full_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with few_pages() as set_limit:
        store = await Store.open(tmp_path / 'night.sqlite3')
        table_id = await playing(store)
        outcomes: list[BaseException | None] = []
        while len([outcome for outcome in outcomes if outcome]) < 30:
            plies = range(len(outcomes), len(outcomes) + 10)
            outcomes += await asyncio.gather(
                *(store.add_move(a_move(table_id, ply, text='x' * 300)) for ply in plies), return_exceptions=True
            )
            assert len(outcomes) < 5_000
        codes = {outcome.code for outcome in outcomes if isinstance(outcome, StorageError)}
        assert codes == {'disk-full'}
        acknowledged = [ply for ply, outcome in enumerate(outcomes) if outcome is None]
        assert [move[1] for move in (await stored(store, table_id)).moves] == acknowledged
        assert lines(caplog) == [f'Nothing can be stored. The disk is full: {tmp_path / "night.sqlite3"} cannot grow.']
        set_limit(10_000)
        await store.add_move(a_move(table_id, len(outcomes)))
        assert len((await stored(store, table_id)).moves) == len(acknowledged) + 1
        assert lines(caplog)[1:] == ['The database works again.']
        await store.close()


if mountable():

    def test_a_full_disk(tmp_path: Path) -> None:
        mount_and_fill = 'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@" --fill "$0"'
        command = ['unshare', '-rm', 'sh', '-c', mount_and_fill, str(tmp_path), *WORKER]
        filled = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert filled.returncode == 0, filled.stderr
        met = json.loads(filled.stdout)
        assert met['refused'] == ['disk-full'] * 5
        assert met['found'] == met['stored']
        assert len(met['stored']) > 50
        assert len(met['log']) == 2
        assert 'disk is full' in met['log'][0]
        assert 'works again' in met['log'][1]


# --- a lock ---------------------------------------------------------------------------------------------------------


LOCK_FILE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute('BEGIN EXCLUSIVE')
print('locked', flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def locked(url: str) -> AsyncIterator[None]:
    """Another process keeps the database locked."""
    if url.startswith('sqlite'):
        command = [sys.executable, '-c', LOCK_FILE, url.removeprefix('sqlite:///')]
    else:
        command = [str(postgres.found() / 'psql'), '-X', '-q', '-t', '-A', url]
    process = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    if not url.startswith('sqlite'):
        process.stdin.write(b"BEGIN; LOCK TABLE game_table, move IN ACCESS EXCLUSIVE MODE; SELECT 'locked';\n")
    assert await process.stdout.readline() == b'locked\n'
    try:
        yield
    finally:
        process.stdin.close()
        await process.wait()


async def test_locked_by_another_process(url: str, caplog: pytest.LogCaptureFixture) -> None:
    store = await Store.open(url)
    table_id = await playing(store)
    async with locked(url):
        moves = [store.add_move(a_move(table_id, ply, interaction_id=ply + 1)) for ply in range(3)]
        outcomes = await asyncio.gather(*moves, return_exceptions=True)
        assert [outcome.code for outcome in outcomes if isinstance(outcome, StorageError)] == ['locked'] * 3
        waiting = asyncio.create_task(store.add_move(a_move(table_id, 0, interaction_id=1)))
        await asyncio.sleep(0.2)
        assert not waiting.done()
    await waiting
    assert [move[1] for move in (await stored(store, table_id)).moves] == [0]
    told = lines(caplog)
    assert len(told) == 2
    assert 'locked' in told[0]
    assert 'works again' in told[1]
    await store.close()


# --- read-only ------------------------------------------------------------------------------------------------------


@contextmanager
def as_nobody(*paths: Path) -> Iterator[None]:
    """Whoever runs the tests has no rights beyond those of the owner of these paths meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    for path in paths:
        os.chown(path, 65534, -1)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize('folder_too', [False, True])
async def test_a_file_that_may_not_be_written(folder_too: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix='cardnight-'))  # pytest's own folders are closed to others
    file = folder / 'night.sqlite3'
    try:
        store = await Store.open(file)
        table_id = await playing(store)
        await store.close()
        os.chmod(file, 0o444)
        os.chmod(folder, 0o555 if folder_too else 0o755)
        with as_nobody(folder, file):
            for _ in range(2):
                with pytest.raises(StorageError, match='may not be written') as refused:
                    await Store.open(file)
                assert refused.value.code == 'read-only'
        os.chmod(folder, 0o755)
        os.chmod(file, 0o644)
        store = await Store.open(file)
        await store.add_move(a_move(table_id, 0))
        assert len((await stored(store, table_id)).moves) == 1
        await store.close()
    finally:
        shutil.rmtree(folder)


if 'postgresql' in BACKENDS:

    async def test_a_server_that_takes_no_writes(server: postgres.Server) -> None:
        server.run('postgres', 'CREATE DATABASE reading')
        store = await Store.open(server.url('reading'))
        table_id = await playing(store)
        server.run('postgres', 'ALTER DATABASE reading SET default_transaction_read_only = on')
        server.run('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'reading'")
        for _ in range(2):
            with pytest.raises(StorageError) as refused:
                await store.add_move(a_move(table_id, 0))
            assert refused.value.code == 'read-only'
        assert (await stored(store, table_id)).moves == []
        server.run('postgres', 'ALTER DATABASE reading SET default_transaction_read_only = off')
        server.run('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'reading'")
        await store.add_move(a_move(table_id, 0))
        await store.close()


# --- a damaged file -------------------------------------------------------------------------------------------------


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def overwrite_the_middle(file: Path) -> None:
    with file.open('r+b') as opened:
        opened.seek(8_192)
        opened.write(random.Random(3).randbytes(16_384))


def overwrite_the_start(file: Path) -> None:
    with file.open('r+b') as opened:
        opened.write(b'no database at all' * 100)


@pytest.mark.parametrize('damage', [truncate, overwrite_the_middle, overwrite_the_start])
async def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    file, safe = tmp_path / 'night.sqlite3', tmp_path / 'safe.sqlite3'
    store = await Store.open(file)
    table_id = await playing(store)
    await asyncio.gather(*(store.add_move(a_move(table_id, ply, text='x' * 500)) for ply in range(100)))
    await store.close()
    shutil.copy(file, safe)
    damage(file)
    damaged = file.read_bytes()
    for _ in range(2):
        with pytest.raises(StorageError, match='damaged') as refused:
            await Store.open(file)
        assert refused.value.code == 'corrupt'
    assert file.read_bytes() == damaged
    safe.replace(file)
    store = await Store.open(file)
    assert len((await stored(store, table_id)).moves) == 100
    await store.close()


async def test_damage_while_the_bot_runs(tmp_path: Path) -> None:
    """Reading says so; once the operator has put a backup in place, the same store goes on with it."""
    file, safe = tmp_path / 'night.sqlite3', tmp_path / 'safe.sqlite3'
    store = await Store.open(file)
    table_id = await playing(store)
    await asyncio.gather(*(store.add_move(a_move(table_id, ply, text='x' * 1_000)) for ply in range(5_000)))
    await store.close()
    shutil.copy(file, safe)
    store = await Store.open(file)
    with file.open('r+b') as opened:
        opened.seek(8_192)
        opened.write(bytes(file.stat().st_size - 8_192))
    for _ in range(2):
        with pytest.raises(StorageError, match='damaged') as refused:
            await store.table(table_id)
        assert refused.value.code == 'corrupt'
    safe.replace(file)
    for beside in ('-wal', '-shm'):
        Path(f'{file}{beside}').unlink(missing_ok=True)  # noqa: ASYNC240
    await store.add_move(a_move(table_id, 5_000))
    assert len((await stored(store, table_id)).moves) == 5_001
    await store.close()


# --- a server that is gone ------------------------------------------------------------------------------------------


async def test_nothing_listens() -> None:
    with pytest.raises(StorageError, match='cannot be reached') as refused:
        await Store.open('postgresql://me:hunter2@127.0.0.1:1/cards')
    assert refused.value.code == 'unreachable'
    assert 'hunter2' not in str(refused.value)


if 'postgresql' in BACKENDS:

    async def test_the_server_goes_and_comes_back(caplog: pytest.LogCaptureFixture) -> None:
        with postgres.server() as own:
            store = await Store.open(own.url('postgres'))
            table_id = await playing(store)
            await store.add_move(a_move(table_id, 0))
            for number in range(2):
                own.stop()
                outcomes = await asyncio.gather(*(store.add_move(a_move(table_id, 7 + ply)) for ply in range(3)), return_exceptions=True)
                assert [outcome.code for outcome in outcomes if isinstance(outcome, StorageError)] == ['unreachable'] * 3
                with pytest.raises(StorageError):
                    await store.table(table_id)
                own.start()
                await store.add_move(a_move(table_id, 1 + number))
            assert [move[1] for move in (await stored(store, table_id)).moves] == [0, 1, 2]
            assert ['works again' in line for line in lines(caplog)] == [False, True] * 2
            await store.close()

    async def test_a_connection_cut_under_load(server: postgres.Server) -> None:
        server.run('postgres', 'CREATE DATABASE cut')
        store = await Store.open(server.url('cut'))
        table_id = await playing(store)
        acknowledged: set[int] = set()
        refused: list[StorageError] = []

        async def play(seat: int) -> None:
            for number in range(60):
                ply = number * 10 + seat
                try:
                    await store.add_move(a_move(table_id, ply))
                    acknowledged.add(ply)
                except StorageError as error:
                    refused.append(error)

        async def cut() -> None:
            every_connection = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'cut'"
            for _ in range(6):
                await asyncio.sleep(0.05)
                await asyncio.to_thread(server.run, 'postgres', every_connection)

        await asyncio.gather(cut(), *map(play, range(10)))
        assert {error.code for error in refused} <= {'unreachable'}
        assert acknowledged <= {move[1] for move in (await stored(store, table_id)).moves}
        await store.close()


# --- kill -9 --------------------------------------------------------------------------------------------------------


async def test_kill_9_loses_nothing_acknowledged(url: str) -> None:
    rng = random.Random(9)
    acknowledged: set[tuple[int, int, int]] = set()
    await (await Store.open(url)).close()
    for _ in range(4):
        worker = await asyncio.create_subprocess_exec(*WORKER, url, '20', cwd=ROOT, stdout=subprocess.PIPE)
        assert worker.stdout
        told = await worker.stdout.read(4_000)
        await asyncio.sleep(rng.random() / 5)
        worker.kill()
        told += await worker.stdout.read()
        await worker.wait()
        for line in told.decode().splitlines():
            table_id, number, ply = map(int, line.split())
            acknowledged.add((table_id, number, ply))
        store = await Store.open(url)
        found: set[tuple[int, int, int]] = set()
        for table_id in {table_id for table_id, _, _ in acknowledged} | {table.row.id async for table in store.open_tables()}:
            table = await stored(store, table_id)
            plies = [move[:2] for move in table.moves]
            assert plies == [(number, ply) for number in range(2) for ply in range(ROUND)][: len(plies)]
            assert len(table.rounds) == len(plies) // ROUND
            if table.row.state != 'closed':
                assert (table.row.state == 'finished') == (len(plies) == 2 * ROUND)
            found |= {(table_id, *ply) for ply in plies}
        assert acknowledged <= found
        async for table in store.open_tables():
            await store.update_table(table.row.id, state='closed', at=NIGHT)
        await store.close()
    assert len(acknowledged) > 100


# --- secrets --------------------------------------------------------------------------------------------------------


async def test_no_secret_in_an_error_or_a_log(url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = 'the-secret-seed'
    store = await Store.open(url)
    table_id = await store.create_table(new_table())
    outcomes = await asyncio.gather(
        store.start_match(table_id, f'{secret}\ud800', [], at=NIGHT),
        store.start_match(table_id, f'{secret}\0', [], at=NIGHT) if url.startswith('postgres') else store.add_move(a_move(7, 0)),
        store.start_match(table_id, secret, [], at=NIGHT, finish=finish(table_id, reason=['x'])),
        store.start_match(2**80, secret, [], at=NIGHT),
        return_exceptions=True,
    )
    assert all(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    for outcome in outcomes:
        link: BaseException | None = outcome if isinstance(outcome, BaseException) else None
        while link:
            assert secret not in str(link)
            link = link.__cause__ or link.__context__
    assert secret not in caplog.text
    assert (await stored(store, table_id)).row.state == 'lobby'
    await store.close()
