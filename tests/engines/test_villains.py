"""Villain capture: every row of its rules, the test positions 003-01 to 003-21, and properties of random hands and games."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from itertools import chain, combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.engines import games
from bot.engines.base import HIDDEN, Event, IllegalMoveError, MoveError, NotYourTurnError, Round, UnreadableMoveError, nest
from bot.engines.match import Match
from bot.engines.options import OptionError
from bot.engines.villains import CARDS, DRAW_DECK, PASS, SKIP, Bonus, VillainsMove, capture_move, missing, printed_points, villain_total
from bot.engines.villains.cards import villain_points
from bot.text import Catalogues

VILLAINS = games()['villains']
TEXTS = Catalogues.load()
PRINTED: list[dict[str, Any]] = json.loads(files('bot.engines.villains').joinpath('cards.json').read_text('utf-8'))['cards']
BY_ID = {row['id']: row for row in PRINTED}

ARMED = 'lex-luthor battle-suit complex-scheme superman justice-league perry-white daily-planet'


def cards(text: str) -> list[int]:
    return [VILLAINS.card(word) for word in text.split()]


def ids(numbers: Any) -> list[str]:
    return [VILLAINS.card_text(number) for number in numbers]


def table(*hands: str, phase: str = 'capture', deck: str = 'perry-white press-contacts', discard: str = '', **rest: Any) -> Round:
    """A position with seat 0 on turn unless `turn` says otherwise. Decks start with the card drawn next, piles with the bottom card."""
    zones: dict[str, Any] = {'hands': [cards(hand) for hand in hands], 'deck': cards(deck), 'discard': cards(discard)}
    zones['prisons'] = [cards(prison) for prison in rest.pop('prisons', [''] * len(hands))]
    for side in ('villain', 'hero'):
        if side in rest:
            zones[side] = cards(rest.pop(side))
    return VILLAINS.position(len(hands), VILLAINS.full_options({}), zones, {'turn': 0, 'phase': phase, **rest})


def play(round_: Round, *moves: str) -> list[Event]:
    """Plays the moves, each for the seat on turn; returns the events, each checked to have a text."""
    events = [event for move in moves for event in round_.play(round_.turn, round_.parse_move(move))]
    for event in events:
        assert TEXTS.get('en', f'villains.event.{event.kind}', player='Ann', **event.params)
    return events


def legal(round_: Round) -> set[str]:
    return {round_.format_move(move) for move in round_.legal_moves()}


def refused(round_: Round, move: str) -> str:
    """The code of the reason why a move is refused; fails when it is not refused, or when the refusal changes anything."""
    return refusal(round_, move).code


def refusal(round_: Round, move: str) -> MoveError:
    before = round_.copy()
    with pytest.raises(MoveError) as error:
        play(round_, move)
    assert round_ == before
    known = 'villains.' if error.value.code in VILLAINS.reasons else ''
    assert TEXTS.get('en', f'{known}reason.{error.value.code}', **error.value.params)
    return error.value


def zone(round_: Round, name: str, seat: int | None = None) -> list[str]:
    zones = nest(round_.zones())
    return ids(zones[name] if seat is None else zones[name][seat])


def seen(round_: Round, viewer: int | None, seat: int) -> bool:
    """Whether the viewer sees that seat's hand."""
    return HIDDEN not in round_.observation(viewer).cards('hands', seat)


def fact(round_: Round, name: str) -> Any:
    return round_.facts()[name]


def by_the_book(side: list[str]) -> int:
    """A villain side's total, read straight from the card list."""
    total = 0
    for name in side:
        total += BY_ID[name]['points']
        bonus = BY_ID[name]['bonus']
        if bonus and any(partner in side for partner in bonus['with']):
            total += bonus['points']
    return total


def total(side: str) -> int:
    return villain_total(cards(side))[0]


def round_in_progress(seats: int, seed: str, rng: Random) -> Round:
    """A round after some random moves from the deal, most draws from the deck so that the game goes on."""
    round_ = Match(VILLAINS, seats, {}, seed).round
    for _ in range(rng.randrange(60 * seats)):
        if round_.over:
            break
        random_move(round_, rng)
    return round_


def random_move(round_: Round, rng: Random) -> Any:
    moves = round_.legal_moves()
    move = moves[0] if moves[0] == DRAW_DECK and rng.random() < 0.9 else rng.choice(moves)
    round_.apply(move)
    return move


# --- the deck -------------------------------------------------------------------------------------------------------


def test_deck_as_listed() -> None:
    lines = Counter(row['type'] for row in PRINTED)
    pack = Counter({kind: sum(row['copies'] for row in PRINTED if row['type'] == kind) for kind in lines})
    points = {kind: sum(row['copies'] * row['points'] for row in PRINTED if row['type'] == kind) for kind in lines}
    assert lines == {'S': 8, 'P': 16, 'E': 7, 'A': 18, 'V': 26, 'O': 15, 'W': 26}
    assert pack == {'S': 10, 'P': 16, 'E': 7, 'A': 18, 'V': 29, 'O': 15, 'W': 26}
    assert points == {'S': 100, 'P': 91, 'E': 47, 'A': 123, 'V': 294, 'O': 104, 'W': 181}
    assert {row['id']: row['copies'] for row in PRINTED if row['copies'] > 1} == {'superman': 3, 'brainiac': 2, 'lex-luthor': 3}


def test_pack_is_the_list_with_its_copies() -> None:
    for seats in VILLAINS.seats:
        assert Counter(ids(VILLAINS.pack(seats))) == Counter({row['id']: row['copies'] for row in PRINTED})


def test_cards_are_as_printed_and_in_the_order_of_move_texts() -> None:
    for card in CARDS:
        row = BY_ID[card.id]
        assert (card.name, card.type, card.points, card.copies, card.special, card.note) == (
            row['name'], row['type'], row['points'], row['copies'], row['special'], row['note'],
        )  # fmt: skip
    assert ids(range(len(CARDS))) == [
        *sorted(card.id for card in CARDS if card.type == 'V'),
        *sorted(card.id for card in CARDS if card.type in 'WO'),
        *sorted(card.id for card in CARDS if card.type in 'SPAE'),
    ]


def test_bonuses_as_printed_with_the_short_names_read() -> None:
    assert {row['id']: (row['bonus']['points'], *row['bonus']['with']) for row in PRINTED if row['bonus']} == {
        'battle-suit': (3, 'lex-luthor', 'colonel-future'),
        'master-mind': (2, 'lex-luthor', 'brainiac'),
        'complex-scheme': (2, 'lex-luthor', 'vandal-savage'),
        'criminal-genius': (2, 'lex-luthor', 'j-wilbur-wolfingham'),
        'shrinking-ray': (2, 'brainiac'),
        'force-field': (2, 'brainiac'),
        'mystic-powers': (2, 'mr-mxyzptlk'),
        'brute-force': (5, 'bizzaro', 'chemo'),
        'destroy-the-earth': (2, 'brainiac'),
        'galactic-rule': (5, 'mongul'),
        'spaceship': (5, 'mongul'),
        'showdown': (5, 'terra-man'),
        'practical-jokes': (6, 'prankster', 'mr-mxyzptlk'),
        'magic-spells': (5, 'lord-satanis-and-syrene', 'blackbriar-thorne'),
        'metallo': (5, 'red-kryptonite', 'green-kryptonite', 'gold-kryptonite'),
        'eternity-trap': (5, 'master-jailor'),
        'mental-blast': (5, 'atomic-skull'),
    }
    assert [row['id'] for row in PRINTED if row['special']] == ['x-ray-vision']


