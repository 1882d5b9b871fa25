"""A match of any game: round after round, until the game names its winners."""

from __future__ import annotations

from typing import Any

from .base import Event, Game, Round, RoundOverError
from .options import OptionError, Options


class Match:
    """Keeps the totals, deals round after round, and knows when it is over.

    A match never deals by itself: while `round.over` and not `over`, its user calls `next_round`. (A round can be over as soon
    as it is dealt.) The moves are those of its game, so they are of any type here.
    """

    __slots__ = ('game', 'seats', 'options', 'seed', 'number', 'round', 'totals', 'winners', 'over')

    def __init__(self, game: Game[Any], seats: int, options: Options, seed: str) -> None:
        """Deals round 0. Raises OptionError (also `seats`, for a number of seats that cannot play).

        `over` tells whether the match has ended; then `winners` are its winners.
        """
        if seats not in game.seats:
            raise OptionError('seats', low=game.seats[0], high=game.seats[-1])
        self.game = game
        self.seats = seats
        self.options: Options = game.full_options(options, seats)
        self.seed = seed
        self.number = 0
        self.totals = [0] * seats
        self.winners: list[int] = []
        self.over = False
        self.round: Round[Any] = self._deal(None)
        self._settle()

    def apply(self, move: Any, events: list[Event] | None = None) -> None:
        """Plays a legal move without checking it; when it ends the round, the totals and winners are brought up to date."""
        self.round.apply(move, events)
        if self.round.over:
            self._settle()

    def play(self, seat: int, move: Any) -> list[Event]:
        """Checks and plays a move; returns what was to be seen. Raises as `Round.check` does, and then nothing has changed."""
        events = self.round.play(seat, move)
        if self.round.over:
            self._settle()
        return events

    def after(self, seat: int, move: Any) -> tuple[Match, list[Event]]:
        """The match as it is after a move, and what was to be seen; this match stays as it is. Raises as `play` does."""
        match = self.copy()
        return match, match.play(seat, move)

    def next_round(self) -> None:
        """Deals the next round. Raises RoundOverError when the match is over, and ValueError while a round is still running."""
        if self.over:
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
        twin.number, twin.round, twin.totals = self.number, self.round.copy(), self.totals[:]
        twin.winners, twin.over = self.winners, self.over
        return twin

    def _deal(self, before: Round[Any] | None) -> Round[Any]:
        """Round `number`. The replay of a record overrides this: there the deals come from a file."""
        return self.game.deal(self.seats, self.options, self.seed, self.number, before)

    def _settle(self) -> None:
        if self.round.over:
            self.totals = [total + points for total, points in zip(self.totals, self.round.points, strict=True)]
            self.winners = self.game.winners(self.options, self.totals, self.number + 1, self.round)
            self.over = bool(self.winners)
