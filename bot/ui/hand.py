"""The hand: what one player sees of the table and plays from, in a direct message or a private answer."""

from __future__ import annotations

from typing import Any

import discord
from discord import ui

from ..tables.table import Table
from .board import winners
from .custom_ids import press
from .game_view import GameView
from .language import Language, escape_name
from .layout import layout
from .pictures import Picture


def hand(
    table: Table,
    user_id: int,
    game_view: GameView,
    language: Language,
    *,
    server: str,
    direct: bool,
    pictures: bool,
    rows: list[ui.ActionRow[Any]] | None = None,
) -> tuple[ui.LayoutView, Picture | None]:
    """The hand of this user, and with `pictures` the picture that it shows, where there are cards to show (`bot.ui.pictures`).

    `direct` names the server and links to the board, for a message that stands alone; `rows` are shown instead of the game's menus and
    buttons, in the middle of a choice that takes several steps.

    Raises TableError `not-seated`; but a `direct` hand tells those who have left the match that they have.
    """
    picture = None
    parts: list[str | ui.MediaGallery[Any]] = []
    if direct:
        parts.append(where(table, language, server))
    if direct and table.state == 'playing' and table.seat_of(user_id) is None:
        return layout([*parts, language('hand.left')], [], game_view.colour), None
    if table.state == 'playing':
        table.seat(user_id)
        observation = table.observation(user_id)
        asked = language('hand.your-turn') if observation.legal else language('hand.waiting', name=language.name(table, observation.turn))
        if table.deadline is not None and observation.legal:
            asked += '\n-# ' + language('board.deadline', when=f'<t:{int(table.deadline)}:R>')
        parts += [
            game_view.piles(table, observation, language),
            language('hand.title') + '\n' + game_view.hand(table, observation, language),
        ]
        if pictures and (picture := game_view.picture(observation, language)) is not None:
            parts.append(picture.gallery)
        parts.append(asked)
        rows = game_view.controls(table, observation, language) if rows is None else rows
    elif table.state == 'finished':
        parts.append(language('outcome.finished') + '\n' + winners(table, language))
    else:
        parts.append(language(f'outcome.{table.outcome}') if table.outcome else language('hand.lobby'))
    last: list[ui.Button[Any]] = []
    if table.state == 'playing':
        number = table.seat(user_id)
        if table.seats[number].away:
            last.append(ui.Button(label=language('button.back'), custom_id=press('back', table), style=discord.ButtonStyle.success))
        if table.can_take_back(number):
            last.append(ui.Button(label=language('button.take-back'), custom_id=press('take-back', table, here=True)))
        if not direct:
            last.append(ui.Button(label=language('button.refresh'), custom_id=press('refresh', table)))
    elif table.match is not None and table.state in ('finished', 'abandoned'):
        last.append(ui.Button(label=language('button.rematch'), custom_id=press('rematch', table), style=discord.ButtonStyle.success))
    return layout(parts, [*(rows or []), *([ui.ActionRow(*last)] if last else [])], game_view.colour), picture


def retired_hand(game_view: GameView, language: Language) -> ui.LayoutView:
    """What stands in place of a hand that was shown again further down."""
    return layout([language('hand.retired')], [], game_view.colour)


def where(table: Table, language: Language, server: str) -> str:
    """Which table it is, with a link to it, in one line."""
    return language('hand.where', game=language(f'{table.game.id}.name'), server=escape_name(server), link=board_link(table))


def board_link(table: Table) -> str:
    """Where the board can be found: a link that Discord opens."""
    place = f'https://discord.com/channels/{table.guild_id}/{table.board_channel or table.channel_id}'
    return f'{place}/{table.board_message}' if table.board_message else place
