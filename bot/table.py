"""A table: who sits where, the match they play, and what was seen of it lately. No Discord, no storage, no clock.

Nothing here is final until the host has stored it: a change of the seats is worked out as new seats, a move on a copy of the
match (`Draft`), and only when the store has it the table takes it over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .engines.base import Event, Game, Match, Move, Observation, Options

RECENT: Final = 6
"""How many of the last plays a board tells."""


class TableError(Exception):
    """Something cannot be done at this table, and nothing has changed. The text is `reason.<code>`; `params` as in `MoveError`."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at Discord: the user's id, and the name that the others know."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Seat:
    """One place at the table and who holds it."""

    person: Person
    left: bool = False
    """The person is gone; the simple computer player finishes the match in that place."""
    hand_channel: int | None = None
    hand_message: int | None = None
    """Where the hand lies in the person's direct messages, once it was sent."""


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """How a round came out: points and totals by seat, and why it ended (`Round.reason`)."""

    number: int
    start: int
    dealer: int | None
    points: Sequence[int]
    totals: Sequence[int]
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A move that is legal and played on a copy, ready to be stored and then taken over (`Table.take_over`)."""

    number: int
    """The round in which the move was made."""
    ply: int
    seat: int
    text: str
    """The move in canonical text."""
    events: Sequence[Event]
    match: Match
    next_ply: int
    ends: Sequence[RoundEnd]
    """The rounds that ended with it: none, one, or more when a round is over as soon as it is dealt."""


@dataclass(slots=True)
class Table:
    """One table in one channel or thread. `state` is `lobby`, `playing`, `finished`, `abandoned` or `closed`."""

    id: int
    guild_id: int
    channel_id: int
    game: Game
    options: Options
    most: int
    """How many may sit here."""
    host_id: int
    created: float
    """Seconds since the epoch (UTC), like every time here."""
    state: str = 'lobby'
    seats: tuple[Seat, ...] = ()
    match: Match | None = None
    ply: int = 0
    """The number of the next ply in the running round."""
    recent: deque[Event] = field(default_factory=lambda: deque(maxlen=RECENT))
    """What happened last, oldest first."""
    ends: deque[RoundEnd] = field(default_factory=lambda: deque(maxlen=1))
    """The last round that ended."""
    board_channel: int | None = None
    board_message: int | None = None
    outcome: str = ''
    """Why the table is no longer open: a code with the text `outcome.<code>`."""

    # --- who is who ------------------------------------------------------------------------------------------------

    def seat_of(self, user_id: int) -> int | None:
        """The seat that this user holds, or None."""
        for number, seat in enumerate(self.seats):
            if seat.person.id == user_id and not seat.left:
                return number
        return None

    def seat(self, user_id: int) -> int:
        """The seat that this user holds. Raises TableError `not-seated`."""
        number = self.seat_of(user_id)
        if number is None:
            raise TableError('not-seated')
        return number

    def name(self, seat: int) -> str:
        """The name of whoever holds that seat, as given by Discord: not escaped."""
        return self.seats[seat].person.name

    @property
    def people(self) -> list[Person]:
        """Everyone who is still at the table, by seat."""
        return [seat.person for seat in self.seats if not seat.left]

    @property
    def open(self) -> bool:
        """Whether people still wait or play here."""
        return self.state in ('lobby', 'playing')

    @property
    def position(self) -> tuple[int, int]:
        """Names the position: the round's number and the number of the next ply. Buttons carry it, so that stale ones are known."""
        return (self.match.number if self.match else 0, self.ply)

    def require(self, *states: str) -> None:
        """Raises TableError `table-over`, `already-started` or `not-started` unless the table is in one of these states."""
        if self.state not in states:
            if not self.open:
                raise TableError('table-over')
            raise TableError('already-started' if self.state == 'playing' else 'not-started')

    # --- lobby changes: each gives the new seats ---------------------------------------------------------------------

    def joined(self, person: Person) -> tuple[Seat, ...]:
        """The seats after this person sat down. Raises TableError `already-seated`, `table-full`, or as `require`."""
        if self.seat_of(person.id) is not None:
            raise TableError('already-seated')
        self.require('lobby')
        if len(self.seats) >= self.most:
            raise TableError('table-full', n=self.most)
        return (*self.seats, Seat(person))

    def without(self, user_id: int) -> tuple[Seat, ...]:
        """The seats after this person got up: in the lobby the others move up, in a match the place stays and plays on by itself.

        Raises TableError `not-seated`, or `table-over`.
        """
        number = self.seat(user_id)
        self.require('lobby', 'playing')
        if self.state == 'lobby':
            return self.seats[:number] + self.seats[number + 1 :]
        return (*self.seats[:number], replace(self.seats[number], left=True), *self.seats[number + 1 :])

    def next_host(self, seats: Sequence[Seat]) -> int:
        """Who hosts when these seats are taken: the host as long as he sits there, else the first person; 0 when nobody is left."""
        people = [seat.person.id for seat in seats if not seat.left]
        return self.host_id if self.host_id in people or not people else people[0]

    def ready(self) -> None:
        """Raises TableError unless a match can start: `too-few` with how many it takes, or as `require`."""
        self.require('lobby')
        if len(self.seats) not in self.game.seats:
            raise TableError('too-few', n=self.game.seats[0])

    # --- the match -------------------------------------------------------------------------------------------------

    def deal(self, seed: str) -> tuple[Match, list[RoundEnd]]:
        """The match with this seed, dealt, and the rounds that its deals decided at once; the table itself does not change."""
        match = Match(self.game, len(self.seats), self.options, seed)
        return match, _next_rounds(match)

    def begin(self, match: Match, ends: Sequence[RoundEnd]) -> None:
        """Makes a match that was dealt the match of this table."""
        self.match = match
        self.state = 'playing'
        self.ply = 0
        self.recent.clear()
        self.ends.extend(ends)

    def draft(self, seat: int, move: Move | str, made_for: tuple[int, int] | None = None) -> Draft:
        """Plays a move, or the text of one, on a copy. Raises MoveError, or TableError `stale` when it was made for an
        earlier position (`position` as it then was), or as `require`."""
        self.require('playing')
        assert self.match is not None
        if made_for is not None and made_for != self.position:
            raise TableError('stale')
        round_ = self.match.round
        if isinstance(move, str):
            if seat != round_.turn:
                round_.check(seat, None)
            move = round_.parse_move(move)
        match = self.match.copy()
        number, text = match.number, round_.format_move(move)
        events = match.play(seat, move)
        ends = _next_rounds(match)
        return Draft(number, self.ply, seat, text, events, match, 0 if ends else self.ply + 1, ends)

    def take_over(self, draft: Draft) -> None:
        """Makes a stored draft the position of the table."""
        self.match = draft.match
        self.ply = draft.next_ply
        self.recent.extend(draft.events)
        self.ends.extend(draft.ends)

    def replay(self, number: int, ply: int, seat: int, text: str, *, tell: bool) -> None:
        """Plays a stored move again. Raises MoveError or TableError when it does not fit; `tell` keeps what was seen."""
        assert self.match is not None
        match, round_ = self.match, self.match.round
        if (number, ply) != (match.number, self.ply):
            raise TableError('stale')
        move = round_.parse_move(text)
        round_.check(seat, move)
        events: list[Event] | None = [] if tell else None
        match.apply(move, events)
        if events:
            self.recent.extend(events)
        self.ply += 1
        if match.round.over:
            self.ends.extend(_next_rounds(match))
            self.ply = 0

    def observation(self, user_id: int | None) -> Observation:
        """What this user may see of the round, everyone without a seat as a spectator."""
        assert self.match is not None
        return self.match.round.observation(None if user_id is None else self.seat_of(user_id))


def places(match: Match) -> list[int]:
    """By seat, the place in the standings from 1; equal totals share the better one. The winners of a finished match are first."""
    totals = [total if match.game.low_wins else -total for total in match.totals]
    return [1 if seat in match.winners else 1 + sum(other < total for other in totals) for seat, total in enumerate(totals)]


def _next_rounds(match: Match) -> list[RoundEnd]:
    """Deals on until somebody has to decide or the match is over; the rounds that ended."""
    ends = []
    while match.round.over:
        round_ = match.round
        ends.append(RoundEnd(match.number, round_.start, round_.dealer, round_.points, match.totals, round_.reason))
        if match.over:
            break
        match.next_round()
    return ends
