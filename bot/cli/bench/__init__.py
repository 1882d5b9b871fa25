"""`python -m bot bench`: measures this bot, and other programs (peers) in the same run to compare with.

Every module of this package is a benchmark and is found by itself. It offers

- `figures(progress) -> dict[str, float]`: measures, and calls `progress(sentence)` before each longer step. Names are stable and
  in snake case; they end in their unit (`_per_s`, `_us`, `_ms`, `_s`, `_mb`, `_bytes`), except for ratios, which are named
  `<ours>_vs_<theirs>` and where higher is better for this bot. A figure that cannot be measured is left out, and `progress` is told;
- `table(figures) -> list[list[str]]`: the same as rows of cells for people, first the headings; an empty row becomes an empty line.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        'bench',
        help='measure speed and memory, compared with other programs',
        description=(
            'Measures a part of the bot, and other programs in the same run to compare with. These come with the extra "bench"; '
            'the figures of those that are not installed are left out.'
        ),
    )
    parser.add_argument('what', choices=[module.name for module in iter_modules(__path__)], help='what to measure')
    parser.add_argument('--json', action='store_true', help='print one JSON object of named figures and ratios')


def run(args: argparse.Namespace) -> int:
    """Measures, and prints a table or JSON."""
    bench = import_module(f'{__name__}.{args.what}')
    figures = bench.figures(_progress)
    if args.json:
        print(json.dumps(figures, indent=1))
    else:
        print(_aligned(bench.table(figures)))
    return 0


def _progress(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _aligned(rows: list[list[str]]) -> str:
    """The rows as lines with the first column aligned to the left and the others to the right."""
    widths = [max(len(row[column]) for row in rows if len(row) > column) for column in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=False))]
        lines.append('  '.join(cells).rstrip())
    return '\n'.join(lines)
