from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.tables.ratings import placing_points, rate

places = st.lists(st.integers(1, 11), min_size=2, max_size=11)


def test_two_new_players() -> None:
    """The figures of algorithm 1 for two new players, worked out by hand: c² = 2 (σ² + β²), with σ = 25/3 and β = 25/6."""
    sigma, beta = 25 / 3, 25 / 6
    tau = 25 / 300
    variance = sigma**2 + tau**2
    c = (2 * (variance + beta**2)) ** 0.5
    gain = variance / c * (1 - 0.5)
    winner, loser = rate([None, None], [1, 2])
    assert winner.mu == pytest.approx(25 + gain)
    assert loser.mu == pytest.approx(25 - gain)
    assert winner.ordinal == pytest.approx(winner.mu - 3 * winner.sigma)


def test_an_upset_moves_more_than_a_win_that_was_expected() -> None:
    strong, weak = (32.0, 3.0), (18.0, 3.0)
    expected = rate([strong, weak], [1, 2])
    upset = rate([strong, weak], [2, 1])
    assert strong[0] - upset[0].mu > expected[0].mu - strong[0] > 0


def test_who_shares_a_place_shares_the_change() -> None:
    first, also_first, last = rate([None, None, None], [1, 1, 3])
    assert first == also_first
    assert first.mu > 25 > last.mu


def test_only_the_order_of_the_places_counts() -> None:
    assert rate([None, (30, 2), None], [1, 2, 2]) == rate([None, (30, 2), None], [4, 9, 9])


@given(places)
def test_better_places_give_better_ratings_and_everyone_gets_more_certain(places: list[int]) -> None:
    rated = rate([None] * len(places), places)
    assert all(player.sigma < 25 / 3 for player in rated)
    for player, place in zip(rated, places, strict=True):
        for other, worse in zip(rated, places, strict=True):
            if place < worse:
                assert player.mu > other.mu


@pytest.mark.parametrize(('ratings', 'places'), [([None], [1]), ([None, None], [1]), ([], [])])
def test_no_match(ratings: list[None], places: list[int]) -> None:
    with pytest.raises(ValueError, match='two players'):
        rate(ratings, places)


def test_points_count_the_opponents_one_has_beaten() -> None:
    assert placing_points([1, 2, 3, 4]) == [3, 2, 1, 0]
    assert placing_points([2, 1, 2]) == [0, 2, 0]
    assert placing_points([1, 1]) == [0, 0]


@given(places)
def test_points_are_one_for_every_pair_that_did_not_tie(places: list[int]) -> None:
    pairs = sum(a != b for number, a in enumerate(places) for b in places[number + 1 :])
    assert sum(placing_points(places)) == pairs
