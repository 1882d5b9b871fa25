"""A game night for tests: the real bot over simcord, a server with a channel, people, and what each of them can see.

What no client of Discord would send (stale and hostile presses, two deliveries) is built with undocumented parts of the pinned
simcord, here and nowhere else.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import discord
import simcord
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType
from simcord.interactions import base_payload
from simcord.results import InteractionResult

from bot.app import CardBot, create_bot
from bot.tables.table import Table


def texts_of(components: Iterable[dict[str, Any]]) -> list[str]:
    """All texts in a message's components, labels, options of menus and descriptions of pictures included."""
    found = []
    for part in components:
        found += [str(part[key]) for key in ('content', 'label', 'description', 'placeholder') if part.get(key)]
        found += texts_of(part.get('components') or [])
        found += texts_of(part.get('options') or [])
        found += texts_of(part.get('items') or [])
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


Press = tuple[Any, dict[str, Any]]
"""An interaction on its way: simcord's record of it, and what Discord would send."""


@dataclass
class Night:
    """One server with one channel, and people who act there."""

    env: simcord.Env
    bot: CardBot
    guild: Any
    channel: Any
    people: dict[str, Any] = field(default_factory=dict)
    users: dict[str, Any] = field(default_factory=dict)

    def person(self, name: str, **member: Any) -> Any:
        """A member of the server; made when first asked for, `member` as in simcord's `add_member`."""
        if name not in self.people:
            if name not in self.users:
                self.users[name] = self.env.create_user(f'user{len(self.users)}', global_name=name)
            self.people[name] = self.guild.add_member(self.users[name], **member)
        return self.people[name]

    def moderator(self, name: str) -> Any:
        """A member who may manage the server's channels."""
        return self.person(name, roles=[self.guild.create_role('crew', permissions=discord.Permissions(manage_channels=True))])

    def in_channel(self, channel: Any) -> Night:
        """The same night, seen from another channel or thread of the server."""
        return Night(self.env, self.bot, self.guild, channel, self.people, self.users)

    def in_server(self, name: str) -> Night:
        """The same people in another server, in its channel `cards`."""
        guild = self.env.create_guild(name)
        return Night(self.env, self.bot, guild, guild.create_text_channel('cards'), {}, self.users)

    async def thread(self, name: str) -> Night:
        """The same night in a new thread of the channel."""
        await self.bot.get_channel(self.channel.id).create_thread(name=name, type=discord.ChannelType.public_thread)
        return self.in_channel(next(thread for thread in self.channel.threads if thread.name == name))

    async def begin(self, *names: str, **options: Any) -> Table:
        """A match of the 1978 game between these people; the first one opens the table, with these options."""
        await self.slash(names[0], 'superman open', **options)
        for name in names[1:]:
            await self.press(name, 'Join')
        await self.press(names[0], 'Start')
        return self.table

    def name_of_turn(self) -> str:
        """Whose turn it is at the table in the channel."""
        match = self.table.match
        assert match is not None
        return self.table.name(match.round.turn)

    def legal(self) -> list[str]:
        """The legal moves of the player on turn at the table in the channel."""
        match = self.table.match
        assert match is not None
        return [match.round.format_move(move) for move in match.round.legal_moves()]

    def put(self, hands: Sequence[str], pile: str, stock: str = 'B1 B2', turn: int = 0, **facts: Any) -> None:
        """Lays out a position of the 1978 game at the table in the channel."""
        match, card = self.table.match, self.table.game.card
        assert match is not None
        zones = {'hands': [[card(one) for one in hand.split()] for hand in hands]} | {
            name: [card(one) for one in cards.split()] for name, cards in (('pile', pile), ('stock', stock))
        }
        match.round = match.game.position(match.seats, match.options, zones, {'turn': turn, **facts})

    async def move(self) -> str:
        """Makes the first legal move for the player on turn, by slash command; its text."""
        text = self.legal()[0]
        verb, _, card = text.partition(' ')
        await self.slash(self.name_of_turn(), f'{self.table.game.id} {verb}', **({'card': card} if card else {}))
        return text

    async def play_out(self) -> Table:
        """Plays the match to its end; returns its table."""
        table = self.table
        while table.state == 'playing':
            await self.move()
        return table

    def retry_after(self, *pauses: float) -> None:
        """Boards and hands that Discord refuses are tried again after these seconds; to be called before there are any."""
        self.bot.chat.boards.retry_pauses = self.bot.chat.hands.retry_pauses = pauses

    def let_tokens_die(self) -> None:
        """Fifteen minutes pass for the tokens of all presses, and for nothing else."""
        self.bot.chat.tokens._fresh.clear()

    async def restart(self) -> None:
        """The bot ends without closing anything, and another one takes over its database."""
        bot = create_bot(self.bot.settings, store=self.bot.store, clock=self.bot.clock)
        await self.env.restart_bot(bot)
        self.bot = bot

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

    # --- what no real client does, or Discord does only now and then -----------------------------------------------

    def a_press(self, name: str, message: Any, custom_id: str, values: Sequence[str] = ()) -> Press:
        """A press of a button (or with `values`, of a menu) that need not be on the message, to `deliver`."""
        person = self.person(name)
        direct = message.channel.id == person.user.dm_channel.id
        data = {'custom_id': custom_id, 'component_type': 3 if values else 2} | ({'values': list(values)} if values else {})
        record, payload = base_payload(
            self.env.backend,
            type=3,
            channel_id=message.channel.id,
            guild_id=None if direct else self.guild.id,
            user_id=person.id,
            data=data,
        )
        stored = self.env.backend.get_message(message.channel.id, message.id)
        payload['message'] = dict(serializers.message_payload(self.env.backend, stored))
        record.source_message_id = message.id
        return record, payload

    def a_command(self, name: str, command: str, **options: str | int) -> Press:
        """A slash command with any texts and numbers as options, which need not exist, to `deliver`."""
        given = [{'name': option, 'type': 4 if isinstance(value, int) else 3, 'value': value} for option, value in options.items()]
        return self._command(2, name, command, given)

    def a_typing(self, name: str, command: str, option: str, typed: str) -> Press:
        """The request for an autocomplete, to `deliver`."""
        return self._command(4, name, command, [{'name': option, 'type': 3, 'value': typed, 'focused': True}])

    def _command(self, kind: int, name: str, command: str, options: list[dict[str, Any]]) -> Press:
        root, *rest = command.split()
        for verb in reversed(rest):
            options = [{'name': verb, 'type': 1, 'options': options}]
        found = self.env.backend.find_command(root, self.guild.id, type=1) or {'id': '1'}
        data = {'id': found['id'], 'name': root, 'type': 1, 'options': options}
        return base_payload(
            self.env.backend, type=kind, channel_id=self.channel.id, guild_id=self.guild.id, user_id=self.person(name).id, data=data
        )

    async def deliver(self, *presses: Press) -> list[str]:
        """Delivers these, one right after the other (the same one twice, too), then waits; the text of what each was told."""
        for _, payload in presses:
            self.env.backend.emit('INTERACTION_CREATE', payload)
        await self.env.settle()
        return [answer_text(InteractionResult(self.env, record)) for record, _ in presses]

    async def deliver_again(self, press: Press) -> str:
        """Delivers one that was answered before, as if Discord had lost its acknowledgement and took a second one; all that was said."""
        record, _ = press
        record.responded = False
        [said] = await self.deliver(press)
        return said

    async def dispatch(self, event: str, *args: Any) -> None:
        """Has discord.py dispatch an event to the bot, such as `disconnect`, then waits."""
        with self.env._bot_scope():
            self.bot.dispatch(event, *args)
        await self.env.settle()

    async def render(self) -> None:
        """Has the board and the hands of the table in the channel rendered, then waits."""
        with self.env._bot_scope():
            self.bot.chat.updates.show(self.table)
        await self.env.settle()

    async def gateway(self, event: str, **payload: Any) -> None:
        """Has Discord send a gateway event, then waits."""
        self.env.backend.emit(event, payload)
        await self.env.settle()

    def guild_payload(self) -> dict[str, Any]:
        """The server as `GUILD_CREATE` tells of it."""
        return dict(serializers.guild_create_payload(self.env.backend, self.env.backend.get_guild(self.guild.id)))

    def close_direct(self, name: str) -> None:
        """This person's direct messages are closed from now on."""
        path = f'/channels/{self.person(name).user.dm_channel.id}/messages'
        self.env.inject_error('POST', path, status=403, code=50007, message='Cannot send messages to this user', times=None)

    def deny(self, *rights: str, channel: Any = None) -> None:
        """Takes rights from the bot in the channel; called again with others, gives these back. Without any, gives all back."""
        channel = channel or self.channel
        denied = discord.Permissions(**dict.fromkeys(rights, True)).value
        everyone = Overwrite(target_id=self.guild.id, type=OverwriteType.ROLE, allow=0, deny=denied)
        self.env.backend.set_overwrite(channel.id, everyone)

    def said(self, channel: Any = None) -> list[str]:
        """The plain messages in the channel (no boards), oldest first."""
        return [message.content for message in (channel or self.channel).history() if message.content]

    def told(self, name: str) -> list[str]:
        """The plain messages in this person's direct messages (no hands), oldest first."""
        return self.said(self.person(name).user.dm_channel)

    def dismiss(self) -> None:
        """Everyone dismisses the private answers that they have got so far."""
        for messages in self.env.backend.messages.values():
            for message in [message for message in messages.values() if message.is_ephemeral]:
                del messages[message.id]

    # --- seeing ----------------------------------------------------------------------------------------------------

    def stored(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of the database by table, read from its file."""
        file = str(self.bot.settings.database_url).removeprefix('sqlite:///')
        with closing(sqlite3.connect(f'file:{file}?mode=ro', uri=True)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            return {table: connection.execute(f'SELECT * FROM "{table}"').fetchall() for table in tables}

    def last_move(self) -> str:
        """The text of the move that was stored last, at any table; empty before the first one."""
        file = str(self.bot.settings.database_url).removeprefix('sqlite:///')
        with closing(sqlite3.connect(f'file:{file}?mode=ro', uri=True)) as connection:
            found = connection.execute('SELECT text FROM move ORDER BY table_id DESC, round DESC, ply DESC LIMIT 1').fetchone()
        return str(found[0]) if found else ''

    def everything(self) -> Any:
        """All that a refusal must leave as it was: the open tables, their matches, and the database."""
        tables = [
            (
                table.id,
                table.state,
                table.host_id,
                table.seats,
                table.position,
                table.match and (table.match.totals, table.match.round.zones(), table.match.round.facts()),
            )
            for table in self.bot.host.tables
        ]
        return tables, self.stored()

    def board(self) -> Any:
        """The board of the open table, or the last board in the channel."""
        boards = [message for message in self.channel.history() if message.author.id == self.bot.user.id and message.components]
        assert boards, 'no board in the channel'
        return boards[-1]

    def board_text(self) -> str:
        return '\n'.join(texts_of(raw(self.board())))

    def hand_message(self, name: str) -> Any:
        """The last hand in that person's direct messages."""
        return [message for message in self.person(name).user.dm_channel.history() if message.components][-1]

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
    """What an interaction's answers say to the person alone, all together; not the board or hand that was pressed."""
    messages = [message for message in (result.response, *result.followups) if message and message.ephemeral]
    return '\n'.join('\n'.join([message.content, *texts_of(message.components)]).strip() for message in messages)


def codes(text: str) -> set[str]:
    """The codes of the cards of the 1978 game that a text names."""
    return set(re.findall(r'(?<![A-Za-z0-9])([BRGY][1-4])(?![A-Za-z0-9])', text))