def test_the_rules_name_every_bonus() -> None:
    told = TEXTS.get('en', 'villains.rules.bonus.body')
    for card in CARDS:
        if card.bonus:
            assert f'{card.name} +{card.bonus}: {", ".join(CARDS[partner].name for partner in card.partners)}' in told


def test_misprinted_types_and_spellings_stay_as_printed() -> None:
    assert (BY_ID['brute-force']['type'], BY_ID['chemo']['type']) == ('V', 'W')
    assert {'Bizzaro', 'Smallvile in Peril', 'X–Ray Vision'} <= {row['name'] for row in PRINTED}


# --- the deal -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize('seats', [2, 3, 4, 5, 6])
@pytest.mark.parametrize('hand', [3, 7])
def test_deal(seats: int, hand: int) -> None:
    match = Match(VILLAINS, seats, {'hand': hand}, 'deal')
    zones = nest(match.round.zones())
    assert [len(cards) for cards in zones['hands']] == [hand] * seats
    assert len(zones['deck']) == 121 - seats * hand
    assert (zones['discard'], zones['prisons']) == ([], [[]] * seats)
    assert set(zones) == {'hands', 'deck', 'discard', 'prisons'}
    assert (fact(match.round, 'dealer'), fact(match.round, 'phase')) == (None, 'draw')


def test_seven_cards_are_dealt_by_default() -> None:
    assert VILLAINS.full_options({}) == {'hand': 7}


@pytest.mark.parametrize('hand', [2, 8, None, '7', True])
def test_other_hands_cannot_be_chosen(hand: Any) -> None:
    with pytest.raises(OptionError):
        Match(VILLAINS, 2, {'hand': hand}, 'x')


@pytest.mark.parametrize('seats', [0, 1, 11])
def test_two_to_ten_players(seats: int) -> None:
    assert (VILLAINS.seats, VILLAINS.usual_seats) == (range(2, 11), range(2, 7))
    with pytest.raises(OptionError):
        Match(VILLAINS, seats, {}, 'x')


def test_first_player_is_drawn_at_random() -> None:
    starts = Counter(Match(VILLAINS, 3, {}, f'seed {number}').round.start for number in range(300))
    assert set(starts) == {0, 1, 2}
    assert min(starts.values()) > 60


def test_same_seed_same_deal() -> None:
    assert Match(VILLAINS, 4, {}, 'x').round == Match(VILLAINS, 4, {}, 'x').round
    assert Match(VILLAINS, 4, {}, 'x').round != Match(VILLAINS, 4, {}, 'y').round


def test_cards_are_dealt_one_at_a_time_from_the_first_player() -> None:
    """The same shuffle, dealt to more players, gives the first player the same first card, the next one the next, and so on."""
    round_ = Match(VILLAINS, 3, {'hand': 3}, 'order').round
    start = round_.start
    longer = Match(VILLAINS, 3, {'hand': 4}, 'order').round
    deck = nest(round_.zones())['deck']
    for step in range(3):
        seat = (start + step) % 3
        extra = Counter(nest(longer.zones())['hands'][seat]) - Counter(nest(round_.zones())['hands'][seat])
        assert list(extra) == [deck[step]]


def test_opening_gives_the_dealt_round() -> None:
    dealt = Match(VILLAINS, 4, {}, 'open').round
    assert VILLAINS.opening(4, dealt.options, nest(dealt.zones()), 0, None, dealt.start) == dealt


# --- drawing and discarding -----------------------------------------------------------------------------------------


def test_the_draw_is_mandatory_and_one_card() -> None:
    round_ = table('toyman superspeed', '', phase='draw', discard='heat-vision')
    assert legal(round_) == {'draw deck', 'draw discard heat-vision'}
    assert [refused(round_, move) for move in ('skip', 'pass', 'discard toyman', 'capture toyman | superspeed')] == ['draw-first'] * 4
    play(round_, 'draw deck')
    assert zone(round_, 'hands', 0) == ['toyman', 'perry-white', 'superspeed']
    assert zone(round_, 'deck') == ['press-contacts']
    assert refused(round_, 'draw deck') == 'already-drawn'


def test_only_the_player_sees_the_card_drawn_from_the_deck() -> None:
    events = play(table('', '', phase='draw'), 'draw deck')
    assert [(event.kind, event.seen_by) for event in events] == [('drew', None), ('drew-card', (0,))]
    assert not events[0].params


def test_drawing_the_last_card_is_announced() -> None:
    assert [event.kind for event in play(table('', '', phase='draw', deck='toyman'), 'draw deck')] == ['drew', 'drew-card', 'last-card']


def test_003_15_any_card_of_the_discard_pile_may_be_drawn() -> None:
    deck = ' '.join(row['id'] for row in PRINTED if row['id'] not in ('amazo', 'heat-vision'))
    round_ = table('', '', phase='draw', deck=' '.join(deck.split()[:30]), discard='amazo heat-vision')
    events = play(round_, 'draw discard amazo')
    assert [(event.kind, event.params) for event in events] == [('drew-discard', {'card': VILLAINS.card('amazo')})]
    assert zone(round_, 'hands', 0) == ['amazo']
    assert zone(round_, 'discard') == ['heat-vision']
    assert len(zone(round_, 'deck')) == 30


def test_003_15_with_an_empty_discard_pile_only_the_deck() -> None:
    round_ = table('', '', phase='draw')
    assert legal(round_) == {'draw deck'}
    assert refused(round_, 'draw discard amazo') == 'discard-empty'


def test_two_copies_in_the_discard_pile_are_one_move() -> None:
    round_ = table('', '', phase='draw', discard='brainiac toyman brainiac')
    assert [round_.format_move(move) for move in round_.legal_moves()] == ['draw deck', 'draw discard brainiac', 'draw discard toyman']
    play(round_, 'draw discard brainiac')
    assert sorted(zone(round_, 'discard')) == ['brainiac', 'toyman']


def test_003_16_with_eight_cards_exactly_one_is_discarded() -> None:
    round_ = table('amazo toyman parasite superman kal-el heat-vision superspeed', '', phase='draw', deck='brainiac toyman')
    play(round_, 'draw deck')
    assert fact(round_, 'phase') == 'discard'
    assert refused(round_, 'discard') == 'discard-count'
    assert refused(round_, 'discard amazo toyman') == 'discard-count'
    assert legal(round_) == {f'discard {card}' for card in zone(round_, 'hands', 0)}
    assert len(legal(round_)) == 8
    play(round_, 'discard brainiac')  # the card just drawn
    assert zone(round_, 'discard') == ['brainiac']
    assert len(zone(round_, 'hands', 0)) == 7
    assert fact(round_, 'phase') == 'capture'


def test_003_16_with_six_cards_there_is_nothing_to_discard() -> None:
    round_ = table('amazo toyman parasite superman kal-el', '', phase='draw')
    play(round_, 'draw deck')
    assert fact(round_, 'phase') == 'capture'
    assert [refused(round_, move) for move in ('discard', 'discard amazo')] == ['no-discard', 'no-discard']


def test_copies_of_a_card_are_one_discard() -> None:
    round_ = table('superman superman superman kal-el toyman amazo parasite revenge', '', phase='discard')
    assert len(round_.legal_moves()) == 6


