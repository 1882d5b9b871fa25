"""`python -m bot db`: the version of the database, upgrading, backing up and checking it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from ..config import ConfigError, Settings
from ..storage import StorageError
from ..storage.database import PostgreSQL, SQLite, database
from ..storage.versions import backup, check, newest, upgrade


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser('db', help='the version of the database; upgrade, back up, check it')
    parser.add_argument('--config', metavar='FILE', help='the config file (default: config.toml)')
    parser.add_argument('--database', metavar='URL', help='a database other than the one in the settings, as URL or file')
    actions = parser.add_subparsers(dest='action', metavar='{version,upgrade,backup,check}')
    actions.add_parser('version', help='say which version it has (the default); exit code 1 unless it is the newest')
    actions.add_parser('upgrade', help='bring it up to date, an SQLite file after a backup; `run` does so too')
    saving = actions.add_parser('backup', help='copy an SQLite database, also while the bot runs')
    saving.add_argument('file', type=Path, metavar='FILE')
    actions.add_parser('check', help='check that an SQLite file is not damaged')


def run(args: argparse.Namespace) -> int:
    """Does what is asked. Exit code 2 for settings that cannot work, 1 when the database is not as it should be."""
    try:
        url = args.database or Settings.load(args.config).database_url
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        return asyncio.run(_do(args, url))
    except StorageError as error:
        print(error, file=sys.stderr)
        return 1


async def _do(args: argparse.Namespace, url: str | None) -> int:
    found = database(url)
    try:
        if args.action == 'upgrade':
            return await _upgrade(found)
        if isinstance(found, SQLite) and not await asyncio.to_thread(found.path.exists):
            print(f'There is no database {found.name} yet. It is made when the bot first runs.', file=sys.stderr)
            return 1
        if args.action == 'backup':
            return await _backup(found, args.file)
        version = await check(found)
        if args.action == 'check':
            print(f'{found.name} is whole.' if isinstance(found, SQLite) else f'{found.name} answers.')
            return 0
        state = 'the newest' if version == newest() else f'the newest is {newest()}'
        print(f'{found.name} has version {version or "0"}; {state}.')
        return 0 if version == newest() else 1
    finally:
        await found.close()


async def _upgrade(found: SQLite | PostgreSQL) -> int:
    saved = await upgrade(found)
    if saved:
        print(f'The old database is kept in {saved}.')
    print(f'{found.name} has version {newest()}, the newest.')
    return 0


async def _backup(found: SQLite | PostgreSQL, file: Path) -> int:
    if isinstance(found, PostgreSQL):
        print('PostgreSQL has its own program for backups: pg_dump.', file=sys.stderr)
        return 2
    await backup(found, file)
    print(f'{found.name} has been copied to {file}.')
    return 0
