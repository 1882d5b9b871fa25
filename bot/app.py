"""The Discord client: what every cog stands on, and where the parts meet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands
from discord.ext import commands

import cogs

from .chat.faults import ALREADY_ACKNOWLEDGED, FAULTS, UNKNOWN_INTERACTION, UNKNOWN_MEMBER, UNKNOWN_USER, cause
from .chat.notices import Notices
from .chat.painter import Painter
from .chat.pictures import Pictures
from .chat.preferences import Preferences
from .chat.replies import Answer, Reply, acknowledge, is_private
from .chat.router import Router
from .chat.throttle import Throttle
from .clock import Clock, Handle, system_clock
from .config import Settings
from .engines.base import MoveError
from .storage import StorageError, Store
from .tables.host import Host
from .tables.table import Person, Seat, Table, TableError
from .ui.hand import hand
from .ui.language import Language, catalogues

if TYPE_CHECKING:
    from .chat.game_cog import GameCog

log: Final = logging.getLogger(__name__)

PRESENCE: Final = 600.0
"""Seconds after which it is looked up again, as soon as their turn comes, whether a player is still in the server."""
ANNOUNCE_AGAIN: Final = 300.0
"""Seconds until the commands are announced again when Discord did not take them."""
SLOW_TURN: Final = 30.0
"""Seconds that a turn has lasted when whoever is to play is called, and looked up sooner than that."""
STILL: Final = (SLOW_TURN, 600.0, 3600.0, 6 * 3600.0)
"""Seconds until a turn that goes on is looked at: the first time, the second, … and then always the last."""


def _worth_logging(record: logging.LogRecord) -> bool:
    """Leaves out the tracebacks that discord.py logs for autocompletes whose answer came too late, or was there before: the person has
    typed on, and nobody misses it."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, discord.HTTPException) and error.code in (UNKNOWN_INTERACTION, ALREADY_ACKNOWLEDGED))


class Tree(app_commands.CommandTree['CardBot']):
    """The slash commands. Refusals and faults are answered where they happen (`bot.chat.replies`); what comes here is none of ours."""

    async def interaction_check(self, interaction: discord.Interaction[CardBot], /) -> bool:
        """Nothing is begun any more while the bot closes."""
        return not interaction.client.closing

    async def on_error(self, interaction: discord.Interaction[CardBot], error: app_commands.AppCommandError, /) -> None:
        if interaction.type is discord.InteractionType.autocomplete:
            log.warning('an autocomplete went unanswered: %s', error)
            return
        reason = 'reason.discord-refused'
        if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            log.warning('an outdated command was used: %s', error)
            reason = 'reason.old-command'
        else:
            log.error('a command failed before it began: %s', error, exc_info=error)
        if await acknowledge(interaction):
            try:
                await interaction.followup.send(interaction.client.language_for(interaction)(reason), ephemeral=True)
            except FAULTS as fault:
                log.warning('an answer did not arrive: %s', cause(fault))


