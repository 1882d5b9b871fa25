"""Results, standings, ratings and profiles; on every kind of database."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from bot.storage import ALL_GAMES, EVERYWHERE, GameProfile, Order, PastResult, Rating, Result, Standing, Store, periods

from .values import ANN, BOB, CAT, CHANNEL, GUILD, NIGHT, finish, playing, ratings, results


@pytest.mark.parametrize(
    ('moment', 'expected'),
    [
        ('2026-11-25T12:00', ('all', '2026', '2026-11', '2026-W48')),
        ('2026-12-31T23:59:59.9', ('all', '2026', '2026-12', '2026-W53')),
        ('2027-01-01T00:00', ('all', '2027', '2027-01', '2026-W53')),
        ('2024-12-30T00:00', ('all', '2024', '2024-12', '2025-W01')),
        ('2026-03-02T00:00', ('all', '2026', '2026-03', '2026-W10')),
    ],
)
def test_periods_are_years_months_and_iso_weeks_in_utc(moment: str, expected: tuple[str, ...]) -> None:
    assert periods(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()) == expected


class Night:
    """Plays matches of two and keeps count, in its own way, of what the leaderboards should say."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.channel = CHANNEL
        self.matches: Counter[tuple[int, str, str, int]] = Counter()
        self.wins: Counter[tuple[int, str, str, int]] = Counter()
        self.points: Counter[tuple[int, str, str, int]] = Counter()

    async def match(
        self, winner: int, loser: int, *, guild_id: int = GUILD, game: str = 'superman', at: float = NIGHT, rated: Sequence[Rating] = ()
    ) -> int:
        self.channel += 1
        table_id = await playing(self.store, self.channel, guild_id=guild_id, game=game)
        await self.store.finish(finish(table_id, at=at, results=results(winner, loser), ratings=rated))
        for user_id in (winner, loser):
            for where in (guild_id, EVERYWHERE):
                for which in (game, ALL_GAMES):
                    for period in periods(at):
                        line = where, which, period, user_id
                        self.matches[line] += 1
                        self.wins[line] += user_id == winner
                        self.points[line] += 2 if user_id == winner else 0.5  # type: ignore[assignment]
        return table_id

    def expected(self, guild_id: int, game: str, period: str, by: Order) -> list[Standing]:
        lines = [line for line in self.matches if line[:3] == (guild_id, game, period)]
        counted = self.wins if by == 'wins' else self.points
        standings = []
        for line in lines:
            rank = 1 + sum(counted[other] > counted[line] for other in lines)
            standings.append(Standing(rank, line[3], None, self.matches[line], self.wins[line], self.points[line], None))
        return sorted(standings, key=lambda standing: (standing.rank, -standing.user_id))


async def test_every_leaderboard_counts_every_match_once(store: Store) -> None:
    rng = random.Random(5)
    night = Night(store)
    for _ in range(30):
        winner, loser = rng.sample(range(1, 9), 2)
        await night.match(
            winner,
            loser,
            guild_id=rng.choice([GUILD, GUILD + 1]),
            game=rng.choice(['superman', 'swoop']),
            at=NIGHT + rng.choice([0, 8, 400]) * 86_400,
        )
    boards = {line[:3] for line in night.matches}
    assert len(boards) > 60
    for guild_id, game, period in boards:
        for by in ('wins', 'points'):
            expected = night.expected(guild_id, game, period, by)
            assert await store.leaderboard(guild_id, game, period, by, limit=100) == (expected, len(expected))
            pages = [await store.leaderboard(guild_id, game, period, by, offset=offset, limit=3) for offset in range(0, len(expected), 3)]
            assert [standing for page, _ in pages for standing in page] == expected
            assert [await store.my_rank(guild_id, game, period, by, standing.user_id) for standing in expected] == expected


async def test_a_leaderboard_nobody_stands_on_is_empty(store: Store) -> None:
    assert await store.leaderboard(GUILD, 'superman', 'all', 'wins') == ([], 0)
    assert await store.my_rank(GUILD, 'superman', 'all', 'wins', ANN) is None
    night = Night(store)
    await night.match(ANN, BOB)
    assert await store.leaderboard(GUILD, 'superman', '1999', 'wins') == ([], 0)
    assert await store.leaderboard(GUILD, 'superman', 'all', 'rating') == ([], 0)
    assert await store.leaderboard(GUILD, 'superman', 'all', 'wins', offset=10) == ([], 2)
    assert await store.my_rank(GUILD, 'superman', 'all', 'wins', CAT) is None
    assert await store.my_rank(GUILD, 'superman', 'all', 'rating', ANN) is None


async def test_names_stand_on_the_board(store: Store) -> None:
    await Night(store).match(ANN, BOB)
    await store.remember_person(ANN, 'Ann')
    await store.remember_person(ANN, '*Ann* 🃏')
    standings, _ = await store.leaderboard(GUILD, 'superman', 'all', 'wins')
    assert [standing.name for standing in standings] == ['*Ann* 🃏', None]
    mine = await store.my_rank(EVERYWHERE, ALL_GAMES, 'all', 'points', ANN)
    assert mine
    assert mine.name == '*Ann* 🃏'


