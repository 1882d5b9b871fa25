"""What every card game is made of: a `Game`, its `Round`, and the `Observation` that one seat may have of a round.

- A *seat* is a number from 0; clockwise comes the next number, and after the last one 0.
- A *card* is an int that names a kind of card. Two cards that look alike are the same int, so a pack is a multiset.
- A *move* is a small hashable value, an int or a tuple, that only the module of the game understands. Everybody else handles it as
  text (`Round.format_move`, `Round.parse_move`).
- A *zone* is a place for cards: a hand, a stock, a pile. Zones (all the cards) and *facts* (all the rest, public) are the whole position.
- A *round* is one deal, held in one mutable object. A *match* (`match.py`) plays rounds until the game names winners.

A game is one module beside this one: a subclass of `Round`, a subclass of `Game`, and `GAME`, its only instance. What is abstract below
has to be written; the rest has a default that suits most games. `cards.py` has the shuffle, the usual deal and the 52-card pack.

A round is made in one way: `Game.deal` shuffles the pack, `Game.layout` puts the cards into zones, `Game.opening` adds the facts of a
fresh round, and `Game.position` builds the round from both. Records start at `opening`, tests and `determinise` at `position`.

`Round.legal_moves` is the only truth about what is legal. `Round.apply` trusts its caller, because playouts call it millions of times;
whatever comes from people, files or the database goes through `Round.check` first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from random import Random
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from .cards import drawn, shuffled
from .options import Option, Options, filled_in

Move = TypeVar('Move', bound=Hashable)
"""The type of a game's moves: `class GolfRound(Round[int])`, `class Golf(Game[int])`. Code for every game writes `Round[Any]`."""
Zones = dict[str, Any]
"""The zones in the shape of a record, with ints for cards (see `nest`), and the round's counters beside them:
`{'hands': [[…], […]], 'stock': […], 'chips': […], …}`."""

HIDDEN: Final = -1
"""Stands in an observation for a card that the viewer may not see."""


# --- refusals -------------------------------------------------------------------------------------------------------


def param_kind(name: str) -> str:
    """What a parameter of a refusal or an event holds, by the last word of its name: `card`, `cards`, `seat`, `moves`, or ''.

    So `card`, `new_card` and `top` (the card on top of a pile) hold a card, `cards` and `old_cards` a list of cards, `seat` a seat, and
    `moves` moves in canonical text; their text is in the reader's words. All others hold numbers or plain words.
    """
    return _KINDS.get(name.rpartition('_')[2], '')


_KINDS: Final = {'card': 'card', 'top': 'card', 'cards': 'cards', 'seat': 'seat', 'moves': 'moves'}


class MoveError(ValueError):
    """A move is refused, and nothing has changed. `code` names the reason, `params` are what its text speaks of (see `param_kind`).

    The text of the reason is looked up outside (`<game>.reason.<code>`, or `reason.<code>` for the reasons that all games share).
    """

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class UnreadableMoveError(MoveError):
    """The text is not a move of this game."""


class IllegalMoveError(MoveError):
    """The rules forbid the move in this position."""


class NotYourTurnError(MoveError):
    """Another seat has to decide first."""


class RoundOverError(MoveError):
    """The round, or the whole match, has ended."""


# --- small values ---------------------------------------------------------------------------------------------------


class Sees(Flag):
    """Who may see the cards of a zone while the round runs: `NOBODY` (face down, like a stock), `OWNER` (like a hand: its seat, and
    those to whom a rule has shown it), or `EVERYONE`, spectators too. `NOBODY | EVERYONE` is a zone that changes or has two parts."""

    NOBODY = auto()
    OWNER = auto()
    EVERYONE = auto()


class Zone(NamedTuple):
    """One place for cards. Together a round's zones hold every card of the pack exactly once."""

    name: str
    """The zone's key in a record: `hands`, `stock`, …"""
    at: int | str | None
    """The seat it belongs to, the name of a stall, or None when there is only one such zone."""
    cards: Sequence[int | None]
    """In the order of the record format; None is a place without a card. In an observation a card may be `HIDDEN`."""
    seen_by: tuple[int, ...] | None
    """The seats that may see the cards; None for everyone, spectators included."""

    @property
    def known(self) -> list[int]:
        """The cards that are there and can be seen: without empty places and without hidden cards."""
        return [card for card in self.cards if card is not None and card != HIDDEN]


