"""How requests to Discord fail: the exceptions, the error codes that the bot reacts to, and what the log may say of them.

Codes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

from typing import Final

import aiohttp
import discord

FAULTS: Final = (discord.HTTPException, OSError, aiohttp.ClientError)
"""What a request may raise: Discord refuses it, or the connection breaks."""

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MEMBER: Final = 10007
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_USER: Final = 10013
UNKNOWN_INTERACTION: Final = 10062
TOO_MANY_EDITS: Final = 30046
ALREADY_ACKNOWLEDGED: Final = 40060
NOT_PERMITTED: Final = 50013
NO_ACCESS: Final = (50001, NOT_PERMITTED)
"""Missing access, missing permissions."""
SHUT_THREAD: Final = (50083, 160005)
"""The thread is archived, or locked."""
CLOSED_MESSAGES: Final = (50007, 50278, 50001, 50009)
"""Cannot send messages to this user, no server in common, missing access, verification level too high: how Discord refuses to open direct
messages or to write there."""
REFUSED_TOKEN: Final = (UNKNOWN_INTERACTION, 10015, 50027)
"""Unknown interaction, unknown webhook, invalid webhook token: Discord takes no answer to this interaction any more."""


def cause(error: BaseException) -> str:
    """What happened, for the log. The message of a broken connection holds the address that was asked, and addresses hold tokens."""
    return str(error) if isinstance(error, discord.HTTPException) else type(error).__name__


def refuses_direct_messages(error: BaseException) -> bool:
    """Whether this is how Discord says that somebody takes no direct messages from the bot, whether on opening or on writing."""
    return isinstance(error, discord.HTTPException) and error.status in (400, 403) and error.code in CLOSED_MESSAGES
