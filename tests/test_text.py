from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from bot.text import Catalogues, fields

ROOT = Path(__file__).parent.parent
LOCALES = ROOT / 'bot' / 'locales'
PARTS = sorted(LOCALES.glob('*/LC_MESSAGES/*.po'))
ENGLISH = {part.stem for part in PARTS if part.parent.parent.name == 'en'}

KEY = re.compile(r'[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+')
SOURCES = [*ROOT.glob('bot/**/*.py'), *ROOT.glob('cogs/**/*.py')]
"""Where keys are used."""


@pytest.fixture(scope='module')
def texts() -> Catalogues:
    return Catalogues.load()


def catalogue(part: Path) -> Catalog:
    with part.open('rb') as file:
        return read_po(file, locale=part.parent.parent.name)


def key_of(message: Message) -> str:
    return message.id[0] if isinstance(message.id, tuple | list) else str(message.id)


def forms(message: Message) -> list[str]:
    return list(message.string) if isinstance(message.string, tuple | list) else [str(message.string)]


def messages(part: Path) -> list[Message]:
    return [message for message in catalogue(part) if message.id]


ENGLISH_MESSAGES = {key_of(message): message for part in PARTS if part.parent.parent.name == 'en' for message in messages(part)}


# --- reading ----------------------------------------------------------------------------------------------------------


def write(folder: Path, language: str, **parts: str) -> None:
    home = folder / language / 'LC_MESSAGES'
    home.mkdir(parents=True, exist_ok=True)
    for part, text in parts.items():
        (home / f'{part}.po').write_text(text, 'utf-8')


def entry(key: str, *texts: str) -> str:
    if len(texts) == 1:
        return f'msgid "{key}"\nmsgstr "{texts[0]}"\n\n'
    return f'msgid "{key}"\nmsgid_plural "{key}"\n' + ''.join(f'msgstr[{number}] "{text}"\n' for number, text in enumerate(texts)) + '\n'


HEADER_RO = f"""msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {Catalog(locale='ro').plural_forms}\\n"

"""


def test_a_text_gets_its_fields(tmp_path: Path) -> None:
    write(tmp_path, 'en', core=entry('a.b', '{name} plays {card}, {{so}}.'))
    texts = Catalogues.load(tmp_path)
    assert texts.get('en', 'a.b', name='Ann', card='R2', unused=1) == 'Ann plays R2, {so}.'
    assert texts.get('en', 'a.b', name='{card}', card='{0.__class__}') == '{card} plays {0.__class__}, {so}.'
    with pytest.raises(KeyError, match='card'):
        texts.get('en', 'a.b', name='Ann')


def test_the_number_chooses_the_form_by_the_rules_of_the_language(tmp_path: Path) -> None:
    write(tmp_path, 'en', core=entry('cards', '{n} card', '{n} cards'))
    write(tmp_path, 'ro', core=HEADER_RO + entry('cards', '{n} carte', '{n} cărți', '{n} de cărți'))
    write(tmp_path, 'ko', core=entry('cards', '카드 {n}장').replace('msgstr "', 'msgid_plural "cards"\nmsgstr[0] "'))
    texts = Catalogues.load(tmp_path)
    assert [texts.get('en', 'cards', n=n) for n in (0, 1, 2)] == ['0 cards', '1 card', '2 cards']
    assert [texts.get('ro', 'cards', n=n) for n in (1, 2, 19, 20, 101)] == ['1 carte', '2 cărți', '19 cărți', '20 de cărți', '101 cărți']
    assert texts.get('ko', 'cards', n=1) == '카드 1장'


def test_a_number_may_stand_in_a_text_with_one_form(tmp_path: Path) -> None:
    write(tmp_path, 'en', core=entry('a', '{n} more'))
    assert Catalogues.load(tmp_path).get('en', 'a', n=1) == '1 more'


def test_parts_are_merged_and_english_stands_in(tmp_path: Path) -> None:
    write(tmp_path, 'en', core=entry('a', 'one') + entry('n', '{n} thing', '{n} things'), more=entry('b', 'two'))
    write(tmp_path, 'ko', core=entry('a', '하나') + entry('unfinished', ''))
    texts = Catalogues.load(tmp_path)
    assert texts.languages == ['en', 'ko']
    assert [texts.get('ko', 'a'), texts.get('ko', 'b'), texts.get('ko', 'n', n=2)] == ['하나', 'two', '2 things']
    assert texts.has('ko', 'b')
    for key in ('c', 'unfinished'):
        assert not texts.has('ko', key)
        with pytest.raises(KeyError, match=f"'{key}'"):
            texts.get('ko', key)


