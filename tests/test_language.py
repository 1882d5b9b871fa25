"""Cards, seats and moves in the sentences about events and refusals."""

from __future__ import annotations

from typing import Any, cast

import pytest

from bot.engines import games
from bot.engines.base import Event, IllegalMoveError
from bot.ui.language import Language

from .tables.evening import ANN, BOB


class Spoken(Language):
    """Says the key and what a text of it could name."""

    def __call__(self, key: str, /, **params: Any) -> str:
        return f'{key} {params}'

    def has(self, key: str) -> bool:
        return False


class View:
    def card(self, card: int, language: Language) -> str:
        return f'<{card}>'


class Thing:
    """As much of a table as a sentence needs."""

    game = games()['superman']

    def name(self, seat: int) -> str:
        return (ANN, BOB)[seat].name


SPOKEN, TABLE = Spoken('en', cast(Any, {'superman': View()})), cast(Any, Thing())


@pytest.mark.parametrize(('params', 'said'), [
    ({'card': 3}, {'card': '<3>'}),
    ({'new_card': 3, 'old_card': 4}, {'new_card': '<3>', 'old_card': '<4>'}),
    ({'card': 3, 'top': 4}, {'card': '<3>', 'top': '<4>'}),
    ({'cards': [1, 2], 'thrown_cards': [5]}, {'cards': '<1>, <2>', 'thrown_cards': '<5>'}),
    ({'seat': 1, 'other_seat': 0}, {'seat': BOB.name, 'other_seat': ANN.name}),
    ({'moves': ['play B1', 'draw']}, {'moves': '`play B1`, `draw`'}),
    ({'n': 3, 'slot': 1, 'stall': 'T0', 'points': 9}, {'n': 3, 'slot': 1, 'stall': 'T0', 'points': 9}),
])  # fmt: skip
def test_a_sentence_can_name_several_cards_and_seats(params: dict[str, Any], said: dict[str, Any]) -> None:
    assert SPOKEN.event(TABLE, Event('swapped', None, params)) == f'superman.event.swapped { {"player": ""} | said }'
    error = IllegalMoveError('not-held', **params)
    assert SPOKEN.refusal(error, TABLE).splitlines()[0] == f'superman.reason.not-held {said}'
