"""A table: who sits where, the match they play, and what was seen of it lately. No Discord, no storage, no clock.

Nothing here is final until the host has stored it: a change of the seats is worked out as new seats, a move on a copy of the
match (`Draft`), and only when the store has it the table takes it over.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..engines.base import Event, Game, Match, Move, Observation, Options, Round
from .time_control import HOST_IDLE, RELAXED, TimeControl

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
    departed: bool = False
    """The person is gone for good. The simple computer player goes on in that place, until somebody takes it over."""
    away: bool = False
    """The person let too many deadlines pass; the simple computer player goes on until they are back."""
    idle: int = 0
    """How many deadlines in a row have passed."""
    hand_channel: int | None = None
    hand_message: int | None = None
    """Where the hand lies in the person's direct messages, once it was sent."""
    before: tuple[Person, ...] = ()
    """Who held the place earlier in the match and was replaced, in that order."""

    @property
    def auto(self) -> bool:
        """Whether the simple computer player plays here."""
        return self.departed or self.away


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
class Dealt:
    """A match that was dealt, the rounds that its deals decided at once, and what was to be seen."""

    match: Match
    ends: Sequence[RoundEnd]
    events: Sequence[Event]


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


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The last move of the running round, and the match as it was before it."""

    number: int
    ply: int
    seat: int
    user_id: int
    """Who made it."""
    match: Match


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
    step: int = 0
    """How often the position of the running round has changed, by moves and by taking them back; after a restart the same as `ply`."""
    recent: deque[Event] = field(default_factory=lambda: deque(maxlen=RECENT))
    """What happened last, oldest first."""
    ends: tuple[RoundEnd, ...] = ()
    """The rounds that ended last, all with one move: more than one when a deal ended as soon as it was dealt."""
    board_channel: int | None = None
    board_message: int | None = None
    time_control: TimeControl | None = None
    since: float = 0.0
    """When the seat to move got its turn; later if time stood still meanwhile. In the lobby: when somebody last sat down."""
    time_bank: list[float] = field(default_factory=list)
    """By seat, the seconds that are left to overdraw."""
    reminded: bool = False
    """Whether the seat to move was reminded in this turn."""
    waiting_for: str = ''
    """Why time stands still at this table: a code with the text `waiting.<code>`; empty while it runs."""
    watchers: tuple[int, ...] = ()
    """User ids of those who watch."""
    votes: frozenset[int] = frozenset()
    """User ids of those who want the host removed."""
    last_move: TakeBack | None = None
    computer_played: bool = False
    """Whether the simple computer player has made a move of the match for somebody."""
    outcome: str = ''
    """Why the table is no longer open: a code with the text `outcome.<code>`."""

    # --- who is who ------------------------------------------------------------------------------------------------

    def seat_of(self, user_id: int) -> int | None:
        """The seat that this user holds, or None."""
        for number, seat in enumerate(self.seats):
            if seat.person.id == user_id and not seat.departed:
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
    def turn(self) -> int:
        """The seat that decides next, in a running match."""
        assert self.match is not None
        return self.match.round.turn

    @property
    def deadline(self) -> float | None:
        """When the seat to move has to have decided; None where nobody is hurried, or a computer player plays."""
        if self.state != 'playing' or self.time_control is None or self.match is None or self.waiting_for:
            return None
        return None if self.seats[self.turn].auto else self.since + self.time_control.move + self.time_bank[self.turn]

    def turn_begins(self, now: float) -> None:
        """The seat to move has its turn from now on."""
        self.since, self.reminded = now, False

    def fresh_time(self, now: float) -> None:
        """Everyone gets the full time again, as at the start and after a restart."""
        self.turn_begins(now)
        self.time_bank = [self.time_control.time_bank if self.time_control else 0.0] * len(self.seats)

    def charge_time_bank(self, seat: int, now: float) -> None:
        """Takes from a player's bank what the decision took beyond the time for a move."""
        if self.time_control is not None:
            self.time_bank[seat] = max(0.0, self.time_bank[seat] - max(0.0, now - self.since - self.time_control.move))

    def host_idle(self, now: float) -> bool:
        """Whether the others may vote the host out: away, or nothing heard of for `HOST_IDLE` in the lobby, or on turn for long."""
        if self.state == 'lobby':
            return now - self.since >= HOST_IDLE
        number = self.seat_of(self.host_id)
        if number is None or self.seats[number].away or self.seats[number].idle:
            return True
        return number == self.turn and now - self.since >= (self.time_control.move if self.time_control else RELAXED.move)

    @property
    def people(self) -> list[Person]:
        """Everyone who is still at the table, by seat."""
        return [seat.person for seat in self.seats if not seat.departed]

    @property
    def open(self) -> bool:
        """Whether people still wait or play here."""
        return self.state in ('lobby', 'playing')

    @property
    def position(self) -> tuple[int, int]:
        """Names the position: the round's number and its `step`. Buttons carry it, so that stale ones are known."""
        return (self.match.number if self.match else 0, self.step)

    def require(self, *states: str) -> None:
        """Raises TableError `table-over`, `already-started` or `not-started` unless the table is in one of these states."""
        if self.state not in states:
            if not self.open:
                raise TableError('table-over')
            raise TableError('already-started' if self.state == 'playing' else 'not-started')

    # --- lobby changes: each gives the new seats ---------------------------------------------------------------------

    def joined(self, person: Person) -> tuple[Seat, ...]:
        """The seats after this person sat down; in a match, in a place that plays by itself. Who left gets the old place back as
        long as nobody else plays there.

        Raises TableError `already-seated`, `table-full`, `no-free-seat`, or as `require`.
        """
        if self.seat_of(person.id) is not None:
            raise TableError('already-seated')
        if self.state == 'playing':
            number = self._free_seat(person)
            old = self.seats[number]
            if old.person.id == person.id:
                return self._with(number, replace(old, person=person, departed=False, away=False, idle=0))
            before = tuple(one for one in (*old.before, old.person) if one.id != person.id)
            return self._with(number, Seat(person, before=before))
        self.require('lobby')
        if len(self.seats) >= self.most:
            raise TableError('table-full', n=self.most)
        return (*self.seats, Seat(person))

    def _free_seat(self, person: Person) -> int:
        """The place that this person can take over in a match: their own old one, else one that was left, else one whose owner is
        away. Raises TableError `no-free-seat`."""
        free = [
            (person.id not in {one.id for one in (seat.person, *seat.before)}, not seat.departed, number)
            for number, seat in enumerate(self.seats)
            if seat.auto
        ]
        if not free:
            raise TableError('no-free-seat')
        return min(free)[2]

    def _with(self, number: int, seat: Seat) -> tuple[Seat, ...]:
        return (*self.seats[:number], seat, *self.seats[number + 1 :])

    def with_seat(self, number: int, **changes: Any) -> tuple[Seat, ...]:
        """The seats with some attributes of one of them changed."""
        return self._with(number, replace(self.seats[number], **changes))

    def without(self, user_id: int) -> tuple[Seat, ...]:
        """The seats after this person got up: in the lobby the others move up, in a match the place stays and plays on by itself.

        Raises TableError `not-seated`, or `table-over`.
        """
        number = self.seat(user_id)
        self.require('lobby', 'playing')
        if self.state == 'lobby':
            return self.seats[:number] + self.seats[number + 1 :]
        return self.with_seat(number, departed=True, away=False)

    def next_host(self, seats: Sequence[Seat]) -> int:
        """Who hosts when these seats are taken: the host as long as he sits there, else the first person; 0 when nobody is left."""
        people = [seat.person.id for seat in seats if not seat.departed]
        return self.host_id if self.host_id in people or not people else people[0]

    def ready(self) -> None:
        """Raises TableError unless a match can start: `too-few` with how many it takes, or as `require`."""
        self.require('lobby')
        if len(self.seats) not in self.game.seats:
            raise TableError('too-few', n=self.game.seats[0])

    # --- the match -------------------------------------------------------------------------------------------------

    def deal(self, seed: str) -> Dealt:
        """The match with this seed, dealt; the table itself does not change."""
        match = Match(self.game, len(self.seats), self.options, seed)
        events = match.round.dealt()
        return Dealt(match, _next_rounds(match, events), events)

    def begin(self, dealt: Dealt) -> None:
        """Makes a match that was dealt the match of this table."""
        self.match = dealt.match
        self.state = 'playing'
        self.ply = self.step = 0
        self.recent.clear()
        self.recent.extend(dealt.events)
        self.ends = tuple(dealt.ends)
        self.last_move = None

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
        ends = _next_rounds(match, events)
        return Draft(number, self.ply, seat, text, events, match, 0 if ends else self.ply + 1, ends)

    def commit(self, draft: Draft, *, by_player: bool) -> None:
        """Makes a stored draft the position of the table; `by_player` for a move that the seat's owner made, and may take back."""
        assert self.match is not None
        before, mover = self.match, self.seats[draft.seat].person.id
        self.last_move = TakeBack(draft.number, draft.ply, draft.seat, mover, before) if by_player and not draft.ends else None
        self.match = draft.match
        self.ply = draft.next_ply
        self.step = 0 if draft.ends else self.step + 1
        self.recent.extend(draft.events)
        self.ends = tuple(draft.ends) or self.ends

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
        self.ply += 1
        if match.round.over:
            self.ends = tuple(_next_rounds(match, events))
            self.ply = 0
        self.step = self.ply
        if events:
            self.recent.extend(events)

    def may_take_back(self, seat: int) -> TakeBack:
        """The last move, if this seat may take it back. Raises TableError `no-take-back`.

        A move may be taken back by whoever made it (not one that the clock, the computer player or an earlier owner made in that
        seat), as long as nobody has acted since, and only when it showed nobody a card but the mover's own: never after a card was
        drawn, turned or looked at, and never when it ended a round.
        """
        self.require('playing')
        last = self.last_move
        assert self.match is not None
        if last is None or (last.seat, last.user_id) != (seat, self.seats[seat].person.id):
            raise TableError('no-take-back')
        if not only_own_cards_shown(last.match.round, self.match.round, seat):
            raise TableError('no-take-back')
        return last

    def can_take_back(self, seat: int) -> bool:
        """Whether this seat may take its last move back."""
        try:
            self.may_take_back(seat)
        except TableError:
            return False
        return True

    def take_back(self, last: TakeBack) -> None:
        """Makes the position before the last move the position of the table again."""
        self.match, self.ply, self.last_move = last.match, last.ply, None
        self.step += 1
        self.recent.append(Event('move-taken-back', last.seat, {}))

    def observation(self, user_id: int | None) -> Observation:
        """What this user may see of the round, everyone without a seat as a spectator."""
        assert self.match is not None
        return self.match.round.observation(None if user_id is None else self.seat_of(user_id))


