"""The bot's settings: from arguments, else from the environment, else from the config file, else the defaults."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from base64 import urlsafe_b64decode
from collections import ChainMap
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal

from platformdirs import user_config_path
from pydantic import ConfigDict, Field, PrivateAttr, SecretStr, ValidationError, create_model
from pydantic_settings import BaseSettings, EnvSettingsSource, InitSettingsSource, SettingsConfigDict

PREFIX: Final = 'CARDNIGHT_'
CONFIG_VARIABLE: Final = f'{PREFIX}CONFIG'
"""The environment variable that names the config file."""

_MONTH: Final = 30 * 86_400


class ConfigError(ValueError):
    """The settings cannot be used. Its text has one line for each mistake, and never contains a token or a password."""


class Settings(BaseSettings):
    """What an operator can choose. `Settings(...)` reads arguments and the environment; `Settings.load` reads the config file too.

    In the environment a setting is named `CARDNIGHT_` and its name in capitals; only the token is named `DISCORD_TOKEN`.
    """

    model_config = SettingsConfigDict(
        frozen=True, extra='forbid', env_prefix=PREFIX, env_ignore_empty=True, hide_input_in_errors=True, populate_by_name=True
    )

    token: SecretStr | None = Field(None, validation_alias='DISCORD_TOKEN')
    """The bot's token."""
    database_url: str | None = Field(None, pattern=r'^(sqlite|postgres|postgresql)(\+\w+)?://', repr=False)
    """None for an SQLite file in the platform's data folder. May hold a password."""
    members_intent: bool = False
    """Whether the privileged members intent is switched on for the application."""
    sync_commands: bool = True
    """Whether the slash commands are registered with Discord at every start."""
    sync_guild: int | None = Field(None, ge=1, lt=2**64)
    """The id of the only server in which the commands are registered; None for everywhere."""
    board_interval: float = Field(1.0, ge=0, le=60)
    """Seconds between two edits of the same board."""
    board_max_age: float = Field(3_600.0, ge=60, le=_MONTH)
    """Seconds after which a board is posted as a new message instead of edited."""
    requests_per_second: float = Field(25.0, ge=0, le=10_000)
    """The most requests a second that the bot sends to Discord, not counting its answers to commands and buttons; 0 for no limit.
    Discord itself allows most bots 50."""
    default_pace: Literal['live', 'relaxed', 'none'] | None = None
    """The pace of a table that is opened without one; None for the server's choice."""
    live_ring: float = Field(15.0, ge=0, le=3_600)
    """Seconds after which a player on turn at a live table is pinged, once a turn; 0 for never."""
    lobby_expiry: float = Field(3_600.0, ge=60, le=_MONTH)
    """Seconds after which a table is closed if nobody starts its match."""
    tables_per_person: int = Field(10, ge=0, le=10_000)
    """The most open tables that one person may host; 0 for no limit."""
    tables_per_server: int = Field(100, ge=0, le=10_000)
    """The most open tables in one server; 0 for no limit."""
    rating_min_matches: int = Field(5, ge=0, le=1_000)
    """Rated matches that a player needs to appear on the leaderboard by rating."""
    shutdown_grace: float = Field(10.0, ge=0, le=600)
    """Seconds that moves in progress get to finish when the bot is told to stop."""
    log_level: Literal['DEBUG', 'INFO', 'WARNING', 'ERROR'] = 'INFO'
    """The least serious messages that are logged."""

    _file: Path | None = PrivateAttr(None)
    _token_in_file: bool = PrivateAttr(False)

    @classmethod
    def load(cls, path: Path | str | None = None, **overrides: Any) -> Settings:
        """The settings from all sources: `overrides` before the environment before the config file.

        The file is `path`, else the one named by CARDNIGHT_CONFIG, else ./config.toml, else config.toml in the platform's
        configuration folder; only the last two may be missing. Raises ConfigError.
        """
        known = {*map(_variable, cls.model_fields), CONFIG_VARIABLE}
        for name in sorted(name.upper() for name, value in os.environ.items() if value):
            if name.startswith(PREFIX) and name not in known:
                raise ConfigError(f'The environment variable {name} sets nothing{_suggestion(name, known)}')
        file = _find(path)
        stored = _read(file) if file else {}
        sources = (InitSettingsSource(cls, overrides), EnvSettingsSource(cls), InitSettingsSource(cls, stored))
        try:
            settings = cls(**ChainMap(*(source() for source in sources)))
        except ValidationError as error:
            raise ConfigError('\n'.join(_problem(str(each['loc'][0]), overrides) for each in error.errors())) from None
        settings._file = file
        settings._token_in_file = 'token' in stored
        return settings

    @property
    def file(self) -> Path | None:
        """The config file that was read."""
        return self._file

    @property
    def warnings(self) -> list[str]:
        """Sentences about risky settings: a token in a file that other users of this machine can read."""
        if self._file and self._token_in_file and os.name == 'posix' and self._file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            return [f'{self._file} holds the token, and other users of this machine can read it. To prevent that: chmod 600 {self._file}']
        return []


