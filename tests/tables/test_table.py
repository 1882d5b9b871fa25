"""A table by itself: who sits where, what a move would do, what was seen. Nothing changes before it is committed."""

from __future__ import annotations

import ast
import secrets
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from bot.engines import games
from bot.engines.base import IllegalMoveError, NotYourTurnError, UnreadableMoveError
from bot.engines.match import Match
from bot.tables.seats import Person, next_host
from bot.tables.table import Table, TableError, TableErrorCode, places
from bot.text import Catalogues

ANN, BOB, CEM, DORA = (Person(number, name) for number, name in enumerate(('Ann', 'Bob', 'Cem', 'Dora'), 1))
SUPERMAN = games()['superman']


def lobby(*people: Person, game: str = 'superman', most: int = 5) -> Table:
    table = Table(1, 10, 20, games()[game], games()[game].full_options({}), most, people[0].id, 0.0)
    for person in people:
        table.seats = table.joined(person)
    return table


def playing(*people: Person, game: str = 'superman', seed: str = 'seed') -> Table:
    table = lobby(*people, game=game, most=len(people))
    table.begin(table.deal(seed))
    return table


def put(table: Table, *hands: str, pile: str = 'R1', stock: str = 'B1', turn: int = 0) -> None:
    assert table.match is not None
    zones = {'hands': [[SUPERMAN.card(text) for text in hand.split()] for hand in hands]}
    zones |= {name: [SUPERMAN.card(text) for text in cards.split()] for name, cards in (('pile', pile), ('stock', stock))}
    table.match.round = SUPERMAN.position(len(hands), table.match.options, zones, {'turn': turn})


def code(table: Table, what: str, *args: object) -> str:
    """With which code the table refuses this, and that it has not changed by it."""
    before = (table.seats, table.state, table.position, table.host_id)
    with pytest.raises(TableError) as refused:
        getattr(table, what)(*args)
    assert (table.seats, table.state, table.position, table.host_id) == before
    return refused.value.code


# --- people -----------------------------------------------------------------------------------------------------------------


def test_sitting_down() -> None:
    table = lobby(ANN, most=2)
    seats = table.joined(BOB)
    assert table.people == [ANN], 'only the new seats are given'
    table.seats = seats
    assert table.people == [ANN, BOB]
    assert (table.seat(BOB.id), table.seat_of(CEM.id), table.name(1)) == (1, None, 'Bob')
    assert code(table, 'joined', BOB) == 'already-seated'
    assert code(table, 'joined', CEM) == 'table-full'
    assert code(table, 'seat', CEM.id) == 'not-seated'


def test_getting_up_in_the_lobby_and_in_the_match() -> None:
    table = lobby(ANN, BOB, CEM)
    assert [seat.person for seat in table.without(BOB.id)] == [ANN, CEM]
    assert code(table, 'without', DORA.id) == 'not-seated'
    table.begin(table.deal('seed'))
    table.seats = table.without(BOB.id)
    assert [(seat.person, seat.departed) for seat in table.seats] == [(ANN, False), (BOB, True), (CEM, False)]
    assert table.people == [ANN, CEM]
    assert table.seat_of(BOB.id) is None
    assert code(table, 'without', BOB.id) == 'not-seated'
    assert all(not zone.cards or -1 in zone.cards for zone in table.observation(BOB.id).zones if zone.name == 'hands'), 'now a spectator'


def test_who_hosts_next() -> None:
    table = lobby(ANN, BOB, CEM)
    assert next_host(table.seats, table.host_id) == ANN.id
    assert next_host(table.without(ANN.id), table.host_id) == BOB.id
    assert next_host(table.without(BOB.id), table.host_id) == ANN.id
    assert next_host((), table.host_id) == ANN.id
    table.begin(table.deal('seed'))
    assert next_host(table.without(ANN.id), table.host_id) == BOB.id


