"""The wheel: everything that the bot needs is inside, and it runs where there is no checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel would install. Built from a copy, so that nothing is left in the checkout, or found there."""
    work = tmp_path_factory.mktemp('wheel')
    source = work / 'source'
    for package in ('bot', 'cogs'):
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns('__pycache__'))
    for name in ('pyproject.toml', 'README.md', 'LICENSE'):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', str(work), str(source)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    (wheel,) = work.glob('*.whl')
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work / 'installed')
    return work / 'installed'


def run(installed: Path, cwd: Path, *arguments: str) -> str:
    """What Python prints, with the wheel's packages found first."""
    environment = {**os.environ, 'PYTHONPATH': str(installed), 'PYTHONDONTWRITEBYTECODE': '1'}
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_holds_every_file_of_the_packages_and_no_other(installed: Path) -> None:
    def files(root: Path) -> set[Path]:
        return {path.relative_to(root) for package in ('bot', 'cogs') for path in (root / package).rglob('*') if path.is_file()}

    assert {path.name for path in installed.iterdir() if not path.name.endswith('.dist-info')} == {'bot', 'cogs'}
    assert files(installed) == {path for path in files(ROOT) if '__pycache__' not in path.parts}


def test_it_finds_games_and_texts_where_there_is_no_checkout(installed: Path, tmp_path: Path) -> None:
    code = """
import json, bot, bot.engines, bot.text
texts = bot.text.Catalogues.load()
print(json.dumps([bot.__file__, [texts.get('en', f'{game}.name') for game in bot.engines.games()], texts.get('en', 'core.product')]))
"""
    found, names, product = json.loads(run(installed, tmp_path, '-c', code))
    assert Path(found).is_relative_to(installed)
    assert len(names) >= 1
    assert all(names)
    assert product


def test_it_plays_a_match_and_checks_its_record(installed: Path, tmp_path: Path) -> None:
    run(installed, tmp_path, '-m', 'bot', 'selfplay', 'superman', '--seed', '1', '--out', 'match.jsonl')
    assert (tmp_path / 'match.jsonl').stat().st_size > 1_000
    run(installed, tmp_path, '-m', 'bot', 'replay', 'match.jsonl')


def test_its_commands_lead_into_the_bot(installed: Path) -> None:
    (entries,) = installed.glob('*.dist-info/entry_points.txt')
    assert 'cardnight = bot.__main__:main' in entries.read_text()
