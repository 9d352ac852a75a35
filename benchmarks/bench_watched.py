"""What it costs a study that somebody watches it.

    python benchmarks/bench_watched.py [--pairs 10] [--seconds 10] [--views tree curves slots] [--elsewhere]

A study trains in a process of its own, some fifty steps a second, with commits and checkpoints. `hippo dashboard`
serves one of its views to a Chromium on the same machine; both are stopped and continued (SIGSTOP, SIGCONT) for one
window after the other, each as long as from one drawing to the next at least. Wall seconds for a hundred steps; the
ratio is that of all windows in which they run to the windows before and after them, and the quartiles are of the ratios
of each. Here the browser has to share the study's two cores, which one elsewhere has not; so the CPU of the server, and
that of the browser, are told, too, as parts of a core, and how often the page draws, `every_s`.

With --elsewhere the browser shows the view only until it is known what the page asks for, and how often. Then this
process asks for that as often: what remains is what the study's machine has to do.
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
import urllib.request
from contextlib import AsyncExitStack

import psutil

from bench_dashboard import cpu_of
from hippo.testing.browser import open_browser
from report import write_report
from windows import seconds_of

#: drawings until a page has found its rhythm: its first ones take long, and say nothing of the others
_DRAWINGS, _LONG_S = 6, 400.0
#: on a page, before its own scripts: notes what they ask for, and when
_NOTE_QUESTIONS = """
const asked = window.asked = [], ask = window.fetch;
window.fetch = (what, ...others) => {
  asked.push([new URL(what, location.href).href, performance.now() / 1e3]);
  return ask(what, ...others);
};
"""
#: when it asked for what it shows
_TIMES = "asked.filter(([what]) => what.includes('study=')).map(([what, when]) => when)"
#: of this machine, whatever proxy there is
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def family(process):
    """Return a process and all below it."""
    return [process, *process.children(recursive=True)]


class Asker:
    """Asks for what a page asks for, as often as it does, and draws nothing.

    Args:
      asked: addresses that it asks for at each drawing.
      every_s: how often it does while a study trains.
    """

    def __init__(self, asked, every_s):
        self._asked = [urllib.request.Request(each, headers={"Accept-Encoding": "gzip"}) for each in asked]
        self._every_s = every_s
        self._left_s = 0.0

    def ask(self, seconds):
        """Do so for a while, and go on where that ended."""
        ends = time.perf_counter() + seconds
        while ends - time.perf_counter() > self._left_s:
            time.sleep(self._left_s)
            due = time.perf_counter() + self._every_s
            for each in self._asked:
                with _open(each) as answer:
                    answer.read()
            self._left_s = max(0.0, due - time.perf_counter())
        left_s = max(0.0, ends - time.perf_counter())
        self._left_s = max(0.0, self._left_s - left_s)
        time.sleep(left_s)


async def asked_by(browser):
    """Return the addresses that a page asks for when it draws anew, and how often it does.

    Raises:
      RuntimeError: it hardly asked for anything.
    """
    try:
        async with asyncio.timeout(_LONG_S):
            while len(times := await browser.ask(_TIMES)) < _DRAWINGS:
                await asyncio.sleep(1.0)
    except TimeoutError:
        raise RuntimeError(f"the page drew {len(times)} times in {_LONG_S:g} s while the study trained") from None
    last = await browser.ask(f"asked.filter(([what, when]) => when >= {times[-2]} && when < {times[-1]})")
    return [what for what, _ in last if not what.endswith("/api/changes")], times[-1] - times[-2]


def watched(view, pairs, seconds, *, elsewhere):
    """Return the seconds of a hundred steps in each window, unwatched ones around watched ones, and who took CPU."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        url, stack, watching, used = f"sqlite:///{folder}/hippo.db", AsyncExitStack(), {}, collections.Counter()
        rhythm = {}

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
            runner.run(browser.call("Page.addScriptToEvaluateOnNewDocument", source=_NOTE_QUESTIONS))
            runner.run(browser.show(f"{page[0]}/#/beside/{view}", "document.querySelector('canvas')"))
            asked, every_s = runner.run(asked_by(browser))
            rhythm.update(asker=Asker(asked, every_s), every_s=every_s, window_s=max(seconds, every_s))
            for each in itertools.chain(*map(family, watching.values())):
                each.suspend()

        def rest():
            time.sleep(rhythm["window_s"])

        def watch():
            shown = {"server": watching["server"]} if elsewhere else watching
            for who, process in shown.items():
                used[who] -= cpu_of(process)
                for each in family(process):
                    each.resume()
            if elsewhere:
                rhythm["asker"].ask(rhythm["window_s"])
            else:
                runner.run(asyncio.sleep(rhythm["window_s"]))
            for who, process in shown.items():
                for each in family(process):
                    each.suspend()
                used[who] += cpu_of(process)

        def end():
            for each in itertools.chain(*map(family, watching.values())):
                each.resume()
            runner.run(stack.aclose())

        windows = [begin, rest, *[watch, rest] * pairs, end]
        taken = seconds_of(url, f"{folder}/states", windows)[1:-1]
    cores = {who: round(used[who] / (pairs * rhythm["window_s"]), 3) for who in ("server", "browser")}
    return taken, cores, rhythm["every_s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="windows in which each view is watched")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a window, at least")
    parser.add_argument("--views", nargs="+", default=["tree", "curves", "slots"])
    parser.add_argument("--elsewhere", action="store_true", help="the browser is on another machine, as it were")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    rows = []
    for view in arguments.views:
        taken, cores, every_s = watched(view, arguments.pairs, arguments.seconds, elsewhere=arguments.elsewhere)
        alone, both = taken[::2], taken[1::2]
        ratios = [each / ((before + after) / 2) for each, before, after in zip(both, alone, alone[1:], strict=False)]
        first, _, third = statistics.quantiles(ratios, n=4)
        rows.append(
            {
                "view": view,
                "s": round(statistics.median(both), 3),
                "alone_s": round(statistics.median(alone), 3),
                "ratio": round(2 * sum(both) / sum(map(sum, itertools.pairwise(alone))), 3),
                "first_quartile": round(first, 3),
                "third_quartile": round(third, 3),
                "server_cores": cores["server"],
                **({} if arguments.elsewhere else {"browser_cores": cores["browser"]}),
                "every_s": round(every_s, 2),
            }
        )
        print(rows[-1], file=sys.stderr, flush=True)
    if arguments.dry_run:
        print(*rows, sep="\n")
    else:
        how = f"{arguments.pairs} windows of {arguments.seconds:g} s or more in which a view is watched, between others"
        name = "watched_from_elsewhere" if arguments.elsewhere else "watched"
        write_report(name, rows, how, seeds="none", also={"src/hippo/dashboard"})


if __name__ == "__main__":
    main()