def test_more_than_one_card_to_discard() -> None:
    round_ = table('superman superman superman kal-el toyman amazo parasite revenge match-wits', '', phase='discard')
    hand = sorted(zone(round_, 'hands', 0))
    assert legal(round_) == {f'discard {first} {second}' for first, second in combinations(hand, 2)}
    play(round_, 'discard superman superman')
    assert zone(round_, 'hands', 0).count('superman') == 1


# --- declaring ------------------------------------------------------------------------------------------------------


def test_003_01_the_hero_must_exceed_the_villain_bonuses_included() -> None:
    round_ = table(ARMED, '')
    error = refusal(round_, 'capture lex-luthor battle-suit complex-scheme | justice-league superman')
    assert (error.code, error.params) == ('too-weak', {'hero': 30, 'villain': 34, 'n': 5})
    play(round_, 'capture lex-luthor battle-suit complex-scheme | daily-planet justice-league perry-white superman')
    assert printed_points(cards('superman justice-league perry-white daily-planet')) == 35
    assert zone(round_, 'hands', 0) == []
    assert zone(round_, 'villain') == ['lex-luthor', 'battle-suit', 'complex-scheme']
    assert zone(round_, 'hero') == ['daily-planet', 'justice-league', 'perry-white', 'superman']


def test_003_02_an_equal_total_is_not_enough() -> None:
    error = refusal(table('bizzaro superman press-contacts', ''), 'capture bizzaro | press-contacts superman')
    assert (error.code, error.params) == ('too-weak', {'hero': 13, 'villain': 13, 'n': 1})


def test_003_03_no_superman_card_is_needed() -> None:
    round_ = table('toyman super-strength', '')
    assert legal(round_) == {'skip', 'capture toyman | super-strength'}
    play(round_, 'capture toyman | super-strength')


def test_003_04_one_superman_card_at_most() -> None:
    round_ = table('toyman superman kal-el', '')
    assert refused(round_, 'capture toyman | kal-el superman') == 'second-superman'
    assert legal(round_) == {'skip', 'capture toyman | superman', 'capture toyman | kal-el'}


def test_two_copies_of_superman_are_two_superman_cards() -> None:
    assert refused(table('toyman superman superman', ''), 'capture toyman | superman superman') == 'second-superman'


def test_the_villain_side_takes_one_villain_two_weapons_one_plot() -> None:
    weapons, plots = 'high-gravity black-mercy containment-cube', 'revenge match-wits'
    round_ = table(f'toyman parasite {weapons} {plots} justice-league legion-of-superheroes superman amazo', '')
    hero = '| justice-league legion-of-superheroes superman'
    assert refused(round_, f'capture parasite toyman {hero}') == 'second-villain'
    assert refused(round_, f'capture toyman black-mercy containment-cube high-gravity {hero}') == 'third-weapon'
    assert refused(round_, f'capture toyman match-wits revenge {hero}') == 'second-plot'
    assert refused(round_, f'capture black-mercy {hero}') == 'no-villain'
    assert refused(round_, 'capture toyman superman | justice-league') == 'not-with-villain'
    assert refused(round_, 'capture toyman | justice-league revenge') == 'not-with-hero'
    assert refused(round_, 'capture brainiac | justice-league') == 'not-held'
    play(round_, f'capture toyman black-mercy containment-cube revenge {hero}')


def test_a_copy_that_is_not_held_is_refused() -> None:
    round_ = table('toyman heat-vision', '', 'superspeed')
    assert refused(round_, 'capture toyman | heat-vision heat-vision') == 'not-held'
    assert refused(round_, 'capture toyman | superspeed') == 'not-held'


def test_the_capture_is_optional_and_a_decision_in_every_turn() -> None:
    round_ = table('heat-vision', 'amazo')
    assert legal(round_) == {'skip'}
    assert refused(round_, 'pass') == 'no-attempt'
    assert refused(round_, 'add heat-vision') == 'no-attempt'
    assert [event.kind for event in play(round_, 'skip')] == ['skipped']
    assert (round_.turn, fact(round_, 'phase')) == (1, 'draw')


def test_declared_cards_are_shown_with_both_totals() -> None:
    events = play(table('toyman showdown superman amnesium', ''), 'capture toyman showdown | amnesium superman')
    assert [(event.kind, ids(event.params['cards']), event.params['total'], event.seen_by) for event in events] == [
        ('declared', ['toyman', 'showdown'], 11, None),
        ('hero-sent', ['amnesium', 'superman'], 16, None),
    ]


# --- totals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('side', 'points'),
    [
        pytest.param('metallo red-kryptonite', 15, id='003-06'),
        pytest.param('metallo red-kryptonite green-kryptonite', 22, id='003-06-two-kryptonites'),
        pytest.param('toyman practical-jokes', 10, id='003-07-toyman'),
        pytest.param('prankster practical-jokes', 19, id='003-07-prankster'),
        pytest.param('mr-mxyzptlk practical-jokes', 18, id='003-07-mxyzptlk'),
        pytest.param('mr-mxyzptlk practical-jokes mystic-powers', 28, id='003-07-mystic-powers'),
        pytest.param('brute-force chemo', 19, id='003-12'),
        pytest.param('blackbriar-thorne magic-spells', 22, id='003-13-blackbriar'),
        pytest.param('lord-satanis-and-syrene magic-spells', 27, id='003-13-satanis'),
        pytest.param('brainiac master-mind force-field destroy-the-earth', 44, id='003-14'),
        ('vandal-savage complex-scheme', 18),
        ('j-wilbur-wolfingham criminal-genius', 15),
        ('colonel-future battle-suit', 13),
        ('bizzaro battle-suit', 19),
        ('mongul spaceship galactic-rule', 43),
        ('terra-man showdown', 21),
        ('master-jailor eternity-trap', 17),
        ('atomic-skull mental-blast', 21),
        ('', 0),
    ],
)
def test_totals(side: str, points: int) -> None:
    assert total(side) == points


def test_bonuses_are_listed_one_by_one() -> None:
    points, bonuses = villain_total(cards('metallo green-kryptonite red-kryptonite battle-suit'))
    assert (points, bonuses) == (28, [Bonus(VILLAINS.card('metallo'), 5, VILLAINS.card('green-kryptonite'))])
    assert villain_total(cards('brainiac master-mind force-field'))[1] == [
        Bonus(VILLAINS.card('master-mind'), 2, VILLAINS.card('brainiac')),
        Bonus(VILLAINS.card('force-field'), 2, VILLAINS.card('brainiac')),
    ]


def test_what_is_missing() -> None:
    assert missing(cards('toyman battle-suit'), []) == 12
    assert missing(cards('toyman'), cards('press-contacts')) == 3
    assert missing(cards('bizzaro'), cards('superman press-contacts')) == 1
    assert missing(cards('toyman'), cards('superman')) == 0


def test_totals_agree_with_the_card_list_for_every_villain_with_every_pair_of_cards() -> None:
    villains = [row['id'] for row in PRINTED if row['type'] == 'V']
    attachments = [row['id'] for row in PRINTED if row['type'] in 'WO']
    for villain in villains:
        for pair in chain([()], combinations(attachments, 1), combinations(attachments, 2)):
            assert total(' '.join((villain, *pair))) == by_the_book([villain, *pair])


