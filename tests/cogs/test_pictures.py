"""Hands as pictures: that they show the hand and say so in words, that text never waits for them, and that a server may do without."""

from __future__ import annotations

import json
from io import BytesIO
from threading import Event
from typing import Any

import discord
import pytest
from PIL import Image

from bot.chat import pictures as sending
from bot.ui import pictures
from bot.ui.board import layout

from .night import Night, raw, texts_of
from .playing import NAMES, begin, lay, plain, running

pytestmark = pytest.mark.simcord(settle_timeout=20)

GALLERY = 12


def galleries(message: Any) -> list[dict[str, Any]]:
    """The media galleries of a message."""
    return [part for box in raw(message) for part in box.get('components') or [] if part['type'] == GALLERY]


def alt(message: Any) -> str:
    """What the only picture of a message says to those who cannot see it."""
    (gallery,) = galleries(message)
    (item,) = gallery['items']
    return plain(item['description'])


async def image(night: Night, message: Any) -> Image.Image:
    """The only picture of a message, opened."""
    (attachment,) = message.attachments
    data = await attachment.read()
    picture = Image.open(BytesIO(data))
    picture.load()
    return picture


def uploads(night: Night) -> int:
    """How many requests of the bot have carried a file."""
    sent = [request.json for request in night.env.http_requests if isinstance(request.json, dict)]
    return sum(bool(message.get('attachments')) for message in sent)


@pytest.fixture
def boss(night: Night) -> str:
    night.person('Boss', roles=[night.guild.create_role('boss', permissions=discord.Permissions(manage_guild=True))])
    return 'Boss'


@pytest.mark.parametrize(
    ('game', 'seats', 'rows'),
    [('superman', 2, 1), ('kings', 2, 2), ('thirteen', 4, 2), ('villains', 2, 1), ('swoop', 3, 3)],
)
async def test_a_hand_has_a_picture_and_the_same_as_text(night: Night, game: str, seats: int, rows: int) -> None:
    table = await begin(night, game, seats)
    game_view, words = night.bot.chat.game_views[game], night.bot.chat.languages.of_server(night.guild.id)
    for seat, name in enumerate(NAMES[:seats]):
        message = night.hand_message(name)
        held = [card for card in running(table).observation(seat).cards('hands', seat) if card is not None]
        text = '\n'.join(part['content'] for box in raw(message) for part in box['components'] if 'content' in part)
        for card in held:
            assert plain(game_view.card(card, words)) in alt(message)
            art = game_view.art(card)
            assert (art.middle if art.band else plain(game_view.card(card, words))) in plain(text)
        picture = await image(night, message)
        assert (picture.format, picture.mode, picture.width) == ('PNG', 'P', 656)
        assert picture.height <= 126 * rows + 6 * 4
        assert len(picture.convert('RGB').getcolors(1 << 20) or []) > 10
        assert not galleries(night.board())
    private = await night.open_hand(NAMES[0])
    assert alt(private) == alt(night.hand_message(NAMES[0]))
    assert (await image(night, private)).tobytes() == (await image(night, night.hand_message(NAMES[0]))).tobytes()