async def test_matches_that_do_not_count_leave_only_results(store: Store) -> None:
    table_id = await playing(store)
    await store.finish(finish(table_id, state='abandoned', counts=False))
    assert await store.leaderboard(GUILD, 'superman', 'all', 'wins') == ([], 0)
    profile = await store.profile(BOB, EVERYWHERE)
    assert profile.games == []
    assert profile.last == [PastResult(table_id, GUILD, 'superman', results()[1], NIGHT + 100)]


async def test_computer_players_stand_on_no_board(store: Store) -> None:
    table_id = await playing(store)
    mixed = [*results(rated=False)[:1], Result(1, None, 2, False, 0.0, 40, computer='greedy')]
    await store.finish(finish(table_id, results=mixed))
    standings, count = await store.leaderboard(GUILD, ALL_GAMES, 'all', 'points')
    assert [(standing.user_id, standing.points) for standing in standings] == [(ANN, 2.0)]
    assert count == 1


async def test_ratings_are_kept_by_server_and_game(store: Store) -> None:
    night = Night(store)
    here, everywhere = ratings((ANN, 3.5, 1), (BOB, -1.5, 1)), ratings((ANN, 2.25, 7), guild_id=EVERYWHERE)
    await night.match(ANN, BOB, rated=here + everywhere)
    other = ratings((ANN, 9.0, 1), game='swoop')
    await night.match(ANN, BOB, game='swoop', rated=other)
    assert await store.ratings([GUILD, EVERYWHERE], ['superman'], [ANN, BOB, CAT]) == {
        (GUILD, 'superman', ANN): here[0],
        (GUILD, 'superman', BOB): here[1],
        (EVERYWHERE, 'superman', ANN): everywhere[0],
    }
    mine = await store.ratings({GUILD}, {'superman', 'swoop'}, {ANN})
    assert mine == {(GUILD, 'superman', ANN): here[0], (GUILD, 'swoop', ANN): other[0]}
    assert await store.ratings([], [], []) == {}
    again = ratings((ANN, 4.0, 2))
    await night.match(ANN, BOB, rated=again)
    assert (await store.ratings([GUILD], ['superman'], [ANN]))[GUILD, 'superman', ANN] == again[0]


async def test_the_board_by_rating(store: Store) -> None:
    night = Night(store)
    later = NIGHT + 30 * 86_400
    await night.match(ANN, BOB, rated=ratings((ANN, 6.0, 3), (BOB, 4.0, 5)))
    await night.match(CAT, BOB, rated=ratings((CAT, 4.0, 1), (BOB, 3.0, 6)))
    await night.match(CAT, ANN, at=later, rated=ratings((CAT, 5.0, 2), (ANN, 5.0, 4)))
    await night.match(CAT, ANN, at=later)  # not rated: the rating stays

    async def board(period: str, min_matches: int = 0) -> list[tuple[int, int, float | None]]:
        standings, count = await store.leaderboard(GUILD, 'superman', period, 'rating', min_matches=min_matches)
        assert count == len(standings)
        for standing in standings:
            assert await store.my_rank(GUILD, 'superman', period, 'rating', standing.user_id, min_matches=min_matches) == standing
        return [(standing.rank, standing.user_id, standing.rating) for standing in standings]

    assert await board('all') == [(1, CAT, 5.0), (1, ANN, 5.0), (3, BOB, 3.0)]
    assert await board(periods(NIGHT)[2]) == [(1, ANN, 6.0), (2, CAT, 4.0), (3, BOB, 3.0)]  # as it was when that month ended
    assert await board(periods(later)[2]) == [(1, CAT, 5.0), (1, ANN, 5.0)]
    assert await board('all', 3) == [(1, ANN, 5.0), (2, BOB, 3.0)]
    assert await board('all', 7) == []
    assert await store.my_rank(GUILD, 'superman', 'all', 'rating', CAT, min_matches=3) is None
    assert await store.leaderboard(EVERYWHERE, 'superman', 'all', 'rating') == ([], 0)


async def test_a_profile_tells_games_and_last_results(store: Store) -> None:
    night = Night(store)
    first = await night.match(ANN, BOB, rated=ratings((ANN, 1.5, 1)))
    second = await night.match(BOB, ANN, game='swoop', at=NIGHT + 200)
    third = await night.match(ANN, CAT, guild_id=GUILD + 1, at=NIGHT + 300)
    here = await store.profile(ANN, GUILD)
    assert here.games == [
        GameProfile(ALL_GAMES, 2, 1, 2.5, None, 0),
        GameProfile('superman', 1, 1, 2.0, 1.5, 1),
        GameProfile('swoop', 1, 0, 0.5, None, 0),
    ]
    won, lost = results(ANN, BOB)[0], results(BOB, ANN)[1]
    assert here.last == [PastResult(second, GUILD, 'swoop', lost, NIGHT + 200), PastResult(first, GUILD, 'superman', won, NIGHT)]
    everywhere = await store.profile(ANN, EVERYWHERE, last=1)
    assert everywhere.games[0] == GameProfile(ALL_GAMES, 3, 2, 4.5, None, 0)
    assert everywhere.last == [PastResult(third, GUILD + 1, 'superman', results(ANN, CAT)[0], NIGHT + 300)]
    assert await store.profile(7, GUILD) == type(here)([], [])
