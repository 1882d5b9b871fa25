"""What the rest of the program relies on, for every game that is found, every seat count and every option."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from io import BytesIO
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engines import games
from bot.engines.base import (
    HIDDEN,
    Event,
    Game,
    IllegalMoveError,
    MoveError,
    NotYourTurnError,
    Observation,
    Round,
    RoundOverError,
    Sees,
    Zone,
    nest,
    param_kind,
)
from bot.engines.match import Match
from bot.engines.options import SEATS, OptionError
from bot.engines.records import check, legal_texts, lines
from bot.text import Catalogues

TEXTS = Catalogues.load()
ENOUGH = 50_000
"""More plies than any match takes."""


class Case(NamedTuple):
    game: Game
    seats: int
    options: Mapping[str, Any]

    def match(self, seed: str = 'contract') -> Match:
        return Match(self.game, self.seats, self.options, seed)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return '-'.join([self.game.id, str(self.seats), *(f'{name}={value}' for name, value in self.options.items())])


def cases() -> Iterator[Case]:
    for game in games().values():
        for seats in game.seats:
            yield Case(game, seats, {})
            for option in game.options:
                for value in option.choices or (option.low, option.high):
                    if value != game.full_options({}, seats)[option.name]:
                        yield Case(game, seats, {option.name: value})
                if option.nullable:
                    # A match without the one end needs another.
                    ends = {other.name: (other.low + other.high) // 2 for other in game.options if other.nullable and other is not option}
                    yield Case(game, seats, {option.name: None} | ends)


CASES = list(cases())
every_case = pytest.mark.parametrize('case', CASES, ids=str)
every_size = pytest.mark.parametrize('case', [case for case in CASES if not case.options], ids=str)
every_game = pytest.mark.parametrize('game', games().values(), ids=list(games()))


def some(rng: Random, values: Any, count: int) -> list[Any]:
    """Not more than `count` of the values."""
    values = list(values)
    return values if len(values) <= count else rng.sample(values, count)


@cache
def positions(case: Case) -> tuple[list[Round], list[Round]]:
    """Positions of a match at random in which somebody has to decide: after deals, where something of a new kind is due, here and
    there, and before the end of a round; and rounds that are over."""
    rng = Random(str(case))
    match = case.match()
    running, ended = [], []
    kinds: set[Any] = set()
    for _ in range(400):
        while match.round.over:
            ended.append(match.round.copy())
            if match.over or len(ended) > 2:
                return running, ended
            match.next_round()
            if not match.round.over:
                running.append(match.round.copy())
        kind = situation(match.round)
        if (kind not in kinds and len(kinds) < 16) or rng.random() < 0.02:
            kinds.add(kind)
            running.append(match.round.copy())
        before = match.round.copy()
        match.apply(rng.choice(match.round.legal_moves()))
        if match.round.over:
            running.append(before)
    return running, ended


def situation(round_: Round) -> Any:
    """What kind of decision is due: the first words of the legal moves, and which facts and cards there are."""
    words = {round_.format_move(move).split()[0] for move in round_.legal_moves()}
    facts = frozenset(name for name, value in round_.facts().items() if value and name not in ('turn', 'start', 'dealer'))
    zones = frozenset(zone.name for zone in round_.zones() if zone.cards)
    return frozenset(word for word in words if word.islower()), facts, zones


def in_all(zones: list[Zone]) -> Counter[int]:
    return Counter(card for zone in zones for card in zone.cards if card is not None)


def viewers(case: Case) -> list[int | None]:
    return [None, *range(case.seats)]


def told(game: Game, key: str, params: Mapping[str, Any], **more: Any) -> str:
    """The English text, which needs no other parameters than these."""
    return TEXTS.get('en', f'{game.id}.{key}', **params, **more)


def assert_refused(round_: Round, seat: int, move: Any) -> None:
    """Refused for a reason that is listed and has a text; and nothing has changed."""
    before = round_.copy()
    with pytest.raises(IllegalMoveError) as error:
        round_.play(seat, move)
    assert round_ == before
    assert error.value.code in round_.game.reasons
    assert told(round_.game, f'reason.{error.value.code}', error.value.params)


# --- moves ------------------------------------------------------------------------------------------------------------


@every_case
def test_legal_moves(case: Case) -> None:
    for round_ in positions(case)[0]:
        assert (round_.points, round_.reason) == ([], '')
        moves, exact = list(round_.legal_moves()), list(round_.exact_moves())
        assert moves
        assert len(set(moves)) == len(moves)
        assert len(set(exact)) == len(exact)
        assert set(moves) <= set(exact)
        assert list(round_.legal_moves()) == moves, 'the order is stable'
        assert list(round_.copy().legal_moves()) == moves
        assert list(round_.observation(round_.turn).legal) == moves
        for move in exact:
            assert round_.is_legal(move)
            round_.check(round_.turn, move)
        assert round_.is_legal(round_.default_move())


@every_case
def test_moves_as_text(case: Case) -> None:
    for round_ in positions(case)[0]:
        exact = list(round_.exact_moves())
        texts = [round_.format_move(move) for move in exact]
        assert len(set(texts)) == len(texts)
        for move, text in zip(exact, texts, strict=True):
            assert round_.parse_move(text) == move
            assert text == ' '.join(text.split())
            assert round_.parse_move(f'  {text.lower()} ') == move
            assert round_.parse_move(text.upper().replace(' ', '  ')) == move


@every_case
def test_other_moves_are_refused(case: Case) -> None:
    """Moves that were legal somewhere else."""
    rng = Random(str(case))
    running = positions(case)[0]
    known = {move for round_ in running for move in some(rng, round_.exact_moves(), 8)}
    for round_ in some(rng, running, 8):
        legal = set(round_.exact_moves())
        for move in some(rng, known, 16):
            assert round_.is_legal(move) == (move in legal)
            if move not in legal:
                assert_refused(round_, round_.turn, move)


@every_case
def test_only_one_seat_decides(case: Case) -> None:
    running, ended = positions(case)
    for round_ in running:
        before, move = round_.copy(), round_.legal_moves()[0]
        for seat in {-1, *range(case.seats), case.seats} - {round_.turn}:
            with pytest.raises(NotYourTurnError) as error:
                round_.play(seat, move)
            assert error.value.params == {'seat': round_.turn}
            assert not round_.observation(seat).legal
        assert round_ == before
    for round_ in ended:
        for seat in range(case.seats):
            with pytest.raises(RoundOverError):
                round_.play(seat, running[0].legal_moves()[0])


TYPED = [
    *'ASTWBRGYKQ2357SCDHPV♠♥|,;-+0', 'play', 'PLAY ', 'pass', 'draw', 'end', 'move', 'take', 'turn', 'add', 'done', 'stop', 'skip',
    'discard ', 'capture', 'deck', 'h1', 'b0', '10', '10h', '9' * 20, '²', '\ud800', '\n', ' ', '  ',
]  # fmt: skip
"""What people type at any card game, and what they should not."""


@cache
def words(case: Case) -> list[str]:
    """The words of the game's own moves, and its cards."""
    moves = {word for round_ in positions(case)[0] for text in legal_texts(round_)[:50] for word in text.split()}
    return sorted(moves | {case.game.card_text(card) for card in case.game.pack(case.seats)})


