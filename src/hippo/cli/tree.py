"""`hippo tree`: the tree of training states that a study walked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hippo.cli.options import format_option, generation_option, opened, storage_option
from hippo.cli.output import console, show
from hippo.short_numbers import short_numbers

if TYPE_CHECKING:
    from rich.tree import Tree

    from hippo.study import TreeRow


#: what every node has
_COLUMNS = ("node", "parent", "start", "stop", "values", "trials", "checkpoints", "metrics")


@click.command()
@click.argument("study")
@storage_option
@generation_option
@format_option
def tree(study: str, storage: str, generation: int | None, form: str) -> None:
    """Show the tree that the trials of STUDY share.

    Each line is a node: the steps it covers, the values in force, how many trials go through it, the steps whose state
    is kept, and its metrics at the last step known. Branches of which neither metrics nor a state are left are counted.
    """
    rows = opened(study, storage, generation).tree()
    if form == "table" and not rows:
        click.echo(f"study {study!r} has no trial yet")
    elif form == "table":
        _print_tree(study, rows)
    else:
        show([_flat(row) for row in rows], form, columns=_COLUMNS)


def _flat(row: TreeRow) -> dict[str, object]:
    return {
        **({"member": row.member} if row.member else {}),
        "node": row.node,
        "parent": row.parent,
        "start": row.start,
        "stop": row.stop,
        "values": row.values,
        "trials": list(row.trials),
        "checkpoints": list(row.checkpoints),
        "metrics": {str(step): dict(metrics) for step, metrics in row.metrics.items()},
        **({} if row.twin_drift is None else {"twin_drift": row.twin_drift}),
    }


def _print_tree(title: str, rows: Sequence[TreeRow]) -> None:
    from rich.markup import escape
    from rich.tree import Tree

    from hippo.views import freed_branches

    freed = freed_branches(rows)
    counted = {(row.member, row.node) for branches in freed.values() for row in branches}
    # the numbers of nodes are those of a plan, and each member of a study has its own
    children: dict[tuple[str, int | None], list[TreeRow]] = defaultdict(list)
    for row in rows:
        if (row.member, row.node) not in counted:
            children[row.member, row.parent].append(row)
    drawn = Tree(f"[bold]{escape(title)}[/bold]")
    for member in dict.fromkeys(row.member for row in rows):
        root = drawn.add(escape(member)) if member else drawn
        # Not recursive: trees of tuners that continue from another trial's state are deep.
        if (member, None) in freed:
            root.add(escape(_freed_line(freed[member, None])))
        todo: list[tuple[Tree, TreeRow]] = [(root, row) for row in reversed(children[member, None])]
        while todo:
            above, row = todo.pop()
            branch = above.add(escape(_line(row)))
            if (member, row.node) in freed:
                branch.add(escape(_freed_line(freed[member, row.node])))
            todo += [(branch, child) for child in reversed(children[member, row.node])]
    console().print(drawn)


def _freed_line(rows: Sequence[TreeRow]) -> str:
    first, last = min(row.start for row in rows), max(row.stop for row in rows)
    return f"{first}-{last}  {len(rows)} branches, without metrics or a state"


def _line(row: TreeRow) -> str:
    count = len(row.trials)
    parts = [row.steps, short_numbers(row.values), "1 trial" if count == 1 else f"{count} trials"]
    if row.checkpoints:
        parts.append("kept " + ", ".join(str(step) for step in row.checkpoints))
    if row.metrics:
        last = max(row.metrics)
        metrics = ", ".join(f"{name} {value:.4g}" for name, value in sorted(row.metrics[last].items()))
        parts.append(f"{metrics} at {last}")
    if row.twin_drift is not None:
        parts.append(f"twin off by {row.twin_drift:.1g}")
    return "  ".join(parts)
