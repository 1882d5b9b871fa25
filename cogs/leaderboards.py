"""`/leaderboard` and `/profile`, paged with buttons whose ids say what to show."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple, cast

import discord
from discord import app_commands, ui
from discord.ext import commands

from bot.chat.replies import Answer, Reply, answered, is_private
from bot.chat.wiring import Chat, ChatBot
from bot.storage import ALL_GAMES, EVERYWHERE, Order, Standing, periods
from bot.ui.language import Language, described, escape_name
from bot.ui.layout import layout

PAGE: Final = 10
_COLOUR: Final = 0xE3A008
_MEDALS: Final = {1: '🥇', 2: '🥈', 3: '🥉'}

Period = Literal['all', 'year', 'month', 'week']
Scope = Literal['here', 'everywhere']


class Page(NamedTuple):
    """What a page of a leaderboard shows; its text stands in custom ids."""

    guild_id: int
    """`EVERYWHERE` for all servers."""
    game: str
    """`ALL_GAMES` for all games."""
    period: Period
    by: Order
    first: int
    """How many lines come before it."""

    def custom_id(self, first: int | None) -> str:
        """The id of a button that leads to the page beginning there, or with None to the page of the person who presses it."""
        return f'lb:{self.guild_id}:{self.game}:{self.period}:{self.by}:{"me" if first is None else first}'


_ID: Final = re.compile(r'lb:(\d{1,20}):([a-z]{0,20}):(all|year|month|week):(wins|points|rating):(me|\d{1,7})')


class Leaderboards(commands.Cog):
    """Who leads, and each person's own results."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    async def cog_load(self) -> None:
        self.chat.router.on('lb', self.turned)

    async def cog_unload(self) -> None:
        self.chat.router.off('lb')

    @app_commands.command(name='leaderboard', description=described('command.leaderboard'))
    @app_commands.describe(
        game=described('command.leaderboard.game'),
        period=described('command.leaderboard.period'),
        by=described('command.leaderboard.by'),
        where=described('command.leaderboard.where'),
    )
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def leaderboard(
        self,
        interaction: discord.Interaction[Any],
        game: str | None = None,
        period: Period = 'all',
        by: Order = 'wins',
        where: Scope = 'here',
    ) -> Answer:
        game_id = ALL_GAMES if game is None else self.chat.actions.game_named(interaction, game)
        guild_id = EVERYWHERE if where == 'everywhere' else interaction.guild_id or EVERYWHERE
        return Reply(view=await self._page(interaction, Page(guild_id, game_id, period, by, 0)))

    @leaderboard.autocomplete('game')
    async def _games(self, interaction: discord.Interaction[Any], typed: str) -> list[app_commands.Choice[str]]:
        return self.chat.actions.game_choices(interaction, typed)

    async def turned(self, interaction: discord.Interaction[Any], custom_id: str, values: list[str]) -> Answer:
        """Another page was asked for."""
        language = self.chat.languages.of(interaction)
        found = _ID.fullmatch(custom_id)
        if found is None or (found[2] and found[2] not in self.chat.game_views) or int(found[1]) not in (EVERYWHERE, interaction.guild_id):
            return language('reason.old-button')
        page = Page(int(found[1]), found[2], cast(Period, found[3]), cast(Order, found[4]), 0)
        if found[5] == 'me':
            mine = await self._mine(page, interaction.user.id)
            if mine is None:
                return self._missing(language, page)
            page = page._replace(first=(mine.rank - 1) // PAGE * PAGE)
        else:
            page = page._replace(first=int(found[5]))
        return Reply(view=await self._page(interaction, page), in_place=is_private(interaction))

    async def _mine(self, page: Page, user_id: int) -> Standing | None:
        return await self.chat.store.my_rank(
            page.guild_id, page.game, self._period(page.period), page.by, user_id, min_matches=self._least(page)
        )

    async def _standings(self, page: Page) -> tuple[list[Standing], int]:
        return await self.chat.store.leaderboard(
            page.guild_id, page.game, self._period(page.period), page.by, offset=page.first, limit=PAGE, min_matches=self._least(page)
        )

    def _missing(self, language: Language, page: Page) -> str:
        """Tells somebody that they are not on a list, and what it takes."""
        return language('leaderboard.not-rated', n=self._least(page)) if self._least(page) > 1 else language('leaderboard.not-on-it')

    async def _page(self, interaction: discord.Interaction[Any], page: Page) -> ui.LayoutView:
        language = self.chat.languages.of(interaction)
        standings, count = await self._standings(page)
        if page.first and not standings:  # the list is shorter than it was
            page = page._replace(first=max(0, count - 1) // PAGE * PAGE)
            standings, count = await self._standings(page)
        where = language('leaderboard.everywhere') if page.guild_id == EVERYWHERE else escape_name(self.chat.server_name(page.guild_id))
        head = language(
            'leaderboard.title',
            game=language(f'{page.game}.name') if page.game else language('leaderboard.all-games'),
            by=language(f'leaderboard.by.{page.by}'),
            period=language(f'leaderboard.period.{page.period}'),
            where=where,
        )
        lines = [self._line(language, page.by, standing) for standing in standings]
        mine = await self._mine(page, interaction.user.id)
        parts = [head, '\n'.join(lines) if lines else language('leaderboard.empty')]
        parts.append('-# ' + (language('leaderboard.mine', rank=mine.rank, n=count) if mine else self._missing(language, page)))
        buttons: list[ui.Button[Any]] = [
            self._button(language, page, 'previous', max(0, page.first - PAGE), page.first > 0),
            self._button(language, page, 'next', page.first + PAGE, page.first + PAGE < count),
            self._button(language, page, 'me', None, mine is not None),
        ]
        return layout(parts, [ui.ActionRow(*buttons)], _COLOUR)

    @staticmethod
    def _button(language: Language, page: Page, name: str, first: int | None, useful: bool) -> ui.Button[Any]:
        return ui.Button(
            label=language(f'button.{name}'), custom_id=page.custom_id(first) + ('' if useful else f':{name}'), disabled=not useful
        )

    @staticmethod
    def _line(language: Language, by: Order, standing: Standing) -> str:
        value = {
            'wins': language('leaderboard.wins', n=standing.wins),
            'points': language('leaderboard.points', n=round(standing.points)),
            'rating': language('leaderboard.rating', rating=_rating(standing.rating)),
        }[by]
        return language(
            'leaderboard.line',
            rank=_MEDALS.get(standing.rank, f'{standing.rank}.'),
            name=escape_name(standing.name or '?'),
            value=value,
            matches=language('leaderboard.matches', n=standing.matches),
        )

    @app_commands.command(name='profile', description=described('command.profile'))
    @app_commands.describe(player=described('command.profile.player'), where=described('command.leaderboard.where'))
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True)
    @answered
    async def profile(self, interaction: discord.Interaction[Any], player: discord.User | None = None, where: Scope = 'here') -> Answer:
        language, user = self.chat.languages.of(interaction), player or interaction.user
        guild_id = EVERYWHERE if where == 'everywhere' else interaction.guild_id or EVERYWHERE
        profile = await self.chat.store.profile(user.id, guild_id)
        place = language('leaderboard.everywhere') if guild_id == EVERYWHERE else escape_name(self.chat.server_name(guild_id))
        games = [
            language(
                'profile.game',
                game=language(f'{played.game}.name') if played.game else language('leaderboard.all-games'),
                wins=language('leaderboard.wins', n=played.wins),
                matches=language('leaderboard.matches', n=played.matches),
                points=language('leaderboard.points', n=round(played.points)),
                rating=_rating(played.rating),
            )
            for played in profile.games
            if not played.game or played.game in self.chat.game_views
        ]
        last = [
            language(
                'profile.result',
                place=_MEDALS.get(past.result.place, f'{past.result.place}.'),
                game=language(f'{past.game}.name'),
                total=past.result.total,
                when=f'<t:{int(past.at)}:R>',
            )
            for past in profile.last
            if past.game in self.chat.game_views
        ]
        parts = [language('profile.title', name=escape_name(user.display_name), where=place), '\n'.join(games) or language('profile.empty')]
        return Reply(view=layout([*parts, '\n'.join(last)], [], _COLOUR))

    def _least(self, page: Page) -> int:
        return self.chat.settings.rating_min_matches if page.by == 'rating' else 0

    def _period(self, period: Period) -> str:
        every, year, month, week = periods(self.chat.clock.now())
        return {'all': every, 'year': year, 'month': month, 'week': week}[period]


def _rating(ordinal: float | None) -> str:
    """A rating as people know ratings: 1500 for a newcomer. The scale is ours; only the order matters."""
    return '–' if ordinal is None else str(round(1500 + 40 * ordinal))


async def setup(bot: ChatBot) -> None:
    await bot.add_cog(Leaderboards(bot.chat))
