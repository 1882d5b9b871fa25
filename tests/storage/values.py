"""Short ways to make values for the tests."""

from __future__ import annotations

from typing import Any

from bot.storage import Finish, MoveRow, NewTable, Rating, Result, RoundEndRow, SeatRow, Store

GUILD, CHANNEL = 1_100_000_000_000_000_001, 1_100_000_000_000_000_777
ANN, BOB, CAT = 200_000_000_000_000_001, 200_000_000_000_000_002, 9_223_372_036_854_775_807
NIGHT = 1_795_000_000.25  # 2026-11-18, a Wednesday

SEATS = [
    SeatRow(0, ANN, 'Ann', None, 11, 12, {'strikes': 1}),
    SeatRow(1, BOB, 'Bob ✨'),
    SeatRow(2, None, 'Computer', 'greedy'),
]


def new_table(channel_id: int = CHANNEL, **changes: Any) -> NewTable:
    values: dict[str, Any] = {
        'guild_id': GUILD,
        'channel_id': channel_id,
        'game': 'superman',
        'options': {'target': 100, 'superman_followup': 'same', 'mercy': None},
        'host_id': ANN,
        'seats': 5,
        'pace': 'live',
        'at': NIGHT,
    }
    return NewTable(**(values | changes))


def a_move(table_id: int, ply: int, *, round: int = 0, interaction_id: int | None = None, text: str = 'play R2') -> MoveRow:
    return MoveRow(table_id, round, ply, ply % 2, text, interaction_id, 'player', NIGHT + ply)


def round_end(number: int = 0) -> RoundEndRow:
    return RoundEndRow(number, 0, 1, [12, -3], [12, -3], 'out', NIGHT + 60)


def results(winner: int = ANN, loser: int = BOB, rated: bool = True) -> list[Result]:
    return [Result(0, winner, 1, True, 2.0, 12, rated=rated), Result(1, loser, 2, False, 0.5, -3, left=True, rated=rated)]


def ratings(*entries: tuple[int, float, int], guild_id: int = GUILD, game: str = 'superman') -> list[Rating]:
    """By person: id, ordinal, matches."""
    return [Rating(guild_id, game, user_id, 25 + ordinal, 8.25, ordinal, matches) for user_id, ordinal, matches in entries]


def finish(table_id: int, **changes: Any) -> Finish:
    values: dict[str, Any] = {'state': 'finished', 'reason': 'target', 'at': NIGHT + 100, 'results': results()}
    return Finish(table_id, **(values | changes))


async def playing(store: Store, channel_id: int = CHANNEL, **changes: Any) -> int:
    """A table at which a match has begun."""
    table_id = await store.create_table(new_table(channel_id, **changes))
    await store.start_match(table_id, f'seed of {channel_id}', SEATS, at=NIGHT + 1)
    return table_id
