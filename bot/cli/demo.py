"""`python -m bot demo`: the real bot on a local stand-in for Discord, in the browser. Needs the extra `demo`, but no token.

The stand-in is simcord's preview. It allows only one operation at a time, so all operations take one lock. Its page shows only what
has been published, so a background task publishes whatever the bot has sent.
"""

from __future__ import annotations

import argparse
import asyncio
import contextvars
import logging
import sys
import tempfile
import time
import webbrowser
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import simcord
from discord.webhook.async_ import async_context

from ..app import create_bot
from ..clock import system_clock
from ..config import Settings
from ..storage import StorageError, Store
from ..ui.language import catalogues
from .common import stop_signal

NAMES: Final = ('Ann', 'Bob', 'Cem', 'Dora', 'Emil')
PUBLISH_INTERVAL: Final = 0.25
"""Seconds between two updates of the stand-in's clock and of the page."""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        'demo',
        help='try the bot in the browser, without Discord and without a token',
        description='Runs the bot on a stand-in for Discord that you use in the browser, as any of several players. Ctrl-C ends it.',
    )
    parser.add_argument('--no-browser', action='store_true', help='print the address, but do not open a browser')
    parser.add_argument('--port', type=int, help='the port on this machine (default: any free port)')
    parser.add_argument('--database', metavar='FILE', help='keep the tables in this SQLite file (default: a temporary file)')


def run(args: argparse.Namespace) -> int:
    """Runs the demo until its session is ended in the browser or the process is told to stop. Exit code 2 for an impossible port, 1 when
    the database cannot be used."""
    if args.port is not None and not 0 < args.port < 65536:
        print('--port takes a number from 1 to 65535', file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.WARNING, format='%(levelname)s %(name)s: %(message)s')
    with tempfile.TemporaryDirectory() as folder:
        database = Path(args.database) if args.database else Path(folder) / 'demo.sqlite3'
        try:
            asyncio.run(_serve(database, args.port, browser=not args.no_browser))
        except StorageError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


async def _serve(database: Path, port: int | None, *, browser: bool) -> None:
    clock = system_clock()
    store = await Store.open(database, spawn=clock.spawn)
    env: simcord.Env | None = None

    def now() -> float:
        return env.now().timestamp() if env is not None else time.time()

    webhooks: Any = None

    def spawn(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Work that belongs to no click, but reaches the stand-in also with the tokens of interactions: simcord keeps its connection for
        these in a context variable of discord.py."""
        context = contextvars.Context()
        if webhooks is not None:
            context.run(async_context.set, webhooks)
        return context.run(asyncio.get_running_loop().create_task, work)

    settings = Settings(token=None, board_interval=0.5, default_pace='none')
    bot = create_bot(settings, store=store, clock=replace(clock, now=now, spawn=spawn))
    try:
        async with simcord.run(bot, check_errors=False) as env:
            webhooks = async_context.get()
            guild = env.create_guild(catalogues().get('en', 'demo.server'))
            channel = guild.create_text_channel('cards')
            members = [guild.add_member(env.create_user(name.lower(), global_name=name)) for name in NAMES]
            await env.settle()
            await bot.get_partial_messageable(channel.id).send(catalogues().get('en', 'demo.hint'))
            preview = env.preview(channel, viewers=members, layout='channel', port=port)
            async with preview:
                lock = asyncio.Lock()
                _lock_actions(preview, lock)
                publishing = clock.spawn(_publish(env, preview, lock))
                closed = asyncio.create_task(preview.wait_closed())
                stop = stop_signal()
                print(catalogues().get('en', 'demo.welcome', url=preview.url), flush=True)
                if browser:
                    await asyncio.to_thread(webbrowser.open, preview.url)
                await asyncio.wait((closed, stop), return_when=asyncio.FIRST_COMPLETED)
                closed.cancel()
                publishing.cancel()
                with suppress(asyncio.CancelledError):
                    await publishing
    finally:
        await bot.close()
        await store.close()


def _lock_actions(preview: Any, lock: asyncio.Lock) -> None:
    """Makes each action on the page take the lock. `_action` is an undocumented name; that is why simcord's version is pinned."""
    act = preview._action

    async def action(*args: Any, **kwargs: Any) -> Any:
        async with lock:
            return await act(*args, **kwargs)

    preview._action = action


async def _publish(env: simcord.Env, preview: Any, lock: asyncio.Lock) -> None:
    """Advances the stand-in's clock with the real one, and updates the page with what the bot has sent unprompted. Never ends."""
    last, sent = time.monotonic(), len(env.http_requests)
    while True:
        await asyncio.sleep(PUBLISH_INTERVAL)
        async with lock:
            passed, last = time.monotonic() - last, time.monotonic()
            await env.advance_time(passed)
            if len(env.http_requests) != sent:
                await preview.refresh()
                sent = len(env.http_requests)
