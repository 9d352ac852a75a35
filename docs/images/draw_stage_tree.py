"""Draws the README's picture: the tree of the trials in examples/toy.py, from the real space.

    python docs/images/draw_stage_tree.py

Needs matplotlib. The picture is the same, byte for byte, as long as the space and matplotlib are.
"""

from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from hippo.hparams import path

UNTIL = 30
COLOURS = {"constant": "#20639b", "exponential": "#ed553b"}


def toy_space():
    """Return the space of examples/toy.py, without running the study that comes after it."""
    source = (Path(__file__).parents[2] / "examples" / "toy.py").read_text()
    names = {}
    exec(source.partition("\nprint(")[0], names)
    return names["space"]


def main():
    mpl.rcParams.update({"svg.hashsalt": "hippo", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10})
    routes = [
        tuple((start, frozenset(pieces.items())) for start, pieces in path(config, UNTIL)) for config in toy_space()
    ]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    axes = figure.subplots()
    draw(axes, routes)
    axes.set(xlim=(-0.3, UNTIL + 4), xlabel="step", yticks=[], xticks=[0, 15, 20, 25, UNTIL])
    axes.spines[["left", "top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_name("stage_tree.svg"), metadata={"Date": None})


def draw(axes, routes):
    """Draw each node as a line from its start to its last step, on the row of the first trial that ends in it."""
    through = defaultdict(list)  # node, as the route to it -> rows of the trials that pass it
    rows = {route: row for row, route in enumerate(in_tree_order(routes))}
    for route, row in rows.items():
        for depth in range(len(route)):
            through[route[: depth + 1]].append(row)
    for node, passing in through.items():
        start, pieces = node[-1]
        row, colour = rows.get(node, min(passing)), COLOURS[dict(pieces)["lr"].kind]
        if len(node) > 1:
            axes.plot([start, start], [rows[node[:-1]], row], color="#999999", linewidth=1, zorder=1)
        axes.plot([start, UNTIL], [row, row], color=colour, linewidth=2.5, solid_capstyle="butt", zorder=2)
        axes.plot([start], [row], "o", color="white", markeredgecolor=colour, markersize=6, zorder=3)
        axes.text(start + 0.4, row - 0.17, label(node), fontsize=9, color="#333333")
        axes.text(UNTIL + 0.4, row, f"trial {routes.index(node)}", fontsize=9, va="center")
    axes.invert_yaxis()


def in_tree_order(routes):
    """Routes such that what leaves a node later comes nearer to it."""
    return sorted(
        routes, key=lambda route: [(-start, sorted(piece.key for _, piece in pieces)) for start, pieces in route]
    )


def label(node):
    """Say what is new in a node."""
    before = dict(node[-2][1]) if len(node) > 1 else {}
    now = dict(node[-1][1])
    return ", ".join(
        f"{name} {value(now[name])}" for name in sorted(now, reverse=True) if now[name] != before.get(name)
    )


def value(piece):
    """Return a piece as text: its value, or its formula."""
    if piece.kind == "exponential":
        initial, gamma = piece.arguments
        return f"{initial}·{gamma}ᵗ"
    return f"{piece.at(0):.3g}"


if __name__ == "__main__":
    main()
