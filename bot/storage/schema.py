"""The tables of the database. What changes here needs a migration in `migrations/versions`.

A guild is a server, a `game_table` a table at which people play. Discord's ids are 64-bit numbers, times seconds since the
epoch (UTC). Tables that are always read by their key are stored in its order (SQLite: without rowid).

Columns marked as not used stay, since dropping them would keep earlier versions from opening the database.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        'ix': 'ix_%(table_name)s_%(column_0_N_name)s',
        'uq': 'uq_%(table_name)s_%(column_0_N_name)s',
        'fk': 'fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s',
        'pk': 'pk_%(table_name)s',
    }
)

OPEN: Final = sa.text("state IN ('lobby', 'playing')")
"""A table is open. Written out: SQLite uses the index of open tables only for exactly this condition."""


_ID: Final = sa.BigInteger().with_variant(sa.Integer, 'sqlite')
"""64 bits everywhere: SQLite gives that type the name INTEGER when it is the row number."""


def _table_id() -> sa.Column[int]:
    return sa.Column('table_id', sa.BigInteger, sa.ForeignKey('game_table.id', ondelete='CASCADE'), primary_key=True, autoincrement=False)


guild = sa.Table(
    'guild',
    metadata,
    sa.Column('id', _ID, primary_key=True, autoincrement=False),
    sa.Column('name', sa.Text),  # not used
    sa.Column('locale', sa.Text),  # not used
    sa.Column('settings', sa.JSON(none_as_null=True)),
)

person = sa.Table(
    'person',
    metadata,
    sa.Column('id', _ID, primary_key=True, autoincrement=False),
    sa.Column('name', sa.Text),
    sa.Column('settings', sa.JSON(none_as_null=True)),
)

game_table = sa.Table(
    'game_table',
    metadata,
    sa.Column('id', _ID, primary_key=True),
    sa.Column('guild_id', sa.BigInteger, nullable=False),
    sa.Column('channel_id', sa.BigInteger, nullable=False),
    sa.Column('game', sa.Text, nullable=False),
    sa.Column('options', sa.JSON, nullable=False),
    sa.Column('host_id', sa.BigInteger, nullable=False),
    sa.Column('state', sa.Text, nullable=False),
    sa.Column('seats', sa.Integer, nullable=False),
    sa.Column('seed', sa.Text),
    sa.Column('pace', sa.Text, nullable=False),
    sa.Column('board_channel_id', sa.BigInteger),
    sa.Column('board_message_id', sa.BigInteger),
    sa.Column('created', sa.Double, nullable=False),
    sa.Column('changed', sa.Double, nullable=False),
    sa.Column('reason', sa.Text),
    sa.Column('extra', sa.JSON, nullable=False, default={}),  # not used
    sa.Column('taken_back', sa.Integer, nullable=False, server_default='0'),
    sa.Column('votes', sa.JSON(none_as_null=True)),
    sa.Index(None, 'channel_id'),
    sa.Index('ix_game_table_open', 'channel_id', unique=True, sqlite_where=OPEN, postgresql_where=OPEN),
    sqlite_autoincrement=True,  # an id in an old button's custom id is never given to a later table
)

seat = sa.Table(
    'seat',
    metadata,
    _table_id(),
    sa.Column('seat', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('user_id', sa.BigInteger),
    sa.Column('name', sa.Text, nullable=False),
    sa.Column('computer', sa.Text),
    sa.Column('hand_channel_id', sa.BigInteger),
    sa.Column('hand_message_id', sa.BigInteger),
    sa.Column('extra', sa.JSON, nullable=False),
    sa.Index(None, 'user_id', sqlite_where=sa.text('user_id IS NOT NULL'), postgresql_where=sa.text('user_id IS NOT NULL')),
    sqlite_with_rowid=False,
)

unshown = sa.Table('unshown', metadata, _table_id(), sqlite_with_rowid=False)
"""Ended tables whose last board and hands are not yet known to be shown."""

watcher = sa.Table(
    'watcher',
    metadata,
    _table_id(),
    sa.Column('user_id', sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

round_ = sa.Table(
    'round',
    metadata,
    _table_id(),
    sa.Column('round', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('start', sa.Integer, nullable=False),
    sa.Column('dealer', sa.Integer),
    sa.Column('points', sa.JSON, nullable=False),
    sa.Column('totals', sa.JSON, nullable=False),
    sa.Column('reason', sa.Text, nullable=False),
    sa.Column('ended', sa.Double, key='at', nullable=False),
    sqlite_with_rowid=False,
)

move = sa.Table(
    'move',
    metadata,
    _table_id(),
    sa.Column('round', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('ply', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('seat', sa.Integer, nullable=False),
    sa.Column('text', sa.Text, nullable=False),
    sa.Column('interaction_id', sa.BigInteger),
    sa.Column('by', sa.Text, nullable=False),
    sa.Column('at', sa.Double, nullable=False),
    sa.Index(
        None,
        'interaction_id',
        unique=True,
        sqlite_where=sa.text('interaction_id IS NOT NULL'),
        postgresql_where=sa.text('interaction_id IS NOT NULL'),
    ),
    sqlite_with_rowid=False,
)

result = sa.Table(
    'result',
    metadata,
    _table_id(),
    sa.Column('seat', sa.Integer, primary_key=True, autoincrement=False),
    sa.Column('guild_id', sa.BigInteger, nullable=False),
    sa.Column('game', sa.Text, nullable=False),
    sa.Column('user_id', sa.BigInteger),
    sa.Column('computer', sa.Text),
    sa.Column('place', sa.Integer, nullable=False),
    sa.Column('won', sa.Boolean, nullable=False),
    sa.Column('points', sa.Double, nullable=False),
    sa.Column('total', sa.Integer, nullable=False),
    sa.Column('left', sa.Boolean, nullable=False),
    sa.Column('rated', sa.Boolean, nullable=False),
    sa.Column('at', sa.Double, nullable=False),
    sa.Index(None, 'user_id', 'at', sqlite_where=sa.text('user_id IS NOT NULL'), postgresql_where=sa.text('user_id IS NOT NULL')),
    sqlite_with_rowid=False,
)

leaderboard = sa.Table(
    'leaderboard',
    metadata,
    sa.Column('id', _ID, primary_key=True),
    sa.Column('guild_id', sa.BigInteger, nullable=False),
    sa.Column('period', sa.Text, nullable=False),
    sa.Column('game', sa.Text, nullable=False),
    sa.UniqueConstraint('guild_id', 'period', 'game'),
)
"""One for every server and for all servers (0), every game and all games (''), and every period."""

standing = sa.Table(
    'standing',
    metadata,
    sa.Column('leaderboard_id', sa.BigInteger, sa.ForeignKey('leaderboard.id'), primary_key=True, autoincrement=False),
    sa.Column('user_id', sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column('matches', sa.Integer, nullable=False),
    sa.Column('wins', sa.Integer, nullable=False),
    sa.Column('points', sa.Double, nullable=False),
    sa.Column('rating', sa.Double),
    sa.Column('rated', sa.Integer, nullable=False),
    sa.Index(None, 'leaderboard_id', 'wins', 'user_id'),
    sa.Index(None, 'leaderboard_id', 'points', 'user_id'),
    sa.Index(
        None,
        'leaderboard_id',
        'rating',
        'user_id',
        'rated',
        sqlite_where=sa.text('rating IS NOT NULL'),
        postgresql_where=sa.text('rating IS NOT NULL'),
    ),
    sqlite_with_rowid=False,
)
"""A person's line of a leaderboard, updated at the end of every match, so that reading a leaderboard has nothing to count.

The rating is the one after the last rated match in the period, so that the boards of past periods stay as they were.
"""

rating = sa.Table(
    'rating',
    metadata,
    sa.Column('guild_id', sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column('game', sa.Text, primary_key=True),
    sa.Column('user_id', sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column('mu', sa.Double, nullable=False),
    sa.Column('sigma', sa.Double, nullable=False),
    sa.Column('ordinal', sa.Double, nullable=False),
    sa.Column('matches', sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
