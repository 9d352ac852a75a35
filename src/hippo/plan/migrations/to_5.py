"""From schema 4 to 5: a plan says how its lanes are walked.

Nothing is known of that in an older database: its plans are walked lane by lane. What a step is counted as, and a sum
of steps, may say from now on in how many lanes it was walked, which is text where it was before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Column

from hippo.plan.migrations.looking import has_column, text_type

if TYPE_CHECKING:
    from alembic.operations import Operations


def to_schema_5(op: Operations) -> list[str]:
    """Add the column; empty where nothing was decided."""
    text = text_type(op)
    if not has_column(op, "hippo_plan", "fusion"):
        op.add_column("hippo_plan", Column("fusion", text, nullable=True))
    # a default of its own is what MySQL has not for text
    op.execute("UPDATE hippo_plan SET fusion = '' WHERE fusion IS NULL")
    with op.batch_alter_table("hippo_plan") as plan:
        plan.alter_column("fusion", existing_type=text, nullable=False)
    return []
