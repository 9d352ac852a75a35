"""What a dashboard costs: seconds and bytes of its answers, and what its page takes in a real Chromium.

    python benchmarks/bench_dashboard.py [--trials 20000 50000] [--runs 5] [--only NAME ...]
    python benchmarks/bench_dashboard.py --page [--minutes 3] [--updates 500]

The database is that of `bench_reading.py`, with a lease for each trial and a state in a file at each node, in eight
slots. `first` is the first question to a dashboard that was just started, `again` the next one while nothing is
written, `after 100 changes` one when another process has recorded a hundred trials more, and what rests has
rested. Where that is answered by what was made before, since whoever watches waits for nothing that takes long,
`made anew` is until the first answer that is of now. Seconds include all that the server does, with the answer as text.
`hippo dashboard` makes these answers before they are wanted: `reading ahead` is until all are there, after its start,
and `first, made ahead` the first question then.

With --page Chromium shows the tree of the largest database: seconds to the first picture, until a view is changed once
the dashboard has read ahead, and until a zoom or what the mouse points at is drawn; then the heap after so many
drawings anew, and the CPU of browser and server while nothing is written and the page is open.
"""

import argparse
import asyncio
import gc
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from starlette.testclient import TestClient

from bench_reading import _CHANGED, _UNTIL, Database, config
from hippo.dashboard.app import make_dashboard
from hippo.dashboard.prefetching import QUESTIONS, PrefetchingDashboard
from hippo.plan import CheckpointRow, Insert, LeaseEnd, LeaseRow, open_store
from hippo.testing.browser import open_browser
from report import write_report

_SLOTS = 8
#: views that are made anew only after some times as long as they took, and more of these than that
_RESTING, _REST = ("overview", "tree", "storage"), 7
#: between two looks whether it is there
_PAUSE_S = 0.01
VIEWS = (
    "overview",
    "tree",
    "slots",
    "curves",
    "schedules",
    "savings",
    "history",
    "parallel",
    "pareto",
    "together",
    "rungs",
    "lineage",
    "storage",
    "trials",
)


class WorkedDatabase(Database):
    """A study with many trials that says who worked on them, and which states are in files."""

    def __init__(self, folder, trials):
        self._leases = itertools.count()
        self._states = set()
        self._numbers_done = []
        self._number_of_plan = 1
        super().__init__(folder, trials)

    def add(self, trials):
        super().add(trials)
        self._work()

    def change(self, trials):
        super().change(trials)
        self._work()

    def _trial(self, number):
        self._numbers_done.append(number)
        return super()._trial(number)

    def _work(self):
        numbers, self._numbers_done = self._numbers_done, []
        self._store.commit([change for number in numbers for change in self._done(number)])

    def _done(self, number):
        plan, path = self._number_of_plan, self._plan.path(config(number))
        for step in (2, _UNTIL):
            node = path.node_at(step).id
            if (node, step) not in self._states:
                self._states.add((node, step))
                key = f"{node:x}-{step}"
                yield Insert(
                    CheckpointRow(
                        plan=plan,
                        key=key,
                        node=node,
                        step=step,
                        size_bytes=1_000_000 + node % 1000,
                        sha256=key,
                        state_hash=key,
                        seconds=0.01,
                        study=self._study.study,
                    )
                )
        lease, node = next(self._leases), path.node_at(_UNTIL).id
        began = 1e9 + lease // _SLOTS * 10.0
        yield Insert(
            LeaseRow(
                plan=plan,
                lease=lease,
                epoch=1,
                slot=f"local-{lease % _SLOTS}",
                spans=json.dumps([[node, 2, _UNTIL]]),
                started_at=began,
                ended=LeaseEnd.DONE.value,
                ended_at=began + 9.0,
                lanes="[1]",
            )
        )