@every_size
@settings(max_examples=25)
@given(data=st.data())
def test_any_text_is_played_or_refused(case: Case, data: st.DataObject) -> None:
    """Hostile text, and legal moves with a fault in them."""
    word = st.sampled_from(TYPED) | st.sampled_from(words(case))
    round_ = data.draw(st.sampled_from(positions(case)[0]))
    text = data.draw(st.text() | st.lists(word).map(''.join) | st.lists(word).map(' '.join) | st.sampled_from(legal_texts(round_)))
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(word) + text[place + data.draw(st.integers(0, 2)) :]
    before = round_.copy()
    refusal = None
    try:
        move = round_.parse_move(text)
        round_.check(round_.turn, move)
    except MoveError as error:
        refusal = error
    else:
        assert round_.parse_move(round_.format_move(move)) == move
    if refusal is not None:
        assert refusal.code == 'unreadable' or refusal.code in case.game.reasons
        key = 'reason.unreadable' if refusal.code == 'unreadable' else f'{case.game.id}.reason.{refusal.code}'
        assert TEXTS.get('en', key, **refusal.params)
    assert round_ == before


@every_size
def test_long_text_is_refused(case: Case) -> None:
    parts = [' ', 'A', '10 ', '♥', 'play ', '\ufdfa', '12', '| ', 'h9 ', 'b1', *words(case)[:5], *(f'{word} ' for word in words(case)[-5:])]
    for text in ('', *(part * 2000 for part in parts)):
        for round_ in positions(case)[0][:3]:
            with pytest.raises(MoveError):
                round_.check(round_.turn, round_.parse_move(text))


