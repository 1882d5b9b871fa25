"""Clocks as people see them: deadlines, reminders, default moves, seats that play on, and lobbies that expire. To the second."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot.text
from bot.tables.table import Table
from bot.tables.time_control import GRACE, LIVE, RELAXED
from bot.ui.language import catalogues

from .night import Night, controls_of, raw

pytestmark = pytest.mark.simcord(settle_timeout=20)

FIRST = LIVE.move + LIVE.time_bank
"""The time for a decision while the bank is full."""


def stamp(night: Night, seconds: float) -> str:
    """The time in so many seconds, as Discord shows it."""
    return f'<t:{int(night.env.now().timestamp() + seconds)}:R>'


def makers(night: Night) -> list[str]:
    """Who made each stored move, oldest first: `player`, `clock` or `computer`."""
    return [row[6] for row in night.stored()['move']]


def pinged(night: Night) -> list[list[int]]:
    """Whom each plain message in the channel has pinged, oldest first."""
    posts = [one for one in night.env.http_requests if one.method == 'POST' and one.path.endswith(f'/{night.channel.id}/messages')]
    return [[int(user_id) for user_id in one.json['allowed_mentions'].get('users', [])] for one in posts if one.json.get('content')]


async def run_out(night: Night) -> None:
    """Whoever has to move does not, until the default move is made."""
    deadline = night.table.deadline
    assert deadline is not None
    await night.env.advance_time(deadline + GRACE - night.env.now().timestamp())


async def idle(night: Night, name: str) -> Table:
    """That person lets the time run out until the seat plays by itself; the others play."""
    table = night.table
    while not table.seats[table.seat(night.person(name).id)].away:
        if night.name_of_turn() == name:
            await run_out(night)
        else:
            await night.move()
    return table


async def test_the_deadline_stands_on_board_and_hand(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    assert f'Time runs out {stamp(night, FIRST)}.' in night.board_text()
    assert stamp(night, FIRST) in night.seen_by(name)
    await night.env.advance_time(100)
    await night.move()
    left = LIVE.time_bank - 10 if night.name_of_turn() == name else LIVE.time_bank
    assert f'Time runs out {stamp(night, LIVE.move + left)}.' in night.board_text()


async def test_one_reminder_to_that_player_only(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    other = next(one for one in ('Ann', 'Bob') if one != name)
    await night.env.advance_time(FIRST - LIVE.remind - 1)
    assert night.told(name) == []
    await night.env.advance_time(1)
    (said,) = night.told(name)
    assert said.startswith(f'Superman (1978) in Club: it is your turn, and your time runs out {stamp(night, LIVE.remind)}.')
    assert f'https://discord.com/channels/{night.guild.id}/{night.channel.id}/{night.board().id}' in said
    await night.env.advance_time(LIVE.remind - 25)
    assert night.told(name) == [said]
    assert night.told(other) == []
    assert night.said() == []


async def test_a_reminder_at_the_table_where_direct_messages_are_closed(night: Night) -> None:
    for name in ('Ann', 'Bob'):
        night.close_direct(name)
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    before = night.said()
    await night.env.advance_time(FIRST - LIVE.remind)
    (said,) = night.said()[len(before) :]
    assert said.startswith(f'<@{night.person(name).id}> Superman (1978) in Club: it is your turn')
    last = night.channel.history()[-1]
    assert [user.id for user in last.mentions] == [night.person(name).id]


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The bot has a German catalogue with a few texts."""
    shutil.copytree(Path(bot.text.__file__).parent / 'locales' / 'en', tmp_path / 'locales' / 'en')
    part = tmp_path / 'locales' / 'de' / 'LC_MESSAGES' / 'ui.po'
    part.parent.mkdir(parents=True)
    said = {'language.name': 'Deutsch', 'tell.remind': 'Du bist dran in {game}.', 'outcome.channel-gone': 'Der Kanal ist weg.'}
    part.write_text(''.join(f'msgid "{key}"\nmsgstr "{text}"\n\n' for key, text in said.items()), 'utf-8')
    monkeypatch.setattr(bot.text, 'files', lambda _: tmp_path)
    catalogues.cache_clear()
    yield
    catalogues.cache_clear()


