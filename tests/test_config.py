from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.config import ConfigError, Settings, token_problem

EXAMPLE = Path(__file__).parent.parent / 'config.example.toml'
TOKEN = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GAbCdE.abcdefghijklmnopqrstuvwxyz0123456789ab'


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder and an environment without settings, so that only the test sets something."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_CONFIG_HOME', str(tmp_path / 'platform'))
    for name in list(os.environ):
        if name.startswith('CARDNIGHT_') or name == 'DISCORD_TOKEN':
            monkeypatch.delenv(name)


def refused(text: str) -> str:
    """What is said of a config file with this text."""
    Path('config.toml').write_text(text, 'utf-8')
    with pytest.raises(ConfigError) as error:
        Settings.load()
    return str(error.value)


# --- sources ----------------------------------------------------------------------------------------------------------


def test_without_anything_the_defaults_hold() -> None:
    settings = Settings.load()
    assert settings == Settings()
    assert settings.file is None
    assert settings.token is None
    assert settings.warnings == []


def test_arguments_stand_above_the_environment_above_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path('config.toml').write_text('board_interval = 2\nlobby_expiry = 100\nrating_min_matches = 7\ntoken = "from the file"')
    monkeypatch.setenv('CARDNIGHT_BOARD_INTERVAL', '3')
    monkeypatch.setenv('CARDNIGHT_LOBBY_EXPIRY', '200')
    monkeypatch.setenv('DISCORD_TOKEN', 'from the environment')
    settings = Settings.load(board_interval=4.0)
    assert (settings.board_interval, settings.lobby_expiry, settings.rating_min_matches) == (4, 200, 7)
    assert settings.token is not None
    assert settings.token.get_secret_value() == 'from the environment'
    assert settings.file == Path('config.toml')
    token = Settings.load(token='from the argument').token
    assert token is not None
    assert token.get_secret_value() == 'from the argument'


def test_an_empty_variable_sets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Path('config.toml').write_text('board_interval = 2')
    monkeypatch.setenv('CARDNIGHT_BOARD_INTERVAL', '')
    monkeypatch.setenv('DISCORD_TOKEN', '')
    assert Settings.load().board_interval == 2
    assert Settings.load().token is None


def test_where_the_file_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: Path, seconds: int) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'board_interval = {seconds}')
        return path

    write(tmp_path / 'platform' / 'cardnight' / 'config.toml', 1)
    assert Settings.load().board_interval == 1
    write(tmp_path / 'config.toml', 2)
    assert Settings.load().board_interval == 2
    monkeypatch.setenv('CARDNIGHT_CONFIG', str(write(tmp_path / 'named.toml', 3)))
    assert Settings.load().board_interval == 3
    assert Settings.load(write(tmp_path / 'argument.toml', 4)).board_interval == 4


def test_the_file_of_an_editor_on_windows() -> None:
    Path('config.toml').write_bytes(b'\xef\xbb\xbfboard_interval = 2\r\nlog_level = "DEBUG"\r\n')
    assert Settings.load().log_level == 'DEBUG'


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError, match='frozen'):
        Settings().board_interval = 3.0


# --- the example ------------------------------------------------------------------------------------------------------


def test_the_example_loads_to_the_defaults() -> None:
    assert Settings.load(EXAMPLE).model_dump() == Settings().model_dump()


def test_the_example_holds_every_setting_and_no_other() -> None:
    text = EXAMPLE.read_text('utf-8')
    shown = re.findall(r'^(#?)(\w+) = ', text, re.MULTILINE)
    assert [name for _, name in shown] == list(Settings.model_fields)
    assert {name for hash_, name in shown if hash_} == {name for name, value in Settings() if value is None}