class Event(NamedTuple):
    """Something that people at the table saw happen. `kind` has a text `<game>.event.<kind>`; for `params` see `param_kind`."""

    kind: str
    seat: int | None
    params: Mapping[str, Any]
    seen_by: tuple[int, ...] | None = None
    """None for everyone; else the seats that may be told."""


def nest(zones: Sequence[Zone]) -> Zones:
    """The zones in the shape of a record: by name a list of lists by seat, an object of lists by stall, or one list.

    Cards in one place that not everybody sees alike are several zones with the same name and `at`; they become one list here.
    """
    out: Zones = {}
    lists: dict[tuple[str, int | str | None], list[int | None]] = {}
    for zone in zones:
        place = zone.name, zone.at
        if place in lists:
            lists[place] += zone.cards
            continue
        cards = lists[place] = list(zone.cards)
        if zone.at is None:
            out[zone.name] = cards
        elif isinstance(zone.at, int):
            out.setdefault(zone.name, []).append(cards)
        else:
            out.setdefault(zone.name, {})[zone.at] = cards
    return out


@dataclass(frozen=True, slots=True)
class Observation(Generic[Move]):
    """What one seat (or, with `viewer` None, a spectator) may know of a round at this moment."""

    game: Game[Move]
    seats: int
    options: Options
    viewer: int | None
    turn: int
    """The seat that decides next; meaningless when `over`."""
    over: bool
    zones: tuple[Zone, ...]
    """Every zone, hidden cards as `HIDDEN`."""
    counters: Mapping[str, Any]
    facts: Mapping[str, Any]
    """The rest of the position, all of it public (see `Round.facts`)."""
    legal: tuple[Move, ...]
    """The viewer's legal moves; empty for everyone but the seat on turn."""

    def zone(self, name: str, at: int | str | None = None) -> Zone:
        """The zone of this name and place (the first of several parts). Raises KeyError when there is none."""
        for zone in self.zones:
            if zone.name == name and zone.at == at:
                return zone
        raise KeyError((name, at))

    def cards(self, name: str, at: int | str | None = None) -> Sequence[int | None]:
        """The cards of one zone, with None for empty places and `HIDDEN` for hidden cards. Raises as `zone` does."""
        return self.zone(name, at).cards

    def known(self, name: str, at: int | str | None = None) -> list[int]:
        """The cards of one zone that are there and that the viewer can see. Raises as `zone` does."""
        return self.zone(name, at).known


# --- a round --------------------------------------------------------------------------------------------------------


