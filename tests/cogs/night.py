"""A game night for tests: the real bot over simcord, a server with a channel, people, and what each of them can see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import discord
import simcord

from bot.app import CardBot
from bot.table import Table


def texts_of(components: Iterable[dict[str, Any]]) -> list[str]:
    """All texts in a message's components, labels and options of menus included."""
    found = []
    for part in components:
        found += [str(part[key]) for key in ('content', 'label', 'description', 'placeholder') if part.get(key)]
        found += texts_of(part.get('components') or [])
        found += texts_of(part.get('options') or [])
    return found


def controls_of(components: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """All buttons and menus in a message's components."""
    found = []
    for part in components:
        found += [part] if part.get('custom_id') else []
        found += controls_of(part.get('components') or [])
    return found


def raw(message: discord.Message) -> list[dict[str, Any]]:
    """A message's components as Discord has them."""
    return [component.to_dict() for component in message.components]


@dataclass
class Night:
    """One server with one channel, and people who act there."""

    env: simcord.Env
    bot: CardBot
    guild: Any
    channel: Any
    people: dict[str, Any] = field(default_factory=dict)

    def person(self, name: str) -> Any:
        """A member of the server; made when first asked for."""
        if name not in self.people:
            self.people[name] = self.guild.add_member(self.env.create_user(name.lower(), global_name=name))
        return self.people[name]

    @property
    def table(self) -> Table:
        """The open table in the channel."""
        table = self.bot.host.in_channel(self.channel.id)
        assert table is not None
        return table

    # --- acting ----------------------------------------------------------------------------------------------------

    async def slash(self, name: str, command: str, **options: Any) -> str:
        """Uses a slash command in the channel; the text of the private answer."""
        result = await self.person(name).slash(self.channel, command, **options)
        return answer_text(result)

    async def direct(self, name: str, command: str, **options: Any) -> str:
        """Uses a slash command in direct messages; the text of the answer."""
        return answer_text(await self.person(name).user.slash(command, **options))

    async def press(self, name: str, label: str, message: Any = None) -> str:
        """Presses a button of the board (or of another message); the text of what that person alone was told."""
        message = message or self.board()
        result = await self.person(name).click(message, custom_id=self._id(message, label))
        return answer_text(result)

    async def open_hand(self, name: str) -> Any:
        """Presses “My hand” on the board; the private message that comes."""
        result = await self.person(name).click(self.board(), custom_id=self._id(self.board(), 'My hand'))
        return result.followups[-1].message

    async def play_from(self, name: str, message: Any, move: str) -> str:
        """Plays a move with the menus and buttons of a hand message, in the channel or in direct messages."""
        person = self.person(name)
        direct = message.channel.id == person.user.dm_channel.id
        actor = person.user if direct else person
        for control in controls_of(raw(message)):
            if control['type'] == 3 and any(option['value'] == move for option in control['options']):
                return answer_text(await actor.select(message, custom_id=control['custom_id'], values=[move]))
            if control['type'] == 2 and control['custom_id'].endswith(f':{move}'):
                return answer_text(await actor.click(message, custom_id=control['custom_id']))
        raise AssertionError(f'{name} has no control for {move}: {[control["custom_id"] for control in controls_of(raw(message))]}')

    @staticmethod
    def _id(message: Any, label: str) -> str:
        for control in controls_of(raw(message)):
            if control.get('label') == label:
                return str(control['custom_id'])
        raise AssertionError(f'no button {label!r}: {[control.get("label") for control in controls_of(raw(message))]}')

    # --- seeing ----------------------------------------------------------------------------------------------------

    def board(self) -> Any:
        """The board of the open table, or the last board in the channel."""
        boards = [message for message in self.channel.history() if message.author.id == self.bot.user.id and message.components]
        assert boards, 'no board in the channel'
        return boards[-1]

    def board_text(self) -> str:
        return '\n'.join(texts_of(raw(self.board())))

    def hand_message(self, name: str) -> Any:
        """The last message in that person's direct messages."""
        return self.person(name).user.dm_channel.history()[-1]

    def last_id(self, name: str) -> int:
        """The id of the newest message that this person can see in the channel."""
        return max((message.id for message in self.channel.history(viewer=self.person(name))), default=0)

    def seen_by(self, name: str, since: int = 0) -> str:
        """Everything that this person can read now: the channel, direct messages, and private answers newer than `since`."""
        person = self.person(name)
        shown = [message for message in self.channel.history(viewer=person) if not message.flags.ephemeral or message.id > since]
        messages = [*shown, *person.user.dm_channel.history()]
        return '\n'.join('\n'.join([message.content, *texts_of(raw(message)), json.dumps(raw(message))]) for message in messages)


def answer_text(result: Any) -> str:
    """What an interaction's answers say, all together."""
    messages = [*([result.response] if result.response else []), *result.followups]
    return '\n'.join('\n'.join([message.content, *texts_of(message.components)]).strip() for message in messages)


def codes(text: str) -> set[str]:
    """The codes of the cards of the 1978 game that a text names."""
    return set(re.findall(r'(?<![A-Za-z0-9])([BRGY][1-4])(?![A-Za-z0-9])', text))
