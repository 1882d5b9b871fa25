"""What nobody should do, and what Discord does now and then: each gets a plain sentence, private, and changes nothing."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.tables import timers

from .night import Night, controls_of, raw, texts_of

CARDS = [f'{colour}{number}' for colour in 'BRGY' for number in '1234'] + ['S']


async def refused(night: Night, said: str, *parts: str, legal: bool = False) -> None:
    """Checks an answer: these parts in their order, and with `legal` the true legal moves."""
    place = 0
    for part in parts:
        assert part in said[place:], said
        place = said.index(part, place)
    assert 'Traceback' not in said
    assert ('You can: ' + ', '.join(f'`{move}`' for move in night.legal()) in said) == legal, said


def other(night: Night) -> str:
    """Somebody at the table whose turn it is not."""
    return next(person.name for person in night.table.people if person.name != night.name_of_turn())


# --- moves ----------------------------------------------------------------------------------------------------------------


CARDS_THERE_ARE_NOT = ['banana', 'B5', 'Z1', '0', '-1', 'B1 B2', '**B1**x', '`', 'play', 'play play B1', 'None', '🂡', '\x00', '٣']


async def test_an_unknown_card(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before = night.everything()
    for card in CARDS_THERE_ARE_NOT:
        said = await night.slash(night.name_of_turn(), 'superman play', card=card)
        await refused(night, said, 'I can’t read that as a move in this game.', legal=True)
    assert night.everything() == before


async def test_a_card_that_is_not_held(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before, table = night.everything(), night.table
    hand = table.observation(night.person(night.name_of_turn()).id).cards('hands', table.turn)
    card = next(card for card in CARDS if table.game.card(card) not in hand)
    said = await night.slash(night.name_of_turn(), 'superman play', card=card)
    await refused(night, said, 'You don’t hold', card, '“Playing a card” · `/rules game:superman about:match`', legal=True)
    assert night.everything() == before


FORBIDDEN: list[tuple[dict[str, Any], str, str, str]] = [
    ({'hands': ['R2 Y4', 'B1'], 'pile': 'R1'}, 'play Y4', '🟨Y4 does not fit on', 'match'),
    ({'hands': ['R2 Y4', 'B1'], 'pile': 'R1'}, 'draw', 'You hold a card that you can play, so you can’t draw.', 'draw'),
    ({'hands': ['R2 Y4', 'B1'], 'pile': 'R1'}, 'pass', 'You hold a card that you can play, so you can’t pass.', 'pass'),
    ({'hands': ['R2 Y4', 'B1'], 'pile': 'R1'}, 'stop', 'You can only `stop` right after your own Superman', 'superman'),
    ({'hands': ['Y4', 'B1'], 'pile': 'R1'}, 'pass', 'You can’t pass while there are cards in the stock', 'draw'),
    ({'hands': ['Y4', 'B1'], 'pile': 'R1', 'stock': ''}, 'draw', 'The stock is empty, so you can’t draw.', 'pass'),
    ({'hands': ['Y4', 'B1'], 'pile': 'R1 S', 'follow_up': True}, 'draw', 'After your Superman you may play any card', 'superman'),
    ({'hands': ['Y4', 'B1'], 'pile': 'R1 S', 'follow_up': True}, 'pass', 'After your Superman you may play any card', 'superman'),
]
"""Positions, a move, why it is refused, and the paragraph that says so."""


async def test_what_the_rules_forbid(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    for position, act, why, paragraph in FORBIDDEN:
        night.put(**position)
        before = night.everything()
        verb, _, card = act.partition(' ')
        by_command = await night.slash('Ann', f'superman {verb}', **({'card': card} if card else {}))
        await refused(night, by_command, why, f'`/rules game:superman about:{paragraph}`', legal=True)
        assert by_command.startswith(why)
        [by_button] = await night.deliver(night.a_press('Ann', night.board(), f't:play:{night.table.id}:0.0:{act}'))
        assert by_button == by_command
        assert night.everything() == before


async def test_somebody_elses_turn(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before, name = night.everything(), other(night)
    acts = [
        await night.slash(name, 'superman play', card='B1'),
        await night.slash(name, 'superman play', card='nonsense'),
        await night.slash(name, 'superman stop'),
        await night.direct(name, 'superman draw'),
        await night.press(name, 'Draw'),
        await night.press(name, 'Pass'),
    ]
    assert set(acts) == {f'It is not your turn: {night.name_of_turn()} plays next.'}
    assert night.everything() == before


async def test_a_spectator(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before = night.everything()[0]
    for label in ('My hand', 'Draw', 'Pass', 'Stop'):
        assert await night.press('Watcher', label) == 'You have no seat at this table.'
    for command in ('superman draw', 'superman stop', 'hand', 'table undo', 'table back'):
        assert await night.slash('Watcher', command) == 'You have no seat at this table.', command
    assert await night.slash('Watcher', 'superman play', card='B1') == 'You have no seat at this table.'
    assert await night.deliver(night.a_typing('Watcher', 'superman play', 'card', '')) == ['']
    assert 'Rules' in await night.press('Watcher', 'Rules')
    assert night.everything()[0] == before
    assert night.stored()['move'] == []


# --- stale and doubled ---------------------------------------------------------------------------------------------------------


async def test_stale_buttons(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    private, direct, text = await night.open_hand(name), night.hand_message(name), night.legal()[0]
    [old] = {control['custom_id'] for control in controls_of(raw(direct)) if text in str(control)}
    values = (text,) if ':choose:' in old else ()
    await night.move()
    await night.move()
    before = night.everything()
    for message in (private, direct):
        [said] = await night.deliver(night.a_press(name, message, old, values))
        assert said.endswith(STALE)
    assert night.everything() == before
    redrawn = next(message for message in night.channel.history(viewer=night.person(name)) if message.id == private.id)
    assert raw(redrawn) != raw(private), 'the private hand is brought up to date'


async def test_two_presses_at_once(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    seat, position = night.table.turn, night.table.position
    night.put(['R2 R3 Y4', 'R2 R3 Y4'], 'R1', turn=seat)
    hand = night.hand_message(name)
    presses = [night.a_press(name, hand, f't:choose:{night.table.id}:0.0:0', [card]) for card in ('play R2', 'play R3', 'play R2')]
    said = await night.deliver(*presses)
    assert sorted('The game has moved on' in one for one in said) == [False, True, True]
    assert night.table.position == (position[0], 1)
    assert [row[4] for row in night.stored()['move']] == [['play R2', 'play R3', 'play R2'][said.index('')]]


async def test_a_double_click_on_a_board_button(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name, seat = night.name_of_turn(), night.table.turn
    night.put(['Y4', 'Y4'], 'R1', turn=seat)
    said = await night.deliver(*(night.a_press(name, night.board(), f't:play:{night.table.id}:0.0:draw') for _ in range(2)))
    assert len([one for one in said if 'You drew' in one]) == 1
    assert len([one for one in said if one.startswith(STALE)]) == 1
    assert len(night.stored()['move']) == 1


async def test_the_same_press_delivered_twice(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name, seat = night.name_of_turn(), night.table.turn
    night.put(['Y4', 'Y4'], 'R1', turn=seat)
    press = night.a_press(name, night.board(), f't:play:{night.table.id}:0.0:draw')
    said = await night.deliver(press, press)
    assert said[0] == said[1]
    assert said[0].count('You drew') == 1
    assert len(night.stored()['move']) == 1
    assert await night.deliver(press) == said[:1], 'also later'
    assert len(night.stored()['move']) == 1


async def test_the_same_command_delivered_twice(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    name, text = night.name_of_turn(), night.legal()[0]
    verb, _, card = text.partition(' ')
    command = night.a_command(name, f'superman {verb}', **({'card': card} if card else {}))
    said = await night.deliver(command, command, command)
    assert said[0] != ''
    assert 'moved on' not in said[0]
    assert len(night.stored()['move']) == 1
    typing = night.a_typing(night.name_of_turn(), 'superman play', 'card', '')
    await night.deliver(typing, typing)


@pytest.mark.parametrize('way', ['button', 'command'])
async def test_a_move_that_another_process_has_stored_is_answered_with_silence(night: Night, way: str) -> None:
    """Though it would be legal once more, and though Discord takes a second acknowledgement."""
    await night.begin('Ann', 'Bob')
    name, seat = night.name_of_turn(), night.table.turn
    night.put(['S S Y4', 'S S Y4'], 'R1', turn=seat)
    if way == 'command':
        press = night.a_command(name, 'superman play', card='S')
    else:
        press = night.a_press(name, night.board(), f't:play:{night.table.id}:0.0:play S')
    [said] = await night.deliver(press)
    before = night.everything()
    shown = night.seen_by(name)
    assert 'play S' in night.legal()
    assert await night.deliver_again(press) in (said, ''), 'nothing more'
    assert night.everything() == before
    assert night.seen_by(name) == shown


async def test_start_twice_and_the_last_seat_twice(night: Night) -> None:
    await night.slash('Ann', 'superman open', seats=2)
    board = night.board()
    joins = [night.a_press(name, board, f't:join:{night.table.id}::') for name in ('Bob', 'Cem', 'Dora')]
    said = await night.deliver(*joins)
    assert sorted(said) == [*['The table is full: all 2 seats are taken.'] * 2, 'You have a seat. 2 players are at the table.']
    starts = [night.a_press('Ann', board, f't:start:{night.table.id}::') for _ in range(3)]
    assert sorted(await night.deliver(*starts)) == ['', *['The match has already started.'] * 2]
    assert len(night.stored()['seat']) == 2
    assert night.table.position == (0, 0)


# --- texts -----------------------------------------------------------------------------------------------------------------


LONG = ['x' * 4000, 'B1 ' * 1333, '\n' * 4000, '@everyone ' * 400, '*_~|`\\' * 666, '\u202e' * 4000, '９' * 4000, 'play ' * 800]


async def test_texts_of_four_thousand_characters(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    before, name = night.everything(), night.name_of_turn()
    for text in LONG:
        said = await night.slash(name, 'superman play', card=text)
        await refused(night, said, 'I can’t read that as a move in this game.', legal=True)
        assert len(said) < 1000
        for command in ('rules', 'leaderboard', 'table call'):
            assert (await night.slash('Ann', command, game=text)).startswith('I don’t know that game.')
        assert (await night.slash('Ann', 'settings mine', language=text)).startswith('I don’t speak that language.')
        assert '**Goal.**' in await night.slash('Ann', 'rules', about=text)
        for command, option in (('superman play', 'card'), ('rules', 'game'), ('rules', 'about'), ('leaderboard', 'game')):
            await night.deliver(night.a_typing(name, command, option, text))
    assert night.everything() == before


HOSTILE = {
    '**Bold** __*x*__ ||spoiler|| `code`': r'\*\*Bold\*\* \_\_\*x\*\_\_ \|\|spoiler\|\| \`code\`',
    '@everyone': r'\@everyone',
    '<@123456789012345678>': r'\<\@123456789012345678>',
    '[x](https://example.org)': r'\[x\](https\://example.org)',
    '# Heading': r'\# Heading',
    '> quote': r'\> quote',
    '-# small': r'\-# small',
    'two\nlines\r\n\tand more': 'two lines and more',
    '\u202eevil\u202c': 'evil',
    'עדי': '\u2068עדי\u2069',
    'a\\': 'a\\\\',
    '{name} %s {0}': '{name} %s {0}',
    '\u200f\u2066 \u2069': '?',
    '👩‍🚀 Zoë': '👩‍🚀 Zoë',
}


async def test_names(night: Night) -> None:
    names = list(HOSTILE)
    for start in range(0, len(names), 5):
        some = names[start : start + 5]
        while len(some) < 2:
            some.append('Ann')
        side = await night.thread(f'table {start}')
        await side.slash(some[0], 'superman open')
        for name in some[1:]:
            await side.press(name, 'Join')
        lobby = side.board_text().splitlines()
        for number, name in enumerate(some, 1):
            shown = HOSTILE.get(name, name)
            assert f'{number}. {shown}' + (' 👑' if number == 1 else '') in lobby
        await side.press(some[0], 'Start')
        for name in some:
            assert HOSTILE.get(name, name) in side.board_text()
        for _ in range(2):
            await side.move()
        assert not side.board().mention_everyone
        assert {user.id for user in side.board().mentions} <= {side.table.seats[side.table.turn].person.id}
        waiting = next(name for name in some if name != side.name_of_turn())
        said = await side.slash(waiting, 'superman draw')
        turn = side.name_of_turn()
        assert said == f'It is not your turn: {HOSTILE.get(turn, turn)} plays next.'
        assert HOSTILE.get(turn, turn) in '\n'.join(texts_of(raw(side.hand_message(waiting))))
        said = await side.slash(some[0], 'table remove', player=side.person(some[1]))
        assert said == f'{HOSTILE.get(some[1], some[1])} is no longer at the table.'
        said = await side.slash(some[0], 'profile', player=side.person(some[1]))
        assert said.startswith(f'### {HOSTILE.get(some[1], some[1])} · ')


# --- custom ids ---------------------------------------------------------------------------------------------------------------


OLD = 'That button no longer works. `/table show` posts the board again.'
OVER = 'This table is no longer open.'
STALE = 'The game has moved on since that button was shown, so nothing was played. Look at the board or your hand again.'
UNREADABLE = 'I can’t read that as a move in this game.'


PRESSES: list[tuple[str, list[str], str]] = [
    ('x', [], OLD),
    ('nobody:knows:this', [], OLD),
    ('t', [], OLD),
    ('t:', [], OLD),
    ('t:play', [], OLD),
    ('t:play:{table}', [], OLD),
    ('t:PLAY:{table}::draw', [], OLD),
    ('t:play:-{table}::draw', [], OLD),
    ('t:play:{table}:0:draw', [], OLD),
    ('t:play:99999999999999999999999::draw', [], OLD),
    ('t:play:999999999999999999::draw', [], OVER),
    ('t:play:0::draw', [], OVER),
    ('t:play:{table}:999999.999999:draw', [], STALE),
    ('t:play:{table}:9999999.0:draw', [], OLD),
    ('t:play:{table}::draw', [], STALE),
    ('t:sure:{table}::draw', [], STALE),
    ('t:choose:{table}::0', ['draw'], STALE),
    ('t:take-back:{table}::', [], STALE),
    ('t:play:{table}:0.0:', [], UNREADABLE),
    ('t:play:{table}:0.0:' + 'x' * 80, [], UNREADABLE),
    ('t:play:{table}:0.0:move T1 K0', [], UNREADABLE),
    ('t:play:{table}:0.0:\n\n', [], UNREADABLE),
    ('t:sure:{table}:0.0:move T1 K0', [], UNREADABLE),
    ('t:choose:{table}::0', [], OLD),
    ('t:choose:{table}::0', ['draw', 'pass'], OLD),
    ('t:choose:{table}:0.0:0', ['x' * 100], UNREADABLE),
    ('t:dance:{table}::', [], OLD),
    ('t:remove:{table}::1', [], OLD),
    ('t:join:{table}::', [], 'You already have a seat at this table.'),
    ('t:start:{table}::', [], 'The match has already started.'),
    ('t:watch:{table}::', [], 'You already have a seat at this table.'),
    ('t:back:{table}::', [], 'You were not away, so the seat is yours already.'),
    ('t:take-back:{table}:0.0:', [], 'You can’t take that back.'),
    ('t:rematch:{table}::', [], 'That match is still going on.'),
    ('t:rematch:999999999999999999::', [], 'There is no open table in this channel.'),
    ('t:hand:{finished}::', [], OVER),
    ('t:play:{finished}::draw', [], OVER),
    ('t:join:{finished}::', [], OVER),
    ('t:play:{elsewhere}::draw', [], 'You have no seat at this table.'),
    ('t:hand:{elsewhere}::', [], 'The match has not started yet'),
    ('t:leave:{elsewhere}::', [], 'You have no seat at this table.'),
    ('t:start:{elsewhere}::', [], 'Only the host can do that'),
    ('rules', [], OLD),
    ('rules:', [], OLD),
    ('rules:nothing', ['goal'], OLD),
    ('rules:../superman', ['goal'], OLD),
    ('lb', [], OLD),
    ('lb:0', [], OLD),
    ('lb:-1:superman:all:wins:0', [], OLD),
    ('lb:1:superman:all:wins:0', [], OLD),
    ('lb:0:nothing:all:wins:0', [], OLD),
    ('lb:0:superman:decade:wins:0', [], OLD),
    ('lb:0:superman:all:losses:0', [], OLD),
    ('lb:0:superman:all:wins:-1', [], OLD),
    ('lb:0:superman:all:wins:99999999999999999999', [], OLD),
    ('lb:99999999999999999999:superman:all:wins:0', [], OLD),
    ('lb:0:superman:all:wins:10:next', [], OLD),
    ('lb:0:superman:all:wins:me', [], 'You are not on this list yet.'),
]
"""A custom id, what was chosen in the menu, and how the answer begins."""


async def test_custom_ids(night: Night) -> None:
    side, away = await night.thread('finished'), await night.thread('elsewhere')
    finished = (await side.begin('Ann', 'Bob')).id
    await side.slash('Ann', 'table end')
    await away.slash('Cem', 'superman open')
    table = await night.begin('Ann', 'Bob')
    name = night.name_of_turn()
    before, board = night.everything(), raw(night.board())
    for custom_id, values, answer in PRESSES:
        custom_id = custom_id.format(table=table.id, finished=finished, elsewhere=away.table.id)
        [said] = await night.deliver(night.a_press(name, night.board(), custom_id, values))
        assert said.startswith(answer), custom_id
    assert night.everything() == before
    assert raw(night.board()) == board


async def test_a_page_never_replaces_a_board(night: Night) -> None:
    table = await night.begin('Ann', 'Bob')
    board = raw(night.board())
    for custom_id in ('lb:0:superman:all:wins:0', 'lb:0::week:rating:9999999', 'rules:superman', f't:refresh:{table.id}::'):
        [said] = await night.deliver(night.a_press('Ann', night.board(), custom_id))
        assert re.search('Leaderboard|Rules|Your hand', said)
    assert raw(night.board()) == board


# --- commands that do not fit -----------------------------------------------------------------------------------------------------


async def test_commands_that_the_bot_does_not_have(night: Night, expected_warnings: list[str]) -> None:
    expected_warnings.append('an outdated command')
    said = await night.deliver(
        night.a_command('Ann', 'nothing'), night.a_command('Ann', 'superman dance'), night.a_command('Ann', 'superman play', cards='B1')
    )
    assert set(said) == {'That command no longer exists. Restart Discord to see my current commands.'}
    assert len(night.env.errors) == 3, 'which is what simcord calls them'


# --- the database ------------------------------------------------------------------------------------------------------------------


@pytest.mark.simcord(settle_timeout=25)
async def test_a_database_that_is_locked(night: Night, expected_warnings: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, 'RETRY_PAUSES', (600.0,))  # simcord would wait for every try
    expected_warnings += ['bot.storage.* Nothing can be stored', 'bot.storage.* works again']
    side = await night.thread('lobby')
    await side.slash('Cem', 'superman open')
    await side.press('Dora', 'Join')
    await night.begin('Ann', 'Bob')
    before, name = night.everything(), night.name_of_turn()
    boards, text = (raw(night.board()), raw(side.board())), night.legal()[0]
    with closing(sqlite3.connect(str(night.bot.settings.database_url).removeprefix('sqlite:///'))) as other_program:
        other_program.execute('BEGIN EXCLUSIVE')
        said = await night.deliver(
            night.a_press(name, night.board(), f't:play:{night.table.id}:0.0:{text}'),
            side.a_press('Cem', side.board(), f't:start:{side.table.id}::'),
        )
        assert set(said) == {'My database is busy, so nothing has changed. Please try again in a moment.'}
        assert night.everything() == before
        assert (raw(night.board()), raw(side.board())) == boards
        other_program.rollback()
    assert await night.deliver(night.a_press(name, night.board(), f't:play:{night.table.id}:0.0:{text}')) != said[:1]
    assert [row[4] for row in night.stored()['move']] == [text]
    assert await side.press('Cem', 'Start') == ''
    assert side.table.state == 'playing'
