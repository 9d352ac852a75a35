"""What `hippo gc` takes for a hundred thousand files, and what it costs the training beside it.

    python benchmarks/bench_gc.py [--trials 91000] [--runs 3] [--pairs 7]

A plan as in `bench_takeover.py`, with a file of 1,000 bytes for each of its states: ten trials at a time share one, and
each has one of its own. `look`: `hippo.collect_garbage` finds what goes when its study keeps only the best trial, and
foretells what making it again would take; `remove`: the same, and removes it. Both in a fresh process, wall seconds, a
fresh copy for each run.

`beside`: a study of another trainer on the same database trains a grid, in a process of its own, alone and while `hippo
gc --yes` removes all that; in turns. The ratio is that of its wall seconds, the median of all turns. As a control, the
same training beside a process that only counts, for as long as a removal takes: what any busy process costs on this
machine, whose two "cores" may be two threads of one.
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

_BYTES = b"x" * 1000


class Numbers(hippo.Trainer):
    """Multiplies matrices for a while in each step."""

    def build(self):
        import numpy as np

        self.matrix = np.eye(300) * 0.999

    def train(self):
        for _ in range(int(self.hp["rounds"])):
            self.matrix = self.matrix @ self.matrix.T
        return {}

    def evaluate(self):
        return {"loss": float(self.matrix.sum())}

    def state_dict(self):
        return {"matrix": self.matrix}

    def load_state_dict(self, state):
        self.matrix = state["matrix"]


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
    yield f"sqlite:///{copy}/hippo.db", str(copy / "states")
    shutil.rmtree(copy)


def collect(url, states, *, delete):
    """Collect, and return the seconds it took and what was found."""
    began = time.perf_counter()
    found = hippo.collect_garbage(url, delete=delete, checkpoints=states)
    return {"s": time.perf_counter() - began, "files": found.count, "steps": found.steps}


def train(url, states):
    """Train a grid, and return the seconds that took."""
    study = hippo.create_study(
        "beside",
        trainer=Numbers,
        storage=url,
        checkpoints=states,
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        checkpoint_budget=None,
        environment="new",
    )
    began = time.perf_counter()
    study.optimize(hippo.GridSearch([{"rounds": 100 + i} for i in range(10)], until=12))
    return {"s": time.perf_counter() - began}


def in_fresh_process(*arguments):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--do", *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return json.loads(said.splitlines()[-1])


def done(what, where, with_what):
    """Do in this process what another one was started for."""
    if what == "make":
        return make_files(where, int(with_what))
    return train(where, with_what) if what == "train" else collect(where, with_what, delete=what == "remove")


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
    parser.add_argument("--pairs", type=int, default=7, help="of training alone and beside something")
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
        looks, removals, alone, beside, control = [], [], [], [], []
        for _ in range(arguments.runs):
            with copied(source, folder) as place:
                looks.append(in_fresh_process("look", *place))
            with copied(source, folder) as place:
                removals.append(in_fresh_process("remove", *place))
        for _ in range(arguments.pairs):
            with copied(source, folder) as place:
                alone.append(in_fresh_process("train", *place)["s"])
            with copied(source, folder) as place, removing(*place):
                beside.append(in_fresh_process("train", *place)["s"])
            with copied(source, folder) as place, counting(statistics.median(one["s"] for one in removals)):
                control.append(in_fresh_process("train", *place)["s"])
        for what, found in (("look", looks), ("remove", removals)):
            seconds = [one["s"] for one in found]
            rows.append(_row(what, files, found[0]["files"], seconds))
            print(rows[-1], flush=True)
        rows.append(_row("training alone", files, 0, alone))
        for what, seconds in (("training beside it", beside), ("training beside counting", control)):
            ratio = statistics.median(both / one for both, one in zip(seconds, alone, strict=True))
            rows.append({**_row(what, files, 0, seconds), "ratio": round(ratio, 3)})
    if not arguments.dry_run:
        how = f"{arguments.runs} runs, and {arguments.pairs} of training, in turns"
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
    }


if __name__ == "__main__":
    main()
