"""A table: who sits there, the match they play, and what was seen of it lately. No Discord, no storage, no clock.

A table changes only when the host has stored the change. Until then a change of the seats is a new tuple of seats, and a move is a
`Draft`, played on a copy of the match.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ..engines.base import Event, Game, Observation
from ..engines.match import Match
from ..engines.options import Options
from . import seats as seating
from .seats import Person, Seat, Seats
from .take_back import TakeBack, only_own_cards_shown
from .time_control import HOST_IDLE, RELAXED, TimeControl

RECENT: Final = 6
"""How many of the last events a board shows."""

Position = tuple[int, int]
"""The number of the round, from 0, and a number that no other position of the round has (`Table.position`)."""

TableErrorCode = Literal[
    'already-seated',
    'already-started',
    'channel-taken',
    'duplicate',
    'guild-only',
    'host-busy',
    'host-only',
    'manage-server',
    'missing-permissions',
    'no-free-seat',
    'no-game',
    'no-language',
    'no-seat-anywhere',
    'no-seat-in-game',
    'no-table',
    'no-take-back',
    'not-at-table',
    'not-away',
    'not-ended',
    'not-here',
    'not-played',
    'not-seated',
    'not-started',
    'not-you',
    'old-button',
    'other-game',
    'other-not-seated',
    'stale',
    'table-full',
    'table-over',
    'shown-lately',
    'too-few',
    'too-many-here',
    'too-many-hosted',
    'which-game',
    'which-table',
]


class TableError(Exception):
    """Something cannot be done, and nothing has changed. Its text is `reason.<code>`, filled in with `params`."""

    def __init__(self, code: TableErrorCode, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """How a round ended: the points of the round and the totals after it, by seat, and the reason (`Round.reason`)."""

    round_no: int
    start: int
    """The seat of the first decision."""
    dealer: int | None
    points: Sequence[int]
    totals: Sequence[int]
    reason: str


@dataclass(frozen=True, slots=True)
class Dealt:
    """A match that was dealt, the rounds that its deals decided at once, and what was seen of it."""

    match: Match
    ends: Sequence[RoundEnd]
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Draft:
    """A legal move, played on a copy of the match, ready to be stored and then committed (`Table.commit`)."""

    round_no: int
    """The round in which the move is made."""
    ply: int
    seat_no: int
    text: str
    """The move in canonical text."""
    events: Sequence[Event]
    match: Match
    next_ply: int
    ends: Sequence[RoundEnd]
    """The rounds that the move ended: none, one, or more when a round is over as soon as it is dealt."""


@dataclass(slots=True)
class Table:
    """One table in one channel or thread. `state` is `lobby`, `playing`, `finished`, `abandoned` or `closed`."""

    id: int
    guild_id: int
    channel_id: int
    game: Game[Any]
    options: Options
    most: int
    """How many people may sit here."""
    host_id: int
    created: float
    """Seconds since the epoch (UTC), like every time here."""
    state: str = 'lobby'
    seats: Seats = ()
    match: Match | None = None
    ply: int = 0
    """The number of the next ply in the running round."""
    taken_back: int = 0
    """How many moves of the match were taken back."""
    turn_no: int = 0
    """How many turns there were in the running round before the present one; a turn is all that a seat decides before another seat does."""
    undone: tuple[int, int] | None = None
    """The turn in which the last move was taken back (`turn_id`)."""
    recent: deque[Event] = field(default_factory=lambda: deque(maxlen=RECENT))
    """What happened last, oldest first."""
    ends: tuple[RoundEnd, ...] = ()
    """The rounds that ended with the last move that ended any: more than one when a round was over as soon as it was dealt."""
    board_channel: int | None = None
    board_message: int | None = None
    time_control: TimeControl | None = None
    since: float = 0.0
    """When the turn began; later if time stood still meanwhile. In the lobby: when somebody last sat down."""
    time_bank: list[float] = field(default_factory=list)
    """By seat, the seconds that remain of the time bank."""
    reminded: bool = False
    """Whether the player on turn was reminded in this turn."""
    touched: float = 0.0
    """When people last sat down, left, started the match, moved, or took a move back."""
    waited: float = 0.0
    """Seconds that people had waited here already when the bot was restarted: for the player on turn; in the lobby, for more people."""
    waiting_for: str = ''
    """Why time stands still at this table: a code with the text `waiting.<code>`; empty while it runs."""
    watchers: tuple[int, ...] = ()
    """User ids of those who watch."""
    votes: frozenset[int] = frozenset()
    """User ids of those who want the host removed."""
    last_move: TakeBack | None = None
    """The last move of the running round, if it may be taken back."""
    last_interaction: int | None = None
    """The interaction that made the last move, if one did since the start of the bot."""
    computer_played: bool = False
    """Whether the simple computer player has made a move of the match for somebody."""
    outcome: str = ''
    """Why the table is no longer open: a code with the text `outcome.<code>`."""

    # --- who sits where ----------------------------------------------------------------------------------------------

    def seat_of(self, user_id: int) -> int | None:
        """The number of the seat that this user holds, or None."""
        for seat_no, seat in enumerate(self.seats):
            if seat.person.id == user_id and not seat.departed:
                return seat_no
        return None

    def seat(self, user_id: int) -> int:
        """The number of the seat that this user holds. Raises TableError `not-seated`."""
        seat_no = self.seat_of(user_id)
        if seat_no is None:
            raise TableError('not-seated')
        return seat_no

    def name(self, seat_no: int) -> str:
        """The name of the person on this seat, as Discord gives it: not escaped."""
        return self.seats[seat_no].person.name

    @property
    def people(self) -> list[Person]:
        """Everyone who has not left, by seat."""
        return [seat.person for seat in self.seats if not seat.departed]

    @property
    def open(self) -> bool:
        """Whether people wait or play here."""
        return self.state in ('lobby', 'playing')

    def require(self, *states: str) -> None:
        """Raises TableError `table-over`, `already-started` or `not-started` unless the table is in one of these states."""
        if self.state not in states:
            if not self.open:
                raise TableError('table-over')
            raise TableError('already-started' if self.state == 'playing' else 'not-started')

    def joined(self, person: Person) -> Seats:
        """The seats after this person sat down; in a match, on a seat that the computer player plays (`seats.free_seat`).

        Raises TableError `already-seated`, `table-full` (with `n`, the seats there are), `no-free-seat`, or as `require`.
        """
        if self.seat_of(person.id) is not None:
            raise TableError('already-seated')
        if self.state == 'playing':
            seat_no = seating.free_seat(self.seats, person)
            if seat_no is None:
                raise TableError('no-free-seat')
            return seating.taken_over(self.seats, seat_no, person)
        self.require('lobby')
        if len(self.seats) >= self.most:
            raise TableError('table-full', n=self.most)
        return (*self.seats, Seat(person))

    def without(self, user_id: int) -> Seats:
        """The seats after this person left: in the lobby the others move up, in a match the computer player plays the seat.

        Raises TableError `not-seated`, or `table-over`.
        """
        seat_no = self.seat(user_id)
        self.require('lobby', 'playing')
        if self.state == 'lobby':
            return self.seats[:seat_no] + self.seats[seat_no + 1 :]
        return seating.with_seat(self.seats, seat_no, departed=True, away=False)

    def require_ready(self) -> None:
        """Raises TableError unless a match can start: `too-few` (with `n`, the seats that the game takes), or as `require`."""
        self.require('lobby')
        if len(self.seats) not in self.game.seats:
            raise TableError('too-few', n=self.game.seats[0])

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The seat that decides next, in a running match."""
        assert self.match is not None
        return self.match.round.turn

    @property
    def deadline(self) -> float | None:
        """When the player on turn has to have decided; None where nobody is hurried, or the computer player is on turn."""
        if self.state != 'playing' or self.time_control is None or self.match is None or self.waiting_for:
            return None
        return None if self.seats[self.turn].auto else self.since + self.time_control.move + self.time_bank[self.turn]

    def turn_begins(self, now: float) -> None:
        """The player on turn has their time for a move from now on."""
        self.since, self.reminded, self.waited = now, False, 0.0

    def fresh_time(self, now: float) -> None:
        """Everyone has their full time again, as at the start and after a restart."""
        self.turn_begins(now)
        self.time_bank = [self.time_control.time_bank if self.time_control else 0.0] * len(self.seats)

    def _charge_time_bank(self, seat_no: int, now: float) -> None:
        """Takes from a player's time bank what their decision took beyond the time for a move."""
        if self.time_control is not None:
            self.time_bank[seat_no] = max(0.0, self.time_bank[seat_no] - max(0.0, now - self.since - self.time_control.move))

    def host_idle(self, now: float) -> bool:
        """Whether the others may vote the host out: away, or on turn for longer than a move takes; in the lobby, when nobody has sat down
        for `HOST_IDLE` seconds."""
        waited = self.waited + now - self.since
        if self.state == 'lobby':
            return waited >= HOST_IDLE
        seat_no = self.seat_of(self.host_id)
        if seat_no is None or self.seats[seat_no].away or self.seats[seat_no].idle:
            return True
        return seat_no == self.turn and waited >= (self.time_control.move if self.time_control else RELAXED.move)

    # --- the match ---------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """Names the position. Buttons carry it, so that those of an earlier position are known: its second number grows by one with every
        move and every move taken back, and never names two positions of a round, not even after a restart."""
        return (self.match.number if self.match else 0, self.ply + 2 * self.taken_back)

    @property
    def turn_id(self) -> tuple[int, int]:
        """Names the turn: the numbers of the round and of the turn in it. The same turn has the same name after moves were taken back."""
        return (self.match.number if self.match else 0, self.turn_no)

    def require_position(self, made_for: Position | None) -> None:
        """Raises TableError `stale` when something was made for another position than this one; None fits every position."""
        if made_for is not None and made_for != self.position:
            raise TableError('stale')

    def deal(self, seed: str) -> Dealt:
        """A match with this seed; the table does not change."""
        match = Match(self.game, len(self.seats), self.options, seed)
        events = match.round.dealt()
        return Dealt(match, _next_rounds(match, events), events)

    def begin(self, dealt: Dealt) -> None:
        """Makes a match that was dealt the match of this table."""
        self.match = dealt.match
        self.state = 'playing'
        self.ply = self.turn_no = self.taken_back = 0
        self.recent.clear()
        self.recent.extend(dealt.events)
        self.ends = tuple(dealt.ends)
        self.last_move = None

    def draft(self, seat_no: int, move: Any, made_for: Position | None = None) -> Draft:
        """Plays a move, or the text of one, on a copy of the match.

        Raises MoveError, TableError `stale` when the move was made for another position than this one, or as `require`.
        """
        self.require('playing')
        assert self.match is not None
        self.require_position(made_for)
        round_ = self.match.round
        if isinstance(move, str):
            if seat_no != round_.turn:
                round_.check(seat_no, None)
            move = round_.parse_move(move)
        round_no, text = self.match.number, round_.format_move(move)
        match, events = self.match.after(seat_no, move)
        ends = _next_rounds(match, events)
        return Draft(round_no, self.ply, seat_no, text, events, match, 0 if ends else self.ply + 1, ends)

    def draft_of(self, user_id: int, text: str, made_for: Position | None = None) -> Draft:
        """As `draft`, for the seat of this user. Raises TableError `not-seated` too."""
        return self.draft(self.seat(user_id), text, made_for)

    def commit(self, draft: Draft, *, by_player: bool, now: float = 0.0) -> None:
        """Makes a stored draft the position of the table, and charges the mover the time that it took until `now`; `by_player`: the person
        on the seat made the move, so it may be one that can be taken back (`may_take_back`)."""
        assert self.match is not None
        before, self.match = self.match, draft.match
        self.last_move = None
        if by_player and not draft.ends and only_own_cards_shown(before.round, draft.match.round, draft.seat_no):
            mover = self.seats[draft.seat_no].person
            bank = self.time_bank[draft.seat_no] if self.time_bank else 0.0
            time = now - self.since, bank, self.reminded
            self.last_move = TakeBack(draft.round_no, draft.ply, draft.seat_no, mover.id, before, self.turn_no, *time)
        self._charge_time_bank(draft.seat_no, now)
        self.turn_begins(now)
        self.ply, self.touched = draft.next_ply, now
        self._count_turns(draft.seat_no, new_round=bool(draft.ends))
        self.recent.extend(draft.events)
        self.ends = tuple(draft.ends) or self.ends

    def replay(self, round_no: int, ply: int, seat_no: int, text: str, *, tell: bool) -> None:
        """Plays a stored move again; with `tell` its events go to `recent`. Raises MoveError or TableError `stale` when it does not fit."""
        assert self.match is not None
        match, round_ = self.match, self.match.round
        if (round_no, ply) != (match.number, self.ply):
            raise TableError('stale')
        move = round_.parse_move(text)
        round_.check(seat_no, move)
        events: list[Event] | None = [] if tell else None
        match.apply(move, events)
        self.ply += 1
        if new_round := match.round.over:
            self.ends = tuple(_next_rounds(match, events))
            self.ply = 0
        self._count_turns(seat_no, new_round=new_round)
        if events:
            self.recent.extend(events)

    def _count_turns(self, mover: int, *, new_round: bool) -> None:
        """A move of this seat was the last: perhaps the turn has passed to another seat, or to the first of a new round."""
        assert self.match is not None
        self.turn_no = 0 if new_round else self.turn_no + (self.match.round.turn != mover)

    def adopt(self, stored: Table) -> None:
        """Takes over the match of the same table as it was rebuilt from the database. Buttons of before do not fit any more."""
        self.state, self.match, self.ply = stored.state, stored.match, stored.ply
        self.turn_no, self.taken_back = stored.turn_no, stored.taken_back
        self.recent, self.ends, self.computer_played = stored.recent, stored.ends, stored.computer_played
        self.last_move = None

    def may_take_back(self, seat_no: int) -> TakeBack:
        """The last move, if this seat may take it back. Raises TableError `no-take-back`, or as `require`.

        Only the person who made a move may take it back (not one that the clock, the computer player or an earlier holder of the seat
        made), as long as nobody has acted since, and only when it showed nobody a card but the mover's: never after a card was
        drawn, turned or looked at, and never when it ended a round. And once in a turn.
        """
        self.require('playing')
        if self.last_move is None or not self.can_take_back(seat_no):
            raise TableError('no-take-back')
        return self.last_move

    def can_take_back(self, seat_no: int) -> bool:
        """Whether this seat may take back the last move."""
        last = self.last_move
        if last is None or (last.round_no, last.turn_no) == self.undone:
            return False
        return (last.seat_no, last.user_id) == (seat_no, self.seats[seat_no].person.id)

    def take_back(self, last: TakeBack, now: float = 0.0) -> None:
        """Makes the position before the last move the position of the table again; the time that the mover has used stays used."""
        after_it = now - self.since if self.turn == last.seat_no else 0.0
        self.turn_begins(now - last.used - after_it)
        self.reminded, self.touched = last.reminded, now
        if self.time_bank:
            self.time_bank[last.seat_no] = last.time_bank
        self.match, self.ply, self.turn_no, self.last_move = last.match, last.ply, last.turn_no, None
        self.taken_back += 1
        self.undone = self.turn_id
        self.recent.append(Event('move-taken-back', last.seat_no, {}))

    def observation(self, user_id: int | None) -> Observation[Any]:
        """What this user may see of the round; somebody without a seat, or None, sees what a spectator sees."""
        assert self.match is not None
        return self.match.round.observation(None if user_id is None else self.seat_of(user_id))


def places(match: Match) -> list[int]:
    """By seat, the place in the standings from 1; equal totals share the better one. The winners of a finished match are first."""
    totals = [total if match.game.low_wins else -total for total in match.totals]
    return [1 if seat_no in match.winners else 1 + sum(other < total for other in totals) for seat_no, total in enumerate(totals)]


def _next_rounds(match: Match, events: list[Event] | None) -> list[RoundEnd]:
    """Deals on until somebody has to decide or the match is over; the rounds that ended. What is seen is appended to `events`."""
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
