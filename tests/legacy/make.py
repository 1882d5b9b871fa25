"""Makes what an evening leaves behind: `python -m tests.legacy.make FOLDER`, from the root of any version of this project.

`evening.sql` is the database as the bot leaves it when it stops, and `evening.json` what stands in Discord then: servers, people,
and every board, hand and page with its texts and custom ids. Beside that it has what the same version reads back from that database:
the positions of the open tables, the controls of the messages that it renders again, and the leaderboards.

The two files in this folder were made by version 0.1.0 at commit c9ab0ea, whose modules still stood elsewhere, and stay as they are:
`tests/cogs/test_legacy.py` shows that later versions go on from them. Everything is done as people do it, by commands, buttons and
menus, and the cards are dealt from fixed seeds, so the same version makes the same files again.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import secrets
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import simcord

from bot.app import CardBot, create_bot
from bot.config import Settings
from bot.storage import Store

from ..cogs.conftest import virtual_clock
from ..cogs.night import Night
from ..cogs.playing import HandMessage, running
from .kept import PERMISSIONS, channels, controls, kept_message, leaderboards, messages, people, position, server

SETTINGS: dict[str, Any] = {'token': None, 'board_interval': 0, 'requests_per_second': 0, 'rating_min_matches': 2}
DAY = 24 * 3600.0


# --- an evening -----------------------------------------------------------------------------------------------------------------


class Evening:
    """One table after the other, each in a channel of its own."""

    def __init__(self, night: Night) -> None:
        self.night = night
        self.named: dict[str, Any] = {}
        """By channel, the table that is open there at the end."""

    async def table(self, channel: str, game: str, *names: str, start: bool = True, **options: object) -> Night:
        """A table of this game in a new channel, with these people."""
        side = self.night.in_channel(self.night.guild.create_text_channel(channel))
        await side.slash(names[0], f'{game} open', **options)
        for name in names[1:]:
            await press(side, name, 'join')
        if start:
            await press(side, names[0], 'start')
        self.named[channel] = side.table
        return side

    async def finished(self, channel: str, game: str, *names: str, **options: object) -> Night:
        """A match that was played to its end."""
        side = await self.table(channel, game, *names, **options)
        await play(side, lambda: False)
        del self.named[channel]
        return side


async def press(night: Night, name: str, action: str, argument: str = '') -> list[str]:
    """Presses a button of the board."""
    return await night.deliver(night.a_press(name, night.board(), f't:{action}:{night.table.id}::{argument}'))


async def play(night: Night, until: Callable[[], object]) -> None:
    """Whoever is on turn plays what the simple computer player would, until the match is over or this holds."""
    table = night.table
    while table.state == 'playing' and not until():
        await play_one(night)


async def play_one(night: Night) -> None:
    table, round_ = night.table, running(night.table)
    move = round_.format_move(table.game.greedy(round_.observation(round_.turn)))
    await press(night, night.name_of_turn(), 'play', move)


def at(night: Night, *, round_no: int = 0, step: int = 0) -> Callable[[], bool]:
    """Whether the match has come so far."""
    return lambda: night.table.position >= (round_no, step)


async def evening(club: Night, den: Night) -> dict[str, Any]:
    """Everything that is left behind; the open tables by channel."""
    one, two = Evening(club), Evening(den)
    await one.finished('first', 'superman', 'Ann', 'Bob', target=20)
    await one.finished('second', 'superman', 'Bob', 'Ann', 'Cem', target=20, followup='next')
    await two.finished('third', 'swoop', 'Ann', 'Dora', 'Emil', rounds=1)
    await club.env.advance_time(40 * DAY)
    await one.finished('fourth', 'thirteen', 'Ann', 'Bob', 'Cem', 'Dora', target=3)
    given_up = await one.table('fifth', 'kings', 'Ann', 'Bob')
    await play(given_up, at(given_up, step=4))
    await given_up.slash('Ann', 'table end')
    del one.named['fifth']
    kept_boards = {channels(club)['first'], channels(club)['fifth']}
    for message in messages(club.env).values():
        if message.channel_id not in kept_boards:
            del club.env.backend.messages[message.channel_id][message.id]

    # a seat whose owner is away, in the second round, by the clock
    away = await one.table('away', 'swoop', 'Ann', 'Bob', 'Cem', rounds=3, pace='live')
    await play(away, at(away, round_no=1))
    while not away.table.seats[2].away:
        if away.name_of_turn() == 'Cem':
            await club.env.advance_time(300)
        else:
            await play(away, lambda: away.name_of_turn() == 'Cem')
    await club.env.advance_time(10)
    await play(away, lambda: has_several(away))

    lobby = await one.table('lobby', 'superman', 'Ann', 'Bob', start=False, seats=4, target=60, pace='live')
    await press(lobby, 'Cem', 'watch')

    # a move that was taken back, in the second round
    undone = await one.table('undone', 'superman', 'Bob', 'Ann', target=50, pace='live')
    await play(undone, at(undone, round_no=1, step=3))
    await take_one_back(undone)
    await play(undone, at(undone, round_no=1, step=8))

    thirteen = await one.table('thirteen', 'thirteen', 'Cem', 'Ann', 'Bob', 'Dora', pace='relaxed')
    await play(thirteen, lambda: at(thirteen, step=5)() and len(thirteen.legal()) > 30)

    # one has left and was replaced, another one has left
    left = await one.table('left', 'kings', 'Ann', 'Bob', 'Cem', pace='none', target=60)
    await play(left, at(left, step=5))
    await left.slash('Cem', 'table leave')
    await left.slash('Dora', 'table join')
    await left.slash('Bob', 'table leave')
    await club.env.advance_time(10)
    await play(left, lambda: at(left, step=12)() and left.name_of_turn() == 'Dora' and len(left.legal()) > 3)

    # somebody puts a capture together
    capture = await two.table('capture', 'villains', 'Ann', 'Dora', 'Fay', pace='none', hand=5)
    await play(capture, lambda: at(capture, step=9)() and sum(text.startswith('capture ') for text in capture.legal()) > 3)

    # hands that were opened at the board, some of them in the middle of a choice
    hands = {side.channel.name: await opened(side) for side in (away, undone, thirteen, left, capture)}
    await hands['away'].choose('some', next(iter(hands['away'].options('some'))))
    await hands['thirteen'].choose('class', next(iter(hands['thirteen'].options('class'))))
    villain, heroes = re.findall('[a-z-]+', next(text for text in capture.legal() if re.fullmatch(r'capture [a-z-]+ \| [a-z-]+', text)))[1:]
    await hands['capture'].choose('villain-side', str(capture.table.game.card(villain)))
    await hands['capture'].choose('hero-side', str(capture.table.game.card(heroes)))
    await club.slash('Ann', 'table mine')
    await club.slash('Bob', 'leaderboard')
    await club.slash('Cem', 'rules', game='superman')

    await club.slash('Cem', 'table call', game='superman')
    await den.slash('Emil', 'table call')
    await den.slash('Fay', 'table call', game='kings')
    crew, players = (den.guild.create_role(name) for name in ('crew', 'players'))
    await den.slash('Fay', 'settings server', channel=den.channel, hosts=crew, ping=players, pace='relaxed', mentions='none')
    await den.slash('Fay', 'settings server', language='en', pictures=False)
    await club.slash('Dora', 'settings mine', confirm=True, language='en')
    await club.slash('Emil', 'settings mine', direct=False, pings=False)
    text = next(text for text in hands['left'].buttons() if text.startswith('play '))
    await hands['left'].press('play', text)  # Dora, who is now asked whether she is sure
    return one.named | two.named


async def take_one_back(night: Night) -> None:
    """Plays a card that may be taken back, and takes it back."""
    before = night.table.position
    while night.table.position <= before:
        name = night.name_of_turn()
        await play_one(night)
        before = night.table.position
        await night.slash(name, 'table undo')


def has_several(night: Night) -> bool:
    """Whether somebody is on turn who can choose how many cards of a number to play."""
    cards = [text.split()[1] for text in night.legal() if text.startswith('play ')]
    return night.name_of_turn() != 'Cem' and len(set(cards)) < len(cards)


async def opened(night: Night) -> HandMessage:
    return await HandMessage.opened(night, night.name_of_turn())


# --- what is kept -----------------------------------------------------------------------------------------------------------------


async def made(folder: Path) -> tuple[str, dict[str, Any]]:
    """The database as SQL, and the rest."""
    settings = Settings(**SETTINGS, database_url=f'sqlite:///{folder}/evening.sqlite3')
    store = await Store.open(settings.database_url, spawn=asyncio.create_task)
    worlds: list[simcord.Env] = []
    clock = virtual_clock(lambda: worlds[0])
    bot = create_bot(settings, store=store, clock=clock)
    async with simcord.run(bot) as env:
        worlds.append(env)
        guild = env.create_guild('Club')
        club = Night(env, bot, guild, guild.create_text_channel('cards'))
        den = club.in_server('Den')
        den.person('Fay', roles=[den.guild.create_role('boss', permissions=PERMISSIONS['boss'])])
        tables = await evening(club, den)
        standing = {str(message.id): kept_message(message) for message in messages(env).values()}
        now = env.now().timestamp()
        await bot.close()
        with closing(sqlite3.connect(folder / 'evening.sqlite3')) as connection:
            sql = '\n'.join(connection.iterdump()) + '\n'

        bot = create_bot(settings, store=store, clock=clock)
        await env.restart_bot(bot)
        club.bot = den.bot = bot
        positions = {channel: position(table) for channel, table in tables_now(bot, tables).items() if table.match}
        again = {
            str(one.id): controls(one.components) for one in messages(env).values() if str(one.id) in standing and not one.is_ephemeral
        }
        pages = {'Club': await leaderboards(club, 'Ann'), 'Den': await leaderboards(den, 'Dora')}
        await bot.close()
        await store.close()
        return sql, {
            'now': now,
            'people': people(club),
            'servers': {night.guild.name: server(night) for night in (club, den)},
            'tables': {channel: table.id for channel, table in tables.items()},
            'positions': positions,
            'leaderboards': pages,
            'controls': again,
            'messages': standing,
        }


def tables_now(bot: CardBot, tables: dict[str, Any]) -> dict[str, Any]:
    found = {table.id: table for table in bot.host.tables}
    return {channel: found[table.id] for channel, table in tables.items()}


def main() -> None:
    settle, numbers = simcord.Env._settle_internal, itertools.count(1)
    simcord.Env._settle_internal = lambda self, *args, **how: settle(self, *args, **{'idle': 0.001} | how)  # type: ignore[method-assign]
    secrets.token_hex = lambda size=32: f'{next(numbers):0{2 * size}x}'
    with tempfile.TemporaryDirectory() as folder:
        sql, rest = asyncio.run(made(Path(folder)))
    target = Path(sys.argv[1])
    (target / 'evening.sql').write_text(sql, 'utf-8')
    lines = []
    for name, value in rest.items():
        if isinstance(value, dict):
            parts = ',\n'.join(f'  {json.dumps(key)}: {json.dumps(part, ensure_ascii=False)}' for key, part in value.items())
            lines.append(f' {json.dumps(name)}: {{\n{parts}\n }}')
        else:
            lines.append(f' {json.dumps(name)}: {json.dumps(value)}')
    (target / 'evening.json').write_text('{\n' + ',\n'.join(lines) + '\n}\n', 'utf-8')


if __name__ == '__main__':
    main()
