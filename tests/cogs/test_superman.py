"""Whole matches of the 1978 game through Discord: by command, by button, from direct messages, and mixed."""

from __future__ import annotations

from random import Random

import pytest

from .night import Night, codes
from .playing import NAMES, LeakWatch, begin, running


async def play_out(night: Night, seats: int, way: str, seed: int) -> None:
    """Plays a match to its end; after every move, nobody can read a card that they may not know."""
    table, watch, rng = night.table, LeakWatch(night, NAMES[:seats], codes), Random(seed)
    while table.state == 'playing':
        watch.look(table)
        round_ = running(table)
        name, move = NAMES[round_.turn], rng.choice(list(round_.legal_moves()))
        text = round_.format_move(move)
        how = rng.choice(('command', 'board', 'direct', 'direct-command')) if way == 'mixed' else way
        before = table.position
        if how in ('command', 'direct-command'):
            verb, _, card = text.partition(' ')
            act = night.slash if how == 'command' else night.direct
            await act(name, f'superman {verb}', **({'card': card} if card else {}))
        else:
            message = await night.open_hand(name) if how == 'board' else night.hand_message(name)
            await night.play_from(name, message, text)
        assert table.position != before or table.state != 'playing', f'{text} was not played'
    assert table.state == 'finished'


@pytest.mark.parametrize('seats', [2, 3, 4, 5])
@pytest.mark.parametrize('way', ['command', 'board', 'direct', 'mixed'])
async def test_a_whole_match(night: Night, seats: int, way: str) -> None:
    table = await begin(night, 'superman', seats, target=20)
    await play_out(night, seats, way, seats)
    text = night.board_text()
    assert 'the match is over' in text
    assert table.match is not None
    for seat in table.match.winners:
        assert f'🥇 {NAMES[seat]}' in text
    board, count = await night.bot.store.leaderboard(night.guild.id, 'superman', 'all', 'wins')
    assert count == seats
    assert {one.name for one in board if one.wins} == {NAMES[seat] for seat in table.match.winners}
