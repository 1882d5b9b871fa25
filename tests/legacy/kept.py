"""What is kept of an evening beside its database, and how it is laid out again in simcord.

Messages and ids are taken from, and put into, undocumented parts of the pinned simcord.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

import discord
import simcord
from simcord.backend.models import Message

from ..cogs.night import Night, controls_of

PAGES = [(game, period, by) for game in (None, 'superman', 'swoop') for period in ('all', 'month') for by in ('wins', 'points', 'rating')]
"""The leaderboards that are looked at: game (None for all), period, order."""
PERMISSIONS = {'boss': discord.Permissions(manage_guild=True)}
"""By role, what its members may do."""


def position(table: Any) -> dict[str, Any]:
    """Where a match stands: what everyone may do and see, with cards as texts; seat numbers from 0, `null` for a spectator."""
    round_, card_text = table.match.round, table.game.card_text
    views = {}
    for viewer in (None, *range(round_.seats)):
        observation = round_.observation(viewer)
        zones = [
            [zone.name, zone.at, [card if card is None or card < 0 else card_text(card) for card in zone.cards]]
            for zone in observation.zones
        ]
        views[json.dumps(viewer)] = {'zones': zones, 'facts': observation.facts, 'counters': observation.counters}
    legal = [round_.format_move(move) for move in round_.legal_moves()]
    found = {'position': table.position, 'turn': table.turn, 'totals': table.match.totals, 'legal': legal, 'views': views}
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def controls(components: list[dict[str, Any]]) -> list[list[Any]]:
    """The custom ids of buttons and menus, each with the values that can be chosen."""
    return [[control['custom_id'], [option['value'] for option in control.get('options', [])]] for control in controls_of(components)]


def messages(env: simcord.Env) -> dict[int, Message]:
    """Every message with texts, buttons or menus of the bot."""
    return {message.id: message for channel in env.backend.messages.values() for message in channel.values() if message.components}


async def leaderboards(night: Night, name: str) -> list[list[list[Any]]]:
    """By page of `PAGES`: the people, and the numbers that stand beside each of them, in ascending order."""
    found = []
    for game, period, by in PAGES:
        said = await night.slash(name, 'leaderboard', period=period, by=by, **({'game': game} if game else {}))
        lines = [re.search(r'\*\*(\w+)\*\*(.*)', line) for line in said.splitlines()]
        found.append([[line[1], sorted(map(int, re.findall('[0-9]+', line[2])))] for line in lines if line])
    return found


# --- servers, people and messages -------------------------------------------------------------------------------------------------


def channels(night: Night) -> dict[str, int]:
    """The channels of the server by name."""
    backend = night.env.backend
    return {str(backend.channels[channel_id].name): channel_id for channel_id in backend.guilds[night.guild.id].channel_ids}


def server(night: Night) -> dict[str, Any]:
    """A server as it is kept."""
    roles = night.env.backend.guilds[night.guild.id].roles.values()
    return {
        'id': night.guild.id,
        'channels': channels(night),
        'roles': {role.name: role.id for role in roles if not role.managed and role.id != night.guild.id},
        'members': list(night.people),
    }


def people(night: Night) -> dict[str, Any]:
    """By name, the ids of people and of the channels of their direct messages."""
    return {name: [user.id, night.env.backend.dm_channels.get(user.id)] for name, user in night.users.items()}


def kept_message(message: Message) -> dict[str, Any]:
    """A message as it is kept, without what is as usual."""
    names = ('channel_id', 'timestamp', 'flags', 'interaction_metadata', 'components')
    usual = {field.name: field.default for field in fields(message)}
    return {name: value for name in names if (value := getattr(message, name)) != usual[name]}


def lay_out(env: simcord.Env, bot: Any, evening: dict[str, Any], roles: dict[str, list[str]]) -> dict[str, Night]:
    """Makes the servers, people and messages that were kept, under the same ids; by name, each server and its channel `cards`.

    `roles`: by name, the roles of people in every server that has them.
    """
    backend, users, nights = env.backend, {}, {}
    allocate = backend.snowflake

    def under(wanted: int, make: Any, *args: Any, **how: Any) -> Any:
        backend.snowflake = lambda: backend.reserve_id(wanted)  # type: ignore[method-assign]
        try:
            return make(*args, **how)
        finally:
            backend.snowflake = allocate  # type: ignore[method-assign]

    for number, (name, (user_id, direct)) in enumerate(evening['people'].items()):
        users[name] = under(user_id, env.create_user, f'user{number}', global_name=name)
        if direct:
            under(direct, backend.get_dm_channel, user_id)
    for name, one in evening['servers'].items():
        guild = env.create_guild(name, id=one['id'])
        made = {role: under(number, guild.create_role, role, permissions=PERMISSIONS.get(role)) for role, number in one['roles'].items()}
        places = {channel: under(number, guild.create_text_channel, channel) for channel, number in one['channels'].items()}
        members = {
            person: guild.add_member(users[person], roles=[made[role] for role in roles.get(person, []) if role in made])
            for person in one['members']
        }
        nights[name] = Night(env, bot, guild, places['cards'], members, users)
    for message_id, one in evening['messages'].items():
        message = Message(id=backend.reserve_id(int(message_id)), author_id=backend.bot_user.id, **one)
        backend.messages[message.channel_id][message.id] = message
    return nights