@given(st.lists(st.sampled_from([row['id'] for row in PRINTED if row['type'] in 'VWO']), unique=True, max_size=12))
@settings(max_examples=200, deadline=None)
def test_totals_agree_with_the_card_list_for_any_cards(side: list[str]) -> None:
    points, bonuses = villain_total(cards(' '.join(side)))
    assert points == by_the_book(side) == villain_points(cards(' '.join(side)))
    assert points == sum(BY_ID[name]['points'] for name in side) + sum(bonus.points for bonus in bonuses)


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_captures_agree_with_trying_every_set_of_cards(seed: int, seats: int) -> None:
    """All sets of cards of a random hand, sorted into sides and measured with the rules as they are written."""
    rng = Random(seed)
    hand = [BY_ID[card] for card in ids(rng.sample(VILLAINS.pack(2), 7))]
    if BY_ID['x-ray-vision'] not in hand and rng.random() < 0.3:
        hand[0] = BY_ID['x-ray-vision']
    expected = {'skip'}
    for picked in chain.from_iterable(combinations(hand, size) for size in range(8)):
        kinds = Counter(row['type'] for row in picked)
        villain = sorted(row['id'] for row in picked if row['type'] in 'WO')
        hero = sorted(row['id'] for row in picked if row['type'] in 'SPAE')
        leader = [row['id'] for row in picked if row['type'] == 'V']
        if kinds['V'] != 1 or kinds['W'] > 2 or kinds['O'] > 1 or kinds['S'] > 1:
            continue
        if sum(BY_ID[name]['points'] for name in hero) > by_the_book(leader + villain):
            move = ' '.join(['capture', *leader, *villain, '|', *hero])
            expected |= {move} | ({f'{move} xray {seat}' for seat in range(seats) if seat != 1} if 'x-ray-vision' in hero else set())
    hands = [''] * seats
    hands[1] = ' '.join(row['id'] for row in hand)
    round_ = table(*hands, turn=1)
    listed = [round_.format_move(move) for move in round_.legal_moves()]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


# --- the opponents' windows -----------------------------------------------------------------------------------------


def test_003_05_two_weapons_and_one_plot_no_matter_who_plays_them() -> None:
    round_ = table('toyman red-kryptonite battle-suit justice-league', 'spaceship revenge', 'match-wits showdown')
    assert total('toyman red-kryptonite battle-suit') == 16
    play(round_, 'capture toyman battle-suit red-kryptonite | justice-league')
    assert legal(round_) == {'pass', 'add revenge'}
    assert refused(round_, 'add spaceship') == 'third-weapon'
    events = play(round_, 'add revenge')
    assert [(event.kind, event.params['villain'], event.params['hero']) for event in events] == [('villain-helped', 24, 20)]
    assert round_.turn == 2
    assert refused(round_, 'add match-wits') == 'second-plot'
    assert refused(round_, 'add showdown') == 'third-weapon'
    assert legal(round_) == {'pass'}


def test_every_opponent_has_one_window_clockwise() -> None:
    round_ = table('toyman superman', 'showdown', 'amazo', turn=2, phase='draw', deck='perry-white press-contacts superdog')
    play(round_, 'draw deck', 'skip', 'draw deck')
    assert round_.turn == 0
    play(round_, 'capture toyman | superman')
    turns = []
    while fact(round_, 'phase') in ('opponents', 'second'):
        turns.append((round_.turn, fact(round_, 'phase'), fact(round_, 'active')))
        play(round_, 'pass')
    assert turns == [(1, 'opponents', 0), (2, 'opponents', 0), (0, 'second', 0)]
    assert round_.turn == 1


def test_an_opponent_without_weapons_or_plots_has_a_window_too() -> None:
    round_ = table('toyman superman', '', 'showdown')
    play(round_, 'capture toyman | superman')
    assert (round_.turn, legal(round_)) == (1, {'pass'})


def test_an_opponent_may_add_all_that_fits() -> None:
    round_ = table('toyman showdown superman', 'spaceship battle-suit revenge match-wits amazo superspeed', 'x-ray-vision')
    play(round_, 'capture toyman | superman')
    assert legal(round_) == {
        'pass', 'add spaceship', 'add battle-suit', 'add revenge', 'add match-wits', 'add battle-suit spaceship',
        'add revenge spaceship', 'add match-wits spaceship', 'add battle-suit revenge', 'add battle-suit match-wits',
        'add battle-suit revenge spaceship', 'add battle-suit match-wits spaceship',
    }  # fmt: skip
    assert refused(round_, 'add amazo') == 'only-weapon-or-plot'
    assert refused(round_, 'add superspeed') == 'only-weapon-or-plot'
    assert refused(round_, 'add showdown') == 'not-held'
    assert refused(round_, 'add') == 'nothing-named'
    assert refused(round_, 'add spaceship xray 2') == 'look-without-x-ray'
    play(round_, 'add battle-suit revenge spaceship')
    assert zone(round_, 'villain') == ['toyman', 'battle-suit', 'revenge', 'spaceship']


def test_in_a_window_nothing_else_can_be_done() -> None:
    round_ = table('toyman superman', 'amazo justice-league legion-of-superheroes')
    play(round_, 'capture toyman | superman')
    for move in ('draw deck', 'discard amazo', 'skip', 'capture amazo | justice-league legion-of-superheroes'):
        assert refused(round_, move) == 'window'


def test_a_seat_cannot_act_in_the_window_of_another() -> None:
    round_ = table('toyman superman', 'showdown', 'spaceship')
    play(round_, 'capture toyman | superman')
    with pytest.raises(NotYourTurnError):
        round_.play(2, round_.parse_move('add spaceship'))


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_windows_agree_with_trying_every_set_of_cards(seed: int) -> None:
    rng = Random(seed)
    pack = [BY_ID[card] for card in ids(VILLAINS.pack(2))]
    weapons, plots = rng.randrange(3), rng.randrange(2)
    villain = [BY_ID['toyman'], *rng.sample([row for row in pack if row['type'] == 'W'], weapons)]
    villain += rng.sample([row for row in pack if row['type'] == 'O'], plots)
    hand = rng.sample([row for row in pack if row not in villain], 7)
    sets = list(chain.from_iterable(combinations(hand, size) for size in range(1, 8)))
    names = ' '.join(row['id'] for row in hand)
    attempt: dict[str, Any] = {'villain': ' '.join(row['id'] for row in villain), 'hero': 'superman'}
    expected = {'pass'}
    for picked in sets:
        kinds = Counter(row['type'] for row in picked)
        if set(kinds) <= {'W', 'O'} and kinds['W'] + weapons <= 2 and kinds['O'] + plots <= 1:
            expected.add(' '.join(['add', *sorted(row['id'] for row in picked)]))
    assert legal(table('', names, '', phase='opponents', active=0, turn=1, **attempt)) == expected
    expected = {'pass'}
    for picked in sets:
        if {row['type'] for row in picked} <= {'P', 'A', 'E'}:
            move = ' '.join(['add', *sorted(row['id'] for row in picked)])
            expected |= {move, *((f'{move} xray 1', f'{move} xray 2') if 'x-ray-vision' in move else ())}
    assert legal(table(names, '', '', phase='second', **attempt)) == expected


# --- the second window and the result -------------------------------------------------------------------------------


def mongul(*second: str) -> Round:
    """Mongul against Superman and Superspeed, after an opponent has added Spaceship; the moves are those of the second window."""
    round_ = table('mongul superman superspeed superboy super-computer kal-el', 'spaceship', prisons=['toyman', ''])
    play(round_, 'capture mongul | superman superspeed', 'add spaceship', *second)
    return round_


