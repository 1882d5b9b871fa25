from __future__ import annotations

import argparse
import asyncio
import os
import re
from contextlib import suppress
from pathlib import Path

import discord
import pytest
import simcord

from bot.cli.doctor import PERMISSIONS, add_parser, database_state, invite, report, run
from bot.storage import Store
from bot.storage.database import database

TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.abcdefghijklmnopqrstuvwxyz0123456789ab'


def doctor(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(['doctor', *arguments]))


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('CARDNIGHT_DATABASE_URL', f'sqlite:///{tmp_path}/cards.sqlite3')


def test_without_a_token_it_says_how_to_get_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor('--offline') == 2
    said = capsys.readouterr().err
    assert 'https://discord.com/developers/applications' in said
    assert 'python -m bot demo' in said
    assert len(said.splitlines()) == 1


def test_a_token_that_cannot_be_right(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('DISCORD_TOKEN', TOKEN[3:])
    assert doctor('--offline') == 2
    said = capsys.readouterr()
    assert 'not copied whole' in said.err
    assert TOKEN[3:] not in said.err + said.out


def test_settings_that_cannot_be_right(capsys: pytest.CaptureFixture[str]) -> None:
    Path('config.toml').write_text('\nbord_interval = 1')
    assert doctor('--offline') == 2
    assert capsys.readouterr().err.startswith('config.toml, line 2: ')


def test_all_is_well(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Path('mine.toml').write_text(f'token = "{TOKEN}"')
    Path('mine.toml').chmod(0o644)
    assert doctor('--offline', '--config', 'mine.toml') == 0
    said = capsys.readouterr().out
    assert 'settings: mine.toml' in said
    assert 'chmod 600 mine.toml' in said
    assert f'database: {tmp_path}/cards.sqlite3' in said
    assert TOKEN not in said
    assert not Path('cards.sqlite3').exists()


def test_a_database_that_is_none(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('DISCORD_TOKEN', TOKEN)
    Path('cards.sqlite3').write_bytes(b'no database ' * 1_000)
    assert doctor('--offline') == 1
    assert 'cards.sqlite3 is damaged' in capsys.readouterr().err


async def test_the_database_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / 'cards.sqlite3'
    assert await database_state(f'sqlite:///{file}') == f'{file}, which will be made at the first start'
    assert not file.exists()
    file.touch()
    assert 'which will be brought from version nothing to ' in await database_state(f'sqlite:///{file}')
    await (await Store.open(file)).close()
    assert await database_state(f'sqlite:///{file}') == f'{file}, up to date'


@pytest.mark.skipif(os.name != 'posix', reason='rights of files are those of POSIX')
def test_a_database_that_others_can_read(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('DISCORD_TOKEN', TOKEN)
    folder = tmp_path / 'data'
    monkeypatch.setenv('CARDNIGHT_DATABASE_URL', f'sqlite:///{folder}/cards.sqlite3')
    file, saved = folder / 'cards.sqlite3', folder / 'cards-0001-backup.sqlite3'
    asyncio.run(make(file))
    assert doctor('--offline') == 0
    assert 'warning' not in capsys.readouterr().out
    saved.touch()
    for path, mode in ((folder, 0o750), (file, 0o640), (saved, 0o604)):
        path.chmod(mode)
    assert doctor('--offline') == 0
    said = [line.rpartition(': ')[2] for line in capsys.readouterr().out.splitlines() if line.startswith('warning: ')]
    assert said == [f'chmod 700 {folder}', f'chmod 600 {saved}', f'chmod 600 {file}']


async def make(file: Path) -> None:
    await (await Store.open(file)).close()


@pytest.mark.parametrize(
    ('url', 'name'),
    [
        ('postgresql://me:hunter2@127.0.0.1:1/cards', 'postgresql://127.0.0.1:1/cards'),
        ('postgresql://127.0.0.1:1/cards?user=me&password=hunter2', 'postgresql://127.0.0.1:1/cards'),
        ('postgresql+asyncpg://127.0.0.1:1/cards?password=x&password=hunter2&sslmode=hunter2', 'postgresql://127.0.0.1:1/cards'),
        ('postgresql:///cards?host=127.0.0.1&port=1&password=hunter2', 'postgresql://127.0.0.1:1/cards'),
    ],
)
def test_no_password_is_printed(
    url: str, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip('asyncpg')
    assert database(url).name == name
    monkeypatch.setenv('DISCORD_TOKEN', TOKEN)
    monkeypatch.setenv('CARDNIGHT_DATABASE_URL', url)
    with suppress(Exception):  # whatever the driver makes of it
        doctor('--offline')
    said = capsys.readouterr()
    assert 'hunter2' not in said.out + said.err + caplog.text


async def test_what_the_bot_may_not_do_in_each_channel() -> None:
    client = discord.Client(intents=discord.Intents(guilds=True))
    async with simcord.run(client) as env:
        club = env.create_guild('the\u202eclub')
        deny = discord.PermissionOverwrite
        club.create_text_channel('open')
        club.create_text_channel('news', overwrites={club.default_role: deny(send_messages=False)})
        club.create_text_channel('staff', overwrites={club.default_role: deny(view_channel=False)})
        club.create_text_channel('no-threads', overwrites={club.default_role: deny(send_messages_in_threads=False)})
        await env.settle()
        assert list(report(client.guilds)) == [
            'server the?club:',
            '  #open: ok',
            '  #news: lacks Send Messages',
            '  #staff: lacks View Channels, Send Messages, Send Messages in Threads',
            '  #no-threads: lacks Send Messages in Threads',
        ]


def test_in_no_server() -> None:
    (line,) = report([])
    assert 'invite link' in line


def test_the_invite_link_asks_for_what_the_readme_explains() -> None:
    link = invite(123)
    assert 'client_id=123' in link
    assert 'scope=bot+applications.commands' in link
    found = re.search(r'permissions=(\d+)', link)
    assert found is not None
    asked = {name for name, given in discord.Permissions(int(found[1])) if given}
    assert asked == {'read_messages', 'send_messages', 'send_messages_in_threads'}
    readme = (Path(__file__).parent.parent / 'README.md').read_text('utf-8')
    table = readme[readme.index('| permission | why |') :].partition('\n\n')[0]
    assert re.findall(r'^\| ([A-Z][\w ]+) \|', table, re.MULTILINE) == list(PERMISSIONS.values())