def test_what_the_example_only_shows_can_be_set() -> None:
    Path('config.toml').write_text(re.sub(r'^#(?=\w+ = )', '', EXAMPLE.read_text('utf-8'), flags=re.MULTILINE))
    settings = Settings.load()
    assert settings.database_url == 'sqlite:///cards.sqlite3'
    assert settings.sync_guild == 123456789012345678


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'line', 'says'),
    [
        ('\n\nbord_interval = 1', 3, "there is no setting 'bord_interval'; did you mean board_interval?"),
        ('[board]\ninterval = 1', 1, "there is no setting 'board'"),
        ('board_interval = 1\nlog.level = "INFO"', 2, "there is no setting 'log'"),
        ('# one\nboard_interval = "1"', 2, 'board_interval must be a number from 0 to 60, not "1"'),
        ('board_interval = true', 1, 'board_interval must be a number from 0 to 60, not true'),
        ('board_interval = -1', 1, 'board_interval must be a number from 0 to 60, not -1'),
        ('board_interval = nan', 1, 'board_interval must be a number from 0 to 60'),
        ('board_max_age = inf', 1, 'board_max_age must be a number from 60 to 2,592,000'),
        ('board_max_age = 2026-01-01', 1, 'board_max_age must be a number from 60 to 2,592,000, not "2026-01-01"'),
        ('rating_min_matches = 1.5', 1, 'rating_min_matches must be a whole number from 0 to 1,000, not 1.5'),
        ('members_intent = "yes"', 1, 'members_intent must be true or false, not "yes"'),
        ('log_level = "LOUD"', 1, 'log_level must be one of "DEBUG", "INFO", "WARNING", "ERROR", not "LOUD"'),
        ('sync_guild = "123"', 1, 'sync_guild must be a whole number, not "123"'),
        ('sync_guild = [1, 2]', 1, 'sync_guild must be a whole number, not [1, 2]'),
        (
            'board_interval = 1\ndatabase_url = "mysql://me:secret@host/cards"',
            2,
            'database_url must be text in quotes that begins with sqlite://',
        ),
        ('token = 123', 1, 'token must be text in quotes'),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(text: str, line: int, says: str) -> None:
    said = refused(text)
    assert said.startswith(f'config.toml, line {line}: {says}')
    assert 'secret' not in said
    assert '123' not in said or 'sync_guild' in text


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    said = refused('log_level = 1\nnothing = 2\nboard_interval = "3"').splitlines()
    assert [line.partition(':')[0] for line in said] == ['config.toml, line 1', 'config.toml, line 2', 'config.toml, line 3']


def test_a_setting_is_not_named_as_in_the_environment() -> None:
    assert refused(f'DISCORD_TOKEN = "{TOKEN}"').startswith("config.toml, line 1: there is no setting 'DISCORD_TOKEN'")


def test_a_long_wrong_value_is_cut() -> None:
    assert len(refused(f'log_level = "{"x" * 5_000}"')) < 200


def test_broken_toml() -> None:
    said = refused('token = "geheim"\nboard_interval = \n')
    assert said.startswith('config.toml is not valid TOML: ')
    assert 'line 2' in said
    assert 'geheim' not in said


@pytest.mark.parametrize('value', ['[' * 200_000, '[' * 5_000 + ']' * 5_000, '{a = ' * 100_000, '1' * 5_000])
@pytest.mark.parametrize('name', ['log_level', 'token', 'nothing'])
def test_values_that_no_parser_takes(name: str, value: str) -> None:
    said = refused(f'{name} = {value}')
    assert said == 'The config file config.toml cannot be read: something in it is nested too deeply, or a number is too long.'


@pytest.mark.parametrize('value', ['[' * 300 + ']' * 300, '0x' + 'f' * 5_000, '[0x' + 'f' * 5_000 + ']'])
@pytest.mark.parametrize('name', ['log_level', 'board_interval', 'sync_guild', 'database_url'])
def test_values_that_cannot_be_shown(name: str, value: str) -> None:
    said = refused(f'{name} = {value}')
    assert said.startswith(f'config.toml, line 1: {name} must be ')
    assert len(said) < 200


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r'missing\.toml cannot be read: No such file'):
        Settings.load('missing.toml')
    with pytest.raises(ConfigError, match='cannot be read: Is a directory'):
        Settings.load(tmp_path)
    Path('latin.toml').write_bytes('# caf\xe9'.encode('latin-1'))
    with pytest.raises(ConfigError, match='is not text in UTF-8'):
        Settings.load('latin.toml')


