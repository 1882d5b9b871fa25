"""Placings to ratings, and to points for the leaderboard.

A rating estimates a player's skill: its mean `mu` and its uncertainty `sigma`, 25 and 25/3 for a new player. The model compares
everyone with everyone else, ties included (Bradley-Terry, full pairs): R. C. Weng and C.-J. Lin, A Bayesian Approximation Method for
Online Ranking, Journal of Machine Learning Research 12 (2011), algorithm 1, https://jmlr.org/papers/v12/weng11a.html, computed by
https://openskill.me. Its Plackett-Luce model (algorithm 4) would rate three who share the first place below the fourth player.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull

_MODEL: Final = BradleyTerryFull()


class Rated(NamedTuple):
    """A player's rating after a match."""

    mu: float
    sigma: float
    ordinal: float
    """What leaderboards sort by and people see: mu - 3 sigma, 0 for a new player; the true skill is higher with 99.7 % certainty."""


def rate(ratings: Sequence[tuple[float, float] | None], places: Sequence[int]) -> list[Rated]:
    """Everyone's rating after a match, in the order given.

    `ratings` are the (mu, sigma) before it, None for a player without a rating; `places` are the places in which they finished: the lowest
    is the best, and equal places are a tie. Raises ValueError unless there are at least two players and as many places.
    """
    if len(ratings) != len(places) or len(ratings) < 2:
        raise ValueError('a match has at least two players, each with a place')
    before = [[_MODEL.rating() if rating is None else _MODEL.rating(mu=rating[0], sigma=rating[1])] for rating in ratings]
    after = _MODEL.rate(before, ranks=[float(place) for place in places])
    return [Rated(player.mu, player.sigma, player.ordinal()) for (player,) in after]


def placing_points(places: Sequence[int]) -> list[int]:
    """Everyone's points for the leaderboard: one for each opponent who finished in a worse place; a tie with somebody gives none."""
    return [sum(other > place for other in places) for place in places]
