"""What every card game here is made of: the game, its round, the match, and what a seat may see of them.

A *round* is one deal, held in one mutable object; a *match* strings rounds together to its winners. A *move* is a small
hashable value that only the game's own file understands (an int or a tuple); outside it travels as text
(`Round.format_move`, `Round.parse_move`). A *card* is an int that names a kind of card: two cards that look alike are
the same int, so the pack is a multiset.

`Round.legal_moves` is the only truth about legality. `Round.apply` trusts its caller, because playouts call it millions
of times; everything that comes from people, files or the database goes through `Round.check` first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Final, NamedTuple

Move = Any
"""A small hashable value, which only the game's own file understands."""
Options = Mapping[str, Any]
Zones = dict[str, Any]
"""Zones as in a record, with ints for cards: `{'hands': [[…], […]], 'stock': […], 'chips': […], …}`."""

HIDDEN = -1
"""Stands in an observation for a card that the viewer may not see."""

SEATS: Final = 'seats'
"""As the default of an option: as many as there are seats."""


# --- refusals -------------------------------------------------------------------------------------------------------


class MoveError(ValueError):
    """A move is refused, and nothing has changed. `code` names the reason, `params` what its text speaks of.

    Parameters called `card`, `top` or `cards` hold cards, `seat` a seat, `moves` moves in canonical text; other values are
    numbers or plain words. The text of the reason is looked up outside (`<game>.reason.<code>`, or `reason.<code>` for
    the reasons that all games share).
    """

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class UnreadableMoveError(MoveError):
    """The text is no move of this game."""


class IllegalMoveError(MoveError):
    """The rules forbid the move in this position."""


class NotYourTurnError(MoveError):
    """Another seat has to decide first."""


class RoundOverError(MoveError):
    """The round, or the whole match, has ended."""


class OptionError(ValueError):
    """A game has no such option, or the option cannot have this value. `code` and `params` as in `MoveError`."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(f'{code}: {params}')
        self.code = code
        self.params = params


# --- small values ---------------------------------------------------------------------------------------------------


class Zone(NamedTuple):
    """One place where cards lie. Together a round's zones hold every card of the pack exactly once."""

    name: str
    """The zone's key in a record: `hands`, `stock`, …"""
    at: int | str | None
    """The seat it belongs to (0-based), the name of a stall, or None when there is only one such zone."""
    cards: Sequence[int | None]
    """In the order of the record format; None is a place without a card. In an observation `HIDDEN` cards."""
    seen_by: tuple[int, ...] | None
    """The seats that may see the cards; None for everyone, spectators included."""


class Event(NamedTuple):
    """Something that people at the table saw happen. `kind` has a text `<game>.event.<kind>`; `params` as in `MoveError`."""

    kind: str
    seat: int | None
    params: Mapping[str, Any]
    seen_by: tuple[int, ...] | None = None
    """None for everyone; else the seats that may be told."""


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule that a table may choose: a number from `low` to `high`, or one of `choices`."""

    name: str
    default: int | str | None
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    nullable: bool = False
    """None may be chosen too (the rule is off)."""

    def check(self, value: Any) -> None:
        """Raises OptionError (`option-number`, `option-choice`) for a value that this option cannot have."""
        if value is None and self.nullable:
            return
        if self.choices:
            if value not in self.choices:
                raise OptionError('option-choice', option=self.name, choices=', '.join(self.choices))
        elif isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise OptionError('option-number', option=self.name, low=self.low, high=self.high)


def nest(zones: Sequence[Zone]) -> Zones:
    """The zones in the shape of a record: lists by seat, objects by stall, or the cards themselves.

    What lies in one place but is not seen by the same people is two zones with the same name, and one list here.
    """
    out: Zones = {}
    for zone in zones:
        if zone.at is None:
            out.setdefault(zone.name, []).extend(zone.cards)
        elif isinstance(zone.at, int):
            out.setdefault(zone.name, []).append(list(zone.cards))
        else:
            out.setdefault(zone.name, {})[zone.at] = list(zone.cards)
    return out


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat (or, with `viewer` None, a spectator) may know of a round at this moment."""

    game: Game
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
    """The viewer's legal moves; empty for everyone but the seat to move."""

    def cards(self, name: str, at: int | str | None = None) -> Sequence[int | None]:
        """The cards of one zone; raises KeyError when there is no such zone."""
        for zone in self.zones:
            if zone.name == name and zone.at == at:
                return zone.cards
        raise KeyError((name, at))


# --- a round --------------------------------------------------------------------------------------------------------


