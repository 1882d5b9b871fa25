from __future__ import annotations

import json
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines import games, records
from bot.engines.base import Round, Sees, Zone, Zones
from bot.engines.match import Match
from bot.engines.records import LONGEST_LINE, Checked, RecordError, check, legal_texts, lines
from bot.engines.superman import Superman, SupermanRound
from tests.engines import golden

GOLDEN = sorted(golden.FOLDER.glob('*.jsonl'))
ALL_GAMES = list(games().values())


def played(game: str, seats: int, seed: str = 'seed', legal: bool = False, **options: Any) -> list[str]:
    """The record of a match at random."""
    rng = Random(seed)
    match = Match(games()[game], seats, options, seed)
    return list(lines(match, [f'seat {seat}' for seat in range(seats)], lambda round_: rng.choice(round_.exact_moves()), legal))


RECORD = played('superman', 3, legal=True, target=20)


def checked(record: list[str], strict: bool = False) -> list[Checked]:
    return list(check(BytesIO('\n'.join([*record, '']).encode('utf-8', 'surrogatepass')), strict))


def wrong(record: list[str], strict: bool = False) -> RecordError:
    with pytest.raises(RecordError) as error:
        checked(record, strict)
    assert error.value.sentence.isprintable()
    assert len(error.value.sentence) < 1000
    return error.value


def changed(record: list[str], number: int, change: Callable[[dict[str, Any]], Any]) -> list[str]:
    """The record with one line changed; lines count from 1."""
    line = json.loads(record[number - 1])
    change(line)
    return [*record[: number - 1], json.dumps(line), *record[number:]]


def line_of(record: list[str], key: str, nth: int = 0) -> int:
    """The number of the n-th line that has this key."""
    return [number for number, line in enumerate(record, 1) if key in json.loads(line)][nth]


HEADER, DEAL, PLY, END, LAST = 1, 2, 3, line_of(RECORD, 'end'), len(RECORD)
SHORT = RECORD[:END]


# --- writing ----------------------------------------------------------------------------------------------------------


def test_what_a_record_looks_like() -> None:
    header, deal, *_ = map(json.loads, RECORD)
    assert header == {
        'record': 1, 'game': 'superman', 'seats': 3, 'options': {'target': 20, 'superman_followup': 'same'}, 'seed': 'seed',
        'names': ['seat 0', 'seat 1', 'seat 2'],
    }  # fmt: skip
    assert list(deal) == ['round', 'start', 'dealer', 'zones']
    assert list(deal['zones']) == ['hands', 'stock', 'pile']
    assert [len(hand) for hand in deal['zones']['hands']] == [5, 5, 5]
    ply = json.loads(RECORD[PLY - 1])
    assert list(ply) == ['ply', 'seat', 'move', 'legal']
    assert ply['move'] in ply['legal'] == sorted(ply['legal'])
    end = json.loads(RECORD[END - 1])
    assert list(end) == ['end', 'points', 'totals', 'zones', 'reason']
    assert list(json.loads(RECORD[LAST - 1])) == ['winners', 'totals']


def test_stock_and_pile_in_the_order_of_play() -> None:
    """The stock with the card that is drawn first in front, the pile with the card played last behind."""
    record = played('superman', 2, target=20)
    zones = {}
    for line in map(json.loads, record):
        if 'zones' in line:
            if 'end' in line:
                assert line['zones']['stock'] == zones['stock']
                assert line['zones']['pile'] == zones['pile']
            zones = line['zones']
        elif line.get('move') == 'draw':
            zones['hands'][line['seat']].append(zones['stock'].pop(0))
        elif 'move' in line and line['move'].startswith('play'):
            zones['pile'].append(line['move'].removeprefix('play '))


def test_names_that_are_no_utf8() -> None:
    match = Match(games()['superman'], 2, {}, 'seed')
    record = list(lines(match, ['\ud800', '개미 "\n'], lambda round_: None))
    assert json.loads(record[0])['names'] == ['?', '개미 "\n']
    assert [(one.rounds, one.finished) for one in checked(record)] == [(1, False)]


# --- records that are right -------------------------------------------------------------------------------------------


@pytest.mark.parametrize('game', games())
def test_every_game_has_golden_records(game: str) -> None:
    assert game in {path.stem.rpartition('-')[0] for path in GOLDEN}, f'write them with: python -m tests.engines.golden {game}'


