"""The board: the one public message of a table. It shows what everyone may see, and never more."""

from __future__ import annotations

from typing import Any, Final

import discord
from discord import ui

from ..tables.seats import Seat
from ..tables.table import RoundEnd, Table, places
from ..tables.time_control import NONE
from .custom_ids import press
from .game_view import GameView
from .language import Language, escape_name
from .layout import layout

_MEDALS: Final = {1: '🥇', 2: '🥈', 3: '🥉'}


def board(table: Table, game_view: GameView, language: Language, *, mention: bool = True) -> ui.LayoutView:
    """The board of a table as it stands now; with `mention` it names the person to move so that Discord can ping them."""
    if table.state == 'lobby':
        parts, buttons = _lobby(table, language)
    elif table.state == 'playing':
        parts, buttons = _match(table, game_view, language, mention)
    else:
        parts, buttons = _end(table, game_view, language)
    rows = [ui.ActionRow(*buttons[start : start + 5]) for start in range(0, len(buttons), 5)]
    return layout(parts, rows, game_view.colour)


def option_line(table: Table, language: Language) -> str:
    """The house rules of the table, in one line. What depends on how many play is a number only once the match has begun."""
    options = table.match.options if table.match else table.options
    return ' · '.join(
        language(
            'option.line',
            name=language(f'{table.game.id}.option.{option.name}'),
            value=_value(table, options.get(option.name, option.default), language),
        )
        for option in table.game.options
    )


def _value(table: Table, value: Any, language: Language) -> str:
    if value is None:
        return language('option.none')
    return language(f'{table.game.id}.choice.{value}') if isinstance(value, str) else str(value)