# --- positions --------------------------------------------------------------------------------------------------------


@every_case
def test_a_copy_is_independent(case: Case) -> None:
    rng = Random(str(case))
    for round_ in positions(case)[0]:
        before = round_.copy()
        shown = repr((round_.zones(), round_.counters(), round_.facts()))
        for move in some(rng, round_.exact_moves(), 3):
            twin, quiet = round_.copy(), round_.copy()
            assert twin == round_
            twin.play(twin.turn, move)
            quiet.apply(move)
            assert twin == quiet, 'events change nothing'
            for _ in range(5):
                if not twin.over:
                    twin.apply(rng.choice(twin.legal_moves()))
            assert round_ == before
            assert repr((round_.zones(), round_.counters(), round_.facts())) == shown


@every_case
def test_a_match_copy_is_independent(case: Case) -> None:
    match = case.match()
    rng = Random(1)
    for _ in range(30):
        if match.round.over:
            break
        match.apply(rng.choice(match.round.legal_moves()))
    twin = match.copy()
    before = (match.number, match.totals[:], match.round.copy(), match.winners[:])
    finish(twin, rng)
    assert (match.number, match.totals, match.round, match.winners) == before


@every_case
def test_every_position_can_be_set_up(case: Case) -> None:
    for round_ in [*positions(case)[0], *positions(case)[1]]:
        facts = round_.facts()
        assert facts.keys() >= {'turn', 'start', 'dealer'}
        zones = nest(round_.zones()) | round_.counters()
        assert json.loads(json.dumps([zones, facts])) == [zones, facts], 'plain values'
        same = case.game.position(case.seats, round_.options, zones, facts)
        if round_.over:
            same.over, same.points, same.reason = True, round_.points, round_.reason
        else:
            assert list(same.legal_moves()) == list(round_.legal_moves())
            assert set(same.exact_moves()) == set(round_.exact_moves())
        assert same == round_


@every_case
def test_every_deal_can_be_set_up(case: Case) -> None:
    match = case.match('deals')
    rng = Random(str(case))
    before: Round | None = None
    for _ in range(3):
        dealt = match.round
        zones = nest(dealt.zones()) | dealt.counters()
        assert dealt.over or all(zone.seen_by == (zone.at,) for zone in dealt.zones() if zone.seen_by), 'a hand is seen by its seat alone'
        first = dealt.start if dealt.dealer is None else dealt.dealer
        opened = case.game.opening(case.seats, match.options, zones, match.number, before, first)
        assert opened == dealt
        assert opened.over or list(opened.legal_moves()) == list(dealt.legal_moves())
        assert case.game.deal(case.seats, match.options, 'deals', match.number, before) == dealt
        assert Game.deal(case.game, case.seats, match.options, 'deals', match.number, before) == dealt, (
            'a quicker deal gives the same cards'
        )
        finish_round(match, rng)
        if match.over:
            break
        before = match.round
        match.next_round()


@every_case
def test_cards_are_neither_lost_nor_made(case: Case) -> None:
    pack = Counter(case.game.pack(case.seats))
    for round_ in [*positions(case)[0], *positions(case)[1]]:
        zones = round_.zones()
        places = [(zone.name, zone.at, zone.seen_by) for zone in zones]
        assert len(set(places)) == len(places)
        assert in_all(zones) == pack
        for name in {zone.name for zone in zones}:
            at = list(dict.fromkeys(zone.at for zone in zones if zone.name == name))
            assert at in ([None], list(range(case.seats))) or all(isinstance(stall, str) for stall in at), 'one zone, one a seat, or stalls'
        zones[0] = zones[0]._replace(cards=[])
        assert list(round_.zones()[0].cards) is not zones[0].cards, 'the lists belong to the caller'


# --- what may be known --------------------------------------------------------------------------------------------------


