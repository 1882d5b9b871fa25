"""The villain-capture game through Discord: whole matches by command, from the board and from direct messages, and what people read."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import count
from random import Random
from typing import Any

import pytest

from bot.engines import games
from bot.engines.base import Move, Round
from bot.engines.match import Match
from bot.engines.villains import CARDS, DRAW_DECK, VillainsMove
from bot.ui.language import catalogues

from .limits import choices_within_limits, within_limits
from .night import Night, answer_text, controls_of, raw
from .playing import NAMES, HandMessage, LeakWatch, begin, lay, legal

VILLAINS = games()['villains']
NUMBER = {card.id: number for number, card in enumerate(CARDS)}
TEXT = VILLAINS.position(2, {'hand': 7}, {}, {'turn': 0})
"""A round that reads and writes moves."""
STEPS = ('villain-side', 'hero-side', 'look', 'confirm')


# --- reading cards ------------------------------------------------------------------------------------------------------

_HINTS = [f'+{card.bonus} with {" / ".join(CARDS[one].name for one in card.partners)}' for card in CARDS if card.bonus]
_HINTS += sorted((card.note for card in CARDS if card.note), key=len, reverse=True)
_NAMES = sorted((card.name for card in CARDS if card.name != 'Superman'), key=len, reverse=True)
_BY_NAME = {card.name: card.id for card in CARDS}
_NAMED = re.compile(rf'(?<!\w)({"|".join(map(re.escape, _NAMES))})(?!\w)|(?<!\w)(Superman)(?=\*{{0,2}} 10\b)')
_IDS = re.compile(rf'(?<![\w/-])({"|".join(sorted(map(re.escape, _BY_NAME.values()), key=len, reverse=True))})(?![\w-])')


@lru_cache(200)
def codes(text: str) -> frozenset[str]:
    """The cards that a text names, by name or id; not those that are only printed on another card."""
    text = text.replace('\u00a0', ' ')
    for hint in _HINTS:
        text = text.replace(hint, '')
    return frozenset(_BY_NAME[''.join(found)] for found in _NAMED.findall(text)) | set(_IDS.findall(text))


def numbers(components: list[dict[str, Any]]) -> set[str]:
    """The cards that menus and buttons carry as numbers."""
    found = set()
    for control in controls_of(components):
        action, argument = control['custom_id'].split(':')[1], control['custom_id'].rpartition(':')[2]
        if action in STEPS:
            found |= set(argument.partition('~')[0].split('.'))
        if action in STEPS[:2]:
            found |= {option['value'] for option in control['options']}
    return {CARDS[int(number)].id for number in found - {''}}


def test_the_scanner_knows_every_card() -> None:
    for card in CARDS:
        assert codes(f'You drew 🦹\u00a0{card.name}\u00a0{card.points}.') == {card.id}
        assert codes(f'🦹 **{card.name}** {card.points} · Villain') == {card.id}
        assert codes(f'You can: `discard {card.id}`') == {card.id}
    assert codes('### Superman: Villain Capture · Superman needs 10 more points. `/superman open` Superman’s side: 10') == set()


# --- acting -------------------------------------------------------------------------------------------------------------


def cards(text: str) -> list[int]:
    return [NUMBER[code] for code in text.split()]


def ids(cards: Iterable[int]) -> list[str]:
    return [CARDS[card].id for card in cards]


async def put(night: Night, *hands: str, **rest: Any) -> Round:
    """Lays out a position at the table; the first seat is to move, in the phase `draw`, unless told otherwise."""
    table = night.table
    assert table.match is not None
    zones: dict[str, Any] = {name: cards(rest.pop(name)) for name in ('deck', 'discard', 'villain', 'hero') if name in rest}
    zones |= {'hands': [cards(hand) for hand in hands], 'prisons': [cards(prison) for prison in rest.pop('prisons', [])]}
    return await lay(night, VILLAINS.position(len(hands), table.match.options, zones, {'turn': 0, **rest}))


async def command(night: Night, name: str, move: Move, *, direct: bool = False) -> str:
    """Plays a move by its slash command."""
    options = {}
    if move.kind == 'draw':
        options = {'from': CARDS[move.cards[0]].name if move.cards else 'deck'}
    elif move.kind in ('discard', 'add'):
        options = {'cards': ', '.join(CARDS[card].name for card in move.cards)}
    elif move.kind == 'capture':
        options = {'villain': CARDS[move.villain[0]].name, 'heroes': ', '.join(CARDS[card].name for card in move.hero)}
        options |= {'attach': ', '.join(CARDS[card].name for card in move.villain[1:])} if move.villain[1:] else {}
    if move.xray is not None:
        options['xray'] = NAMES[move.xray]
    return await (night.direct if direct else night.slash)(name, f'villains {move.kind}', **options)


class Hand(HandMessage):
    """One hand message, in the channel or in direct messages, and the person who plays from it."""

    def __init__(self, night: Night, name: str, message: Any) -> None:
        super().__init__(night, name, message.id, direct=message.channel.id == night.person(name).user.dm_channel.id)

    @property
    def controls(self) -> list[dict[str, Any]]:
        return controls_of(raw(self.message))

    def control(self, action: str) -> dict[str, Any]:
        """The menu or button with this action, or that plays this move."""
        for control in self.controls:
            if control['custom_id'].split(':')[1] == action or control['custom_id'].endswith(f':{action}'):
                return control
        raise AssertionError(f'nothing to {action} with')

    def labels(self) -> list[str]:
        """What can be pressed."""
        return [control['label'] for control in self.controls if control['type'] == 2 and not control.get('disabled')]

    def offered(self) -> list[str]:
        """What the menus offer."""
        return [option['value'] for control in self.controls if control['type'] == 3 for option in control['options']]

    async def press(self, action: str) -> str:
        return answer_text(await self._actor.click(self.message, custom_id=self.control(action)['custom_id']))

    async def select(self, action: str, *codes: str) -> None:
        """Chooses cards by their ids, or other values, in a menu of the hand."""
        values = [str(NUMBER[code]) if code in NUMBER else code for code in codes]
        await self._actor.select(self.message, custom_id=self.control(action)['custom_id'], values=values)

    async def turn_to(self, value: str) -> None:
        """Turns the pages of the discard pile until a menu offers this."""
        while value not in (before := self.offered()):
            forward = [control for control in self.controls if control.get('label') == 'Next ▶']
            await self._actor.click(self.message, custom_id=forward[0]['custom_id'])
            assert self.offered() != before

    async def play(self, move: Move) -> None:
        """Plays a move with menus and buttons; nothing happens at the table before it is confirmed."""
        text = TEXT.format_move(move)
        if text in ('draw deck', 'skip', 'pass'):
            await self.press(text)
        elif move.kind in ('draw', 'discard'):
            await self.turn_to(text)
            menu = next(control for control in self.controls if any(option['value'] == text for option in control.get('options', [])))
            await self._actor.select(self.message, custom_id=menu['custom_id'], values=[text])
        else:
            before, board = self.night.everything(), self.night.board_text()
            for action, types in (('villain-side', 'VWO'), ('hero-side', 'SPAE')):
                if chosen := [CARDS[card].id for card in move.cards + move.villain + move.hero if CARDS[card].type in types]:
                    await self.select(action, *chosen)
            if move.xray is not None:
                await self.select('look', str(move.xray))
            within_limits(raw(self.message))
            assert self.night.everything() == before
            assert self.night.board_text() == board
            await self.press('confirm')


def choice(round_: Round, rng: Random) -> Move:
    """Plain sense as a rule, else any move, rather one that plays cards."""
    if rng.random() < 0.6:
        return VILLAINS.greedy(round_.observation(round_.turn))
    moves = list(round_.legal_moves())
    return max(rng.sample(moves, min(3, len(moves))), key=lambda move: move.kind in ('capture', 'add'))


def idle(round_: Round) -> Move:
    """A move of somebody who only wants the match to be over."""
    moves = round_.legal_moves()
    return moves[-1] if moves[0][0] == 'draw' else round_.default_move()


async def play_out(night: Night, seats: int, way: str, rng: Random, lively: int = 1000) -> None:
    """Plays a match to its end, after the first `lively` moves as fast as possible, and looks at everything after every move."""
    table, watch, played = night.table, LeakWatch(night, NAMES[:seats], codes, numbers), []
    while table.state == 'playing':
        assert table.match is not None
        watch.look(table)
        round_ = table.match.round
        name, before = NAMES[round_.turn], table.position
        move = choice(round_, rng) if len(played) < lively else idle(round_)
        played.append(move)
        if 'command' in way:
            await command(night, name, move, direct=way == 'direct command')
        else:
            message = await night.open_hand(name) if way == 'board' else night.hand_message(name)
            await Hand(night, name, message).play(move)
        assert table.position != before or table.state != 'playing', f'{round_.format_move(move)} was not played'
    text = night.board_text()
    within_limits(raw(night.board()))
    assert table.state == 'finished'
    assert table.match is not None
    assert 'the match is over' in text
    for seat in table.match.winners:
        assert f'🥇 {NAMES[seat]}' in text


def last_turns(seats: int, number: int) -> dict[str, Any]:
    """What the table may look like before the last turns: most of the deck is in the discard pile by now."""
    rest = VILLAINS.pack(seats)
    Random(number).shuffle(rest)
    hands, rest = [rest[7 * seat : 7 * seat + 7] for seat in range(seats)], rest[7 * seats :]
    return {'hands': hands, 'deck': rest[:8], 'discard': rest[8:]}


@cache
def good_end(seats: int) -> int:
    """The number of last turns that, played as `play_out` plays them, show everything and do not take long."""
    for number in count():
        round_, rng, played = VILLAINS.position(seats, {'hand': 7}, last_turns(seats, number), {'turn': 0}), Random(number), []
        while not round_.over and len(played) < 40 + 6 * seats:
            played.append(choice(round_, rng))
            round_.apply(played[-1])
        looked = any(move.xray is not None for move in played)
        if round_.over and looked and {move.kind for move in played} == {'draw', 'discard', 'skip', 'capture', 'add', 'pass'}:
            return number
    raise AssertionError


@pytest.mark.parametrize(
    ('way', 'seats'), [('command', 2), ('command', 6), ('command', 10), ('direct command', 2), ('board', 3), ('direct', 3)]
)
async def test_a_whole_match(night: Night, monkeypatch: pytest.MonkeyPatch, way: str, seats: int) -> None:
    monkeypatch.setattr(secrets, 'token_hex', lambda _: 'villains')
    table = await begin(night, 'villains', seats, seats=seats)
    await play_out(night, seats, way, Random(seats), lively=20)
    assert 'nobody drew from the deck and nobody captured a villain' in night.board_text()
    assert table.match is not None
    board, number = await night.bot.store.leaderboard(night.guild.id, 'villains', 'all', 'wins')
    assert number == seats
    assert {one.name for one in board if one.wins} == {NAMES[seat] for seat in table.match.winners}


@pytest.mark.parametrize(('way', 'seats'), [('board', 2), ('direct', 6)])
async def test_the_last_turns(night: Night, way: str, seats: int) -> None:
    await begin(night, 'villains', seats)
    number = good_end(seats)
    zones = last_turns(seats, number)
    piles = {name: ' '.join(ids(zones[name])) for name in ('deck', 'discard')}
    await put(night, *(' '.join(ids(hand)) for hand in zones['hands']), **piles)
    await play_out(night, seats, way, Random(number))
    assert 'The last card of the deck was drawn' in night.board_text()


# --- putting a capture together -------------------------------------------------------------------------------------------

ANN = 'lex-luthor metallo battle-suit red-kryptonite complex-scheme superman x-ray-vision'
BOB = 'toyman chemo hi-tech-gadgets revenge heat-vision'
CEM = 'vartox spaceship lois-lane-in-peril justice-league super-lab'


async def capturing(night: Night, hand: str = ANN, **options: Any) -> Round:
    """Three players, and Ann may try a capture."""
    await begin(night, 'villains', 3, **options)
    return await put(night, hand, BOB, CEM, deck='mongul kru-el', phase='capture')


async def test_the_hand_says_what_is_printed_on_the_cards(night: Night) -> None:
    await capturing(night, ANN + ' perry-white')
    hand = Hand(night, 'Ann', await night.open_hand('Ann'))
    shown = hand.text.split('**Your hand**')[1].partition('\n\n')[0].strip().splitlines()
    assert shown == [
        '🦹 **Lex Luthor** 15 · Villain',
        '🦹 **Metallo** 5 · Villain',
        '-# +5 with Red Kryptonite / Green Kryptonite / Gold Kryptonite',
        '💣 **Battle Suit** 6 · Weapon',
        '-# +3 with Lex Luthor / Colonel Future',
        '💣 **Red Kryptonite** 5 · Weapon',
        '📜 **Complex Scheme** 8 · Plot',
        '-# +2 with Lex Luthor / Vandal Savage',
        '🦸 **Superman** 10 · Superman',
        '⚡ **X–Ray Vision** 5 · Power',
        '-# shows you a hand when you play it',
        '🤝 **Perry White** 2 · Ally',
        '-# Owner of the Daily Planet',
    ]


@pytest.mark.parametrize('way', ['board', 'direct'])
async def test_a_capture_is_put_together_step_by_step(night: Night, way: str) -> None:
    await capturing(night)
    before, board = night.everything(), night.board_text()
    message = await night.open_hand('Ann') if way == 'board' else night.hand_message('Ann')
    hand = Hand(night, 'Ann', message)
    assert 'Choose a Villain and the cards that go with it' in hand.text
    assert hand.labels()[:2] == ['No capture', 'All piles']

    await hand.select('villain-side', 'lex-luthor', 'battle-suit')
    for line in (
        '**Your capture so far** (nothing is played yet)',
        '🦹 Villain’s side: **24**\n🦹 Lex Luthor 15, 💣 Battle Suit 6\n-# bonus +3: Battle Suit with Lex Luthor',
        '🦸 Superman’s side: **0**\nnobody yet',
        '❌ Superman needs 25 more points.',
    ):
        assert line in hand.text
    await hand.select('hero-side', 'superman', 'x-ray-vision')
    assert '🦸 Superman’s side: **15**\n🦸 Superman 10, ⚡ X–Ray Vision 5' in hand.text
    assert '❌ Superman needs 10 more points.' in hand.text
    assert 'Declare capture' not in hand.labels()

    await hand.select('villain-side', 'lex-luthor', 'metallo', 'battle-suit')
    assert '❌ You can only play one Villain in a capture.' in hand.text
    await hand.select('villain-side', 'red-kryptonite')
    assert '❌ A capture needs a Villain first' in hand.text
    await hand.select('villain-side', 'metallo', 'red-kryptonite')
    assert '-# bonus +5: Metallo with Red Kryptonite' in hand.text
    assert '❌ Superman needs 1 more point.' in hand.text
    await hand.select('villain-side', 'metallo')
    assert '✅ Superman is 10 points ahead.' in hand.text
    assert hand.labels()[:3] == ['Declare capture', 'Start over', 'No capture']
    await hand.select('look', '2')
    assert hand.control('look')['options'][2]['label'] == '🔎 Look at the hand of Cem'
    assert [option.get('default') for option in hand.control('look')['options']] == [False, False, True]
    await hand.select('hero-side', 'superman')
    assert [control for control in hand.controls if ':look:' in control['custom_id']] == []
    await hand.press('clear')
    assert 'Choose a Villain and the cards that go with it' in hand.text
    assert (night.everything(), night.board_text()) == (before, board)

    await hand.select('hero-side', 'superman')
    await hand.select('villain-side', 'metallo')
    await hand.press('confirm')
    assert 'Superman is 5 points ahead' in hand.text
    for line in ('**Ann tries to capture Metallo**', 'Villain’s side: **5**', 'Superman’s side: **10**', 'Superman is 5 points ahead.'):
        assert line in night.board_text()


async def test_a_choice_stays_while_the_message_is_drawn_again(night: Night) -> None:
    await capturing(night)
    direct = Hand(night, 'Ann', night.hand_message('Ann'))
    await direct.select('villain-side', 'metallo')
    await night.slash('Watcher', 'table watch')
    await night.render()
    assert 'Your capture so far' in direct.text
    here = Hand(night, 'Ann', await night.open_hand('Ann'))
    assert 'Superman needs 6 more points' in here.text
    await here.select('hero-side', 'superman')
    await here.press('confirm')
    assert 'Ann tries to capture Metallo' in direct.text
    assert 'so far' not in direct.text


async def test_what_is_confirmed_is_what_the_message_shows(night: Night) -> None:
    await capturing(night)
    first = Hand(night, 'Ann', await night.open_hand('Ann'))
    await first.select('hero-side', 'superman')
    await first.select('villain-side', 'metallo')
    second = Hand(night, 'Ann', night.hand_message('Ann'))
    await second.select('hero-side', 'superman', 'x-ray-vision')
    await second.select('villain-side', 'metallo')
    await first.press('confirm')
    assert '🦸 Superman’s side: **10**' in night.board_text().replace('\u00a0', ' ')


async def test_a_choice_outlives_a_restart(night: Night, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, 'token_hex', lambda _: seed_with_a_capture())
    table = await begin(night, 'villains', 3)
    assert table.match is not None
    name = NAMES[table.turn]
    await night.slash(name, 'villains draw')
    await command(night, name, table.match.round.default_move())
    move = VILLAINS.greedy(table.match.round.observation(table.turn))
    for message in (night.hand_message(name), await night.open_hand(name)):
        hand = Hand(night, name, message)
        await hand.select('villain-side', *ids(move.villain))
        await hand.select('hero-side', *ids(move.hero))
    await night.restart()
    # In direct messages the hand was rendered again and starts over; the private one has kept what was chosen.
    assert 'Choose a Villain and the cards that go with it' in Hand(night, name, night.hand_message(name)).text
    await hand.select('villain-side', *ids(move.villain))
    assert f'Superman’s side: **{sum(CARDS[card].points for card in move.hero)}**' in hand.text
    await night.restart()
    await hand.press('confirm')
    assert f'{name} tries to capture {CARDS[move.villain[0]].name}' in night.board_text()


@cache
def seed_with_a_capture() -> str:
    """A seed whose first player can capture something after drawing from the deck."""
    for number in count():
        match = Match(VILLAINS, 3, {}, f'villains {number}')
        match.apply(DRAW_DECK)
        match.apply(match.round.default_move())
        if VILLAINS.greedy(match.round.observation(match.round.turn)).kind == 'capture':
            return match.seed
    raise AssertionError


@pytest.mark.parametrize('way', ['board', 'direct'])
async def test_a_choice_for_an_earlier_position_plays_nothing_and_the_hand_is_drawn_anew(night: Night, way: str) -> None:
    await capturing(night)
    hand = Hand(night, 'Ann', await night.open_hand('Ann') if way == 'board' else night.hand_message('Ann'))
    await hand.select('villain-side', 'metallo')
    await hand.select('hero-side', 'superman')
    old = {action: hand.control(action)['custom_id'] for action in ('confirm', 'clear', 'villain-side')}
    await night.slash('Ann', 'villains skip')
    before = night.everything()
    for action, custom_id in old.items():
        press = night.a_press('Ann', hand.message, custom_id, [str(NUMBER['metallo'])] if action == 'villain-side' else [])
        assert (await night.deliver(press))[0].endswith('Look at the board or your hand again.')
        assert 'It is Bob’s turn.' in hand.text
        assert hand.offered() == []
    assert night.everything() == before


async def test_presses_that_no_hand_offers_play_nothing(night: Night) -> None:
    await capturing(night)
    table = night.table
    before, board = night.everything()[0], night.board_text()
    where = f'{table.id}:{table.position[0]}.{table.position[1]}'
    numbers = {code: NUMBER[code] for code in ('metallo', 'superman', 'toyman', 'chemo')}
    forged = [
        f't:confirm:{where}:{numbers["toyman"]}.{numbers["superman"]}~',
        f't:confirm:{where}:{numbers["metallo"]}.{numbers["superman"]}~9',
        f't:confirm:{where}:nonsense',
        f't:confirm:{where}:9999.1.1~1',
        f't:villain-side:{where}:~',
        f't:hero-side:{where}:...~',
        f't:look:{where}:{NUMBER["x-ray-vision"]}~0',
        f't:page:{where}:99999999999999999999',
        f't:page:{where}:x',
        f't:clear:{where}:',
        f't:villain-side:{table.id}::~',
        f't:nothing:{where}:~',
    ]
    for name in ('Bob', 'Watcher'):
        for custom_id in forged:
            await night.deliver(night.a_press(name, night.board(), custom_id, ['1', 'x', '-1', '9' * 90] if 'side' in custom_id else []))
            assert codes(night.seen_by(name, night.last_id(name) - 1)) & {'lex-luthor', 'complex-scheme'} == set()
    # What Ann herself sends can show her hand to her alone, and play nothing that she does not hold.
    for custom_id in [*forged[:1], *forged[2:]]:
        await night.deliver(night.a_press('Ann', night.board(), custom_id, ['1', 'x', '9' * 90] if 'side' in custom_id else []))
    assert (night.everything()[0], night.board_text()) == (before, board)


async def test_what_cannot_be_captured_is_explained(night: Night) -> None:
    await capturing(night, 'battle-suit superman')
    hand = Hand(night, 'Ann', night.hand_message('Ann'))
    assert 'You hold no Villain, so you can’t try a capture this turn.' in hand.text
    assert (hand.labels(), hand.offered()) == (['No capture', 'All piles'], [])
    await put(night, 'amazo mongul superman kal-el perry-white', BOB, CEM, deck='mongul', phase='capture')
    assert 'Your cards bring Superman to 12 points, which does not beat any Villain you hold' in hand.text
    assert (hand.labels(), hand.offered()) == (['No capture', 'All piles'], [])


# --- the windows ------------------------------------------------------------------------------------------------------------


async def test_every_opponent_has_a_window_and_the_captor_a_second_one(night: Night) -> None:
    await capturing(night)
    await night.slash('Ann', 'villains capture', villain='metallo', heroes='superman')
    text = night.board_text()
    for line in (
        'The Villain has room for 2 Weapons, 1 Plot.',
        '-# In turn: ▶ **Bob** → Cem → Ann',
        '**Bob may help the Villain**, or pass.',
    ):
        assert line in text
    for name in ('Ann', 'Cem'):
        assert await night.press(name, 'Pass') == 'It is not your turn: Bob plays next.'

    hand = Hand(night, 'Bob', night.hand_message('Bob'))
    assert hand.offered() == [str(NUMBER[code]) for code in ('chemo', 'hi-tech-gadgets', 'revenge')]
    assert '**Help the Villain?**' in hand.text
    await hand.select('villain-side', 'chemo')
    assert '**With the cards you chose** (nothing is played yet)\n🦹 Villain’s side: **13**' in hand.text
    assert 'Superman needs 4 more points.' in hand.text
    await hand.press('confirm')
    text = night.board_text()
    for line in (
        'Bob helps the villain with 💣\u00a0Chemo\u00a08: now 13 against 10.',
        'The Villain has room for 1 Weapon, 1 Plot.',
        '-# In turn: ✔ Bob → ▶ **Cem** → Ann',
    ):
        assert line in text
    hand = Hand(night, 'Cem', await night.open_hand('Cem'))
    await hand.select('villain-side', 'spaceship', 'lois-lane-in-peril')
    await hand.press('confirm')
    text = night.board_text()
    for line in ('-# In turn: ✔ Bob → ✔ Cem → ▶ **Ann**', '**Ann may add** Powers, Allies and Equipment', 'Superman needs 16 more points.'):
        assert line in text
    assert 'room' not in text

    hand = Hand(night, 'Ann', night.hand_message('Ann'))
    assert hand.offered() == [str(NUMBER['x-ray-vision'])]
    await hand.select('hero-side', 'x-ray-vision')
    assert 'Superman needs 11 more points.' in hand.text
    await hand.select('look', '2')
    await hand.press('confirm')
    text = night.board_text().replace('\u00a0', ' ')
    assert '🦹 Metallo 5 escapes from Ann, 25 to 15.' in text
    assert 'Ann looks at the hand of Cem with X-Ray Vision.' in text
    assert '**Bob draws a card**' in text


async def test_a_window_in_which_nothing_fits_needs_one_press(night: Night) -> None:
    await capturing(night)
    await night.slash('Ann', 'villains capture', villain='metallo', heroes='superman, x-ray')
    attempt = {'villain': 'metallo chemo', 'hero': 'justice-league', 'phase': 'opponents', 'turn': 1, 'active': 0}
    await put(night, 'superman', 'superman', 'toyman', deck='mongul', **attempt)
    hand = Hand(night, 'Bob', night.hand_message('Bob'))
    assert 'You hold nothing that you could add here.' in hand.text
    assert hand.labels() == ['Pass', 'All piles']
    await hand.press('pass')
    await night.press('Cem', 'Pass')
    await night.press('Ann', 'Pass')
    text = night.board_text().replace('\u00a0', ' ')
    assert 'Ann captures 🦹 Metallo 5, 20 to 13. 13 points go to prison.' in text
    assert '🔒 Prison of Ann: 💣 Chemo 8, 🦹 Metallo 5' in text


async def test_each_window_has_its_own_turn_on_the_clock(night: Night) -> None:
    await capturing(night, pace='live')
    await night.slash('Ann', 'villains capture', villain='metallo', heroes='superman')
    deadlines = []
    for turn in (1, 2, 0):
        table = night.table
        assert (table.turn, table.match and table.match.round.facts()['active']) == (turn, 0)
        deadlines.append(table.deadline)
        assert table.deadline is not None
        assert f'<t:{int(table.deadline)}:R>' in night.board_text()
        await night.env.advance_time(table.deadline + 5 - night.bot.clock.now())
    assert deadlines == sorted(set(deadlines))
    text = night.board_text()
    assert 'Cem adds nothing.\n-# Cem ran out of time, so that move was made for them.' in text
    assert 'Ann captures' in text


# --- X-Ray Vision -------------------------------------------------------------------------------------------------------------


async def test_a_look_shows_one_hand_to_one_person(night: Night) -> None:
    await capturing(night)
    seen = set(BOB.split())
    answer = await night.slash('Ann', 'villains capture', villain='metallo', heroes='superman, x-ray', xray='bob')
    assert 'X-Ray Vision shows you the hand of Bob: 🦹\u00a0Toyman\u00a05' in answer
    assert codes(answer) >= seen
    here = Hand(night, 'Ann', await night.open_hand('Ann'))
    for text in (here.text, Hand(night, 'Ann', night.hand_message('Ann')).text, await night.slash('Ann', 'hand')):
        assert '🔎 **Hand of Bob**, only for you and until Bob draws' in text
        assert codes(text) >= seen
    for name in ('Cem', 'Watcher'):
        await night.slash(name, 'hand')
        assert codes(night.seen_by(name)) & seen == set()
    text = night.board_text()
    assert 'Ann looks at the hand of Bob with X-Ray Vision.' in text
    assert '▶ **Bob** · 5 cards · hand seen by Ann · 🔒 0 points' in text
    await night.press('Bob', 'Pass')
    await night.press('Cem', 'Pass')
    await night.press('Ann', 'Pass')
    assert codes(await night.slash('Ann', 'hand')) >= seen
    await night.press('Bob', 'Draw from deck')
    assert codes(await night.slash('Ann', 'hand')) & seen == set()
    assert 'hand seen' not in night.board_text()


@pytest.mark.parametrize(('named', 'seat'), [('Bob', 1), ('b', 1), ('1', 1), ('CEM', 2), ('2', 2)])
async def test_whose_hand_is_named_by_name_or_seat(night: Night, named: str, seat: int) -> None:
    await capturing(night)
    await night.slash('Ann', 'villains capture', villain='metallo', heroes='superman x-ray', xray=named)
    assert night.table.match is not None
    assert night.table.match.round.facts()['looks'][seat] == [0]


# --- piles --------------------------------------------------------------------------------------------------------------------


async def test_the_piles_are_there_for_all(night: Night) -> None:
    await begin(night, 'villains', 2)
    discard = 'metallo showdown superman lana-lang super-lab revenge'
    await put(night, ANN, BOB, deck='mongul kru-el', discard=discard, prisons=['lex-luthor battle-suit', 'amazo'])
    text = night.board_text().replace('\u00a0', ' ')
    for line in (
        '**Deck: 2 cards** · discard pile: 6 cards',
        '-# Last discarded: 📜 Revenge 8, 🧰 Super Lab 8, 🤝 Lana Lang 6, 🦸 Superman 10 and 2 more',
        '-# 🔒 Prison of Ann: 💣 Battle Suit 6, 🦹 Lex Luthor 15',
        'Ann 👑** · 7 cards · 🔒 21 points',
        'Bob · 5 cards · 🔒 25 points',
    ):
        assert line in text
    shown = (await night.press('Watcher', 'All piles')).replace('\u00a0', ' ')
    assert shown.splitlines() == [
        '**Discard pile: 6 cards**',
        '🦹 Villain: Metallo 5',
        '💣 Weapon: Showdown 6',
        '📜 Plot: Revenge 8',
        '🦸 Superman: Superman 10',
        '🤝 Ally: Lana Lang 6',
        '🧰 Equipment: Super Lab 8',
        '**Prison of Ann: 21 points**',
        '🦹 Villain: Lex Luthor 15',
        '💣 Weapon: Battle Suit 6',
        '**Prison of Bob: 25 points**',
        '🦹 Villain: Amazo 25',
    ]


@pytest.mark.parametrize('seats', [6, 10])
async def test_a_long_discard_pile_is_offered_in_parts(night: Night, seats: int) -> None:
    """All kinds of cards lie there, with nothing left to draw but them."""
    await begin(night, 'villains', seats, seats=seats)
    round_ = await put(night, *([''] * seats), discard=' '.join(card.id for card in CARDS))
    hand = Hand(night, 'Ann', night.hand_message('Ann'))
    assert [control['placeholder'] for control in hand.controls if control['type'] == 3] == [
        'Take Villain (1–25 of 116)',
        'Take Villain, Weapon (26–50 of 116)',
        'Take Weapon, Plot, Superman (51–75 of 116)',
    ]
    offered = hand.offered()
    assert hand.labels() == ['Next ▶', 'All piles']
    await hand.turn_to('draw discard super-lab')
    within_limits(raw(hand.message))
    assert hand.labels() == ['◀ Back', 'All piles']
    assert sorted(offered + hand.offered()) == sorted(legal(round_))
    await night.render()
    await hand.play(VillainsMove('draw', (NUMBER['super-lab'],)))
    assert 'Ann takes 🧰\u00a0Super Lab\u00a08 from the discard pile.' in night.board_text()


@pytest.mark.parametrize('seats', [6, 10])
async def test_the_fullest_table_is_within_the_limits(night: Night, seats: int) -> None:
    """The longest names and cards; prisons and piles full; a hand seen by all others; every phase, with everything chosen."""
    for name in NAMES:
        night.person(name, nick=(name + '*_`~' * 8)[:32])
    await begin(night, 'villains', seats, seats=seats)
    hands = [
        'metallo brute-force battle-suit metropolis-in-peril',
        'pete-ross-and-john-ross-in-peril pa-and-ma-kent-in-peril practical-jokes master-mind super-scientific-equipment magic-spells',
        'kal-el x-ray-vision truth-justice-and-the-american-way nightwing-and-flamebird memory-of-jor-el-and-lara insect-queen',
        'superman faster-than-a-speeding-train leap-over-tall-buildings perry-white superdog superwoman supergirl',
        'bottle-city-of-kandor-in-peril jimmy-olsen-in-peril secret-society-of-super-villains general-dru-zod kru-el amazo criminal-genius',
        'vartox j-wilbur-wolfingham ultra-humanite colonel-future black-mercy complex-scheme galactic-rule',
    ]
    attempt = ['lord-satanis-and-syrene', 'eternity-trap', 'united-nations-contacts justice-league legion-of-superheroes clark-kent']
    used = ' '.join([*hands, *attempt]).split()
    left = sorted((card for card in CARDS if card.id not in used), key=lambda card: -len(card.name))
    hands += [card.id for card in left[: seats - 6]]
    left = left[seats - 6 :]
    jail = [card.id for card in left if card.type in 'VWO']
    rest = {
        'discard': ' '.join(card.id for card in left if card.type not in 'VWO'),
        'prisons': [' '.join(jail[seat::seats]) for seat in range(seats)],
        'looks': [[], [seat for seat in range(seats) if seat != 1], *([] for _ in range(2, seats))],
        'idle': 9,
    }
    own = f'{hands[0]} {hands[2]}'.split()
    for phase in ('draw', 'discard', 'capture', 'opponents', 'second'):
        facts: dict[str, Any] = {'phase': phase, **rest}
        held = {'draw': own[:7], 'discard': own[:8], 'capture': own[:4] + own[5:8], 'opponents': hands[1].split(), 'second': own[4:]}[phase]
        if phase in ('opponents', 'second'):
            facts |= {'active': 3 if phase == 'opponents' else 0, 'villain': ' '.join(attempt[:2]), 'hero': attempt[2]}
        await put(night, ' '.join(held), hands[1] if phase != 'opponents' else hands[0], *hands[2:], **facts)
        hand = Hand(night, 'Ann', night.hand_message('Ann'))
        for action in ('villain-side', 'hero-side'):
            for menu in [control for control in hand.controls if f':{action}:' in control['custom_id']]:
                await hand.select(action, *(option['value'] for option in menu['options']))
        for message in (hand.message, await night.open_hand('Ann'), night.board(), night.hand_message('Fay')):
            within_limits(raw(message))
        await night.press('Watcher', 'All piles')
    heroes = 'truth-justice-and-the-american-way nightwing-and-flamebird x-ray-vision justice-league legion-of-superheroes kal-el'
    helpers = ('super-scientific-equipment', 'toyman', 'teleportation-device', 'pete-ross-and-john-ross-in-peril', *[''] * (seats - 5))
    await put(night, f'brute-force {heroes}', *helpers, phase='capture', **rest)
    await night.slash('Ann', 'villains capture', villain='brute-force', heroes=heroes, xray='1')
    await night.slash('Bob', 'villains add', cards=helpers[0])
    await night.slash('Cem', 'villains pass')
    await night.slash('Dora', 'villains add', cards=helpers[2])
    await night.slash('Emil', 'villains add', cards=helpers[3])
    within_limits(raw(night.board()))
    assert 'Emil' in night.board_text().partition(' may help the Villain')[2]


@pytest.mark.parametrize('seats', [6, 10])
async def test_all_cards_face_up_are_within_the_limits(night: Night, seats: int) -> None:
    await begin(night, 'villains', seats, seats=seats)
    pack = ids(VILLAINS.pack(seats))
    jail = [code for code in pack if CARDS[NUMBER[code]].type in 'VWO']
    heroes = [code for code in pack if code not in jail]
    for discard, prisons in (
        (pack, [[]] * seats),
        (heroes, [jail[seat::seats] for seat in range(seats)]),
        (heroes, [jail, *[[]] * (seats - 1)]),
    ):
        await put(night, *([''] * seats), discard=' '.join(discard), prisons=[' '.join(prison) for prison in prisons])
        within_limits(raw(night.board()))
        assert codes(await night.press('Ann', 'All piles')) == set(NUMBER)


# --- what is refused ----------------------------------------------------------------------------------------------------------

_FIVE = 'lex-luthor metallo battle-suit red-kryptonite chemo complex-scheme revenge superman kal-el x-ray-vision perry-white'
_POSITIONS: dict[str, dict[str, Any]] = {
    'draw': {'deck': 'mongul', 'discard': 'showdown'},
    'no deck': {'discard': 'showdown'},
    'no discard': {'deck': 'mongul'},
    'discard': {'deck': 'mongul', 'phase': 'discard'},
    'capture': {'deck': 'mongul', 'phase': 'capture'},
    'opponents': {'deck': 'mongul', 'phase': 'opponents', 'active': 1, 'villain': 'toyman hi-tech-gadgets', 'hero': 'superman'},
    'second': {'deck': 'mongul', 'phase': 'second', 'active': 0, 'villain': 'toyman', 'hero': 'superman'},
}
_WRONG: list[tuple[str, str, str, dict[str, str], str]] = [
    ('draw-first', 'draw', 'skip', {}, 'Draw a card first'),
    ('draw-one', 'draw', 'draw', {'from': 'showdown, metallo'}, 'Name exactly one card in the discard pile'),
    ('already-drawn', 'capture', 'draw', {}, 'You have already drawn your one card for this turn.'),
    ('deck-empty', 'no deck', 'draw', {}, 'The deck is empty. You can only draw from the discard pile'),
    ('discard-empty', 'no discard', 'draw', {'from': 'showdown'}, 'The discard pile is empty. Draw from the deck.'),
    ('not-in-discard', 'draw', 'draw', {'from': 'lex'}, '🦹 Lex Luthor 15 is not in the discard pile.'),
    ('discard-first', 'discard', 'skip', {}, 'You hold more than seven cards. Discard 1 card first.'),
    ('discard-count', 'discard', 'discard', {'cards': 'lex, metallo'}, 'You must discard exactly 1 card to get down to seven, not 2.'),
    ('no-discard', 'capture', 'discard', {'cards': 'lex'}, 'There is nothing to discard'),
    ('not-held', 'capture', 'capture', {'villain': 'toyman', 'heroes': 'superman'}, '🦹 Toyman 5 is not in your hand'),
    ('no-villain', 'capture', 'capture', {'villain': 'battle suit', 'heroes': 'superman'}, 'A capture needs a Villain first'),
    ('second-villain', 'capture', 'capture', {'villain': 'metallo, lex', 'heroes': 'superman'}, 'You can only play one Villain'),
    ('third-weapon', 'capture', 'capture', {'villain': 'metallo', 'attach': 'chemo, battle, red k'},
     'A Villain can have two Weapons at most'),
    ('second-plot', 'capture', 'capture', {'villain': 'metallo', 'attach': 'revenge, complex'}, 'A Villain can have one Plot at most'),
    ('second-superman', 'capture', 'capture', {'villain': 'metallo', 'heroes': 'superman, kal'},
     'You can only play one Superman card'),
    ('not-with-villain', 'capture', 'capture', {'villain': 'metallo, superman | kal'}, '🦸 Superman 10 belongs on Superman'),
    ('not-with-hero', 'capture', 'capture', {'villain': 'metallo | superman, chemo'}, '💣 Chemo 8 belongs on the villain'),
    ('too-weak', 'capture', 'capture', {'villain': 'lex', 'attach': 'complex', 'heroes': 'superman'},
     'Superman’s side has 10 and the villain’s side 25, bonuses included. Superman must have more, so you need 16 more points.'),
    ('one-attempt', 'second', 'capture', {'villain': 'metallo', 'heroes': 'kal'}, 'You can try only one capture a turn'),
    ('no-attempt', 'capture', 'pass', {}, 'There is no capture to add to.'),
    ('no-attempt', 'capture', 'add', {'cards': 'perry'}, 'There is no capture to add to.'),
    ('window', 'opponents', 'skip', {}, 'A capture is in progress'),
    ('only-weapon-or-plot', 'opponents', 'add', {'cards': 'perry'}, 'You can’t add 🤝 Perry White 2 here. Opponents'),
    ('third-weapon', 'opponents', 'add', {'cards': 'chemo, battle suit'}, 'A Villain can have two Weapons at most'),
    ('only-hero-cards', 'second', 'add', {'cards': 'chemo'}, 'You can’t add 💣 Chemo 8 here. Now you add only'),
    ('late-superman', 'second', 'add', {'cards': 'kal-el'}, 'You can’t add 🦸 Kal-El 10 now. A Superman card'),
    ('look-without-x-ray', 'capture', 'capture', {'villain': 'metallo', 'heroes': 'superman', 'xray': 'Bob'}, 'To look at a hand'),
    ('look-at-own-hand', 'second', 'add', {'cards': 'x-ray', 'xray': 'Ann'}, 'X-Ray Vision shows you an opponent’s hand'),
    ('look-at-nobody', 'second', 'add', {'cards': 'x-ray', 'xray': 'Zoe'},
     'There is no such seat. Seats are numbered from 0 to 1, clockwise.'),
    ('nothing-named', 'capture', 'capture', {'villain': ','}, 'Name the cards you want to play.'),
    ('unknown-card', 'discard', 'discard', {'cards': 'batman'}, 'Your list has a card that is not in this deck.'),
    ('ambiguous', 'discard', 'discard', {'cards': 'super'}, 'That name fits several cards, such as '),
    ('unreadable', 'capture', 'capture', {'villain': 'metallo | superman | kal'}, 'I can’t read that as a move in this game.'),
]  # fmt: skip


def test_every_reason_is_tried() -> None:
    assert {code for code, *_ in _WRONG} == {*VILLAINS.reasons, 'unreadable'}


async def test_a_wrong_move_is_refused_with_its_reason_and_the_legal_moves(night: Night) -> None:
    table = await begin(night, 'villains', 2)
    for code, position, verb, options, says in _WRONG:
        held = ' '.join(_FIVE.split()[:8]) if position == 'discard' else _FIVE
        round_ = await put(night, held, BOB, **_POSITIONS[position])
        before, ply = round_.copy(), table.position
        answer = (await night.slash('Ann', f'villains {verb}', **options)).replace('\u00a0', ' ')
        assert answer.startswith(says), (code, answer)
        assert (f'-# Rules: “{_title(code)}' in answer) == (code in VILLAINS.reasons)
        offered = re.findall('`([^`]+)`', answer.splitlines()[-1])
        every = legal(round_)
        assert offered == every[: len(offered)]
        assert 0 < len(offered) <= 12
        assert answer.endswith(f' and {len(every) - len(offered)} more' if len(every) > len(offered) else '`')
        assert len(answer) <= 2000
        assert (table.match.round if table.match else None) == before
        assert table.position == ply


def _title(code: str) -> str:
    return catalogues().get('en', f'villains.rules.{VILLAINS.reasons[code]}.title') if code in VILLAINS.reasons else ''


async def test_others_wait_for_their_turn(night: Night) -> None:
    await begin(night, 'villains', 2)
    await put(night, ANN, BOB, deck='mongul')
    assert await night.slash('Bob', 'villains draw') == 'It is not your turn: Ann plays next.'
    assert await night.press('Bob', 'Draw from deck') == 'It is not your turn: Ann plays next.'
    assert 'no seat' in await night.press('Watcher', 'Draw from deck')
    hand = Hand(night, 'Bob', await night.open_hand('Bob'))
    assert (hand.offered(), hand.labels()) == ([], ['All piles', 'Refresh'])


# --- commands -----------------------------------------------------------------------------------------------------------------


async def suggested(night: Night, name: str, command: str, option: str, typed: str = '', **filled: str) -> dict[str, str]:
    choices = await night.person(name).autocomplete(night.channel, command, option, typed, **filled)
    choices_within_limits(choices)
    return {choice['value']: choice['name'].replace('\u00a0', ' ') for choice in choices}


async def test_open_with_a_smaller_starting_hand(night: Night) -> None:
    table = await begin(night, 'villains', 2, hand=3, seats=3)
    assert table.most == 3
    assert [len(table.match.round.observation(None).cards('hands', seat)) for seat in range(2) if table.match] == [3, 3]
    assert 'Starting hand: 3' in night.board_text()


async def test_autocomplete_of_draws_and_discards(night: Night) -> None:
    await begin(night, 'villains', 2)
    round_ = await put(night, ANN, BOB, deck='mongul', discard='showdown lex-luthor superman superman')
    assert await suggested(night, 'Ann', 'villains draw', 'from') == {
        'deck': 'Draw from deck',
        'lex-luthor': '🦹 Lex Luthor 15 · Villain',
        'showdown': '💣 Showdown 6 · Weapon',
        'superman': '🦸 Superman 10 · Superman',
    }
    assert list(await suggested(night, 'Ann', 'villains draw', 'from', 'SHOW-')) == ['showdown']
    assert await suggested(night, 'Ann', 'villains discard', 'cards') == {}
    await put(night, *([''] * 2), discard=' '.join(card.id for card in CARDS))
    assert len(await suggested(night, 'Ann', 'villains draw', 'from')) == 25
    assert list(await suggested(night, 'Ann', 'villains draw', 'from', 'x-ray')) == ['x-ray-vision']
    assert len(await suggested(night, 'Ann', 'villains draw', 'from', '*' * 99)) == 25
    assert await suggested(night, 'Ann', 'villains draw', 'from', 'x' * 99) == {}
    round_ = await put(night, f'{ANN} amazo', BOB, deck='mongul', phase='discard')
    discards = await suggested(night, 'Ann', 'villains discard', 'cards')
    assert [f'discard {one}' for one in discards] == legal(round_)
    assert discards['amazo'] == '🦹 Amazo 25 · Villain'


async def test_autocomplete_of_captures(night: Night) -> None:
    await capturing(night, 'lex-luthor metallo battle-suit red-kryptonite superman x-ray-vision perry-white')
    assert await suggested(night, 'Ann', 'villains capture', 'villain') == {
        'lex-luthor': '🦹 Lex Luthor 15 · Villain',
        'metallo': '🦹 Metallo 5 · Villain',
    }
    assert await suggested(night, 'Ann', 'villains capture', 'attach', villain='metallo') == {
        'battle-suit': '11 to beat with Battle Suit',
        'red-kryptonite': '15 to beat with Red Kryptonite',
    }
    assert await suggested(night, 'Ann', 'villains capture', 'heroes', villain='metal', attach='red k') == {
        'perry-white superman x-ray-vision': '17 against 15: Perry White, Superman, X–Ray Vision'
    }
    heroes = await suggested(night, 'Ann', 'villains capture', 'heroes', villain='metallo')
    assert list(heroes.values())[:2] == ['7 against 5: Perry White, X–Ray Vision', '10 against 5: Superman']
    assert list(await suggested(night, 'Ann', 'villains capture', 'heroes', 'super, ray', villain='metallo')) == [
        'superman x-ray-vision', 'perry-white superman x-ray-vision',
    ]  # fmt: skip
    assert await suggested(night, 'Ann', 'villains capture', 'heroes', villain='amazo') == {}
    assert '10: Superman' in (await suggested(night, 'Ann', 'villains capture', 'heroes')).values()
    assert await suggested(night, 'Ann', 'villains capture', 'heroes', villain='?!') != {}
    assert await suggested(night, 'Ann', 'villains capture', 'xray') == {'1': 'Bob', '2': 'Cem'}
    for name in ('Bob', 'Watcher'):
        for option in ('villain', 'attach', 'heroes'):
            assert await suggested(night, name, 'villains capture', option) == {}


async def test_autocomplete_of_additions(night: Night) -> None:
    await begin(night, 'villains', 2)
    attempt = {'villain': 'toyman chemo', 'hero': 'superman kal-el', 'phase': 'opponents', 'active': 1}
    await put(night, 'toyman hi-tech-gadgets revenge superman', ANN, **attempt)
    assert await suggested(night, 'Ann', 'villains add', 'cards') == {
        'hi-tech-gadgets': 'Villain 21, Superman 20 with Hi-Tech Gadgets',
        'revenge': 'Villain 21, Superman 20 with Revenge',
        'hi-tech-gadgets revenge': 'Villain 29, Superman 20 with Hi-Tech Gadgets, Revenge',
    }
    await put(night, 'superman x-ray-vision perry-white', BOB, villain='toyman chemo', hero='superman', phase='second', active=0)
    assert await suggested(night, 'Ann', 'villains add', 'cards') == {
        'perry-white': 'Villain 13, Superman 12 with Perry White',
        'x-ray-vision': 'Villain 13, Superman 15 with X–Ray Vision',
        'perry-white x-ray-vision': 'Villain 13, Superman 17 with Perry White, X–Ray Vision',
    }
    assert await suggested(night, 'Bob', 'villains add', 'cards') == {}


@pytest.mark.parametrize(
    'options',
    [
        {'villain': 'metallo', 'attach': 'battle suit', 'heroes': 'superman, x-ray vision'},
        {'villain': 'metallo, battle suit, superman, x-ray vision'},
        {'villain': 'metallo, battle suit | superman, x-ray vision'},
        {'villain': 'capture METALLO and battle-suit', 'heroes': 'x-ray, Superman'},
        {'villain': 'metallo', 'attach': 'battle, superman', 'heroes': 'x-ray'},
        {'villain': 'metallo', 'heroes': 'superman x-ray-vision battle-suit'},
    ],
)
async def test_a_capture_is_typed_in_parts_or_as_a_whole(night: Night, options: dict[str, str]) -> None:
    await capturing(night)
    await night.slash('Ann', 'villains capture', **options)
    text = night.board_text().replace('\u00a0', ' ')
    assert '🦹 Villain’s side: **11**\n🦹 Metallo 5, 💣 Battle Suit 6' in text
    assert '🦸 Superman’s side: **15**\n🦸 Superman 10, ⚡ X–Ray Vision 5' in text


async def test_the_answer_to_a_command_tells_what_was_drawn_and_what_can_be_done(night: Night) -> None:
    await begin(night, 'villains', 2)
    await put(night, 'toyman superman', BOB, deck='mongul kru-el')
    answer = await night.slash('Ann', 'villains draw')
    assert answer.replace('\u00a0', ' ') == (
        'Ann draws from the deck.\nYou drew 🦹 Mongul 17.\nYou can: `skip`, `capture toyman | superman`'
    )


async def test_the_last_turn_is_announced(night: Night) -> None:
    await begin(night, 'villains', 2)
    await put(night, ANN, BOB, deck='mongul', idle=3)
    assert '3 turns without a card from the deck or a capture. After 4 in a row the game ends.' in night.board_text()
    await night.slash('Ann', 'villains draw')
    assert '**The deck is empty. This is the last turn.**' in night.board_text()