def test_every_golden_record_has_its_game() -> None:
    assert {path.stem.rpartition('-')[0] for path in GOLDEN} <= set(games())


@pytest.mark.parametrize('game', games())
def test_the_command_writes_the_golden_records_again(game: str, tmp_path: Path) -> None:
    """Byte for byte, from nothing but the header of each record."""
    kept = [path for path in GOLDEN if path.stem.rpartition('-')[0] == game]
    for path in kept:
        shutil.copy(path, tmp_path)
    golden.write(game, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in kept]
    for path in kept:
        again = f'rules or computer players have changed; if that is meant: python -m tests.engines.golden {game}'
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), again


@pytest.mark.parametrize('game', ALL_GAMES, ids=list(games()))
def test_the_command_writes_the_first_golden_records(game: Any, tmp_path: Path) -> None:
    """For a game that has none yet: a match with the fewest and one with the most seats that are usual, and every legal move."""
    golden.write(game.id, tmp_path)
    fewest, most = game.usual_seats[0], game.usual_seats[-1]
    assert {path.name for path in tmp_path.iterdir()} == {f'{game.id}-{fewest}.jsonl', f'{game.id}-{most}.jsonl'}
    for path in tmp_path.iterdir():
        with path.open('rb') as file:
            (record,) = check(file, strict=True)
        assert record.finished
        assert '"legal"' in path.read_text('utf-8')


@pytest.mark.parametrize('path', GOLDEN, ids=lambda path: path.stem)
def test_golden_records_replay(path: Path) -> None:
    """Move by move as on the day they were written, and the same program would write them again."""
    with path.open('rb') as file:
        records = list(check(file, strict=True))
    assert records
    for record in records:
        assert path.stem == f'{record.game}-{record.seats}'
        assert record.finished
    written = path.read_text('utf-8').splitlines()
    assert [line for record in split(written) for line in again(record)] == written


def split(written: list[str]) -> Iterator[list[str]]:
    starts = [number for number, line in enumerate(written) if line.startswith('{"record"')]
    for start, end in zip(starts, [*starts[1:], len(written)], strict=True):
        yield written[start:end]


def again(record: list[str]) -> Iterator[str]:
    header, *rest = map(json.loads, record)
    match = Match(games()[header['game']], header['seats'], header['options'], header['seed'])
    moves = iter([line['move'] for line in rest if 'move' in line])
    legal = any('legal' in line for line in rest)
    return lines(match, header['names'], lambda round_: round_.parse_move(next(moves)), legal)


@pytest.mark.parametrize('game', ALL_GAMES, ids=list(games()))
def test_records_of_every_game(game: Any) -> None:
    for seats in (game.seats[0], game.usual_seats[-1]):
        (one,) = checked(played(game.id, seats, legal=True), strict=True)
        assert (one.game, one.seats, one.finished, one.proved) == (game.id, seats, True, True)


def test_what_is_counted() -> None:
    (one,) = checked(RECORD)
    assert one.rounds == sum('"round"' in line for line in RECORD)
    assert one.plies == sum('"ply"' in line for line in RECORD)
    assert (one.game, one.seats, one.finished, one.proved) == ('superman', 3, True, True)


def test_a_match_that_is_still_going_on_stops_anywhere() -> None:
    for length in range(1, len(RECORD)):
        (one,) = checked(RECORD[:length])
        assert not one.finished
        assert one.plies == sum('"ply"' in line for line in RECORD[:length])


def test_records_one_after_another() -> None:
    """Finished ones and others."""
    other = played('kings', 2)
    found = checked([*RECORD, *other[:50], *RECORD[:1], *SHORT, *RECORD])
    assert [(one.game, one.finished) for one in found] == [
        ('superman', True), ('kings', False), ('superman', False), ('superman', False), ('superman', True),
    ]  # fmt: skip


def test_the_last_line_needs_no_line_end_and_windows_ends_are_fine() -> None:
    assert list(check(BytesIO('\r\n'.join(RECORD).encode()))) == checked(RECORD)


def test_memory_does_not_grow_with_the_file() -> None:
    def peak(times: int) -> int:
        file = BytesIO(('\n'.join(RECORD) + '\n').encode() * times)
        tracemalloc.start()
        for _ in check(file):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(12) < 2 * peak(1)


# --- deals and seeds --------------------------------------------------------------------------------------------------


