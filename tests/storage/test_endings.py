"""How a store ends: closed while it is used, cancelled, or never closed. No thread and no process stays behind."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.storage import StorageError, Store
from bot.storage.database import database
from bot.storage.versions import check

from .values import CHANNEL, a_move, new_table, playing

ROOT = Path(__file__).parents[2]


def connections() -> int:
    """How many threads of aiosqlite run: one for every open connection."""
    return sum('_connection_worker_thread' in thread.name for thread in threading.enumerate())


def all_closed() -> bool:
    """Whether no connection is open; one that is just being closed gets a moment."""
    until = time.monotonic() + 5
    while connections() and time.monotonic() < until:
        time.sleep(0.01)
    return not connections()


async def test_reads_that_run_while_the_store_is_closed(url: str) -> None:
    store = await Store.open(url)
    table_id = await playing(store)
    assert connections() or url.startswith('postgres'), 'they are counted'
    reads = [asyncio.create_task(store.table(table_id)) for _ in range(12)]
    for _ in range(3):
        await asyncio.sleep(0)
    await store.close()
    assert all_closed()
    assert {table.row.id for table in await asyncio.gather(*reads) if table} == {table_id}
    await store.close()  # once more: nothing happens


async def test_a_cancelled_read_does_not_stop_the_others(url: str) -> None:
    store = await Store.open(url)
    table_id = await playing(store)
    for turns in range(1, 40, 3):
        reads = [asyncio.create_task(store.table(table_id)) for _ in range(3)]
        for _ in range(turns):
            await asyncio.sleep(0)
        reads[1].cancel()
        outcomes = await asyncio.gather(*reads, return_exceptions=True)
        assert [outcome.row.id for outcome in (outcomes[0], outcomes[2]) if not isinstance(outcome, BaseException) and outcome] == [
            table_id
        ] * 2
    await store.add_move(a_move(table_id, 0))
    await store.close()
    assert all_closed()


async def test_a_start_that_is_cancelled_can_be_repeated(url: str) -> None:
    for turns in range(0, 120, 8):
        opening = asyncio.create_task(Store.open(url))
        for _ in range(turns):
            await asyncio.sleep(0.0005)
        opening.cancel()
        outcome = (await asyncio.gather(opening, return_exceptions=True))[0]
        if isinstance(outcome, Store):
            await outcome.close()
    store = await Store.open(url)
    assert await store.create_table(new_table()) > 0
    await store.close()
    assert all_closed()


async def test_a_read_that_is_cancelled_while_its_connection_is_made(tmp_path: Path) -> None:
    await (await Store.open(tmp_path / 'night.sqlite3')).close()
    opened = database(tmp_path / 'night.sqlite3')
    reading = asyncio.create_task(check(opened))

    def on_connect(*_: object) -> None:
        reading.cancel()

    sa.event.listen(sa.Engine, 'connect', on_connect)
    try:
        with pytest.raises(asyncio.CancelledError):
            await reading
    finally:
        sa.event.remove(sa.Engine, 'connect', on_connect)
    await opened.close()
    assert all_closed()


async def test_a_failure_closes_the_connections_of_others_when_they_are_done(tmp_path: Path) -> None:
    await (await Store.open(tmp_path / 'night.sqlite3')).close()
    opened = database(tmp_path / 'night.sqlite3')
    slow = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) SELECT count(*) FROM n'

    def count(connection: sa.Connection) -> int:
        found: int = connection.exec_driver_sql(slow).scalar_one()
        return found

    counting = [asyncio.ensure_future(opened.read(count)) for _ in range(2)]
    with pytest.raises(StorageError):
        await opened.read(lambda connection: connection.exec_driver_sql('SELECT * FROM nothing'))
    assert not any(one.done() for one in counting)
    assert await asyncio.gather(*counting) == [400_000] * 2
    await opened.close()
    assert all_closed()


def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left that reports to the event loop after its end."""
    failed: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, 'excepthook', failed.append)

    async def checked() -> None:
        opened = database(tmp_path)
        try:
            await check(opened)
        finally:
            await opened.close()

    for _ in range(50):
        with pytest.raises(StorageError, match='cannot be reached'):
            asyncio.run(checked())
    assert all_closed()
    assert failed == []


def test_every_connection_in_use_is_a_storage_error(tmp_path: Path) -> None:
    for url in (f'sqlite:///{tmp_path}/x.sqlite3', 'postgresql://host/cards'):
        error = database(url).explain(sa.exc.TimeoutError('QueuePool limit'))
        assert isinstance(error, StorageError)
        assert (error.code, 'every connection is in use' in str(error)) == ('unreachable', True)


# --- never closed -----------------------------------------------------------------------------------------------------

OPEN = """
import asyncio, gc, sys, threading, time
from bot.storage import Store
from tests.storage.values import CHANNEL, a_move, playing

async def open_and_write(number=0):
    store = await Store.open(sys.argv[1])
    return store, await playing(store, CHANNEL + number)
"""

ENDINGS = {
    'the loop ends': """
asyncio.run(open_and_write())
""",
    'the loop ends and the store is still known': """
kept = asyncio.run(open_and_write())
""",
    'while moves are stored': """
async def main():
    store, table_id = await open_and_write()
    moves = [asyncio.create_task(store.add_move(a_move(table_id, ply))) for ply in range(50)]
    await moves[0]
    moves[:] = [asyncio.create_task(store.add_move(a_move(table_id, ply))) for ply in range(50, 99)]
    for _ in range(4):
        await asyncio.sleep(0)
asyncio.run(main())
""",
    'while tables are read': """
async def main():
    store, table_id = await open_and_write()
    reads = [asyncio.create_task(store.table(table_id)) for _ in range(30)]
    for _ in range(8):
        await asyncio.sleep(0)
asyncio.run(main())
""",
    'sys.exit': """
async def main():
    kept = await open_and_write()
    sys.exit(0)
asyncio.run(main())
""",
    'many, one after the other': """
for number in range(30):
    asyncio.run(open_and_write(number))
    gc.collect()
until = time.monotonic() + 10
while threading.active_count() > 1 and time.monotonic() < until:
    time.sleep(0.01)
assert threading.active_count() == 1, threading.enumerate()
""",
    'another loop goes on with it': """
loops = [asyncio.new_event_loop() for _ in range(2)]
store, table_id = loops[0].run_until_complete(open_and_write())
loops[0].close()
loops[1].run_until_complete(store.add_move(a_move(table_id, 0)))
loops[1].run_until_complete(store.close())
loops[1].close()
""",
}


@pytest.mark.parametrize('ending', ENDINGS)
def test_a_process_ends_whose_store_was_not_closed(tmp_path: Path, ending: str) -> None:
    file = str(tmp_path / 'night.sqlite3')
    ended = subprocess.run([sys.executable, '-c', OPEN + ENDINGS[ending], file], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr, ended.stdout) == (0, '', '')


async def test_what_was_stored_before_is_there_after_a_start_without_an_end(tmp_path: Path) -> None:
    file = tmp_path / 'night.sqlite3'
    ended = await asyncio.to_thread(subprocess.run, [sys.executable, '-c', OPEN + ENDINGS['while moves are stored'], str(file)], cwd=ROOT)
    assert ended.returncode == 0
    store = await Store.open(file)
    [table] = [table async for table in store.open_tables()]
    assert table.row.channel_id == CHANNEL
    assert [move[1] for move in table.moves][:50] == list(range(50))
    await store.close()