@pytest.mark.parametrize('game_id', sorted(games()))
def test_a_match_starts_with_as_many_as_the_game_takes(game_id: str) -> None:
    game = games()[game_id]
    people = [Person(number, str(number)) for number in range(1, game.seats[-1] + 2)]
    for count in range(1, game.seats[-1] + 2):
        table = lobby(*people[:count], game=game_id, most=len(people))
        if count in game.seats:
            table.require_ready()
            assert not table.deal('seed').match.over
        else:
            assert code(table, 'require_ready') == 'too-few'


def test_what_the_state_allows() -> None:
    table = lobby(ANN, BOB)
    assert code(table, 'require', 'playing') == 'not-started'
    assert code(table, 'draft', 0, 'draw') == 'not-started'
    table.begin(table.deal('seed'))
    assert code(table, 'require', 'lobby') == 'already-started'
    assert code(table, 'require_ready') == 'already-started'
    assert code(table, 'joined', CEM) == 'no-free-seat'
    for state in ('finished', 'abandoned', 'closed'):
        table.state = state
        assert not table.open
        attempts = (('require', ('lobby',)), ('require_ready', ()), ('joined', (CEM,)), ('without', (ANN.id,)), ('draft', (0, 'draw')))
        for what, args in attempts:
            assert code(table, what, *args) == 'table-over', (state, what)


# --- moves --------------------------------------------------------------------------------------------------------------------


def test_a_draft_changes_nothing() -> None:
    table = playing(ANN, BOB)
    put(table, 'R2 Y4', 'B1 S')
    assert table.match is not None
    before = table.match.round.copy()
    draft = table.draft(0, ' red-2 ')
    assert (draft.round_no, draft.ply, draft.seat_no, draft.text, draft.next_ply) == (0, 0, 0, 'play R2', 1)
    assert [event.kind for event in draft.events] == ['played']
    assert (table.match.round, table.position, list(table.recent)) == (before, (0, 0), [])
    table.commit(draft, by_player=True)
    assert table.position == (0, 1)
    assert table.match.round != before
    assert [event.kind for event in table.recent] == ['played']


def test_what_a_draft_refuses_and_in_which_order() -> None:
    table = playing(ANN, BOB)
    put(table, 'R2 Y4', 'B1 S')
    for text in ('play B1', 'nonsense', '', 'x' * 4000):
        with pytest.raises(NotYourTurnError):
            table.draft(1, text)
    with pytest.raises(UnreadableMoveError):
        table.draft(0, 'nonsense')
    with pytest.raises(IllegalMoveError):
        table.draft(0, 'play Y4')
    for made_for in ((0, 1), (1, 0), (0, -1)):
        assert code(table, 'draft', 0, 'play R2', made_for) == 'stale'
        assert code(table, 'draft', 1, 'nonsense', made_for) == 'stale', 'an old button says nothing about whose turn it is'
    assert table.draft(0, 'play R2', (0, 0)).text == 'play R2'


def test_the_last_move_of_a_round_deals_the_next_one() -> None:
    table = playing(ANN, BOB, CEM)
    put(table, 'R2', 'B1 B2', 'S')
    draft = table.draft(0, 'play R2')
    [end] = draft.ends
    assert (end.round_no, list(end.points), list(end.totals), end.reason) == (0, [0, 3, 25], [0, 3, 25], 'out')
    table.commit(draft, by_player=True)
    assert table.position == (1, 0)
    assert table.ends[-1] is end
    assert table.state == 'playing'
    assert [len(zone.cards) for zone in table.observation(None).zones if zone.name == 'hands'] == [5, 5, 5]


def test_the_last_move_of_a_match() -> None:
    table = playing(ANN, BOB, CEM)
    put(table, 'R2', 'S S S S', 'S')
    draft = table.draft(0, 'play R2')
    assert draft.match.over
    assert draft.match.winners == [0]
    assert places(draft.match) == [1, 3, 2]


