"""`python -m bot` or `python -m bot run`: the bot on Discord."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from typing import Any, Final

import aiohttp
import discord

if sys.platform != 'win32':
    import uvloop

from ..app import CardBot, create_bot
from ..chat.faults import FAULTS, cause
from ..clock import Backoff, system_clock
from ..config import Settings
from ..storage import StorageError, Store
from .common import INTENT_MISSING, REFUSED_TOKEN, add_config_option, load_settings, stop_signal, usable_token

log: Final = logging.getLogger(__name__)

LOGIN_PAUSES: Final = (2.0, 5.0, 15.0, 60.0)
"""Seconds to wait before the next attempt to log in, while Discord cannot be reached."""
GC_THRESHOLDS: Final = (700, 5, 1_500)
"""For `gc.set_threshold`. A collection of all objects takes about 0.1 s, in which nobody is answered; the third number makes it rare."""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        'run',
        help='run the bot on Discord (the default)',
        description='Runs the bot on Discord until Ctrl-C or SIGTERM. The token comes from DISCORD_TOKEN or the config file.',
    )
    add_config_option(parser)


def run(args: argparse.Namespace) -> int:
    """Runs until told to stop. Exit code 2 for unusable settings, 1 when the database cannot be used or Discord refuses the login."""
    settings = load_settings(args)
    token = usable_token(settings) if settings else None
    if settings is None or token is None:
        return 2
    logging.basicConfig(level=settings.log_level, format='%(asctime)s %(levelname)s %(name)s: %(message)s')
    for warning in settings.warnings:
        log.warning(warning)
    try:
        with asyncio.Runner(loop_factory=None if sys.platform == 'win32' else uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, token))
    except StorageError as error:
        print(error, file=sys.stderr)
        return 1
    except discord.LoginFailure:
        print(REFUSED_TOKEN, file=sys.stderr)
        return 1
    except discord.PrivilegedIntentsRequired:
        print(INTENT_MISSING, file=sys.stderr)
        return 1
    return 0


async def _serve(settings: Settings, token: str) -> None:
    """Runs the bot until it is told to stop or fails; then lets it finish what it is doing."""
    clock = system_clock()
    store = await Store.open(settings.database_url, spawn=clock.spawn)
    try:
        bot = create_bot(settings, store=store, clock=clock)
        stop = stop_signal()
        online = asyncio.create_task(_online(bot, token))
        await asyncio.wait((online, stop), return_when=asyncio.FIRST_COMPLETED)
        failed = online.done()
        await bot.close()
        online.cancel()
        await asyncio.gather(online, return_exceptions=True)
        if failed:
            online.result()
    finally:
        await store.close()


async def _online(bot: CardBot, token: str) -> None:
    """Logs in, trying again as long as Discord cannot be reached, and stays connected."""
    backoff = Backoff(LOGIN_PAUSES)
    while True:
        try:
            await bot.login(token)
            break
        except FAULTS as error:
            pause = backoff.failed()
            log.warning('Discord cannot be reached; trying again in %d s: %s', pause, cause(error))
            await bot.http.close()
            bot.http.connector = aiohttp.TCPConnector(limit=0)  # discord.py would use the closed connector again
            await asyncio.sleep(pause)
    # What exists by now (the program, the restored tables) is never garbage: the collector need not look through it.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    await bot.connect()
