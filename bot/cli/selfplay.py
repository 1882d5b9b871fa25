"""`python -m bot selfplay`: matches of computer players, written as records."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

from ..ai.players import PLAYERS
from ..engines import games
from ..engines.base import Round
from ..engines.match import Match
from ..engines.options import OptionError
from ..engines.records import lines
from ..text import ENGLISH, Catalogues


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser('selfplay', help='let computer players play matches and write their records')
    parser.add_argument('game', choices=list(games()), metavar='GAME', help=', '.join(games()))
    parser.add_argument('--seats', type=int, metavar='N', help='how many play (default: as few as can)')
    parser.add_argument('--seed', type=_text, default='0', metavar='S', help='the same seed gives the same records (default: 0)')
    parser.add_argument('--matches', type=_count, default=1, metavar='M', help='how many matches (default: 1)')
    parser.add_argument(
        '--players', nargs='+', choices=list(PLAYERS), default=['random'], metavar='PLAYER',
        help=f'one for all seats, or one for each; of {", ".join(PLAYERS)} (default: random)',
    )  # fmt: skip
    parser.add_argument('--option', type=_option, action='append', default=[], metavar='K=V', help='a house rule; K=none switches it off')
    parser.add_argument('--legal', action='store_true', help='list all legal moves with every ply')
    parser.add_argument('--out', type=Path, metavar='FILE', help='appears when it is complete (default: standard output)')


def run(args: argparse.Namespace) -> int:
    """Writes the records. Exit code 2 for what cannot be played or written."""
    game = games()[args.game]
    seats = game.seats[0] if args.seats is None else args.seats
    options = dict(args.option)
    players = args.players * seats if len(args.players) == 1 else args.players
    try:
        Match(game, seats, options, args.seed)
    except OptionError as error:
        texts = Catalogues.load()
        key = f'reason.{error.code}'
        of_game = f'{game.id}.{key}'
        print(texts.get(ENGLISH, of_game if texts.has(ENGLISH, of_game) else key, **error.params), file=sys.stderr)
        return 2
    if len(players) != seats:
        print(f'--players takes one player for all seats, or {seats}, one for each.', file=sys.stderr)
        return 2
    try:
        with _output(args.out) as out:
            for number in range(args.matches):
                for line in record(Match(game, seats, options, f'{args.seed}-{number}'), players, args.legal):
                    out.write(f'{line}\n'.encode())
                if sys.stderr.isatty():
                    print(f'\r{number + 1} of {args.matches} matches', end='', file=sys.stderr, flush=True)
            if sys.stderr.isatty():
                print(file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError as error:
        print(f'{args.out or "standard output"}: {error.strerror}', file=sys.stderr)
        return 2
    return 0


def record(match: Match, players: Sequence[str], legal: bool) -> Iterator[str]:
    """The record of a fresh match, line by line, with a player of these names in each seat; match and names decide every line of it."""
    rng = Random(f'{match.seed}/players')

    def decide(round_: Round[Any]) -> Any:
        return PLAYERS[players[round_.turn]](round_.observation(round_.turn), rng)

    return lines(match, [f'{player} {seat}' for seat, player in enumerate(players)], decide, legal)


@contextmanager
def _output(path: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that takes its name only when it is complete."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    part = path.with_name(f'{path.name}.part')
    try:
        with part.open('wb') as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _text(text: str) -> str:
    if text != text.encode('utf-8', 'replace').decode():
        raise argparse.ArgumentTypeError('should be text that can be written in UTF-8')
    return text


def _count(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f'should be a whole number, not {text!r}')
    return int(text)


def _option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition('=')
    if not equals:
        raise argparse.ArgumentTypeError(f'should be a house rule and its value, such as target=20, not {text!r}')
    if value == 'none':
        return name, None
    return name, int(value) if value.isdecimal() and len(value) <= 9 else value
