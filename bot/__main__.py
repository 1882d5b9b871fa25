"""The command line: `python -m bot`. Only this module ends the process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

COMMANDS: Final = {
    'run': 'bot.cli.run',
    'demo': 'bot.cli.demo',
    'doctor': 'bot.cli.doctor',
    'selfplay': 'bot.cli.selfplay',
    'replay': 'bot.cli.replay',
    'bench': 'bot.cli.bench',
    'db': 'bot.cli.db',
}
"""The module of each subcommand. It has `add_parser(subparsers)`, and `run(args)`, which returns the exit code."""

EXTRAS: Final = {'simcord': 'demo', 'asyncpg': 'postgres'}
"""Packages that are not installed with the bot itself, and the extra that installs them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the subcommand in `argv`, or `run` if it names none, and returns its exit code. Unusable words raise SystemExit(2)."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or (words[0].startswith('-') and words[0] not in ('-h', '--help')):
        words.insert(0, 'run')
    parser = argparse.ArgumentParser(prog='python -m bot', description='A Discord bot for card-game nights.')
    subparsers = parser.add_subparsers(metavar='COMMAND', required=True)
    try:
        if words[0] in COMMANDS:  # loads only what the command needs: `replay`, for example, does not need discord.py
            _add(subparsers, words[0])
        else:
            for name in COMMANDS:
                try:
                    _add(subparsers, name)
                except ModuleNotFoundError as error:
                    subparsers.add_parser(name, help=_missing(error))
        args = parser.parse_args(words)
        return int(args.run(args))
    except ModuleNotFoundError as error:
        print(_missing(error), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has closed it. Python would write the rest when it exits, and report an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _add(subparsers: Any, name: str) -> None:
    module = import_module(COMMANDS[name])
    module.add_parser(subparsers)
    subparsers.choices[name].set_defaults(run=module.run)


def _missing(error: ModuleNotFoundError) -> str:
    """A sentence about what to install. Raises the error again if no extra installs what is missing."""
    extra = EXTRAS.get((error.name or '').partition('.')[0])
    if extra is None:
        raise error
    return f'This needs the extra "{extra}": pip install "cardnight[{extra}]"'


if __name__ == '__main__':
    sys.exit(main())