def test_deals_that_do_not_follow_from_the_seed() -> None:
    other = changed(RECORD, HEADER, lambda line: line.update(seed='other'))
    (one,) = checked(other)
    assert (one.finished, one.proved) == (True, False)
    assert 'does not follow from the seed "other"' in wrong(other, strict=True).sentence
    assert wrong(other, strict=True).line == DEAL


def test_a_deal_by_hand() -> None:
    """Two cards that nobody draws have changed their places."""
    bottom = json.loads(SHORT[-1])['zones']['stock'][-2:]
    assert bottom[0] != bottom[1]
    record = SHORT
    for number in (DEAL, END):
        record = changed(record, number, zone('stock', lambda stock: stock[:-2] + stock[:-3:-1]))
    assert [one.proved for one in checked(record)] == [False]
    assert wrong(record, strict=True).line == DEAL


class PatchyRound(SupermanRound):
    """Superman with a seat each on the table, which nobody sits on: places without a card."""

    __slots__ = ()

    def zones(self) -> list[Zone]:
        return [*super().zones(), *(Zone('places', seat, [None, None], None) for seat in range(self.seats))]


class Patchy(Superman):
    id = 'patchy'
    zones = Superman.zones | {'places': Sees.EVERYONE}

    def deal(self, *deal: Any) -> Any:
        return super(Superman, self).deal(*deal)

    def layout(self, seats: int, *deal: Any) -> Zones:
        return super().layout(seats, *deal) | {'places': [[None, None] for _ in range(seats)]}

    def position(self, *position: Any) -> Any:
        round_ = super().position(*position)
        round_.__class__ = PatchyRound
        return round_