def test_the_language_for_a_reader(tmp_path: Path) -> None:
    for language in ('en', 'ko', 'no'):
        write(tmp_path, language, core=entry('a', language))
    best = Catalogues.load(tmp_path).best
    assert {locale: best(locale) for locale in ('en-GB', 'en-US', 'ko', 'no', 'nb', 'NN-no', 'zh-TW', 'xx', '', '../ko')} == {
        'en-GB': 'en', 'en-US': 'en', 'ko': 'ko', 'no': 'no', 'nb': 'no', 'NN-no': 'no', 'zh-TW': 'en', 'xx': 'en', '': 'en', '../ko': 'en',
    }  # fmt: skip
    assert best(None) == 'en'


@pytest.mark.parametrize(
    ('text', 'says'),
    [
        (entry('a', '{}'), r'en/core.po: a: the field \{\} is not just a name'),
        (entry('a', '{0}'), 'is not just a name'),
        (entry('a', '{card.name}'), 'is not just a name'),
        (entry('a', '{card[0]}'), 'is not just a name'),
        (entry('a', '{card!r}'), 'is not just a name'),
        (entry('a', '{card:>99999999}'), 'is not just a name'),
        (entry('a', '{card'), 'a: '),
        (entry('a', 'one {n}', '{n.real}'), 'is not just a name'),
        (entry('a', 'one') + 'nonsense', 'en/core.po'),
    ],
)
def test_a_catalogue_that_cannot_be_used(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, 'en', core=text)
    with pytest.raises(ValueError, match=says):
        Catalogues.load(tmp_path)


def test_a_key_in_two_parts(tmp_path: Path) -> None:
    write(tmp_path, 'en', core=entry('a', 'one'), more=entry('a', 'two'))
    with pytest.raises(ValueError, match=r'en/more\.po: a: this text exists already'):
        Catalogues.load(tmp_path)


# --- the catalogues ---------------------------------------------------------------------------------------------------


def test_every_language_has_every_part(texts: Catalogues) -> None:
    for language in texts.languages:
        assert {part.stem for part in PARTS if part.parent.parent.name == language} == ENGLISH


@pytest.mark.parametrize('part', PARTS, ids=lambda part: f'{part.parent.parent.name}-{part.stem}')
class TestPart:
    def test_its_keys_stand_once_and_are_well_formed(self, part: Path) -> None:
        count = Counter(re.findall(r'^msgid "(.+)"$', part.read_text('utf-8'), re.MULTILINE))
        assert [key for key, times in count.items() if times > 1] == []
        assert [key for key in count if not KEY.fullmatch(key)] == []
        assert set(count) == {key_of(message) for message in messages(part)}

    def test_a_plural_has_the_key_for_both(self, part: Path) -> None:
        assert [message.id for message in messages(part) if message.pluralizable and len(set(message.id)) != 1] == []

    def test_it_counts_as_its_language_does(self, part: Path) -> None:
        found = catalogue(part)
        assert found.plural_forms == Catalog(locale=part.parent.parent.name).plural_forms
        assert [message.id for message in found if message.pluralizable and message.id and len(message.string) != found.num_plurals] == []

    def test_its_texts_have_the_fields_of_the_english_ones(self, part: Path) -> None:
        for message in messages(part):
            english = ENGLISH_MESSAGES[key_of(message)]
            assert message.pluralizable == english.pluralizable, key_of(message)
            assert set().union(*map(fields, forms(message))) == set().union(*map(fields, forms(english))), key_of(message)

    def test_nothing_is_missing_or_unfinished(self, part: Path) -> None:
        assert [message.id for message in messages(part) if message.fuzzy or not all(text.strip() for text in forms(message))] == []

    def test_its_texts_fit_into_a_message(self, part: Path) -> None:
        def limit(key: str) -> int:
            if key.startswith('button.'):
                return 80
            if '.rules.' in key:
                return 1_800 if key.endswith('.short') else 1_500
            return 4_000

        lengths = {key_of(message): max(map(len, forms(message))) for message in messages(part)}
        assert {key: length for key, length in lengths.items() if length > limit(key)} == {}


