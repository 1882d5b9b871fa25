"""Tables, seats, rounds, moves, results, ratings and leaderboards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0001'
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, 'sqlite')


def _table_id() -> sa.Column[int]:
    return sa.Column('table_id', sa.BigInteger, nullable=False, autoincrement=False)


def _belongs(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(['table_id'], ['game_table.id'], name=f'fk_{table}_table_id_game_table', ondelete='CASCADE')


def _index(name: str, table: str, columns: list[str], where: str, unique: bool = False) -> None:
    op.create_index(name, table, columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def upgrade() -> None:
    op.create_table(
        'guild',
        sa.Column('id', _ID, nullable=False, autoincrement=False),
        sa.Column('name', sa.Text),
        sa.Column('locale', sa.Text),
        sa.PrimaryKeyConstraint('id', name='pk_guild'),
    )
    op.create_table(
        'person',
        sa.Column('id', _ID, nullable=False, autoincrement=False),
        sa.Column('name', sa.Text),
        sa.PrimaryKeyConstraint('id', name='pk_person'),
    )
    op.create_table(
        'game_table',
        sa.Column('id', _ID, nullable=False),
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
        sa.Column('extra', sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint('id', name='pk_game_table'),
        sqlite_autoincrement=True,
    )
    op.create_index('ix_game_table_channel_id', 'game_table', ['channel_id'])
    _index('ix_game_table_open', 'game_table', ['channel_id'], "state IN ('lobby', 'playing')", unique=True)
    op.create_table(
        'seat',
        _table_id(),
        sa.Column('seat', sa.Integer, nullable=False, autoincrement=False),
        sa.Column('user_id', sa.BigInteger),
        sa.Column('name', sa.Text, nullable=False),
        sa.Column('computer', sa.Text),
        sa.Column('hand_channel_id', sa.BigInteger),
        sa.Column('hand_message_id', sa.BigInteger),
        sa.Column('extra', sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint('table_id', 'seat', name='pk_seat'),
        _belongs('seat'),
        sqlite_with_rowid=False,
    )
    _index('ix_seat_user_id', 'seat', ['user_id'], 'user_id IS NOT NULL')
    op.create_table(
        'round',
        _table_id(),
        sa.Column('round', sa.Integer, nullable=False, autoincrement=False),
        sa.Column('start', sa.Integer, nullable=False),
        sa.Column('dealer', sa.Integer),
        sa.Column('points', sa.JSON, nullable=False),
        sa.Column('totals', sa.JSON, nullable=False),
        sa.Column('reason', sa.Text, nullable=False),
        sa.Column('ended', sa.Double, nullable=False),
        sa.PrimaryKeyConstraint('table_id', 'round', name='pk_round'),
        _belongs('round'),
        sqlite_with_rowid=False,
    )
    op.create_table(
        'move',
        _table_id(),
        sa.Column('round', sa.Integer, nullable=False, autoincrement=False),
        sa.Column('ply', sa.Integer, nullable=False, autoincrement=False),
        sa.Column('seat', sa.Integer, nullable=False),
        sa.Column('text', sa.Text, nullable=False),
        sa.Column('interaction_id', sa.BigInteger),
        sa.Column('by', sa.Text, nullable=False),
        sa.Column('at', sa.Double, nullable=False),
        sa.PrimaryKeyConstraint('table_id', 'round', 'ply', name='pk_move'),
        _belongs('move'),
        sqlite_with_rowid=False,
    )
    _index('ix_move_interaction_id', 'move', ['interaction_id'], 'interaction_id IS NOT NULL', unique=True)
    op.create_table(
        'result',
        _table_id(),
        sa.Column('seat', sa.Integer, nullable=False, autoincrement=False),
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
        sa.PrimaryKeyConstraint('table_id', 'seat', name='pk_result'),
        _belongs('result'),
        sqlite_with_rowid=False,
    )
    _index('ix_result_user_id_at', 'result', ['user_id', 'at'], 'user_id IS NOT NULL')
    op.create_table(
        'leaderboard',
        sa.Column('id', _ID, nullable=False),
        sa.Column('guild_id', sa.BigInteger, nullable=False),
        sa.Column('period', sa.Text, nullable=False),
        sa.Column('game', sa.Text, nullable=False),
        sa.PrimaryKeyConstraint('id', name='pk_leaderboard'),
        sa.UniqueConstraint('guild_id', 'period', 'game', name='uq_leaderboard_guild_id_period_game'),
    )
    op.create_table(
        'standing',
        sa.Column('leaderboard_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column('user_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column('matches', sa.Integer, nullable=False),
        sa.Column('wins', sa.Integer, nullable=False),
        sa.Column('points', sa.Double, nullable=False),
        sa.Column('rating', sa.Double),
        sa.Column('rated', sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint('leaderboard_id', 'user_id', name='pk_standing'),
        sa.ForeignKeyConstraint(['leaderboard_id'], ['leaderboard.id'], name='fk_standing_leaderboard_id_leaderboard'),
        sqlite_with_rowid=False,
    )
    op.create_index('ix_standing_leaderboard_id_wins_user_id', 'standing', ['leaderboard_id', 'wins', 'user_id'])
    op.create_index('ix_standing_leaderboard_id_points_user_id', 'standing', ['leaderboard_id', 'points', 'user_id'])
    by_rating = ['leaderboard_id', 'rating', 'user_id', 'rated']
    _index('ix_standing_leaderboard_id_rating_user_id_rated', 'standing', by_rating, 'rating IS NOT NULL')
    op.create_table(
        'rating',
        sa.Column('guild_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column('game', sa.Text, nullable=False),
        sa.Column('user_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column('mu', sa.Double, nullable=False),
        sa.Column('sigma', sa.Double, nullable=False),
        sa.Column('ordinal', sa.Double, nullable=False),
        sa.Column('matches', sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint('guild_id', 'game', 'user_id', name='pk_rating'),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in ('rating', 'standing', 'leaderboard', 'result', 'move', 'round', 'seat', 'game_table', 'person', 'guild'):
        op.drop_table(table)
