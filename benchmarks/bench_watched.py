"""What it costs a study that somebody watches it.

    python benchmarks/bench_watched.py [--pairs 10] [--seconds 10] [--views tree curves slots]

A study trains in a process of its own, some fifty steps a second, with commits and checkpoints. `hippo dashboard`
serves one of its views to a Chromium on the same machine; both are stopped and continued (SIGSTOP, SIGCONT) for one
window after the other. Wall seconds for a hundred steps; the ratio is that of a window in which they run to the mean
of the windows before and after, the median of all. Here the browser has to share the study's two cores, which one
elsewhere has not; so the CPU of the server, and that of the browser, are told, too, as parts of one core.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack

import psutil

from bench_dashboard import cpu_of
from hippo.testing.browser import open_browser
from report import write_report
from windows import seconds_of

#: drawn, and drawn anew
_SETTLED_S = 5.0


def family(process):
    """Return a process and all below it."""
    return [process, *process.children(recursive=True)]


def watched(view, pairs, seconds):
    """Return the seconds of a hundred steps in each window, unwatched ones around watched ones, and who took CPU."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        url, stack, watching, used = f"sqlite:///{folder}/hippo.db", AsyncExitStack(), {}, collections.Counter()

        def begin():
            command = [sys.executable, "-m", "hippo", "dashboard", url, "--port", "0"]
            server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            stack.callback(server.wait)
            stack.callback(server.kill)
            page = next(line for line in server.stderr if "http://" in line).partition("are at ")[2].partition(";")
            known = psutil.Process().children()
            browser = runner.run(stack.enter_async_context(open_browser()))
            watching["server"] = psutil.Process(server.pid)
            (watching["browser"],) = [each for each in psutil.Process().children() if each not in known]
            runner.run(browser.show(f"{page[0]}/#/beside/{view}", "document.querySelector('canvas')"))
            runner.run(asyncio.sleep(_SETTLED_S))
            for each in itertools.chain(*map(family, watching.values())):
                each.suspend()

        def rest():
            time.sleep(seconds)

        def watch():
            for who, process in watching.items():
                used[who] -= cpu_of(process)
                for each in family(process):
                    each.resume()
            runner.run(asyncio.sleep(seconds))
            for who, process in watching.items():
                for each in family(process):
                    each.suspend()
                used[who] += cpu_of(process)

        def end():
            for each in itertools.chain(*map(family, watching.values())):
                each.resume()
            runner.run(stack.aclose())

        windows = [begin, rest, *[watch, rest] * pairs, end]
        taken = seconds_of(url, f"{folder}/states", windows)[1:-1]
    return taken, {who: cpu_s / (pairs * seconds) for who, cpu_s in used.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="windows in which each view is watched")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a window")
    parser.add_argument("--views", nargs="+", default=["tree", "curves", "slots"])
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    rows = []
    for view in arguments.views:
        taken, cores = watched(view, arguments.pairs, arguments.seconds)
        alone, both = taken[::2], taken[1::2]
        ratios = [each / ((before + after) / 2) for each, before, after in zip(both, alone, alone[1:], strict=False)]
        first, _, third = statistics.quantiles(ratios, n=4)
        rows.append(
            {
                "view": view,
                "s": round(statistics.median(both), 3),
                "alone_s": round(statistics.median(alone), 3),
                "ratio": round(statistics.median(ratios), 3),
                "first_quartile": round(first, 3),
                "third_quartile": round(third, 3),
                "server_cores": round(cores["server"], 3),
                "browser_cores": round(cores["browser"], 3),
            }
        )
        print(rows[-1], file=sys.stderr, flush=True)
    if arguments.dry_run:
        print(*rows, sep="\n")
    else:
        how = f"{arguments.pairs} windows of {arguments.seconds:g} s in which each view is watched, between others"
        write_report("watched", rows, how, seeds="none", also={"src/hippo/dashboard"})


if __name__ == "__main__":
    main()
