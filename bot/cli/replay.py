"""`python -m bot replay`: checks match records, line by line."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from ..engines.records import RecordError, check


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser('replay', help='check match records and fail at the first wrong line')
    parser.add_argument('files', metavar='FILE', nargs='+', help='a file of records, or - for standard input')
    parser.add_argument('--strict', action='store_true', help='refuse deals that do not follow from the seed')


def run(args: argparse.Namespace) -> int:
    """Prints a line a file. Exit code 1 at the first wrong line, 2 when a file cannot be read."""
    for name in args.files:
        matches = rounds = plies = running = unproved = 0
        try:
            with _open(name) as file:
                for record in check(file, args.strict):
                    matches += 1
                    rounds += record.rounds
                    plies += record.plies
                    running += not record.finished
                    unproved += not record.proved
                    if sys.stderr.isatty():
                        print(f'\r{name}: {matches:,}', end='\r', file=sys.stderr, flush=True)
        except RecordError as error:
            print(f'{name}:{error.line}: {error.sentence}', file=sys.stderr)
            return 1
        except OSError as error:
            print(f'{name}: {error.strerror or error}', file=sys.stderr)
            return 2
        remarks = [f'{running} still going on'] * bool(running) + [f'deals not proved by the seed in {unproved}'] * bool(unproved)
        counted = f'{_counted(matches, "match", "matches")}, {_counted(rounds, "round", "rounds")}, {_counted(plies, "ply", "plies")}'
        print('; '.join([f'{name}: {counted}, all right', *remarks]))
    return 0


def _open(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == '-' else Path(name).open('rb')


def _counted(number: int, one: str, more: str) -> str:
    return f'{number:,} {one if number == 1 else more}'
