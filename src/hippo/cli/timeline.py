"""What each slot did when, drawn with characters for a terminal."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hippo.cli.output import console

if TYPE_CHECKING:
    from rich.text import Text

    from hippo.simulation import Interval, Simulation

#: kind of work -> what it is drawn with, and its style; lanes that follow one another in a slot alternate in shade
_MARKS = {
    "train": ("█▓", "cyan"),
    "check": ("cc", "blue"),
    "evaluate": ("ee", "green"),
    "save": ("ss", "yellow"),
    "load": ("ll", "yellow"),
    "start": ("··", "bright_black"),
    "worker start": ("··", "bright_black"),
    "lost": ("xx", "red"),
}
#: slots that are drawn; of more than these, the first
MOST_ROWS = 24


def print_timeline(simulation: Simulation) -> None:
    """Print a row for each slot, capped, over virtual time; each character is what the slot did most in its time."""
    if not simulation.intervals:
        return
    out = console()
    width = max(20, min(out.width, 140) - 8)
    rows: dict[int, list[Interval]] = defaultdict(list)
    for interval in simulation.intervals:
        rows[interval.slot].append(interval)
    for slot in range(min(simulation.slots, MOST_ROWS)):
        out.print(_row(slot, rows[slot], simulation.makespan_s / width, width), overflow="crop", no_wrap=True)
    if simulation.slots > MOST_ROWS:
        out.print(f"... and {simulation.slots - MOST_ROWS} more slots", style="dim")
    out.print(_axis(simulation.makespan_s, width))
    shown = {work: mark for work, (mark, _) in _MARKS.items() if work != "worker start"}
    marks = "  ".join(f"{mark if mark[0] != mark[1] else mark[0]} {work}" for work, mark in shown.items())
    out.print(f"{'':6}{marks}", style="dim", highlight=False)


def _row(slot: int, intervals: list[Interval], cell_s: float, width: int) -> Text:
    from rich.text import Text

    cells: list[dict[tuple[str, int], float]] = [defaultdict(float) for _ in range(width)]
    order = {lease: number for number, lease in enumerate(dict.fromkeys(i.lease for i in intervals))}
    for interval in intervals:
        first, last = int(interval.began_s / cell_s), min(int(interval.ended_s / cell_s), width - 1)
        for cell in range(first, last + 1):
            began_s, ended_s = max(interval.began_s, cell * cell_s), min(interval.ended_s, (cell + 1) * cell_s)
            cells[cell][interval.work.value, order[interval.lease] % 2] += max(0.0, ended_s - began_s)
    line = Text(f"{slot:>4}  ")
    for held in cells:
        if sum(held.values()) < cell_s / 2:
            line.append(" ")
            continue
        work, shade = max(held, key=lambda key: held[key])
        mark, style = _MARKS[work]
        line.append(mark[shade], style=style)
    return line


def _axis(makespan_s: float, width: int) -> str:
    unit, seconds = next(
        (u, s) for u, s in (("d", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)) if makespan_s >= 3 * s or s == 1.0
    )
    ends = f"{makespan_s / seconds:.3g} {unit}"
    return f"{'':6}0{ends.rjust(width - 1)}"
