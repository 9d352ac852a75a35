"""From schema 6 to 7: changes of trials are numbered, so that who looks again reads those that changed.

What there is counts as one change, the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Column

from hippo.plan.migrations.looking import has_column, has_index

if TYPE_CHECKING:
    from alembic.operations import Operations


def to_schema_7(op: Operations) -> list[str]:
    """Add the column, and the index by which the latest are found."""
    if not has_column(op, "hippo_trial", "changed"):
        op.add_column("hippo_trial", Column("changed", BigInteger, nullable=True))
    op.execute("UPDATE hippo_trial SET changed = 1 WHERE changed IS NULL")
    with op.batch_alter_table("hippo_trial") as trial:
        trial.alter_column("changed", existing_type=BigInteger(), nullable=False)
    if not has_index(op, "hippo_trial", "hippo_trial_by_changed"):
        op.create_index("hippo_trial_by_changed", "hippo_trial", ["changed"])
    return []
