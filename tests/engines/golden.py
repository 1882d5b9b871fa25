"""Writes the golden records of games: `python -m tests.engines.golden GAME…`

A game that has records in `records/` gets them written again, each from its own header: game, seats, options, seed, and players by their
names. So a change of the rules or of the computer players shows as a difference of these files, and is meant or is a fault. A game
without records gets one with the fewest and one with the most usual seats, random and greedy players in turn, and every legal move.
To keep another match, write it with `python -m bot selfplay GAME … --legal --out tests/engines/records/GAME-SEATS.jsonl`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from bot.cli.selfplay import record
from bot.engines import games
from bot.engines.match import Match

FOLDER = Path(__file__).parent / 'records'


def write(game_id: str, folder: Path = FOLDER) -> list[Path]:
    """Writes all golden records of a game into the folder; the files that were written."""
    game = games()[game_id]
    recipes = {path: list(_recipes(path)) for path in sorted(folder.glob(f'{game_id}-*.jsonl'))}
    if not recipes:
        for seats in sorted({game.usual_seats[0], game.usual_seats[-1]}):
            players = [('random', 'greedy')[seat % 2] for seat in range(seats)]
            recipes[folder / f'{game_id}-{seats}.jsonl'] = [(Match(game, seats, {}, 'golden-0'), players, True)]
    for path, matches in recipes.items():
        path.write_bytes(b''.join(f'{line}\n'.encode() for recipe in matches for line in record(*recipe)))
    return list(recipes)


def _recipes(path: Path) -> Iterator[tuple[Match, list[str], bool]]:
    """What made each record of a file: a fresh match, a player for each seat, and whether all legal moves are listed."""
    for lines in path.read_text('utf-8').split('{"record"')[1:]:
        header = json.loads('{"record"' + lines.partition('\n')[0])
        match = Match(games()[header['game']], header['seats'], header['options'], header['seed'])
        yield match, [name.split()[0] for name in header['names']], '"legal"' in lines


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tests.engines.golden', description='Write the golden records of games.')
    parser.add_argument('game', nargs='+', choices=list(games()), metavar='GAME', help=', '.join(games()))
    for game_id in parser.parse_args().game:
        for path in write(game_id):
            print(path)


if __name__ == '__main__':
    main()
