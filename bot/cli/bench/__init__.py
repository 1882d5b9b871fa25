"""`python -m bot bench`: measured figures, and their ratios to peers measured in the same run.

Every module of this package is a benchmark; nothing lists them. It offers

- `figures(progress) -> dict[str, float]`: measures, and calls `progress(sentence)` before each longer step. Names are stable and
  in snake case; they end in their unit (`_per_s`, `_us`, `_ms`, `_s`, `_bytes`) unless they are ratios, where more is better for us
  (`<ours>_vs_<theirs>`). A figure that could not be measured is left out, with a word to `progress`;
- `table(figures) -> list[list[str]]`: the same for people, the headings as the first row; an empty row leaves a line free.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pkgutil import iter_modules


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser('bench', help='measure the speed of this bot beside its peers')
    parser.add_argument('what', choices=[module.name for module in iter_modules(__path__)], help='what to measure')
    parser.add_argument('--json', action='store_true', help='print one JSON object of named figures and ratios')


def run(args: argparse.Namespace) -> int:
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
    """The rows as columns, the first column to the left and the others to the right."""
    widths = [max(len(row[column]) for row in rows if len(row) > column) for column in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(zip(row, widths, strict=False))]
        lines.append('  '.join(cells).rstrip())
    return '\n'.join(lines)
