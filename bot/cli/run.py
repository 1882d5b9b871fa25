"""`python -m bot` or `python -m bot run`: the bot on Discord."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, Final

import aiohttp
import discord

if sys.platform != 'win32':
    import uvloop

from ..app import CardBot, create_bot
from ..chat.faults import FAULTS, cause
from ..clock import system_clock
from ..config import ConfigError, Settings, token_problem
from ..storage import StorageError, Store

log: Final = logging.getLogger(__name__)

NO_TOKEN: Final = (
    'There is no token. Make an application at https://discord.com/developers/applications, copy the token from its page "Bot" and set it '
    'as DISCORD_TOKEN or as `token` in config.toml. To see the bot without one: python -m bot demo'
)

AGAIN: Final = (2.0, 5.0, 15.0, 60.0)
"""Seconds until a start that Discord did not answer is tried again: the first time, the second, … and then always the last."""
COLLECT: Final = (700, 5, 1_500)
"""When Python looks for garbage: among the newest objects after so many of them, among the older ones every so many times, and every
so many times of those among all. The last takes a tenth of a second, in which nobody is answered; hence seldom."""


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser('run', help='run the bot on Discord (the default)')
    parser.add_argument('--config', metavar='FILE', help='the config file (default: config.toml)')


def run(args: argparse.Namespace) -> int:
    """Runs until it is told to stop. Exit code 2 for settings that cannot work, 1 when Discord or the database refuses."""
    try:
        settings = Settings.load(getattr(args, 'config', None))
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    if settings.token is None:
        print(NO_TOKEN, file=sys.stderr)
        return 2
    if problem := token_problem(settings.token.get_secret_value()):
        print(problem, file=sys.stderr)
        return 2
    logging.basicConfig(level=settings.log_level, format='%(asctime)s %(levelname)s %(name)s: %(message)s')
    for warning in settings.warnings:
        log.warning(warning)
    try:
        with asyncio.Runner(loop_factory=None if sys.platform == 'win32' else uvloop.new_event_loop) as runner:
            runner.run(_serve(settings))
    except StorageError as error:
        print(error, file=sys.stderr)
        return 1
    except discord.LoginFailure:
        print('Discord does not accept the token. Copy it anew from the page "Bot" of the application.', file=sys.stderr)
        return 1
    except discord.PrivilegedIntentsRequired:
        print('The setting members_intent is on, but the intent is not switched on for the application (page "Bot").', file=sys.stderr)
        return 1
    return 0


async def _serve(settings: Settings) -> None:
    clock = system_clock()
    store = await Store.open(settings.database_url, spawn=clock.spawn)
    try:
        bot = create_bot(settings, store=store, clock=clock)
        assert settings.token is not None
        stop = asyncio.Event()
        with suppress(NotImplementedError):  # on Windows Ctrl-C ends the loop
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
        serving = asyncio.create_task(_online(bot, settings.token.get_secret_value()))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        failed = serving.done()
        await bot.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        if failed:
            serving.result()
    finally:
        await store.close()


async def _online(bot: CardBot, token: str) -> None:
    """Starts the bot. What is there before the first event (the program, the tables of last time) is never looked through for garbage."""
    pauses = chain(AGAIN, repeat(AGAIN[-1]))
    while True:
        try:
            await bot.login(token)
            break
        except FAULTS as error:
            pause = next(pauses)
            log.warning('Discord cannot be reached; tried again in %d s: %s', pause, cause(error))
            await bot.http.close()
            bot.http.connector = aiohttp.TCPConnector(limit=0)  # discord.py would use the closed one again
            await asyncio.sleep(pause)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)
    await bot.connect()
