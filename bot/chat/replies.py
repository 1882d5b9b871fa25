"""Answering an interaction: acknowledge first, whatever happens; then do the work; then tell that person alone how it went.

Discord waits three seconds for the acknowledgement, and now and then delivers an interaction twice or too late. Then it is dropped
before anything is done (https://discord.com/developers/docs/interactions/receiving-and-responding).
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast

import discord

from ..storage import StorageError
from ..tables.table import TableError
from ..ui.custom_ids import read_press
from ..ui.language import REFUSALS
from ..ui.pictures import Picture
from .faults import ALREADY_ACKNOWLEDGED, FAULTS, REFUSED_TOKEN, UNKNOWN_INTERACTION, UNKNOWN_MESSAGE, cause
from .services import Services

log: Final = logging.getLogger(__name__)

SLOW: Final = 1.5
"""Seconds from an action to its acknowledgement, half of what Discord waits, after which it is logged."""
LONGEST: Final = 1800
"""Characters of an answer; Discord takes 2,000, and a sentence may have to go before it."""

P = ParamSpec('P')


Edit = Callable[..., Coroutine[Any, Any, Any]]
"""Edits a message; takes `view` and `attachments`."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one person is told: a text, or a view, or a view and a text below it."""

    text: str = ''
    view: discord.ui.LayoutView | None = None
    picture: Picture | None = None
    """The picture that the view shows."""
    in_place: bool = False
    """Whether the view replaces the message that was clicked, which is theirs alone."""
    shown: Callable[[int, Edit], None] | None = None
    """Told, when the view is shown, the id of its message and what edits it."""


Answer = Reply | str | None
"""None: what everyone sees is answer enough."""


class Replies:
    """Answers interactions, and knows how many answers are under way."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.closing = False
        """Whether the bot is about to leave: what comes now is not answered any more."""
        self._under_way = 0
        self._idle = asyncio.Event()

    async def answer(
        self,
        interaction: discord.Interaction[Any],
        handler: Callable[Concatenate[discord.Interaction[Any], P], Awaitable[Answer]],
        *args: P.args,
        **options: P.kwargs,
    ) -> None:
        """Acknowledges, has the handler do the work, and tells the person how it went; refusals as a sentence, errors of the bot as an
        apology."""
        if self.closing:
            return  # nothing is promised that could not be kept; the button is still there after the restart
        self._under_way += 1
        try:
            if await acknowledge(interaction):
                with suppress(StorageError):
                    await self._services.preferences.met(interaction.guild_id, interaction.user.id, interaction.locale.value)
                outcome = await self._outcome(interaction, handler(interaction, *args, **options))
                self._services.tokens.remember(interaction)
                await self._tell(interaction, outcome)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def drain(self, grace: float) -> None:
        """Begins no more answers, and waits until everyone who waits has been answered, at most `grace` seconds."""
        self.closing = True
        self._idle.clear()
        if self._under_way:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), grace)

    async def _outcome(self, interaction: discord.Interaction, work: Awaitable[Answer]) -> Answer:
        """Does the work; what is to be said of it."""
        languages = self._services.languages
        try:
            return await work
        except REFUSALS as error:
            if isinstance(error, TableError) and error.code == 'duplicate':
                return None
            return languages.of(interaction).refusal(error)
        except FAULTS as error:
            log.warning('%s: Discord refused a request: %s', _what(interaction), cause(error))
            return languages.of(interaction)('reason.discord-refused')
        except Exception:
            number = secrets.token_hex(3)
            log.exception('%s: error %s', _what(interaction), number)
            return languages.of(interaction)('reason.fault', number=number)

    async def _tell(self, interaction: discord.Interaction, reply: Answer) -> None:
        component = interaction.type is discord.InteractionType.component
        if isinstance(reply, str):
            reply = Reply(reply)
        text = _clipped(reply.text) if reply else ''
        try:
            if reply is None:
                if not component:
                    await interaction.delete_original_response()
                return
            if reply.view is not None:
                await self._show(interaction, reply, reply.view)
            if text:
                await interaction.followup.send(text, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())
        except FAULTS as error:
            log.warning('%s: done, but the answer could not be sent: %s', _what(interaction), cause(error))
            lost = getattr(error, 'code', None) in REFUSED_TOKEN or not isinstance(error, discord.HTTPException)
            if lost and reply is not None:
                await self._services.notices.unanswered(interaction, text)

    async def _show(self, interaction: discord.Interaction, reply: Reply, view: discord.ui.LayoutView) -> None:
        if reply.in_place and interaction.message and await self._redrawn(interaction, view, reply.picture):
            message_id, edit = interaction.message.id, cast(Edit, interaction.edit_original_response)
        else:
            send = partial(interaction.followup.send, wait=True, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())
            message = await self._services.pictures.send(view, reply.picture, send, edit=False)
            message_id, edit = message.id, cast(Edit, message.edit)
        if reply.shown is not None:
            reply.shown(message_id, edit)

    async def _redrawn(self, interaction: discord.Interaction, view: discord.ui.LayoutView, picture: Picture | None) -> bool:
        """Replaces the message that was clicked; False when the person has deleted or dismissed it meanwhile."""
        try:
            await self._services.pictures.send(view, picture, interaction.edit_original_response, edit=True)
        except discord.NotFound as error:
            if error.code != UNKNOWN_MESSAGE:
                raise
            return False
        return True


async def acknowledge(interaction: discord.Interaction) -> bool:
    """Tells Discord that an answer will come. False when it came too late or was there before: then nothing may be done."""
    received = _age(interaction)
    try:
        await interaction.response.defer(ephemeral=True)
    except discord.InteractionResponded:
        return True
    except FAULTS as error:
        code = getattr(error, 'code', None)
        if code == UNKNOWN_INTERACTION:
            log.warning('%s: Unknown interaction (10062), it has expired: %s', _what(interaction), _lateness(interaction, received))
        elif code != ALREADY_ACKNOWLEDGED:
            log.warning('%s: could not be acknowledged: %s', _what(interaction), cause(error))
        return False
    if _age(interaction) > SLOW:
        log.warning('%s: acknowledged late: %s', _what(interaction), _lateness(interaction, received))
    return True


def _age(interaction: discord.Interaction) -> float:
    """Seconds since the person acted, as far as Discord's clock and ours agree."""
    return (discord.utils.utcnow() - interaction.created_at).total_seconds()


