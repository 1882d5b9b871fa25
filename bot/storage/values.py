"""What is put into the database and read from it: plain values, and the reasons why a write is refused.

Times are seconds since the epoch (UTC). People, servers, channels, messages and interactions are Discord's ids. Seats count from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypedDict

State = Literal['lobby', 'playing', 'finished', 'abandoned', 'closed']
"""A table is open in the lobby and while its match runs; `closed`: no match began, or it could not go on."""
By = Literal['player', 'clock', 'computer']
"""Who made a move: the person in the seat, the clock for them, or a computer player."""
Order = Literal['wins', 'points', 'rating']

EVERYWHERE = 0
"""Stands for a server's id: all servers together."""
ALL_GAMES = ''
"""Stands for a game: all games together."""
ALL_TIME = 'all'


# --- refusals -------------------------------------------------------------------------------------------------------


class StorageError(Exception):
    """The database failed; what was to be written is not stored. The text is a plain sentence.

    `code` is one of `disk-full`, `locked`, `in-use` (another process of the bot has it), `read-only`, `corrupt`, `unreachable`,
    `newer` (the file was made by a newer version) and `other`. Except after `newer`, the same call works again once the cause is gone.
    """

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class UnreadableValueError(StorageError, ValueError):
    """The database works, but a value that it holds cannot be read (`other`)."""


class WriteRefusedError(Exception):
    """The database works, but what it holds forbids this write; nothing has changed."""


class NoSuchTableError(WriteRefusedError):
    """There is no table with this id."""

    def __init__(self, table_id: int) -> None:
        super().__init__(f'there is no table {table_id}')
        self.table_id = table_id


class ChannelTakenError(WriteRefusedError):
    """The channel has an open table already: `table_id`."""

    def __init__(self, table_id: int) -> None:
        super().__init__(f'table {table_id} is open in this channel')
        self.table_id = table_id


class AlreadyStartedError(WriteRefusedError):
    """The table has left the lobby."""


class DuplicateInteractionError(WriteRefusedError):
    """A move with this interaction's id is stored: Discord delivered it twice."""


class DuplicatePlyError(WriteRefusedError):
    """A move for this table, round and ply is stored."""


# --- tables and matches ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat, and who sits in it: a person, or a computer player (then `user_id` is None)."""

    seat: int
    user_id: int | None
    name: str
    computer: str | None = None
    """The kind of computer player; None for a person."""
    hand_channel_id: int | None = None
    hand_message_id: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values."""


@dataclass(frozen=True, slots=True)
class NewTable:
    guild_id: int
    channel_id: int
    game: str
    options: Mapping[str, Any]
    host_id: int
    seats: int
    """How many may sit down."""
    pace: str
    at: float
    seated: Sequence[SeatRow] = ()
    """Who is seated from the start."""
    watchers: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table without its seats and moves."""

    id: int
    guild_id: int
    channel_id: int
    game: str
    options: Mapping[str, Any]
    host_id: int
    state: State
    seats: int
    seed: str | None = field(repr=False)
    """Decides the deals; secret until the match is over. None in the lobby."""
    pace: str
    board_channel_id: int | None
    board_message_id: int | None
    created: float
    changed: float
    """When the table was last changed; moves do not count."""
    reason: str | None
    """Why the match ended."""
    taken_back: int = 0
    """How many moves of the match were taken back."""
    votes: Sequence[int] | None = None
    """Who wants the host removed; None for nobody."""


class TableChange(TypedDict, total=False):
    """The columns that `Store.update_table` can set."""

    channel_id: int
    host_id: int
    state: State
    board_channel_id: int | None
    board_message_id: int | None
    reason: str | None
    votes: Sequence[int]


@dataclass(frozen=True, slots=True)
class RoundEndRow:
    """A round that has ended; rounds count from 0."""

    round: int
    start: int
    dealer: int | None
    points: Sequence[int]
    """Each seat's points for the round."""
    totals: Sequence[int]
    """Each seat's total after it."""
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One ply; `text` is the move in canonical notation. Plies count from 0 in every round."""

    table_id: int
    round: int
    ply: int
    seat: int
    text: str
    interaction_id: int | None
    by: By
    at: float


StoredMove = tuple[int, int, int, str, By]
"""Round, ply, seat, text, by."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table with everything that belongs to it."""

    row: TableRow
    seats: list[SeatRow]
    rounds: list[RoundEndRow]
    moves: list[StoredMove]
    """In the order in which they were played."""
    watchers: list[int]
    last_move_at: float | None = None
    """When the last of the moves was made; None when there is none."""


@dataclass(frozen=True, slots=True)
class ClosedLobby:
    """A table that was closed before its match began, and where its board is."""

    id: int
    guild_id: int
    board_channel_id: int | None
    board_message_id: int | None
    closed: float


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a match for one seat."""

    seat: int
    user_id: int | None
    """None for a computer player."""
    place: int
    """From 1; seats that are equal share a place."""
    won: bool
    points: float
    """What the match adds to the points of the leaderboard: more is better in every game."""
    total: int
    """The total by the rules of the game."""
    left: bool = False
    """Whether the person left before the end."""
    rated: bool = False
    """Whether the match changed the person's rating."""
    computer: str | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """A person's rating in one server and game (or `EVERYWHERE`, `ALL_GAMES`)."""

    guild_id: int
    game: str
    user_id: int
    mu: float
    sigma: float
    ordinal: float
    """The number that people see and are ranked by."""
    matches: int
    """How many rated matches it is based on."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a match."""

    table_id: int
    state: Literal['finished', 'abandoned']
    reason: str
    at: float
    results: Sequence[Result] = ()
    ratings: Sequence[Rating] = ()
    """The new ratings."""
    counts: bool = True
    """Whether the match counts for the leaderboards."""


# --- leaderboards and people ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a leaderboard."""

    rank: int
    """From 1; people who are equal share a rank."""
    user_id: int
    name: str | None
    """None when the bot does not know it."""
    matches: int
    wins: int
    points: float
    rating: float | None
    """After the person's last rated match in the period; None without one."""


@dataclass(frozen=True, slots=True)
class GameProfile:
    """What a person has done in one game, or with `ALL_GAMES` in all together."""

    game: str
    matches: int
    wins: int
    points: float
    rating: float | None
    rated: int
    """How many rated matches the rating is based on."""


@dataclass(frozen=True, slots=True)
class PastResult:
    """A match that a person has played to its end."""

    table_id: int
    guild_id: int
    game: str
    result: Result
    at: float


@dataclass(frozen=True, slots=True)
class Profile:
    games: list[GameProfile]
    """By game; `ALL_GAMES` is first."""
    last: list[PastResult]
    """The latest first."""


def periods(at: float) -> tuple[str, str, str, str]:
    """The periods that a moment belongs to, in UTC: `('all', '2026', '2026-11', '2026-W48')`, the week as in ISO 8601."""
    day = datetime.fromtimestamp(at, UTC)
    week = day.isocalendar()
    return (ALL_TIME, f'{day:%Y}', f'{day:%Y-%m}', f'{week.year}-W{week.week:02}')
