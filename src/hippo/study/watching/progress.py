"""How far a study is, on standard error: two rows at the bottom of a terminal, or now and then a line in a file.

In a terminal the last rows are taken out of the part that scrolls (as package managers do). Trainers print from other
processes, of which this one knows nothing: what they print scrolls above, and can neither run into the bar nor leave
pieces of it behind, as it did when the bar was erased and drawn again where the cursor happened to be.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from hippo.clock import Clock, SystemClock
from hippo.runtime import Progress
from hippo.saying import write_line

_REFRESH_S = 0.25
#: until the study has begun, it is looked at so often: what it had before is to be told from what it does now
_FIRST_LOOK_S = 0.02
#: looking may take this share of the time: it costs the control loop something for each trial
_SHARE = 0.05
#: where there is no terminal: the first line, and the following ones
_FIRST_LINE_S = 10.0
_NEXT_LINE_S = 60.0
#: in a terminal: a study that took less leaves no line behind
_WORTH_A_LINE_S = 1.0
#: rows that a terminal must have for two of them to be taken
_LEAST_ROWS = 6

Look = Callable[[], Progress | None]
Steps = Callable[[], int | None]


@contextmanager
def progress_bar(look: Look, *, title: str, steps: Steps | None = None, clock: Clock | None = None) -> Iterator[None]:
    """Show how far a study is while the block runs.

    Args:
      look: returns how far it is; None before it began.
      title: the study's name.
      steps: returns how many steps it has executed, None before it began. Where a look adds up all trials, this does
        not, and it is all that is asked until there is something to be shown.
      clock: tells how long it has been.
    """
    out = sys.stderr
    if out is None:  # the process began without, and nobody can be shown anything
        yield
        return
    watcher = _Watcher(look, steps or _steps_of(look), title, clock or SystemClock(), out)
    thread = threading.Thread(target=watcher.run, name="hippo-progress", daemon=True)
    thread.start()
    is_done = False
    try:
        yield
        is_done = True
    finally:
        watcher.ended.set()
        thread.join()
        watcher.close(is_done=is_done)


def _steps_of(look: Look) -> Steps:
    def steps() -> int | None:
        now = look()
        return None if now is None else now.steps_executed

    return steps


class _Watcher:
    """Looks at a study in turns, and shows what it sees."""

    def __init__(self, look: Look, steps: Steps, title: str, clock: Clock, out: TextIO) -> None:
        self._look = look
        self._steps = steps
        self._title = plain(title)
        self._clock = clock
        self._out = out
        self._began_s = clock.elapsed()
        self._rows = BottomRows(out) if has_rows(out) else None
        self._next_line_s = _FIRST_LINE_S
        self._has_line = False
        #: steps of earlier runs, which say nothing of this one's pace; None until the study has begun
        self._steps_before: int | None = None
        self.ended = threading.Event()

    def run(self) -> None:
        wait_s = _FIRST_LOOK_S
        while not self.ended.wait(wait_s):
            began_s = self._clock.elapsed()
            if self._steps_before is None:
                self._steps_before = self._steps()
                continue
            if self._rows is not None or began_s - self._began_s >= self._next_line_s:
                self._show()
            wait_s = max(_REFRESH_S, (self._clock.elapsed() - began_s) / _SHARE)

    def close(self, *, is_done: bool) -> None:
        """Leave one line behind, if there is something to be said."""
        if self._rows is not None:
            self._rows.close()
        is_worth_it = self._has_line or (self._rows is not None and self._elapsed_s() >= _WORTH_A_LINE_S)
        if is_worth_it and is_done and (now := self._look()) is not None:
            self._print(now)

    def _show(self) -> None:
        now = self._look()
        if now is None:
            return
        elapsed_s = self._elapsed_s()
        if self._rows is not None:
            self._rows.show(lambda width: [self._bar(now, width), fitted(self._numbers(now, elapsed_s), width)])
        elif elapsed_s >= self._next_line_s:
            self._print(now)
            self._has_line = True
            self._next_line_s = elapsed_s + _NEXT_LINE_S

    def _print(self, now: Progress) -> None:
        elapsed_s = self._elapsed_s()
        write_line(f"hippo: {self._title}: {', '.join(self._numbers(now, elapsed_s))}")

    def _elapsed_s(self) -> float:
        return self._clock.elapsed() - self._began_s

    def _numbers(self, now: Progress, elapsed_s: float) -> list[str]:
        steps = now.steps_executed - (self._steps_before or 0)
        return describe(now, elapsed_s=elapsed_s, steps=steps)

    def _bar(self, now: Progress, width: int) -> str:
        """Return the study's name, and a bar where it is known how much there is to be done."""
        if now.may_ask_more:
            text = f"{self._title}  {now.steps_executed} steps"
            return text if len(text) <= width else text[:width]
        total = now.steps_executed + now.steps_left
        count = f" {now.steps_executed}/{total} steps"
        room = min(40, width - len(self._title) - len(count) - 1)
        if room < 5:
            return (self._title + count)[:width]
        done = room if not total else room * now.steps_executed // total
        full, empty = ("━", "─") if _can_show(self._out, "━─") else ("#", ".")
        return f"{self._title} {full * done}{empty * (room - done)}{count}"