@every_case
def test_an_observation_hides_what_it_must(case: Case) -> None:
    for round_ in positions(case)[0]:
        for viewer in viewers(case):
            seen = round_.observation(viewer)
            assert (seen.viewer, seen.turn, seen.over) == (viewer, round_.turn, False)
            assert len(seen.zones) == len(round_.zones())
            for zone, real in zip(seen.zones, round_.zones(), strict=True):
                may = real.seen_by is None or viewer in real.seen_by
                assert list(zone.cards) == [card if may or card is None else HIDDEN for card in real.cards]
                assert zone.known == [card for card in real.cards if may and card is not None]
                match case.game.zones[zone.name]:
                    case Sees.OWNER:
                        assert viewer is not None or not may, 'a spectator sees no hand'
                        assert viewer != zone.at or may, 'all players see their own hand'
                    case Sees.NOBODY:
                        assert not may, 'nobody sees a stock'
                    case Sees.EVERYONE:
                        assert may, 'everyone sees what is face up'
            assert bool(seen.legal) == (viewer == round_.turn)


@every_game
def test_zones_are_seen_as_the_game_declares(game: Game[Any]) -> None:
    """And every zone that is declared is there at times."""
    rounds = [round_ for case in CASES if case.game is game for some_rounds in positions(case) for round_ in some_rounds]
    for round_ in rounds:
        for zone in round_.zones():
            who = Sees.EVERYONE if zone.seen_by is None else Sees.OWNER if zone.seen_by else Sees.NOBODY
            open_at_the_end = round_.over and who is Sees.EVERYONE
            assert who in game.zones[zone.name] or open_at_the_end, f'{zone.name} is seen by {zone.seen_by}, see Game.zones'
            assert who is not Sees.OWNER or zone.at in (zone.seen_by or ())
    assert {zone.name for round_ in rounds for zone in round_.zones()} == set(game.zones)


@every_case
def test_other_hidden_cards_would_look_the_same(case: Case) -> None:
    """To every viewer, however the cards that they cannot see are placed; so nothing that they are told depends on them."""
    rng = Random(str(case))
    different = 0
    pack = Counter(case.game.pack(case.seats))
    for round_ in some(rng, positions(case)[0], 6):
        for viewer in viewers(case):
            seen = round_.observation(viewer)
            for _ in range(2):
                other = case.game.determinise(seen, rng)
                assert same_view(other.observation(viewer), seen)
                assert in_all(other.zones()) == pack
                if viewer == round_.turn:
                    assert set(other.exact_moves()) == set(round_.exact_moves())
                different += other != round_
    assert different, 'hidden cards are placed at random, not looked up'


def same_view(one: Observation, other: Observation) -> bool:
    return (one.zones, one.counters, one.facts, one.legal, one.turn) == (other.zones, other.counters, other.facts, other.legal, other.turn)


@every_case
def test_events_tell_nothing_hidden(case: Case) -> None:
    """Everyone who is told of a card can see one like it before or after the ply; but for the kinds of events in `Game.reveals`."""
    match = case.match('events')
    rng = Random(str(case))
    for _ in range(60):
        if match.round.over:
            if match.over:
                break
            match.next_round()
            continue
        before = match.round.copy()
        seat = before.turn
        events = match.play(seat, rng.choice(before.exact_moves()))
        assert events, 'something can be seen of every ply'
        for event in events:
            assert_proper(match, event)
            assert event.kind in case.game.reveals or not told_too_much(event, before, match.round), f'{event.kind}: see Game.reveals'
        new = looking(match.round) - looking(before)
        informed = {viewer for event in events for viewer in event.seen_by or ()}
        assert {viewer for viewer, _, _ in new} <= informed, 'who sees a hand is told so'


def cards_named(params: Mapping[str, Any]) -> list[int]:
    cards = [value for name, value in params.items() if param_kind(name) == 'card']
    return cards + [card for name, value in params.items() if param_kind(name) == 'cards' for card in value]


def told_too_much(event: Event, *rounds: Round[Any]) -> bool:
    """Whether somebody is told of a card that they can see in none of these positions."""
    told = [None, *range(rounds[0].seats)] if event.seen_by is None else event.seen_by
    named = set(cards_named(event.params))
    return any(not named <= set().union(*(known_to(round_, viewer) for round_ in rounds)) for viewer in told)