def _lateness(interaction: discord.Interaction, received: float) -> str:
    """Where the time has gone: on the way to us, or with the acknowledgement."""
    return f'{received:.1f} s old when received, {_age(interaction):.1f} s when answered'


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'


def _what(interaction: discord.Interaction) -> str:
    """For the log: what somebody did, who and where."""
    data: Mapping[str, Any] = interaction.data or {}
    did = f'/{interaction.command.qualified_name}' if interaction.command else f'component {_pressed(str(data.get("custom_id", "")))!r}'
    return f'{did} by user {interaction.user.id} in server {interaction.guild_id}, channel {interaction.channel_id}'


def _pressed(custom_id: str) -> str:
    """Of a custom id, what the log may show: action and table. The rest may name cards that nobody else has seen."""
    asked = read_press(custom_id)
    return f't:{asked.action}:{asked.table_id}' if asked else custom_id.partition(':')[0][:20]


def is_private(interaction: discord.Interaction) -> bool:
    """Whether the clicked message is one that only this person sees, outside direct messages."""
    return interaction.message is not None and interaction.message.flags.ephemeral


class _HasReplies(Protocol):
    @property
    def replies(self) -> Replies: ...


class _Cog(Protocol):
    @property
    def chat(self) -> _HasReplies: ...


C = TypeVar('C', bound=_Cog)


def answered(
    callback: Callable[Concatenate[C, discord.Interaction[Any], P], Awaitable[Answer]],
) -> Callable[Concatenate[C, discord.Interaction[Any], P], Coroutine[Any, Any, None]]:
    """Makes a method of a cog that returns an answer the callback of a slash command."""

    @wraps(callback)
    async def command(self: C, interaction: discord.Interaction[Any], /, *args: P.args, **options: P.kwargs) -> None:
        await self.chat.replies.answer(interaction, partial(callback, self), *args, **options)

    # discord.py reads the options from the signature, and would look their annotations up in this module.
    command.__signature__ = inspect.signature(callback, eval_str=True)  # type: ignore[attr-defined]
    return command
