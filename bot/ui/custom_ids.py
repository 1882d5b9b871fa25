"""Custom ids of buttons and menus. They carry all that a press means, so that they outlive restarts.

`t:<action>:<table>:<round>.<step>:<argument>` is a press at a table; the position (`<round>.<step>`) is empty where it does not
matter. Other ids are `<prefix>:…`, read by whoever registered the prefix (`bot.chat.router`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..tables.table import Table

LONGEST: Final = 100
"""Discord's limit for a custom id (https://discord.com/developers/docs/components/reference)."""

_PRESS: Final = re.compile(r't:([a-z-]{1,20}):([0-9]{1,18}):(?:([0-9]{1,6})\.([0-9]{1,6}))?:(.*)', re.DOTALL)


class Press(NamedTuple):
    """What a button or menu at a table asks for."""

    action: str
    table_id: int
    made_for: tuple[int, int] | None
    """The position that it was made for (`Table.position`), where that matters."""
    argument: str


def press(action: str, table: Table, argument: str = '', *, here: bool = False) -> str:
    """The custom id for an action at a table; `here` binds it to the present position. Raises ValueError when it grows too long."""
    position = '{}.{}'.format(*table.position) if here else ''
    custom_id = f't:{action}:{table.id}:{position}:{argument}'
    if len(custom_id) > LONGEST:
        raise ValueError(f'a custom id of {len(custom_id)} characters')
    return custom_id


def read_press(custom_id: str) -> Press | None:
    """The inverse of `press`; None for anything that it did not make."""
    found = _PRESS.fullmatch(custom_id)
    if found is None:
        return None
    made_for = (int(found[3]), int(found[4])) if found[3] else None
    return Press(found[1], int(found[2]), made_for, found[5])
