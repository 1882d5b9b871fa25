"""`python -m bot db`."""

from __future__ import annotations

import argparse
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli.db import add_parser, run
from bot.storage.versions import newest


def db(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return run(parser.parse_args(['db', *arguments]))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / 'data' / 'night.sqlite3'


def test_from_nothing_to_a_backup(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action in (['version'], ['check'], ['backup', str(tmp_path / 'x')], []):
        assert db('--database', str(file), *action) == 1
        assert f'There is no database {file} yet' in capsys.readouterr().err
    assert os.listdir(tmp_path) == []
    assert db('--database', f'sqlite:///{file}', 'upgrade') == 0
    assert capsys.readouterr().out == f'{file} has version {newest()}, the newest.\n'
    assert db('--database', str(file)) == 0
    assert capsys.readouterr().out == f'{file} has version {newest()}; the newest.\n'
    assert db('--database', str(file), 'check') == 0
    assert capsys.readouterr().out == f'{file} is whole.\n'
    assert db('--database', str(file), 'backup', str(tmp_path / 'safe' / 'copy.sqlite3')) == 0
    assert os.listdir(tmp_path / 'safe') == ['copy.sqlite3']
    assert db('--database', str(tmp_path / 'safe' / 'copy.sqlite3'), 'version') == 0


def test_what_does_not_work_is_said_in_a_sentence(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert db('--database', 'oracle://host/x', 'version') == 1
    assert 'oracle' in capsys.readouterr().err
    assert db('--config', str(tmp_path / 'none.toml'), 'version') == 2
    assert 'none.toml' in capsys.readouterr().err
    assert db('--database', str(file), 'upgrade') == 0
    assert db('--database', str(file), 'backup', str(file)) == 1
    assert db('--database', str(file), 'backup', str(file / 'below')) == 1
    assert db('--database', str(tmp_path), 'check') == 1
    with closing(sqlite3.connect(file)) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    capsys.readouterr()
    for action in ('version', 'check', 'upgrade'):
        assert db('--database', str(file), action) == 1
        written = capsys.readouterr()
        assert 'newer version' in written.err
        assert written.out == ''


def test_the_database_of_the_settings_is_the_default(file: Path, tmp_path: Path) -> None:
    config = tmp_path / 'config.toml'
    config.write_text(f'database_url = "sqlite:///{file}"\n')
    assert db('--config', str(config), 'upgrade') == 0
    assert file.exists()


def test_postgresql_is_backed_up_by_its_own_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert db('--database', 'postgresql://me:hunter2@127.0.0.1:1/cards', 'backup', 'x') == 2
    assert 'pg_dump' in capsys.readouterr().err
    assert db('--database', 'postgresql://me:hunter2@127.0.0.1:1/cards', 'version') == 1
    assert 'hunter2' not in capsys.readouterr().err