@pytest.mark.parametrize('game_id', sorted(games()))
def test_places(game_id: str) -> None:
    game = games()[game_id]
    match = Match(game, 4 if 4 in game.seats else game.seats[-1], game.full_options({}), 'seed')
    match.totals = [5, 7, 5, 9][: match.seats]
    low = game.low_wins
    if match.seats == 4:
        assert places(match) == ([1, 3, 1, 4] if low else [3, 2, 3, 1])
        match.winners = [0, 1, 2]
        assert [place for seat, place in enumerate(places(match)) if seat in match.winners] == [1, 1, 1]


@pytest.mark.parametrize('game_id', sorted(games()))
def test_stored_moves_lead_to_the_same_position(game_id: str) -> None:
    """Random moves drafted and taken over, and the same moves replayed as texts, give equal tables."""
    game, rng = games()[game_id], Random(game_id)
    for seats in (game.seats[0], game.usual_seats[-1]):
        people, seed = [Person(number, str(number)) for number in range(1, seats + 1)], secrets.token_hex(8)
        live, again = playing(*people, game=game_id, seed=seed), playing(*people, game=game_id, seed=seed)
        for _ in range(60):
            assert live.match is not None
            assert again.match is not None
            round_ = live.match.round
            draft = live.draft(round_.turn, round_.format_move(rng.choice(list(round_.legal_moves()))))
            if draft.match.over:
                break
            live.commit(draft, by_player=True)
            again.replay(draft.round_no, draft.ply, draft.seat_no, draft.text, tell=True)
            assert again.position == live.position
            assert again.match.round == live.match.round
            assert again.match.totals == live.match.totals
            assert list(again.recent) == list(live.recent)
            assert list(again.ends) == list(live.ends)


def test_a_stored_move_that_does_not_fit_is_refused() -> None:
    table = playing(ANN, BOB)
    put(table, 'R2 Y4', 'B1 S')
    for number, ply, seat, text in ((0, 1, 0, 'play R2'), (1, 0, 0, 'play R2')):
        with pytest.raises(TableError, match='stale'):
            table.replay(number, ply, seat, text, tell=False)
    for seat, text, error in ((1, 'play B1', NotYourTurnError), (0, 'play Y4', IllegalMoveError), (0, '?', UnreadableMoveError)):
        with pytest.raises(error):
            table.replay(0, 0, seat, text, tell=False)
    assert table.position == (0, 0)


def test_what_whom_a_table_shows() -> None:
    table = playing(ANN, BOB)
    put(table, 'R2 Y4', 'B1 S')
    seen = {user: [zone.cards for zone in table.observation(user).zones if zone.name == 'hands'] for user in (ANN.id, BOB.id, CEM.id, None)}
    ann, bob = [SUPERMAN.card('R2'), SUPERMAN.card('Y4')], [SUPERMAN.card('B1'), SUPERMAN.card('S')]
    hidden = [-1, -1]
    assert {user: [list(cards) for cards in hands] for user, hands in seen.items()} == {
        ANN.id: [ann, hidden],
        BOB.id: [hidden, bob],
        CEM.id: [hidden, hidden],
        None: [hidden, hidden],
    }
    assert table.observation(ANN.id).legal
    assert not table.observation(BOB.id).legal
    assert not table.observation(None).legal


# --- refusals -----------------------------------------------------------------------------------------------------------------


def test_every_code_of_a_refusal_has_a_text_and_is_used() -> None:
    root = Path(__file__).parents[2]
    raised: set[str] = set()
    for source in [*root.glob('bot/**/*.py'), *root.glob('cogs/**/*.py')]:
        for node in ast.walk(ast.parse(source.read_text('utf-8'))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == 'TableError':
                code = node.args[0]
                answers = (code.body, code.orelse) if isinstance(code, ast.IfExp) else (code,)
                raised |= {answer.value for answer in answers if isinstance(answer, ast.Constant)}
    texts = Catalogues.load()
    assert set(get_args(TableErrorCode)) == raised
    silent = {'duplicate'}  # an interaction that was answered before
    assert {code for code in raised if not texts.has('en', f'reason.{code}')} == silent