def test_003_08_not_enough_added_and_the_villain_escapes() -> None:
    round_ = mongul('add superboy')
    assert zone(round_, 'discard') == ['mongul', 'spaceship', 'superman', 'superspeed', 'superboy']
    assert zone(round_, 'prisons', 0) == ['toyman']
    assert (round_.turn, fact(round_, 'phase')) == (1, 'draw')


def test_003_09_enough_added_and_the_villain_is_captured_with_all_its_cards() -> None:
    round_ = mongul()
    assert (total('mongul spaceship'), missing(cards('mongul spaceship'), cards('superman superspeed'))) == (28, 11)
    events = play(round_, 'add super-computer superboy')
    assert [event.kind for event in events] == ['hero-helped', 'captured']
    assert (events[1].params['villain'], events[1].params['hero'], events[1].params['points']) == (28, 34, 23)
    assert zone(round_, 'prisons', 0) == ['toyman', 'mongul', 'spaceship']
    assert zone(round_, 'discard') == ['superman', 'superspeed', 'super-computer', 'superboy']
    assert zone(round_, 'hands', 0) == ['kal-el']
    assert 'villain' not in nest(round_.zones())


def test_003_10_no_superman_in_the_second_window() -> None:
    round_ = mongul()
    assert refused(round_, 'add kal-el') == 'late-superman'
    assert refused(round_, 'add kal-el superboy') == 'late-superman'
    assert legal(round_) == {'pass', 'add superboy', 'add super-computer', 'add super-computer superboy'}


def test_no_superman_in_the_second_window_even_if_none_was_declared() -> None:
    round_ = table('toyman superspeed superman', '')
    play(round_, 'capture toyman | superspeed', 'pass')
    assert legal(round_) == {'pass'}


def test_only_hero_cards_in_the_second_window() -> None:
    round_ = table('toyman superman showdown amazo', '')
    play(round_, 'capture toyman | superman', 'pass')
    assert refused(round_, 'add showdown') == 'only-hero-cards'
    assert refused(round_, 'add amazo') == 'only-hero-cards'
    assert refused(round_, 'capture amazo | superman') == 'one-attempt'
    assert refused(round_, 'skip') == 'window'


def test_003_11_an_equal_total_at_the_end_and_the_villain_escapes() -> None:
    round_ = table('mongul superman superspeed supergirl press-contacts', 'spaceship')
    play(round_, 'capture mongul | superman superspeed', 'add spaceship')
    assert (total('mongul spaceship'), printed_points(cards('superman superspeed supergirl press-contacts'))) == (28, 28)
    events = play(round_, 'add press-contacts supergirl')
    assert [event.kind for event in events] == ['hero-helped', 'escaped']
    assert all((event.params['hero'], event.params['villain']) == (28, 28) for event in events)
    assert zone(round_, 'prisons', 0) == []


def test_003_12_chemo_is_not_a_villain() -> None:
    round_ = table('chemo brute-force justice-league', '')
    assert refused(round_, 'capture chemo | justice-league') == 'no-villain'
    play(round_, 'capture brute-force chemo | justice-league')


def test_a_bonus_card_added_by_an_opponent_counts() -> None:
    round_ = table('brainiac justice-league', 'force-field')
    play(round_, 'capture brainiac | justice-league', 'add force-field')
    assert [event.kind for event in play(round_, 'pass')] == ['passed', 'escaped']


def test_a_capture_stands_when_nothing_is_added() -> None:
    round_ = table('toyman superman', '', '')
    play(round_, 'capture toyman | superman', 'pass', 'pass', 'pass')
    assert zone(round_, 'prisons', 0) == ['toyman']
    assert zone(round_, 'discard') == ['superman']


def test_003_19_one_attempt_a_turn() -> None:
    round_ = table('toyman karb-brak superman kal-el', '')
    play(round_, 'capture toyman | superman')
    play(round_, 'pass')
    assert refused(round_, 'capture karb-brak | kal-el') == 'one-attempt'
    play(round_, 'pass')
    with pytest.raises(NotYourTurnError):
        round_.play(0, round_.parse_move('capture karb-brak | kal-el'))
    assert (round_.turn, fact(round_, 'phase')) == (1, 'draw')


# --- X-Ray Vision ---------------------------------------------------------------------------------------------------


def test_003_18_one_player_sees_the_hand_before_the_opponents_windows() -> None:
    round_ = table('toyman x-ray-vision press-contacts', 'amazo', 'showdown superman')
    assert printed_points(cards('x-ray-vision')) == 5
    assert legal(round_) == {'skip', *(f'capture toyman | press-contacts x-ray-vision{look}' for look in ('', ' xray 1', ' xray 2'))}
    assert not seen(round_, 0, 2)
    events = play(round_, 'capture toyman | press-contacts x-ray-vision xray 2')
    assert fact(round_, 'phase') == 'opponents'
    assert [seen(round_, viewer, 2) for viewer in (0, 1, None)] == [True, False, False]
    assert not seen(round_, 0, 1)
    private = [event for event in events if event.seen_by is not None]
    assert [(event.kind, event.seen_by, ids(event.params['cards'])) for event in private] == [('saw-hand', (0,), ['showdown', 'superman'])]
    assert [event.params for event in events if event.kind == 'looked'] == [{'seat': 2}]


def test_looking_at_a_hand_is_optional() -> None:
    round_ = table('toyman x-ray-vision press-contacts', 'amazo')
    assert all(event.seen_by is None for event in play(round_, 'capture toyman | press-contacts x-ray-vision'))
    assert not seen(round_, 0, 1)


def test_a_hand_stays_seen_until_its_owner_draws() -> None:
    round_ = table('toyman x-ray-vision press-contacts', 'amazo showdown', 'spaceship')
    play(round_, 'capture toyman | press-contacts x-ray-vision xray 1', 'add showdown', 'pass', 'pass')
    assert (round_.turn, fact(round_, 'phase'), seen(round_, 0, 1)) == (1, 'draw', True)
    play(round_, 'draw deck')
    assert not seen(round_, 0, 1)


def test_two_players_can_look_at_the_same_hand() -> None:
    round_ = table('toyman x-ray-vision press-contacts', 'karb-brak daily-planet', 'spaceship')
    play(round_, 'capture toyman | press-contacts x-ray-vision xray 2', 'pass', 'pass', 'pass')
    play(round_, 'draw discard x-ray-vision', 'capture karb-brak | daily-planet x-ray-vision xray 2')
    assert [seen(round_, viewer, 2) for viewer in (0, 1, None)] == [True, True, False]
    assert fact(round_, 'looks') == [[], [], [0, 1]]


def test_x_ray_vision_in_the_second_window() -> None:
    round_ = table('toyman superman x-ray-vision', 'amazo', '')
    play(round_, 'capture toyman | superman', 'pass', 'pass')
    assert legal(round_) == {'pass', 'add x-ray-vision', 'add x-ray-vision xray 1', 'add x-ray-vision xray 2'}
    events = play(round_, 'add x-ray-vision xray 1')
    assert [event.kind for event in events] == ['hero-helped', 'looked', 'saw-hand', 'captured']
    assert (events[0].params['hero'], seen(round_, 0, 1)) == (15, True)


def test_an_empty_hand_can_be_looked_at() -> None:
    events = play(table('toyman x-ray-vision press-contacts', ''), 'capture toyman | press-contacts x-ray-vision xray 1')
    assert [event.kind for event in events][2:] == ['looked', 'saw-empty-hand']


