"""What it costs a study that somebody watches it.

    python benchmarks/bench_watched.py [--runs 5] [--seconds 20] [--views tree curves slots]

A study trains in a process of its own, some fifty steps a second, with commits and checkpoints; through three windows:
alone, while `hippo dashboard` serves one of its views to a Chromium on the same machine, alone. Starting and ending
either is in no window. Wall seconds for a hundred steps; the ratio is that to the mean of the windows before and after,
the median of all runs. Here the browser has to share the study's two cores, which one elsewhere has not.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack

from hippo.testing.browser import open_browser
from report import write_report
from windows import seconds_of

#: drawn, and drawn anew
_SETTLED_S = 5.0


def watched(view, seconds):
    """Return the seconds of a hundred steps while the study is watched, and around that."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        url, stack, servers = f"sqlite:///{folder}/hippo.db", AsyncExitStack(), []

        def nothing():
            time.sleep(seconds)

        def begin():
            command = [sys.executable, "-m", "hippo", "dashboard", url, "--port", "0"]
            servers.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
            page = next(line for line in servers[0].stderr if "http://" in line).partition("are at ")[2].partition(";")
            browser = runner.run(stack.enter_async_context(open_browser()))
            drawn = "document.querySelector('canvas')"
            runner.run(browser.show(f"{page[0]}/#/beside/{view}", drawn))
            runner.run(asyncio.sleep(_SETTLED_S))

        def watch():
            runner.run(asyncio.sleep(seconds))

        def end():
            runner.run(stack.aclose())
            servers[0].kill()
            servers[0].wait()
            time.sleep(_SETTLED_S)

        before, _, watching, _, after = seconds_of(url, f"{folder}/states", [nothing, begin, watch, end, nothing])
    return watching, (before + after) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0, help="of a window")
    parser.add_argument("--views", nargs="+", default=["tree", "curves", "slots"])
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    found = {view: [] for view in arguments.views}
    for _ in range(arguments.runs):
        for view, pairs in found.items():
            pairs.append(watched(view, arguments.seconds))
            print(view, pairs[-1], file=sys.stderr, flush=True)
    rows = []
    for view, pairs in found.items():
        ratios = sorted(both / alone for both, alone in pairs)
        rows.append(
            {
                "view": view,
                "s": round(statistics.median(both for both, _ in pairs), 3),
                "alone_s": round(statistics.median(alone for _, alone in pairs), 3),
                "ratio": round(statistics.median(ratios), 3),
                "min_ratio": round(ratios[0], 3),
                "max_ratio": round(ratios[-1], 3),
            }
        )
    if arguments.dry_run:
        print(*rows, sep="\n")
    else:
        how = f"{arguments.runs} runs of each view, windows of {arguments.seconds:g} s"
        write_report("watched", rows, how, seeds="none", also={"src/hippo/dashboard"})


if __name__ == "__main__":
    main()
