"""Only one process works with a database."""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.cli import db, demo
from bot.storage import StorageError, Store

from . import postgres
from .conftest import BACKENDS
from .values import new_table

ROOT = Path(__file__).parents[2]
HOLD = """
import asyncio, sys
from bot.storage import Store

async def hold():
    store = await Store.open(sys.argv[1])
    print('open', flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await store.close()

asyncio.run(hold())
"""


@asynccontextmanager
async def another_process(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process of the bot on the same database. It ends with the block, if not before."""
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, '-c', HOLD, url, cwd=ROOT, stdin=pipe, stdout=pipe)
    assert process.stdin
    assert process.stdout
    try:
        assert await asyncio.wait_for(process.stdout.readline(), 30) == b'open\n'
        yield process
    finally:
        process.stdin.close()
        await process.wait()


async def test_the_second_process_refuses_to_start(url: str) -> None:
    async with another_process(url):
        for _ in range(2):
            with pytest.raises(StorageError, match='Another process of the bot works with the database') as refused:
                await Store.open(url)
            assert refused.value.code == 'in-use'
            assert '\n' not in str(refused.value)
    await (await Store.open(url)).close()


async def test_the_second_store_of_a_process_is_refused_too(store: Store, url: str) -> None:
    with pytest.raises(StorageError) as refused:
        await Store.open(url)
    assert refused.value.code == 'in-use'
    assert await store.create_table(new_table()) > 0, 'the first goes on'


async def test_a_process_that_was_killed_holds_nothing(url: str) -> None:
    async with another_process(url) as process:
        process.kill()
        await process.wait()
        await (await Store.open(url)).close()


async def test_another_path_to_the_same_file(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / 'night.sqlite3')
    os.symlink(tmp_path / 'night.sqlite3', tmp_path / 'alias.sqlite3')
    os.symlink(tmp_path, tmp_path / 'folder')
    for other in ('alias.sqlite3', 'folder/night.sqlite3'):
        with pytest.raises(StorageError) as refused:
            await Store.open(tmp_path / other)
        assert refused.value.code == 'in-use'
    await store.close()


async def test_the_commands_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / 'night.sqlite3'

    def called(*words: str) -> int:
        parser = argparse.ArgumentParser()
        command = {'demo': demo, 'db': db}[words[0]]
        command.add_parser(parser.add_subparsers())
        return command.run(parser.parse_args(words))

    async with another_process(str(file)):
        for words in (('demo', '--no-browser', '--database', str(file)), ('db', '--database', str(file), 'upgrade')):
            assert await asyncio.to_thread(called, *words) == 1
            said = capsys.readouterr()
            assert (
                said.err == f'Another process of the bot works with the database {file}. Stop that one first, or choose another database.\n'
            )
            assert said.out == ''
        assert await asyncio.to_thread(called, 'db', '--database', str(file), 'backup', str(tmp_path / 'copy.sqlite3')) == 0
        assert await asyncio.to_thread(called, 'db', '--database', str(file), 'check') == 0


if 'postgresql' in BACKENDS:

    async def test_a_lost_lock_is_taken_again_or_nothing_is_written(server: postgres.Server) -> None:
        server.run('postgres', 'CREATE DATABASE held')
        url = server.url('held')
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'held'"
        store = await Store.open(url)
        server.run('postgres', cut)
        await asyncio.sleep(0.2)
        assert await store.create_table(new_table()) > 0
        with pytest.raises(StorageError) as refused:
            await Store.open(url)
        assert refused.value.code == 'in-use', 'taken again'
        server.run('postgres', cut)
        async with another_process(url):
            with pytest.raises(StorageError) as refused:
                await store.create_table(new_table(2))
            assert refused.value.code == 'in-use'
        assert await store.create_table(new_table(2)) > 0
        await store.close()
