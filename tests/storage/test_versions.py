"""Making, upgrading and refusing databases."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sqlalchemy as sa
from alembic import command

from bot.storage import SeatRow, StorageError, Store, default_url
from bot.storage.database import PostgreSQL, SQLite, database
from bot.storage.versions import alembic_config, backup, check, newest

from .values import ANN, CHANNEL, GUILD, NIGHT, a_move, finish, new_table, playing, ratings, round_end


async def alembic(url: str, name: str, *arguments: str) -> None:
    opened = database(url)

    def work(connection: sa.Connection) -> None:
        with connection.begin():
            getattr(command, name)(alembic_config(connection), *arguments)

    await opened.write(work)
    await opened.close()


async def execute(url: str, *statements: str) -> list[sa.Row]:  # type: ignore[type-arg]
    opened = database(url)

    def work(connection: sa.Connection) -> list[sa.Row]:  # type: ignore[type-arg]
        with connection.begin():
            results = [connection.exec_driver_sql(statement) for statement in statements]
            return list(results[-1]) if results[-1].returns_rows else []

    found = await opened.write(work)
    await opened.close()
    return found


async def version(url: str) -> str | None:
    opened = database(url)
    try:
        return await check(opened)
    finally:
        await opened.close()


async def test_the_migrations_make_what_the_code_expects(url: str) -> None:
    await alembic(url, 'upgrade', 'head')
    await alembic(url, 'check')


async def test_down_to_nothing_and_up_again(url: str) -> None:
    await alembic(url, 'upgrade', 'head')
    await alembic(url, 'downgrade', 'base')
    assert await version(url) is None
    await (await Store.open(url)).close()
    assert await version(url) == newest()
    await alembic(url, 'check')


async def test_every_version_keeps_what_is_stored(url: str) -> None:
    store = await Store.open(url)
    table_id = await playing(store)
    await store.add_move(a_move(table_id, 0, interaction_id=5), [round_end()], finish(table_id, ratings=ratings((ANN, 1.0, 1))))
    lobby = await store.create_table(new_table(seated=[SeatRow(0, ANN, 'Ann', extra={'a': 1})]))
    await store.remember_person(ANN, 'Ann')
    await store.set_guild_settings(GUILD, {})
    await store.close()
    await execute(url, "UPDATE guild SET name = 'Cards', locale = 'ko'")
    store = await Store.open(url)
    before = [await store.table(table_id), await store.table(lobby), await store.leaderboard(GUILD, 'superman', 'all', 'rating')]
    await store.close()
    await alembic(url, 'downgrade', '0001')
    assert await version(url) == '0001'
    store = await Store.open(url)
    after = [await store.table(table_id), await store.table(lobby), await store.leaderboard(GUILD, 'superman', 'all', 'rating')]
    assert after == before
    await store.set_guild_settings(GUILD, {'pace': 'live'})
    await store.set_watching(lobby, ANN, True)
    await store.close()
    assert [tuple(row) for row in await execute(url, 'SELECT name, locale FROM guild')] == [('Cards', 'ko')]
    await alembic(url, 'check')


async def test_a_first_version_with_data_is_upgraded(url: str, caplog: pytest.LogCaptureFixture) -> None:
    await alembic(url, 'upgrade', '0001')
    await execute(
        url,
        'INSERT INTO game_table (id, guild_id, channel_id, game, options, host_id, state, seats, seed, pace, created, changed, extra) '
        f"VALUES (41, {GUILD}, {CHANNEL}, 'swoop', '{{}}', {ANN}, 'playing', 8, 'abc', 'none', {NIGHT}, {NIGHT}, '{{}}')",
        f"INSERT INTO seat (table_id, seat, user_id, name, extra) VALUES (41, 0, {ANN}, 'Ann', '{{}}')",
        f"INSERT INTO move VALUES (41, 0, 0, 0, 'take', 9, 'player', {NIGHT})",
        f"INSERT INTO person (id, name) VALUES ({ANN}, 'Ann')",
    )
    store = await Store.open(url)
    [table] = [table async for table in store.open_tables()]
    assert (table.row.id, table.row.seed, table.seats, table.moves) == (41, 'abc', [SeatRow(0, ANN, 'Ann')], [(0, 0, 0, 'take', 'player')])
    assert (await store.person_settings([ANN]))[ANN] == {}
    assert (await store.guild_settings([GUILD]))[GUILD] == {}
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == [], 'no settings are nothing to warn of'
    await store.close()


async def test_an_earlier_version_can_go_on_with_the_database(url: str) -> None:
    """After a downgrade, columns that are not used any more hold what an earlier version expects in them, and what it left there stays."""
    await alembic(url, 'upgrade', '0002')
    await execute(
        url,
        'INSERT INTO game_table (id, guild_id, channel_id, game, options, host_id, state, seats, seed, pace, created, changed, extra) '
        f"VALUES (41, {GUILD}, {CHANNEL}, 'swoop', '{{}}', {ANN}, 'playing', 8, 'abc', 'none', {NIGHT}, {NIGHT}, '{{\"a\":1}}')",
        f"INSERT INTO guild (id, name, locale) VALUES ({GUILD}, 'Cards', 'ko')",
    )
    store = await Store.open(url)
    await store.update_table(41, host_id=ANN, at=NIGHT + 1)
    await store.set_guild_settings(GUILD, {'pace': 'live'})
    await store.set_guild_settings(GUILD + 1, {})
    lobby = await store.create_table(new_table(CHANNEL + 1))
    await store.close()
    await alembic(url, 'downgrade', '0002')
    assert await version(url) == '0002'
    extras = await execute(url, 'SELECT id, CAST(extra AS TEXT) FROM game_table')
    assert dict(tuple(row) for row in extras) == {41: '{"a":1}', lobby: '{}'}
    guilds = await execute(url, 'SELECT id, name, locale, CAST(settings AS TEXT) FROM guild ORDER BY id')
    assert [tuple(row) for row in guilds] == [(GUILD, 'Cards', 'ko', '{"pace": "live"}'), (GUILD + 1, None, None, '{}')]


async def test_a_newer_database_is_refused_with_a_sentence(url: str) -> None:
    await (await Store.open(url)).close()
    await execute(url, "UPDATE alembic_version SET version_num = '9999'")
    for _ in range(2):
        with pytest.raises(StorageError, match='newer version') as refused:
            await Store.open(url)
        assert refused.value.code == 'newer'
    assert [row[0] for row in await execute(url, 'SELECT version_num FROM alembic_version')] == ['9999']


async def test_an_older_file_is_backed_up_before_it_is_upgraded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, 'bot.storage')
    file = tmp_path / 'night.sqlite3'
    await alembic(f'sqlite:///{file}', 'upgrade', '0001')
    await execute(f'sqlite:///{file}', f"INSERT INTO person (id, name) VALUES ({ANN}, 'Ann')")
    await (await Store.open(file, backup_dir=tmp_path / 'old' / 'ones')).close()
    [name] = os.listdir(tmp_path / 'old' / 'ones')
    saved = tmp_path / 'old' / 'ones' / name
    assert str(saved) in caplog.text
    assert await version(str(saved)) == '0001'
    with closing(sqlite3.connect(saved)) as old:
        assert old.execute('SELECT * FROM person').fetchall() == [(ANN, 'Ann')]
    assert await version(str(file)) == newest()
    await (await Store.open(file)).close()  # nothing to do: no further backup
    assert sorted(os.listdir(tmp_path)) == ['night.sqlite3', 'night.sqlite3-lock', 'old']


async def test_the_backup_lies_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / 'night.sqlite3'
    await alembic(f'sqlite:///{file}', 'upgrade', '0001')
    await (await Store.open(file)).close()
    assert sorted(os.listdir(tmp_path)) == ['night-0001-backup.sqlite3', 'night.sqlite3', 'night.sqlite3-lock']


async def test_a_backup_that_cannot_be_made_stops_the_upgrade(tmp_path: Path) -> None:
    file = tmp_path / 'night.sqlite3'
    await alembic(f'sqlite:///{file}', 'upgrade', '0001')
    (tmp_path / 'taken').write_text('a file, not a folder')
    with pytest.raises(StorageError):
        await Store.open(file, backup_dir=tmp_path / 'taken')
    assert await version(str(file)) == '0001'


async def test_a_new_file_needs_no_backup_and_its_folder_is_made(tmp_path: Path) -> None:
    file = tmp_path / 'my data' / 'a%20b' / 'night.sqlite3'
    await (await Store.open(f'sqlite:///{quote(str(file))}')).close()
    assert sorted(os.listdir(file.parent)) == ['night.sqlite3', 'night.sqlite3-lock']


async def test_an_empty_file_is_a_new_database(tmp_path: Path) -> None:
    file = tmp_path / 'night.sqlite3'
    file.touch()
    await (await Store.open(file)).close()
    assert await version(str(file)) == newest()


async def test_a_backup_of_a_database_in_use(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / 'night.sqlite3')
    table_id = await playing(store)
    opened = database(tmp_path / 'night.sqlite3')
    assert isinstance(opened, SQLite)
    await asyncio.gather(backup(opened, tmp_path / 'copy.sqlite3'), *(store.add_move(a_move(table_id, ply)) for ply in range(40)))
    await backup(opened, tmp_path / 'copy.sqlite3')
    await opened.close()
    expected = await store.table(table_id)
    await store.close()
    assert sorted(os.listdir(tmp_path)) == ['copy.sqlite3', 'night.sqlite3', 'night.sqlite3-lock']
    copy = await Store.open(tmp_path / 'copy.sqlite3')
    assert await copy.table(table_id) == expected
    await copy.close()


async def test_someone_elses_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / 'addresses.sqlite3'
    with closing(sqlite3.connect(file)) as other:
        other.execute('CREATE TABLE address (name)')
    with pytest.raises(StorageError, match='something else'):
        await Store.open(file)
    with closing(sqlite3.connect(file)) as other:
        assert other.execute('SELECT name FROM sqlite_master').fetchall() == [('address',)]


@pytest.mark.parametrize(
    ('url', 'sentence'),
    [
        ('mysql://root:hunter2@localhost/cards', 'mysql'),
        ('postgresql+psycopg2://me:hunter2@localhost/cards', 'psycopg2'),
        ('sqlite://', 'needs a file'),
        ('sqlite:///:memory:', 'needs a file'),
        ('postgresql://me:hunter2@localhost:port/cards', 'cannot be read'),
    ],
)
async def test_a_url_that_cannot_be_used(url: str, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence) as refused:
        await Store.open(url)
    assert 'hunter2' not in str(refused.value)


@pytest.mark.parametrize('url', ['sqlite:///{}', 'sqlite+aiosqlite:///{}', '{}'])
async def test_ways_to_name_a_file(url: str, tmp_path: Path) -> None:
    await (await Store.open(url.format(tmp_path / 'night.sqlite3'))).close()
    assert (tmp_path / 'night.sqlite3').exists()


async def test_ways_to_name_a_server() -> None:
    for scheme in ('postgresql', 'postgresql+asyncpg', 'postgres'):
        opened = database(f'{scheme}://me:hunter2@host/cards?sslmode=require')
        assert isinstance(opened, PostgreSQL)
        assert 'hunter2' not in opened.name
        await opened.close()


def test_the_default_is_a_file_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv('XDG_DATA_HOME', str(tmp_path / '100%20'))
    opened = database(None)
    assert isinstance(opened, SQLite)
    assert opened.path.is_relative_to(tmp_path / '100%20')
    assert database(default_url()).name == str(opened.path)
    assert not opened.path.parent.exists()


# --- rights of files --------------------------------------------------------------------------------------------------

only_posix = pytest.mark.skipif(os.name != 'posix', reason='rights of files are those of POSIX')


@pytest.fixture
def generous_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def rights(folder: Path) -> dict[str, str]:
    return {path.name: f'{path.stat().st_mode & 0o777:o}' for path in sorted([folder, *folder.iterdir()])}


@only_posix
@pytest.mark.usefixtures('generous_umask')
async def test_nobody_else_can_read_the_database_or_its_backups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, safe = tmp_path / 'data', tmp_path / 'safe'
    connect, opened = sqlite3.connect, []

    def watched(file: Any, *args: Any, **kwargs: Any) -> sqlite3.Connection:
        opened.append(f'{os.stat(file).st_mode & 0o777:o}' if os.path.exists(file) else 'made by SQLite')
        return connect(file, *args, **kwargs)

    monkeypatch.setattr(sqlite3, 'connect', watched)
    store = await Store.open(folder / 'night.sqlite3')
    await store.remember_person(1, 'Ann')
    assert set(rights(folder)) >= {'data', 'night.sqlite3', 'night.sqlite3-wal', 'night.sqlite3-shm'}
    assert {name: mode for name, mode in rights(folder).items() if mode != '600'} == {'data': '700'}
    for _ in range(2):
        source = SQLite(folder / 'night.sqlite3')
        await backup(source, safe / 'copy.sqlite3')
        await source.close()
        assert rights(safe) == {'safe': '700', 'copy.sqlite3': '600'}
        (safe / 'copy.sqlite3').chmod(0o644)
    await store.close()
    assert set(opened) == {'600'}, 'from the first byte'


@only_posix
@pytest.mark.usefixtures('generous_umask')
async def test_the_backup_before_an_upgrade_is_private_too(tmp_path: Path) -> None:
    file = tmp_path / 'night.sqlite3'
    await alembic(f'sqlite:///{file}', 'upgrade', '0001')
    file.chmod(0o644)
    await (await Store.open(file)).close()
    assert rights(tmp_path)['night-0001-backup.sqlite3'] == '600'