def answered(client, view, asked=()):
    """Return wall seconds, CPU seconds and bytes of an answer."""
    began, used = time.perf_counter(), time.process_time()
    answer = client.get(f"/api/{view}", params={"study": "many", **dict(asked)})
    taken = time.perf_counter() - began, time.process_time() - used, len(answer.content)
    assert answer.status_code == 200, answer.text
    return taken


def looks(database, view, runs):
    """Return what each kind of look took: the first one, again, then after changes."""
    found = {"first": [], "again": [], f"after {_CHANGED} changes": []}
    for _ in range(runs):
        store = open_store(database.url)
        with TestClient(make_dashboard(store), base_url="http://127.0.0.1") as client:
            found["first"].append(answered(client, view))
            found["again"].append(answered(client, view))
            if view in _RESTING:  # else what changed would not be looked at
                time.sleep(_REST * found["first"][-1][0])
            database.change(_CHANGED)
            began, used = time.perf_counter(), time.process_time()
            found[f"after {_CHANGED} changes"].append(answered(client, view))
            if view in _RESTING:
                while client.get(f"/api/{view}", params={"study": "many"}).json()["again_s"]:
                    time.sleep(_PAUSE_S)
                anew = time.perf_counter() - began, time.process_time() - used, found["again"][-1][2]
                found.setdefault("made anew", []).append(anew)
        store.close()
    return found


def looks_ahead(database, runs):
    """Return what looks took, view by view, at a dashboard that asks itself first; and until it had asked all."""
    found = {"reading ahead": []}
    for _ in range(runs):
        store = open_store(database.url)
        app = PrefetchingDashboard(make_dashboard(store))
        began, used = time.perf_counter(), time.process_time()
        with TestClient(app, base_url="http://127.0.0.1") as client:
            while not app.is_done:
                time.sleep(_PAUSE_S)
            found["reading ahead"].append((time.perf_counter() - began, time.process_time() - used, 0))
            for view, asked in (("overview", {}), *QUESTIONS):
                found.setdefault(view, []).append(answered(client, view, asked))
        store.close()
    return found


# --- in a browser

#: until all drawings that were asked for are over
_SETTLED_S = 10.0
#: until all was read ahead
_READ_AHEAD_S = 40.0
_DRAWN = "document.querySelector('canvas')"


#: what a mouse does there: a part of the picture, then one of its lines
_ACTIONS = {
    "zooming": "{type: 'dataZoom', start: %(at)s, end: %(at)s + 30}",
    "pointing": "{type: 'showTip', seriesIndex: 0, dataIndex: %(at)s}",
}


async def seconds_to_draw(browser, action):
    """Return how long it takes until the largest chart shows what an action asks for: until the second frame."""
    script = (
        "new Promise((done) => { const began = performance.now(); "
        f"echarts.getInstanceByDom(document.querySelector('.chart')).dispatchAction({action}); "
        "requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began))); })"
    )
    return await browser.ask(script) / 1e3


async def heap_bytes(browser):
    """Return what a page keeps, once what nobody uses is gone."""
    await browser.call("HeapProfiler.collectGarbage")
    return (await browser.call("Runtime.getHeapUsage"))["usedSize"]


def cpu_of(*processes):
    """Return the CPU seconds that processes and those below them have used."""
    family = [each for one in processes for each in (one, *one.children(recursive=True))]
    return sum(sum(each.cpu_times()[:2]) for each in family)