def places(match: Match) -> list[int]:
    """By seat, the place in the standings from 1; equal totals share the better one. The winners of a finished match are first."""
    totals = [total if match.game.low_wins else -total for total in match.totals]
    return [1 if seat in match.winners else 1 + sum(other < total for other in totals) for seat, total in enumerate(totals)]


def only_own_cards_shown(before: Round, after: Round, mover: int) -> bool:
    """Whether a move showed nobody a card that they had not seen, except cards that the mover held and could see."""
    known = _seen(before, mover)
    for viewer in (None, *range(before.seats)):
        new = _seen(after, viewer) - _seen(before, viewer)
        if (viewer == mover and new) or new - known:
            return False
    return True


def _seen(round_: Round, viewer: int | None) -> Counter[int]:
    return Counter(
        card for zone in round_.zones() if zone.seen_by is None or viewer in zone.seen_by for card in zone.cards if card is not None
    )


def _next_rounds(match: Match, events: list[Event] | None) -> list[RoundEnd]:
    """Deals on until somebody has to decide or the match is over; the rounds that ended. What was seen is appended to `events`."""
    ends = []
    while match.round.over:
        round_ = match.round
        ends.append(RoundEnd(match.number, round_.start, round_.dealer, round_.points, match.totals, round_.reason))
        if match.over:
            break
        match.next_round()
        if events is not None:
            events += match.round.dealt()
    return ends
