"""How many moves of a match were taken back, so that no position has the number of an earlier one; votes to remove a host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0003'
down_revision = '0002'


def upgrade() -> None:
    op.add_column('game_table', sa.Column('taken_back', sa.Integer, nullable=False, server_default='0'))
    op.add_column('game_table', sa.Column('votes', sa.JSON))


def downgrade() -> None:
    for column in ('votes', 'taken_back'):
        # not by copying the table, which would lose that its ids are never used twice
        op.execute(f'ALTER TABLE game_table DROP COLUMN {column}')
