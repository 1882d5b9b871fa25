"""Whole matches of the 1978 game through Discord: by command, by button, from direct messages, and mixed."""

from __future__ import annotations

from random import Random

import pytest

from bot.engines.base import Observation

from .night import Night, codes

NAMES = ('Ann', 'Bob', 'Cem', 'Dora', 'Emil')


async def open_match(night: Night, seats: int, **options: object) -> None:
    await night.slash('Ann', 'superman open', **options)
    for name in NAMES[1:seats]:
        await night.press(name, 'Join')
    await night.press('Ann', 'Start')


def may_know(observation: Observation, known: set[str]) -> set[str]:
    """The codes that the viewer may read: what is visible now, and what was visible earlier."""
    game = observation.game
    for zone in observation.zones:
        known |= {game.card_text(card) for card in zone.cards if card is not None and card >= 0}
    return known


async def play_out(night: Night, seats: int, way: str, seed: int) -> None:
    """Plays a match to its end; after every move, nobody can read a card that they may not know."""
    rng = Random(seed)
    table = night.table
    known: dict[str, set[str]] = {name: set() for name in NAMES[:seats]} | {'Watcher': set()}
    since = dict.fromkeys(known, 0)
    number = 0
    while table.state == 'playing':
        assert table.match is not None
        if table.match.number != number:
            number = table.match.number
            recent = {
                table.game.card_text(event.params['card']) for event in table.recent if 'card' in event.params and event.seen_by is None
            }
            known = {name: set(recent) for name in known}
            since = {name: night.last_id(name) for name in known}
        for name in known:
            user_id = night.person(name).id if name != 'Watcher' else None
            may_know(table.observation(user_id), known[name])
            leaked = codes(night.seen_by(name, since[name])) - known[name]
            assert not leaked, f'{name} can read {leaked}'
        round_ = table.match.round
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
    await open_match(night, seats, target=20)
    table = night.table
    await play_out(night, seats, way, seats)
    text = night.board_text()
    assert 'the match is over' in text
    assert table.match is not None
    for seat in table.match.winners:
        assert f'🥇 {NAMES[seat]}' in text
    board, count = await night.bot.store.leaderboard(night.guild.id, 'superman', 'all', 'wins')
    assert count == seats
    assert {one.name for one in board if one.wins} == {NAMES[seat] for seat in table.match.winners}