class Round(ABC):
    """One deal of one game. Subclasses have `__slots__` and keep these attributes:"""

    __slots__ = ()

    game: ClassVar[Game]
    seats: int
    options: Options
    start: int
    """The seat of the first decision."""
    dealer: int | None
    turn: int
    """The seat that decides next; undefined once the round is over."""
    over: bool
    points: list[int]
    """Each seat's points for this round; filled when the round is over."""
    reason: str
    """Why the round ended: `out`, `blocked`, `instant`, `deck` or `stall`; empty while it runs."""

    @abstractmethod
    def legal_moves(self) -> Sequence[Move]:
        """Every legal move of the seat to move, each once, in a stable order; never empty while the round runs.

        Where moves differ only in something that can never matter for legality (Thirteen: the suits below the top card), one
        of them stands for all; `exact_moves` lists them all. The caller must not change the list.
        """

    def exact_moves(self) -> Sequence[Move]:
        """Every legal move, also those that `legal_moves` lets one stand for. This is what a record lists."""
        return self.legal_moves()

    def is_legal(self, move: Move) -> bool:
        """Whether the seat to move may do this; True exactly for the moves of `exact_moves`."""
        return move in self.legal_moves()

    @abstractmethod
    def apply(self, move: Move, events: list[Event] | None = None) -> None:
        """Plays a legal move in place, without checking it. What was to be seen is appended to `events` if given."""

    def dealt(self) -> list[Event]:
        """What was to be seen at the deal, before the first decision; asked of a freshly dealt round, and nothing in most games."""
        return []

    @abstractmethod
    def why_not(self, move: Move) -> IllegalMoveError:
        """The rule that forbids this move here. Asked only for moves that are not legal; its code is one of `Game.reasons`."""

    @abstractmethod
    def default_move(self) -> Move:
        """The legal move that is made for a player whose time is up: harmless, and the same for everyone."""

    @abstractmethod
    def copy(self) -> Round:
        """An independent round in the same position."""

    @abstractmethod
    def zones(self) -> list[Zone]:
        """Every zone, by name and then by seat; hands in card order. The lists belong to the caller."""

    def counters(self) -> dict[str, Any]:
        """What a record's zones hold besides cards (chips, pot); plain numbers, public."""
        return {}

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The rest of the position beside the zones: public, plain values. `turn`, `start` and `dealer` are always there.

        `Game.position(seats, options, nest(zones()) | counters(), facts())` gives an equal round.
        """

    @staticmethod
    @abstractmethod
    def format_move(move: Move) -> str:
        """The move's canonical text, as in a record."""

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Reads a move, wide: case, order, commas and symbols do not matter, and a card alone is a play where that is clear.

        The move need not be legal. Raises UnreadableMoveError (code `unreadable`, or one of `Game.reasons`). For every move of
        every position `parse_move(format_move(move)) == move`. Text may be hostile: any length, any character.
        """

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

    def observation(self, viewer: int | None) -> Observation:
        """What a seat, or a spectator (None), may know now."""
        seen = tuple(
            zone
            if zone.seen_by is None or viewer in zone.seen_by
            else zone._replace(cards=tuple(None if card is None else HIDDEN for card in zone.cards))
            for zone in self.zones()
        )
        mine = not self.over and viewer == self.turn
        return Observation(
            self.game,
            self.seats,
            self.options,
            viewer,
            self.turn,
            self.over,
            seen,
            self.counters(),
            self.facts(),
            tuple(self.legal_moves()) if mine else (),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Round):
            return NotImplemented
        return (self.game.id, self.seats, dict(self.options), self.over, self.points, self.reason) == (
            other.game.id,
            other.seats,
            dict(other.options),
            other.over,
            other.points,
            other.reason,
        ) and (self.zones(), self.counters(), self.facts()) == (other.zones(), other.counters(), other.facts())

    __hash__ = None  # type: ignore[assignment]


# --- a game ---------------------------------------------------------------------------------------------------------


class Game(ABC):
    """The rules of one game, without any position: seats, options, cards, how to deal, when a match is over."""

    id: ClassVar[str]
    seats: ClassVar[range]
    """The seat counts that can be played."""
    usual_seats: ClassVar[range]
    """The seat counts that a table takes unless it is opened for more; a part of `seats`."""
    options: ClassVar[tuple[Option, ...]] = ()
    low_wins: ClassVar[bool]
    """Whether the lowest total wins."""
    sections: ClassVar[tuple[str, ...]]
    """The paragraphs of the rules, in reading order; texts `<id>.rules.<section>.title` and `.body`."""
    reasons: ClassVar[Mapping[str, str]]
    """Every reason for which a move of this game can be refused -> the paragraph of the rules that says so."""

    @abstractmethod
    def pack(self, seats: int) -> list[int]:
        """Every card of the pack for that many seats, in order."""

    @abstractmethod
    def card_text(self, card: int) -> str:
        """The card as a record writes it."""

    @abstractmethod
    def card(self, text: str) -> int:
        """The inverse of `card_text`, exact. Raises KeyError for any other text."""

    @abstractmethod
    def deal(self, seats: int, options: Options, seed: str, number: int, before: Round | None) -> Round:
        """Round `number` (from 0) of the match with this seed; `before` is the round that has just ended.

        The cards depend on seed and number alone (`cards.shuffled`), who deals or starts also on `before`.
        """

    @abstractmethod
    def position(self, seats: int, options: Options, zones: Zones, facts: Mapping[str, Any]) -> Round:
        """Any position, from `nest(zones()) | counters()` and `facts()`; facts that are left out have their opening value.

        Zones may hold fewer cards than the pack, and zones that are left out are empty: tests use small positions.
        """

    @abstractmethod
    def opening_facts(self, seats: int, options: Options, zones: Zones, number: int, before: Round | None, first: int) -> dict[str, Any]:
        """The facts of a freshly dealt round, from its zones; `first` is the seat drawn for round 0 (the dealer, or where
        there is none the starting seat)."""

    def opening(self, seats: int, options: Options, zones: Zones, number: int, before: Round | None, first: int) -> Round:
        """A freshly dealt round, from a record's zones. Equal to `deal` when the zones are those of the deal.

        Raises ValueError when no deal can give such zones, though they hold the whole pack.
        """
        return self.position(seats, options, zones, self.opening_facts(seats, options, zones, number, before, first))

    @abstractmethod
    def winners(self, match: Match) -> list[int]:
        """Asked after every round: the seats that have won the match, or nothing while it goes on."""

    @abstractmethod
    def greedy(self, observation: Observation) -> Move:
        """A legal move by plain sense, from what the seat to move can see; the simple computer player."""

    def full_options(self, chosen: Options, seats: int | None = None) -> dict[str, Any]:
        """All options with their values, in order. Raises OptionError for an unknown option or a value it cannot have.

        While the number of seats is not known yet (None), options that take their default from it and are not chosen stay out.
        """
        known = {option.name: option for option in self.options}
        for name, value in chosen.items():
            if name not in known:
                raise OptionError('option-unknown', option=name, choices=', '.join(known))
            known[name].check(value)
        values: dict[str, Any] = {}
        for option in self.options:
            if option.name in chosen:
                values[option.name] = chosen[option.name]
            elif option.default != SEATS:
                values[option.name] = option.default
            elif seats is not None:
                values[option.name] = seats
        return values

    def determinise(self, observation: Observation, rng: Random) -> Round:
        """A full position that fits the observation, the hidden cards dealt at random among their places."""
        unseen = Counter(self.pack(observation.seats))
        unseen.subtract(card for zone in observation.zones for card in zone.cards if card is not None and card != HIDDEN)
        pool = list((+unseen).elements())
        rng.shuffle(pool)
        dealt = [zone._replace(cards=[pool.pop() if card == HIDDEN else card for card in zone.cards]) for zone in observation.zones]
        return self.position(observation.seats, observation.options, nest(dealt) | dict(observation.counters), observation.facts)

    def best(self, totals: Sequence[int]) -> list[int]:
        """The seats with the best total; several when it is shared."""
        top = min(totals) if self.low_wins else max(totals)
        return [seat for seat, total in enumerate(totals) if total == top]

    def __repr__(self) -> str:
        return f'<game {self.id}>'


# --- a match --------------------------------------------------------------------------------------------------------


class Match:
    """A match of any game: it keeps the totals, deals round after round, and knows when it is over.

    A match never deals by itself: when `round.over` and not `over`, the owner calls `next_round`. (A round can be over as soon
    as it is dealt.)
    """

    __slots__ = ('game', 'seats', 'options', 'seed', 'number', 'round', 'totals', 'winners')

    def __init__(self, game: Game, seats: int, options: Options, seed: str) -> None:
        """Deals round 0. Raises OptionError (also `seats`, for a seat count that cannot be played)."""
        if seats not in game.seats:
            raise OptionError('seats', low=game.seats[0], high=game.seats[-1])
        self.game = game
        self.seats = seats
        self.options: Options = game.full_options(options, seats)
        self.seed = seed
        self.number = 0
        self.totals = [0] * seats
        self.winners: list[int] = []
        self.round = self._deal(None)
        self._settle()

    @property
    def over(self) -> bool:
        """Whether the match has ended; then `winners` are its winners."""
        return bool(self.winners)

    def apply(self, move: Move, events: list[Event] | None = None) -> None:
        """Plays a legal move without checking it; when it ends the round, the totals and winners are brought up to date."""
        self.round.apply(move, events)
        if self.round.over:
            self._settle()

    def play(self, seat: int, move: Move) -> list[Event]:
        """Checks and plays a move; raises as `Round.check` does, and then nothing has changed."""
        events = self.round.play(seat, move)
        if self.round.over:
            self._settle()
        return events

    def next_round(self) -> None:
        """Deals the next round. Raises RoundOverError when the match is over, and ValueError while a round runs."""
        if self.winners:
            raise RoundOverError('match-over')
        if not self.round.over:
            raise ValueError('the round is still going on')
        self.number += 1
        self.round = self._deal(self.round)
        self._settle()

    def copy(self) -> Match:
        """An independent match in the same position."""
        twin = Match.__new__(Match)
        twin.game, twin.seats, twin.options, twin.seed = self.game, self.seats, self.options, self.seed
        twin.number, twin.round, twin.totals, twin.winners = self.number, self.round.copy(), self.totals[:], self.winners
        return twin

    def _deal(self, before: Round | None) -> Round:
        """Round `number`; a record's replay deals otherwise."""
        return self.game.deal(self.seats, self.options, self.seed, self.number, before)

    def _settle(self) -> None:
        if self.round.over:
            self.totals = [total + points for total, points in zip(self.totals, self.round.points, strict=True)]
            self.winners = self.game.winners(self)
