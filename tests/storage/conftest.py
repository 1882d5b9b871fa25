from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.storage import Store

from . import postgres

BACKENDS = ['sqlite', *(['postgresql'] if postgres.programs() and importlib.util.find_spec('asyncpg') else [])]


@pytest.fixture(scope='session')
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server."""
    with postgres.server() as running:
        yield running


@pytest.fixture(params=BACKENDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind that can be had here."""
    if request.param == 'sqlite':
        return f'sqlite:///{tmp_path / "night.sqlite3"}'
    server: postgres.Server = request.getfixturevalue('server')
    emptied = server.run('postgres', 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    assert emptied.returncode == 0, emptied.stderr
    return server.url('postgres')


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = await Store.open(url)
    yield opened
    await opened.close()
