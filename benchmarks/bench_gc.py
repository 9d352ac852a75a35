"""What `hippo gc` takes for a hundred thousand files, and what it costs the training beside it.

    python benchmarks/bench_gc.py [--trials 91000] [--runs 3] [--windows 9]

A plan as in `bench_takeover.py`, with a file of 1,000 bytes for each of its states: ten trials at a time share one, and
each has one of its own. `look`: `hippo.collect_garbage` finds what goes when its study keeps only the best trial, and
foretells what making it again would take; `remove`: the same, and removes it. Both in a fresh process, wall seconds, a
fresh copy for each run.

`beside`: a study of another trainer on the same database trains a grid, in a process of its own, and goes on through
five windows of about as long as a removal takes: alone, while `hippo gc --yes` removes all that, alone, beside a
process that only counts, alone. Wall seconds for a hundred steps in each, commits and checkpoints included. The ratio
is that to the mean of the windows just before and just after, in the same process, the median of all runs: a machine
whose speed drifts does so in both. Counting is the control: what any busy process costs on this machine, whose two
"cores" may be two threads of one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hippo
from bench_takeover import make_database
from hippo.plan import CheckpointRow, open_store
from report import write_report
from windows import seconds_of

_BYTES = b"x" * 1000


def make_files(folder, trials):
    """Make a database and its files."""
    url = f"sqlite:///{folder}/hippo.db"
    make_database(url, trials, "{uuid}/p1/")
    with contextlib.closing(open_store(url)) as store:  # nothing of it is to go while the folder is copied
        keys = [row.key for row in store.rows(CheckpointRow, gone="")]
    states = Path(folder) / "states"
    (states / keys[-1]).parent.mkdir(parents=True, exist_ok=True)
    for key in keys:
        if not (states / key).exists():
            (states / key).write_bytes(_BYTES)
    hippo.keep_states("many", "best", url)
    return len(keys)


@contextlib.contextmanager
def copied(source, folder):
    """Yield the database of a copy of a folder, and the copy of its states."""
    copy = Path(folder) / "copy"
    shutil.copytree(source, copy)
    os.sync()  # states were written long ago: files that have not reached the disk yet are removed in no time
    yield f"sqlite:///{copy}/hippo.db", str(copy / "states")
    shutil.rmtree(copy)


def collect(url, states, *, delete):
    """Collect, and return the seconds it took and what was found."""
    began = time.perf_counter()
    found = hippo.collect_garbage(url, delete=delete, checkpoints=states)
    return {"s": time.perf_counter() - began, "files": found.count, "steps": found.steps}


def in_fresh_process(*arguments):
    command = [sys.executable, __file__, "--do", *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(said.splitlines()[-1])


def measure_windows(place, seconds):
    """Return {what: (seconds of a hundred steps beside it, the same in the windows around)}."""

    def nothing():
        time.sleep(seconds)

    before, removal, between, count, after = seconds_of(
        *place,
        [nothing, lambda: _check(removing(*place)), nothing, lambda: _check(counting(seconds)), nothing],
    )
    return {"removal": (removal, (before + between) / 2), "counting": (count, (between + after) / 2)}


def _check(process):
    if process.wait():
        raise RuntimeError(f"{process.args} ended with {process.returncode}")


def done(what, where, with_what):
    """Do in this process what another one was started for."""
    if what == "make":
        return make_files(where, int(with_what))
    return collect(where, with_what, delete=what == "remove")


def removing(url, states):
    """Begin `hippo gc --yes` in another process."""
    command = [sys.executable, "-m", "hippo", "gc", "--yes", "--storage", url, "--checkpoints", states]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def counting(seconds):
    """Begin to count in another process, which touches no file and no database."""
    count = f"import time; end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
    return subprocess.Popen([sys.executable, "-c", count])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=91_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--windows", type=int, default=9, help="runs of training, with and without something beside it")
    parser.add_argument("--do", nargs=3, metavar=("WHAT", "URL", "STATES"), help="what the fresh process does")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    if arguments.do:
        what, url, states = arguments.do
        print(json.dumps(done(what, url, states)))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source = f"{folder}/source"
        os.mkdir(source)
        files = in_fresh_process("make", source, str(arguments.trials))  # whose end closes all it opened
        looks, removals, beside = [], [], []
        for _ in range(arguments.runs):
            with copied(source, folder) as place:
                looks.append(in_fresh_process("look", *place))
            with copied(source, folder) as place:
                removals.append(in_fresh_process("remove", *place))
        for _ in range(arguments.windows):
            with copied(source, folder) as place:
                beside.append(measure_windows(place, statistics.median(one["s"] for one in removals)))
                print(beside[-1], flush=True)
        for what, found in (("look", looks), ("remove", removals)):
            seconds = [one["s"] for one in found]
            rows.append(_row(what, files, found[0]["files"], seconds))
            print(rows[-1], flush=True)
        for name, what in (("removal", "a hundred steps beside it"), ("counting", "a hundred steps beside counting")):
            seconds = [one[name][0] for one in beside]
            ratios = sorted(both / alone for both, alone in (one[name] for one in beside))
            found = {"ratio": statistics.median(ratios), "min_ratio": ratios[0], "max_ratio": ratios[-1]}
            rows.append(_row(what, files, 0, seconds) | {key: round(ratio, 3) for key, ratio in found.items()})
    if not arguments.dry_run:
        how = f"{arguments.runs} runs, and {arguments.windows} of training"
        write_report("gc", rows, how, seeds="none")
    else:
        print(rows)


def _row(what, files, removed, seconds):
    return {
        "what": what,
        "files": files,
        "removed": removed,
        "s": round(statistics.median(seconds), 2),
        "min_s": round(min(seconds), 2),
        "max_s": round(max(seconds), 2),
        "ratio": None,
        "min_ratio": None,
        "max_ratio": None,
    }


if __name__ == "__main__":
    main()
