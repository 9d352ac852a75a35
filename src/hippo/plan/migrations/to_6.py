"""From schema 5 to 6: a lease says when it ended, what each of its lanes walks, and which slots take part.

Of leases that an older hippo wrote nobody knows it, and nothing is made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Column, Float

from hippo.plan.migrations.looking import has_column, text_type

if TYPE_CHECKING:
    from alembic.operations import Operations


def to_schema_6(op: Operations) -> list[str]:
    """Add the columns; of all leases that there are, unknown."""
    text = text_type(op)
    for name, kind in (("ended_at", Float(53)), ("lanes", text), ("peers", text)):
        if not has_column(op, "hippo_lease", name):
            op.add_column("hippo_lease", Column(name, kind, nullable=True))
    return []
