"""The rules of a game, a paragraph at a time: the two-minute version first, then a menu of all paragraphs."""

from __future__ import annotations

from typing import Any, Final

import discord
from discord import ui

from .board import layout
from .words import Words

SHORT: Final = 'short'
"""Stands for the two-minute version where a paragraph is named."""


def rules(game_id: str, section: str, words: Words) -> ui.LayoutView:
    """One paragraph of a game's rules, by its name or title, with a menu that leads to the others.

    An unknown paragraph gives the two-minute version.
    """
    face = words.faces[game_id]
    sections = face.game.sections
    titles = {words(f'{game_id}.rules.{one}.title').casefold(): one for one in sections}
    section = titles.get(section.strip().casefold(), section)
    if section in sections:
        text = f'### {words(f"{game_id}.rules.{section}.title")}\n{words(f"{game_id}.rules.{section}.body")}'
    else:
        section, text = SHORT, words(f'{game_id}.rules.short')
    menu: ui.Select[Any] = ui.Select(
        custom_id=f'rules:{game_id}',
        placeholder=words('rules.choose'),
        options=[
            discord.SelectOption(
                label=words('rules.short') if one == SHORT else words(f'{game_id}.rules.{one}.title'), value=one, default=one == section
            )
            for one in (SHORT, *sections)
        ],
    )
    return layout([words('rules.title', game=words(f'{game_id}.name')), text], [ui.ActionRow(menu)], face.colour)
