"""The command line, as a process of its own and from within."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import COMMANDS, main
from bot.engines import games

Capture = pytest.CaptureFixture[bytes]

ROOT = Path(__file__).parent.parent
GAMES = list(games())


def bot(*words: str, stdin: bytes = b'') -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, '-m', 'bot', *words], cwd=ROOT, input=stdin, capture_output=True, timeout=120)


def called(capfdbinary: Capture, *words: str) -> tuple[int, bytes, str]:
    """The exit code of a call within this process, and what it has written to standard output and error."""
    try:
        code = main(words)
    except SystemExit as stop:  # argparse, for words that it cannot read
        code = int(stop.code or 0)
    out, err = capfdbinary.readouterr()
    return code, out, err.decode()


# --- all commands -----------------------------------------------------------------------------------------------------


def test_help_names_every_command() -> None:
    done = bot('--help')
    assert done.returncode == 0
    for name in COMMANDS:
        assert f'\n    {name} '.encode() in done.stdout


@pytest.mark.parametrize('name', COMMANDS)
def test_every_command_explains_itself(name: str, capfdbinary: Capture) -> None:
    code, out, _ = called(capfdbinary, name, '--help')
    assert code == 0
    assert f'usage: python -m bot {name}'.encode() in out


def test_an_unknown_command(capfdbinary: Capture) -> None:
    code, out, err = called(capfdbinary, 'dance')
    assert (code, out) == (2, b'')
    assert "'dance'" in err
    assert 'selfplay' in err


class Missing(MetaPathFinder):
    """As if a package were not installed."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        if name.partition('.')[0] == self.package:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)


@pytest.fixture
def without_simcord(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition('.')[0] == 'simcord' or name == 'bot.cli.demo']:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, 'meta_path', [Missing('simcord'), *sys.meta_path])


@pytest.mark.usefixtures('without_simcord')
def test_a_command_whose_extra_is_not_installed(capfdbinary: Capture) -> None:
    code, out, err = called(capfdbinary, 'demo')
    assert (code, out) == (2, b'')
    assert err == 'This needs the extra "demo": pip install "cardnight[demo]"\n'
    code, out, _ = called(capfdbinary, '--help')
    assert code == 0
    assert b'cardnight[demo]' in b''.join(out.split())


# --- selfplay ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('game', GAMES)
def test_selfplay_is_the_same_every_time_and_replays(game: str) -> None:
    words = ['selfplay', game, '--seed', 'cli', '--matches', '2', '--legal', '--players', 'greedy']
    one, other = bot(*words), bot(*words)
    assert (one.returncode, one.stderr) == (0, b'')
    assert one.stdout == other.stdout
    done = bot('replay', '--strict', '-', stdin=one.stdout)
    assert (done.returncode, done.stderr) == (0, b'')
    assert done.stdout.startswith(b'-: 2 matches, ')


@pytest.mark.parametrize('game', GAMES)
def test_few_and_many_play(game: str, capfdbinary: Capture) -> None:
    for seats in {games()[game].seats[0], games()[game].usual_seats[-1]}:
        code, out, err = called(capfdbinary, 'selfplay', game, '--seats', str(seats))
        assert (code, err) == (0, '')
        header = json.loads(out.splitlines()[0])
        assert (header['game'], header['seats'], header['seed']) == (game, seats, '0-0')
        assert header['names'] == [f'random {seat}' for seat in range(seats)]


def test_matches_and_seeds_differ(capfdbinary: Capture) -> None:
    _, out, _ = called(capfdbinary, 'selfplay', GAMES[0], '--seed', 'a', '--matches', '3')
    headers = [json.loads(line) for line in out.splitlines() if line.startswith(b'{"record"')]
    assert [header['seed'] for header in headers] == ['a-0', 'a-1', 'a-2']
    _, other, _ = called(capfdbinary, 'selfplay', GAMES[0], '--seed', 'b', '--matches', '3')
    assert other.splitlines()[1] != out.splitlines()[1]
    assert called(capfdbinary, 'selfplay', GAMES[0], '--matches', '0') == (0, b'', '')


