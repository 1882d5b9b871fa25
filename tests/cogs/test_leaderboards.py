"""`/leaderboard` and `/profile` after matches that were played, and with more people than fit on a page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from bot.config import Settings
from bot.storage import Finish, NewTable, Rating, Result, SeatRow

from .night import Night, controls_of, raw

CHANNELS = count(1)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={'rating_min_matches': 2})


async def win(night: Night, *names: str) -> None:
    """A match that the first one to move wins, and in which the others come in by seat; returns when it is over."""
    table = await night.begin(*names, target=20)
    first = table.turn
    night.put(['R2' if seat == first else ' '.join(['S'] * (1 + seat)) for seat in range(len(names))], 'R1', turn=first)
    await night.slash(names[first], 'superman play', card='R2')
    assert table.state == 'finished'


async def written(night: Night, order: Sequence[str], *, game: str = 'superman', rated: int = 0) -> None:
    """Puts a finished match into the database: these people, the winner first; with `rated` also their ratings after so many."""
    store, at, people = night.bot.store, night.env.now().timestamp(), [night.person(name) for name in order]
    for person, name in zip(people, order, strict=True):
        await store.remember_person(person.id, name)
    seated = [SeatRow(number, person.id, name) for number, (person, name) in enumerate(zip(people, order, strict=True))]
    table_id = await store.create_table(NewTable(night.guild.id, next(CHANNELS), game, {}, people[0].id, len(people), 'none', at, seated))
    results = [
        Result(number, person.id, number + 1, number == 0, len(people) - 1 - number, 10 * number, rated=bool(rated))
        for number, person in enumerate(people)
    ]
    ratings = [
        Rating(guild, which, person.id, 25.0 - number, 8.0, 10.0 - number, rated)
        for number, person in enumerate(people)
        for guild in (night.guild.id, 0)
        for which in (game, '')
        if rated
    ]
    await store.finish(Finish(table_id, 'finished', 'finished', at, results, ratings))


async def until(night: Night, year: int, month: int, day: int) -> None:
    await night.env.advance_time((datetime(year, month, day, tzinfo=UTC) - night.env.now()).total_seconds())


def lines(said: str) -> list[str]:
    """The lines of people on a leaderboard."""
    return [line for line in said.splitlines() if ' · ' in line and '**' in line]


def buttons(message: Any) -> dict[str, bool]:
    """The buttons of a message, and whether they can be pressed."""
    return {control['label']: not control.get('disabled') for control in controls_of(raw(message))}


async def show(night: Night, name: str, **options: Any) -> Any:
    """The private message with the leaderboard that somebody asked for."""
    return (await night.person(name).slash(night.channel, 'leaderboard', **options)).response.message


def now(night: Night, name: str, message: Any) -> Any:
    return next(one for one in night.channel.history(viewer=night.person(name)) if one.id == message.id)


async def turn(night: Night, name: str, label: str, message: Any) -> str:
    """Presses a button below a leaderboard, as it looks now; what it shows then."""
    return await night.press(name, label, now(night, name, message))


# --- matches that were played -------------------------------------------------------------------------------------------------


async def test_after_matches(night: Night) -> None:
    assert 'Nobody is on this list yet. Finish a match!' in await night.slash('Ann', 'leaderboard')
    await win(night, 'Ann', 'Bob', 'Cem')
    first = [name for name in ('Ann', 'Bob', 'Cem') if night.board_text().find(f'🥇 {name}') >= 0]
    assert len(first) == 1
    others = [name for name in ('Ann', 'Bob', 'Cem') if name not in first]
    said = await night.slash(first[0], 'leaderboard', game='superman')
    assert said.startswith('### Leaderboard · Superman (1978)\nby wins · all time · Club')
    assert lines(said)[0] == f'🥇 **{first[0]}** · 1 win · 1 match'
    assert sorted(lines(said)[1:]) == [f'🥈 **{name}** · 0 wins · 1 match' for name in others]
    assert '-# You are number 1 of 3.' in said
    by_points = await night.slash(others[0], 'leaderboard', by='points')
    assert lines(by_points) == [
        f'🥇 **{first[0]}** · 2 points · 1 match',
        f'🥈 **{others[0]}** · 1 point · 1 match',
        f'🥉 **{others[1]}** · 0 points · 1 match',
    ]
    assert '-# You are number 2 of 3.' in by_points
    by_rating = await night.slash('Ann', 'leaderboard', by='rating')
    assert lines(by_rating) == []
    assert '-# You are not on this list yet. You need 2 rated matches.' in by_rating
    await win(night, 'Ann', 'Bob', 'Cem')
    by_rating = lines(await night.slash('Ann', 'leaderboard', by='rating'))
    assert len(by_rating) == 3
    ratings = [int(line.split(' · ')[1]) for line in by_rating]
    assert ratings == sorted(ratings, reverse=True)
    assert by_rating[0].startswith('🥇 ')
    assert all(line.endswith('2 matches') for line in by_rating)
    assert '-# You are not on this list yet.' in await night.slash('Watcher', 'leaderboard')


async def test_what_counts_for_nothing(night: Night) -> None:
    await night.begin('Ann', 'Bob')
    await night.move()
    await night.slash('Ann', 'table end')
    assert 'Nobody is on this list yet.' in await night.slash('Ann', 'leaderboard')
    said = await night.slash('Ann', 'profile')
    assert 'No finished matches yet.' in said
    assert '1. Superman (1978)' not in said


async def test_here_and_everywhere(night: Night) -> None:
    other = night.in_server('Chess *Club*')
    await win(night, 'Ann', 'Bob')
    await win(other, 'Cem', 'Dora')
    assert {line.split('**')[1] for line in lines(await night.slash('Ann', 'leaderboard'))} == {'Ann', 'Bob'}
    there = await other.slash('Cem', 'leaderboard')
    assert {line.split('**')[1] for line in lines(there)} == {'Cem', 'Dora'}
    assert 'by wins · all time · Chess \\*Club\\*' in there
    for said in (
        await night.slash('Ann', 'leaderboard', where='everywhere'),
        await other.slash('Ann', 'leaderboard', where='everywhere'),
        await night.direct('Ann', 'leaderboard'),
    ):
        assert 'by wins · all time · all servers' in said
        assert {line.split('**')[1] for line in lines(said)} == {'Ann', 'Bob', 'Cem', 'Dora'}


async def test_one_game_or_all(night: Night) -> None:
    await written(night, ['Ann', 'Bob'])
    await written(night, ['Bob', 'Ann', 'Cem'], game='thirteen')
    await written(night, ['Bob', 'Ann'], game='thirteen')
    said = lines(await night.slash('Ann', 'leaderboard', game='superman'))
    assert said == ['🥇 **Ann** · 1 win · 1 match', '🥈 **Bob** · 0 wins · 1 match']
    for typed in ('Superman (1978)', ' SUPERMAN '):
        assert len(lines(await night.slash('Ann', 'leaderboard', game=typed))) == 2
    assert lines(await night.slash('Ann', 'leaderboard')) == [
        '🥇 **Bob** · 2 wins · 3 matches',
        '🥈 **Ann** · 1 win · 3 matches',
        '🥉 **Cem** · 0 wins · 1 match',
    ]
    refused = await night.slash('Ann', 'leaderboard', game='poker')
    assert refused.startswith('I don’t know that game. I know: ')
    assert '`superman`' in refused
    choices = await night.person('Ann').autocomplete(night.channel, 'leaderboard', 'game', '1978')
    assert choices == [{'name': 'Superman (1978)', 'value': 'superman'}]


async def test_equal_people_share_a_rank(night: Night) -> None:
    await written(night, ['Ann', 'Dora'])
    await written(night, ['Bob', 'Dora'])
    await written(night, ['Cem', 'Dora'])
    said = lines(await night.slash('Bob', 'leaderboard'))
    assert [line.split()[0] for line in said] == ['🥇', '🥇', '🥇', '4.']
    assert '-# You are number 1 of 4.' in await night.slash('Bob', 'leaderboard')
    assert '-# You are number 4 of 4.' in await night.slash('Dora', 'leaderboard')


# --- periods: the clock begins on Thursday, 1 January 2026 ----------------------------------------------------------------------


async def test_periods(night: Night) -> None:
    await written(night, ['Ann', 'Bob'], rated=2)

    async def on_it(period: str, by: str = 'wins') -> bool:
        said = await night.slash('Ann', 'leaderboard', period=period, by=by)
        assert f' · {"all time" if period == "all" else f"this {period}"} · ' in said
        return any('**Ann**' in line for line in lines(said))

    async def seen() -> list[str]:
        return [period for period in ('week', 'month', 'year', 'all') if await on_it(period)]

    assert await seen() == ['week', 'month', 'year', 'all']
    assert await on_it('week', 'rating')
    await until(night, 2026, 1, 4)
    assert await seen() == ['week', 'month', 'year', 'all']
    await until(night, 2026, 1, 5)
    assert await seen() == ['month', 'year', 'all']
    assert not await on_it('week', 'rating')
    assert await on_it('month', 'points')
    await until(night, 2026, 1, 31)
    assert await seen() == ['month', 'year', 'all']
    await until(night, 2026, 2, 1)
    assert await seen() == ['year', 'all']
    await written(night, ['Bob', 'Ann'], rated=3)
    said = lines(await night.slash('Ann', 'leaderboard', period='month'))
    assert said == ['🥇 **Bob** · 1 win · 1 match', '🥈 **Ann** · 0 wins · 1 match']
    assert [line.split(' · ')[1:] for line in lines(await night.slash('Ann', 'leaderboard', period='year'))] == [['1 win', '2 matches']] * 2
    await until(night, 2026, 12, 31)
    assert await seen() == ['week', 'month', 'year', 'all'][2:]
    await until(night, 2027, 1, 1)
    assert await seen() == ['all']


async def test_a_page_that_was_left_open_over_the_end_of_a_week(night: Night) -> None:
    for number in range(12):
        await written(night, [f'P{number:02}', 'Ann'])
    message = await show(night, 'Ann', period='week')
    await until(night, 2026, 1, 5)
    said = await turn(night, 'Ann', 'Next ▶', message)
    assert 'Nobody is on this list yet.' in said
    assert buttons(now(night, 'Ann', message)) == {'◀ Back': False, 'Next ▶': False, 'My rank': False}


# --- pages --------------------------------------------------------------------------------------------------------------------------


async def test_pages(night: Night) -> None:
    for number in range(22):
        await written(night, [f'P{number:02}', *[f'P{other:02}' for other in range(number + 1, 22)], 'Last'], rated=5)
    message = await show(night, 'P21', by='points')
    assert buttons(message) == {'◀ Back': False, 'Next ▶': True, 'My rank': True}
    text = await turn(night, 'P21', 'My rank', message)
    assert [line.split()[0] for line in lines(text)] == ['21.', '21.', '23.']
    assert '**P21**' in text
    assert '-# You are number 21 of 23.' in text
    assert buttons(now(night, 'P21', message)) == {'◀ Back': True, 'Next ▶': False, 'My rank': True}
    pages = [lines(text)]
    for _ in range(2):
        text = await turn(night, 'P21', '◀ Back', message)
        pages.insert(0, lines(text))
    assert [len(page) for page in pages] == [10, 10, 3]
    assert len({line.split('**')[1] for page in pages for line in page}) == 23
    assert lines(await turn(night, 'P21', 'Next ▶', message)) == pages[1]
    assert buttons(now(night, 'P21', message)) == {'◀ Back': True, 'Next ▶': True, 'My rank': True}
    assert len(night.channel.history(viewer=night.person('P21'))) == 1, 'the same message all the time'
    by_rating = await show(night, 'Watcher', by='rating')
    assert buttons(by_rating) == {'◀ Back': False, 'Next ▶': True, 'My rank': False}
    assert len(night.channel.history()) == 0


async def test_pages_for_somebody_who_looks_at_them_in_direct_messages(night: Night) -> None:
    await written(night, [f'P{number:02}' for number in range(15)])
    user = night.person('P12').user
    message = (await user.slash('leaderboard', by='points')).response.message
    await user.click(message, custom_id=next(control['custom_id'] for control in controls_of(raw(message)) if control['label'] == 'Next ▶'))
    shown = next(one for one in user.dm_channel.history(viewer=user) if one.id == message.id)
    assert sum('**P' in str(part) for part in raw(shown)[0]['components']) == 1
    assert '13. **P12** · 2 points · 1 match' in str(raw(shown))


async def test_old_buttons_after_a_restart(night: Night) -> None:
    await written(night, [f'P{number:02}' for number in range(15)])
    message = await show(night, 'P03', by='points')
    await night.restart()
    assert '13. **P12** · 2 points · 1 match' in await turn(night, 'P03', 'Next ▶', message)
    assert '4. **P03** · 11 points · 1 match' in await turn(night, 'P03', 'My rank', message)


async def test_a_page_beyond_the_end_is_the_last_page(night: Night) -> None:
    await written(night, [f'P{number:02}' for number in range(15)])
    message = await show(night, 'P03', by='points')
    for first in ('9999999', '15', '10'):
        [said] = await night.deliver(night.a_press('P03', message, f'lb:{night.guild.id}::all:points:{first}'))
        assert [line.split()[0] for line in lines(said)] == ['11.', '12.', '13.', '14.', '15.'], first
    [said] = await night.deliver(night.a_press('P03', message, f'lb:{night.guild.id}::all:points:0'))
    assert len(lines(said)) == 10


async def test_names_on_a_leaderboard(night: Night) -> None:
    await written(night, ['**Ann** @everyone\n# x', '<@1> `b`'])
    await written(night, ['עדי'])
    said = await night.slash('Ann', 'leaderboard')
    assert '🥇 **\\*\\*Ann\\*\\* \\@everyone # x** · 1 win · 1 match' in said
    assert '🥇 **\u2068עדי\u2069** · 1 win · 1 match' in said
    assert '**\\<\\@1> \\`b\\`** · 0 wins · 1 match' in said


# --- profiles ------------------------------------------------------------------------------------------------------------------------


async def test_profiles(night: Night) -> None:
    other = night.in_server('Chess')
    await written(night, ['Ann', 'Bob', 'Cem'], rated=3)
    await written(night, ['Bob', 'Ann'])
    await written(other, ['Ann', 'Dora'])
    own = await night.slash('Ann', 'profile')
    assert own.splitlines()[:3] == [
        '### Ann · Club',
        '**All games**: 1 win in 2 matches · 2 points · rating 1900',
        '**Superman (1978)**: 1 win in 2 matches · 2 points · rating 1900',
    ]
    stamp = f'<t:{int(night.env.now().timestamp())}:R>'
    assert own.splitlines()[3:] == [f'🥈 Superman (1978) · total 10 · {stamp}', f'🥇 Superman (1978) · total 0 · {stamp}']
    assert await night.slash('Watcher', 'profile', player=night.person('Ann')) == own
    assert await night.slash('Watcher', 'profile') == '### Watcher · Club\nNo finished matches yet.'
    everywhere = await night.slash('Ann', 'profile', where='everywhere')
    assert everywhere.startswith('### Ann · all servers\n**All games**: 2 wins in 3 matches')
    assert await night.direct('Ann', 'profile') == everywhere
    assert '### Bob · Club\n**All games**: 1 win in 2 matches' in await night.slash('Ann', 'profile', player=night.person('Bob'))
    there = await other.slash('Ann', 'profile', player=other.person('Dora'))
    assert there.startswith('### Dora · Chess\n**All games**: 0 wins in 1 match')
    assert 'point · rating –' in await other.slash('Ann', 'profile')


async def test_a_profile_shows_the_last_ten(night: Night) -> None:
    for _ in range(13):
        await written(night, ['Ann', 'Bob'])
    said = await night.slash('Bob', 'profile')
    assert said.count('🥈 Superman (1978)') == 10
    assert '0 wins in 13 matches' in said