def describe(now: Progress, *, elapsed_s: float, steps: int) -> list[str]:
    """Return the numbers of a study, the most important first.

    What is left, and how long it takes, is told only where it is known: a tuner that decides on the way what deserves
    more steps has not asked for them yet.

    Args:
      now: how far it is.
      elapsed_s: since this run began.
      steps: that this run executed.
    """
    parts = [f"best {now.best_value:.6g}"] if now.best_value is not None else []
    if now.shown:
        parts.append(plain(now.shown))
    parts.append(f"{now.trials_done} trials done" if now.may_ask_more else f"{now.trials_done} of {now.trials} trials")
    if now.trials_failed:
        parts.append(f"{now.trials_failed} failed")
    if now.seconds_left and now.steps_left and not now.may_ask_more:
        parts.append(f"about {duration(now.seconds_left)} to go")
    if now.lanes:
        parts.append(f"{now.lanes} lane{'' if now.lanes == 1 else 's'}")
    parts += [f"{now.steps_executed} steps", f"{now.steps_saved} saved"]
    if now.steps_left and not now.may_ask_more:
        parts.append(f"{now.steps_left} left")
    parts.append(duration(elapsed_s))
    if steps and elapsed_s > 0:
        parts.append(_rate(steps / elapsed_s))
    return parts


def duration(seconds: float) -> str:
    """Return a duration for people."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _rate(steps_per_s: float) -> str:
    if steps_per_s >= 100:
        return f"{steps_per_s:,.0f} steps/s"
    return f"{steps_per_s:.3g} steps/s" if steps_per_s >= 1 else f"{duration(1 / steps_per_s)} a step"


def fitted(parts: list[str], width: int) -> str:
    """Return as many parts as have room in a row, whole ones only."""
    while len(parts) > 1 and len(", ".join(parts)) > width:
        parts = parts[:-1]
    return ", ".join(parts)[:width]


def plain(text: str) -> str:
    """Return a name without what would move a terminal's cursor."""
    return "".join("?" if unicodedata.category(letter) == "Cc" else letter for letter in text)


def has_rows(out: TextIO) -> bool:
    """Tell whether rows at the bottom can be taken: it is a terminal that scrolls in parts, and high enough."""
    return out.isatty() and os.environ.get("TERM", "dumb") != "dumb" and _terminal_size(out).lines >= _LEAST_ROWS


def _can_show(out: TextIO, text: str) -> bool:
    try:
        text.encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class BottomRows:
    """Two rows at the bottom of a terminal, outside of the part that scrolls."""

    _COUNT = 2

    def __init__(self, out: TextIO) -> None:
        self._out = out
        #: of the terminal, as the scrolling part was last set; None: it is whole
        self._size: os.terminal_size | None = None

    def show(self, rows_for: Callable[[int], list[str]]) -> None:
        """Show rows, made for the width there is."""
        size = _terminal_size(self._out)
        if size.lines < _LEAST_ROWS:
            self.close()
            return
        # One write: what other processes print may come before it or after it, and not within.
        text = self._taken(size) if size != self._size else ""
        first = size.lines - self._COUNT + 1
        text += "\0337\033[?7l"  # remember where the cursor is; what is too long is cut, and not wrapped
        for number, row in enumerate(rows_for(size.columns)):
            text += f"\033[{first + number};1H\033[2K{row}"
        self._write(text + "\033[?7h\0338")

    def close(self) -> None:
        """Give the rows back, empty."""
        size, self._size = self._size, None
        if size is not None:
            first = size.lines - self._COUNT + 1
            self._write(f"\0337\033[r\033[{first};1H\033[J\0338")

    def _taken(self, size: os.terminal_size) -> str:
        """Return what takes the rows: scrolled free first, so that nothing is under them."""
        before, self._size = self._size, size
        free = "" if before is not None else "\n" * self._COUNT + f"\033[{self._COUNT}A"
        return f"{free}\0337\033[1;{size.lines - self._COUNT}r\0338"

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):  # the terminal was closed: there is nobody to show anything to
            self._size = None


def _terminal_size(out: TextIO) -> os.terminal_size:
    try:
        size = os.get_terminal_size(out.fileno())
    except (OSError, ValueError):
        size = shutil.get_terminal_size()
    return size if size.lines and size.columns else shutil.get_terminal_size()
