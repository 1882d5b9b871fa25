"""Match records: writing them, and checking every line of them.

A record is JSON Lines in UTF-8: a header; then for every round the deal, a line for each ply (one move), and the end of the round; last
the winners. A match that is still going on just stops somewhere. A file may hold several records one after another. Cards and moves
are written in their canonical text, a place without a card as null. Nothing random happens after a deal, so zones and moves determine
everything.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, Final, NoReturn

from . import games
from .base import Game, MoveError, Round, Zones, nest
from .match import Match
from .options import OptionError, Options

VERSION: Final = 1
LONGEST_LINE: Final = 1 << 24
"""Bytes. The longest lines, those with all legal moves of a large hand, stay far below."""

_HEADER: Final = ('record', 'game', 'seats', 'options', 'seed', 'names')
_DEAL: Final = ('round', 'start', 'dealer', 'zones')
_PLY: Final = ('ply', 'seat', 'move')
_END: Final = ('end', 'points', 'totals', 'zones', 'reason')
_LAST: Final = ('winners', 'totals')
_KINDS: Final = {_HEADER: 'a header', _DEAL: 'a deal', _PLY: 'a ply', _END: 'the end of a round', _LAST: 'the winners'}


# --- writing --------------------------------------------------------------------------------------------------------


def lines(match: Match, names: Sequence[str], decide: Callable[[Round[Any]], Any | None], legal: bool = False) -> Iterator[str]:
    """Plays a fresh match and gives its record, a line at a time, without line ends.

    `decide` is asked for a legal move whenever one is due; None stops the record there, as a match that is still going on. With
    `legal` each ply lists all legal moves.
    """
    # One half of a surrogate pair is text to Python and JSON, but not to UTF-8.
    plain = [name.encode('utf-8', 'replace').decode() for name in names]
    yield _json(_HEADER, VERSION, match.game.id, match.seats, dict(match.options), match.seed, plain)
    while True:
        round_ = match.round
        yield _json(_DEAL, match.number, round_.start, round_.dealer, zone_texts(round_))
        ply = 0
        while not round_.over:
            move = decide(round_)
            if move is None:
                return
            line = dict(zip(_PLY, (ply, round_.turn, round_.format_move(move)), strict=True))
            if legal:
                line['legal'] = legal_texts(round_)
            match.apply(move)
            ply += 1
            yield json.dumps(line, ensure_ascii=False)
        yield _json(_END, match.number, round_.points, match.totals, zone_texts(round_), round_.reason)
        if match.over:
            yield _json(_LAST, match.winners, match.totals)
            return
        match.next_round()


def zone_texts(round_: Round[Any]) -> Zones:
    """The zones of a round as a record has them, cards as text."""
    return {name: _texts(cards, round_.game) for name, cards in nest(round_.zones()).items()} | round_.counters()


def _texts(cards: Any, game: Game[Any]) -> Any:
    if isinstance(cards, list):
        return [_texts(card, game) for card in cards]
    if isinstance(cards, dict):
        return {name: _texts(pile, game) for name, pile in cards.items()}
    return None if cards is None else game.card_text(cards)


def legal_texts(round_: Round[Any]) -> list[str]:
    """All legal moves of the seat on turn in canonical text, sorted as text."""
    return sorted(map(round_.format_move, round_.exact_moves()))


def _json(keys: tuple[str, ...], *values: Any) -> str:
    return json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)


# --- checking -------------------------------------------------------------------------------------------------------


class RecordError(ValueError):
    """A line of a record is wrong. `line` counts from 1; `sentence` says what is wrong and what would be right."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(f'line {line}: {sentence}')
        self.line = line
        self.sentence = sentence


@dataclass(slots=True)
class Checked:
    """A record without a fault."""

    game: str
    seats: int
    rounds: int = 0
    plies: int = 0
    finished: bool = False
    """Whether the record names the winners; if not, the match was still going on."""
    proved: bool = True
    """Whether every deal follows from the seed. If not, the moves are right, but the cards may have been chosen."""


def check(file: BinaryIO, strict: bool = False) -> Iterator[Checked]:
    """Replays the records of a file, one after another, in memory that does not grow with the file.

    Raises RecordError at the first wrong line; with `strict` a deal that does not follow from the seed is wrong too.
    """
    source = _Lines(file)
    if source.line is None:
        raise RecordError(1, 'there is no record here, not even a header')
    while source.line is not None:
        yield _Replay(source, strict).checked


