"""Edits by the tokens of presses: which one is used, for how long, and what happens when Discord does not take it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.chat.tokens import LIFE, Tokens

from ..virtual_time import VirtualTime
from .fake_client import refusal


class Message:
    """A message that counts how it is edited."""

    def __init__(self, message_id: int) -> None:
        self.id, self.edits = message_id, 0

    async def edit(self, **what: Any) -> None:
        self.edits += 1


class Press:
    """An acknowledged press on a message."""

    type = discord.InteractionType.component

    def __init__(self, message_id: int, error: discord.HTTPException | None = None) -> None:
        self.message, self.error, self.edits = SimpleNamespace(id=message_id), error, 0

    async def edit_original_response(self, **what: Any) -> None:
        if self.error is not None:
            raise self.error
        self.edits += 1


def remembering(time: VirtualTime, *presses: Press) -> Tokens:
    tokens = Tokens(lambda: time.now)
    for press in presses:
        tokens.remember(press)  # type: ignore[arg-type]
    return tokens


async def test_a_message_is_edited_by_its_freshest_token_while_that_lives() -> None:
    time, message, old, fresh = VirtualTime(), Message(5), Press(5), Press(5)
    tokens = remembering(time, old, fresh)
    await tokens.edit(message)  # type: ignore[arg-type]
    assert (old.edits, fresh.edits, message.edits) == (0, 1, 0)
    await time.pass_(LIFE + 1)
    assert not tokens.has(5)
    await tokens.edit(message)  # type: ignore[arg-type]
    assert (old.edits, fresh.edits, message.edits) == (0, 1, 1)


async def test_a_token_serves_no_other_message() -> None:
    message, press = Message(6), Press(5)
    tokens = remembering(VirtualTime(), press)
    assert not tokens.has(6)
    await tokens.edit(message)  # type: ignore[arg-type]
    assert (press.edits, message.edits) == (0, 1)


@pytest.mark.parametrize('code', [10015, 50027, 10062])
async def test_without_its_token_a_message_is_edited_through_its_channel(code: int) -> None:
    message, press = Message(5), Press(5, refusal(404, code))
    tokens = remembering(VirtualTime(), press)
    await tokens.edit(message)  # type: ignore[arg-type]
    assert message.edits == 1
    assert not tokens.has(5), 'it is not tried again'


async def test_what_discord_refuses_otherwise_is_raised() -> None:
    message, press = Message(5), Press(5, refusal(404, 10008))
    tokens = remembering(VirtualTime(), press)
    with pytest.raises(discord.NotFound):
        await tokens.edit(message)  # type: ignore[arg-type]
    assert message.edits == 0


async def test_dead_tokens_are_forgotten() -> None:
    time = VirtualTime()
    tokens = remembering(time, *(Press(number) for number in range(100)))
    await time.pass_(LIFE + 1)
    tokens.remember(Press(1000))  # type: ignore[arg-type]
    assert [number for number in (0, 50, 99, 1000) if tokens.has(number)] == [1000]
    assert len(tokens._fresh) == 1