def _button(language: Language, action: str, table: Table, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> ui.Button[Any]:
    return ui.Button(label=language(f'button.{action}'), style=style, custom_id=press(action, table))


def _lobby(table: Table, language: Language) -> tuple[list[str], list[ui.Button[Any]]]:
    least = table.game.seats[0]
    seats = [
        language('lobby.host' if seat.person.id == table.host_id else 'lobby.seat', n=number + 1, name=escape_name(seat.person.name))
        for number, seat in enumerate(table.seats)
    ]
    missing = least - len(table.seats)
    parts = [
        language('lobby.title', game=language(f'{table.game.id}.name')) + '\n' + language(f'{table.game.id}.tagline'),
        language('lobby.seats', taken=len(table.seats), most=table.most) + '\n' + '\n'.join(seats),
        (language('lobby.waiting', n=missing) if missing > 0 else language('lobby.ready', host=_host(table)))
        + '\n-# '
        + option_line(table, language)
        + '\n-# '
        + language('lobby.pace', pace=language(f'pace.{table.time_control.id if table.time_control else NONE}'))
        + ('\n-# ' + language('lobby.watching', n=len(table.watchers)) if table.watchers else '')
        + ('\n-# ' + _votes(table, language) if table.votes else ''),
    ]
    return parts, [
        _button(language, 'join', table, discord.ButtonStyle.success),
        _button(language, 'leave', table),
        _button(language, 'start', table, discord.ButtonStyle.primary),
        _button(language, 'watch', table),
        _button(language, 'rules', table),
    ]


def _votes(table: Table, language: Language) -> str:
    return language('board.votes', n=len(table.votes), host=_host(table))


def _host(table: Table) -> str:
    return next((escape_name(person.name) for person in table.people if person.id == table.host_id), '?')


def _match(table: Table, game_view: GameView, language: Language, mention: bool) -> tuple[list[str], list[ui.Button[Any]]]:
    assert table.match is not None
    observation = table.observation(None)
    seats = []
    for number, seat in enumerate(table.seats):
        key = 'board.turn' if number == observation.turn else 'board.seat'
        name = escape_name(seat.person.name)
        if seat.person.id == table.host_id and not seat.departed:
            name = language('board.host', name=name)
        note = game_view.seat_note(table, observation, number, language)
        line = language(key, name=name, note=note, total=game_view.total(table, number, language))
        seats.append(line + _gone(seat, language))
    parts = [
        language('board.title', game=language(f'{table.game.id}.name'), n=table.match.number + 1)
        + '\n'
        + game_view.piles(table, observation, language),
        '\n'.join(seats) + '\n-# ' + option_line(table, language),
        '\n'.join([*_news(table, game_view, language), _asked(table, language, mention)]),
    ]
    style = discord.ButtonStyle.secondary
    game: list[ui.Button[Any]] = [
        ui.Button(label=game_view.button_label(text, language), style=style, custom_id=press('play', table, text, here=True))
        for text in game_view.always()
    ] + game_view.public_buttons(table, language)
    back = [_button(language, 'back', table, discord.ButtonStyle.success)] if any(seat.away for seat in table.seats) else []
    return parts, [_button(language, 'hand', table, discord.ButtonStyle.primary), *game, _button(language, 'rules', table), *back]


def _gone(seat: Seat, language: Language) -> str:
    if seat.auto:
        return ' ' + language('board.left' if seat.departed else 'board.away')
    return ''


def _asked(table: Table, language: Language, mention: bool) -> str:
    """Whose turn it is, and until when; or why time stands still."""
    turn = table.seats[table.turn]
    if turn.auto:
        return language('board.auto-turn', name=escape_name(turn.person.name))
    lines = [language('board.asked', name=f'<@{turn.person.id}>' if mention else f'**{escape_name(turn.person.name)}**')]
    if table.waiting_for:
        lines.append('-# ' + language(f'waiting.{table.waiting_for}'))
    elif table.deadline is not None:
        lines.append('-# ' + language('board.deadline', when=f'<t:{int(table.deadline)}:R>'))
    if table.votes:
        lines.append('-# ' + _votes(table, language))
    return '\n'.join(lines)


def _news(table: Table, game_view: GameView, language: Language) -> list[str]:
    """What happened last, in small print; then how the last round came out, as long as the next has only just begun."""
    lines = [line for event in table.recent if event.seen_by is None and (line := language.event(table, event))]
    if table.ply < len(table.seats):
        lines += [round_line(table, end, game_view, language) for end in table.ends]
    return [f'-# {line}' for line in lines]


def round_line(table: Table, end: RoundEnd, game_view: GameView, language: Language) -> str:
    """How a round came out, in one line."""
    points = game_view.result(table, end, language)
    return language('round.end', n=end.round_no + 1, why=language(f'{table.game.id}.end.{end.reason}'), points=points)


def winners(table: Table, language: Language) -> str:
    """Who has won the finished match at this table, in one line."""
    seats = table.match.winners if table.match else []
    return language('end.winners', n=len(seats), names=language.listed(f'**{language.name(table, seat)}**' for seat in seats))


def _end(table: Table, game_view: GameView, language: Language) -> tuple[list[str], list[ui.Button[Any]]]:
    game = language(f'{table.game.id}.name')
    if table.match is None or table.state == 'closed':
        return [language('end.closed', game=game) + '\n' + language(f'outcome.{table.outcome}')], []
    standing = places(table.match)
    lines = [
        language(
            'end.place',
            medal=_MEDALS.get(standing[seat], f'{standing[seat]}.'),
            name=language.name(table, seat),
            total=game_view.total(table, seat, language),
        )
        + _gone(table.seats[seat], language)
        for seat in sorted(range(len(table.seats)), key=lambda seat: (standing[seat], seat))
    ]
    if table.state == 'abandoned':
        head = language('end.abandoned', game=game) + '\n' + language(f'outcome.{table.outcome}')
        return [head, '\n'.join(lines)], [_button(language, 'rematch', table, discord.ButtonStyle.success)]
    parts = [
        language('end.title', game=game) + '\n' + winners(table, language),
        '\n'.join(lines),
        '\n'.join(_news(table, game_view, language)),
    ]
    return parts, [_button(language, 'rematch', table, discord.ButtonStyle.success), _button(language, 'rules', table)]
