"""The rules of a game, a paragraph at a time: the two-minute version first, then a menu of all paragraphs."""

from __future__ import annotations

from typing import Any, Final

import discord
from discord import ui

from .game_view import GameView
from .language import Language
from .layout import layout

SHORT: Final = 'short'
"""Stands for the two-minute version where a paragraph is named."""


def rules(game_view: GameView, section: str, language: Language) -> ui.LayoutView:
    """One paragraph of a game's rules, by its name or title, with a menu that leads to the others.

    An unknown paragraph gives the two-minute version.
    """
    game_id, sections = game_view.game.id, game_view.game.sections
    titles = {language(f'{game_id}.rules.{name}.title').casefold(): name for name in sections}
    section = titles.get(section.strip().casefold(), section)
    if section in sections:
        text = f'### {language(f"{game_id}.rules.{section}.title")}\n{language(f"{game_id}.rules.{section}.body")}'
    else:
        section, text = SHORT, language(f'{game_id}.rules.short')
    menu: ui.Select[Any] = ui.Select(
        custom_id=f'rules:{game_id}',
        placeholder=language('rules.choose'),
        options=[
            discord.SelectOption(
                label=language('rules.short') if name == SHORT else language(f'{game_id}.rules.{name}.title'),
                value=name,
                default=name == section,
            )
            for name in (SHORT, *sections)
        ],
    )
    return layout([language('rules.title', game=language(f'{game_id}.name')), text], [ui.ActionRow(menu)], game_view.colour)
