"""What taking over a large plan costs: CPU-seconds and memory until a request is answered, beyond an empty one's.

    python benchmarks/bench_takeover.py [--trials 1000 10000 100000] [--runs 3] [--server postgresql]

The database is made by inserting rows through the store's own interface, and nothing is trained: ten trials at a time
share two steps, then each has five of its own, every step evaluated, with the leases, states, checkpoints and requests
of one call that ended, in SQLite, or in a server of this machine. Then a fresh process opens the study, inline, and
asks:

- `new`: for a config of which nothing is known
- `known`: for one that a trial of the plan has
- `thousand`: for a thousand of those together
- `look`: as `new`, and looks how far the study is, as a progress bar does
- `killed`: as `new`, after a writer that was killed before it added up what its study had spent

Seconds and megabytes are those of that process from before the study is opened until the answers are there, less those
of the same on a plan in which nothing is; the two are taken in turns.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import resource
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
    PlanTotals,
    RequestRow,
    SearchPlan,
    StudyRow,
    TrialRow,
    open_store,
)
from hippo.plan.sql_opening import open_sql_store
from hippo.records import CheckpointRef, LeaseId, Span
from hippo.testing.servers import KINDS, running_server
from process_memory import status_bytes
from report import write_report

#: trials that share their first steps, these steps, and all steps of a trial
_GROUP, _SHARED, _UNTIL = 10, 2, 7
#: trials that are recorded at a time
_CHUNK = 10_000
#: what a fresh process asks for
ASKED = ("new", "known", "thousand", "look", "killed")


def config(number):
    """Return the config of a trial: a rate that its group shares, until it has one of its own."""
    group = number // _GROUP
    rates = Piecewise([0.1 + group / 1e6, 0.2 + number / 1e6], [_SHARED])
    return Config({"lr": rates, "momentum": 0.5 + group / 1e7, "optimizer": "sgd"})


def is_file(url):
    return url.startswith("sqlite:")


def open_study(url):
    return hippo.create_study(
        "many",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage=url,
        checkpoints=str(Path(url.removeprefix("sqlite:///")).parent / "states") if is_file(url) else "memory://",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )


def make_database(url, trials, prefix=""):
    """Record a call that ended with so many trials; names of checkpoints begin with `prefix` and the database's own."""
    study = open_study(url)
    study.evaluate(Config({"lr": 9.0, "momentum": 0.9, "optimizer": "sgd"}), until=2)  # checks, and an environment
    study.close()
    store = open_store(url)
    number = store.rows(StudyRow)[0].study
    asked = Call(number, store, prefix.format(uuid=store.uuid))
    for first in range(0, trials, _CHUNK):
        asked.record(range(first, min(trials, first + _CHUNK)))
    with store.reading() as rows:
        spent = PlanTotals.read(rows, store.rows(PlanRow)[0].plan)
    store.commit(spent.written())  # as who lets go of a plan does
    store.close()


class Call:
    """One call of a tuner, as it is written down when it has ended."""

    def __init__(self, study, store, prefix=""):
        self.study = study
        self.store = store
        self.prefix = prefix
        store.commit([Insert(CallRow(study=study, call=1, position=1, record="many", state="complete"))])
        self.leases = itertools.count(store.rows(LeaseRow)[-1].lease + 1)

    def record(self, numbers):
        """Record trials, with all their facts."""
        self.plan = SearchPlan.open(self.store, self.store.rows(PlanRow)[0], NullListener())
        rows = [row for number in numbers for row in self.trial(number)]
        self.store.commit([*self.plan.changes.take(), *map(Insert, rows)])

    def trial(self, number):
        asked, lease = config(number), LeaseId(next(self.leases))
        trail, loss = self.plan.path(asked), 1.0 + (number * 7919 % 100_003) / 100_003
        node = trail.node_at(_UNTIL)
        span = Span(node=node.id, start=node.start, stop=_UNTIL)
        self.plan.leases.open(lease, [span], slot="inline", started_at=0.0)
        for step in range(1, _UNTIL + 1):
            self.facts(trail.node_at(step), step, loss, lease)
        self.plan.leases.close(lease, "done")
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
        self.plan.facts.record_step(node, step, {"slope": loss / step}, 0.01, lease=lease, cause=Cause.FIRST, **of)
        self.plan.facts.record_metrics(node, step, {"loss": loss, "accuracy": 1 / loss}, 0.001, **of)
        if step in (_SHARED, _UNTIL):
            name = f"{self.prefix}e1-l{lease}-n{node.id}-s{step}"
            ref = CheckpointRef(key=name, size_bytes=1000, sha256=name.rjust(64, "0"), state_hash=name.rjust(64, "1"))
            self.plan.facts.record_state_hash(node, step, ref.state_hash)
            self.plan.facts.record_checkpoint(node, step, ref, 0.002, **of)


