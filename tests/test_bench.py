from __future__ import annotations

import json
from importlib import import_module
from pkgutil import iter_modules

import pytest

from bot.__main__ import main
from bot.cli import bench
from bot.cli.bench import engines, press
from bot.engines import games


def test_every_benchmark_has_the_same_door() -> None:
    for module in iter_modules(bench.__path__):
        found = import_module(f'bot.cli.bench.{module.name}')
        assert callable(found.figures)
        assert callable(found.table)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, 'ROUNDS', 1)
    monkeypatch.setattr(engines, 'SECONDS', 0.001)
    monkeypatch.setattr(engines, 'DEALS', 2)


@pytest.mark.usefixtures('quick')
def test_figures_of_every_game_and_ratios_to_every_peer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['bench', 'engines', '--json']) == 0
    out, err = capsys.readouterr()
    figures = json.loads(out)
    assert 'round 1 of 1' in err
    peers = [name for name in ('rlcard_uno', 'openspiel_crazy_eights', 'openspiel_dou_dizhu', 'chess') if f'{name}_plies_per_s' in figures]
    for game in games():
        for path in (game, f'{game}_checked'):
            assert figures[f'{path}_plies_per_s'] > 0
            for peer in peers:
                assert figures[f'{path}_vs_{peer}'] == pytest.approx(figures[f'{path}_plies_per_s'] / figures[f'{peer}_plies_per_s'])
        assert figures[f'{game}_legal_us'] > 0
        if 'chess' in peers:
            assert figures[f'{game}_legal_vs_chess_start'] == pytest.approx(figures['chess_start_us'] / figures[f'{game}_legal_us'])


@pytest.mark.usefixtures('quick')
def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['bench', 'engines']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('plies per second')
    for game in games():
        assert any(line.split()[:1] == [game] for line in lines)
        assert any(line.split()[:1] == [f'{game}_legal'] for line in lines)


def test_a_table_without_peers() -> None:
    rows = engines.table({'whist_plies_per_s': 1234567.8, 'whist_legal_us': 1.234})
    assert rows == [['plies per second', 'median'], ['whist', '1,234,568'], [], ['legal moves, us', 'median'], ['whist_legal', '1.23']]


def test_the_processor_time_of_a_press(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    played = {game_id: games()[game_id] for game_id in ('superman', 'swoop')}
    monkeypatch.setattr(press, 'games', lambda: played)
    monkeypatch.setattr(press, 'PRESSES', 1)
    assert main(['bench', 'press']) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [name for name, _ in lines] == [f'{name}_press_ms' for name in ('superman_2', 'superman_4', 'swoop_3', 'swoop_4')]
    assert all(float(figure) > 0 for _, figure in lines)
