"""The slash commands as Discord delivers them. Refusals and errors are answered where they happen (`bot.chat.replies`)."""

from __future__ import annotations

import logging
from typing import Any, Final

import discord
from discord import app_commands

from .faults import ALREADY_ACKNOWLEDGED, FAULTS, UNKNOWN_INTERACTION, cause
from .replies import acknowledge
from .wiring import ChatBot

log: Final = logging.getLogger(__name__)


def worth_logging(record: logging.LogRecord) -> bool:
    """Leaves out the tracebacks that discord.py logs for autocompletes that were answered too late, or before: the person has typed on,
    and nobody misses it."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, discord.HTTPException) and error.code in (UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED))


class Tree(app_commands.CommandTree[ChatBot]):
    """Begins no command while the bot closes, and answers what fails before a command begins."""

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        return not interaction.client.chat.replies.closing

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        if interaction.type is discord.InteractionType.autocomplete:
            log.warning('an autocomplete was not answered: %s', error)
            return
        reason = 'reason.discord-refused'
        if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            log.warning('an outdated command was used: %s', error)
            reason = 'reason.old-command'
        else:
            log.error('a command failed before it began: %s', error, exc_info=error)
        if await acknowledge(interaction):
            try:
                await interaction.followup.send(interaction.client.chat.languages.of(interaction)(reason), ephemeral=True)
            except FAULTS as fault:
                log.warning('the answer to an outdated command was not delivered: %s', cause(fault))