def test_looks_that_are_refused() -> None:
    round_ = table('toyman x-ray-vision press-contacts superman', 'amazo')
    assert refused(round_, 'capture toyman | superman xray 1') == 'look-without-x-ray'
    assert refused(round_, 'capture toyman | superman x-ray-vision xray 0') == 'look-at-own-hand'
    assert refused(round_, 'capture toyman | superman x-ray-vision xray 2') == 'look-at-nobody'


# --- the end --------------------------------------------------------------------------------------------------------


def test_003_17_the_turn_of_the_last_card_is_completed() -> None:
    round_ = table('', 'toyman superman amnesium', phase='draw', turn=1, deck='perry-white')
    play(round_, 'draw deck')
    assert not round_.over
    play(round_, 'capture toyman | superman', 'pass', 'pass')
    assert (round_.over, round_.reason, round_.points) == (True, 'deck', [0, 5])


def test_003_17_drawing_from_the_discard_pile_the_game_goes_on() -> None:
    round_ = table('', 'toyman', '', phase='draw', turn=1, deck='perry-white', discard='heat-vision')
    play(round_, 'draw discard heat-vision', 'skip')
    assert (round_.over, round_.turn) == (False, 2)


def test_the_player_of_the_last_card_still_discards() -> None:
    round_ = table('amazo toyman parasite superman kal-el heat-vision superspeed', '', phase='draw', deck='brainiac')
    play(round_, 'draw deck', 'discard brainiac')
    assert not round_.over
    play(round_, 'skip')
    assert (round_.over, round_.reason) == (True, 'deck')


def test_003_20_two_whole_rounds_without_a_card_from_the_deck_or_a_capture_end_the_game() -> None:
    deck = ' '.join(row['id'] for row in PRINTED[:20])
    round_ = table('', '', '', phase='draw', deck=deck, discard='amazo parasite brainiac bizzaro terra-man atomic-skull')
    for turn, card in enumerate(['amazo', 'parasite', 'brainiac', 'bizzaro', 'terra-man', 'atomic-skull']):
        assert (round_.over, round_.turn) == (False, turn % 3)
        play(round_, f'draw discard {card}', 'skip')
    assert (round_.over, round_.reason, round_.points) == (True, 'stall', [0, 0, 0])


def test_a_card_from_the_deck_or_a_capture_breaks_the_stall_and_an_escape_does_not() -> None:
    discard = 'amazo parasite brainiac terra-man superman superspeed'
    quiet = table('', '', phase='draw', discard=discard, idle=3)
    play(quiet, 'draw deck', 'skip')
    assert fact(quiet, 'idle') == 0
    caught = table('toyman', '', phase='draw', discard=discard, idle=3)
    play(caught, 'draw discard superman', 'capture toyman | superman', 'pass', 'pass')
    assert (caught.over, fact(caught, 'idle')) == (False, 0)
    escaped = table('toyman', 'showdown', phase='draw', discard=discard, idle=3)
    play(escaped, 'draw discard superman', 'capture toyman | superman', 'add showdown', 'pass')
    assert (escaped.over, escaped.reason) == (True, 'stall')


def test_score_is_printed_points_of_the_prison_without_bonuses_and_hands() -> None:
    round_ = table('amazo', '', prisons=['brainiac force-field', 'metallo red-kryptonite perform-good-deeds'], deck='', phase='capture')
    play(round_, 'skip')
    assert (round_.over, round_.points) == (True, [21, 15])


def test_003_21_a_shared_highest_total_is_a_shared_win() -> None:
    match = Match(VILLAINS, 3, {}, 'tie')
    prisons = [
        'amazo brainiac',
        'mongul bizzaro lex-luthor black-mercy',
        'lord-satanis-and-syrene lex-luthor magic-spells galactic-rule perform-good-deeds',
    ]
    match.round = table('', '', '', deck='', prisons=prisons)
    match.play(0, match.round.parse_move('skip'))
    assert match.totals == [40, 52, 52]
    assert (match.over, match.winners) == (True, [1, 2])


def test_a_match_is_one_round() -> None:
    match = Match(VILLAINS, 2, {}, 'one')
    while not match.round.over:
        match.apply(match.round.default_move())
    assert match.over
    assert match.totals == match.round.points


def test_every_reason_for_the_end_has_a_text() -> None:
    assert TEXTS.has('en', 'villains.end.deck')
    assert TEXTS.has('en', 'villains.end.stall')


# --- the move made for a player whose time is up, and the simple player ---------------------------------------------


def test_default_moves_are_harmless() -> None:
    hand = 'superman toyman karb-brak perry-white heat-vision kal-el amazo'
    round_ = table(hand, 'showdown', phase='draw', discard='brainiac', deck='supergirl amnesium')
    made = []
    for _ in range(3):
        made.append(round_.format_move(round_.default_move()))
        round_.apply(round_.default_move())
    assert made == ['draw deck', 'discard perry-white', 'skip']
    for phase in ('opponents', 'second'):
        round_ = table('superspeed', 'showdown', phase=phase, villain='toyman', hero='superman', active=0, turn=int(phase == 'opponents'))
        assert round_.format_move(round_.default_move()) == 'pass'


def test_default_discard_is_the_fewest_points_and_the_same_for_everyone() -> None:
    round_ = table('toyman karb-brak master-jailor x-ray-vision superman superman kal-el amazo parasite', '', phase='discard')
    assert round_.format_move(round_.default_move()) == 'discard karb-brak toyman'


def test_default_draw_comes_from_the_discard_pile_when_the_deck_is_empty() -> None:
    round_ = table('', '', phase='draw', deck='', discard='toyman')
    assert legal(round_) == {'draw discard toyman'}
    assert round_.format_move(round_.default_move()) == 'draw discard toyman'
    assert refused(round_, 'draw deck') == 'deck-empty'


def greedy(round_: Round) -> str:
    return round_.format_move(VILLAINS.greedy(round_.observation(round_.turn)))


def test_greedy_draws_what_makes_a_capture_possible() -> None:
    assert greedy(table('karb-brak superboy', '', phase='draw', discard='perry-white justice-league')) == 'draw discard justice-league'
    assert greedy(table('justice-league', '', phase='draw', discard='perry-white')) == 'draw deck'


def test_greedy_keeps_what_it_needs() -> None:
    hand = 'toyman justice-league revenge match-wits high-gravity black-mercy time-travel perry-white'
    assert greedy(table(hand, '', phase='discard')) in ('discard black-mercy', 'discard match-wits', 'discard perry-white')


def test_greedy_captures_with_the_fewest_points_that_suffice() -> None:
    assert greedy(table('toyman superspeed justice-league', '')) == 'capture toyman | superspeed'
    assert greedy(table('amazo superspeed', '')) == 'skip'


def test_greedy_helps_a_villain_that_can_escape() -> None:
    attempt: dict[str, Any] = {'phase': 'opponents', 'villain': 'toyman', 'hero': 'superspeed', 'active': 0, 'turn': 1}
    assert greedy(table('', 'diversionary-tactics magic-spells', **attempt)) == 'add diversionary-tactics'
    assert greedy(table('superboy supergirl perry-white', 'diversionary-tactics', **attempt)) == 'pass'


