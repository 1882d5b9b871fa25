"""`python -m bot doctor`: checks the settings, the database, the token, and the bot's permissions in each channel."""

from __future__ import annotations

import argparse
import asyncio
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import discord

from ..chat.faults import FAULTS
from ..config import Settings
from ..storage import StorageError
from ..storage.database import SQLite, database
from ..storage.versions import check, newest
from .common import INTENT_MISSING, REFUSED_TOKEN, add_config_option, load_settings, usable_token

PERMISSIONS: Final = {
    'view_channel': 'View Channels',
    'send_messages': 'Send Messages',
    'send_messages_in_threads': 'Send Messages in Threads',
}
"""The permissions that the bot needs in a channel: discord.py's name, and the name that Discord shows."""

PATIENCE: Final = 60.0
"""Seconds to wait for Discord to list the bot's servers."""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        'doctor',
        help='check settings, database, token and permissions; print the invite link',
        description=(
            "Checks the settings, the database, the token, and the bot's permissions in every text channel of its servers, and prints "
            'the link that adds the bot to a server. It changes nothing.'
        ),
    )
    add_config_option(parser)
    parser.add_argument('--offline', action='store_true', help='check only what can be checked without connecting to Discord')


def run(args: argparse.Namespace) -> int:
    """Prints a line for each check. Exit code 2 for unusable settings or a missing token, 1 when something else is wrong."""
    settings = load_settings(args)
    if settings is None:
        return 2
    print(f'settings: {settings.file or "no config file, so the defaults and the environment"}')
    for warning in settings.warnings:
        print(f'warning: {warning}')
    return asyncio.run(_examine(settings, offline=args.offline))


async def _examine(settings: Settings, *, offline: bool) -> int:
    """Checks the database, the token, and what Discord says. Returns the exit code."""
    code = 0
    try:
        print(f'database: {await database_state(settings.database_url)}')
        for warning in open_to_others(settings.database_url):
            print(f'warning: {warning}')
    except StorageError as error:
        print(error, file=sys.stderr)
        code = 1
    token = usable_token(settings)
    if token is None:
        return 2
    print('token: it has the right form')
    return code if offline else max(code, await _ask_discord(token, settings))


async def database_state(url: str | None) -> str:
    """Where the database is and whether it is up to date. Changes nothing. Raises StorageError when the bot could not use it."""
    found = database(url)
    if isinstance(found, SQLite) and not found.path.exists():
        return f'{found.name}, which will be made at the first start'
    try:
        version = await check(found) or 'nothing'
    finally:
        await found.close()
    if version == newest():
        return f'{found.name}, up to date'
    return f'{found.name}, which will be brought from version {version} to {newest()} at the next start'


def open_to_others(url: str | None) -> Iterator[str]:
    """A sentence for each file of an SQLite database, and its folder, that other users of this machine can use."""
    found = database(url)
    if not isinstance(found, SQLite) or os.name != 'posix':
        return
    for path in found.files() if found.path.exists() else []:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            mode = 700 if path.is_dir() else 600
            yield f'other users of this machine may open {path}, and the database holds the cards of every hand: chmod {mode} {path}'


async def _ask_discord(token: str, settings: Settings) -> int:
    """Logs in, and reports on every server. Returns the exit code."""
    async with discord.Client(intents=discord.Intents(guilds=True), max_messages=None) as client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            print(REFUSED_TOKEN, file=sys.stderr)
            return 1
        except FAULTS as error:
            print(f'Discord cannot be reached: {error}', file=sys.stderr)
            return 1
        assert client.application is not None
        print(f'Discord: logged in as {plain(str(client.user))}')
        print(f'invite link: {invite(client.application.id)}')
        flags = client.application.flags
        intent_missing = settings.members_intent and not (flags.gateway_guild_members or flags.gateway_guild_members_limited)
        if intent_missing:
            print(INTENT_MISSING, file=sys.stderr)
        connecting = asyncio.create_task(client.connect(reconnect=False))
        ready = asyncio.create_task(client.wait_until_ready())
        await asyncio.wait((connecting, ready), timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            cause = connecting.exception() if connecting.done() else 'no answer'
            print(f'Discord does not list the servers ({cause}). Is there an outage? https://discordstatus.com', file=sys.stderr)
            return 1
        for line in report(client.guilds):
            print(line)
        return int(intent_missing)


def invite(application_id: int) -> str:
    """The link that adds the bot to a server, with the permissions it needs."""
    return discord.utils.oauth_url(application_id, permissions=discord.Permissions(**dict.fromkeys(PERMISSIONS, True)))


def report(guilds: Sequence[discord.Guild]) -> Iterator[str]:
    """Lines about each server and its text channels, in Discord's order: `ok`, or the permissions that the bot lacks there."""
    if not guilds:
        yield 'The bot is not in any server yet; open the invite link.'
    for guild in guilds:
        yield f'server {plain(guild.name)}:'
        for channel in guild.text_channels:
            have = channel.permissions_for(guild.me)
            lacking = [label for name, label in PERMISSIONS.items() if not getattr(have, name)]
            yield f'  #{plain(channel.name)}: ' + (f'lacks {", ".join(lacking)}' if lacking else 'ok')


def plain(name: str) -> str:
    """A name from Discord that is safe to print in a terminal: without control characters or changes of direction."""
    return ''.join(char if char.isprintable() else '?' for char in name)
