"""`/table` and `/hand`, and the buttons of boards and hands: everything at a table that is the same in all games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import commands

from bot.app import is_moderator, missing_permissions, person
from bot.table import Table, TableError
from bot.ui.hand import board_link
from bot.ui.ids import read_press
from bot.ui.replies import Answer, Reply, answered, is_private
from bot.ui.rules import SHORT, rules
from bot.ui.words import described, plain

if TYPE_CHECKING:
    from bot.app import CardBot


@app_commands.allowed_contexts(guilds=True, dms=True)
@app_commands.allowed_installs(guilds=True)
class Tables(commands.GroupCog, name='table', description=described('command.table')):
    """Sitting down, getting up, starting, ending; and playing by button and menu."""

    def __init__(self, bot: CardBot) -> None:
        super().__init__()
        self.bot = bot

    async def cog_load(self) -> None:
        self.bot.router.on('t', self.pressed)

    async def cog_unload(self) -> None:
        self.bot.router.off('t')

    # --- commands --------------------------------------------------------------------------------------------------

    @app_commands.command(name='join', description=described('command.table.join'))
    @answered
    async def join(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._join(interaction, self.bot.table_for(interaction))

    @app_commands.command(name='leave', description=described('command.table.leave'))
    @answered
    async def leave(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._leave(interaction, self.bot.table_for(interaction))

    @app_commands.command(name='start', description=described('command.table.start'))
    @answered
    async def start(self, interaction: discord.Interaction[Any]) -> Answer:
        return await self._start(interaction, self.bot.table_for(interaction))

    @app_commands.command(name='remove', description=described('command.table.remove'))
    @app_commands.describe(player=described('command.table.remove.player'))
    @answered
    async def remove(self, interaction: discord.Interaction[Any], player: discord.User) -> Answer:
        table = self.bot.table_for(interaction)
        await self.bot.host.remove(table.id, interaction.user.id, player.id, moderator=is_moderator(interaction))
        return self.bot.words_for(interaction)('table.removed', name=plain(player.display_name))

    @app_commands.command(name='host', description=described('command.table.host'))
    @app_commands.describe(player=described('command.table.host.player'))
    @answered
    async def host(self, interaction: discord.Interaction[Any], player: discord.User) -> Answer:
        table = self.bot.table_for(interaction)
        await self.bot.host.hand_over(table.id, interaction.user.id, player.id, moderator=is_moderator(interaction))
        return self.bot.words_for(interaction)('table.handed-over', name=plain(player.display_name))

    @app_commands.command(name='show', description=described('command.table.show'))
    @answered
    async def show(self, interaction: discord.Interaction[Any]) -> Answer:
        table = self.bot.table_for(interaction)
        if interaction.guild_id is not None and (missing := missing_permissions(interaction)):
            raise TableError('missing-permissions', permissions=', '.join(missing))
        self.bot.painter.anew(table)
        return self.bot.words_for(interaction)('table.shown', link=f'<#{table.channel_id}>')

    @app_commands.command(name='end', description=described('command.table.end'))
    @answered
    async def end(self, interaction: discord.Interaction[Any]) -> Answer:
        table = self.bot.table_for(interaction)
        await self.bot.host.end(table.id, interaction.user.id, moderator=is_moderator(interaction))
        return self.bot.words_for(interaction)('table.ended')

    @app_commands.command(name='mine', description=described('command.table.mine'))
    @answered
    async def mine(self, interaction: discord.Interaction[Any]) -> Answer:
        words = self.bot.words_for(interaction)
        lines = [
            words(
                'mine.line',
                game=words(f'{table.game.id}.name'),
                server=plain(self.bot.server_name(table.guild_id)),
                link=board_link(table),
                state=words('mine.turn' if self._waits_for(table, interaction.user.id) else f'mine.{table.state}'),
            )
            for table in self.bot.host.tables_of(interaction.user.id)
        ]
        return '\n'.join([words('mine.title'), *lines]) if lines else words('mine.none')

    @staticmethod
    def _waits_for(table: Table, user_id: int) -> bool:
        return table.match is not None and table.match.round.turn == table.seat_of(user_id)

    # --- buttons and menus -----------------------------------------------------------------------------------------

    async def pressed(self, interaction: discord.Interaction[CardBot], custom_id: str, values: list[str]) -> Answer:
        """Does what a button or menu at a table asks for."""
        press = read_press(custom_id)
        if press is None:
            return self.bot.words_for(interaction)('reason.old-button')
        if press.action == 'rematch':
            table = await self.bot.host.rematch(press.table_id, person(interaction.user))
            return self.bot.words_for(interaction)('table.opened')
        table = self.bot.host.table(press.table_id)
        match press.action:
            case 'join':
                return await self._join(interaction, table)
            case 'leave':
                return await self._leave(interaction, table)
            case 'start':
                return await self._start(interaction, table)
            case 'hand':
                return self._hand(interaction, table)
            case 'refresh':
                view = self.bot.hand_view(table, interaction.user.id, self.bot.words_for(interaction))
                return Reply(view=view, in_place=is_private(interaction))
            case 'rules':
                return Reply(view=rules(table.game.id, SHORT, self.bot.words_for(interaction)))
            case 'play':
                return await self.bot.play_move(interaction, table, press.argument, press.made_for)
            case 'choose' if len(values) == 1:
                return await self.bot.play_move(interaction, table, values[0], press.made_for)
        return await self.bot.faces[table.game.id].pressed(interaction, table, press, values)

    async def _join(self, interaction: discord.Interaction[CardBot], table: Table) -> Answer:
        await self.bot.host.join(table.id, person(interaction.user))
        return self.bot.words_for(interaction)('table.joined', n=len(table.seats))

    async def _leave(self, interaction: discord.Interaction[CardBot], table: Table) -> Answer:
        playing = table.state == 'playing'
        await self.bot.host.leave(table.id, interaction.user.id)
        return self.bot.words_for(interaction)('table.left-match' if playing else 'table.left')

    async def _start(self, interaction: discord.Interaction[CardBot], table: Table) -> Answer:
        await self.bot.host.start(table.id, interaction.user.id, moderator=is_moderator(interaction))
        if interaction.type is discord.InteractionType.component:
            return None
        return self.bot.words_for(interaction)('table.started')

    def _hand(self, interaction: discord.Interaction[CardBot], table: Table) -> Reply:
        table.require('playing')
        return Reply(view=self.bot.hand_view(table, interaction.user.id, self.bot.words_for(interaction)))


class Hand(commands.Cog):
    """`/hand`: one's own cards, at any time."""

    def __init__(self, bot: CardBot) -> None:
        self.bot = bot

    @app_commands.command(name='hand', description=described('command.hand'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def hand(self, interaction: discord.Interaction[Any]) -> Answer:
        table = self.bot.table_for(interaction)
        table.require('playing')
        return Reply(view=self.bot.hand_view(table, interaction.user.id, self.bot.words_for(interaction)))


async def setup(bot: CardBot) -> None:
    await bot.add_cog(Tables(bot))
    await bot.add_cog(Hand(bot))