def test_every_language_has_every_key(texts: Catalogues) -> None:
    for language in texts.languages:
        keys = {key_of(message) for part in PARTS if part.parent.parent.name == language for message in messages(part)}
        assert keys == set(ENGLISH_MESSAGES)


STRANGE = {
    r'\banew\b': 'again',
    r'\bwhoever is\b': 'the player on turn',
    r'\blies?\b|\blying\b': 'is on the table',
    r'so many-th': 'the number',
    r'\ba word to\b': 'a message to',
    r'\b(he|him|his)\b': 'they, them, their',
    r'\bbe rid of\b|\bis rid of\b': 'get rid of',
    r'\b(is|has|have|are) to (play|move)\b': 'it is the turn of',
    r'\bby lot\b': 'at random',
    r'\bhow things stand\b': 'where the game stands',
    r'\bstands still\b': 'is stopped',
    r'\bany more\b': 'no longer',
    r'\bjust now\b': 'right now',
    r'\bcall (on )?(you|me)\b': 'ping',
    r'\bpace\b': 'time control',
    r'\bin reserve\b|\boverdraw\b': 'time bank',
    r'\bplays on by itself\b': 'the computer plays',
    r'(^|[.!?:] |\n)(Is|Are) [^.?!]+, ': 'if',
    r'You cannot\?': 'if you can’t',
    r"'": '’',
}
"""Words and turns that no English text for players has, as patterns, and what they say instead."""


@pytest.mark.parametrize('pattern', STRANGE)
def test_english_texts_use_plain_words(pattern: str) -> None:
    strange = re.compile(pattern, re.IGNORECASE)
    texts = [(key, re.sub(r'{\w+}', '…', text)) for key, message in ENGLISH_MESSAGES.items() for text in forms(message)]
    assert [(key, text) for key, text in texts if strange.search(text)] == [], f'say: {STRANGE[pattern]}'


# --- keys and sources -------------------------------------------------------------------------------------------------


def strings(tree: ast.AST) -> Iterator[str | list[str | None]]:
    """The texts in a source: plain ones, and f-strings as the list of their parts, None for what is filled in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            yield [str(part.value) if isinstance(part, ast.Constant) else None for part in node.values]
            for part in node.values:
                yield from strings(part)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            yield from strings(node)


FOUND = {source: list(strings(ast.parse(source.read_text('utf-8')))) for source in SOURCES}
PLAIN = {text for found in FOUND.values() for text in found if isinstance(text, str)}
BUILT = [
    re.compile(''.join('([a-z0-9_-]+)' if part is None else re.escape(part) for part in text))
    for found in FOUND.values()
    for text in found
    if isinstance(text, list) and re.search(r'[a-z]', ''.join(part for part in text if part)) and any(part and '.' in part for part in text)
]


def test_every_text_is_used() -> None:
    """A key stands in the sources as it is, or is built there (`f'{game}.reason.{code}'`) from words that stand in the sources."""
    unused = [
        key
        for key in ENGLISH_MESSAGES
        if key not in PLAIN and not any((built := form.fullmatch(key)) and PLAIN.issuperset(built.groups()) for form in BUILT)
    ]
    assert not unused, ', '.join(unused)


def test_every_key_that_is_used_has_a_text() -> None:
    """In what draws for Discord a text with points in it is a key; elsewhere one that begins like a key, but for names in SQL."""
    begins = {key.partition('.')[0] for key in ENGLISH_MESSAGES}
    unknown = {
        f'{source.relative_to(ROOT)}: {text}'
        for source, found in FOUND.items()
        if 'storage' not in source.parts
        for text in found
        if isinstance(text, str) and KEY.fullmatch(text) and not text.endswith(('.json', '.png', '.toml', '.po', '.py', '.sqlite3'))
        if text.partition('.')[0] in begins or {'ui', 'cogs'} & {*source.relative_to(ROOT).parts} or source.name == 'app.py'
    } - {f'{source.relative_to(ROOT)}: {key}' for source in SOURCES for key in ENGLISH_MESSAGES}
    assert not unknown, ', '.join(sorted(unknown))