def test_mistakes_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('CARDNIGHT_BOARD_INTERVAL', 'fast')
    with pytest.raises(ConfigError, match=r'^The environment variable CARDNIGHT_BOARD_INTERVAL must be a number from 0 to 60\.$'):
        Settings.load()
    monkeypatch.delenv('CARDNIGHT_BOARD_INTERVAL')
    monkeypatch.setenv('CARDNIGHT_LOGLEVEL', 'DEBUG')
    with pytest.raises(ConfigError, match=r'CARDNIGHT_LOGLEVEL sets nothing; did you mean CARDNIGHT_LOG_LEVEL\?$'):
        Settings.load()


def test_mistakes_in_arguments() -> None:
    with pytest.raises(ConfigError, match=r'^board_interval must be a number from 0 to 60\.$'):
        Settings.load(board_interval=61)
    with pytest.raises(ConfigError, match=r"^There is no setting 'bord_interval'; did you mean board_interval\?$"):
        Settings.load(bord_interval=1)


# --- secrets ----------------------------------------------------------------------------------------------------------


def test_nothing_that_is_printed_holds_a_secret() -> None:
    settings = Settings(token='geheim', database_url='postgresql://me:geheim@host/cards')
    assert 'geheim' not in repr(settings) + str(settings) + repr(settings.token)
    with pytest.raises(ValidationError) as error:
        Settings(token=['geheim'], database_url='geheim')
    assert 'geheim' not in str(error.value)


@pytest.mark.parametrize(('mode', 'warned'), [(0o600, False), (0o640, True), (0o604, True)])
def test_a_token_that_others_can_read(mode: int, warned: bool) -> None:
    Path('config.toml').write_text(f'token = "{TOKEN}"')
    Path('config.toml').chmod(mode)
    warnings = Settings.load().warnings
    assert len(warnings) == warned
    assert all('chmod 600 config.toml' in warning and TOKEN not in warning for warning in warnings)


def test_a_file_without_a_token_may_be_read_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    Path('config.toml').write_text('board_interval = 2')
    Path('config.toml').chmod(0o644)
    monkeypatch.setenv('DISCORD_TOKEN', TOKEN)
    assert Settings.load().warnings == []


# --- the form of a token ----------------------------------------------------------------------------------------------


def test_a_token_of_the_right_form() -> None:
    assert token_problem(TOKEN) is None


@pytest.mark.parametrize(
    ('token', 'says'),
    [
        ('', 'empty'),
        ('  ', 'empty'),
        (f' {TOKEN}', 'something around it'),
        (f'{TOKEN}\n', 'something around it'),
        (f'"{TOKEN}"', 'something around it'),
        (f'Bot {TOKEN}', 'something around it'),
        ('123456789012345678', 'application id'),
        ('0f' * 32, 'public key'),
        ('abcdefghijklmnopqrstuvwxyz_-1234', 'client secret'),
        (TOKEN.rpartition('.')[0], 'three parts'),
        (f'{TOKEN}.x', 'three parts'),
        ('..', 'three parts'),
        (TOKEN.replace('G', 'É'), 'three parts'),
        (TOKEN[2:], 'not copied whole'),
        (f'a.{TOKEN.partition(".")[2]}', 'not copied whole'),
        ('x' * 4_000, 'three parts'),
    ],
)
def test_what_cannot_be_a_token(token: str, says: str) -> None:
    said = token_problem(token)
    assert said is not None
    assert says in said
    assert not token.strip() or token not in said
