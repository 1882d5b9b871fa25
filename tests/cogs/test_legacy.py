"""What an earlier version left behind (`tests/legacy`): tables, buttons, settings and leaderboards go on under this one."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import simcord

from bot.app import CardBot, create_bot
from bot.config import Settings
from bot.engines.villains import CARDS
from bot.storage import Store
from bot.tables.table import Table

from ..legacy.kept import controls, lay_out, leaderboards, messages, position
from .conftest import env_of, virtual_clock
from .limits import request_within_limits
from .night import Night, codes, controls_of, raw, texts_of
from .playing import pack_codes, plain

FOLDER = Path(__file__).parent.parent / 'legacy'
LEFT: dict[str, Any] = json.loads((FOLDER / 'evening.json').read_text('utf-8'))
POSITIONS: dict[str, Any] = LEFT['positions']
PLAYS = ('play', 'choose', 'sure', 'confirm')
"""The actions of buttons and menus that make a move."""
READS = ('hand', 'refresh', 'rules', 'piles', 'some', 'class', 'turn', 'villain-side', 'hero-side', 'clear')
"""The actions that change nothing for the others at the table."""


@dataclass(frozen=True)
class Control:
    """A button or menu that an earlier version has sent, and could be used."""

    message_id: int
    custom_id: str
    values: tuple[str, ...]

    def part(self, number: int) -> str:
        """One of the parts of the custom id of a press at a table: 1 the action, 2 the table, 3 the position, 4 the argument."""
        parts = self.custom_id.split(':', 4)
        return parts[number] if parts[0] == 't' else ''

    @property
    def channel(self) -> str:
        """The channel of the table that it belongs to; empty when that is over, or when it belongs to none."""
        return next((name for name, table_id in LEFT['tables'].items() if self.part(2) == str(table_id)), '')

    @property
    def stale(self) -> bool:
        """Whether it was made for a position that is not the one of its table any more."""
        return bool(self.part(3)) and [int(number) for number in self.part(3).split('.')] != POSITIONS[self.channel]['position']

    def __str__(self) -> str:
        return f'{self.message_id} {self.custom_id}'


CONTROLS = [
    Control(int(message_id), control['custom_id'], tuple(option['value'] for option in control.get('options', [])))
    for message_id, message in LEFT['messages'].items()
    for control in controls_of(message['components'])
    if not control.get('disabled')
]
PLAYED = {(one.message_id, one.part(1)): one for one in CONTROLS if one.part(1) in PLAYS and one.part(3) and not one.stale}.values()
"""For each message, one of the controls that make a move, of each kind."""


@dataclass
class Evening:
    """The bot of this version, started on what was left behind."""

    env: simcord.Env
    bot: CardBot
    club: Night
    den: Night

    def table(self, channel: str) -> Table:
        table_id = LEFT['tables'][channel]
        return next(table for table in self.bot.host.tables if table.id == table_id)

    def at(self, channel: str) -> Night:
        """The night in this channel."""
        night = self.den if channel in LEFT['servers']['Den']['channels'] else self.club
        return night.in_channel(night.guild.channels[channel])

    def message(self, message_id: int) -> Any:
        return messages(self.env)[message_id]

    def reader(self, control: Control) -> str:
        """Somebody who sees this control: whose private message it is, or else the player on turn at its table, or else Ann."""
        message = self.message(control.message_id)
        for name, (user_id, direct) in LEFT['people'].items():
            if message.channel_id == direct or str(user_id) == ((message.interaction_metadata or {}).get('user') or {}).get('id'):
                return name
        return self.table(control.channel).name(POSITIONS[control.channel]['turn']) if control.channel in POSITIONS else 'Ann'

    async def use(self, control: Control, *, by: str = '') -> str:
        """Uses a control, as its reader or somebody else; what that person was told."""
        night, channel_id = self.den if control.channel == 'capture' else self.club, self.message(control.message_id).channel_id
        message = SimpleNamespace(id=control.message_id, channel=SimpleNamespace(id=channel_id))
        [said] = await night.deliver(night.a_press(by or self.reader(control), message, control.custom_id, control.values[:1]))
        return said


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={'rating_min_matches': 2})


@pytest.fixture
async def evening(simcord_env: simcord.Env, simcord_bot: CardBot, settings: Settings, tmp_path: Path) -> AsyncIterator[Evening]:
    """This version of the bot, started on a database that an earlier one made, in a world where its messages still stand."""
    env_of[simcord_bot] = simcord_env
    nights = lay_out(simcord_env, simcord_bot, LEFT, {'Fay': ['boss'], 'Dora': ['crew']})
    await simcord_env.advance_time(LEFT['now'] + 60 - simcord_env.now().timestamp())
    with closing(sqlite3.connect(tmp_path / 'evening.sqlite3')) as connection:
        connection.executescript((FOLDER / 'evening.sql').read_text('utf-8'))
    url = f'sqlite:///{tmp_path}/evening.sqlite3'
    store = await Store.open(url, spawn=asyncio.create_task)
    bot = create_bot(settings.model_copy(update={'database_url': url}), store=store, clock=virtual_clock(lambda: simcord_env))
    await simcord_env.restart_bot(bot)
    for night in nights.values():
        night.bot = bot
    yield Evening(simcord_env, bot, nights['Club'], nights['Den'])
    for request in simcord_env.http_requests:
        request_within_limits(request.path, request.json)
    await bot.close()
    await store.close()


def rows(table: str) -> list[sqlite3.Row]:
    """The rows of a table in the database that was left behind."""
    with closing(sqlite3.connect(':memory:')) as connection:
        connection.row_factory = sqlite3.Row
        connection.executescript((FOLDER / 'evening.sql').read_text('utf-8'))
        return connection.execute(f'SELECT * FROM "{table}"').fetchall()


# --- tables ---------------------------------------------------------------------------------------------------------------------


async def test_every_table_is_open_with_its_people_and_rules(evening: Evening) -> None:
    stored = {row['id']: row for row in rows('game_table') if row['state'] in ('lobby', 'playing')}
    assert sorted(stored) == sorted(LEFT['tables'].values()) == sorted(table.id for table in evening.bot.host.tables)
    for table in evening.bot.host.tables:
        row = stored[table.id]
        found = (table.guild_id, table.channel_id, table.game.id, table.host_id, table.state, table.most)
        assert found == tuple(row[name] for name in ('guild_id', 'channel_id', 'game', 'host_id', 'state', 'seats'))
        assert dict(table.options) == json.loads(row['options'])
        assert (table.time_control.id if table.time_control else 'none') == row['pace']
        assert (table.board_channel, table.board_message) == (row['board_channel_id'], row['board_message_id'])
        assert sorted(table.watchers) == sorted(one['user_id'] for one in rows('watcher') if one['table_id'] == table.id)
        assert len(table.seats) == len([one for one in rows('seat') if one['table_id'] == table.id])
        for one in rows('seat'):
            if one['table_id'] == table.id:
                seat, extra = table.seats[one['seat']], json.loads(one['extra'])
                assert (seat.person.id, seat.person.name) == (one['user_id'], one['name'])
                assert (seat.hand_channel, seat.hand_message) == (one['hand_channel_id'], one['hand_message_id'])
                assert (seat.departed, seat.away) == (extra.get('left', False), extra.get('away', False))
                assert seat.idle == extra.get('idle', 0)
                assert [[person.id, person.name] for person in seat.before] == extra.get('before', [])


def test_what_the_evening_is_about() -> None:
    """All that a table can be in the middle of is there, or the other tests say less than they seem to."""
    extras = [set(json.loads(row['extra'])) for row in rows('seat') if row['table_id'] in LEFT['tables'].values()]
    assert set.union(*extras) == {'left', 'away', 'idle', 'before'}
    assert {row['pace'] for row in rows('game_table') if row['id'] in LEFT['tables'].values()} == {'live', 'relaxed', 'none'}
    assert {row['state'] for row in rows('game_table')} == {'lobby', 'playing', 'finished', 'abandoned'}
    assert {row['game'] for row in rows('game_table') if row['state'] == 'playing'} == {
        'kings', 'superman', 'swoop', 'thirteen', 'villains',
    }  # fmt: skip
    assert {one.part(1) for one in CONTROLS if one.channel} >= {*PLAYS, *READS, 'take-back', 'join', 'leave', 'start', 'watch', 'back'}
    assert {one.custom_id.partition(':')[0] for one in CONTROLS} == {'t', 'lb', 'rules'}
    assert {one.channel for one in CONTROLS if one.stale} == {'undone'}
    assert {one.channel for one in PLAYED} == {'away', 'thirteen', 'left', 'capture'}


async def test_every_match_is_in_the_same_position(evening: Evening) -> None:
    for channel, left in POSITIONS.items():
        assert position(evening.table(channel)) == left, channel


async def test_boards_and_hands_are_rendered_again_where_they_are(evening: Evening) -> None:
    edited = {int(request.path.rpartition('/')[2]) for request in evening.env.http_requests if request.method == 'PATCH'}
    open_messages = {table.board_message for table in evening.bot.host.tables}
    open_messages |= {seat.hand_message for table in evening.bot.host.tables for seat in table.seats} - {None}
    assert edited == open_messages
    standing = messages(evening.env)
    assert set(standing) == {int(message_id) for message_id in LEFT['messages']}, 'and no other ones are posted'
    for message_id, left in LEFT['controls'].items():
        now = controls(standing[int(message_id)].components)
        assert [[re.sub(r'^(t:play:\d+):[\d.]+:', r'\1::', custom_id), values] for custom_id, values in now] == [
            [re.sub(r'^(t:play:\d+):[\d.]+:', r'\1::', custom_id), values] for custom_id, values in left
        ]


async def test_boards_and_hands_show_the_same_cards(evening: Evening) -> None:
    games = {row['id']: row['game'] for row in rows('game_table')}
    boards = {row['board_message_id']: row['game'] for row in rows('game_table')}
    boards |= {row['hand_message_id']: games[row['table_id']] for row in rows('seat')}
    named = 0
    for message_id, message in LEFT['messages'].items():
        if (game := boards.get(int(message_id))) is not None:
            before, now = cards(game, message['components']), cards(game, evening.message(int(message_id)).components)
            if int(message_id) == evening.table('undone').board_message:
                assert now > before  # of a move that was taken back nothing is told any more, but of those before
            else:
                assert now == before, message_id
            named += len(now)
    assert named > 100


def cards(game: str, components: list[dict[str, Any]]) -> set[str]:
    """The cards of this game that a message names."""
    text = plain('\n'.join(texts_of(components)))
    text = re.sub(r'(?<=\bK[0-3] )\S+…', '', text)  # version 0.1.0 showed the king at the bottom of a king stall too
    if game == 'superman':
        return codes(text)
    if game == 'villains':
        return {card.name for card in CARDS if re.search(rf'\b{re.escape(plain(card.name))}\b', text)}
    return set(re.findall('`([^`]+)`', text)) if game == 'swoop' else pack_codes(text)


# --- buttons and menus ----------------------------------------------------------------------------------------------------------


async def test_what_changes_nothing_is_answered(evening: Evening) -> None:
    used = [one for one in CONTROLS if not one.stale and (one.part(1) in READS or not one.part(1))]
    assert {one.part(1) for one in used} == {*READS, ''}
    before = evening.club.everything()
    nothing = await evening.use(replace(used[0], custom_id='x', values=()))
    stale = await evening.use(moved_on(next(one for one in CONTROLS if one.part(1) == 'choose')))
    assert '' not in (nothing, stale)
    assert nothing != stale
    for control in used:
        said = await evening.use(control)
        assert nothing not in said, control
        assert stale not in said, control
    assert evening.club.everything() == before


def moved_on(control: Control) -> Control:
    """The same control, made for a position that no table is in."""
    return replace(control, custom_id=':'.join([*control.custom_id.split(':', 4)[:3], '999999.999999', control.part(4)]))


@pytest.mark.parametrize('control', PLAYED, ids=str)
async def test_what_plays_still_plays_and_only_once(evening: Evening, control: Control) -> None:
    table, legal = evening.table(control.channel), POSITIONS[control.channel]['legal']
    before, moves = table.position, len(evening.club.stored()['move'])
    text = control.values[0] if control.part(1) == 'choose' else control.part(4)
    if control.part(1) == 'confirm':  # it carries the numbers of the cards
        text = next(move for move in legal if re.fullmatch(r'capture [a-z-]+ \| [a-z-]+', move))
    assert text in legal
    reader = evening.reader(control)
    if reader == 'Dora' and control.part(1) in ('play', 'choose'):  # she wants to be asked
        assert await evening.use(control)
        assert table.position == before
        control = replace(control, custom_id=f't:sure:{control.part(2)}:{control.part(3)}:{text}', values=())
    await evening.use(control)
    stored = evening.club.stored()['move']
    [move] = [row for row in stored if (row[0], *row[1:3]) == (table.id, *before)]
    assert (move[3], move[4], move[6]) == (POSITIONS[control.channel]['turn'], text, 'player')
    assert table.position == (before[0], before[1] + 1)
    stale = await evening.use(moved_on(control), by=reader)
    assert stale
    assert await evening.use(control, by=reader) == stale
    assert [row for row in evening.club.stored()['move'] if row[6] == 'player'] == [row for row in stored if row[6] == 'player']
    assert len(stored) > moves


async def test_what_was_made_for_an_earlier_position_is_stale(evening: Evening) -> None:
    """Where a move was taken back, the positions are counted afresh after a restart."""
    stale = [one for one in CONTROLS if one.stale]
    assert {one.part(1) for one in stale} == {'choose', 'take-back'}
    before = evening.club.everything()
    for control in stale:
        said = await evening.use(moved_on(control))
        assert said
        assert await evening.use(control) == said
    assert evening.club.everything() == before
    now = [controls(evening.message(one.message_id).components) for one in stale if one.values]
    assert [found[0] for found in now] == [['t:choose:8:1.6:0', ['play G2']]] * 2, 'the hands are brought up to date'


async def test_the_moves_on_boards_belong_to_no_position_so_they_are_stale(evening: Evening) -> None:
    """Boards of this version have a position in these buttons; the boards are redrawn at the start, and by such a press at the latest."""
    used = [one for one in CONTROLS if one.part(1) == 'play' and not one.part(3) and one.channel]
    assert {one.channel for one in used} == set(POSITIONS)
    moves = evening.club.stored()['move']
    for control in used:
        said = await evening.use(control, by=evening.table(control.channel).name(POSITIONS[control.channel]['turn']))
        assert said.startswith('The game has moved on'), control
    assert evening.club.stored()['move'] == moves


def at_board(channel: str, action: str) -> Control:
    """A button on the board that stands in this channel."""
    channel_id = LEFT['servers']['Club']['channels'][channel]
    here = [one for one in CONTROLS if LEFT['messages'][str(one.message_id)]['channel_id'] == channel_id]
    return next(one for one in here if one.part(1) == action)


async def test_the_lobby_goes_on(evening: Evening) -> None:
    table, lobby = evening.table('lobby'), evening.at('lobby')
    for name, action in (('Emil', 'join'), ('Dora', 'join'), ('Bob', 'leave')):
        assert await evening.use(at_board('lobby', action), by=name)
    assert [seat.person.name for seat in table.seats] == ['Ann', 'Emil', 'Dora']
    assert await evening.use(at_board('lobby', 'start'), by='Ann') == ''
    assert (table.state, table.position) == ('playing', (0, 0))
    assert [f'<@{evening.club.person("Cem").id}>' in said for said in lobby.said()] == [True], 'who watches is told'
    with_hands = {seat.person.name for seat in table.seats if seat.hand_message}
    assert with_hands == {'Ann', 'Dora'}, 'Emil wants no hand by direct message'


async def test_watching_ends(evening: Evening) -> None:
    assert await evening.use(at_board('lobby', 'watch'), by='Cem')
    assert evening.table('lobby').watchers == ()


@pytest.mark.parametrize(('channel', 'name', 'others'), [('first', 'Ann', ['Bob']), ('fifth', 'Bob', ['Ann'])])
async def test_a_rematch_of_what_was_over(evening: Evening, channel: str, name: str, others: list[str]) -> None:
    button = at_board(channel, 'rematch')
    [row] = [row for row in rows('game_table') if row['id'] == int(button.part(2))]
    assert await evening.use(button, by=name)
    table = evening.at(channel).table
    assert table.id > max(LEFT['tables'].values())
    assert [seat.person.name for seat in table.seats] == [name, *others]
    assert (table.game.id, dict(table.options)) == (row['game'], json.loads(row['options']))


async def test_back_from_being_away(evening: Evening) -> None:
    for control in [one for one in CONTROLS if one.part(1) == 'back' and evening.reader(one) == 'Cem']:
        assert evening.table('away').seats[2].away
        assert await evening.use(control)
    assert not evening.table('away').seats[2].away


async def test_the_list_of_ones_seats(evening: Evening) -> None:
    listed = [one for one in CONTROLS if one.part(4) == 'listed']
    assert {one.channel for one in listed} == set(LEFT['tables'])
    for control in listed:
        if control.channel in ('lobby', 'left'):
            assert await evening.use(control)
            assert evening.table(control.channel).seat_of(LEFT['people']['Ann'][0]) is None


# --- leaderboards and settings ------------------------------------------------------------------------------------------------------


async def test_leaderboards_are_as_they_were(evening: Evening) -> None:
    assert await leaderboards(evening.club, 'Ann') == LEFT['leaderboards']['Club']
    assert await leaderboards(evening.den, 'Dora') == LEFT['leaderboards']['Den']
    assert sum(map(len, LEFT['leaderboards']['Club'])) >= 30


async def test_the_next_match_counts_on_them(evening: Evening) -> None:
    first = evening.at('first')
    await evening.use(at_board('first', 'rematch'), by='Ann')
    await first.press('Ann', 'Start')
    await first.play_out()
    counted = {row[1]: row[2] for row in evening.club.stored()['standing'] if row[0] == everywhere('superman')}
    before = {row['user_id']: row['matches'] for row in rows('standing') if row['leaderboard_id'] == everywhere('superman')}
    played = {LEFT['people'][name][0] for name in ('Ann', 'Bob')}
    assert counted == {user_id: matches + (user_id in played) for user_id, matches in before.items()}


def everywhere(game: str) -> int:
    """The leaderboard of a game in all servers and of all time."""
    [found] = [row['id'] for row in rows('leaderboard') if (row['guild_id'], row['period'], row['game']) == (0, 'all', game)]
    return int(found)


async def test_settings_of_servers(evening: Evening) -> None:
    ids = LEFT['servers']['Den']
    elsewhere, den = evening.at('third'), evening.den
    assert f'<#{ids["channels"]["cards"]}>' in await elsewhere.slash('Dora', 'kings open')
    assert f'<@&{ids["roles"]["crew"]}>' in await den.slash('Ann', 'kings open')
    assert (len(elsewhere.said()), len(den.said())) == (0, 0)
    await den.slash('Dora', 'kings open')
    assert den.table.time_control is not None
    assert den.table.time_control.id == 'relaxed'
    [pinged] = den.said()
    assert set(re.findall('<(@&?[0-9]+)>', pinged)) == {f'@&{ids["roles"]["players"]}', f'@{LEFT["people"]["Fay"][0]}'}
    await den.press('Fay', 'Join')
    await den.press('Dora', 'Start')
    assert den.board().mentions == []
    assert not galleries(den.hand_message('Dora'))
    said = await den.slash('Fay', 'settings server')
    for wanted in (f'<#{ids["channels"]["cards"]}>', *(f'<@&{ids["roles"][role]}>' for role in ('crew', 'players'))):
        assert wanted in said

    club = evening.at('first')
    await club.slash('Dora', 'superman open')
    assert club.table.time_control is not None
    assert club.table.time_control.id == 'live'
    [pinged] = club.said()
    assert re.findall('<(@&?[0-9]+)>', pinged) == [f'@{LEFT["people"]["Cem"][0]}']
    await club.press('Emil', 'Join')
    await club.press('Dora', 'Start')
    assert [user.id for user in club.board().mentions] == [club.table.seats[club.table.turn].person.id]
    assert galleries(club.hand_message('Dora'))


def galleries(message: Any) -> list[Any]:
    """The pictures in a message."""
    return [part for box in raw(message) for part in box.get('components', []) if part['type'] == 12]


async def test_what_is_changed_is_stored_as_before(evening: Evening) -> None:
    """An earlier version can still read it: names and values are the same."""
    [row] = [json.loads(row['settings']) for row in rows('guild') if row['id'] == evening.den.guild.id]
    await evening.den.slash('Fay', 'table call', game='kings')
    await evening.den.slash('Fay', 'settings server', pace='none')
    [now] = [json.loads(row[3]) for row in evening.den.stored()['guild'] if row[0] == evening.den.guild.id]
    assert now == row | {'pace': 'none', 'callers': row['callers'] | {'kings': []}}
    [row] = [json.loads(row['settings']) for row in rows('person') if row['name'] == 'Dora']
    await evening.club.slash('Dora', 'settings mine', confirm=False)
    [now] = [json.loads(row[2]) for row in evening.den.stored()['person'] if row[1] == 'Dora']
    assert now == row | {'confirm': False}
