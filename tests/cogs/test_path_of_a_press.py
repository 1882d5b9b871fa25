"""How far a press that plays a card travels through the code until its move is stored."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from bot.engines.base import Round
from bot.storage import Store

from .night import Night
from .playing import HandMessage, begin, lay

ROOT = Path(__file__).parents[2]
PROJECT = tuple(f'{ROOT / folder}/' for folder in ('bot', 'cogs'))
MOST = 18
"""Changes of file that a press may take until its move is stored."""


class Travel:
    """The calls from one file of `bot/` or `cogs/` into another, from `on_interaction` until `Store.add_move` is entered.

    A call counts when the function that it enters is in another file than the function that made it; frames of other packages
    between the two (discord.py, asyncio, the standard library) are passed over. Returns do not count, nor does a coroutine or
    generator that goes on after it has waited. Only the task that handles the press is followed: rendering in the background is
    not part of it.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.arrived = False
        """Whether the move was about to be stored."""
        self._task: asyncio.Task[Any] | None = None
        self._entered: set[FrameType] = set()

    def __enter__(self) -> Travel:
        self._before = sys.getprofile()
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(self._before)
        self._entered.clear()

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != 'call' or self.arrived or not code.co_filename.startswith(PROJECT) or frame in self._entered:
            return
        try:
            task = asyncio.current_task()
        except RuntimeError:  # nothing runs in the event loop just now
            return
        if self._task is None and code.co_name == 'on_interaction':
            self._task = task
        if task is None or task is not self._task:
            return
        self._entered.add(frame)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PROJECT):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != code.co_filename:
            self.calls.append(f'{_where(caller)} -> {_where(frame)}')
        self.arrived = code is Store.add_move.__code__


def _where(frame: FrameType) -> str:
    return f'{Path(frame.f_code.co_filename).relative_to(ROOT)}:{frame.f_code.co_qualname}'


async def test_a_card_played_by_button_takes_few_changes_of_file(night: Night) -> None:
    await begin(night, 'kings', 2)
    await lay(night, one_card_fits(night))
    hand = await HandMessage.opened(night, 'Ann')
    with Travel() as travel:
        await hand.press('play', 'play 7D T1')
    few(night, travel, 'play 7D T1')


def one_card_fits(night: Night) -> Round:
    """A position of Kings in the Corner: the first player holds a card that can be played, and one that cannot."""
    table = night.table
    hands = [[table.game.card(card) for card in cards.split()] for cards in ('7D 2S', '3H 4H')]
    return table.game.position(2, table.options, {'hands': hands, 'stock': [], 'stalls': {'T1': [table.game.card('8S')]}}, {'turn': 0})


async def test_a_card_played_by_menu_takes_few_changes_of_file(night: Night) -> None:
    await begin(night, 'superman', 2)
    night.put(['R2 R3 Y4', 'R2 Y4'], 'R1')
    await night.render()
    hand = await HandMessage.opened(night, 'Ann')
    with Travel() as travel:
        await hand.choose('choose', 'play R2')
    few(night, travel, 'play R2')


def few(night: Night, travel: Travel, text: str) -> None:
    """Fails when the press took too many changes of file, with a list of them."""
    assert travel.arrived
    assert [row[4] for row in night.stored()['move']] == [text]
    assert len(travel.calls) <= MOST, '\n'.join([f'{len(travel.calls)} changes of file:', *travel.calls])
