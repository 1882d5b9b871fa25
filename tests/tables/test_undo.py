"""Taking back: in every game only the last move, by who made it, and only if it showed nobody a new card; else never."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from bot.engines import games
from bot.engines.base import HIDDEN, Round
from bot.tables import rows
from bot.tables.seats import Person
from bot.tables.table import Table, TableError

from .evening import ANN, BOB, CEM, DORA, Evening, an_evening

PEOPLE = (ANN, BOB, CEM, DORA)


@pytest.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    async with an_evening(tmp_path) as evening:
        yield evening


def seen(round_: Round, viewer: int | None) -> Counter[int]:
    """The cards that somebody can see now."""
    return Counter(card for zone in round_.observation(viewer).zones for card in zone.cards if card is not None and card != HIDDEN)


def showed_nothing(before: Round, after: Round, mover: int) -> bool:
    """The rule, written down a second time: what anyone sees now and did not see before was in the mover's hand."""
    hand: Counter[int] = Counter()
    for zone in before.observation(mover).zones:
        if zone.at == mover and zone.seen_by is not None and mover in zone.seen_by:
            hand.update(card for card in zone.cards if card is not None and card != HIDDEN)
    for viewer in (None, *range(before.seats)):
        new = seen(after, viewer) - seen(before, viewer)
        if new - (Counter() if viewer == mover else hand):
            return False
    return True


def face_down(round_: Round) -> int:
    """How many cards nobody can see."""
    return sum(len(zone.cards) for zone in round_.zones() if zone.seen_by == ())


async def stored(evening: Evening, table: Table) -> Table:
    """The table as a restart would find it."""
    row = await evening.store.table(table.id)
    assert row is not None
    return rows.rebuild(row)


@pytest.mark.parametrize('game_id', sorted(games()))
@pytest.mark.parametrize('more', [0, 1])
async def test_whatever_may_be_taken_back_has_shown_nothing(evening: Evening, game_id: str, more: int) -> None:
    game = games()[game_id]
    people = PEOPLE[: min(max(game.seats[0] + more, 2), game.seats[-1])]
    table = await evening.begin(*people, game=game_id, pace='none')
    assert table.match is not None
    draws = face_down(table.match.round) > 0
    rng = Random(f'{game_id} {more}')
    taken = kept = 0
    for _ in range(200):
        if table.state != 'playing':
            break
        assert table.match is not None
        before, seat, position = table.match.round.copy(), table.turn, table.position
        undone = table.turn_id == table.undone
        text = before.format_move(rng.choice(before.legal_moves()))
        await evening.move(table, text)
        for other in range(len(people)):
            if other != seat:
                assert not table.can_take_back(other)
        if table.state != 'playing' or not table.can_take_back(seat):
            # the end of a round and a second time in one turn are another matter
            kept += not undone and table.position > position and table.position[0] == position[0]
            now = (table.state, table.position, table.match and table.match.round.copy())
            with pytest.raises(TableError):
                await evening.host.take_back(table.id, people[seat].id)
            assert (table.state, table.position, table.match and table.match.round) == now
            continue
        assert not undone
        after = table.match.round
        assert showed_nothing(before, after, seat), text
        assert face_down(after) == face_down(before), text
        if rng.random() < 0.5:
            continue
        taken += 1
        await evening.host.take_back(table.id, people[seat].id)
        assert table.match.round == before
        assert table.turn == seat
        assert table.position > position, 'a button made for what was taken back must not fit again'
        assert table.recent[-1].kind == 'move-taken-back'
        assert not table.can_take_back(seat)  # only the last move, not the one before
        again = await stored(evening, table)
        assert again.match is not None
        assert (again.match.round, again.match.number, again.ply) == (before, position[0], table.ply)
    assert taken, 'nothing could be taken back'
    assert bool(kept) == draws, 'a draw could be taken back, or nothing at all'
    found = await stored(evening, table) if table.state == 'playing' else table
    assert found.match is not None
    assert table.match is not None
    assert found.match.round == table.match.round


async def test_never_after_a_draw(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB)
    while True:
        assert table.match is not None
        seat = table.turn
        legal = [table.match.round.format_move(move) for move in table.match.round.legal_moves()]
        if 'draw' in legal:
            break
        await evening.move(table, legal[0])
    await evening.move(table, 'draw')
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, table.seats[seat].person.id)


async def test_never_after_another_seat_acted(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen', pace='none')
    first = table.turn
    await evening.move(table)
    assert table.can_take_back(first)
    await evening.move(table)
    assert not table.can_take_back(first)
    await evening.host.take_back(table.id, PEOPLE[table.last_move.seat_no].id if table.last_move else 0)
    assert not table.can_take_back(first)
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, table.seats[first].person.id)


async def test_never_by_somebody_who_takes_over_the_seat(evening: Evening) -> None:
    table = await evening.begin(*PEOPLE, game='thirteen', pace='none')
    number = table.turn
    mover = table.seats[number].person
    await evening.move(table)
    assert table.can_take_back(number)
    eve = Person(9, 'Eve')
    await evening.host.leave(table.id, mover.id)
    await evening.host.join(table.id, eve)
    assert table.seat(eve.id) == number
    assert not table.can_take_back(number)
    before = await evening.moves(table)
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, eve.id)
    assert await evening.moves(table) == before


async def test_never_after_a_restart_or_from_outside(evening: Evening) -> None:
    """Whether anyone looked meanwhile is not known then."""
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen', pace='none')
    first = table.seats[table.turn].person
    await evening.move(table)
    with pytest.raises(TableError, match='not-seated'):
        await evening.host.take_back(table.id, 99)
    table = await evening.restart()
    with pytest.raises(TableError, match='no-take-back'):
        await evening.host.take_back(table.id, first.id)


async def test_a_number_of_a_position_is_never_used_twice_not_even_after_a_restart(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen', pace='none')
    seen = [table.position]
    for taken_back in (True, False, True, False):
        person = table.seats[table.turn].person
        await evening.move(table)
        seen.append(table.position)
        if taken_back:
            await evening.host.take_back(table.id, person.id)
            seen.append(table.position)
        table = await evening.restart()
        assert table.position == seen[-1]
    assert seen == sorted(set(seen))


async def test_what_was_made_for_an_earlier_position_takes_nothing_back(evening: Evening) -> None:
    table = await evening.begin(ANN, BOB, CEM, DORA, game='thirteen', pace='none')
    person, early = table.seats[table.turn].person, table.position
    await evening.move(table)
    with pytest.raises(TableError, match='stale'):
        await evening.host.take_back(table.id, person.id, early)
    await evening.host.take_back(table.id, person.id, table.position)
