"""The example game goes through the shared tests as a sixth game would, in a copy of the project; and what is wrong in it is caught."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
PLACES = {
    'engine.py': 'bot/engines/ninetynine.py',
    'cog.py': 'cogs/ninetynine.py',
    'ninetynine.po': 'bot/locales/en/LC_MESSAGES/ninetynine.po',
    'rules.py': 'tests/engines/test_ninetynine.py',
}
"""By file here, where docs/adding-a-game.md has it put."""
WRONG_LIMIT = """    game_id = 'ninetynine'

    def _open_command(self) -> Any:
        command = super()._open_command()
        command._params['losses'].max_value = 9
        return command

"""
SHARED = ('tests/engines/test_contract.py', 'tests/engines/test_records.py', 'tests/cogs/test_contract.py')
"""The tests that every game found goes through; those of one game have its id in their names."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with the four files of the example, and nothing edited."""
    copy = tmp_path / 'project'
    for folder in ('bot', 'cogs', 'tests'):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns('__pycache__', 'legacy'))
    shutil.copy(ROOT / 'pyproject.toml', copy)
    for name, place in PLACES.items():
        shutil.copy(HERE / name, copy / place)
    return copy


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith('PYTEST')} | {'PYTHONPATH': str(project)}
    return subprocess.run(
        [sys.executable, '-m', *arguments], cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def shared_tests(project: Path, files: Sequence[str], only: str) -> subprocess.CompletedProcess[str]:
    quick = ['-q', '-x', '-p', 'no:cacheprovider', '-p', 'no:xdist', '-o', 'addopts=--import-mode=importlib']
    return run(project, 'pytest', *quick, '-k', only, *files)


def test_the_example_passes_the_shared_tests_with_four_files_and_its_records(project: Path) -> None:
    golden = run(project, 'tests.engines.golden', 'ninetynine')
    assert golden.returncode == 0, golden.stderr
    done = shared_tests(project, [*SHARED, 'tests/engines/test_ninetynine.py', 'tests/test_text.py'], 'ninetynine or text')
    assert done.returncode == 0, done.stdout[-4000:]
    assert 'failed' not in done.stdout


COG, CATALOGUE = PLACES['cog.py'], PLACES['ninetynine.po']
FAULTS = {
    'a board that cannot be rendered': (COG, "observation.cards('stock')", "observation.cards('stack')", 'can_be_shown'),
    'a hand that cannot be rendered': (COG, 'self.game.card_text(card))', 'self.game.card_text(card)[2])', 'can_be_shown'),
    'a board that shows a hidden card': (COG, "count=observation.facts['count']", 'count=table.match.round.stock[0]', 'can_be_shown'),
    'a command that plays something else': (COG, "self.play(interaction, 'fold')", "self.play(interaction, 'play KS')", 'by_command'),
    'a text that is missing': (CATALOGUE, 'msgid "ninetynine.button.fold"', 'msgid "ninetynine.button.give-up"', 'every_bare_move'),
    'a limit that is not the one of the engine': (COG, "    game_id = 'ninetynine'\n", WRONG_LIMIT, 'options_and_seats'),
}
"""By what is wrong: the file, what is right in it, what is put in its place, and the shared tests that notice."""


@pytest.mark.parametrize('fault', FAULTS)
def test_a_fault_in_the_example_is_caught(project: Path, fault: str) -> None:
    place, right, wrong, tests = FAULTS[fault]
    file = project / place
    text = file.read_text('utf-8')
    assert right in text
    file.write_text(text.replace(right, wrong), 'utf-8')
    done = shared_tests(project, ['tests/cogs/test_contract.py'], f'ninetynine and {tests}')
    assert done.returncode == 1, f'nothing fails with {fault}: {done.stdout[-2000:]}'
    assert 'stopping after 1 failures' in done.stdout, 'a test of the game, not a file that cannot be read'