class CommandTranslator(app_commands.Translator):
    """Gives Discord the commands' names and descriptions in the languages that have them."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        key = string.extras.get('key')
        language = catalogues().best(locale.value)
        if key is None or language == 'en' or not catalogues().has(language, key):
            return None
        return catalogues().get(language, key)


class CardBot(commands.Bot):
    """The bot. It owns the tables and boards; the process owns the database when it hands one in."""

    def __init__(self, settings: Settings, store: Store | None, clock: Clock) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = True
        intents.members = settings.members_intent
        super().__init__(
            commands.when_mentioned,
            tree_cls=Tree,
            intents=intents,
            help_command=None,
            max_messages=None,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0.5,
        )
        self.settings = settings
        self._tasks: set[asyncio.Task[Any]] = set()
        self._spawn_apart = clock.spawn
        self.clock = replace(clock, spawn=self._spawn)
        self.game_views: dict[str, GameCog] = {}
        self.router = Router()
        self.throttle = Throttle(self.clock, settings.requests_per_second)
        self.pictures = Pictures()
        self.painter = Painter(self, settings.board_interval, settings.board_max_age)
        self.notices = Notices(self)
        self._given_store = store
        self._present: dict[tuple[int, int], float] = {}
        """By server and person, when they were last looked up."""
        self._lookouts: dict[int, Handle] = {}
        self.closing = False
        """Whether the bot is about to leave: what comes now is not answered any more."""
        self._answering = 0
        self._rested = asyncio.Event()

    # --- coming and going ------------------------------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Opens the database, loads every cog, and brings the tables back, before the first event arrives."""
        logging.getLogger(app_commands.CommandTree.__module__).addFilter(_worth_logging)
        self.store = self._given_store or await Store.open(self.settings.database_url, spawn=self._spawn_apart)
        self.preferences = Preferences(self.store)
        self.host = Host(self.store, self.clock, self, lobby_expiry=self.settings.lobby_expiry)
        for module in sorted(iter_modules(cogs.__path__), key=lambda module: module.name):
            await self.load_extension(f'cogs.{module.name}')
        await self.tree.set_translator(CommandTranslator())
        tables = await self.host.restore()
        log.info('%d tables are open', len(tables))
        self.painter.restored(tables)
        people = (person.id for table in tables for person in table.people)
        await self.preferences.load((table.guild_id for table in tables), people)
        if self.settings.sync_commands:
            self.clock.spawn(self._announce_commands())

    async def _announce_commands(self) -> None:
        """Tells Discord which slash commands there are. Nobody waits for it: those of last time work meanwhile."""
        guild = discord.Object(self.settings.sync_guild) if self.settings.sync_guild else None
        if guild:
            self.tree.copy_global_to(guild=guild)
        try:
            await self.tree.sync(guild=guild)
        except FAULTS as error:
            log.warning('the slash commands could not be announced; tried again in %d s: %s', ANNOUNCE_AGAIN, cause(error))
            self.clock.call_later(ANNOUNCE_AGAIN, self._announce_again)

    def _announce_again(self) -> None:
        if not self.closing:
            self.clock.spawn(self._announce_commands())

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Somebody is being answered: `close` waits for it."""
        self._answering += 1
        self._rested.clear()
        try:
            yield
        finally:
            self._answering -= 1
            if not self._answering:
                self._rested.set()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Work in the background that ends with the bot at the latest."""
        task = self._spawn_apart(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Leaves Discord when everyone who waits has been answered, at the latest after the grace; closes the database unless
        it was handed in."""
        self.closing = True
        if not self.is_closed() and self._answering:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rested.wait(), self.settings.shutdown_grace)
        if hasattr(self, 'host'):
            self.host.pause()
        self.throttle.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.pictures.close()
        await super().close()
        if self._given_store is None and hasattr(self, 'store'):
            await self.store.close()

    # --- events ----------------------------------------------------------------------------------------------------

    async def on_interaction(self, interaction: discord.Interaction[CardBot]) -> None:
        if interaction.guild_id is None:
            self.painter.reopened(interaction.user.id)
        await self.router.dispatch(interaction)

    async def on_message(self, message: discord.Message) -> None:
        """Only counts: a board that has scrolled away is posted anew. Nothing is read."""
        if message.author.id != (self.user.id if self.user else 0) and (table := self.host.in_channel(message.channel.id)):
            self.painter.message_seen(table)

    # --- what the host tells (`bot.tables.host.TableEvents`) -------------------------------------------------------------------

    def changed(self, table: Table) -> None:
        self.painter.changed(table)
        if (lookout := self._lookouts.pop(table.id, None)) is not None:
            lookout.cancel()
        if not table.open:
            for seat in table.seats:
                self._present.pop((table.guild_id, seat.person.id), None)
        elif table.state == 'playing' and not table.seats[table.turn].departed:
            user_id = table.seats[table.turn].person.id
            looked = self.clock.now() - self._present.get((table.guild_id, user_id), 0.0) > PRESENCE
            if looked:
                self._look_for(table, user_id)
            self._look_out(table, user_id, 0, looked)

    def _look_out(self, table: Table, user_id: int, times: int, looked: bool) -> None:
        """Waits for a turn to last long, for the so many-th time; `looked`: the player was looked up just now."""
        wait = STILL[min(times, len(STILL) - 1)]
        self._lookouts[table.id] = self.clock.call_later(wait, partial(self._slow, table, user_id, times, looked))

    def _slow(self, table: Table, user_id: int, times: int, looked: bool) -> None:
        """A turn lasts long: whoever is to play is called, and looked up unless that was at its beginning."""
        self._look_out(table, user_id, times + 1, looked=False)
        self.painter.call(table)
        if not looked:
            self._look_for(table, user_id)

    def replaced(self, table: Table, former: Seat) -> None:
        self.painter.replaced(table, former)

    def announce(self, table: Table, code: str, user_ids: Sequence[int]) -> None:
        self.clock.spawn(self.notices.call(table, code, user_ids))

    def remind(self, table: Table, seat: int) -> None:
        if table.deadline is not None:
            self.clock.spawn(self.notices.remind(table, seat, table.deadline))

    def _look_for(self, table: Table, user_id: int) -> None:
        """Sees whether a player is still in the server: without the privileged members intent Discord does not tell who leaves."""
        if self.sees(table.guild_id):
            self._present[table.guild_id, user_id] = self.clock.now()
            look = partial(self._leave_if_gone, table, user_id)
            self.throttle.ask(('look', table.guild_id, user_id), lambda: self.clock.spawn(look()), urgent=False)

    async def _leave_if_gone(self, table: Table, user_id: int) -> None:
        guild = self.get_guild(table.guild_id)
        if guild is None:
            return
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as error:
            if error.code in (UNKNOWN_MEMBER, UNKNOWN_USER):
                self._present.pop((table.guild_id, user_id), None)
                await self.gone(table.guild_id, user_id)
        except FAULTS as error:
            log.info('a player could not be looked up: %s', cause(error))

    async def gone(self, guild_id: int, user_id: int) -> None:
        """Somebody is no longer in a server: their seats there are left."""
        for table in self.host.tables_in(guild_id):
            if table.seat_of(user_id) is not None:
                try:
                    await self.host.leave(table.id, user_id)
                except TableError:
                    pass
                except StorageError as error:
                    log.warning('table %d: a player has left the server, which could not be stored: %s', table.id, error)

    # --- words -----------------------------------------------------------------------------------------------------

    def language_for(self, interaction: discord.Interaction) -> Language:
        """Texts for the person who acts."""
        return Language(
            catalogues().best(self.preferences.person(interaction.user.id).language or interaction.locale.value), self.game_views
        )

    def private_language(self, user_id: int, guild_id: int) -> Language:
        """Texts for a message to one person: in the language that they chose or that Discord last told of them, else in the server's."""
        chosen = self.preferences.person(user_id)
        locale = chosen.language or chosen.locale
        return Language(catalogues().best(locale), self.game_views) if locale else self.public_language(guild_id)

    def public_language(self, guild_id: int) -> Language:
        """Texts that all of a server read."""
        guild = self.get_guild(guild_id)
        own = guild.preferred_locale.value if guild else None
        return Language(catalogues().best(self.preferences.server(guild_id).language or own), self.game_views)

    def sees(self, guild_id: int) -> bool:
        """Whether we are in that server, and Discord shows it to us at present."""
        guild = self.get_guild(guild_id)
        return guild is not None and not guild.unavailable

    def server_name(self, guild_id: int) -> str:
        """The name of a server, as it is, or a question mark when Discord has not told."""
        guild = self.get_guild(guild_id)
        return guild.name if guild else '?'

    # --- what the cogs share ---------------------------------------------------------------------------------------

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
            table = self.host.in_channel(interaction.channel_id or 0)
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
        mine = [table for table in self.host.tables_of(user_id) if game_id in (None, table.game.id)]
        if not mine:
            raise TableError('no-seat-in-game' if self.host.tables_of(user_id) else 'no-seat-anywhere')
        if len(mine) > 1 and waiting:
            turns = [table for table in mine if table.state == 'playing' and table.turn == table.seat_of(user_id)]
            mine = turns if len(turns) == 1 else mine
        if len(mine) > 1:
            raise TableError('which-table', n=len(mine))
        return mine[0]

    def game_choices(self, interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """The games whose name or id holds what was typed, for an autocomplete."""
        language = self.language_for(interaction)
        names = [(language(f'{game_id}.name'), game_id) for game_id in sorted(self.game_views)]
        return [app_commands.Choice(name=name, value=one) for name, one in names if typed.casefold() in f'{name} {one}'.casefold()]

    def game_called(self, interaction: discord.Interaction, typed: str) -> str:
        """The id of the game that somebody named, by its id or its name. Raises TableError `no-game`."""
        language, wanted = self.language_for(interaction), typed.strip().casefold()
        for game_id in self.game_views:
            if wanted in (game_id, language(f'{game_id}.name').casefold()):
                return game_id
        raise TableError('no-game', games=language.listed(f'`{game_id}`' for game_id in sorted(self.game_views)))

    async def open_table(
        self, interaction: discord.Interaction[CardBot], game_id: str, options: Mapping[str, Any], most: int | None, pace: str | None
    ) -> Answer:
        """Opens a table where the interaction came from, and calls those who want to know.

        Raises TableError as `may_open`, or as `Host.open`.
        """
        self.may_open(interaction)
        assert interaction.guild_id is not None
        assert interaction.channel_id is not None
        chosen = self.preferences.server(interaction.guild_id)
        pace = pace or self.settings.default_pace or chosen.pace
        who = person(interaction.user)
        table = await self.host.open(interaction.guild_id, interaction.channel_id, game_id, who, options, most=most, pace=pace)
        subscribers = [one for one in (*chosen.subscribers.get(game_id, ()), *chosen.subscribers.get('', ())) if one != who.id]
        if subscribers or chosen.ping_role:
            self.clock.spawn(self.notices.call(table, 'opened', subscribers, chosen.ping_role))
        return self.language_for(interaction)('table.opened')

    def may_open(self, interaction: discord.Interaction) -> None:
        """Raises TableError `guild-only`, `missing-permissions`, `not-here` or `not-you` unless a table may be opened in the channel
        of this interaction, by whoever acts."""
        if interaction.guild_id is None:
            raise TableError('guild-only')
        require_permissions(interaction)
        chosen = self.preferences.server(interaction.guild_id)
        places = {interaction.channel_id, getattr(interaction.channel, 'parent_id', None)}
        if chosen.channels and not places & set(chosen.channels):
            raise TableError('not-here', channels=' '.join(f'<#{channel}>' for channel in chosen.channels))
        roles = {role.id for role in getattr(interaction.user, 'roles', [])}
        if chosen.host_role is not None and chosen.host_role not in roles and not is_moderator(interaction):
            raise TableError('not-you', role=f'<@&{chosen.host_role}>')

    async def play_move(
        self, interaction: discord.Interaction[CardBot], table: Table, text: str, made_for: tuple[int, int] | None = None
    ) -> Answer:
        """Plays a move for the person who acts, and says what only they need to know. Raises TableError and StorageError."""
        language, user_id = self.language_for(interaction), interaction.user.id
        component = interaction.type is discord.InteractionType.component
        try:
            draft = await self.host.play(table.id, user_id, text, interaction_id=interaction.id, made_for=made_for)
        except MoveError as error:
            return language.refusal(error, table, _legal(table, user_id))
        except TableError as error:
            if error.code == 'stale' and is_private(interaction):
                return replace(self.hand_reply(interaction, table), text=language.refusal(error))
            raise
        if component and is_private(interaction):
            return self.hand_reply(interaction, table)
        if component and interaction.guild_id is None:
            return None
        seen = [event for event in draft.events if event.seen_by is None or draft.seat in event.seen_by]
        lines = [line for event in seen if (line := language.event(table, event))]
        if legal := _legal(table, user_id):
            lines.append(language.legal(legal))
        return '\n'.join(lines) or None

    def hand_reply(self, interaction: discord.Interaction, table: Table, rows: list[discord.ui.ActionRow[Any]] | None = None) -> Reply:
        """The hand of the person who acts: where they pressed something in their hand it is redrawn, else it comes as a private answer.

        `rows` as in `hand`. Raises TableError `not-seated`.
        """
        pressed = interaction.message is not None
        direct = pressed and interaction.guild_id is None and not is_private(interaction)
        view, picture = hand(
            table,
            interaction.user.id,
            self.language_for(interaction),
            server=self.server_name(table.guild_id),
            direct=direct,
            pictures=self.preferences.server(table.guild_id).pictures,
            rows=rows,
        )
        return Reply(view=view, picture=picture, in_place=pressed and (direct or is_private(interaction)))


def _legal(table: Table, user_id: int) -> list[str]:
    """The legal moves of this user as texts; none unless it is the user's turn."""
    if table.state != 'playing' or table.match is None:
        return []
    round_ = table.match.round
    return [round_.format_move(move) for move in round_.legal_moves()] if round_.turn == table.seat_of(user_id) else []


def person(user: discord.abc.User) -> Person:
    """Who acts, under the name that the others see."""
    return Person(user.id, user.display_name)


def is_moderator(interaction: discord.Interaction) -> bool:
    """Whether the person may decide over other people's tables: whoever may manage the channel."""
    return interaction.guild_id is not None and interaction.permissions.manage_channels


def require_permissions(interaction: discord.Interaction) -> None:
    """Raises TableError `missing-permissions`, with their names, unless the bot can run a table in the channel of this interaction."""
    have = interaction.app_permissions
    thread = isinstance(interaction.channel, discord.Thread)
    need = {'View Channel': have.view_channel, 'Send Messages': have.send_messages_in_threads if thread else have.send_messages}
    if missing := [name for name, given in need.items() if not given]:
        raise TableError('missing-permissions', permissions=', '.join(missing))


def create_bot(settings: Settings, *, store: Store | None = None, clock: Clock | None = None) -> CardBot:
    """The bot with these settings, not yet connected. Without a store it opens, and closes, the one of the settings."""
    return CardBot(settings, store, clock or system_clock())
