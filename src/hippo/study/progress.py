"""The progress bar: best value, steps done, saved and left, and how long it may take. Quiet when not a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hippo.runtime import Progress

_REFRESH_S = 0.25


@contextmanager
def progress_bar(look: Callable[[], Progress | None], *, title: str) -> Iterator[None]:
    """Show how far a study is while the block runs: a bar, and the numbers below it."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    bar = Bar(TextColumn("[bold]{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    task = bar.add_task(title, total=None)
    numbers = Text(no_wrap=True, overflow="ellipsis")
    ended = threading.Event()

    def refresh() -> None:
        now = look()
        if now is None:
            return
        bar.update(task, completed=now.steps_executed, total=max(1, now.steps_executed + now.steps_left))
        numbers.plain = describe(now)

    def watch() -> None:
        while not ended.wait(_REFRESH_S):
            refresh()

    with Live(Group(bar, numbers), console=Console(stderr=True)):
        watcher = threading.Thread(target=watch, name="hippo-progress", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()
        refresh()  # only at its end: of a study that was stopped nothing is left, and the bar would look full


def describe(now: Progress) -> str:
    """Return the numbers below the bar."""
    saved = max(0, now.steps_asked - now.steps_executed - now.steps_left)
    parts = [
        f"best {now.best_value:.6g}" if now.best_value is not None else "no answer yet",
        f"{now.trials_done} of {now.trials} trials",
        f"{saved} steps saved",
        f"{now.steps_left} left",
    ]
    if now.seconds_left:
        parts.append(f"about {_duration(now.seconds_left)}")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
