"""How games are played in tests: beginning a match, using all menus of a hand, and looking for cards that somebody may not see."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from bot.engines.base import HIDDEN, Round, param_kind
from bot.tables.table import Table

from .limits import within_limits
from .night import Night, controls_of, raw, texts_of

NAMES = ('Ann', 'Bob', 'Cem', 'Dora', 'Emil', 'Fay', 'Gus', 'Hal', 'Ida', 'Jo', 'Kim')
WATCHER = 'Watcher'
"""Somebody without a seat."""
_SUITS = dict(zip('♠♣♦♥', 'SCDH', strict=True))


def plain(text: str) -> str:
    """A text without the selectors that keep suits from being emoji, and with ordinary spaces."""
    return text.replace('\ufe0e', '').replace('\u00a0', ' ')


def shown(message: Any) -> str:
    """All texts of a message, labels and options of menus included."""
    return plain('\n'.join([*([message.content] if message.content else []), *texts_of(raw(message))]))


def pack_codes(text: str) -> set[str]:
    """The cards of the ordinary pack that a text names: as signs (`10♥`), or as codes (`TH`) in menus and custom ids."""
    found = re.findall(r'(?<![A-Za-z0-9])(10|[A2-9TJQK])([♠♣♦♥SCDH])(?![A-Za-z0-9])', plain(text))
    return {rank.replace('10', 'T') + _SUITS.get(suit, suit) for rank, suit in found}


def running(table: Table) -> Round:
    """The round that is being played."""
    assert table.match is not None
    return table.match.round


def legal(round_: Round) -> list[str]:
    """The texts of the legal moves."""
    return [round_.format_move(move) for move in round_.legal_moves()]


async def begin(night: Night, game: str, seats: int, /, **options: object) -> Table:
    """A match of this game between the first of `NAMES`, opened with these options."""
    await night.slash(NAMES[0], f'{game} open', **options)
    for name in NAMES[1:seats]:
        await night.press(name, 'Join')
    await night.press(NAMES[0], 'Start')
    return night.table


async def lay(night: Night, round_: Round) -> Round:
    """Makes a position the one that is played at the table, and has everything rendered."""
    table = night.table
    assert table.match is not None
    table.match.round = round_
    table.recent.clear()
    table.last_move = None
    await night.render()
    return round_


class HandMessage:
    """A hand of one player, in the channel or in direct messages, and what can be done with its menus and buttons."""

    def __init__(self, night: Night, name: str, message_id: int, *, direct: bool) -> None:
        self.night, self.name, self.id, self.direct = night, name, message_id, direct

    @classmethod
    async def opened(cls, night: Night, name: str) -> HandMessage:
        """The private hand that “My hand” on the board brings."""
        return cls(night, name, (await night.open_hand(name)).id, direct=False)

    @classmethod
    def sent(cls, night: Night, name: str) -> HandMessage:
        """The hand in direct messages."""
        return cls(night, name, night.hand_message(name).id, direct=True)

    @property
    def message(self) -> Any:
        """The message as it is now."""
        person = self.night.person(self.name)
        history = person.user.dm_channel.history(viewer=person.user) if self.direct else self.night.channel.history(viewer=person)
        return next(message for message in history if message.id == self.id)

    @property
    def text(self) -> str:
        return shown(self.message)

    def menus(self, action: str) -> list[dict[str, Any]]:
        """The menus with this action."""
        return [control for control in controls_of(raw(self.message)) if control['type'] == 3 and f':{action}:' in control['custom_id']]

    def menu(self, action: str) -> dict[str, Any] | None:
        """The first menu with this action."""
        return next(iter(self.menus(action)), None)

    def options(self, action: str) -> dict[str, str]:
        """The options of all menus with this action: values and labels."""
        return {option['value']: plain(option['label']) for menu in self.menus(action) for option in menu['options']}

    def buttons(self) -> dict[str, str]:
        """The moves that its buttons play, and their labels."""
        found = [one for one in controls_of(raw(self.message)) if ':play:' in one['custom_id']]
        return {one['custom_id'].rpartition(':')[2]: plain(one['label']) for one in found}

    def offered(self) -> list[str]:
        """The moves that one more press plays."""
        return [*self.options('choose'), *self.buttons()]

    async def press(self, action: str, argument: str = '') -> str:
        """Presses the button with this action and argument; what was said besides."""
        custom_id = next(
            one['custom_id']
            for one in controls_of(raw(self.message))
            if one['type'] == 2 and f':{action}:' in one['custom_id'] and one['custom_id'].endswith(f':{argument}')
        )
        return self._said(await self._actor.click(self.message, custom_id=custom_id))

    async def choose(self, action: str, *values: str) -> str:
        """Chooses in the menu with this action that has these values; what was said besides."""
        menus = [menu for menu in self.menus(action) if {*values} <= {option['value'] for option in menu['options']}]
        assert menus, f'no menu {action} with {values}'
        return self._said(await self._actor.select(self.message, custom_id=menus[0]['custom_id'], values=list(values)))

    @property
    def _actor(self) -> Any:
        person = self.night.person(self.name)
        return person.user if self.direct else person

    def _said(self, result: Any) -> str:
        messages = [message for message in (result.response, *result.followups) if message and message.id != self.id]
        return plain('\n'.join('\n'.join([message.content, *texts_of(message.components)]).strip() for message in messages))


class PrivateHands:
    """The private hands that players open from the board once, and refresh when their turn has come."""

    def __init__(self, night: Night) -> None:
        self.night = night
        self.hands: dict[str, HandMessage] = {}

    async def of(self, name: str, *, refresh: bool = True) -> HandMessage:
        """The hand of this player as it is now; without `refresh` as the last press there has left it."""
        if name not in self.hands:
            self.hands[name] = await HandMessage.opened(self.night, name)
        elif refresh:
            await self.hands[name].press('refresh')
        return self.hands[name]


class LeakWatch:
    """Everyone at the table and a watcher, and the cards that each of them may know now."""

    def __init__(
        self,
        night: Night,
        players: Sequence[str],
        codes: Callable[[str], Collection[str]],
        carried: Callable[[list[dict[str, Any]]], Collection[str]] = lambda components: (),
    ) -> None:
        """`codes` finds the cards that a text names, as the game writes them in records; `carried` those that menus and buttons carry in
        another form."""
        self.night, self.codes, self.carried = night, codes, carried
        self.names = (*players, WATCHER)
        self.looked: dict[int, str] = {}
        self.before: dict[str, set[str]] = {name: set() for name in self.names}

    def look(self, table: Table) -> None:
        """Fails when anybody can read a card that they may not know, or a message goes over Discord's limits.

        Private answers are looked at when they are new or have changed, and may also speak of what was to be seen before the last move.
        """
        card_text = table.game.card_text
        for name in self.names:
            person = self.night.person(name)
            seat = table.seat_of(person.id)
            told = [event.params for event in table.recent if event.seen_by is None or seat in event.seen_by]
            named = [card for params in told for name, value in params.items() for card in _cards(name, value)]
            seen = [card for zone in table.observation(person.id).zones for card in zone.cards if card is not None and card != HIDDEN]
            known = {card_text(card) for card in [*named, *seen]}
            for message in [*self.night.channel.history(viewer=person), *person.user.dm_channel.history(viewer=person.user)]:
                text = f'{shown(message)}\n{json.dumps(raw(message), ensure_ascii=False)}'
                if message.flags.ephemeral and self.looked.get(message.id) == text:
                    continue
                self.looked[message.id] = text
                within_limits(raw(message))
                leaked = {*self.codes(text), *self.carried(raw(message))} - known
                assert not leaked - (self.before[name] if message.flags.ephemeral else set()), f'{name} can read {leaked}'
            self.before[name] = known


def _cards(name: str, value: Any) -> Sequence[int]:
    """The cards that a parameter of an event names."""
    match param_kind(name):
        case 'card' if isinstance(value, int):
            return [value]
        case 'cards':
            return list(value)
    return []