async def test_the_picture_changes_with_the_hand_and_is_not_sent_again_without_need(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    night.put(['B1 R2', 'G3 Y4'], pile='B4')
    await lay(night, running(night.table))
    first, waiting = await image(night, night.hand_message('Ann')), night.hand_message('Bob')
    before = uploads(night)
    await night.slash('Ann', 'superman play', card='B1')
    assert uploads(night) == before + 1
    assert (await image(night, night.hand_message('Ann'))).tobytes() != first.tobytes()
    assert alt(night.hand_message('Ann')) == 'Your cards: 🟥R2'
    assert alt(night.hand_message('Bob')) == alt(waiting)
    assert (await image(night, night.hand_message('Bob'))).width == 656


async def test_the_picture_is_there_after_a_restart(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    said = alt(night.hand_message(name))
    await night.restart()
    assert alt(night.hand_message(name)) == said
    assert len(night.hand_message(name).attachments) == 1
    await night.move()
    assert alt(night.hand_message(name)) != said
    assert len(night.hand_message(name).attachments) == 1


async def test_a_hand_without_cards_has_no_picture(night: Night) -> None:
    await night.begin('Ann', 'Bob', target=20)
    night.put(['B1', 'G3 Y4'], pile='B4')
    await lay(night, running(night.table))
    await night.slash('Ann', 'superman play', card='B1')
    while night.table.state == 'playing':
        await night.move()
        if night.bot.host.in_channel(night.channel.id) is None:
            break
    message = night.hand_message('Ann')
    assert not galleries(message)
    assert not message.attachments


async def test_a_server_does_without_pictures(night: Night, boss: str) -> None:
    await night.begin('Ann', 'Bob')
    assert galleries(night.hand_message('Ann'))
    assert 'Show hands as pictures too: no' in await night.slash(boss, 'settings server', pictures=False)
    for message in (night.hand_message('Ann'), await night.open_hand('Ann')):
        assert not galleries(message)
        assert not message.attachments
    before = uploads(night)
    await night.move()
    assert uploads(night) == before
    assert 'Show hands as pictures too: yes' in await night.slash(boss, 'settings server', pictures=True)
    assert len(galleries(night.hand_message('Ann'))) == len(night.hand_message('Ann').attachments) == 1


async def test_a_private_hand_is_redrawn_with_its_picture(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    night.put(['B1 R2', 'G3 Y4'], pile='B4')
    await lay(night, running(night.table))
    private = await night.open_hand('Ann')
    assert alt(private) == 'Your cards: 🟦B1, 🟥R2'
    await night.play_from('Ann', private, 'play B1')
    private = next(message for message in night.channel.history(viewer=night.person('Ann')) if message.id == private.id)
    assert alt(private) == 'Your cards: 🟥R2'
    assert len(private.attachments) == 1


async def test_a_fault_in_drawing_leaves_the_text(night: Night, monkeypatch: pytest.MonkeyPatch, expected_warnings: list[str]) -> None:
    def save(*args: Any, **kwargs: Any) -> None:
        raise OSError('no encoder')

    pictures.render.cache_clear()
    expected_warnings.append('a hand could not be rendered and is shown as text only')
    with monkeypatch.context() as patch:
        patch.setattr(Image.Image, 'save', save)
        await night.begin('Ann', 'Bob')
        message = night.hand_message('Ann')
        assert 'Your hand' in '\n'.join(texts_of(raw(message)))
        assert not galleries(message)
        assert not message.attachments
    assert galleries(await night.open_hand('Ann'))
    await night.slash('Cem', 'table watch')
    assert galleries(night.hand_message('Ann')), 'the next time that the table is drawn'


async def test_the_text_does_not_wait_for_a_slow_picture(monkeypatch: pytest.MonkeyPatch, expected_warnings: list[str]) -> None:
    expected_warnings.append('a hand was not rendered within 0.05 s and is shown as text only')
    monkeypatch.setattr(sending, 'PATIENCE', 0.05)
    goes_on = Event()
    monkeypatch.setattr(Image.Image, 'save', lambda *args, **kwargs: goes_on.wait(10))
    picture = pictures.Picture.of([[pictures.Art('7')]], 'a seven')
    assert picture is not None
    view = layout(['Your hand', picture.gallery], [], 0)
    sent: list[dict[str, Any]] = []

    async def send(**what: Any) -> None:
        sent.append(what)

    artist = sending.Pictures()
    await artist.send(view, picture, send, edit=False)
    goes_on.set()
    artist.close()
    assert sent == [{'view': view}]
    assert not pictures.pictured(view)
    assert 'Your hand' in json.dumps(view.to_components())


@pytest.mark.parametrize(('status', 'code'), [(400, 50035), (413, 40005), (403, 50013)])
async def test_discord_takes_the_text_only(night: Night, expected_warnings: list[str], status: int, code: int) -> None:
    await night.begin('Ann', 'Bob')
    path = f'/channels/{night.person("Ann").user.dm_channel.id}/messages/{night.hand_message("Ann").id}'
    expected_warnings.append('Discord does not take the picture of a hand')
    night.put(['B1 R2', 'G3 Y4'], pile='B4')
    night.env.inject_error('PATCH', path, status=status, code=code, message='refused', times=1)
    await lay(night, running(night.table))
    message = night.hand_message('Ann')
    assert '`🟦B1`' in '\n'.join(texts_of(raw(message)))
    assert not galleries(message)
    await night.slash('Ann', 'superman play', card='B1')
    assert alt(night.hand_message('Ann')) == 'Your cards: 🟥R2'


async def test_discord_has_lost_the_picture(night: Night) -> None:
    """An edit that counts on the picture that is there, and is refused for it, is made again with the picture."""
    await night.begin('Ann', 'Bob')
    night.put(['B1 R2', 'G3 Y4'], pile='B4')
    await lay(night, running(night.table))
    path = f'/channels/{night.person("Bob").user.dm_channel.id}/messages/{night.hand_message("Bob").id}'
    before = uploads(night)
    night.env.inject_error('PATCH', path, status=400, code=50035, message='refused', times=1)
    await night.slash('Ann', 'superman play', card='B1')
    assert uploads(night) == before + 2
    assert alt(night.hand_message('Bob')) == 'Your cards: 🟩G3, 🟨Y4'
    assert len(night.hand_message('Bob').attachments) == 1


def test_equal_cards_lie_on_one_another() -> None:
    three, one = pictures.Art('7', middle='7'), pictures.Art('9', middle='9')
    picture = pictures.Picture.of([[three, three, three, one], []], 'three sevens and a nine')
    assert picture is not None
    assert [[(art.corner, art.copies) for art in row] for row in picture.rows] == [[('7', 3), ('9', 1)]]
    assert pictures.Picture.of([[], []], '') is None


def test_a_long_description_is_cut() -> None:
    picture = pictures.Picture.of([[pictures.Art('7')]], 'x' * 2000)
    assert picture is not None
    assert len(picture.alt) == 1024