class Round(ABC, Generic[Move]):
    """One deal of one game. A subclass names the attributes that it adds in `__slots__` and sets `game` once `GAME` exists."""

    __slots__ = ('seats', 'options', 'turn', 'start', 'dealer', 'over', 'points', 'reason')

    game: ClassVar[Game[Any]]
    seats: int
    """How many play."""
    options: Options
    """Every option with its value (`Game.full_options`)."""
    turn: int
    """The seat that decides next; undefined once the round is over."""
    start: int
    """The seat of the first decision."""
    dealer: int | None
    """The seat that dealt, or None in games where nobody does."""
    over: bool
    points: list[int]
    """Each seat's points for this round; filled when the round is over."""
    reason: str
    """Why the round ended, as a short word with a text `<game>.end.<reason>`; empty while the round runs."""

    def __init__(self, seats: int, options: Options, facts: Mapping[str, Any]) -> None:
        """A running round with the facts that all games share; `start` defaults to `turn`, `dealer` to None."""
        self.seats, self.options = seats, options
        self.turn = facts['turn']
        self.start = facts.get('start', self.turn)
        self.dealer = facts.get('dealer')
        self.over, self.points, self.reason = False, [], ''

    # --- what a game has to write ---

    @abstractmethod
    def legal_moves(self) -> Sequence[Move]:
        """Every legal move of the seat on turn, each once, in a stable order; never empty while the round runs.

        Where moves differ only in something that can never matter for legality (Thirteen: the suits below the top card), one
        of them stands for all; `exact_moves` lists them all. The caller must not change the list.
        """

    @abstractmethod
    def apply(self, move: Move, events: list[Event] | None = None) -> None:
        """Plays a legal move in place, without checking it. What was to be seen is appended to `events` if given."""

    @abstractmethod
    def why_not(self, move: Move) -> IllegalMoveError:
        """The rule that forbids this move here. Asked only for moves that are not legal; its code is one of `Game.reasons`."""

    @abstractmethod
    def default_move(self) -> Move:
        """The legal move that is made for a player whose time is up: harmless, and the same for everyone."""

    @abstractmethod
    def copy(self) -> Round[Move]:
        """An independent round in the same position."""

    @abstractmethod
    def zones(self) -> list[Zone]:
        """Every zone, by name and then by seat (0, 1, …, all of them); hands sorted. The lists belong to the caller."""

    @staticmethod
    @abstractmethod
    def format_move(move: Move) -> str:
        """The move's canonical text, as in a record."""

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Reads a move generously: case, order, commas and symbols do not matter, and a card alone is a play where that is clear.

        The move need not be legal. Raises UnreadableMoveError (code `unreadable`, or one of `Game.reasons`). For every move of
        every position `parse_move(format_move(move)) == move`. Text may be hostile: any length, any character.
        """

    # --- what a game may replace ---

    def exact_moves(self) -> Sequence[Move]:
        """Every legal move, also those that `legal_moves` lets one stand for. This is what a record lists."""
        return self.legal_moves()

    def is_legal(self, move: Move) -> bool:
        """Whether the seat on turn may do this; True exactly for the moves of `exact_moves`."""
        return move in self.legal_moves()

    def dealt(self) -> list[Event]:
        """What was to be seen at the deal, before the first decision; asked of a freshly dealt round, and nothing in most games."""
        return []

    def counters(self) -> dict[str, Any]:
        """What a record's zones hold besides cards (chips, a pot): plain numbers, public."""
        return {}

    def facts(self) -> dict[str, Any]:
        """The rest of the position beside zones and counters: plain values, public. A game adds more to `super().facts()`.

        `Game.position(seats, options, nest(zones()) | counters(), facts())` gives an equal round.
        """
        return {'turn': self.turn, 'start': self.start, 'dealer': self.dealer}

    # --- what is the same for every game ---

    def check(self, seat: int, move: Move) -> None:
        """Raises RoundOverError, NotYourTurnError or IllegalMoveError unless this seat may make this move now."""
        if self.over:
            raise RoundOverError('round-over')
        if seat != self.turn:
            raise NotYourTurnError('not-your-turn', seat=self.turn)
        if not self.is_legal(move):
            raise self.why_not(move)

    def play(self, seat: int, move: Move) -> list[Event]:
        """Checks and plays a move; returns what was to be seen. Raises as `check` does, and then nothing has changed."""
        self.check(seat, move)
        events: list[Event] = []
        self.apply(move, events)
        return events

    def observation(self, viewer: int | None) -> Observation[Move]:
        """What a seat, or a spectator (None), may know now."""
        seen = tuple(
            zone
            if zone.seen_by is None or viewer in zone.seen_by
            else zone._replace(cards=tuple(None if card is None else HIDDEN for card in zone.cards))
            for zone in self.zones()
        )
        legal = tuple(self.legal_moves()) if not self.over and viewer == self.turn else ()
        return Observation(self.game, self.seats, self.options, viewer, self.turn, self.over, seen, self.counters(), self.facts(), legal)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        return self._state() == other._state()

    def _state(self) -> tuple[Any, ...]:
        ended = self.over, self.points, self.reason
        return self.game.id, self.seats, dict(self.options), ended, self.zones(), self.counters(), self.facts()

    __hash__ = None  # type: ignore[assignment]  # a round changes, so it must not be a key


# --- a game ---------------------------------------------------------------------------------------------------------