def test_players_for_each_seat(capfdbinary: Capture) -> None:
    _, out, _ = called(capfdbinary, 'selfplay', 'kings', '--seats', '3', '--players', 'random', 'greedy', 'random', '--option', 'target=20')
    header = json.loads(out.splitlines()[0])
    assert header['names'] == ['random 0', 'greedy 1', 'random 2']
    assert header['options'] == {'target': 20}
    assert b'"legal"' not in out


def test_an_option_switched_off(capfdbinary: Capture) -> None:
    _, out, _ = called(capfdbinary, 'selfplay', 'swoop', '--option', 'rounds=none', '--option', 'target=50')
    assert json.loads(out.splitlines()[0])['options'] == {'rounds': None, 'target': 50}


@pytest.mark.parametrize(('words', 'sentence'), [
    (['whist'], "'whist'"),
    ([], 'GAME'),
    (['superman', '--seats', '6'], 'This game is for 2 to 5 players.'),
    (['superman', '--seats', 'two'], "'two'"),
    (['superman', '--option', 'target=0'], 'The option `target` takes a whole number from 1 to 500.'),
    (['superman', '--option', 'target=' + '9' * 5000], 'The option `target` takes a whole number from 1 to 500.'),
    (['superman', '--option', 'target=none'], 'The option `target` takes a whole number from 1 to 500.'),
    (['superman', '--option', 'superman_followup=never'], 'The option `superman_followup` takes one of: same, next.'),
    (['superman', '--option', 'goal=1'], 'This game has no option `goal`. It has: target, superman_followup.'),
    (['superman', '--option', 'target'], "not 'target'"),
    (['swoop', '--option', 'rounds=none'], 'the match would never end'),
    (['superman', '--players', 'genius'], "'genius'"),
    (['superman', '--players', 'random', 'random', 'random'], '--players takes one player for all seats, or 2, one for each.'),
    (['superman', '--matches', '-1'], '--matches'),
    (['superman', '--matches', 'many'], "not 'many'"),
    (['superman', '--seed', '\udcff'], '--seed'),
    (['superman', '--out', '/no/such/folder/file'], '/no/such/folder/file: No such file or directory'),
])  # fmt: skip
def test_selfplay_says_what_is_wrong(words: list[str], sentence: str, capfdbinary: Capture) -> None:
    code, out, err = called(capfdbinary, 'selfplay', *words)
    assert (code, out) == (2, b'')
    assert sentence in err
    assert 'Traceback' not in err


def test_out_is_what_would_be_printed(tmp_path: Path, capfdbinary: Capture) -> None:
    out = tmp_path / 'record.jsonl'
    assert called(capfdbinary, 'selfplay', GAMES[0], '--out', str(out)) == (0, b'', '')
    assert [path.name for path in tmp_path.iterdir()] == ['record.jsonl']
    assert out.read_bytes() == called(capfdbinary, 'selfplay', GAMES[0])[1]


@contextmanager
def endless(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A selfplay that goes on until it is stopped: by the test, or at the latest at the end of the block.

    A background job of a shell ignores SIGINT, and so would the process that it starts; here SIGINT has its default effect.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [sys.executable, '-m', 'bot', 'selfplay', GAMES[0], '--matches', '1000000', *words],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, handler)
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_out_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / 'record.jsonl'
    out.write_text('before')
    with endless('--out', str(out)) as writer:
        part = tmp_path / 'record.jsonl.part'
        deadline = time.monotonic() + 30
        while not (part.exists() and part.stat().st_size):
            assert writer.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        writer.send_signal(signal.SIGINT)
        assert writer.communicate(timeout=30) == (b'', b'')
        assert writer.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ['record.jsonl']
    assert out.read_text() == 'before'


