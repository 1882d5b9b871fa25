"""What servers and people have chosen, kept in the database and at hand in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final, Literal, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from ..storage import StorageError, Store

log: Final = logging.getLogger(__name__)

Mentions = Literal['turn', 'none']


class ServerSettings(BaseModel):
    """What a server has chosen (`/settings server`)."""

    model_config = ConfigDict(frozen=True, extra='ignore')

    channels: tuple[int, ...] = ()
    """The channels where tables may be opened; none for everywhere. Threads count as their channel."""
    host_role: int | None = None
    """The role that may open tables; None for everyone."""
    pace: Literal['live', 'relaxed', 'none'] = 'live'
    """The time control of a table that is opened without one."""
    mentions: Mentions = 'turn'
    """Whether boards mention the person whose turn it is."""
    language: str | None = None
    """The language of what all read; None for the server's own."""
    pictures: bool = True
    """Whether hands are shown as pictures too."""
    ping_role: int | None = None
    """The role that is told when a table opens."""
    subscribers: dict[str, tuple[int, ...]] = Field(
        default_factory=dict, validation_alias=AliasChoices('subscribers', 'callers'), serialization_alias='callers'
    )
    """By game, the people who want to be told when a table opens; under '' for every game."""


class PersonalSettings(BaseModel):
    """What a person has chosen (`/settings mine`)."""

    model_config = ConfigDict(frozen=True, extra='ignore')

    direct: bool = True
    """Whether hands come by direct message."""
    pings: bool = True
    """Whether the bot may remind and ping them."""
    language: str | None = None
    """None for the language of their Discord."""
    confirm: bool = False
    """Whether a move by button or menu is asked for twice."""
    locale: str | None = None
    """The language of their Discord, as last seen."""


S = TypeVar('S', ServerSettings, PersonalSettings)


_DEFAULTS: Final[dict[type, Any]] = {ServerSettings: ServerSettings(), PersonalSettings: PersonalSettings()}


class Preferences:
    """The settings of every server and person that the bot has met since it started."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._servers: dict[int, ServerSettings] = {}
        self._people: dict[int, PersonalSettings] = {}

    def server(self, guild_id: int) -> ServerSettings:
        """A server's settings; the defaults until `load` was called for it."""
        return self._servers.get(guild_id) or _DEFAULTS[ServerSettings]

    def person(self, user_id: int) -> PersonalSettings:
        """A person's settings; the defaults until `load` was called for them."""
        return self._people.get(user_id) or _DEFAULTS[PersonalSettings]

    async def load(self, guild_ids: Iterable[int], user_ids: Iterable[int]) -> None:
        """Reads what is not in memory yet. Raises StorageError."""
        if guilds := set(guild_ids) - self._servers.keys():
            stored = await self._store.guild_settings(guilds)
            for guild_id, settings in stored.items():
                self._servers.setdefault(guild_id, _read(ServerSettings, settings))  # what was changed meanwhile is newer
        if users := set(user_ids) - self._people.keys():
            stored = await self._store.person_settings(users)
            for user_id, settings in stored.items():
                self._people.setdefault(user_id, _read(PersonalSettings, settings))

    async def met(self, guild_id: int | None, user_id: int, locale: str) -> None:
        """Somebody acts: their settings are read, and the language of their Discord is kept. Raises StorageError."""
        await self.load([] if guild_id is None else [guild_id], [user_id])
        if self.person(user_id).locale != locale:
            await self.change_person(user_id, locale=locale)

    async def change_server(self, guild_id: int, **changes: Any) -> ServerSettings:
        """Changes some of a server's settings; returns them all. Raises StorageError."""
        await self.load([guild_id], [])
        return await self._change_server(guild_id, changes)

    async def toggle_subscriber(self, guild_id: int, game_id: str, user_id: int) -> bool:
        """Puts a person on the list of those who are pinged when a table of this game ('' for any) opens, or takes them off it; whether
        they are on it now. Raises StorageError."""
        await self.load([guild_id], [])
        subscribers = self.server(guild_id).subscribers
        listed = set(subscribers.get(game_id, ())) ^ {user_id}
        await self._change_server(guild_id, {'subscribers': subscribers | {game_id: tuple(sorted(listed))}})
        return user_id in listed

    async def _change_server(self, guild_id: int, changes: dict[str, Any]) -> ServerSettings:
        old = self.server(guild_id)
        changed = ServerSettings.model_validate(old.model_dump() | changes)
        self._servers[guild_id] = changed  # at once: the next change builds on it
        try:
            await self._store.set_guild_settings(guild_id, changed.model_dump(mode='json', by_alias=True))
        except StorageError:
            self._servers[guild_id] = old
            raise
        return changed

    async def change_person(self, user_id: int, **changes: Any) -> PersonalSettings:
        """Changes some of a person's settings; returns them all. Raises StorageError."""
        await self.load([], [user_id])
        old = self.person(user_id)
        changed = PersonalSettings.model_validate(old.model_dump() | changes)
        self._people[user_id] = changed
        try:
            await self._store.set_person_settings(user_id, changed.model_dump(mode='json'))
        except StorageError:
            self._people[user_id] = old
            raise
        return changed


def _read(kind: type[S], stored: dict[str, Any]) -> S:
    """The settings that were stored; the defaults when they cannot be understood, or when there are none (one object for all)."""
    if not stored:
        return _DEFAULTS[kind]
    try:
        return kind.model_validate(stored)
    except ValidationError as error:
        log.warning('stored settings cannot be understood and are left aside: %s', error.errors(include_input=False))
        return kind()
