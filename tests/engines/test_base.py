"""The small values that every game is made of."""

from __future__ import annotations

import pytest

from bot.engines import games
from bot.engines.base import HIDDEN, Zone, nest, param_kind
from bot.engines.match import Match


def test_zones_in_the_shape_of_a_record() -> None:
    zones = [
        Zone('hands', 0, [1, 2], (0,)), Zone('hands', 1, [], (1,)),
        Zone('piles', 'A', [3], None), Zone('piles', 'B', [None, 4], None),
        Zone('stock', None, [5, 6], ()),
    ]  # fmt: skip
    assert nest(zones) == {'hands': [[1, 2], []], 'piles': {'A': [3], 'B': [None, 4]}, 'stock': [5, 6]}


@pytest.mark.parametrize(('at', 'shape'), [(0, [[1, None, 2, 3]]), ('A', {'A': [1, None, 2, 3]}), (None, [1, None, 2, 3])])
def test_parts_of_a_zone_that_others_see_are_one_list(at: int | str | None, shape: object) -> None:
    zones = [Zone('row', at, (1, None), None), Zone('row', at, [2], ()), Zone('row', at, [3], (0,))]
    assert nest(zones) == {'row': shape}


def test_parts_of_a_zone_need_not_follow_each_other() -> None:
    zones = [Zone('row', 0, [1], None), Zone('row', 1, [2], None), Zone('row', 0, [3], ()), Zone('row', 1, [4], ())]
    assert nest(zones) == {'row': [[1, 3], [2, 4]]}
    assert [list(zone.cards) for zone in zones] == [[1], [2], [3], [4]], 'the zones keep their own lists'


def test_known_cards_are_there_and_can_be_seen() -> None:
    assert Zone('row', 0, [0, None, HIDDEN, 7, 0], None).known == [0, 7, 0]
    observation = Match(games()['superman'], 2, {}, 'seed').round.observation(1)
    assert observation.known('hands', 1) == list(observation.cards('hands', 1)) == observation.zone('hands', 1).known
    assert len(observation.known('hands', 1)) == 7
    assert observation.known('hands', 0) == observation.known('stock') == []
    for name, at in (('hands', None), ('hands', 2), ('deck', None)):
        with pytest.raises(KeyError):
            observation.known(name, at)


@pytest.mark.parametrize(('name', 'kind'), [
    ('card', 'card'), ('top', 'card'), ('new_card', 'card'), ('old_top', 'card'), ('cards', 'cards'), ('thrown_cards', 'cards'),
    ('seat', 'seat'), ('other_seat', 'seat'), ('moves', 'moves'), ('n', ''), ('stop', ''), ('discard', ''), ('cards_left', ''), ('', ''),
])  # fmt: skip
def test_the_name_of_a_parameter_says_what_it_holds(name: str, kind: str) -> None:
    assert param_kind(name) == kind
