"""What it costs a study that somebody watches it.

    python benchmarks/bench_watched.py [--pairs 10] [--seconds 10] [--views tree curves slots] [--elsewhere]

A study trains in a process of its own, some fifty steps a second, with commits and checkpoints. `hippo dashboard`
serves one of its views to a Chromium on the same machine; both are stopped and continued (SIGSTOP, SIGCONT) for one
window after the other. Wall seconds for a hundred steps; the ratio is that of a window in which they run to the mean
of the windows before and after, the median of all. Here the browser has to share the study's two cores, which one
elsewhere has not; so the CPU of the server, and that of the browser, are told, too, as parts of one core.

With --elsewhere the browser shows the view only until it is known what the page asks for. Then this process asks for
that, whenever something was written, and rests as the page does that draws in no time: what remains is what the study's
machine has to do, at most. `drawings_a_s` is how often that was.
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
import threading
import time
import urllib.request
from contextlib import AsyncExitStack

import psutil

from bench_dashboard import cpu_of
from hippo.testing.browser import open_browser
from report import write_report
from windows import seconds_of

#: drawn, and drawn anew
_SETTLED_S = 5.0
#: as the page rests between two drawings
_LEAST_REST_S, _LONG_S, _RESTS, _LONG_RESTS = 0.5, 0.15, 9, 30
#: within which a page has drawn once more
_REST_S = 90.0
#: on a page, before its own scripts: notes what they ask for
_NOTE_QUESTIONS = """
const asked = window.asked = [], ask = window.fetch;
window.fetch = (what, ...others) => { asked.push(new URL(what, location.href).href); return ask(what, ...others); };
"""
#: of this machine, whatever proxy there is
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def family(process):
    """Return a process and all below it."""
    return [process, *process.children(recursive=True)]


class Asker:
    """Asks for what a page asks for whenever something was written, and draws nothing.

    Args:
      page: the address of the dashboard.
      asked: addresses that it asks for at each drawing.
    """

    def __init__(self, page, asked):
        self._asked = [urllib.request.Request(each, headers={"Accept-Encoding": "gzip"}) for each in asked]
        self._changed = threading.Event()
        self._changes = _open(f"{page}/api/changes")
        threading.Thread(target=self._hear, daemon=True).start()

    def ask(self, seconds):
        """Do so for a while; return how often that was."""
        ends, drawn = time.perf_counter() + seconds, 0
        while (left := ends - time.perf_counter()) > 0 and self._changed.wait(left):
            self._changed.clear()
            began = time.perf_counter()
            for each in self._asked:
                with _open(each) as answer:
                    answer.read()
            took = time.perf_counter() - began
            drawn += 1
            rest = max(_LEAST_REST_S, (_LONG_RESTS if took > _LONG_S else _RESTS) * took)
            time.sleep(max(0.0, min(rest, ends - time.perf_counter())))
        return drawn

    def _hear(self):
        for line in self._changes:
            if line.startswith(b"data:"):
                self._changed.set()


async def asked_by(browser):
    """Return the addresses that a page asks for when it draws anew.

    Raises:
      RuntimeError: it asked for nothing.
    """
    await browser.ask("asked.length = 0")
    try:
        async with asyncio.timeout(_REST_S):  # a picture that takes long is followed by a rest
            while not (asked := await browser.ask("asked")):
                await asyncio.sleep(_SETTLED_S)
    except TimeoutError:
        raise RuntimeError("the page asked for nothing while the study trained") from None
    asked = [each for each in dict.fromkeys(asked) if not each.endswith("/api/changes")]
    print(*asked, sep="\n", file=sys.stderr)
    return asked


def watched(view, pairs, seconds, *, elsewhere):
    """Return the seconds of a hundred steps in each window, unwatched ones around watched ones, and who took CPU."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        url, stack, watching, used = f"sqlite:///{folder}/hippo.db", AsyncExitStack(), {}, collections.Counter()
        asker = []

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
            runner.run(asyncio.sleep(_SETTLED_S))
            if elsewhere:
                asker.append(Asker(page[0], runner.run(asked_by(browser))))
            for each in itertools.chain(*map(family, watching.values())):
                each.suspend()

        def rest():
            time.sleep(seconds)

        def watch():
            shown = {"server": watching["server"]} if elsewhere else watching
            for who, process in shown.items():
                used[who] -= cpu_of(process)
                for each in family(process):
                    each.resume()
            if elsewhere:
                used["drawings"] += asker[0].ask(seconds)
            else:
                runner.run(asyncio.sleep(seconds))
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
    return taken, {what: round(used[what] / (pairs * seconds), 3) for what in ("server", "browser", "drawings")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="windows in which each view is watched")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a window")
    parser.add_argument("--views", nargs="+", default=["tree", "curves", "slots"])
    parser.add_argument("--elsewhere", action="store_true", help="the browser is on another machine, as it were")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    rows = []
    for view in arguments.views:
        taken, used = watched(view, arguments.pairs, arguments.seconds, elsewhere=arguments.elsewhere)
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
                "server_cores": used["server"],
                **({"drawings_a_s": used["drawings"]} if arguments.elsewhere else {"browser_cores": used["browser"]}),
            }
        )
        print(rows[-1], file=sys.stderr, flush=True)
    if arguments.dry_run:
        print(*rows, sep="\n")
    else:
        how = f"{arguments.pairs} windows of {arguments.seconds:g} s in which each view is watched, between others"
        name = "watched_from_elsewhere" if arguments.elsewhere else "watched"
        write_report(name, rows, how, seeds="none", also={"src/hippo/dashboard"})


if __name__ == "__main__":
    main()
