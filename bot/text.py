"""Everything that people read, by key and language, from the gettext catalogues in bot/locales.

A catalogue is bot/locales/<language>/LC_MESSAGES/<part>.po; the parts of a language are merged. The msgid is the key, the msgstr a
text with fields such as `{card}`, which are named parameters and nothing else. Catalogues are found, never listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from gettext import GNUTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from string import Formatter
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

ENGLISH: Final = 'en'
"""The language in which every text exists."""

_FIELD: Final = re.compile(r'[a-z][a-z0-9_]*')
_SAME: Final = {'nb': 'no', 'nn': 'no'}
"""Languages whose readers are served by another one's texts."""


class Catalogues:
    """The catalogues of all languages. Immutable, and quick: nothing is parsed after `load`."""

    def __init__(self, catalogues: Mapping[str, GNUTranslations]) -> None:
        self._catalogues = catalogues

    @classmethod
    def load(cls, locales: Traversable | None = None) -> Catalogues:
        """Reads every catalogue in a folder like bot/locales. Raises ValueError for one that cannot be used, naming what is wrong."""
        folders = [folder for folder in (locales or files(__package__).joinpath('locales')).iterdir() if folder.is_dir()]
        catalogues = {folder.name: _read(folder) for folder in folders}
        for language, catalogue in catalogues.items():
            if language != ENGLISH:
                catalogue.add_fallback(catalogues[ENGLISH])
        return cls(catalogues)

    @property
    def languages(self) -> list[str]:
        """The languages there are, as in `best`."""
        return sorted(self._catalogues)

    def best(self, locale: str | None) -> str:
        """The language for a reader whose Discord is set to this locale (`en-GB`, `ko`, `no`, …); English where there is none."""
        language = (locale or ENGLISH).partition('-')[0].lower()
        language = _SAME.get(language, language)
        return language if language in self._catalogues else ENGLISH

    def has(self, language: str, key: str) -> bool:
        """Whether there is a text in this language, or in English."""
        return self._catalogues[language].gettext(key) != key

    def get(self, language: str, key: str, /, **params: Any) -> str:
        """The text with its fields filled in; the parameter `n` also chooses between singular and plural.

        In English where the language lacks the text. Raises KeyError with the key for one that does not exist, and with the
        field for one without a parameter.
        """
        catalogue = self._catalogues[language]
        text = key
        if 'n' in params:
            text = catalogue.ngettext(key, key, params['n'])
        if text == key:
            text = catalogue.gettext(key)
            if text == key:
                raise KeyError(key)
        return text.format_map(params)


def fields(text: str) -> set[str]:
    """The names of a text's fields. Raises ValueError for braces that are no plain field, such as `{}` or `{card.name}`."""
    found = set()
    for _, name, form, conversion in Formatter().parse(text):
        if name is None:
            continue
        if form or conversion or not _FIELD.fullmatch(name):
            raise ValueError(f'the field {{{name}}} is not just a name')
        found.add(name)
    return found


def _read(folder: Traversable) -> GNUTranslations:
    """The catalogue of one language, all its parts together."""
    language = folder.name
    merged = Catalog(locale=language)
    for part in sorted(folder.joinpath('LC_MESSAGES').iterdir(), key=lambda part: part.name):
        if not part.name.endswith('.po'):
            continue
        where = f'{language}/{part.name}'
        with part.open('rb') as file:
            try:
                catalogue = read_po(file, locale=language, abort_invalid=True)
            except PoFileError as error:
                raise ValueError(f'{where}: {error}') from None
        for message in catalogue:
            if not message.id:
                continue
            key = message.id[0] if isinstance(message.id, list | tuple) else message.id
            if key in merged:
                raise ValueError(f'{where}: {key}: this text exists already')
            for text in message.string if isinstance(message.string, list | tuple) else (message.string,):
                try:
                    fields(text or '')
                except ValueError as error:
                    raise ValueError(f'{where}: {key}: {error}') from None
            merged.add(message.id, message.string, flags=message.flags)
    compiled = BytesIO()
    write_mo(compiled, merged)
    compiled.seek(0)
    return GNUTranslations(compiled)
