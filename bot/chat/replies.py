"""Answering an interaction: acknowledge first, whatever happens; then do the work; then say how it went, to that person alone.

Discord waits three seconds for the acknowledgement and delivers an interaction now and then twice, or too late. Then it is dropped
before anything was done (https://discord.com/developers/docs/interactions/receiving-and-responding).
"""

from __future__ import annotations

import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import discord

from ..storage import StorageError
from ..tables.table import TableError
from ..ui.language import REFUSALS
from ..ui.pictures import Picture
from .faults import ALREADY_ACKNOWLEDGED, FAULTS, REFUSED_TOKEN, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE, cause

if TYPE_CHECKING:
    from ..app import CardBot

log: Final = logging.getLogger(__name__)

SLOW: Final = 1.5
"""Seconds from an action to its acknowledgement, half of what Discord waits, after which the log has a word on it."""
LONGEST: Final = 1800
"""Characters of an answer; Discord takes 2,000, and a sentence may have to go before it."""

C = TypeVar('C')
P = ParamSpec('P')


@dataclass(frozen=True, slots=True)
class Reply:
    """What one person is told: a text, or a view, or a view and a text below it. With `in_place` the view redraws the message that was
    clicked, which is theirs alone."""

    text: str = ''
    view: discord.ui.LayoutView | None = None
    picture: Picture | None = None
    """What the view shows of `bot.ui.pictures`."""
    in_place: bool = False


Answer = Reply | str | None
"""None: what the others see is answer enough."""


def is_private(interaction: discord.Interaction) -> bool:
    """Whether the clicked message is one that only this person sees outside a direct message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def acknowledge(interaction: discord.Interaction) -> bool:
    """Tells Discord that we are at work. False when it came too late or was here before: then nothing may be done."""
    began = _age(interaction)
    try:
        await interaction.response.defer(ephemeral=True)
    except discord.InteractionResponded:
        return True
    except FAULTS as error:
        code = getattr(error, 'code', None)
        if code == UNKNOWN_INTERACTION:
            log.warning('%s came to nothing, Discord waits no longer: %s', _what(interaction), _lateness(interaction, began))
        elif code != ALREADY_ACKNOWLEDGED:
            log.warning('%s could not be acknowledged: %s', _what(interaction), cause(error))
        return False
    if _age(interaction) > SLOW:
        log.warning('%s was acknowledged late: %s', _what(interaction), _lateness(interaction, began))
    return True


def _age(interaction: discord.Interaction) -> float:
    """Seconds since the person acted, as far as Discord's clock and ours agree."""
    return (discord.utils.utcnow() - interaction.created_at).total_seconds()


def _lateness(interaction: discord.Interaction, began: float) -> str:
    """Where the time has gone: on the way to us, or with the acknowledgement."""
    return f'{began:.1f} s old when it came, {_age(interaction):.1f} s when it was answered'


async def answer(interaction: discord.Interaction[CardBot], work: Callable[[], Awaitable[Answer]]) -> None:
    """Acknowledges, does the work, and tells the person how it went; refusals as a sentence, our own faults as an apology."""
    bot = interaction.client
    if bot.closing:
        return  # nothing is promised that could not be kept; the button is still there after the restart
    with bot.at_work():
        if await acknowledge(interaction):
            with suppress(StorageError):
                await bot.preferences.met(interaction.guild_id, interaction.user.id, interaction.locale.value)
            await _tell(interaction, await _outcome(interaction, work))


async def _outcome(interaction: discord.Interaction[CardBot], work: Callable[[], Awaitable[Answer]]) -> Answer:
    """Does the work and gives what is to be said of it."""
    bot = interaction.client
    try:
        return await work()
    except REFUSALS as error:
        if isinstance(error, TableError) and error.code == 'duplicate':
            return None
        return bot.language_for(interaction).refusal(error)
    except FAULTS as error:
        log.warning('Discord refused what %s asks for: %s', _what(interaction), cause(error))
        return bot.language_for(interaction)('reason.discord-refused')
    except Exception:
        number = secrets.token_hex(3)
        log.exception('fault %s in %s', number, _what(interaction))
        return bot.language_for(interaction)('reason.fault', number=number)


async def _tell(interaction: discord.Interaction[CardBot], reply: Answer) -> None:
    component = interaction.type is discord.InteractionType.component
    if isinstance(reply, str):
        reply = Reply(reply)
    text = _clipped(reply.text) if reply else ''
    try:
        if reply is None:
            if not component:
                await interaction.delete_original_response()
            return
        if reply.view is not None and not (reply.in_place and await _redrawn(interaction, reply.view, reply.picture)):
            send = partial(interaction.followup.send, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())
            await interaction.client.pictures.send(reply.view, reply.picture, send, edit=False)
        if text:
            await interaction.followup.send(text, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())
    except FAULTS as error:
        log.warning('%s was done, but could not be answered: %s', _what(interaction), cause(error))
        lost = getattr(error, 'code', None) in REFUSED_TOKEN or not isinstance(error, discord.HTTPException)
        if lost and reply is not None:
            await interaction.client.notices.unanswered(interaction, text)


async def _redrawn(interaction: discord.Interaction[CardBot], view: discord.ui.LayoutView, picture: Picture | None) -> bool:
    """Redraws the message that was clicked; False when the person has deleted or dismissed it meanwhile."""
    try:
        await interaction.client.pictures.send(view, picture, interaction.edit_original_response, edit=True)
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE:
            raise
        return False
    return True


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'


def _what(interaction: discord.Interaction) -> str:
    if interaction.command is not None:
        return f'/{interaction.command.qualified_name}'
    return f'component {custom_id(interaction)!r}'


def custom_id(interaction: discord.Interaction) -> str:
    """The custom id of the button or menu that was used; empty for anything else."""
    data: Mapping[str, Any] = interaction.data or {}
    return str(data.get('custom_id', ''))


def answered(
    callback: Callable[Concatenate[C, discord.Interaction[Any], P], Awaitable[Answer]],
) -> Callable[Concatenate[C, discord.Interaction[Any], P], Coroutine[Any, Any, None]]:
    """Makes a method that returns an answer the callback of a slash command."""

    @wraps(callback)
    async def command(self: C, interaction: discord.Interaction[Any], /, *args: P.args, **options: P.kwargs) -> None:
        await answer(interaction, lambda: callback(self, interaction, *args, **options))

    # discord.py reads the options from the signature, and would look their annotations up in this module.
    command.__signature__ = inspect.signature(callback, eval_str=True)  # type: ignore[attr-defined]
    return command
