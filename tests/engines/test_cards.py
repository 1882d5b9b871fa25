from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from hashlib import shake_256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.engines.cards import CARDS, deal_hands, drawn, normal, read_cards, shuffled


def known(numbers: Iterable[int]) -> str:
    return ' '.join(map(str, numbers))


# --- shuffling --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('count', 'seed', 'label', 'order'), [
    (10, 'seed', 0, '1 5 8 6 3 2 7 0 9 4'),
    (10, 'seed', 1, '6 2 9 3 5 8 1 4 0 7'),
    (5, 'Superman ♠', 'deal', '1 0 4 2 3'),
    (1, '', '', '0'),
    (0, '', '', ''),
])  # fmt: skip
def test_known_orders(count: int, seed: str, label: str | int, order: str) -> None:
    """What these seeds give, for ever: the deals of old matches stand on it."""
    assert known(shuffled(range(count), seed, label)) == order


def test_known_draws() -> None:
    assert (drawn(4, 'seed', 'dealer'), drawn(5, 'x', 'dealer'), drawn(1_000_000, 'seed', 'start')) == (1, 0, 985_260)


def by_hand(bits: str) -> Fraction:
    """A double-precision number from its 64 bits, by the definition of IEEE 754."""
    sign, exponent, fraction = int(bits[0]), int(bits[1:12], 2), Fraction(int(bits[12:], 2), 2**52)
    size = (1 + fraction) * Fraction(2) ** (exponent - 1023) if exponent else fraction * Fraction(2) ** -1022
    return -size if sign else size


@given(st.lists(st.integers(0, 20), max_size=60), st.text(st.characters(codec='utf-8')), st.integers(0, 99))
def test_the_order_can_be_found_without_this_program(cards: list[int], seed: str, label: int) -> None:
    """As the head of the module describes it, with nothing but whole numbers."""
    digest = shake_256(f'{seed}/{label}'.encode()).digest(8 * len(cards))
    bits = ''.join(f'{byte & 0b10111111:08b}' for byte in digest)
    numbers = [by_hand(bits[at : at + 64]) for at in range(0, len(bits), 64)]
    assert shuffled(cards, seed, label) == [cards[place] for place in sorted(range(len(cards)), key=numbers.__getitem__)]


@given(st.lists(st.integers(0, 9)), st.text(st.characters(codec='utf-8')), st.text(st.characters(codec='utf-8')))
def test_a_shuffle_keeps_the_cards_and_its_word(cards: list[int], seed: str, label: str) -> None:
    before = cards[:]
    order = shuffled(cards, seed, label)
    random.seed(len(order))
    random.random()
    assert cards == before
    assert Counter(order) == Counter(cards)
    assert shuffled(cards, seed, label) == order


def test_a_seed_and_a_label_do_not_run_together() -> None:
    orders = [known(shuffled(range(36), seed, label)) for seed, label in [('a', 1), ('a', 11), ('a1', 1), ('b', 1), ('a', 'x')]]
    assert len(set(orders)) == len(orders)


def far_off(found: Counter[object], places: int) -> float:
    """Chi-square for equally likely places, in standard deviations from what is to be expected."""
    expected = found.total() / places
    missing = (places - len(found)) * expected
    chi_square = sum((times - expected) ** 2 / expected for times in found.values()) + missing
    return (chi_square - (places - 1)) / (2 * (places - 1)) ** 0.5


def test_all_orders_are_equally_likely() -> None:
    found: Counter[object] = Counter(known(shuffled(range(5), 'orders', number)) for number in range(24_000))
    assert len(found) == 120
    assert abs(far_off(found, 120)) < 4


def test_every_card_comes_to_every_place() -> None:
    found: Counter[object] = Counter(
        (place, card) for number in range(1_500) for place, card in enumerate(shuffled(range(52), 'places', number))
    )
    assert abs(far_off(found, 52 * 52)) < 4


def test_neighbours_are_strangers() -> None:
    found: Counter[object] = Counter()
    for number in range(1_500):
        order = shuffled(range(36), 'neighbours', number)
        found.update(pairwise(order))
    assert abs(far_off(found, 36 * 35)) < 4


def test_every_draw_is_equally_likely() -> None:
    found: Counter[object] = Counter(drawn(7, f'match {number}', 'dealer') for number in range(7_000))
    assert abs(far_off(found, 7)) < 4


# --- dealing ----------------------------------------------------------------------------------------------------------


def test_cards_are_dealt_one_at_a_time_from_the_starting_seat() -> None:
    assert deal_hands([*range(10)], 3, 2) == [[0, 3], [1, 4], [2, 5]]
    assert deal_hands([*range(10)], 3, 3, start=2) == [[1, 4, 7], [2, 5, 8], [0, 3, 6]]


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(('typed', 'card'), [
    ('TH', 'TH'), ('10h', 'TH'), ('th', 'TH'), ('♥10', 'TH'), ('h10', 'TH'), ('10 ♥', 'TH'), ('T♡', 'TH'), ('10♥️', 'TH'), ('１０Ｈ', 'TH'),
    ('QS', 'QS'), ('q♠', 'QS'), ('♤q', 'QS'), ('a♣', 'AC'), (' ♦ 2 ', '2D'), ('3♢', '3D'), ('♧K', 'KC'),
])  # fmt: skip
def test_a_card(typed: str, card: str) -> None:
    assert [CARDS[found] for found in read_cards(typed) or []] == [card]


@pytest.mark.parametrize('typed', ['', ' ', 'X', '1H', '11H', '0H', 'TH TH', 'T', 'H', 'HH', '10', '♥', 'THX', 'joker', '10h' * 2000])
def test_not_just_one_card(typed: str) -> None:
    assert len(read_cards(typed) or []) != 1


@pytest.mark.parametrize(('typed', 'cards'), [
    ('3♠,4♠', '3S 4S'), ('3s 4s', '3S 4S'), ('3s4s', '3S 4S'), ('3s, 4s ; 5s', '3S 4S 5S'), ('10h+10d', 'TH TD'), ('♥10♦10', 'TH TD'),
    ('TS', 'TS'), ('', ''), (' , ', ''), ('3S 3S', '3S 3S'), ('s3 4s', '3S 4S'),
])  # fmt: skip
def test_several_cards(typed: str, cards: str) -> None:
    found = read_cards(typed)
    assert found is not None
    assert ' '.join(CARDS[card] for card in found) == cards


@pytest.mark.parametrize('typed', ['3s x', '3s4', '3s-4s', '3s.4s', 'three of spades', '3s' * 2000 + '!'])
def test_not_several_cards(typed: str) -> None:
    assert read_cards(typed) is None


@given(st.text())
def test_any_text_can_be_asked_for_cards(typed: str) -> None:
    cards = read_cards(typed)
    assert cards is None or set(cards) <= set(range(52))
    assert normal(normal(typed)) == normal(typed)


@given(st.lists(st.integers(0, 51)))
def test_what_is_written_can_be_read(cards: list[int]) -> None:
    for between in (' ', ',', ''):
        assert read_cards(between.join(CARDS[card] for card in cards)) == cards