def test_greedy_answers_with_the_least_that_wins() -> None:
    attempt: dict[str, Any] = {'phase': 'second', 'villain': 'toyman diversionary-tactics', 'hero': 'superspeed'}
    assert greedy(table('press-contacts justice-league perry-white', '', **attempt)) == 'add press-contacts'
    assert greedy(table('perry-white', '', **attempt)) == 'pass'
    assert greedy(table('perry-white', '', phase='second', villain='toyman', hero='superspeed')) == 'pass'


@pytest.mark.parametrize('seats', [2, 3, 4, 5, 6])
def test_greedy_plays_whole_matches_to_the_last_card(seats: int) -> None:
    match = Match(VILLAINS, seats, {}, f'greedy {seats}')
    while not match.over:
        match.play(match.round.turn, VILLAINS.greedy(match.round.observation(match.round.turn)))
    assert match.round.reason == 'deck'
    assert sum(match.totals) > 100


# --- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('phase', 'text', 'move'),
    [
        ('draw', 'deck', 'draw deck'),
        ('draw', 'Draw', 'draw deck'),
        ('draw', ' DRAW  the deck ', 'draw deck'),
        ('draw', 'draw from the deck', 'draw deck'),
        ('draw', 'draw Brainiac', 'draw discard brainiac'),
        ('draw', 'take lex', 'draw discard lex-luthor'),
        ('draw', 'draw discard: Heat Vision', 'draw discard heat-vision'),
        ('draw', 'draw brainiac from the discard pile', 'draw discard brainiac'),
        ('draw', 'draw from the discard pile: brainiac', 'draw discard brainiac'),
        ('draw', 'brainiac', 'draw discard brainiac'),
        ('draw', 'skip', 'skip'),
        ('discard', 'Toyman', 'discard toyman'),
        ('discard', 'discard superman, TOYMAN', 'discard superman toyman'),
        ('capture', 'SKIP', 'skip'),
        ('capture', 'capture brainiac with force field | superman, heat vision', 'capture brainiac force-field | heat-vision superman'),
        ('capture', 'capture Superman, Heat Vision, Brainiac and Force Field', 'capture brainiac force-field | heat-vision superman'),
        ('capture', 'brainiac | superman', 'capture brainiac | superman'),
        ('capture', 'capture brain | superm', None),
        ('capture', 'capture brain | super comp', 'capture brainiac | super-computer'),
        ('capture', 'capture brain super computer superman', 'capture brainiac | super-computer superman'),
        ('capture', 'capture luthor, master mind | kal el', 'capture lex-luthor master-mind | kal-el'),
        ('capture', 'capture lex|superman robots,superman', 'capture lex-luthor | superman superman-robots'),
        (
            'capture', "capture mr. mxyzptlk | Truth, Justice, & the American Way, Earth's Champion",
            'capture mr-mxyzptlk | earths-champion truth-justice-and-the-american-way',
        ),
        ('capture', 'capture savage | truth, justice league', 'capture vandal-savage | justice-league truth-justice-and-the-american-way'),
        ('capture', 'capture toyman pa & ma | x–ray vision', 'capture toyman pa-and-ma-kent-in-peril | x-ray-vision'),
        ('capture', 'capture toyman | x ray vision, superman X-RAY 2', 'capture toyman | superman x-ray-vision xray 2'),
        ('capture', 'capture toyman | xray xray 1', 'capture toyman | x-ray-vision xray 1'),
        ('capture', 'capture toyman |', 'capture toyman |'),
        ('opponents', 'spaceship and revenge', 'add revenge spaceship'),
        ('opponents', 'Pass', 'pass'),
        ('second', 'add xray xray 1', 'add x-ray-vision xray 1'),
        ('second', 'superboy; supergirl', 'add superboy supergirl'),
        ('second', 'heat_vision', 'add heat-vision'),
    ],
)  # fmt: skip
def test_moves_are_read_in_many_forms(phase: str, text: str, move: str | None) -> None:
    round_ = table('', '', phase=phase, villain='toyman', hero='superman')
    if move is None:
        with pytest.raises(UnreadableMoveError):
            round_.parse_move(text)
    else:
        assert round_.format_move(round_.parse_move(text)) == move


@pytest.mark.parametrize('card', CARDS, ids=[card.id for card in CARDS])
def test_a_card_can_be_named_by_id_or_name_in_any_case(card: Any) -> None:
    round_ = table('', '', phase='draw')
    wanted = VillainsMove('draw', (VILLAINS.card(card.id),))
    spaced = card.id.replace('-', ' ')
    for name in (card.id, card.name, card.name.upper(), card.name.lower(), spaced, spaced.replace(' ', ''), card.name.replace(',', '')):
        assert round_.parse_move(name) == wanted
        assert round_.parse_move(f'draw discard {name}') == wanted


def test_a_name_that_fits_several_cards_is_refused_with_the_candidates() -> None:
    error = refusal(table('', '', phase='draw'), 'draw vision')
    assert error.code == 'ambiguous'
    assert set(ids(error.params['cards'])) == {'heat-vision', 'telescopic-vision', 'x-ray-vision'}
    error = refusal(table('', ''), 'capture toyman | super')
    assert (error.code, len(error.params['cards'])) == ('ambiguous', 12)


@pytest.mark.parametrize(
    ('text', 'code'),
    [
        ('', 'unreadable'),
        (' ', 'unreadable'),
        ('hello', 'unreadable'),
        ('9', 'unreadable'),
        ('\x00', 'unreadable'),
        ('🃏', 'unreadable'),
        ('@everyone', 'unreadable'),
        ('toyman`', 'unreadable'),
        ('draw joker', 'unknown-card'),
        ('draw deck; drop table', 'unknown-card'),
        ('draw discard', 'draw-one'),
        ('draw brainiac lex-luthor', 'draw-one'),
        ('capture', 'nothing-named'),
        ('capture |', 'nothing-named'),
        ('capture xray 1', 'nothing-named'),
        ('add', 'nothing-named'),
        ('add toyman | superman', 'unreadable'),
        ('capture toyman | superman | kal-el', 'unreadable'),
        ('capture batman | superman', 'unknown-card'),
        ('capture toyman | x-ray-vision xray -1', 'unknown-card'),
        ('capture toyman | x-ray-vision xray 1000', 'unknown-card'),
        ('skip it', 'unreadable'),
        ('pass on', 'unreadable'),
        ('discard toyman' * 1000, 'unreadable'),
        ('capture ' + 'lex ' * 100_000, 'unreadable'),
        ('|' * 3000, 'unreadable'),
        ('add ' + 'xray ' * 900, 'unreadable'),
        ('add ' + 'batman ' * 500, 'unknown-card'),
        ('9' * 4000, 'unreadable'),
    ],
)
def test_hostile_and_unclear_text_is_refused(text: str, code: str) -> None:
    for phase in ('draw', 'discard', 'capture', 'opponents', 'second'):
        round_ = table('', '', phase=phase, villain='toyman', hero='superman')
        with pytest.raises(UnreadableMoveError) as error:
            round_.parse_move(text)
        assert error.value.code == code