async def test_what_all_read_is_said_in_the_language_of_the_server(german: None, night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    user_id = night.person(name).id
    await night.slash(name, 'settings mine', language='de')
    await night.bot.chat.notices.tell(table, user_id, 'remind', when='now')
    assert night.told(name) == ['Du bist dran in Superman (1978).']
    night.close_direct(name)
    for asked in ({'code': 'remind', 'when': 'now'}, {'code': 'stopped', 'reason': 'channel-gone'}):
        await night.bot.chat.notices.tell(table, user_id, **asked)
    reminded, stopped = night.said()
    assert reminded.startswith(f'<@{user_id}> Superman (1978) in Club: it is your turn, and your time runs out now.')
    assert stopped == f'<@{user_id}> Superman (1978) in Club: your table is closed. The channel no longer exists.'


@pytest.mark.parametrize('pings', [True, False])
async def test_those_who_want_no_pings_are_named_without_one(night: Night, pings: bool) -> None:
    table = await night.begin('Ann', 'Bob')
    await night.slash('Ann', 'settings mine', pings=pings)
    night.close_direct('Ann')
    await night.bot.chat.notices.tell(table, night.person('Ann').id, 'no-access')
    assert night.said()[-1].startswith(f'<@{night.person("Ann").id}> Superman (1978) in Club: I can no longer write')
    assert pinged(night)[-1] == [night.person('Ann').id] * pings


async def test_no_reminder_for_those_who_want_none(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    await night.slash(name, 'settings mine', pings=False)
    await night.env.advance_time(FIRST - 25)
    assert night.told(name) == []
    assert night.said() == []


async def test_the_default_move_stands_in_the_log(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    assert table.match is not None
    default = table.match.round.format_move(table.match.round.default_move())
    await run_out(night)
    assert makers(night) == ['clock']
    assert night.stored()['move'][0][4] == default
    assert f'{name} ran out of time, so that move was made for them.' in night.board_text()


@pytest.mark.parametrize('way', ['board', 'hand', 'command'])
async def test_away_and_back(night: Night, way: str) -> None:
    await night.begin('Ann', 'Bob')
    await idle(night, 'Bob')
    assert '(away)' in night.board_text()
    assert 'Bob is away. The computer plays for them.' in night.board_text()
    assert await night.press('Ann', 'I’m back') == 'You were not away, so the seat is yours already.'
    match way:
        case 'board':
            said = await night.press('Bob', 'I’m back')
        case 'hand':
            message = night.hand_message('Bob')
            (button,) = [control for control in controls_of(raw(message)) if control.get('label') == 'I’m back']
            result = await night.person('Bob').user.click(message, custom_id=button['custom_id'])
            said = result.followups[-1].content
        case _:
            said = await night.slash('Bob', 'table back')
    assert said == 'Welcome back. Your seat is yours again.'
    assert '(away)' not in night.board_text()
    assert 'I’m back' not in night.board_text()
    assert 'Bob is back.' in night.board_text()


async def test_replaced_by_somebody_who_joins(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    assert 'no seat is free' in await night.slash('Cem', 'table join')
    table = await idle(night, 'Bob')
    assert 'You have a seat' in await night.slash('Cem', 'table join')
    assert table.name(1) == 'Cem'
    assert 'Cem takes over a seat from the computer.' in night.board_text()
    if night.name_of_turn() != 'Cem':
        await night.move()
    assert 'Your hand' in night.seen_by('Cem')


async def test_everyone_away(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    for _ in range(50):
        if table.state == 'playing':
            await (run_out(night) if table.deadline is not None else night.env.advance_time(10))
    assert (table.state, table.outcome) == ('abandoned', 'everyone-away')
    assert 'Everyone is away, so nobody wins.' in night.board_text()
    count = len(night.env.http_requests)
    await night.env.advance_time(86_400)
    assert len(night.env.http_requests) == count


async def test_relaxed(night: Night) -> None:
    await night.begin('Ann', 'Bob', pace='relaxed')
    name = night.name_of_turn()
    assert f'Time runs out {stamp(night, RELAXED.move)}.' in night.board_text()
    await night.env.advance_time(RELAXED.move - RELAXED.remind - 1)
    assert night.told(name) == []
    await night.env.advance_time(1)
    assert len(night.told(name)) == 1
    await night.env.advance_time(RELAXED.remind + GRACE)
    assert makers(night) == ['clock']


async def test_none(night: Night) -> None:
    table = await night.begin('Ann', 'Bob', pace='none')
    assert 'Time runs out' not in night.board_text()
    await night.env.advance_time(7 * 86_400)
    assert makers(night) == []
    assert table.state == 'playing'


async def test_time_stands_still_while_discord_is_away(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await night.env.advance_time(100)
    await night.dispatch('disconnect')
    await night.dispatch('disconnect')
    await night.env.advance_time(5_000)
    assert makers(night) == []
    assert night.told('Ann') == night.told('Bob') == []
    await night.dispatch('resumed')
    await night.dispatch('ready')
    assert f'Time runs out {stamp(night, FIRST - 100)}.' in night.board_text()
    await night.env.advance_time(FIRST - 100 - LIVE.remind)
    assert len(night.told(night.name_of_turn())) == 1
    await night.env.advance_time(LIVE.remind + GRACE)
    assert makers(night) == ['clock']


async def test_fresh_time_after_a_restart(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await idle(night, 'Bob')
    await night.env.advance_time(60)
    await night.restart()
    assert [(seat.person.name, seat.away) for seat in night.table.seats] == [('Ann', False), ('Bob', True)]
    assert f'Time runs out {stamp(night, FIRST)}.' in night.board_text()
    made = len(makers(night))
    await night.env.advance_time(FIRST - 25)
    assert len(makers(night)) == made
    await night.env.advance_time(25 + GRACE)
    assert makers(night)[made] == 'clock'


async def test_a_lobby_expires_with_a_word_to_those_who_wait(night: Night) -> None:
    await night.slash('Ann', 'superman open')
    table = night.table
    await night.env.advance_time(3_590)
    await night.press('Bob', 'Join')
    await night.press('Cem', 'Watch')
    await night.env.advance_time(3_590)
    assert table.state == 'lobby'
    await night.env.advance_time(10)
    assert 'Nobody started the match in time.' in night.board_text()
    (said,) = night.said()
    ann, bob = night.person('Ann').id, night.person('Bob').id
    assert said == (
        f'<@{ann}> <@{bob}> · Superman (1978): nobody started the match, so the table is closed. Open a new one when you are ready.'
    )
    await night.slash('Ann', 'superman open')
    assert night.table.id != table.id
