"""Connections that break, answers that get lost, hands that Discord takes no more edits of, and an end in the middle of it all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
import pytest

from bot.tables.seats import Person

from .night import Night, raw, texts_of
from .test_availability import sent
from .test_clocks import idle, makers

pytestmark = pytest.mark.simcord(settle_timeout=20)

Breaks = Callable[..., None]


@pytest.fixture
def breaks(monkeypatch: pytest.MonkeyPatch) -> Breaks:
    """Makes a method of discord.py break its connection, `before` or after Discord has done what was asked, so many times."""

    def breaking(owner: type, name: str, times: int = 1, *, before: bool = True, only: Callable[..., bool] = lambda *a, **k: True) -> None:
        real, left = getattr(owner, name), [times]

        async def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            broken = left[0] > 0 and only(self, *args, **kwargs)
            left[0] -= broken
            if broken and before:
                raise aiohttp.ServerDisconnectedError('https://discord.com/api/webhooks/1/SECRET-TOKEN')
            result = await real(self, *args, **kwargs)
            if broken:
                raise aiohttp.ServerDisconnectedError('https://discord.com/api/webhooks/1/SECRET-TOKEN')
            return result

        monkeypatch.setattr(owner, name, method)

    return breaking


@pytest.fixture(autouse=True)
def no_token_in_the_log(caplog: pytest.LogCaptureFixture) -> Any:
    """What a broken connection says holds the address that was asked."""
    yield
    assert 'SECRET-TOKEN' not in caplog.text


@pytest.fixture(autouse=True)
def tries_later(night: Night) -> None:
    night.retry_after(30.0, 60.0)


def hands(night: Night, name: str) -> list[discord.Message]:
    return [message for message in night.person(name).user.dm_channel.history() if message.components]


# --- answers ----------------------------------------------------------------------------------------------------------


async def test_a_lost_answer_does_not_ask_to_try_again(night: Night, breaks: Breaks, expected_warnings: list[str]) -> None:
    expected_warnings.append('done, but the answer could not be sent: ServerDisconnectedError')
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    breaks(discord.Webhook, 'send')
    verb, _, card = night.legal()[0].partition(' ')
    said = await night.slash(name, f'superman {verb}', **({'card': card} if card else {}))
    assert makers(night) == ['player']
    assert 'try again' not in said
    assert any('so here it is' in line for line in night.told(name))


async def test_a_lost_acknowledgement_does_nothing(night: Night, breaks: Breaks, expected_warnings: list[str]) -> None:
    expected_warnings.append('could not be acknowledged: ServerDisconnectedError')
    await night.slash('Ann', 'superman open')
    before = night.everything()
    breaks(discord.InteractionResponse, 'defer')
    assert await night.press('Bob', 'Join') == ''
    assert night.everything() == before


async def test_an_outdated_command_whose_answer_is_lost(night: Night, breaks: Breaks, expected_warnings: list[str]) -> None:
    expected_warnings += ['an outdated command was used', 'the answer to an outdated command was not delivered: ServerDisconnectedError']
    breaks(discord.Webhook, 'send')
    assert await night.deliver(night.a_command('Ann', 'nonsense')) == ['']
    assert len(night.env.errors) == 1, 'which is what simcord calls an unknown command'


async def test_a_look_up_that_breaks(night: Night, breaks: Breaks) -> None:
    breaks(discord.Guild, 'fetch_member', 5)
    await night.begin('Ann', 'Bob')
    await night.move()
    assert not any(seat.departed for seat in night.table.seats)


# --- posts ------------------------------------------------------------------------------------------------------------


async def test_a_post_whose_answer_is_lost_is_asked_for_again(night: Night, breaks: Breaks, expected_warnings: list[str]) -> None:
    """The next try bears the same nonce, so that Discord gives the first message back instead of posting a second one."""
    expected_warnings += ['the board could not be updated', 'the hand of user .* could not be updated']
    breaks(discord.abc.Messageable, 'send', 3, before=False, only=lambda self, *args, **what: 'nonce' in what)
    await night.begin('Ann', 'Bob', pace='none')
    await night.env.advance_time(31)
    await night.env.advance_time(31)
    for channel in (night.channel, night.person('Ann').user.dm_channel, night.person('Bob').user.dm_channel):
        posts = [request.json for request in sent(night, 'POST', f'/channels/{channel.id}/messages') if request.json.get('components')]
        assert len(posts) >= 2
        assert posts[0]['nonce'] == posts[1]['nonce']
        assert all(post['enforce_nonce'] for post in posts)
    table = night.table
    assert table.board_message == night.board().id
    assert [seat.hand_message for seat in table.seats] == [hands(night, name)[-1].id for name in ('Ann', 'Bob')]


async def test_an_old_board_that_stays_costs_nothing(night: Night, breaks: Breaks) -> None:
    await night.begin('Ann', 'Bob', pace='relaxed')
    posts = len(sent(night, 'POST', f'/channels/{night.channel.id}/messages'))
    breaks(discord.PartialMessage, 'delete')
    await night.env.advance_time(31)
    await night.env.advance_time(200)
    assert len(sent(night, 'POST', f'/channels/{night.channel.id}/messages')) == posts + 1


async def test_a_hand_that_takes_no_more_edits_is_sent_anew(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    (old,) = hands(night, 'Bob')
    night.env.inject_error('PATCH', f'/channels/{old.channel.id}/messages/{old.id}', status=400, code=30046, message='no', times=None)
    while night.name_of_turn() != 'Ann':
        await night.move()
    while night.name_of_turn() != 'Bob':
        await night.move()
    (new,) = hands(night, 'Bob')
    assert new.id != old.id
    assert 'It is your turn' in '\n'.join(texts_of(raw(new)))
    assert night.table.seats[night.table.seat(night.person('Bob').id)].hand_message == new.id


async def test_an_old_hand_is_sent_anew_without_a_sound(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='none')
    old = {name: hands(night, name)[0].id for name in ('Ann', 'Bob')}
    await night.env.advance_time(night.bot.settings.board_max_age + 1)
    await night.move()
    for name in ('Ann', 'Bob'):
        (hand,) = hands(night, name)
        assert hand.id != old[name]
        last = sent(night, 'POST', f'/channels/{hand.channel.id}/messages')[-1].json
        assert last['flags'] & 4096


# --- people ------------------------------------------------------------------------------------------------------------


async def test_who_is_replaced_sees_no_cards_any_more(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await idle(night, 'Bob')
    (old,) = hands(night, 'Bob')
    await night.slash('Cem', 'table join')
    (gone,) = hands(night, 'Bob')
    assert gone.id == old.id
    said = '\n'.join(texts_of(raw(gone)))
    assert 'Your hand' not in said
    assert "I'm back" not in said
    assert not gone.attachments
    assert len(hands(night, 'Cem')) == 1
    await night.move()
    assert '\n'.join(texts_of(raw(hands(night, 'Bob')[0]))) == said


async def test_who_is_replaced_while_the_hand_is_on_its_way_keeps_no_cards(night: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    await night.begin('Ann', 'Bob')
    await idle(night, 'Bob')
    night.env.backend.delete_message(hands(night, 'Bob')[0].channel.id, hands(night, 'Bob')[0].id)
    real, joined, cem = discord.abc.Messageable.send, [], Person(night.person('Cem').id, 'Cem')

    async def send(self: Any, *args: Any, **what: Any) -> Any:
        message = await real(self, *args, **what)
        if 'nonce' in what and not joined:
            joined.append(await night.bot.host.join(night.table.id, cem))
        return message

    monkeypatch.setattr(discord.abc.Messageable, 'send', send)
    night.put(['B1 R2', 'G3 Y4'], pile='B4')
    await night.render()
    assert joined
    (gone,) = hands(night, 'Bob')
    assert 'Your hand' not in '\n'.join(texts_of(raw(gone)))
    assert len(hands(night, 'Cem')) == 1


async def test_closed_direct_messages_are_told_of_once(night: Night) -> None:
    night.close_direct('Bob')
    await night.begin('Ann', 'Bob')
    bob = f'<@{night.person("Bob").id}>'
    assert sum(bob in line for line in night.said()) == 1
    for _ in range(3):
        await night.restart()
        await night.move()
    assert sum(bob in line for line in night.said()) == 1


async def test_closed_direct_messages_without_a_ping(night: Night) -> None:
    night.close_direct('Bob')
    await night.slash('Bob', 'settings mine', pings=False)
    await night.begin('Ann', 'Bob')
    posts = [request.json for request in sent(night, 'POST', f'/channels/{night.channel.id}/messages') if request.json.get('content')]
    (told,) = [post for post in posts if f'<@{night.person("Bob").id}>' in post['content']]
    assert told['allowed_mentions'].get('users', []) == []


@pytest.mark.parametrize('pace', ['relaxed', 'none'])
async def test_who_leaves_in_a_turn_that_lasts_long_is_noticed(night: Night, pace: str) -> None:
    table = await night.begin('Ann', 'Bob', 'Cem', pace=pace)
    await night.env.advance_time(120)
    number = table.turn
    night.guild.remove_member(night.person(night.name_of_turn()))
    await night.env.advance_time(3600)
    assert table.seats[number].departed


async def test_few_look_ups_while_nobody_plays(night: Night) -> None:
    await night.begin('Ann', 'Bob', 'Cem', pace='none')
    before = len(sent(night, 'GET', '/members/'))
    await night.env.advance_time(2 * 24 * 3600)
    assert len(sent(night, 'GET', '/members/')) - before < 15


# --- forums, and other channels ---------------------------------------------------------------------------------------------


async def test_a_shut_post_of_a_forum_waits(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings.append('the board could not be updated')
    forum = night.guild.create_forum_channel('forum')
    channel = night.bot.get_channel(forum.id)
    assert isinstance(channel, discord.ForumChannel)
    await channel.create_thread(name='game', content='a game')
    post = night.in_channel(next(thread for thread in forum.threads if thread.name == 'game'))
    await post.begin('Ann', 'Bob')
    post.let_tokens_die()
    for code in (50083, 160005):
        post.env.inject_error('PATCH', f'/channels/{post.channel.id}/messages/*', status=400, code=code, message='shut', times=None)
        post.env.inject_error('POST', f'/channels/{post.channel.id}/messages', status=400, code=code, message='shut', times=None)
    await post.move()
    assert post.table.channel_id == post.channel.id
    assert post.table.waiting_for == 'no-access'
    assert any('can no longer write' in line for line in post.told('Ann'))


# --- the end ----------------------------------------------------------------------------------------------------------------


async def test_nothing_is_begun_while_the_bot_closes(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before = night.everything()
    board = night.board()
    asked = len(sent(night, 'POST', '/callback'))
    night.bot.chat.replies.closing = True
    await night.deliver(
        night.a_press('Ann', board, f't:hand:{night.table.id}::'),
        night.a_command('Ann', 'superman draw'),
        night.a_command('Ann', 'nonsense'),
        night.a_typing('Ann', 'superman play', 'card', 'B'),
    )
    assert len(sent(night, 'POST', '/callback')) == asked
    assert night.everything() == before


async def test_an_end_under_load_is_quick_and_clean(night: Night) -> None:
    """Whoever is being answered gets the answer; nobody who comes later keeps the bot from going."""
    await night.begin('Ann', 'Bob')
    board = night.board()
    presses = [night.a_press('Ann', board, f't:hand:{night.table.id}::') for _ in range(30)]
    for _, payload in presses[:10]:
        night.env.backend.emit('INTERACTION_CREATE', payload)
    await asyncio.sleep(0)
    closing = asyncio.create_task(night.bot.close())
    for _, payload in presses[10:]:
        night.env.backend.emit('INTERACTION_CREATE', payload)
    await asyncio.wait_for(closing, 5)
