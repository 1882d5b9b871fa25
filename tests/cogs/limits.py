"""Discord's limits for messages, components, autocompletes and commands, as checks.

https://discord.com/developers/docs/components/reference,
https://discord.com/developers/docs/resources/message#create-message and
https://discord.com/developers/docs/interactions/application-commands
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

ROW, BUTTON, MENU, TEXT = 1, 2, 3, 10
"""Types of components."""


def _flat(components: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All components, nested ones too; the options of a menu are none."""
    for part in components:
        yield part
        yield from _flat(part.get('components') or [])
        yield from _flat([part['accessory']] if part.get('accessory') else [])


def within_limits(components: Iterable[dict[str, Any]]) -> None:
    """Fails unless a message with these components (`night.raw`) would be taken by Discord, and has at most five rows."""
    parts = list(_flat(components))
    assert len(parts) <= 40, f'{len(parts)} components'
    assert sum(part['type'] == ROW for part in parts) <= 5, 'more than five rows'
    assert sum(len(part['content']) for part in parts if part['type'] == TEXT) <= 4000, 'more than 4,000 characters'
    ids = [part['custom_id'] for part in parts if part.get('custom_id')]
    assert len(set(ids)) == len(ids), f'a custom id twice: {ids}'
    assert all(1 <= len(custom_id) <= 100 for custom_id in ids), ids
    for part in parts:
        if part['type'] == ROW:
            kinds = [inner['type'] for inner in part['components']]
            assert kinds == [MENU] or (set(kinds) == {BUTTON} and len(kinds) <= 5), f'a row of {kinds}'
        elif part['type'] == BUTTON:
            assert 1 <= len(part.get('label') or '?') <= 80, part
        elif part['type'] == MENU:
            _menu(part)


def _menu(part: dict[str, Any]) -> None:
    options = part['options']
    assert 1 <= len(options) <= 25, f'{len(options)} options'
    assert len({option['value'] for option in options}) == len(options), 'a value twice'
    for option in options:
        assert 1 <= len(option['label']) <= 100, option
        assert 1 <= len(option['value']) <= 100, option
        assert len(option.get('description') or '') <= 100, option
    assert len(part.get('placeholder') or '') <= 150, part
    assert 0 <= part.get('min_values', 1) <= part.get('max_values', 1) <= len(options), part


def choices_within_limits(choices: Iterable[dict[str, Any]]) -> None:
    """Fails unless Discord would take these choices as the answer to an autocomplete."""
    choices = list(choices)
    assert len(choices) <= 25, f'{len(choices)} choices'
    for choice in choices:
        assert 1 <= len(choice['name']) <= 100, choice
        assert 1 <= len(str(choice['value'])) <= 100, choice


def command_within_limits(command: Mapping[str, Any], path: str = '') -> None:
    """Fails unless Discord would take this command (or group, or option), and people are told what each part of it is for."""
    name = f'{path} {command["name"]}'.strip()
    assert re.fullmatch(r'[a-z0-9_-]{1,32}', command['name']), name
    assert 1 <= len(command['description']) <= 100, f'{name}: {command["description"]!r}'
    assert command['description'] != '…', f'{name} has no description'
    assert len(command.get('options') or []) <= 25, name
    for option in command.get('options') or []:
        command_within_limits(option, name)
    assert len(command.get('choices') or []) <= 25, name
    for choice in command.get('choices') or []:
        assert 1 <= len(choice['name']) <= 100, name


def request_within_limits(path: str, json: Any) -> None:
    """Fails unless Discord would take this request of the bot: a message, the answer to an interaction, the list of commands."""
    if path.endswith('/commands'):
        for command in json or ():  # none: they are only asked for
            command_within_limits(command)
        return
    message = json.get('data') if path.endswith('/callback') else json
    if not isinstance(message, dict) or not ('/messages' in path or '/webhooks/' in path or path.endswith('/callback')):
        return
    if 'choices' in message:
        choices_within_limits(message['choices'])
        return
    components = message.get('components') or []
    assert len(message.get('content') or '') <= 2000, message['content']
    assert not (components and message.get('content')), 'a text beside components'
    within_limits(components)
