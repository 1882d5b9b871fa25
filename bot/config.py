"""The bot's settings: constructor arguments, then the environment, then the config file, then the defaults."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from annotated_types import Ge, Le
from platformdirs import user_config_path
from pydantic import Field, PrivateAttr, SecretStr, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX: Final = 'CARDNIGHT_'
CONFIG_VARIABLE: Final = f'{PREFIX}CONFIG'
"""Names the config file, unless it is named by argument."""

_MONTH: Final = 30 * 86_400


class ConfigError(ValueError):
    """The settings cannot be used. The text says where, what is wrong and what would be right, and never holds a secret."""


class Settings(BaseSettings):
    """What an operator can choose. `Settings(...)` reads arguments, environment and defaults; `Settings.load` the config file too.

    The environment's names are `CARDNIGHT_` and the setting in capitals; only the token's is `DISCORD_TOKEN`.
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
    """Whether the slash commands are announced to Discord at the start."""
    sync_guild: int | None = Field(None, ge=1, lt=2**64)
    """The id of the only server to announce the commands in; None for everywhere."""
    board_interval: float = Field(1.0, ge=0, le=60)
    """Seconds between two edits of the same board."""
    board_max_age: float = Field(3_600.0, ge=60, le=_MONTH)
    """Seconds after which a board is posted anew rather than edited."""
    requests_per_second: float = Field(25.0, ge=0, le=10_000)
    """How often a second the bot asks something of Discord on its own account; Discord allows most bots 50, answers not counted. 0 for
    no limit of our own."""
    default_pace: Literal['live', 'relaxed', 'none'] | None = None
    """The pace of a table that is opened without one; None for what the server has chosen."""
    lobby_expiry: float = Field(3_600.0, ge=60, le=_MONTH)
    """Seconds after which a table that nobody starts is closed."""
    rating_min_matches: int = Field(5, ge=0, le=1_000)
    """Rated matches that a player needs to stand on the leaderboard by rating."""
    shutdown_grace: float = Field(10.0, ge=0, le=600)
    """Seconds that moves under way get to finish when the bot is asked to stop."""
    log_level: Literal['DEBUG', 'INFO', 'WARNING', 'ERROR'] = 'INFO'
    """The least serious lines that are logged."""

    _file: Path | None = PrivateAttr(None)
    _token_in_file: bool = PrivateAttr(False)

    @classmethod
    def load(cls, path: Path | str | None = None, **overrides: Any) -> Settings:
        """The settings from all sources. `overrides` stand above the environment, which stands above the config file.

        The file is `path`, else the one that CARDNIGHT_CONFIG names, else ./config.toml, else config.toml in the platform's
        configuration folder; the last two may be missing. Raises ConfigError.
        """
        set_outside = {name.upper() for name, value in os.environ.items() if value}
        variables = {_variable(name) for name in cls.model_fields} | {CONFIG_VARIABLE}
        for name in sorted(set_outside):
            if name.startswith(PREFIX) and name not in variables:
                raise ConfigError(f'The environment variable {name} sets nothing{_suggestion(name, variables)}')
        file = _find(path)
        stored = _read(file) if file else {}
        given = {name: value for name, value in stored.items() if _variable(name) not in set_outside} | overrides
        try:
            settings = cls(**given)
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
        """Sentences about what works but should not stay so: a token in a file that other users of the machine can read."""
        if self._file and self._token_in_file and os.name == 'posix' and self._file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            return [f'{self._file} holds the token, and other users of this machine can read it; chmod 600 {self._file} mends that.']
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


# --- reading the file -------------------------------------------------------------------------------------------------


def _find(path: Path | str | None) -> Path | None:
    named = path or os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named)
    usual = (Path('config.toml'), user_config_path('cardnight') / 'config.toml')
    return next((file for file in usual if file.exists()), None)


def _read(file: Path) -> dict[str, Any]:
    """The settings that the file holds. Raises ConfigError, one line for each mistake."""
    try:
        text = file.read_text('utf-8-sig')
    except OSError as error:
        raise ConfigError(f'The config file {file} cannot be read: {error.strerror}.') from None
    except UnicodeDecodeError:
        raise ConfigError(f'The config file {file} is not text in UTF-8.') from None
    try:
        stored = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f'{file} is not valid TOML: {error}. Each line reads: setting = value, with text in double quotes.') from None
    problems = []
    for name, value in stored.items():
        at = f'{file}, line {_line(text, name)}'
        if name not in Settings.model_fields:
            problems.append(f'{at}: there is no setting {name!r}{_suggestion(name, Settings.model_fields)}')
        elif not _fits(Settings.model_fields[name], value):
            shown = f', not {json.dumps(value, default=str, ensure_ascii=False):.60}' if name not in ('token', 'database_url') else ''
            problems.append(f'{at}: {name} must be {_wanted(name)}{shown}.')
    if problems:
        raise ConfigError('\n'.join(problems))
    return stored


def _fits(field: FieldInfo, value: Any) -> bool:
    """Whether a value from the file is right as it stands: unlike in the environment, "1" is no number there."""
    form: Any = Annotated[field.annotation, 'setting', *field.metadata]
    try:
        TypeAdapter(form).validate_json(json.dumps(value, default=str), strict=True)
    except ValidationError:
        return False
    return True


def _line(text: str, name: str) -> int:
    """The number of the line (from 1) on which a key or table of this name stands first."""
    key = re.compile(rf'\s*\[*\s*["\']?{re.escape(name)}["\']?\s*[=.\]]')
    return next((number for number, line in enumerate(text.splitlines(), 1) if key.match(line)), 1)


# --- words for people -------------------------------------------------------------------------------------------------


def _variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else PREFIX + name.upper()


def _suggestion(name: str, known: Mapping[str, Any] | set[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f'; did you mean {near[0]}?' if near else f'; there are {", ".join(sorted(known))}.'


def _problem(at: str, overrides: Mapping[str, Any]) -> str:
    """A sentence about a value that came as argument or from the environment; `at` is the setting or its variable."""
    name = next((name for name in Settings.model_fields if at in (name, _variable(name))), None)
    if name is None:
        return f'There is no setting {at!r}{_suggestion(at, Settings.model_fields)}'
    where = name if name in overrides else f'The environment variable {_variable(name)}'
    return f'{where} must be {_wanted(name)}.'


def _wanted(name: str) -> str:
    """What a setting must be, in words."""
    field = Settings.model_fields[name]
    kind = next(kind for kind in (*get_args(field.annotation), field.annotation) if kind is not type(None))
    if get_origin(field.annotation) is Literal:
        return f'one of {", ".join(json.dumps(choice) for choice in get_args(field.annotation))}'
    if name == 'database_url':
        return 'text in quotes that begins with sqlite:// or postgresql://'
    if kind is bool:
        return 'true or false'
    if kind in (int, float):
        low = next((limit.ge for limit in field.metadata if isinstance(limit, Ge)), None)
        high = next((limit.le for limit in field.metadata if isinstance(limit, Le)), None)
        limits = f' from {low:,} to {high:,}' if high is not None else ''
        return ('a whole number' if kind is int else 'a number') + limits
    return 'text in quotes'