@every_game
def test_what_a_game_reveals_happens(game: Game[Any]) -> None:
    """An event is excused from the rule above only where it does name hidden cards."""
    needed = set()
    for number in range(100):
        if needed == game.reveals:
            break
        match = Match(game, game.usual_seats[0], {}, str(number))
        rng = Random(number)
        needed |= {event.kind for event in match.round.dealt() if told_too_much(event, match.round)}
        for _ in range(200):
            if match.round.over:
                break
            before = match.round.copy()
            events = match.play(before.turn, rng.choice(before.legal_moves()))
            needed |= {event.kind for event in events if told_too_much(event, before, match.round)}
    assert needed == game.reveals


def looking(round_: Round) -> set[tuple[int, str, Any]]:
    """Who sees whose hand, other than their own, while the round runs."""
    zones = [] if round_.over else round_.zones()
    return {(viewer, zone.name, zone.at) for zone in zones for viewer in zone.seen_by or () if viewer != zone.at}


def known_to(round_: Round, viewer: int | None) -> set[Any]:
    return {card for zone in round_.observation(viewer).zones for card in zone.known}


def assert_proper(match: Match, event: Event) -> None:
    assert event.seat is None or event.seat in range(match.seats)
    assert event.seen_by is None or set(event.seen_by) <= set(range(match.seats))
    assert told(match.game, f'event.{event.kind}', event.params, player='Ann')
    assert all(match.game.card(match.game.card_text(card)) == card for card in cards_named(event.params))


@every_case
def test_what_is_seen_at_the_deal(case: Case) -> None:
    for number in range(3):
        match = case.match(f'deal {number}')
        before = match.round.copy()
        for event in match.round.dealt():
            assert_proper(match, event)
            assert event.kind in case.game.reveals or not told_too_much(event, match.round), f'{event.kind} tells too much'
        assert match.round == before


# --- matches ----------------------------------------------------------------------------------------------------------


def finish_round(match: Match, rng: Random) -> None:
    for _ in range(ENOUGH):
        if match.round.over:
            return
        match.apply(rng.choice(match.round.legal_moves()))
    pytest.fail('the round does not end')


def finish(match: Match, rng: Random) -> None:
    for _ in range(ENOUGH):
        finish_round(match, rng)
        if match.over:
            return
        match.next_round()
    pytest.fail('the match does not end')


@every_case
def test_every_match_ends(case: Case) -> None:
    match = case.match('end')
    rng = Random(str(case))
    totals = [0] * case.seats
    for rounds in range(1, ENOUGH):
        finish_round(match, rng)
        round_ = match.round
        assert not match.round.observation(0).legal
        assert len(round_.points) == case.seats
        assert re.fullmatch('[a-z]+(-[a-z]+)*', round_.reason)
        assert TEXTS.has('en', f'{case.game.id}.end.{round_.reason}')
        totals = [total + points for total, points in zip(totals, round_.points, strict=True)]
        assert match.totals == totals
        if match.over:
            break
        assert rounds == match.number + 1
        with pytest.raises(MoveError):
            match.play(0, round_.default_move)
        match.next_round()
    assert match.winners == case.game.best(totals)
    with pytest.raises(RoundOverError):
        match.next_round()


@every_size
def test_a_match_without_anybody_ends(case: Case) -> None:
    """Every seat makes the move for players whose time is up."""
    match = case.match('nobody')
    for _ in range(ENOUGH):
        if match.over:
            break
        if match.round.over:
            match.next_round()
        else:
            assert match.round.is_legal(match.round.default_move())
            match.apply(match.round.default_move())
    assert match.over


@every_case
def test_greedy_plays_to_the_end(case: Case) -> None:
    match = case.match('greedy')
    for ply in range(ENOUGH):
        if match.over or (case.options and ply > 100):
            break
        if match.round.over:
            match.next_round()
            continue
        seen = match.round.observation(match.round.turn)
        move = case.game.greedy(seen)
        assert move in seen.legal
        assert case.game.greedy(seen) == move
        match.apply(move)
    assert match.over or case.options


