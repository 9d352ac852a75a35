"""What taking over a large plan costs: CPU-seconds and memory until a request is answered, beyond an empty one's.

    python benchmarks/bench_takeover.py [--trials 1000 10000 100000 1000000] [--runs 3]

The database is made by inserting rows through the store's own interface, and nothing is trained: ten trials at a time
share two steps, then each has five of its own, every step evaluated, with the leases, states, checkpoints and requests
of one call that ended, in SQLite. Then a fresh process opens the study, inline, and asks for one config. `new` is one
that nothing is known of, `known` one of the plan's last trials, `thousand` are a thousand of its trials asked for
together, and `first look` is `new` with a look at the study's statistics afterwards.

Seconds and megabytes are those of that process from before the study is opened until the answers are there, less those
of the same on a plan in which nothing is. A study that is killed leaves its last steps to be added up by the next one
(`killed`: all of them); one that ends adds them up itself.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hippo
from hippo import Config, Piecewise
from hippo.plan import (
    CallRow,
    Cause,
    Insert,
    LeaseRow,
    NullListener,
    PlanRow,
    RequestRow,
    SearchPlan,
    StudyRow,
    TrialRow,
    open_store,
)
from hippo.records import CheckpointRef, LeaseId, Span
from report import write_report

#: trials that share their first steps, these steps, and all steps of a trial
_GROUP, _SHARED, _UNTIL = 10, 2, 7
#: trials that are recorded at a time
_CHUNK = 10_000
#: what a fresh process asks for
ASKED = ("new", "known", "thousand", "first look")


def config(number):
    """Return the config of a trial: a rate that its group shares, until it has one of its own."""
    group = number // _GROUP
    rates = Piecewise([0.1 + group / 1e6, 0.2 + number / 1e6], [_SHARED])
    return Config({"lr": rates, "momentum": 0.5 + group / 1e7, "optimizer": "sgd"})


def open_study(url):
    return hippo.create_study(
        "many",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage=url,
        checkpoints=str(Path(url.removeprefix("sqlite:///")).parent / "states"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )


def make_database(url, trials):
    """Record a call that ended with so many trials."""
    study = open_study(url)
    study.evaluate(Config({"lr": 9.0, "momentum": 0.9, "optimizer": "sgd"}), until=2)  # checks, and an environment
    study.close()
    store = open_store(url)
    number = store.rows(StudyRow)[0].study
    asked = Call(number, store)
    for first in range(0, trials, _CHUNK):
        asked.record(range(first, min(trials, first + _CHUNK)))
    store.close()
    with sqlite3.connect(url.removeprefix("sqlite:///")) as database:  # into the one file that is copied
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class Call:
    """One call of a tuner, as it is written down when it has ended."""

    def __init__(self, study, store):
        self.study = study
        self.store = store
        store.commit([Insert(CallRow(study=study, call=1, position=1, record="many", state="complete"))])
        self.leases = itertools.count(store.rows(LeaseRow)[-1].lease + 1)

    def record(self, numbers):
        """Record trials, with all their facts."""
        self.plan = SearchPlan.open(self.store, self.store.rows(PlanRow)[0], NullListener())
        rows = [row for number in numbers for row in self.trial(number)]
        self.store.commit([*self.plan.take_changes(), *map(Insert, rows)])

    def trial(self, number):
        asked, lease = config(number), LeaseId(next(self.leases))
        trail, loss = self.plan.path(asked), 1.0 + (number * 7919 % 100_003) / 100_003
        node = trail.node_at(_UNTIL)
        span = Span(node=node.id, start=node.start, stop=_UNTIL)
        self.plan.open_lease(lease, [span], slot="inline", started_at=0.0)
        for step in range(1, _UNTIL + 1):
            self.facts(trail.node_at(step), step, loss, lease)
        self.plan.close_lease(lease, "done")
        text = json.dumps(asked.to_json(), sort_keys=True)
        yield TrialRow(
            study=self.study,
            number=number + 1,
            call=1,
            config=text,
            occurrence=0,
            node=node.id,
            until=_UNTIL,
            step=_UNTIL,
            state="COMPLETE",
            loss=loss,
        )
        yield RequestRow(
            study=self.study,
            request=number + 2,
            call=1,
            trial=number + 1,
            until=_UNTIL,
            final=True,
            state="answered",
            delivery=number,
            seconds=0.07,
        )

    def facts(self, node, step, loss, lease):
        if step in node.training:
            return
        of = {"study": self.study}
        self.plan.record_step(node, step, {"slope": loss / step}, 0.01, lease=lease, cause=Cause.FIRST, **of)
        self.plan.record_metrics(node, step, {"loss": loss, "accuracy": 1 / loss}, 0.001, **of)
        if step in (_SHARED, _UNTIL):
            name = f"{lease}-{node.id}-{step}"
            ref = CheckpointRef(key=name, size_bytes=1000, sha256=name.rjust(64, "0"), state_hash=name.rjust(64, "1"))
            self.plan.record_state_hash(node, step, ref.state_hash)
            self.plan.record_checkpoint(node, step, ref, 0.002, **of)


class AsksTogether(hippo.Tuner):
    """Asks for a thousand trials of the plan, from all over it."""

    def __init__(self, trials):
        self.trials = trials

    def record(self):
        return {"tuner": "asks together"}

    async def tune(self, ask):
        every = max(1, self.trials // 1000)
        await ask.all([config(number) for number in range(0, self.trials, every)][:1000], until=_UNTIL)


def take_over(url, trials, asked):
    """Ask, and return the CPU and wall seconds, and the megabytes of this process at most."""
    began, used = time.perf_counter(), time.process_time()
    study = open_study(url)
    if asked == "thousand":
        study.optimize(AsksTogether(trials))
    else:
        known = asked == "known" and trials
        study.evaluate(config(trials - 7) if known else Config({"lr": 0.7, "momentum": 0.9}), until=_UNTIL)
    if asked == "first look":
        study.statistics()
    seconds = {"cpu_s": time.process_time() - used, "wall_s": time.perf_counter() - began}
    return {**seconds, "mb": peak_mb()}


def peak_mb():
    """Return the megabytes that this process had at most; `getrusage` counts what it had before `exec` as well."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024


