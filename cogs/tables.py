"""`/table` and `/hand`, and the buttons of boards and hands: everything at a table that is the same in all games."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any, Final

import discord
from discord import app_commands, ui
from discord.ext import commands

from bot.chat.actions import is_moderator, person, require_permissions
from bot.chat.faults import FAULTS
from bot.chat.replies import Answer, Reply, answered, is_private
from bot.chat.wiring import Chat, ChatBot
from bot.tables.table import Table, TableError
from bot.ui.custom_ids import press, read_press
from bot.ui.hand import board_link, where
from bot.ui.language import described, escape_name
from bot.ui.layout import layout
from bot.ui.rules import SHORT, rules

MOVE: Final = 60
"""The longest text of a move that fits into a custom id with everything else; longer ones are put together and confirmed anyway."""


LISTED: Final = 'listed'
"""The argument of a button that leaves a table from the list of all seats."""
MINE: Final = 20
"""How many of a person's seats are listed."""
ROOM: Final = 3_800
"""Characters that their lines may take together; Discord takes 4,000, and the title and a last line want some."""
COLOUR: Final = 0x5865F2
SHOW_PAUSE: Final = 30.0
"""Seconds in which the board of a table is posted again once at most because somebody asks for it."""


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Tables(commands.GroupCog, name='table', description=described('command.table')):
    """Sitting down, getting up, starting, ending; and playing by button and menu."""

    def __init__(self, chat: Chat) -> None:
        super().__init__()
        self.chat = chat
        self._shown: dict[int, float] = {}
        """By table, when somebody last had its board posted again."""

    async def cog_load(self) -> None:
        self.chat.router.on('t', self.pressed)

    async def cog_unload(self) -> None:
        self.chat.router.off('t')

    # --- commands --------------------------------------------------------------------------------------------------

    @app_commands.command(name='join', description=described('command.table.join'))
    @answered
    async def join(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._join(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='leave', description=described('command.table.leave'))
    @answered
    async def leave(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._leave(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='start', description=described('command.table.start'))
    @answered
    async def start(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._start(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='remove', description=described('command.table.remove'))
    @app_commands.describe(player=described('command.table.remove.player'))
    @answered
    async def remove(self, interaction: discord.Interaction[Any], player: discord.User) -> Answer:
        table = self.chat.actions.table_for(interaction)
        self._must_sit(table, player)
        gone = await self.chat.host.remove(table.id, interaction.user.id, player.id, moderator=is_moderator(interaction))
        return self.chat.languages.of(interaction)('table.removed' if gone else 'table.voted', name=escape_name(player.display_name))

    @app_commands.command(name='host', description=described('command.table.host'))
    @app_commands.describe(player=described('command.table.host.player'))
    @answered
    async def host(self, interaction: discord.Interaction[Any], player: discord.User) -> Answer:
        table = self.chat.actions.table_for(interaction)
        self._must_sit(table, player)
        await self.chat.host.hand_over(table.id, interaction.user.id, player.id, moderator=is_moderator(interaction))
        return self.chat.languages.of(interaction)('table.handed-over', name=escape_name(player.display_name))

    @staticmethod
    def _must_sit(table: Table, player: discord.User) -> None:
        """Raises TableError `other-not-seated`: the host's refusal would speak of the person who acts."""
        if table.seat_of(player.id) is None:
            raise TableError('other-not-seated', name=escape_name(player.display_name))

    @app_commands.command(name='show', description=described('command.table.show'))
    @answered
    async def show(self, interaction: discord.Interaction[Any]) -> Answer:
        table = self.chat.actions.table_for(interaction)
        if interaction.guild_id is not None:
            require_permissions(interaction)
        if table.seat_of(interaction.user.id) is None and not is_moderator(interaction):
            raise TableError('not-at-table')
        now = self.chat.clock.now()
        self._shown = {table_id: at for table_id, at in self._shown.items() if now - at < SHOW_PAUSE}
        if (at := self._shown.get(table.id)) is not None:
            raise TableError('shown-lately', n=ceil(at + SHOW_PAUSE - now))
        self._shown[table.id] = now
        self.chat.boards.repost(table)
        return self.chat.languages.of(interaction)('table.shown', link=f'<#{table.channel_id}>')

    @app_commands.command(name='watch', description=described('command.table.watch'))
    @answered
    async def watch(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._watch(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='back', description=described('command.table.back'))
    @answered
    async def back(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._back(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='undo', description=described('command.table.undo'))
    @answered
    async def undo(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self.chat.actions.take_back(interaction, self.chat.actions.table_for(interaction))

    @app_commands.command(name='rematch', description=described('command.table.rematch'))
    @answered
    async def rematch(self, interaction: discord.Interaction[Any]) -> Answer:
        table_id = await self.chat.store.last_table(interaction.channel_id or 0)
        if table_id is None:
            raise TableError('no-table')
        return await self._rematch(interaction, table_id)

    @app_commands.command(name='call', description=described('command.table.call'))
    @app_commands.describe(game=described('command.table.call.game'))
    @answered
    async def call(self, interaction: discord.Interaction[Any], game: str | None = None) -> Answer:
        """Puts the person on the list of those who are pinged when a table opens here, or takes them off it."""
        if interaction.guild_id is None:
            raise TableError('guild-only')
        if game is not None:
            game = self.chat.actions.game_named(interaction, game)
        on = await self.chat.preferences.toggle_subscriber(interaction.guild_id, game or '', interaction.user.id)
        language = self.chat.languages.of(interaction)
        which = language(f'{game}.name') if game else language('leaderboard.all-games')
        return language('table.call-on' if on else 'table.call-off', game=which)

    @call.autocomplete('game')
    async def _games(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        return self.chat.actions.game_choices(interaction, typed)

    @app_commands.command(name='end', description=described('command.table.end'))
    @answered
    async def end(self, interaction: discord.Interaction[Any]) -> Answer:
        table = self.chat.actions.table_for(interaction)
        await self.chat.host.end(table.id, interaction.user.id, moderator=is_moderator(interaction))
        return self.chat.languages.of(interaction)('table.ended')

    @app_commands.command(name='mine', description=described('command.table.mine'))
    @answered
    async def mine(self, interaction: discord.Interaction[Any]) -> Answer:
        """Lists the person's seats in all servers, with a button each to leave; tables whose channel is gone are closed first."""
        for table in self.chat.host.tables_of(interaction.user.id)[:MINE]:
            if await self._channel_gone(table):
                await self.chat.close_table(table.id, 'channel-gone')
        return Reply(view=self._seats(interaction))

    def _seats(self, interaction: discord.Interaction[Any]) -> ui.LayoutView:
        """The list of the person's seats."""
        language, user_id = self.chat.languages.of(interaction), interaction.user.id
        tables = self.chat.host.tables_of(user_id)
        if not tables:
            return layout([language('mine.none')], [], COLOUR)
        lines: list[str] = []
        buttons: list[ui.Button[Any]] = []
        for number, table in enumerate(tables[:MINE], 1):
            game, server = language(f'{table.game.id}.name'), self.chat.server_name(table.guild_id)
            state = language('mine.turn' if self._waits_for(table, user_id) else f'mine.{table.state}')
            line = language('mine.line', n=number, game=game, server=escape_name(server), link=board_link(table), state=state)
            if sum(len(other) + 1 for other in lines) + len(line) > ROOM:
                break
            lines.append(line)
            buttons.append(ui.Button(label=language('button.leave-table', n=number), custom_id=press('leave', table, LISTED)))
        if more := len(tables) - len(lines):
            lines.append(language('mine.more', n=more))
        rows: list[ui.ActionRow[Any]] = [ui.ActionRow(*buttons[start : start + 5]) for start in range(0, len(buttons), 5)]
        return layout([language('mine.title') + '\n' + '\n'.join(lines)], rows, COLOUR)

    async def _channel_gone(self, table: Table) -> bool:
        if not self.chat.sees(table.guild_id) or self.chat.client.get_channel(table.channel_id):
            return False
        try:
            await self.chat.client.fetch_channel(table.channel_id)
        except discord.NotFound:
            return True
        except (*FAULTS, discord.InvalidData):
            pass
        return False

    @staticmethod
    def _waits_for(table: Table, user_id: int) -> bool:
        return table.match is not None and table.match.round.turn == table.seat_of(user_id)

    # --- buttons and menus -----------------------------------------------------------------------------------------

    async def pressed(self, interaction: discord.Interaction[Any], custom_id: str, values: list[str]) -> Answer:
        """Does what a button or menu at a table asks for."""
        asked = read_press(custom_id)
        if asked is None:
            return self.chat.languages.of(interaction)('reason.old-button')
        if asked.action == 'rematch':
            return await self._rematch(interaction, asked.table_id)
        if (asked.action, asked.argument) == ('leave', LISTED) and (interaction.guild_id is None or is_private(interaction)):
            return await self._leave_listed(interaction, asked.table_id)
        table = self.chat.host.table(asked.table_id)
        match asked.action:
            case 'join':
                return await self._join(interaction, table)
            case 'leave':
                return await self._leave(interaction, table)
            case 'start':
                return await self._start(interaction, table)
            case 'watch':
                return await self._watch(interaction, table)
            case 'back':
                return await self._back(interaction, table)
            case 'take-back':
                return await self.chat.actions.take_back(interaction, table, asked.made_for)
            case 'hand':
                return self._hand(interaction, table)
            case 'refresh':
                return self.chat.actions.hand_reply(interaction, table)
            case 'rules':
                return Reply(view=rules(self.chat.game_view(table), SHORT, self.chat.languages.of(interaction)))
            case 'play':
                return await self._play(interaction, table, asked.argument, asked.made_for)
            case 'choose' if len(values) == 1:
                return await self._play(interaction, table, values[0], asked.made_for)
            case 'sure':
                return await self.chat.actions.play_move(interaction, table, asked.argument, asked.made_for)
        return await self.chat.router.games[table.game.id](interaction, table, asked, values)

    async def _rematch(self, interaction: discord.Interaction[Any], table_id: int) -> Answer:
        self.chat.actions.may_open(interaction)
        await self.chat.host.rematch(table_id, person(interaction.user))
        return self.chat.languages.of(interaction)('table.rematch')

    async def _join(self, interaction: discord.Interaction[Any], table: Table) -> Answer:
        await self.chat.host.join(table.id, person(interaction.user))
        return self.chat.languages.of(interaction)('table.joined', n=len(table.seats))

    async def _leave(self, interaction: discord.Interaction[Any], table: Table) -> str:
        playing = table.state == 'playing'
        await self.chat.host.leave(table.id, interaction.user.id)
        return self.chat.languages.of(interaction)('table.left-match' if playing else 'table.left')

    async def _leave_listed(self, interaction: discord.Interaction[Any], table_id: int) -> Reply:
        """Leaves a table from the list of all seats, and shows the list again, also when there is nothing left to leave."""
        try:
            said = await self._leave(interaction, self.chat.host.table(table_id))
        except TableError as error:
            said = self.chat.languages.of(interaction).refusal(error)
        return Reply(said, view=self._seats(interaction), in_place=True)

    async def _start(self, interaction: discord.Interaction[Any], table: Table) -> Answer:
        await self.chat.host.start(table.id, interaction.user.id, moderator=is_moderator(interaction))
        if interaction.type is discord.InteractionType.component:
            return None
        return self.chat.languages.of(interaction)('table.started')

    async def _watch(self, interaction: discord.Interaction[Any], table: Table) -> Answer:
        watching = interaction.user.id not in table.watchers
        await self.chat.host.watch(table.id, interaction.user.id, watching)
        return self.chat.languages.of(interaction)('table.watching' if watching else 'table.not-watching')

    async def _back(self, interaction: discord.Interaction[Any], table: Table) -> Answer:
        await self.chat.host.return_to_seat(table.id, interaction.user.id)
        return self.chat.languages.of(interaction)('table.back')

    async def _play(self, interaction: discord.Interaction[Any], table: Table, text: str, made_for: tuple[int, int] | None) -> Answer:
        """Plays a move by button or menu; asks first where the person wants that."""
        asks = self.chat.preferences.person(interaction.user.id).confirm and table.seat_of(interaction.user.id) is not None
        if not asks or made_for != table.position or len(text) > MOVE:
            return await self.chat.actions.play_move(interaction, table, text, made_for)
        language = self.chat.languages.of(interaction)
        sure: ui.Button[Any] = ui.Button(
            label=language('button.sure'), style=discord.ButtonStyle.success, custom_id=press('sure', table, text, here=True)
        )
        return Reply(view=layout([language('hand.sure', move=f'`{text}`')], [ui.ActionRow(sure)], self.chat.game_view(table).colour))

    def _hand(self, interaction: discord.Interaction[Any], table: Table) -> Reply:
        table.require('playing')
        return self.chat.actions.hand_reply(interaction, table)


class Hand(commands.Cog):
    """`/hand`: your own cards, at any time and anywhere."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    @app_commands.command(name='hand', description=described('command.hand'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def hand(self, interaction: discord.Interaction[Any]) -> Answer:
        here, user_id, language = (
            self.chat.host.in_channel(interaction.channel_id or 0),
            interaction.user.id,
            self.chat.languages.of(interaction),
        )
        if here is not None and (here.seat_of(user_id) is not None or not self.chat.host.tables_of(user_id)):
            here.require('playing')
            return self.chat.actions.hand_reply(interaction, here)
        table = self.chat.actions.my_table(user_id, waiting=True)
        table.require('playing')
        return replace(self.chat.actions.hand_reply(interaction, table), text=where(table, language, self.chat.server_name(table.guild_id)))


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Tables(bot.chat))
    await bot.add_cog(Hand(bot.chat))