def token_problem(token: str) -> str | None:
    """A sentence on why this cannot be a bot's token, judged by its form alone; None when it may be one. Never repeats it."""
    where = 'The token is on the page "Bot" of your application at https://discord.com/developers/applications.'
    if not token.strip():
        return f'The token is empty. {where}'
    if token != token.strip() or token[0] in '"\'' or token.startswith(('Bot ', 'Bearer ')):
        return 'The token has something around it; give it bare, without blanks, quotes or the word "Bot".'
    if token.isdecimal():
        return f'This is a number, such as the application id, not the token. {where}'
    if re.fullmatch(r'[0-9a-f]{64}', token):
        return f"This looks like the application's public key, not like the token. {where}"
    if re.fullmatch(r'[\w-]{32}', token):
        return f'This looks like the client secret, not like the token. {where}'
    parts = re.fullmatch(r'([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+', token)
    if parts is None:
        return f'A token has three parts with points between them, of letters, digits, "-" and "_"; this one has not. {where}'
    # The first part is the bot's user id, written in base 64.
    encoded = parts[1]
    try:
        user = urlsafe_b64decode(encoded + '=' * (-len(encoded) % 4))
    except ValueError:
        user = b''
    if not user.isdigit():
        return f'The first part of the token is damaged; perhaps it was not copied whole. {where}'
    return None


# --- the config file --------------------------------------------------------------------------------------------------

_fields: dict[str, Any] = {name: (field.annotation, field) for name, field in Settings.model_fields.items()}
_File: Final = create_model(
    '_File', __config__=ConfigDict(strict=True, extra='forbid', validate_by_name=True, validate_by_alias=False), **_fields
)
"""The settings as the config file must have them: unlike in the environment, the text "1" is not a number there."""


def _find(path: Path | str | None) -> Path | None:
    if named := path or os.environ.get(CONFIG_VARIABLE):
        return Path(named)
    usual = (Path('config.toml'), user_config_path('cardnight') / 'config.toml')
    return next((file for file in usual if file.exists()), None)


def _read(file: Path) -> dict[str, Any]:
    """The settings in the file. Raises ConfigError."""
    try:
        text = file.read_text('utf-8-sig')
        stored = tomllib.loads(text)
        _File.model_validate(stored)
    except OSError as error:
        raise ConfigError(f'The config file {file} cannot be read: {error.strerror}.') from None
    except UnicodeDecodeError:
        raise ConfigError(f'The config file {file} is not text in UTF-8.') from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f'{file} is not valid TOML: {error}. Each line reads: setting = value, with text in double quotes.') from None
    except ValidationError as error:
        found = [(str(each['loc'][0]), each['input']) for each in error.errors()]
        problems = sorted((_line(text, name), _problem_in_file(name, value)) for name, value in found)
        raise ConfigError('\n'.join(f'{file}, line {line}: {problem}' for line, problem in problems)) from None
    except (RecursionError, ValueError):
        raise ConfigError(
            f'The config file {file} cannot be read: something in it is nested too deeply, or a number is too long.'
        ) from None
    return stored


def _line(text: str, name: str) -> int:
    """The number of the first line (from 1) that has a key or table of this name."""
    key = re.compile(rf'\s*\[*\s*["\']?{re.escape(name)}["\']?\s*[=.\]]')
    return next((number for number, line in enumerate(text.splitlines(), 1) if key.match(line)), 1)


# --- messages ---------------------------------------------------------------------------------------------------------


def _problem_in_file(name: str, value: Any) -> str:
    if name not in Settings.model_fields:
        return f'there is no setting {name!r}{_suggestion(name, Settings.model_fields)}'
    shown = ''
    if name not in ('token', 'database_url'):
        with suppress(ValueError, RecursionError):  # a number with thousands of digits, or too many brackets
            shown = f', not {json.dumps(value, default=str, ensure_ascii=False):.60}'
    return f'{name} must be {_wanted(name)}{shown}.'


def _problem(at: str, overrides: Iterable[str]) -> str:
    """A sentence about a wrong argument or environment variable; `at` is the setting or its variable."""
    name = next((name for name in Settings.model_fields if at in (name, _variable(name))), None)
    if name is None:
        return f'There is no setting {at!r}{_suggestion(at, Settings.model_fields)}'
    where = name if name in overrides else f'The environment variable {_variable(name)}'
    return f'{where} must be {_wanted(name)}.'


def _variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else PREFIX + name.upper()


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f'; did you mean {near[0]}?' if near else f'; there are {", ".join(sorted(known))}.'


def _wanted(name: str) -> str:
    """What the value of a setting must be, in words."""
    schema = _File.model_json_schema(by_alias=False)['properties'][name]
    match schema.get('anyOf', [schema])[0]:  # the second is null, for a setting that may be left out
        case {'enum': choices}:
            return f'one of {", ".join(map(json.dumps, choices))}'
        case {'pattern': _}:
            return 'text in quotes that begins with sqlite:// or postgresql://'
        case {'type': 'boolean'}:
            return 'true or false'
        case {'type': 'integer' | 'number' as kind, **limits}:
            number = 'a whole number' if kind == 'integer' else 'a number'
            return f'{number} from {limits["minimum"]:,} to {limits["maximum"]:,}' if 'maximum' in limits else number
    return 'text in quotes'
