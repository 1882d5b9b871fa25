"""`python -m bot demo`: the real bot on a local stand-in for Discord, in the browser. Needs the extra `demo`; needs no token.

The stand-in is simcord's preview. It allows one operation at a time, so everything here takes one lock; and a page shows only what
was published, so the pump publishes whenever the bot has sent something.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import signal
import sys
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import Any, Final

import simcord

from ..app import create_bot
from ..clock import Clock, system_clock
from ..config import Settings
from ..storage import Store
from ..ui.language import catalogues

NAMES: Final = ('Ann', 'Bob', 'Cem', 'Dora', 'Emil')
PUMP: Final = 0.25
"""Seconds between two looks at the time and at what the bot has sent."""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser('demo', help='try the bot in the browser, without Discord and without a token')
    parser.add_argument('--no-browser', action='store_true', help='only print the address')
    parser.add_argument('--port', type=int, help='the port on loopback (default: any free one)')
    parser.add_argument(
        '--database', metavar='FILE', help='keep the tables in this SQLite file (default: a new one, thrown away at the end)'
    )


def run(args: argparse.Namespace) -> int:
    """Serves the demo until the page's session is ended or the process is told to stop."""
    if args.port is not None and not 0 < args.port < 65536:
        print('--port takes a number from 1 to 65535', file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.WARNING, format='%(levelname)s %(name)s: %(message)s')
    with tempfile.TemporaryDirectory() as folder:
        database = Path(args.database) if args.database else Path(folder) / 'demo.sqlite3'
        asyncio.run(_serve(database, args.port, browser=not args.no_browser))
    return 0


async def _serve(database: Path, port: int | None, *, browser: bool) -> None:
    apart = system_clock()
    store = await Store.open(database, spawn=apart.spawn)
    env: simcord.Env | None = None

    def now() -> float:
        return env.now().timestamp() if env is not None else time.time()

    settings = Settings(token=None, board_interval=0.5, default_pace='none')
    bot = create_bot(settings, store=store, clock=Clock(now, apart.spawn, apart.call_later))
    try:
        async with simcord.run(bot, check_errors=False) as env:
            guild = env.create_guild(catalogues().get('en', 'demo.server'))
            channel = guild.create_text_channel('cards')
            members = [guild.add_member(env.create_user(name.lower(), global_name=name)) for name in NAMES]
            await env.settle()
            await bot.get_partial_messageable(channel.id).send(catalogues().get('en', 'demo.hint'))
            preview = env.preview(channel, viewers=members, layout='channel', port=port)
            async with preview:
                alone = asyncio.Lock()
                _take_turns(preview, alone)
                pump = apart.spawn(_pump(env, preview, alone))
                ended = asyncio.create_task(preview.wait_closed())
                stop = asyncio.Event()
                for number in (signal.SIGINT, signal.SIGTERM):
                    asyncio.get_running_loop().add_signal_handler(number, stop.set)
                print(catalogues().get('en', 'demo.welcome', url=preview.url), flush=True)
                if browser:
                    await asyncio.to_thread(webbrowser.open, preview.url)
                stopping = asyncio.create_task(stop.wait())
                await asyncio.wait((ended, stopping), return_when=asyncio.FIRST_COMPLETED)
                for task in (pump, ended, stopping):
                    task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await pump
    finally:
        await bot.close()
        await store.close()


def _take_turns(preview: Any, alone: asyncio.Lock) -> None:
    """Lets each action of a page wait for the lock. An undocumented name of simcord, which is pinned for that."""
    act = preview._action

    async def action(*args: Any, **kwargs: Any) -> Any:
        async with alone:
            return await act(*args, **kwargs)

    preview._action = action


async def _pump(env: simcord.Env, preview: Any, alone: asyncio.Lock) -> None:
    """Lets the stand-in's time go on with the real one, and publishes what the bot has sent by itself."""
    last, sent = time.monotonic(), len(env.http_requests)
    while True:
        await asyncio.sleep(PUMP)
        async with alone:
            passed, last = time.monotonic() - last, time.monotonic()
            await env.advance_time(passed)
            if len(env.http_requests) != sent:
                await preview.refresh()
                sent = len(env.http_requests)
