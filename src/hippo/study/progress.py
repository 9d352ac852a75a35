"""The progress bar: best value, steps done, saved and left, and how long it may take. Quiet when not a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hippo.runtime import Progress

_REFRESH_S = 0.25


@contextmanager
def progress_bar(look: Callable[[], Progress], *, title: str) -> Iterator[None]:
    """Show how far a study is while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
    )
    ended = threading.Event()
    with Bars(*columns, console=Console(stderr=True), transient=False) as bars:
        task = bars.add_task(title, total=None, counts="")

        def refresh() -> None:
            now = look()
            bars.update(
                task,
                completed=now.steps_executed,
                total=max(1, now.steps_executed + now.steps_left),
                counts=describe(now),
            )

        def watch() -> None:
            while not ended.wait(_REFRESH_S):
                refresh()

        watcher = threading.Thread(target=watch, name="hippo-progress", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()
            refresh()


def describe(now: Progress) -> str:
    """Return the numbers beside the bar."""
    best = "-" if now.best_value is None else f"{now.best_value:.6g}"
    saved = max(0, now.steps_asked - now.steps_executed - now.steps_left)
    eta = "" if not now.seconds_left else f"  about {_duration(now.seconds_left)} left"
    return (
        f"best {best}  trials {now.trials_done}/{now.trials}  "
        f"steps {now.steps_executed} run, {saved} saved, {now.steps_left} left{eta}"
    )


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