class Asks(hippo.Tuner):
    """Asks for configs together, and looks how far the study is."""

    def __init__(self, study, configs, looks):
        self.study, self.configs, self.looks = study, configs, looks

    def record(self):
        return {"asks": [asked.to_json() for asked in self.configs]}

    async def tune(self, ask):
        await ask.all(self.configs, until=_UNTIL)
        if self.looks:
            opened = self.study._opened
            self.study._runtime()._control.looks.progress(opened.store, opened.row.study)


def configs_of(asked, trials, run):
    """Return what is asked for."""
    if asked == "known":
        return [config(trials - 7 - 13 * run) if trials else config(0)]
    if asked == "thousand":
        return [config(number) for number in range(0, trials, max(1, trials // 1000))][:1000]
    return [Config({"lr": 0.7 + run / 1000 + ASKED.index(asked), "momentum": 0.9, "optimizer": "sgd"})]


def take_over(url, asked, trials, run):
    """Ask, and return the CPU and wall seconds, and the megabytes of this process at most."""
    configs = configs_of(asked, trials, run)
    began, used = time.perf_counter(), time.process_time()
    study = open_study(url)
    study.optimize(Asks(study, configs, asked == "look"))
    seconds = {"cpu_s": time.process_time() - used, "wall_s": time.perf_counter() - began}
    return {**seconds, "mb": peak_mb()}


def peak_mb():
    """Return the megabytes that this process had at most."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return status_bytes("VmHWM") / 2**20


def in_fresh_process(url, asked, trials, run):
    if asked == "killed":
        store = open_sql_store(url)
        store.change_tables(lambda connection: connection.exec_driver_sql("DELETE FROM hippo_totals"))
        store.close()
    command = [sys.executable, __file__, "--open", url, asked, str(trials), str(run)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(said.splitlines()[-1])


@contextlib.contextmanager
def new_urls(server):
    """Yield the URLs of two new databases, in a server of a kind, or in files where that is None."""
    if server is None:
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/empty.db", f"sqlite:///{folder}/full.db"
    else:
        with running_server(server) as running:
            yield running.new_database(), running.new_database()


def measured(trials, runs, server):
    """Yield a row for each thing that is asked for."""
    with new_urls(server) as (empty, full):
        make_database(empty, 0)
        make_database(full, trials)
        for asked in ASKED:
            # in turns: a machine that is busy is busy for both
            pairs = [
                (in_fresh_process(empty, asked, 0, run), in_fresh_process(full, asked, trials, run))
                for run in range(runs)
            ]
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
    parser.add_argument("--trials", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--server", choices=KINDS, help="where the plan is, if not in a file")
    parser.add_argument(
        "--open", nargs=4, metavar=("URL", "ASKED", "TRIALS", "RUN"), help="what the fresh process does"
    )
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    if arguments.open:
        url, asked, trials, run = arguments.open
        print(json.dumps(take_over(url, asked, int(trials), int(run))))
        return
    rows = []
    for trials in arguments.trials:
        for row in measured(trials, arguments.runs, arguments.server):
            rows.append(row)
            print(row, flush=True)
    if not arguments.dry_run:
        name = f"takeover_{arguments.server}" if arguments.server else "takeover"
        write_report(name, rows, f"Beyond an empty plan, {arguments.runs} pairs each", seeds="none")


if __name__ == "__main__":
    main()