async def page_story(url, minutes, updates):
    """Return rows of what a page takes."""
    rows = []

    def note(what, value, unit):
        rows.append({"what": what, "value": round(value, 4), "unit": unit})
        print(rows[-1], flush=True)

    command = [sys.executable, "-m", "hippo", "dashboard", url, "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        page = next(line for line in server.stderr if "http://" in line).partition("are at ")[2].partition(";")[0]
        async with open_browser() as browser:
            for when in ("first", "again"):
                await browser.show("about:blank", "true")
                began = time.perf_counter()
                await browser.show(f"{page}/#/many/tree", _DRAWN)
                note(f"first picture of the tree, {when}", time.perf_counter() - began, "s")
            await asyncio.sleep(_READ_AHEAD_S)
            for view in ("slots", "storage", "lineage", "trials", "tree"):
                began = time.perf_counter()
                await browser.ask(f"location.hash = '#/many/{view}'")
                until = "document.querySelector('tbody tr')" if view == "trials" else _DRAWN
                here = f"document.querySelector('nav a[aria-current]')?.hash.endsWith('{view}')"
                drawn = "!document.querySelector('main').hasAttribute('aria-busy')"
                await browser.wait_for(f"{here} && {drawn} && {until}")
                note(f"from one view to {view}", time.perf_counter() - began, "s")
            for what, action in _ACTIONS.items():
                taken = [await seconds_to_draw(browser, action % {"at": 7 * number}) for number in range(10)]
                note(f"{what} in the tree, median of {len(taken)}", statistics.median(taken), "s")
                note(f"{what} in the tree, the longest", max(taken), "s")
            before = await heap_bytes(browser)
            note("heap", before / 1e6, "MB")
            script = "window.dispatchEvent(new HashChangeEvent('hashchange'))"
            for _ in range(updates):
                await browser.ask(f"{script}, new Promise((done) => setTimeout(done, 50))")
            note(f"heap after {updates} drawings", await heap_bytes(browser) / 1e6, "MB")
            await asyncio.sleep(_SETTLED_S)
            shown = [each for each in psutil.Process().children() if each.pid != server.pid]
            parts = {"server": [psutil.Process(server.pid)], "browser": shown}
            for page_shown in ("the tree", "nothing"):
                used, began = {part: cpu_of(*own) for part, own in parts.items()}, time.perf_counter()
                await asyncio.sleep(60 * minutes)
                passed_s = time.perf_counter() - began
                for part, own in parts.items():
                    share = 100 * (cpu_of(*own) - used[part]) / passed_s
                    note(f"CPU of the {part} while nothing is written and the browser shows {page_shown}", share, "%")
                await browser.show("about:blank", "true")
                await asyncio.sleep(_SETTLED_S)
    finally:
        server.kill()
        server.wait()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[20_000, 50_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=VIEWS, help="these views alone")
    parser.add_argument("--page", action="store_true", help="measure the page in Chromium, and no answers")
    parser.add_argument("--minutes", type=float, default=3.0, help="of doing nothing")
    parser.add_argument("--updates", type=int, default=500, help="drawings before the heap is looked at again")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for trials in [max(arguments.trials)] if arguments.page else arguments.trials:
            place = Path(folder, str(trials))
            place.mkdir()
            database = WorkedDatabase(place, trials)
            if arguments.page:
                rows += asyncio.run(page_story(database.url, arguments.minutes, arguments.updates))
                continue
            gc.collect()
            gc.freeze()  # who reads has no writer's plan in memory, which the collector would go through
            taken = {
                (view, when): own
                for view in arguments.only or VIEWS
                for when, own in looks(database, view, arguments.runs).items()
            }
            if not arguments.only:
                ahead = looks_ahead(database, arguments.runs)
                taken |= {(view, "first, made ahead"): own for view, own in ahead.items()}
            for (view, when), own in taken.items():
                wall, cpu, size = zip(*own, strict=True)
                rows.append(
                    {
                        "trials": trials,
                        "view": view,
                        "look": when,
                        "median_s": round(statistics.median(wall), 4),
                        "max_s": round(max(wall), 4),
                        "median_cpu_s": round(statistics.median(cpu), 4),
                        "kB": max(size) // 1000,
                    }
                )
                if arguments.dry_run:
                    print(rows[-1], flush=True)
    if not arguments.dry_run:
        name, title = ("page", "A page in Chromium") if arguments.page else ("dashboard", "Answers of a dashboard")
        write_report(f"dashboard_{name}" if arguments.page else name, rows, title, seeds="none")


if __name__ == "__main__":
    main()
