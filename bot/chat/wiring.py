"""Builds everything that listens to Discord and sends to it, in the order in which one needs the other."""

from __future__ import annotations

from dataclasses import dataclass, fields

from discord.ext import commands

from ..clock import Clock
from ..config import Settings
from ..storage import Store
from ..tables.host import Host
from ..ui.game_view import GameView
from .actions import Actions
from .boards import Boards
from .client import Client
from .hands import Hands
from .languages import Languages
from .notices import Notices
from .pictures import Pictures
from .preferences import Preferences
from .presence import Presence
from .private_hands import PrivateHands
from .replies import Replies
from .router import Router
from .services import Services
from .throttle import Throttle
from .tidying import Tidying
from .tokens import Tokens
from .updates import TableUpdates


@dataclass(frozen=True)
class Chat(Services):
    """What the cogs work with."""

    boards: Boards
    hands: Hands
    private_hands: PrivateHands
    presence: Presence
    tidying: Tidying
    replies: Replies
    router: Router
    actions: Actions


class ChatBot(commands.Bot):
    """The bot as the cogs know it."""

    chat: Chat


def wire(client: Client, settings: Settings, store: Store, clock: Clock) -> Chat:
    """Builds it all; nothing is sent or timed before the first event or `Host.restore`."""
    preferences = Preferences(store)
    game_views: dict[str, GameView] = {}
    languages = Languages(client, preferences, game_views)
    notices = Notices(client, preferences, languages, clock)
    updates = TableUpdates(clock, notices, store)
    services = Services(
        client=client,
        settings=settings,
        store=store,
        clock=clock,
        host=Host(
            store,
            clock,
            updates,
            lobby_expiry=settings.lobby_expiry,
            per_person=settings.tables_per_person,
            per_server=settings.tables_per_server,
        ),
        preferences=preferences,
        game_views=game_views,
        languages=languages,
        pictures=Pictures(),
        throttle=Throttle(clock, settings.requests_per_second),
        tokens=Tokens(clock.now),
        notices=notices,
        updates=updates,
    )
    boards, hands, private_hands, replies = Boards(services), Hands(services), PrivateHands(services), Replies(services)
    presence, tidying = Presence(services, boards), Tidying(services)
    updates.connect(boards, hands, private_hands, presence, tidying)
    return Chat(
        **{field.name: getattr(services, field.name) for field in fields(services)},
        boards=boards,
        hands=hands,
        private_hands=private_hands,
        presence=presence,
        tidying=tidying,
        replies=replies,
        router=Router(replies),
        actions=Actions(services, hands, private_hands),
    )
