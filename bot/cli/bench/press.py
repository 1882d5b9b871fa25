"""How much processor time a press that plays takes: answered, stored, and the board and every hand rendered again.

The real bot plays on simcord (the extra `demo`), whose work is part of the figures: they are for comparing two versions of the bot.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Callable
from random import Random
from time import process_time
from typing import Any, Final
from unittest.mock import patch

import simcord

from ...app import create_bot
from ...clock import Clock
from ...config import Settings
from ...engines import games
from ...storage import Store

PRESSES: Final = 200
"""Presses at each table; a tenth as many go before them."""
SEATS: Final = 4
"""How many play, beside as few as can."""


def figures(progress: Callable[[str], None]) -> dict[str, float]:
    tables = [(game.id, seats) for game in games().values() for seats in sorted({game.seats[0], SEATS})]
    progress(f'{PRESSES} presses at each of {len(tables)} tables …')
    return {f'{game}_{seats}_press_ms': asyncio.run(_measured(game, seats)) for game, seats in tables}


def table(figures: dict[str, float]) -> list[list[str]]:
    return [['processor time of a press', 'ms'], *([name, f'{figure:.2f}'] for name, figure in figures.items())]


async def _measured(game: str, seats: int) -> float:
    """Milliseconds of processor time for a press, the mean. The cards and the choices are the same every time."""
    random, nonces, taken = Random(game), Random(), 0.0
    same_cards = patch.object(secrets, 'token_hex', lambda size: '0' * 64 if size == 32 else nonces.randbytes(size).hex())
    with tempfile.TemporaryDirectory(prefix='cardnight-bench-') as folder, same_cards:
        settings = Settings(token=None, board_interval=0, requests_per_second=0, database_url=f'sqlite:///{folder}/press.sqlite3')
        worlds: list[simcord.Env] = []
        clock = Clock(lambda: worlds[0].now().timestamp(), asyncio.create_task, asyncio.get_running_loop().call_later)
        store = await Store.open(settings.database_url, spawn=asyncio.create_task)
        bot = create_bot(settings, store=store, clock=clock)
        async with simcord.run(bot) as env:
            worlds.append(env)
            guild = env.create_guild()
            channel = guild.create_text_channel('cards')
            people = [guild.add_member(env.create_user(f'player{number}')) for number in range(seats)]
            for number in range(-PRESSES // 10, PRESSES):
                if not bot.host.tables:
                    await people[0].slash(channel, f'{game} open', pace='none')
                    for person in people[1:]:
                        await person.slash(channel, 'table join')
                    await people[0].slash(channel, 'table start')
                [user] = [one.user for one in people if one.id == bot.host.tables[0].seats[bot.host.tables[0].turn].person.id]
                hand = user.dm_channel.history()[-1]
                control = random.choice(_plays(hand))
                chosen: dict[str, Any] = {'values': [random.choice(control.options).value]} if hasattr(control, 'options') else {}
                began = process_time()
                await (user.select if chosen else user.click)(hand, custom_id=control.custom_id, **chosen)
                taken += process_time() - began if number >= 0 else 0.0
            await bot.close()
        await store.close()
    return 1000 * taken / PRESSES


def _plays(hand: Any) -> list[Any]:
    """The buttons and menus of a hand that make a move, or else those that lead to it."""
    controls = [control for row in hand.components[0].children if row.type.name == 'action_row' for control in row.children]
    playing = [control for control in controls if control.custom_id.split(':')[1] in ('play', 'choose', 'sure')]
    return playing or [control for control in controls if control.custom_id.split(':')[1] in ('class', 'turn')]