def in_fresh_process(url, trials, asked):
    """Do it with a copy of the database, so that each finds the same one."""
    source = Path(url.removeprefix("sqlite:///"))
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        subprocess.run(["cp", str(source), folder], check=True)
        command = [sys.executable, __file__, "--open", f"sqlite:///{folder}/{source.name}", asked, str(trials)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(said.splitlines()[-1])


def measured(trials, runs):
    """Yield a row for each thing that is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        empty, full = f"sqlite:///{folder}/empty.db", f"sqlite:///{folder}/full.db"
        make_database(empty, 0)
        make_database(full, trials)
        for asked in ASKED:
            # in turns: a machine that is busy is busy for both
            pairs = [(in_fresh_process(empty, 0, asked), in_fresh_process(full, trials, asked)) for _ in range(runs)]
            beyond = [{name: full[name] - empty[name] for name in full} for empty, full in pairs]
            middle = {name: statistics.median(one[name] for one in beyond) for name in beyond[0]}
            yield {
                "trials": trials,
                "asked": asked,
                "cpu_s": round(middle["cpu_s"], 3),
                "min_cpu_s": round(min(one["cpu_s"] for one in beyond), 3),
                "wall_s": round(middle["wall_s"], 3),
                "mb": round(middle["mb"], 1),
                "empty_cpu_s": round(statistics.median(empty["cpu_s"] for empty, _ in pairs), 3),
                "empty_mb": round(statistics.median(empty["mb"] for empty, _ in pairs), 1),
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--open", nargs=3, metavar=("URL", "ASKED", "TRIALS"), help="what the fresh process does")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    if arguments.open:
        url, asked, trials = arguments.open
        print(json.dumps(take_over(url, int(trials), asked)))
        return
    rows = []
    for trials in arguments.trials:
        for row in measured(trials, arguments.runs):
            rows.append(row)
            print(row, flush=True)
    if not arguments.dry_run:
        write_report("takeover", rows, f"Beyond an empty plan, {arguments.runs} pairs each", seeds="none")


if __name__ == "__main__":
    main()