class Game(ABC, Generic[Move]):
    """The rules of one game, without any position: seats, options, cards, how to deal, when a match is over."""

    id: ClassVar[str]
    """The name of its module, its command and its texts."""
    seats: ClassVar[range]
    """The numbers of seats that can play."""
    usual_seats: ClassVar[range]
    """The numbers of seats that a table takes unless it is opened for more; a part of `seats`."""
    options: ClassVar[tuple[Option, ...]] = ()
    low_wins: ClassVar[bool]
    """Whether the lowest total wins."""
    has_dealer: ClassVar[bool] = False
    """Whether one seat deals and the next one starts, or else one seat just starts. In round 0 the seed decides which seat, and with every
    round it moves on by one."""
    zones: ClassVar[Mapping[str, Sees]]
    """The name of every zone that a round can have -> who may see its cards."""
    reveals: ClassVar[frozenset[str]] = frozenset()
    """Kinds of events that may name cards which nobody sees before or after: turned up and taken at once, or known by a rule."""
    sections: ClassVar[tuple[str, ...]]
    """The paragraphs of the rules, in reading order; texts `<id>.rules.<section>.title` and `.body`."""
    reasons: ClassVar[Mapping[str, str]]
    """Every reason for which a move of this game can be refused -> the paragraph of the rules that says so."""

    # --- what a game has to write ---

    @abstractmethod
    def pack(self, seats: int) -> list[int]:
        """Every card of the pack for that many seats, in order. The list belongs to the caller."""

    @abstractmethod
    def card_text(self, card: int) -> str:
        """The card as a record writes it."""

    @abstractmethod
    def card(self, text: str) -> int:
        """The inverse of `card_text`, exact. Raises KeyError for any other text."""

    @abstractmethod
    def layout(self, seats: int, options: Options, cards: list[int], start: int) -> Zones:
        """The zones after the deal of a shuffled pack, its top card first. `start` is the seat that gets the first card where that matters.

        The list belongs to this method. Counters may be missing. `cards.deal_hands` deals one card at a time.
        """

    @abstractmethod
    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> Round[Move]:
        """Any position, from `nest(zones()) | counters()` and `facts()`; a missing fact (never `turn`) has its opening value.

        Zones may hold fewer cards than the pack, and missing zones are empty: tests use small positions.
        """

    @abstractmethod
    def winners(self, options: Options, totals: Sequence[int], rounds: int, last: Round[Move]) -> list[int]:
        """The seats that have won the match, or nothing while it goes on. Asked after every round: `totals` are each seat's points in all
        rounds so far, `rounds` is how many there were, and `last` is the one that has just ended. `best` gives the seats with the best
        total."""

    @abstractmethod
    def greedy(self, observation: Observation[Move]) -> Move:
        """A sensible legal move, from what the seat on turn can see; the simple computer player."""

    # --- what a game may replace ---

    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round[Any] | None) -> Round[Move]:
        """Round `number` (from 0) of the match with this seed; `before` is the round that has just ended, if any.

        The order of the cards depends on seed and number alone (`cards.shuffled`), who deals or starts also on `before`. A game may
        replace this for speed alone: the round has to be the same.
        """
        first = 0 if before is not None else drawn(seats, seed, 'dealer' if self.has_dealer else 'start')
        _, start = self.dealer_and_start(seats, before, first)
        zones = self.layout(seats, options, shuffled(self.pack(seats), seed, number), start)
        return self.opening(seats, options, zones, number, before, first)

    def opening(self, seats: int, options: Options, zones: Zones, number: int, before: Round[Any] | None, first: int) -> Round[Move]:
        """Round `number` (from 0) as freshly dealt, from its zones; `before` is the round that has just ended, if any, and `first` the
        seat drawn for round 0: the dealer, or in a game without one the seat that starts.

        Raises ValueError when no deal can give such zones, though they hold the whole pack.
        """
        dealer, start = self.dealer_and_start(seats, before, first)
        return self.position(seats, options, zones, {'turn': start, 'start': start, 'dealer': dealer})

    def full_options(self, chosen: Options, seats: int | None = None) -> dict[str, Any]:
        """All options with their values, in order. Raises OptionError for an unknown option or a value it cannot have.

        While the number of seats is not known yet (None), options that take their default from it and are not chosen stay out.
        """
        return filled_in(self.options, chosen, seats)

    def determinise(self, observation: Observation[Move], rng: Random) -> Round[Move]:
        """A full position that fits the observation, with the hidden cards dealt at random among their places."""
        unseen = Counter(self.pack(observation.seats))
        unseen.subtract(card for zone in observation.zones for card in zone.known)
        pool = list((+unseen).elements())
        rng.shuffle(pool)
        zones = [zone._replace(cards=[pool.pop() if card == HIDDEN else card for card in zone.cards]) for zone in observation.zones]
        return self.position(observation.seats, observation.options, nest(zones) | dict(observation.counters), observation.facts)

    # --- what is the same for every game ---

    def dealer_and_start(self, seats: int, before: Round[Any] | None, first: int) -> tuple[int | None, int]:
        """Who deals (None when nobody does) and who starts in a fresh round; `before` and `first` as in `opening`."""
        if not self.has_dealer:
            return None, first if before is None else (before.start + 1) % seats
        dealer = first if before is None or before.dealer is None else (before.dealer + 1) % seats
        return dealer, (dealer + 1) % seats

    def best(self, totals: Sequence[int]) -> list[int]:
        """The seats with the best total; several when it is shared."""
        top = min(totals) if self.low_wins else max(totals)
        return [seat for seat, total in enumerate(totals) if total == top]

    def __repr__(self) -> str:
        return f'<game {self.id}>'
