"""What several subcommands share: the settings, the sentences about the token, and how the process is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from contextlib import suppress
from typing import Final

from ..config import ConfigError, Settings, token_problem

NO_TOKEN: Final = (
    'There is no token. Create an application at https://discord.com/developers/applications, copy the token from its page "Bot" and '
    'set it as DISCORD_TOKEN or as `token` in config.toml. To see the bot without one: python -m bot demo'
)
REFUSED_TOKEN: Final = 'Discord does not accept the token. Copy it again from the page "Bot" of the application.'
INTENT_MISSING: Final = 'members_intent is on, but "Server Members Intent" is not switched on for the application (page "Bot").'


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--config`, for `load_settings`."""
    parser.add_argument('--config', metavar='FILE', help='the config file (default: config.toml)')


def load_settings(args: argparse.Namespace) -> Settings | None:
    """The settings; None after saying on standard error why they cannot be used."""
    try:
        return Settings.load(args.config)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return None


def usable_token(settings: Settings) -> str | None:
    """The token, if it has the right form; None after saying on standard error what is wrong with it."""
    token = settings.token.get_secret_value() if settings.token else ''
    if problem := token_problem(token) if token else NO_TOKEN:
        print(problem, file=sys.stderr)
        return None
    return token


def stop_signal() -> asyncio.Task[bool]:
    """A task that is done when the process is told to stop, by SIGINT (Ctrl-C) or SIGTERM."""
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows, where Ctrl-C ends the event loop instead
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return asyncio.create_task(stop.wait())
