"""Which language a text is written in: the person's, or the server's."""

from __future__ import annotations

from collections.abc import Mapping

import discord
from discord import app_commands

from ..ui.game_view import GameView
from ..ui.language import Language, catalogues
from .client import Client
from .preferences import Preferences


class Languages:
    """Finds the language of a reader."""

    def __init__(self, client: Client, preferences: Preferences, game_views: Mapping[str, GameView]) -> None:
        self._client = client
        self._preferences = preferences
        self._game_views = game_views

    def of(self, interaction: discord.Interaction) -> Language:
        """The language of the person who acts; looked up once an interaction."""
        language = interaction.extras.get('language')
        if not isinstance(language, Language):
            chosen = self._preferences.person(interaction.user.id).language
            language = interaction.extras['language'] = self._best(chosen or interaction.locale.value)
        return language

    def forget(self, interaction: discord.Interaction) -> None:
        """Looks the language of this interaction up again: the person has just chosen another."""
        interaction.extras.pop('language', None)

    def of_person(self, user_id: int, guild_id: int) -> Language:
        """The language of a message to one person: the one that they chose or that their Discord was last seen in, else the server's."""
        preferences = self._preferences.person(user_id)
        locale = preferences.language or preferences.locale
        return self._best(locale) if locale else self.of_server(guild_id)

    def of_server(self, guild_id: int) -> Language:
        """The language of what everyone in a server reads."""
        guild = self._client.get_guild(guild_id)
        preferred = guild.preferred_locale.value if guild else None
        return self._best(self._preferences.server(guild_id).language or preferred)

    def _best(self, locale: str | None) -> Language:
        return Language(catalogues().best(locale), self._game_views)


class CommandTranslator(app_commands.Translator):
    """Gives Discord the commands' names and descriptions in the languages that have them."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        key = string.extras.get('key')
        language = catalogues().best(locale.value)
        if key is None or language == 'en' or not catalogues().has(language, key):
            return None
        return catalogues().get(language, key, **string.extras['params'])
