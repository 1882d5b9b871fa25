"""What the cogs share: which table somebody means, opening one, playing a move, showing a hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands

from ..engines.base import MoveError
from ..tables.seats import Person
from ..tables.table import Table, TableError
from .hands import Hands, render_hand
from .private_hands import PrivateHands
from .replies import Answer, Edit, Reply, is_private
from .services import Services


class Actions:
    """What people do at tables, from any command or button."""

    def __init__(self, services: Services, hands: Hands, private_hands: PrivateHands) -> None:
        self._services = services
        self._hands = hands
        self._private_hands = private_hands

    # --- which table -------------------------------------------------------------------------------------------------

    def find_table(self, interaction: discord.Interaction, game_id: str | None = None) -> Table | None:
        """The table that an interaction means, or None: see `table_for`."""
        try:
            return self.table_for(interaction, game_id)
        except TableError:
            return None

    def table_for(self, interaction: discord.Interaction, game_id: str | None = None) -> Table:
        """The table that an interaction means: in a server the one in the channel; in direct messages the only one where the
        person sits.

        With `game_id` only a table of that game, and a move is meant: among several tables the only one that waits for the person.
        Raises TableError `no-table`, `other-game`, or as `my_table`.
        """
        if interaction.guild_id is not None:
            table = self._services.host.in_channel(interaction.channel_id or 0)
            if table is None:
                raise TableError('no-table')
            if game_id not in (None, table.game.id):
                raise TableError('other-game', command=table.game.id)
            return table
        return self.my_table(interaction.user.id, game_id, waiting=game_id is not None)

    def my_table(self, user_id: int, game_id: str | None = None, *, waiting: bool) -> Table:
        """The only table where this person sits, or with `waiting` the only one that waits for them; with `game_id` only of that game.

        Raises TableError `no-seat-anywhere`, `no-seat-in-game` or `which-table`.
        """
        tables = self._services.host.tables_of(user_id)
        mine = [table for table in tables if game_id in (None, table.game.id)]
        if not mine:
            raise TableError('no-seat-in-game' if tables else 'no-seat-anywhere')
        if len(mine) > 1 and waiting:
            turns = [table for table in mine if table.state == 'playing' and table.turn == table.seat_of(user_id)]
            mine = turns if len(turns) == 1 else mine
        if len(mine) > 1:
            raise TableError('which-table', n=len(mine))
        return mine[0]

    # --- which game --------------------------------------------------------------------------------------------------

    def game_choices(self, interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """The games whose name or id holds what was typed, for an autocomplete."""
        language = self._services.languages.of(interaction)
        names = [(language(f'{game_id}.name'), game_id) for game_id in sorted(self._services.game_views)]
        return [
            app_commands.Choice(name=name, value=game_id) for name, game_id in names if typed.casefold() in f'{name} {game_id}'.casefold()
        ]

    def game_named(self, interaction: discord.Interaction, typed: str) -> str:
        """The id of the game that somebody named, by its id or its name. Raises TableError `no-game`."""
        language, wanted = self._services.languages.of(interaction), typed.strip().casefold()
        for game_id in self._services.game_views:
            if wanted in (game_id, language(f'{game_id}.name').casefold()):
                return game_id
        raise TableError('no-game', games=language.listed(f'`{game_id}`' for game_id in sorted(self._services.game_views)))

    # --- opening and playing -----------------------------------------------------------------------------------------

    async def open_table(
        self, interaction: discord.Interaction, game_id: str, options: Mapping[str, Any], most: int | None, pace: str | None
    ) -> Answer:
        """Opens a table in the channel of the interaction, and pings those who want to know.

        Raises TableError as `may_open`, or as `Host.open`.
        """
        self.may_open(interaction)
        assert interaction.guild_id is not None
        assert interaction.channel_id is not None
        services = self._services
        chosen = services.preferences.server(interaction.guild_id)
        pace = pace or services.settings.default_pace or chosen.pace
        who = person(interaction.user)
        table = await services.host.open(interaction.guild_id, interaction.channel_id, game_id, who, options, most=most, pace=pace)
        subscribed = (*chosen.subscribers.get(game_id, ()), *chosen.subscribers.get('', ()))
        subscribers = [user_id for user_id in subscribed if user_id != who.id]
        if subscribers or chosen.ping_role:
            services.clock.spawn(services.notices.ping(table, 'opened', subscribers, chosen.ping_role))
        return services.languages.of(interaction)('table.opened')

    def may_open(self, interaction: discord.Interaction) -> None:
        """Raises TableError `guild-only`, `missing-permissions`, `not-here` or `not-you` unless the person who acts may open a table in
        the channel of this interaction."""
        if interaction.guild_id is None:
            raise TableError('guild-only')
        require_permissions(interaction)
        chosen = self._services.preferences.server(interaction.guild_id)
        places = {interaction.channel_id, getattr(interaction.channel, 'parent_id', None)}
        if chosen.channels and not places & set(chosen.channels):
            raise TableError('not-here', channels=' '.join(f'<#{channel}>' for channel in chosen.channels))
        roles = {role.id for role in getattr(interaction.user, 'roles', [])}
        if chosen.host_role is not None and chosen.host_role not in roles and not is_moderator(interaction):
            raise TableError('not-you', role=f'<@&{chosen.host_role}>')

    async def play_move(self, interaction: discord.Interaction, table: Table, text: str, made_for: tuple[int, int] | None = None) -> Answer:
        """Plays a move for the person who acts, and says what only they need to know. Raises TableError and StorageError."""
        languages, user_id = self._services.languages, interaction.user.id
        if interaction.type is discord.InteractionType.component and made_for is None:  # a button of an earlier version
            table.seat(user_id)
            return self.stale(interaction, table)
        try:
            draft = await self._services.host.play(table.id, user_id, text, interaction_id=interaction.id, made_for=made_for)
        except MoveError as error:
            return languages.of(interaction).refusal(error, table, _legal(table, user_id))
        except TableError as error:
            if error.code == 'stale':
                return self.stale(interaction, table)
            raise
        if _in_hand(interaction):
            return self.hand_reply(interaction, table)
        language = languages.of(interaction)
        seen = [event for event in draft.events if event.seen_by is None or draft.seat_no in event.seen_by]
        lines = [line for event in seen if (line := language.event(table, event))]
        if legal := _legal(table, user_id):
            lines.append(language.legal(legal))
        return '\n'.join(lines) or None

    async def take_back(self, interaction: discord.Interaction, table: Table, made_for: tuple[int, int] | None = None) -> Answer:
        """Takes back the last move of the person who acts. Raises TableError and StorageError."""
        component = interaction.type is discord.InteractionType.component
        try:
            if component and made_for is None:
                raise TableError('stale')
            await self._services.host.take_back(table.id, interaction.user.id, made_for)
        except TableError as error:
            if error.code == 'stale':
                return self.stale(interaction, table)
            raise
        return (
            self.hand_reply(interaction, table) if is_private(interaction) else self._services.languages.of(interaction)('table.taken-back')
        )

    def stale(self, interaction: discord.Interaction, table: Table) -> Answer:
        """What was pressed was made for an earlier position, so nothing is done; but the messages of the table are brought up to date."""
        self._services.updates.show(table)
        text = self._services.languages.of(interaction).refusal(TableError('stale'))
        return replace(self.hand_reply(interaction, table), text=text) if _in_hand(interaction) else text

    def hand_reply(self, interaction: discord.Interaction, table: Table, rows: list[discord.ui.ActionRow[Any]] | None = None) -> Reply:
        """The hand of the person who acts: where they pressed something in their hand it replaces that, else it comes as a private answer.

        `rows` as in `bot.ui.hand.hand`. Raises TableError `not-seated`.
        """
        in_hand, user_id = _in_hand(interaction), interaction.user.id
        direct = in_hand and not is_private(interaction)
        language = self._services.languages.of(interaction)
        rendered = render_hand(self._services, table, user_id, language, direct=direct, rows=rows)

        choosing = table.position if rows and table.state == 'playing' else None

        def shown(message_id: int, edit: Edit) -> None:
            if direct:
                self._hands.answered(table, user_id, rendered, choosing)
            else:
                self._private_hands.shown(table, user_id, rendered, choosing, message_id, edit)

        return Reply(view=rendered[0], picture=rendered[1], in_place=in_hand, shown=shown)


def _in_hand(interaction: discord.Interaction) -> bool:
    """Whether a button or menu of a hand was used: in direct messages or in a private answer."""
    return interaction.message is not None and (interaction.guild_id is None or is_private(interaction))


def _legal(table: Table, user_id: int) -> list[str]:
    """The legal moves of this user as texts; none unless it is their turn."""
    if table.state != 'playing' or table.match is None:
        return []
    round_ = table.match.round
    return [round_.format_move(move) for move in round_.legal_moves()] if round_.turn == table.seat_of(user_id) else []


def person(user: discord.abc.User) -> Person:
    """The person who acts, under the name that the others see."""
    return Person(user.id, user.display_name)


def is_moderator(interaction: discord.Interaction) -> bool:
    """Whether the person may decide over other people's tables: everyone who may manage the channel."""
    return interaction.guild_id is not None and interaction.permissions.manage_channels


def require_permissions(interaction: discord.Interaction) -> None:
    """Raises TableError `missing-permissions`, with their names, unless the bot can run a table in the channel of this interaction."""
    have = interaction.app_permissions
    thread = isinstance(interaction.channel, discord.Thread)
    need = {'View Channel': have.view_channel, 'Send Messages': have.send_messages_in_threads if thread else have.send_messages}
    if missing := [name for name, given in need.items() if not given]:
        raise TableError('missing-permissions', permissions=', '.join(missing))