@given(st.text(max_size=60) | st.text('abcdeilmnoprstuvxy- |,0123456789', max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for phase in ('draw', 'discard', 'capture', 'opponents', 'second'):
        round_ = table(f'{ARMED} superman toyman', 'showdown', phase=phase, villain='karb-brak', hero='kal-el')
        try:
            move = round_.parse_move(text)
        except UnreadableMoveError:
            continue
        assert round_.is_legal(move) == (move in round_.exact_moves())
        assert round_.parse_move(round_.format_move(move)) == move


# --- reasons --------------------------------------------------------------------------------------------------------

RUNNING: dict[str, Any] = {'villain': 'toyman showdown spaceship revenge', 'hero': 'superman', 'active': 0}
REFUSALS: dict[str, tuple[Round, str]] = {
    'draw-first': (table('', '', phase='draw'), 'skip'),
    'draw-one': (table('', '', phase='draw'), 'draw discard'),
    'already-drawn': (table('', ''), 'draw deck'),
    'deck-empty': (table('', '', phase='draw', deck='', discard='amazo'), 'draw deck'),
    'discard-empty': (table('', '', phase='draw'), 'draw discard amazo'),
    'not-in-discard': (table('', '', phase='draw', discard='toyman'), 'draw discard amazo'),
    'discard-first': (table('toyman ' + ARMED, '', phase='discard'), 'skip'),
    'discard-count': (table('toyman ' + ARMED, '', phase='discard'), 'discard toyman superman'),
    'no-discard': (table('toyman', ''), 'discard toyman'),
    'not-held': (table('toyman', ''), 'capture toyman | superman'),
    'no-villain': (table('superman', ''), 'capture superman'),
    'second-villain': (table('toyman amazo superman', ''), 'capture toyman amazo | superman'),
    'third-weapon': (table('', 'showdown', phase='opponents', turn=1, **RUNNING), 'add showdown'),
    'second-plot': (table('', 'match-wits', phase='opponents', turn=1, **RUNNING), 'add match-wits'),
    'second-superman': (table('toyman superman kal-el', ''), 'capture toyman | superman kal-el'),
    'not-with-villain': (table('toyman superman', ''), 'capture toyman superman |'),
    'not-with-hero': (table('toyman superman', ''), 'capture toyman | toyman'),
    'too-weak': (table('amazo superman', ''), 'capture amazo | superman'),
    'one-attempt': (table('amazo', '', phase='second', **RUNNING), 'capture amazo'),
    'no-attempt': (table('', ''), 'pass'),
    'window': (table('', '', phase='opponents', turn=1, **RUNNING), 'skip'),
    'only-weapon-or-plot': (table('', 'toyman', phase='opponents', turn=1, **RUNNING), 'add toyman'),
    'only-hero-cards': (table('toyman', '', phase='second', **RUNNING), 'add toyman'),
    'late-superman': (table('kal-el', '', phase='second', **RUNNING), 'add kal-el'),
    'look-without-x-ray': (table('toyman superman', ''), 'capture toyman | superman xray 1'),
    'look-at-own-hand': (table('toyman superman x-ray-vision', ''), 'capture toyman | superman x-ray-vision xray 0'),
    'look-at-nobody': (table('toyman superman x-ray-vision', ''), 'capture toyman | superman x-ray-vision xray 9'),
    'nothing-named': (table('', ''), 'capture'),
    'unknown-card': (table('', ''), 'capture batman'),
    'ambiguous': (table('', ''), 'capture k'),
}


def test_every_reason_is_tried() -> None:
    assert set(REFUSALS) == set(VILLAINS.reasons)
    assert set(VILLAINS.reasons.values()) <= set(VILLAINS.sections)


@pytest.mark.parametrize('code', sorted(REFUSALS))
def test_refusals_name_their_reason(code: str) -> None:
    assert refused(*REFUSALS[code]) == code


def test_the_rules_are_written_for_every_section() -> None:
    assert len(TEXTS.get('en', 'villains.rules.short')) <= 1800
    for section in VILLAINS.sections:
        assert TEXTS.get('en', f'villains.rules.{section}.title')
        assert len(TEXTS.get('en', f'villains.rules.{section}.body')) <= 1500


# --- properties of random games -------------------------------------------------------------------------------------


@pytest.mark.parametrize('seats', [2, 3, 4, 5, 6])
@given(st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_cards_are_kept_and_moves_read_back(seats: int, seed: int) -> None:
    round_ = round_in_progress(seats, str(seed), Random(seed))
    zones = nest(round_.zones())
    found = [*chain(*zones['hands']), *zones['deck'], *zones['discard'], *chain(*zones['prisons'])]
    found += zones.get('villain', []) + zones.get('hero', [])
    assert Counter(found) == Counter(VILLAINS.pack(seats))
    assert all(CARDS[card].type in 'VWO' for card in chain(*zones['prisons']))
    assert all(CARDS[card].type in 'SPAE' for card in zones.get('hero', []))
    assert all(len(hand) <= 8 for hand in zones['hands'])
    assert VILLAINS.position(seats, round_.options, zones, round_.facts()) == round_ or round_.over
    if not round_.over:
        texts = [round_.format_move(move) for move in round_.legal_moves()]
        assert len(texts) == len(set(texts)) > 0
        assert [round_.parse_move(text) for text in texts] == list(round_.legal_moves())
        assert all(round_.is_legal(move) for move in round_.legal_moves())
        assert round_.is_legal(round_.default_move())


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_exactly_the_listed_moves_are_legal(seed: int) -> None:
    """Random captures, additions and discards, mostly from the cards at hand: legal exactly when listed, else refused with a reason."""
    rng = Random(seed)
    round_ = round_in_progress(rng.choice([2, 3, 6]), str(seed), rng)
    if round_.over:
        return
    listed = set(round_.legal_moves())
    hand = nest(round_.zones())['hands'][round_.turn]
    for _ in range(30):
        pool = hand + rng.sample(VILLAINS.pack(2), 2)
        picked = rng.sample(pool, rng.randrange(min(6, len(pool))))
        look = rng.choice([None, None, *range(-1, 7)])
        side = tuple(sorted(picked))
        moves = [capture_move(picked, look), VillainsMove('capture', villain=side[:1], hero=side[1:], xray=look)]
        moves += [VillainsMove('add', side, xray=look), VillainsMove('discard', side)]
        moves += [VillainsMove('draw', (rng.choice(pool),)), VillainsMove('draw', side), DRAW_DECK, SKIP, PASS]
        for move in moves:
            assert round_.is_legal(move) == (move in listed)
            if move not in listed:
                assert isinstance(round_.why_not(move), IllegalMoveError)
                assert round_.why_not(move).code in VILLAINS.reasons


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_copies_are_independent_and_random_games_end(seed: int, seats: int) -> None:
    rng = Random(seed)
    round_ = round_in_progress(seats, str(seed), rng)
    twin, before = round_.copy(), (round_.zones(), round_.facts())
    while not twin.over:
        random_move(twin, rng)
    assert (round_.zones(), round_.facts()) == before
    assert twin.reason in ('deck', 'stall')
    assert twin.points == [sum(CARDS[card].points for card in prison) for prison in nest(twin.zones())['prisons']]


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_an_observation_shows_what_a_seat_may_see_and_no_more(seed: int, seats: int) -> None:
    rng = Random(seed)
    round_ = round_in_progress(seats, str(seed), rng)
    looks = fact(round_, 'looks')
    for viewer, seat in product([None, *range(seats)], range(seats)):
        hidden = nest(round_.zones())['hands'][seat] and viewer != seat and viewer not in looks[seat]
        assert seen(round_, viewer, seat) is not bool(hidden)
    for viewer in (None, *range(seats)):
        observation = round_.observation(viewer)
        assert set(observation.cards('deck')) <= {HIDDEN}
        again = VILLAINS.determinise(observation, rng)
        if not round_.over:
            assert again.observation(viewer) == observation
