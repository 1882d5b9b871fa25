"""The English of docstrings, comments and log lines: a short list of words and turns that have been replaced by plainer ones."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob('bot/**/*.py'), *ROOT.glob('cogs/**/*.py')])
STRANGE = {
    r'\banew\b': 'again',
    r'so many-th': 'the number of',
    r'\bwhoever is to (play|move)\b': 'the player on turn',
    r'\b(lies|lying)\b': 'is on the table',
    r'\ba word to\b': 'a message to',
    r'\b(he|him|his)\b': 'they, them, their',
    r'\bof (ours|our own)\b': 'the name of the thing',
}
"""Patterns, and what is said instead."""


def prose(source: str) -> Iterator[tuple[int, str]]:
    """The line and the text of every comment, docstring and log line; log lines without what is filled in."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            texts = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ('log', 'logger'):
            texts = [part for argument in node.args for part in ast.walk(argument) if isinstance(part, ast.expr)]
        else:
            continue
        yield from ((text.lineno, text.value) for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str))


def found(source: str, pattern: str) -> list[int]:
    """The lines of a source on which prose has this pattern."""
    return sorted({
        line + text.count('\n', 0, match.start())
        for line, text in prose(source)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    })  # fmt: skip


def test_prose_is_found() -> None:
    source = (
        '"""Posts\nit anew."""\n'
        'log.info("drawn %s anew", "anew")  # anew\n'
        'x = "anew"\n'
        'print("anew")\n'
        'x: int = 1\n"""Anew."""\n'
        'log.warning(f"{x} anew")\n'
    )
    assert found(source, r'\banew\b') == [2, 3, 7, 8]


@pytest.mark.parametrize('pattern', STRANGE)
def test_prose_uses_plain_words(pattern: str) -> None:
    lines = [f'{path.relative_to(ROOT)}:{line}' for path in SOURCES for line in found(path.read_text('utf-8'), pattern)]
    assert lines == [], f'say: {STRANGE[pattern]}'