@pytest.fixture
def patchy(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The record of a game that deals places without a card."""
    game = PatchyRound.game = Patchy()
    monkeypatch.setattr(records, 'games', lambda: {'patchy': game})
    match, rng = Match(game, 2, {'target': 20}, 'seed'), Random(1)
    return list(lines(match, ['a', 'b'], lambda round_: rng.choice(round_.legal_moves())))


def test_a_place_without_a_card(patchy: list[str]) -> None:
    assert json.loads(patchy[DEAL - 1])['zones']['places'] == [[None, None], [None, None]]
    (one,) = checked(patchy, strict=True)
    assert (one.finished, one.proved) == (True, True)


def test_a_card_in_a_place_without_one(patchy: list[str]) -> None:
    """Nor the other way round: see `test_a_wrong_line`."""
    error = wrong(changed(patchy, DEAL, zone('places', lambda places: [['B1', None], places[1]])))
    assert (error.line, error.sentence) == (DEAL, 'places[0][0] should be null, a place without a card, not "B1"')


def test_hands_may_be_held_in_any_order() -> None:
    record = RECORD
    for number in (DEAL, END):
        record = changed(record, number, lambda line: [hand.reverse() for hand in line['zones']['hands']])
    assert record != RECORD
    assert checked(record, strict=True) == checked(RECORD, strict=True)


# --- lines that are wrong ---------------------------------------------------------------------------------------------


def put(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda line: line.update(values)


def drop(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda line: line.pop(key)


def zone(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda line: line['zones'].__setitem__(name, change(line['zones'][name]))


@pytest.mark.parametrize(('number', 'change', 'sentence'), [
    (HEADER, put(record=2), '"record" is the version of the format and should be 1, not 2'),
    (HEADER, put(record=True), '"record" is the version of the format and should be 1, not true'),
    (HEADER, put(game='whist'), 'there is no game "whist"; there are '),
    (HEADER, put(game=['superman']), 'there is no game ["superman"]; there are '),
    (HEADER, put(seats=6), '"seats" should be a number from 2 to 5, not 6'),
    (HEADER, put(seats='3'), '"seats" should be a number from 2 to 5, not "3"'),
    (HEADER, put(seats=10**17), '"seats" should be a number from 2 to 5, not 100000000000000000'),
    (HEADER, put(options={'target': 20}), '"options" should hold every option; missing: superman_followup'),
    (HEADER, put(options={'target': 0, 'superman_followup': 'same'}), 'the options cannot be so (option-number'),
    (HEADER, put(options={'target': 20, 'superman_followup': 'same', 'x': 1}), 'the options cannot be so (option-unknown'),
    (HEADER, put(options={'target': 20, 'superman_followup': ['same']}), 'the options cannot be so (option-choice'),
    (HEADER, put(options=[]), '"options" should be an object, not []'),
    (HEADER, put(seed=7), '"seed" should be a text, not 7'),
    (HEADER, put(seed='\ud800'), '"seed" should be a text, not "\\ud800"'),
    (HEADER, put(names=['a', 'b']), '"names" should be a list of 3 names, not ["a", "b"]'),
    (HEADER, put(names=['a', 'b', 3]), '"names" should be a list of 3 names'),
    (HEADER, drop('names'), 'the key "names" is missing; a header has '),
    (HEADER, put(more=1), 'there is no key "more" here; a header has '),
    (HEADER, drop('record'), 'a header is due here, not a line with ["game"'),
    (DEAL, put(round=1), 'this is round 0, not 1'),
    (DEAL, put(start=3), '"start" should be a seat from 0 to 2, not 3'),
    (DEAL, put(start=-1), '"start" should be a seat from 0 to 2, not -1'),
    (DEAL, put(start=False), '"start" should be a seat from 0 to 2, not false'),
    (DEAL, put(dealer=None), '"dealer" should be '),
    (DEAL, put(dealer='0'), '"dealer" should be a seat from 0 to 2 or null, not "0"'),
    (DEAL, lambda line: line.update(start=(line['start'] + 1) % 3), '"start" should be '),
    (DEAL, put(zones=None), '"zones" should be an object with hands, stock, pile, not null'),
    (DEAL, put(zones={}), '"zones" should be an object with hands, stock, pile, not {}'),
    (DEAL, lambda line: line['zones'].update(chips=3), '"zones" should be an object with hands, stock, pile, not '),
    (DEAL, zone('hands', lambda hands: hands[:2]), 'hands should be a list of 3, not '),
    (DEAL, zone('hands', lambda hands: [*hands[:2], hands[2][:4]]), 'hands[2] should be a list of 5, not '),
    (DEAL, zone('hands', lambda hands: {'0': hands}), 'hands should be a list of 3, not '),
    (DEAL, zone('stock', lambda stock: [*stock[:-1], 'B5']), 'stock[19]: there is no card "B5"'),
    (DEAL, zone('stock', lambda stock: [*stock[:-1], 'b1']), 'stock[19]: there is no card "b1"'),
    (DEAL, zone('stock', lambda stock: [*stock[:-1], None]), 'stock[19]: there is no card null'),
    (DEAL, zone('stock', lambda stock: [*stock[:-1], ['B1']]), 'stock[19]: there is no card ["B1"]'),
    (DEAL, zone('stock', lambda stock: ['S'] * 5 + stock[5:]), 'the zones do not hold the whole pack: '),
    (DEAL, put(number=1), 'there is no key "number" here; the deal of round 0 has '),
    (PLY, put(ply=1), 'this is ply 0 of the round, not 1'),
    (PLY, lambda line: line.update(seat=(line['seat'] + 1) % 3), 'it is the turn of seat '),
    (PLY, put(move='jump'), '"jump" is no legal move (unreadable); legal are ["'),
    (PLY, put(move='pass'), '"pass" is no legal move (pass-'),
    (PLY, put(move=None), '"move" should be a text, not null'),
    (PLY, put(move='\x1b[31m' * 200), '"\\u001b[31m\\u001b[31m'),
    (PLY, lambda line: line.update(move=line['move'].upper()), 'the move is written "'),
    (PLY, lambda line: line['legal'].pop(), '"legal" should be complete: "'),
    (PLY, lambda line: line['legal'].append('play Z9'), '"legal" should be without "play Z9"'),
    (PLY, lambda line: line['legal'].append(line['legal'][0]), 'which is not legal or stands there twice'),
    (PLY, lambda line: line.update(legal='all'), '"legal" should be a list of moves, not "all"'),
    (PLY, lambda line: line.update(legal=[1]), '"legal" should be a list of moves, not [1]'),
    (PLY, put(note='!'), 'there is no key "note" here; ply 0 of round 0, by seat '),
    (PLY, drop('move'), 'the key "move" is missing; ply 0 of round 0, by seat '),
    (END, put(end=1), '"end" should be 0, not 1'),
    (END, put(points=[1, 2, 3]), '"points" should be ['),
    (END, put(points=None), '"points" should be ['),
    (END, lambda line: line.update(points=[bool(points) for points in line['points']]), '"points" should be ['),
    (END, put(totals=[0, 0, 0]), '"totals" should be ['),
    (END, put(reason='blocked'), '"reason" should be "out", not "blocked"'),
    (END, zone('stock', lambda stock: stock[::-1]), 'at the end "stock" should be ["'),
    (END, zone('pile', lambda pile: pile[:-1]), 'at the end "pile" should be ["'),
    (END, zone('hands', lambda hands: hands[::-1]), 'at the end "hands" should be [['),
    (END, zone('hands', lambda hands: None), 'at the end "hands" should be [['),
    (END, lambda line: line['zones'].pop('pile'), '"zones" should be an object with hands, stock, pile, not {'),
    (LAST, put(winners=[0, 1, 2]), '"winners" should be ['),
    (LAST, put(winners=0), '"winners" should be ['),
    (LAST, put(totals=[0, 0, 0]), '"totals" should be ['),
])  # fmt: skip
def test_a_wrong_line(number: int, change: Callable[[dict[str, Any]], Any], sentence: str) -> None:
    error = wrong(changed(RECORD, number, change))
    assert error.line == number
    assert sentence in error.sentence
    assert str(error) == f'line {number}: {error.sentence}'


DEEP = '[' * 100_000


@pytest.mark.parametrize(('line', 'sentence'), [
    ('', 'the line is not one JSON object: '),
    ('{', 'the line is not one JSON object: '),
    ('{} {}', 'the line is not one JSON object: '),
    ('[]', 'the line should be a JSON object, not []'),
    ('null', 'the line should be a JSON object, not null'),
    ('{}', 'a header is due here, not a line with []'),
    ('\ufeff{}', 'the line is not one JSON object: '),
    (DEEP, 'the line is nested too deep'),
    ('{"record": ' + '1' * 5000 + '}', 'the number 111111111111111111… is too large'),
    ('{"record": 1e999}', '1e999 is a number with a fraction'),
    ('{"record": 1.0}', '1.0 is a number with a fraction'),
    ('{"record": NaN}', 'NaN is not a number that JSON knows'),
    ('{"record": -Infinity}', '-Infinity is not a number that JSON knows'),
    ('{"record": 1, "record": 1}', 'the key "record" stands twice in one object'),
    ('{"record": 1, "options": {"a": 1, "a": 2}}', 'the key "a" stands twice in one object'),
    ('{"record": "' + 'x' * LONGEST_LINE + '"}', 'the line is longer than '),
    ('{"record": "\ud800"}', 'the line is not UTF-8'),
])  # fmt: skip
def test_a_hostile_line(line: str, sentence: str) -> None:
    for before in ([], RECORD):
        error = wrong([*before, line])
        assert error.line == len(before) + 1
        if not (before and line == '{}'):
            assert sentence in error.sentence


def test_what_is_due() -> None:
    """Every kind of line out of its place."""
    assert wrong([]).sentence == 'there is no record here, not even a header'
    assert 'a header is due here, not a ply' in wrong(RECORD[2:]).sentence
    assert 'the deal of round 0 is due here, not a ply' in wrong([RECORD[0], *RECORD[2:]]).sentence
    assert ', is due here, not a deal' in wrong([*RECORD[:2], *RECORD[1:]]).sentence
    assert 'is due here, not the end of a round' in wrong([*RECORD[: END - 2], *RECORD[END - 1 :]]).sentence
    assert 'the end of round 0 is due here, not a deal' in wrong([*RECORD[: END - 1], *RECORD[END:]]).sentence
    assert 'the end of round 0 is due here, not a ply' in wrong([*RECORD[: END - 1], RECORD[END - 2]]).sentence
    assert 'the deal of round 1 is due here, not the winners' in wrong([*RECORD[:END], RECORD[-1]]).sentence
    assert 'the line of the winners is due here, not a deal' in wrong([*RECORD[:-1], RECORD[1]]).sentence
    assert wrong([*RECORD, RECORD[-1]]).sentence == 'the match is over; only the header of another record may follow'


def test_a_superman_as_the_first_up_card() -> None:
    def swap(line: dict[str, Any]) -> None:
        place = line['zones']['stock'].index('S')
        line['zones']['stock'][place], line['zones']['pile'] = line['zones']['pile'][0], ['S']

    for seed in count():
        record = played('superman', 2, str(seed))[:2]
        if 'S' in json.loads(record[1])['zones']['stock']:
            break
    assert wrong(changed(record, 2, swap)).sentence == 'no deal can look like this: a Superman is never the first up card'


def test_counters_of_a_deal() -> None:
    record = played('kings', 3)[:3]
    assert 'pot should be 3, not 4' in wrong(changed(record, 2, zone('pot', lambda pot: pot + 1))).sentence
    assert 'chips should be [25, 25, 25], not ' in wrong(changed(record, 2, zone('chips', lambda chips: chips[:2]))).sentence
    assert 'stalls should be an object with ' in wrong(changed(record, 2, zone('stalls', lambda stalls: stalls | {'X': []}))).sentence


# --- any change at all ------------------------------------------------------------------------------------------------

VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 40), st.text(max_size=3), st.just([]), st.just({}), st.lists(st.integers(0, 9), max_size=3),
    st.sampled_from(['S', 'B1', 'play S', 'draw', 'pass', 'stop', 'out']),
)  # fmt: skip


@st.composite
def mutations(draw: st.DrawFn) -> list[str]:
    """The short record with one line changed, lost, doubled or moved."""
    number = draw(st.integers(0, len(SHORT) - 1))
    match draw(st.sampled_from(['value', 'value', 'value', 'key', 'lost', 'more', 'swapped', 'copied', 'letter'])):
        case 'value':
            line = json.loads(SHORT[number])
            at: Any = line
            while True:
                key = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
                if isinstance(at[key], dict | list) and at[key] and draw(st.booleans()):
                    at = at[key]
                else:
                    break
            at[key] = draw(VALUES)
            return [*SHORT[:number], json.dumps(line), *SHORT[number + 1 :]]
        case 'key':
            line = json.loads(SHORT[number])
            if draw(st.booleans()):
                line.pop(draw(st.sampled_from(sorted(line))))
            else:
                line[draw(st.text(max_size=8))] = draw(VALUES)
            return [*SHORT[:number], json.dumps(line), *SHORT[number + 1 :]]
        case 'lost':
            return [*SHORT[:number], *SHORT[number + 1 :]]
        case 'more':
            return [*SHORT[: number + 1], *SHORT[number:]]
        case 'swapped':
            other = draw(st.integers(0, len(SHORT) - 1))
            record = SHORT[:]
            record[number], record[other] = record[other], record[number]
            return record
        case 'copied':
            return [*SHORT[:number], draw(st.sampled_from(RECORD)), *SHORT[number + 1 :]]
        case _:
            text = SHORT[number]
            place = draw(st.integers(0, len(text) - 1))
            return [*SHORT[:number], text[:place] + draw(st.characters(codec='utf-8')) + text[place + 1 :], *SHORT[number + 1 :]]


def plain(record: list[str]) -> list[Any]:
    """The lines as objects, without what may be changed: names, seed, the order of a hand, options that have not mattered, legal lists."""
    found = []
    for line in map(json.loads, record):
        line.pop('legal', None)
        if 'record' in line:
            line = line | {'names': [], 'seed': '', 'options': {}}
        if 'zones' in line:
            line['zones']['hands'] = [sorted(hand) for hand in line['zones']['hands']]
        found.append(line)
    return found


@given(mutations())
def test_any_change_is_refused_or_harmless(record: list[str]) -> None:
    """Harmless: the file still says the same of the match, or less of it."""
    refusal = refused(BytesIO('\n'.join([*record, '']).encode()))
    if refusal is not None:
        assert 1 <= refusal.line <= len(record) + 1
    else:
        assert plain(record) == plain(SHORT)[: len(record)]


def refused(file: BytesIO) -> RecordError | None:
    try:
        list(check(file))
    except RecordError as error:
        return error
    return None


@given(st.binary(max_size=200), st.integers(0, len(SHORT)))
def test_any_bytes(noise: bytes, number: int) -> None:
    refusal = refused(BytesIO('\n'.join([*SHORT[:number], '']).encode() + noise))
    if refusal is None:
        assert noise == b''
        assert number
    else:
        assert number < refusal.line <= number + 1 + noise.count(b'\n')


def test_legal_texts_are_sorted() -> None:
    round_: Round = Match(games()['thirteen'], 4, {}, 'seed').round
    texts = legal_texts(round_)
    assert texts == sorted(texts)
    assert len(texts) == len(round_.exact_moves())