@every_case
def test_the_seed_decides_everything(case: Case) -> None:
    """And nothing else does: neither other randomness in the program, nor what was played before."""

    def record(shake: int) -> list[str]:
        match = case.match('seed')
        rng = Random(7)

        def decide(round_: Round) -> Any:
            random.seed(shake)
            random.random()
            plies.append(0)
            return rng.choice(round_.exact_moves()) if len(plies) < 200 else None

        plies: list[int] = []
        return list(lines(match, ['x'] * case.seats, decide))

    one = record(1)
    assert record(2) == one
    assert len(one) > 2
    assert nest(case.match('one').round.zones()) != nest(case.match('other').round.zones())


@every_case
def test_the_cards_of_a_round_do_not_depend_on_the_rounds_before(case: Case) -> None:
    """Only on the seed and the number of the round; who gets them depends on who deals."""
    deals = []
    for choices in range(4):
        match = case.match()
        finish_round(match, Random(choices))
        dealt = case.game.deal(case.seats, match.options, match.seed, 1, match.round)
        deals.append(Counter((zone.name, tuple(zone.cards)) for zone in dealt.zones()))
    assert deals == deals[:1] * 4


@every_case
def test_records_replay(case: Case) -> None:
    match = case.match('record')
    rng = Random(str(case))
    plies = 0

    def decide(round_: Round) -> Any:
        nonlocal plies
        plies += 1
        return rng.choice(round_.exact_moves()) if plies <= 150 else None

    text = '\n'.join(lines(match, [f'seat {seat}' for seat in range(case.seats)], decide, legal=True))
    (checked,) = check(BytesIO(text.encode()), strict=True)
    assert (checked.game, checked.seats) == (case.game.id, case.seats)
    assert checked.finished == match.over
    assert checked.plies == min(plies, 150)


# --- a game as a whole --------------------------------------------------------------------------------------------------


@every_game
def test_cards_as_text(game: Game) -> None:
    for seats in game.seats:
        pack = game.pack(seats)
        assert pack
        for card in set(pack):
            assert game.card(game.card_text(card)) == card
        assert len({game.card_text(card) for card in set(pack)}) == len(set(pack))
        pack.clear()
        assert game.pack(seats)
    for text in ('', 'no card', game.card_text(game.pack(game.seats[0])[0]).lower() + ' ', '\x00'):
        with pytest.raises(KeyError):
            game.card(text)


@every_game
def test_seats_and_options(game: Game) -> None:
    assert game.seats.step == 1
    assert set(game.usual_seats) <= set(game.seats)
    for option in game.options:
        if option.default != SEATS:
            option.check(option.default)
        for bad in (option.low - 1, option.high + 1, 1.5, True, 'nonsense', [], {}):
            with pytest.raises(OptionError):
                game.full_options({option.name: bad}, game.seats[0])
        if not option.nullable:
            with pytest.raises(OptionError):
                game.full_options({option.name: None}, game.seats[0])
    with pytest.raises(OptionError):
        game.full_options({'no option': 1}, game.seats[0])
    for seats in (game.seats[0] - 1, game.seats[-1] + 1):
        with pytest.raises(OptionError):
            Match(game, seats, {}, 'seed')
    for seats in game.seats:
        full = game.full_options({}, seats)
        assert list(full) == [option.name for option in game.options]
        assert game.full_options(full, seats) == full


@every_game
def test_texts(game: Game) -> None:
    keys = ['name', 'tagline', 'rules.short']
    keys += [f'rules.{section}.{part}' for section in game.sections for part in ('title', 'body')]
    keys += [f'reason.{code}' for code in game.reasons]
    keys += [f'option.{option.name}{part}' for option in game.options for part in ('', '.help')]
    keys += [f'event.{kind}' for kind in game.reveals]
    keys += [f'choice.{choice}' for option in game.options for choice in option.choices]
    assert [key for key in keys if not TEXTS.has('en', f'{game.id}.{key}')] == []
    assert set(game.reasons.values()) <= set(game.sections), 'every reason leads to a paragraph'
    assert len(set(game.sections)) == len(game.sections)
    # Not longer than Discord shows in one message, with room for what stands around it.
    assert len(TEXTS.get('en', f'{game.id}.rules.short')) <= 1800
    assert max(len(TEXTS.get('en', f'{game.id}.rules.{section}.body')) for section in game.sections) <= 1500
