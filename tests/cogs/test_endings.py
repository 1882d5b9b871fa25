"""What a table showed last: its end is seen, whatever happens at that moment."""

from __future__ import annotations

import pytest

from .night import Night, controls_of, raw, texts_of
from .playing import HandMessage

pytestmark = pytest.mark.simcord(settle_timeout=20)


def refuse(night: Night, status: int = 503) -> None:
    """Discord takes no edits and no messages: not in the channel, not in direct messages, not by a token."""
    night.retry_after(30.0, 60.0, 300.0, 900.0)
    for method in ('PATCH', 'POST'):
        night.env.inject_error(method, '/channels/*', status=status, code=0, message='refused', times=None)
        night.env.inject_error(method, '/webhooks/*', status=status, code=0, message='refused', times=None)


def unshown(night: Night) -> list[int]:
    return [row[0] for row in night.stored()['unshown']]


async def ends_here(night: Night, how: str) -> None:
    """The table in the channel ends, by its last move or by the host."""
    with night.env._bot_scope():
        if how == 'end':
            await night.bot.host.end(night.table.id, night.person('Ann').id, moderator=True)
        while night.bot.host.in_channel(night.channel.id):
            seat = night.table.turn
            await night.bot.host.play(night.table.id, night.table.seats[seat].person.id, night.legal()[0], interaction_id=None)
    await night.env.settle()


def shows_the_end(night: Night, *names: str) -> bool:
    hands = [HandMessage.sent(night, name).text for name in names]
    return 'Rematch' in night.board_text() and not any('Your cards' in text for text in hands)


@pytest.mark.parametrize('how', ['end', 'move'])
async def test_an_end_that_was_not_shown_is_shown_after_a_restart(night: Night, how: str, expected_warnings: list[str]) -> None:
    night.retry_after(30.0, 60.0, 300.0, 900.0)
    table = await night.begin('Ann', 'Bob', pace='none', target=20)
    if how == 'move':
        expected_warnings.append('could not be updated')
    refuse(night)
    await ends_here(night, how)
    assert not shows_the_end(night, 'Ann', 'Bob')
    assert unshown(night) == [table.id]
    night.env.backend.faults.clear()
    await night.restart()
    await night.env.settle()
    assert shows_the_end(night, 'Ann', 'Bob')
    assert unshown(night) == []


async def test_an_end_that_is_shown_is_not_shown_again(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    await ends_here(night, 'end')
    assert shows_the_end(night, 'Ann', 'Bob')
    assert unshown(night) == []
    before = len(night.env.http_requests)
    await night.restart()
    await night.env.settle()
    assert not [request for request in night.env.http_requests[before:] if '/messages' in request.path]


async def test_an_end_is_shown_when_access_returns(night: Night) -> None:
    night.retry_after(30.0, 60.0, 300.0, 900.0)
    await night.begin('Ann', 'Bob', pace='none')
    refuse(night, 403)
    await ends_here(night, 'end')
    assert 'Rematch' not in night.board_text()
    night.env.backend.faults.clear()
    night.bot.chat.boards.retry(night.guild.id)
    await night.env.settle()
    assert 'Rematch' in night.board_text()


async def test_a_clean_stop_shows_what_waits(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    night.bot.chat.boards._services.settings.__dict__['board_interval'] = 100.0
    await ends_here(night, 'end')
    assert 'Rematch' not in night.board_text()
    await night.bot.close()
    assert 'Rematch' in '\n'.join(texts_of(raw(night.board())))
    assert [control['label'] for control in controls_of(raw(night.board()))] == ['Rematch']