class _Lines:
    """The objects of a file, read one line ahead. `line` is the next object (None at the end), `number` its number, from 1."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.number = 0
        self.next()

    def next(self) -> None:
        raw = self.file.readline(LONGEST_LINE + 1)
        self.number += 1
        if len(raw) > LONGEST_LINE:
            self.wrong(f'the line is longer than {LONGEST_LINE} bytes')
        self.line: dict[str, Any] | None = self._object(raw) if raw else None

    def _object(self, raw: bytes) -> dict[str, Any]:
        try:
            value = json.loads(
                raw.decode(), object_pairs_hook=_pairs, parse_int=_int, parse_float=partial(_refused, 'a number with a fraction'),
                parse_constant=partial(_refused, 'not a number that JSON knows'),
            )  # fmt: skip
        except UnicodeDecodeError:
            self.wrong('the line is not UTF-8')
        except json.JSONDecodeError as error:
            self.wrong(f'the line is not one JSON object: {error.msg} (column {error.colno})')
        except RecursionError:
            self.wrong('the line is nested too deep')
        except ValueError as error:
            self.wrong(str(error))
        if not isinstance(value, dict):
            self.wrong(f'the line should be a JSON object, not {_short(value)}')
        return value

    def take(self, keys: tuple[str, ...], due: str, optional: tuple[str, ...] = ()) -> list[Any]:
        """The values of the next line, which has to have these keys; an optional key may be missing, and its value is None then."""
        if self.line is None:
            self.wrong(f'the file ends, but {due} is due')
        line = self.line
        if keys[0] not in line:
            kind = next((name for known, name in _KINDS.items() if known[0] in line), None)
            self.wrong(f'{due} is due here, not {kind or "a line with " + _short(list(line))}')
        for key in keys:
            if key not in line:
                self.wrong(f'the key "{key}" is missing; {due} has {", ".join(keys)}')
        for key in line:
            if key not in keys and key not in optional:
                self.wrong(f'there is no key {_short(key)} here; {due} has {", ".join(keys)}')
        return [line[key] for key in keys] + [line.get(key) for key in optional]

    def wrong(self, sentence: str) -> NoReturn:
        raise RecordError(self.number, sentence)


class _Replay(Match):
    """A match whose deals come from a record. Its construction replays the whole record, and `checked` is the result."""

    __slots__ = ('source', 'strict', 'checked')

    def __init__(self, source: _Lines, strict: bool) -> None:
        self.source, self.strict = source, strict
        game, seats, options, seed = self._header()
        self.checked = Checked(game.id, seats)
        source.next()
        if self._stops():
            return
        super().__init__(game, seats, options, seed)
        while self._played():
            if self._stops():
                return
            if self.over:
                self._last()
                return
            self.next_round()

    def _stops(self) -> bool:
        """Whether the record ends here."""
        return self.source.line is None or _HEADER[0] in self.source.line

    def _header(self) -> tuple[Game[Any], int, Options, str]:
        version, name, seats, options, seed, names = self.source.take(_HEADER, 'a header')
        wrong = self.source.wrong
        if not _is_int(version) or version != VERSION:
            wrong(f'"record" is the version of the format and should be {VERSION}, not {_short(version)}')
        game = games().get(name) if isinstance(name, str) else None
        if game is None:
            wrong(f'there is no game {_short(name)}; there are {", ".join(games())}')
        if not _is_int(seats) or seats not in game.seats:
            wrong(f'"seats" should be a number from {game.seats[0]} to {game.seats[-1]}, not {_short(seats)}')
        if not isinstance(options, dict):
            wrong(f'"options" should be an object, not {_short(options)}')
        try:
            full = game.full_options(options, seats)
        except OptionError as error:
            wrong(f'the options cannot be so ({error})')
        if missing := full.keys() - options.keys():
            wrong(f'"options" should hold every option; missing: {", ".join(sorted(missing))}')
        if not isinstance(seed, str) or not _is_text(seed):
            wrong(f'"seed" should be a text, not {_short(seed)}')
        if not isinstance(names, list) or len(names) != seats or not all(isinstance(name, str) for name in names):
            wrong(f'"names" should be a list of {seats} names, not {_short(names)}')
        return game, seats, full, seed

    def _deal(self, before: Round[Any] | None) -> Round[Any]:
        """The round of the next line; called when the match needs one."""
        number, start, dealer, zones = self.source.take(_DEAL, f'the deal of round {self.number}')
        wrong = self.source.wrong
        if not _is_int(number) or number != self.number:
            wrong(f'this is round {self.number}, not {_short(number)}')
        if not _is_int(start) or not 0 <= start < self.seats:
            wrong(f'"start" should be a seat from 0 to {self.seats - 1}, not {_short(start)}')
        if dealer is not None and (not _is_int(dealer) or not 0 <= dealer < self.seats):
            wrong(f'"dealer" should be a seat from 0 to {self.seats - 1} or null, not {_short(dealer)}')
        expected = super()._deal(before)
        cards = self._cards(zones, expected)
        first = start if dealer is None else dealer
        try:
            round_ = self.game.opening(self.seats, self.options, cards, self.number, before, first)
        except ValueError as error:
            wrong(f'no deal can look like this: {error}')
        if round_.dealer != dealer:
            wrong(f'"dealer" should be {_short(round_.dealer)}, not {_short(dealer)}')
        if round_.start != start:
            wrong(f'"start" should be {round_.start}, not {start}')
        if round_ != expected:
            if self.strict:
                wrong(f'the deal does not follow from the seed {_short(self.seed)}')
            self.checked.proved = False
        self.checked.rounds += 1
        self.source.next()
        return round_

    def _cards(self, zones: Any, like: Round[Any]) -> Zones:
        """The zones of a line with ints for cards. They have to hold the whole pack, in the same places as this round."""
        wrong = self.source.wrong
        counters = like.counters()
        shape = nest(like.zones())
        if not isinstance(zones, dict) or zones.keys() != shape.keys() | counters.keys():
            wrong(f'"zones" should be an object with {", ".join([*shape, *counters])}, not {_short(zones)}')
        found: Counter[int] = Counter()
        cards = {name: self._read(zones[name], shape[name], name, found) for name in shape}
        for name, value in counters.items():
            if not _same(zones[name], value):
                wrong(f'{name} should be {_short(value)}, not {_short(zones[name])}')
        if missing := Counter(self.game.pack(self.seats)) - found:
            card = min(missing)
            wrong(f'the zones do not hold the whole pack: {self.game.card_text(card)} is missing ({missing[card]} of them)')
        return cards | counters

    def _read(self, value: Any, like: Any, where: str, found: Counter[int]) -> Any:
        """Cards in the same shape as `like`, counted in `found`; a place without a card stays one."""
        wrong = self.source.wrong
        if isinstance(like, list):
            if not isinstance(value, list) or len(value) != len(like):
                wrong(f'{where} should be a list of {len(like)}, not {_short(value)}')
            return [
                self._read(part, other, f'{where}[{place}]', found) for place, (part, other) in enumerate(zip(value, like, strict=True))
            ]
        if isinstance(like, dict):
            if not isinstance(value, dict) or value.keys() != like.keys():
                wrong(f'{where} should be an object with {", ".join(like)}, not {_short(value)}')
            return {name: self._read(value[name], other, f'{where}.{name}', found) for name, other in like.items()}
        if like is None:
            return value if value is None else wrong(f'{where} should be null, a place without a card, not {_short(value)}')
        try:
            card = self.game.card(value)
        except (KeyError, TypeError):
            wrong(f'{where}: there is no card {_short(value)}')
        found[card] += 1
        return card

    def _played(self) -> bool:
        """Replays the plies and the end of a round; False when the record stops before that."""
        round_ = self.round
        ply = 0
        while not round_.over:
            if self._stops():
                return False
            self._ply(round_, ply)
            ply += 1
        if self._stops():
            return False
        number, points, totals, zones, reason = self.source.take(_END, f'the end of round {self.number}')
        wrong = self.source.wrong
        expected = zone_texts(round_)
        rights = {'end': self.number, 'points': round_.points, 'totals': self.totals, 'reason': round_.reason}
        for (name, right), value in zip(rights.items(), (number, points, totals, reason), strict=True):
            if not _same(value, right):
                wrong(f'"{name}" should be {_short(right)}, not {_short(value)}')
        if not isinstance(zones, dict) or zones.keys() != expected.keys():
            wrong(f'"zones" should be an object with {", ".join(expected)}, not {_short(zones)}')
        kept = zones if _same(zones, expected) else self._kept(zones, round_)
        for name, right in expected.items():
            if not _same(kept[name], right):
                wrong(f'at the end "{name}" should be {_short(right)}, not {_short(zones[name])}')
        self.source.next()
        return True

    def _kept(self, zones: dict[str, Any], round_: Round[Any]) -> dict[str, Any]:
        """The zones as the game itself keeps them: where it sorts cards, such as those of a hand, a record may have them in any order."""
        try:
            cards = self._cards(zones, round_)
            return zone_texts(self.game.position(self.seats, self.options, cards, round_.facts()))
        except ValueError:
            return zones

    def _ply(self, round_: Round[Any], ply: int) -> None:
        number, seat, text, legal = self.source.take(_PLY, f'ply {ply} of round {self.number}, by seat {round_.turn},', ('legal',))
        wrong = self.source.wrong
        if not _is_int(number) or number != ply:
            wrong(f'this is ply {ply} of the round, not {_short(number)}')
        if not _is_int(seat) or seat != round_.turn:
            wrong(f'it is the turn of seat {round_.turn}, not {_short(seat)}')
        if not isinstance(text, str):
            wrong(f'"move" should be a text, not {_short(text)}')
        try:
            move = round_.parse_move(text)
            round_.check(seat, move)
        except MoveError as error:
            paragraph = self.game.reasons.get(error.code)
            rule = f'{error.code}, paragraph "{paragraph}"' if paragraph else error.code
            wrong(f'{_short(text)} is no legal move ({rule}); legal are {_short(legal_texts(round_))}')
        if round_.format_move(move) != text:
            wrong(f'the move is written {_short(round_.format_move(move))}, not {_short(text)}')
        if legal is not None and not _same(legal, right := legal_texts(round_)):
            wrong(f'"legal" should be {_difference(legal, right)}')
        self.apply(move)
        self.checked.plies += 1
        self.source.next()

    def _last(self) -> None:
        winners, totals = self.source.take(_LAST, 'the line of the winners')
        for name, value, right in (('winners', winners, self.winners), ('totals', totals, self.totals)):
            if not _same(value, right):
                self.source.wrong(f'"{name}" should be {_short(right)}, not {_short(value)}')
        self.checked.finished = True
        self.source.next()
        if not self._stops():
            self.source.wrong('the match is over; only the header of another record may follow')


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f'the key {_short(twice)} stands twice in one object')
    return found


def _int(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f'the number {digits[:18]}… is too large')
    return int(digits)


def _refused(what: str, text: str) -> NoReturn:
    raise ValueError(f'{text[:18]} is {what}; only whole numbers stand in a record')


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_text(value: str) -> bool:
    """Whether the text can be written in UTF-8."""
    return value == value.encode('utf-8', 'replace').decode()


def _same(value: Any, right: Any) -> bool:
    """Equal, and of the same type: true is not 1, and false is not 0."""
    if type(value) is not type(right):
        return False
    if isinstance(right, list):
        return len(value) == len(right) and all(map(_same, value, right))
    if isinstance(right, dict):
        return value.keys() == right.keys() and all(_same(value[name], right[name]) for name in right)
    return bool(value == right)


def _difference(legal: Any, right: list[str]) -> str:
    """What is wrong with a list of legal moves."""
    if not isinstance(legal, list) or not all(isinstance(text, str) for text in legal):
        return f'a list of moves, not {_short(legal)}'
    if missing := Counter(right) - Counter(legal):
        return f'complete: {_short(min(missing))} is missing'
    if more := Counter(legal) - Counter(right):
        return f'without {_short(min(more))}, which is not legal or stands there twice'
    return 'sorted as text'


def _short(value: Any) -> str:
    """A value as JSON, safe to print, and not too long."""
    text = json.dumps(value)
    return text if len(text) <= 120 else f'{text[:120]}…'