def test_a_reader_who_has_had_enough() -> None:
    with endless() as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        assert writer.stdout.readline().startswith(b'{"record": 1')
        writer.stdout.close()
        assert writer.wait(60) == 0
        assert writer.stderr.read() == b''


def test_interrupted() -> None:
    with endless() as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.send_signal(signal.SIGINT)
        _, err = writer.communicate(timeout=30)
        assert (writer.returncode, err) == (130, b'')


def test_long_work_shows_progress_to_people_only(tmp_path: Path) -> None:
    out = str(tmp_path / 'record.jsonl')
    work = {('selfplay', GAMES[0], '--matches', '2', '--out', out): '2 of 2 matches', ('replay', out): f'{out}: 2'}
    for words, said in work.items():
        terminal, of_the_process = os.openpty()
        done = subprocess.run([sys.executable, '-m', 'bot', *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=of_the_process, timeout=120)
        os.close(of_the_process)
        assert done.returncode == 0
        assert said.encode() in os.read(terminal, 10_000)
        os.close(terminal)


# --- replay -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / 'record.jsonl'
    assert main(['selfplay', 'superman', '--option', 'target=20', '--out', str(path)]) == 0
    return path


def test_replay_says_what_it_has_seen(record: Path, capfdbinary: Capture) -> None:
    lines = record.read_text().splitlines()
    rounds, plies = (sum(line.startswith(f'{{"{key}"') for line in lines) for key in ('round', 'ply'))
    said = f'{record}: 1 match, {rounds} rounds, {plies} plies, all right'
    assert called(capfdbinary, 'replay', str(record), str(record)) == (0, f'{said}\n{said}\n'.encode(), '')
    record.write_text('\n'.join(lines[:-1]))
    assert called(capfdbinary, 'replay', str(record)) == (0, f'{said}; 1 still going on\n'.encode(), '')


def test_replay_stops_at_the_first_wrong_line(record: Path, tmp_path: Path, capfdbinary: Capture) -> None:
    lines = record.read_text().splitlines()
    lines[2] = lines[2].replace('"seat": ', '"seat": 1')
    other = tmp_path / 'other.jsonl'
    other.write_text('\n'.join(lines))
    code, out, err = called(capfdbinary, 'replay', str(record), str(other), str(record))
    assert code == 1
    assert out.count(b'\n') == 1
    assert err.startswith(f'{other}:3: it is the turn of seat ')


def test_replay_and_deals_that_nobody_can_prove(record: Path, capfdbinary: Capture) -> None:
    record.write_text(record.read_text().replace('"seed": "0-0"', '"seed": "1-0"'))
    code, out, _ = called(capfdbinary, 'replay', str(record))
    assert code == 0
    assert out.endswith(b', all right; deals not proved by the seed in 1\n')
    code, out, err = called(capfdbinary, 'replay', '--strict', str(record))
    assert (code, out) == (1, b'')
    assert err == f'{record}:2: the deal does not follow from the seed "1-0"\n'


def test_replay_of_what_is_no_record(tmp_path: Path, capfdbinary: Capture) -> None:
    empty, noise = tmp_path / 'empty', tmp_path / 'noise'
    empty.touch()
    noise.write_bytes(bytes(range(256)) * 100)
    assert called(capfdbinary, 'replay', str(empty)) == (1, b'', f'{empty}:1: there is no record here, not even a header\n')
    code, out, err = called(capfdbinary, 'replay', str(noise))
    assert (code, out) == (1, b'')
    assert err.startswith(f'{noise}:1: the line is not ')
    assert called(capfdbinary, 'replay', str(tmp_path / 'none')) == (2, b'', f'{tmp_path / "none"}: No such file or directory\n')
    assert called(capfdbinary, 'replay', str(tmp_path)) == (2, b'', f'{tmp_path}: Is a directory\n')
    assert called(capfdbinary, 'replay')[0] == 2
