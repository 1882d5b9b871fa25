"""Ended tables whose last board and hands still have to be shown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0005'
down_revision = '0003'


def upgrade() -> None:
    op.create_table(
        'unshown',
        sa.Column('table_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint('table_id', name='pk_unshown'),
        sa.ForeignKeyConstraint(['table_id'], ['game_table.id'], name='fk_unshown_table_id_game_table', ondelete='CASCADE'),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table('unshown')
