"""A database that fails while a match runs: nothing is acknowledged that is not stored, the player and the log are told plainly, and
the bot goes on as soon as it can."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
import sqlalchemy as sa

from bot.tables.time_control import GRACE, LIVE
from bot.tables.timers import RETRY_PAUSES

from .night import Night, raw
from .test_clocks import makers, stamp

FULL, NO_LONGER_FULL = 'max_page_count = 1', 'max_page_count = 100000'
"""SQLite takes the pages there are, and not one more; what it does then is what it does when the disk is full."""
READ_ONLY, WRITABLE = 'query_only = ON', 'query_only = OFF'

pytestmark = pytest.mark.simcord(settle_timeout=20)


class Connections:
    """The bot's connections to SQLite: what is said to them makes the failures real, also on those to come."""

    def __init__(self) -> None:
        self._open: list[aiosqlite.Connection] = []
        self._said = WRITABLE

    def on_connect(self, connection: Any, _: object) -> None:
        connection.execute(f'PRAGMA {self._said}')
        self._open.append(connection.driver_connection)

    async def say(self, statement: str) -> None:
        self._said = statement
        for connection in list(self._open):
            try:
                await connection.execute(f'PRAGMA {statement}')
            except ValueError:  # closed since
                self._open.remove(connection)


@pytest.fixture(autouse=True)
def connections() -> Iterator[Connections]:
    connections = Connections()
    sa.event.listen(sa.Engine, 'connect', connections.on_connect)
    yield connections
    sa.event.remove(sa.Engine, 'connect', connections.on_connect)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith('bot.') and record.levelname != 'INFO']


async def until_refused(night: Night) -> str:
    """Moves are made until one is refused; what its player was told."""
    for _ in range(300):
        verb, _, card = night.legal()[0].partition(' ')
        position = night.table.position
        said = await night.slash(night.name_of_turn(), f'superman {verb}', **({'card': card} if card else {}))
        if night.table.position == position:
            return said
    raise AssertionError('every move was stored')


@pytest.mark.parametrize(
    ('breaks', 'mends', 'sentence'),
    [
        (FULL, NO_LONGER_FULL, 'My disk is full, so nothing has changed. Please try again later.'),
        (READ_ONLY, WRITABLE, 'I can’t write to my database right now, so nothing has changed. Please try again later.'),
    ],
)
async def test_what_cannot_be_stored_is_not_played(
    night: Night,
    caplog: pytest.LogCaptureFixture,
    expected_warnings: list[str],
    connections: Connections,
    breaks: str,
    mends: str,
    sentence: str,
) -> None:
    expected_warnings += ['bot.storage.* Nothing can be stored', 'bot.storage.* works again']
    await night.begin('Ann', 'Bob', target=500, pace='none')
    await connections.say(breaks)
    assert await until_refused(night) == sentence
    before, board = night.everything(), raw(night.board())
    for _ in range(3):
        assert await until_refused(night) == sentence
    assert night.everything() == before
    assert raw(night.board()) == board
    assert 'Your hand' in str(raw(await night.open_hand('Ann')))
    assert len(lines(caplog)) == 1
    await connections.say(mends)
    position = night.table.position
    await night.move()
    assert night.table.position != position
    assert raw(night.board()) != board
    assert len(lines(caplog)) == 2
    stored = [row[:5] for row in night.stored()['move']]
    round_ = night.table.match and night.table.match.round.copy()
    await night.restart()
    assert night.table.match is not None
    assert night.table.match.round == round_
    assert [row[:5] for row in night.stored()['move']] == stored


async def test_the_clock_goes_on_when_the_database_does(
    night: Night, caplog: pytest.LogCaptureFixture, expected_warnings: list[str], connections: Connections
) -> None:
    expected_warnings += ['bot.storage.* Nothing can be stored', 'bot.storage.* works again']
    await night.begin('Ann', 'Bob')
    await connections.say(READ_ONLY)
    await night.env.advance_time(LIVE.move + LIVE.time_bank + GRACE + sum(RETRY_PAUSES) + RETRY_PAUSES[-1])
    assert makers(night) == []
    assert len(lines(caplog)) == 1
    await connections.say(WRITABLE)
    await night.env.advance_time(RETRY_PAUSES[-1])
    assert makers(night) == []
    assert f'Time runs out {stamp(night, LIVE.move + LIVE.time_bank)}.' in night.board_text(), 'the outage cost nobody a turn'
    await night.env.advance_time(LIVE.move + LIVE.time_bank + GRACE)
    assert makers(night) == ['clock']
    assert 'ran out of time, so that move was made for them' in night.board_text()


async def test_a_board_whose_place_cannot_be_stored_is_posted_once(
    night: Night, expected_warnings: list[str], connections: Connections
) -> None:
    expected_warnings += ['bot.storage.* Nothing can be stored', 'bot.storage.* works again', 'the board could not be updated']
    night.retry_after(30.0, 60.0, 300.0)
    await night.begin('Ann', 'Bob', pace='none')
    await connections.say(READ_ONLY)
    await night.slash('Ann', 'table show')
    await night.env.advance_time(500)
    boards = [message for message in night.channel.history() if message.components]
    assert len(boards) == 1
    await connections.say(WRITABLE)
    await night.env.advance_time(900)
    await night.restart()
    assert night.table.board_message == boards[0].id
    await night.move()
    assert [message.id for message in night.channel.history() if message.components] == [boards[0].id]


def damage(file: Path) -> None:
    with file.open('r+b') as opened:
        opened.seek(4_096)
        opened.write(bytes(file.stat().st_size - 4_096))


def put_back(safe: Path, file: Path) -> None:
    for beside in ('-wal', '-shm'):
        Path(f'{file}{beside}').unlink(missing_ok=True)
    safe.replace(file)


async def test_a_file_that_is_damaged_and_put_right(night: Night, expected_warnings: list[str], connections: Connections) -> None:
    """The operator puts a backup in the place of the damaged file, and the same match goes on."""
    expected_warnings += ['bot.storage.* Nothing can be stored', 'bot.storage.* works again']
    file = Path(str(night.bot.settings.database_url).removeprefix('sqlite:///'))
    await night.begin('Ann', 'Bob', pace='none')
    await night.move()
    await connections.say('wal_checkpoint(TRUNCATE)')
    safe = file.with_suffix('.safe')
    shutil.copy(file, safe)
    damage(file)
    await connections.say('shrink_memory')
    position = night.table.position
    assert await until_refused(night) == 'My database is damaged, so nothing has changed. Please tell the person who runs me.'
    assert night.table.position == position
    put_back(safe, file)
    await night.move()
    assert night.table.position != position
    assert len(night.stored()['move']) == 2
