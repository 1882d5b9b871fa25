"""Hands stay true: the one that was pressed at once, the newest in the channel while its token lives, all of them at the end."""

from __future__ import annotations

import pytest

from .night import Night, controls_of, raw
from .playing import HandMessage, legal, running

pytestmark = pytest.mark.simcord(settle_timeout=20)


def on_turn_and_waiting(night: Night) -> tuple[str, str]:
    name = night.name_of_turn()
    return name, next(other for other in ('Ann', 'Bob') if other != name)


def requests(night: Night, since: int, part: str) -> list[str]:
    return [f'{request.method} {request.path}' for request in night.env.http_requests[since:] if part in request.path]


async def test_a_press_in_direct_messages_is_answered_by_redrawing_that_hand(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    name, _ = on_turn_and_waiting(night)
    mine = HandMessage.sent(night, name)
    channel = night.person(name).user.dm_channel.id
    before = len(night.env.http_requests)
    await night.play_from(name, mine.message, night.legal()[0])
    assert requests(night, before, '@original'), 'by the token of the press'
    assert not requests(night, before, f'/channels/{channel}/'), 'and by nothing that counts'
    assert 'Your turn' not in mine.text or night.name_of_turn() == name


async def test_the_hand_in_the_channel_follows_what_others_play(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    name, waiting = on_turn_and_waiting(night)
    theirs = await HandMessage.opened(night, waiting)
    assert theirs.offered() == []
    while night.name_of_turn() != waiting:
        await night.move()
    assert set(legal(running(night.table))) <= set(theirs.offered())
    mine = await HandMessage.opened(night, name)
    assert mine.offered() == []


async def test_the_hand_in_the_channel_follows_a_typed_move(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    name, _ = on_turn_and_waiting(night)
    mine = await HandMessage.opened(night, name)
    before = mine.text
    await night.move()
    assert mine.text != before


async def test_only_the_newest_hand_in_the_channel_shows_cards(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    name, _ = on_turn_and_waiting(night)
    old = await HandMessage.opened(night, name)
    new = await HandMessage.opened(night, name)
    assert old.id != new.id
    assert 'Your cards' not in old.text
    assert controls_of(raw(old.message)) == []
    assert 'Your cards' in new.text
    await night.move()
    assert 'Your cards' not in old.text


async def test_a_stale_press_redraws_the_message_that_was_pressed(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    name, _ = on_turn_and_waiting(night)
    mine = HandMessage.sent(night, name)
    (old, *_) = [
        control['custom_id']
        for control in controls_of(raw(mine.message))
        if ':play:' in control['custom_id'] or ':choose:' in control['custom_id']
    ]
    move = night.legal()[0]
    await night.move()
    before = len(night.env.http_requests)
    (told,) = await night.deliver(night.a_press(name, mine.message, old, [move] if ':choose:' in old else []))
    assert 'moved on' in told
    assert requests(night, before, '@original')
    assert len(night.stored()['move']) == 1


async def test_at_the_end_every_hand_says_so_and_offers_a_rematch(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none', target=20)
    private = await HandMessage.opened(night, 'Ann')
    hands = [private, HandMessage.sent(night, 'Ann'), HandMessage.sent(night, 'Bob')]
    await night.play_out()
    for hand in hands:
        assert 'Your hand' not in hand.text
        assert any(':rematch:' in control['custom_id'] for control in controls_of(raw(hand.message))), hand.text


@pytest.mark.parametrize(('status', 'code'), [(403, 50007), (403, 50278), (400, 50007), (403, 50001), (403, 50009)])
@pytest.mark.parametrize('where', ['open', 'write'])
async def test_refused_direct_messages_are_told_of_once_and_not_tried_again(night: Night, where: str, status: int, code: int) -> None:
    ann = night.person('Ann')
    path = '/users/@me/channels' if where == 'open' else f'/channels/{ann.user.dm_channel.id}/messages'
    night.env.inject_error('POST', path, status=status, code=code, message='refused', times=None)
    await night.begin('Ann', 'Bob', pace='none')
    said = [line for line in night.said() if f'<@{ann.id}>' in line]
    assert len(said) == 1
    before = len(night.env.http_requests)
    for _ in range(4):
        await night.move()
    assert not [one for one in requests(night, before, path) if one.startswith('POST') and where == 'write']
    assert [line for line in night.said() if f'<@{ann.id}>' in line] == said
