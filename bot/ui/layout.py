"""Messages put together from texts, pictures, buttons and menus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discord import ui


def layout(parts: Sequence[str | ui.MediaGallery[Any]], rows: list[ui.ActionRow[Any]], colour: int) -> ui.LayoutView:
    """Texts, one below the other with a line between, pictures right below what they belong to, and rows of buttons and menus, as
    one message."""
    view = ui.LayoutView(timeout=None)
    box: ui.Container[Any] = ui.Container(accent_colour=colour)
    for place, part in enumerate(part for part in parts if part):
        if isinstance(part, ui.MediaGallery):
            box.add_item(part)
            continue
        if place:
            box.add_item(ui.Separator())
        box.add_item(ui.TextDisplay(part))
    for row in rows:
        box.add_item(row)
    view.add_item(box)
    view.stop()
    return view
