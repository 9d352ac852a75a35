"""From schema 3 to 4: a plan is opened by what a request touches.

Nodes get a digest of their whole path, by which they are looked up; what else is looked up gets an index. Sums over
facts get a table, which stays empty here: the first one who takes a plan over adds up what is there.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Float, String

if TYPE_CHECKING:
    from alembic.operations import Operations

_NODE = sa.table("hippo_node", *map(sa.column, ("plan", "node", "parent", "start", "pieces", "owner", "digest")))

#: nodes that are written at a time
_CHUNK = 10_000

#: as pieces were written in keys when this was schema 4
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def to_schema_4(op: Operations) -> list[str]:
    """Give nodes their digests, and make the indexes and the table."""
    op.add_column("hippo_node", Column("digest", String(32), nullable=False, server_default=""))
    _fill_digests(op.get_bind())
    for table, name, columns in (
        ("hippo_node", "digest", ["plan", "digest", "node"]),
        ("hippo_checkpoint", "node", ["plan", "node"]),
        ("hippo_failure", "node", ["plan", "node"]),
        ("hippo_lease", "end", ["plan", "ended", "lease"]),
        ("hippo_call", "position", ["study", "position"]),
        ("hippo_trial", "call", ["study", "call"]),
    ):
        op.create_index(f"{table}_by_{name}", table, columns)
    op.create_table(
        "hippo_totals",
        Column("plan", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("study", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("kind", String(255), primary_key=True, nullable=False),
        Column("count", BigInteger, nullable=False),
        Column("seconds", Float(53), nullable=False),
        Column("furthest", BigInteger, nullable=False),
        Column("mark", BigInteger, nullable=False),
    )
    return []


def _fill_digests(connection: sa.Connection) -> None:
    update = (
        sa.update(_NODE)
        .where(_NODE.c.plan == sa.bindparam("of_plan"), _NODE.c.node == sa.bindparam("of_node"))
        .values(digest=sa.bindparam("as_digest"))
    )
    for plan in connection.execute(sa.select(_NODE.c.plan).distinct().order_by(_NODE.c.plan)).scalars().all():
        digests: dict[int | None, str] = {None: ""}
        last = 0
        while True:
            some = sa.select(_NODE).where(_NODE.c.plan == plan, _NODE.c.node > last).order_by(_NODE.c.node)
            rows = connection.execute(some.limit(_CHUNK)).mappings().all()
            if not rows:
                break
            for row in rows:  # parents have smaller numbers
                digests[row["node"]] = _digest(digests[row["parent"]], row)
            connection.execute(
                update,
                [{"of_plan": plan, "of_node": row["node"], "as_digest": digests[row["node"]]} for row in rows],
            )
            last = rows[-1]["node"]


def _digest(parent: str, row: Any) -> str:
    pieces = json.loads(row["pieces"])
    lines = []
    for name in sorted(pieces):
        piece = pieces[name]
        lines.append(f"{name!r}: {_canonical([piece['kind'], piece['arguments'], piece['origin']])}")
    text = "\n".join([parent, row["owner"], str(row["start"]), *lines])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
