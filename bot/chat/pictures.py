"""Sends messages with their pictures, which are rendered in a thread of their own. A message never waits long for its picture: then it
goes without."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any, Final, TypeVar

import discord
from discord import ui

from ..ui.pictures import NAME, Picture, render
from .faults import NOT_PERMITTED, TOO_MANY_EDITS, refuses_direct_messages

log: Final = logging.getLogger(__name__)

T = TypeVar('T')

PATIENCE: Final = 1.0
"""Seconds that a message waits for its picture."""


class Pictures:
    """Renders pictures in a thread beside the event loop, one at a time, and sends them."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix='pictures')

    def close(self) -> None:
        """Draws no more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def send(self, view: ui.LayoutView, picture: Picture | None, call: Callable[..., Coroutine[Any, Any, T]], *, edit: bool) -> T:
        """Calls discord.py with this view and, where it has one, its picture. Without the picture when it could not be rendered in time, or
        when Discord takes all but that; then the view no longer shows one. `edit`: the message may have had a picture before."""
        file = await self._file(picture) if picture else None
        if file is not None:
            try:
                return await call(view=view, **{'attachments' if edit else 'files': [file]})
            except discord.HTTPException as error:
                if (
                    error.code == TOO_MANY_EDITS
                    or refuses_direct_messages(error)
                    or (error.status not in (400, 413) and error.code != NOT_PERMITTED)
                ):
                    raise
                log.warning('Discord does not take the picture of a hand: %s %s', error.status, error.code)
        for item in [item for item in view.walk_children() if isinstance(item, ui.MediaGallery)]:
            assert isinstance(item.parent, ui.Container)
            item.parent.remove_item(item)
        return await call(view=view, **({'attachments': []} if edit else {}))

    async def _file(self, picture: Picture) -> discord.File | None:
        try:
            async with asyncio.timeout(PATIENCE):
                data = await asyncio.get_running_loop().run_in_executor(self._thread, render, picture.rows)
        except TimeoutError:
            log.warning('a hand was not rendered within %s s and is shown as text only', PATIENCE)
            return None
        except Exception:
            log.exception('a hand could not be rendered and is shown as text only')
            return None
        return discord.File(BytesIO(data), NAME, description=picture.alt)
