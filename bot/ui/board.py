"""The board: the one public message of a table. It shows what everyone may see, and never more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import discord
from discord import ui

from ..pace import NONE
from ..table import RoundEnd, Seat, Table, places
from .ids import press
from .words import Words, plain

_MEDALS: Final = {1: '🥇', 2: '🥈', 3: '🥉'}


def board(table: Table, words: Words, *, mention: bool = True) -> ui.LayoutView:
    """The board of a table as it stands now; with `mention` it names the person to move so that Discord can ping them."""
    face = words.faces[table.game.id]
    if table.state == 'lobby':
        parts, buttons = _lobby(table, words)
    elif table.state == 'playing':
        parts, buttons = _match(table, words, mention)
    else:
        parts, buttons = _end(table, words)
    rows = [ui.ActionRow(*buttons[start : start + 5]) for start in range(0, len(buttons), 5)]
    return layout(parts, rows, face.colour)


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


def option_line(table: Table, words: Words) -> str:
    """The house rules of the table, in one line; what depends on how many play, as a number only when the match has begun."""
    options = table.match.options if table.match else table.options
    return ' · '.join(
        words(
            'option.line',
            name=words(f'{table.game.id}.option.{option.name}'),
            value=_value(table, options.get(option.name, option.default), words),
        )
        for option in table.game.options
    )


def _value(table: Table, value: Any, words: Words) -> str:
    if value is None:
        return words('option.none')
    return words(f'{table.game.id}.choice.{value}') if isinstance(value, str) else str(value)


def _button(words: Words, action: str, table: Table, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> ui.Button[Any]:
    return ui.Button(label=words(f'button.{action}'), style=style, custom_id=press(action, table))


def _lobby(table: Table, words: Words) -> tuple[list[str], list[ui.Button[Any]]]:
    least = table.game.seats[0]
    seats = [
        words('lobby.host' if seat.person.id == table.host_id else 'lobby.seat', n=number + 1, name=plain(seat.person.name))
        for number, seat in enumerate(table.seats)
    ]
    missing = least - len(table.seats)
    parts = [
        words('lobby.title', game=words(f'{table.game.id}.name')) + '\n' + words(f'{table.game.id}.tagline'),
        words('lobby.seats', taken=len(table.seats), most=table.most) + '\n' + '\n'.join(seats),
        (words('lobby.waiting', n=missing) if missing > 0 else words('lobby.ready', host=_host(table)))
        + '\n-# '
        + option_line(table, words)
        + '\n-# '
        + words('lobby.pace', pace=words(f'pace.{table.pace.id if table.pace else NONE}'))
        + ('\n-# ' + words('lobby.watching', n=len(table.watchers)) if table.watchers else '')
        + ('\n-# ' + _votes(table, words) if table.votes else ''),
    ]
    return parts, [
        _button(words, 'join', table, discord.ButtonStyle.success),
        _button(words, 'leave', table),
        _button(words, 'start', table, discord.ButtonStyle.primary),
        _button(words, 'watch', table),
        _button(words, 'rules', table),
    ]


def _votes(table: Table, words: Words) -> str:
    return words('board.votes', n=len(table.votes), host=_host(table))


def _host(table: Table) -> str:
    return next((plain(person.name) for person in table.people if person.id == table.host_id), '?')


def _match(table: Table, words: Words, mention: bool) -> tuple[list[str], list[ui.Button[Any]]]:
    assert table.match is not None
    face, observation = words.faces[table.game.id], table.observation(None)
    seats = []
    for number, seat in enumerate(table.seats):
        key = 'board.turn' if number == observation.turn else 'board.seat'
        name = plain(seat.person.name)
        if seat.person.id == table.host_id and not seat.left:
            name = words('board.host', name=name)
        note = face.seat_note(table, observation, number, words)
        line = words(key, name=name, note=note, total=face.total(table, number, words))
        seats.append(line + _gone(seat, words))
    parts = [
        words('board.title', game=words(f'{table.game.id}.name'), n=table.match.number + 1) + '\n' + face.piles(table, observation, words),
        '\n'.join(seats) + '\n-# ' + option_line(table, words),
        '\n'.join([*_news(table, words), _asked(table, words, mention)]),
    ]
    game: list[ui.Button[Any]] = [
        ui.Button(label=face.button_label(text, words), style=discord.ButtonStyle.secondary, custom_id=press('play', table, text))
        for text in face.always()
    ] + face.public_buttons(table, words)
    back = [_button(words, 'back', table, discord.ButtonStyle.success)] if any(seat.away for seat in table.seats) else []
    return parts, [_button(words, 'hand', table, discord.ButtonStyle.primary), *game, _button(words, 'rules', table), *back]


def _gone(seat: Seat, words: Words) -> str:
    if seat.auto:
        return ' ' + words('board.left' if seat.left else 'board.away')
    return ''


def _asked(table: Table, words: Words, mention: bool) -> str:
    """Whose turn it is, and until when; or why time stands still."""
    turn = table.seats[table.turn]
    if turn.auto:
        return words('board.auto-turn', name=plain(turn.person.name))
    lines = [words('board.asked', name=f'<@{turn.person.id}>' if mention else f'**{plain(turn.person.name)}**')]
    if table.waiting_for:
        lines.append('-# ' + words(f'waiting.{table.waiting_for}'))
    elif table.deadline is not None:
        lines.append('-# ' + words('board.deadline', when=f'<t:{int(table.deadline)}:R>'))
    if table.votes:
        lines.append('-# ' + _votes(table, words))
    return '\n'.join(lines)


def _news(table: Table, words: Words) -> list[str]:
    """What happened last, in small print; then how the last round came out, while the next one is young."""
    lines = [line for event in table.recent if event.seen_by is None and (line := words.event(table, event))]
    if table.ply < len(table.seats):
        lines += [round_line(table, end, words) for end in table.ends]
    return [f'-# {line}' for line in lines]


def round_line(table: Table, end: RoundEnd, words: Words) -> str:
    """How a round came out, in one line."""
    points = words.faces[table.game.id].result(table, end, words)
    return words('round.end', n=end.number + 1, why=words(f'{table.game.id}.end.{end.reason}'), points=points)


def winners(table: Table, words: Words) -> str:
    """Who has won the finished match at this table, in one line."""
    seats = table.match.winners if table.match else []
    return words('end.winners', n=len(seats), names=words.listed(f'**{words.name(table, seat)}**' for seat in seats))


def _end(table: Table, words: Words) -> tuple[list[str], list[ui.Button[Any]]]:
    game = words(f'{table.game.id}.name')
    if table.match is None or table.state == 'closed':
        return [words('end.closed', game=game) + '\n' + words(f'outcome.{table.outcome}')], []
    standing = places(table.match)
    lines = [
        words(
            'end.place',
            medal=_MEDALS.get(standing[seat], f'{standing[seat]}.'),
            name=words.name(table, seat),
            total=words.faces[table.game.id].total(table, seat, words),
        )
        + _gone(table.seats[seat], words)
        for seat in sorted(range(len(table.seats)), key=lambda seat: (standing[seat], seat))
    ]
    if table.state == 'abandoned':
        head = words('end.abandoned', game=game) + '\n' + words(f'outcome.{table.outcome}')
        return [head, '\n'.join(lines)], [_button(words, 'rematch', table, discord.ButtonStyle.success)]
    parts = [
        words('end.title', game=game) + '\n' + winners(table, words),
        '\n'.join(lines),
        '\n'.join(_news(table, words)),
    ]
    return parts, [_button(words, 'rematch', table, discord.ButtonStyle.success), _button(words, 'rules', table)]
