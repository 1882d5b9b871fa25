"""Settings of servers and people; who watches a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = '0002'
down_revision = '0001'


def upgrade() -> None:
    op.add_column('guild', sa.Column('settings', sa.JSON))
    op.add_column('person', sa.Column('settings', sa.JSON))
    op.create_table(
        'watcher',
        sa.Column('table_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column('user_id', sa.BigInteger, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint('table_id', 'user_id', name='pk_watcher'),
        sa.ForeignKeyConstraint(['table_id'], ['game_table.id'], name='fk_watcher_table_id_game_table', ondelete='CASCADE'),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table('watcher')
    for table in ('person', 'guild'):
        with op.batch_alter_table(table) as batch:
            batch.drop_column('settings')
