"""What keeping a plan costs in SQLite, PostgreSQL and MariaDB: commits a second, and CPU and wall time of a study.

    python benchmarks/bench_databases.py [--runs 5] [--only postgresql] [--trials 400] [--dry-run]

Two measurements, each in rounds that take the databases in turns, so that a busy machine is busy for all of them:

- `commit`: one commit of what a turn of the control loop records for so many stages, eight rows for each: five are
  inserted and three updated. Wall-milliseconds, the median of many, and CPU-milliseconds of this process.
- `study`: a grid of trials of ten steps that share nothing, inline, with states in memory and a trainer that takes
  microseconds, from asking to the last answer: CPU-milliseconds of this process for each stage, and wall-milliseconds.

Servers have processes of their own, whose CPU is in no figure but the wall's.

Ratios are to SQLite in the same round; the one shown is the median over rounds. PostgreSQL and MariaDB run on this
machine, with the settings that they come with, in a folder of their own; a database that is not installed is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import statistics
import tempfile
import time
from dataclasses import replace

import hippo
from hippo.plan import (
    Insert,
    LeaseRow,
    MetricsRow,
    NodeRow,
    RequestRow,
    StateRow,
    StepRow,
    TrialRow,
    Update,
    open_store,
)
from hippo.testing.servers import KINDS, missing_server, running_server
from report import write_report

#: stages in one turn -> commits that are timed in each round
TURNS = {1: 40, 10: 20, 100: 8}
STEPS = 10
#: what a study, and a commit of 100 stages, may cost at most, by what it costs on SQLite
TARGETS = {"study": {"postgresql": 1.5, "mysql": 1.6}, "commit 100": {"postgresql": 4.0, "mysql": 4.0}}
PIECES = '{"lr":["constant",[0.1],null],"momentum":["constant",[0.9],null]}'
_numbers = itertools.count(1)


def rows_of_stage(number):
    """Return what a stage of one step inserts, and the rows that the next turn updates."""
    node = NodeRow(plan=1, node=number, parent=None, start=0, pieces=PIECES, digest=f"{number:032x}")
    lease = LeaseRow(plan=1, lease=number, epoch=1, slot="inline", spans=f"[[{number},0,1]]", started_at=0.0)
    step = StepRow(
        plan=1,
        node=number,
        step=1,
        attempt=1,
        study=1,
        cause="first",
        training='{"slope":0.5}',
        seconds=0.01,
    )
    metrics = MetricsRow(plan=1, node=number, step=1, study=1, metrics='{"loss":0.5,"luck":0.1}', seconds=0.001)
    state = StateRow(plan=1, node=number, step=1, state_hash="0" * 64)
    return [node, lease, step, metrics, state]


def updated_rows(number):
    """Return three rows that a turn changes, as they are inserted, and as they are then."""
    trial = TrialRow(study=1, number=number, call=0, config=PIECES, occurrence=0, node=number, until=1, step=0)
    request = RequestRow(study=1, request=number, call=0, trial=number, until=1, final=True, state="pending")
    lease = rows_of_stage(number)[1]
    before = [trial, request]
    after = [
        replace(trial, step=1, state="COMPLETE", loss=0.5),
        replace(request, state="answered", delivery=number, seconds=0.01),
        replace(lease, ended="done"),
    ]
    return before, after


def commit_ms(store, stages, commits):
    """Return the median wall- and CPU-milliseconds of a commit of a turn of so many stages."""
    wall, cpu = [], []
    for _ in range(commits):
        numbers = [next(_numbers) for _ in range(stages)]
        asked = [updated_rows(number) for number in numbers]
        store.commit([Insert(row) for before, _ in asked for row in before])
        changes = [Insert(row) for number in numbers for row in rows_of_stage(number)]
        changes += [Update(row) for _, after in asked for row in after]
        used, began = time.process_time(), time.perf_counter()
        store.commit(changes)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.process_time() - used))
    return statistics.median(wall), statistics.median(cpu)


def study_ms(url, trials):
    """Return the CPU- and wall-milliseconds of a stage."""
    study = hippo.create_study(
        f"s{next(_numbers)}",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage=url,
        checkpoints="memory://",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        keep="leaves",
        version=str(next(_numbers)),  # a plan of its own
    )
    space = hippo.GridSearchSpace({"lr": [0.1 + number / 1e6 for number in range(trials)]})
    study.evaluate(hippo.Config({"lr": 9.0}), until=2)  # checks, and the environment
    used, began = time.process_time(), time.perf_counter()
    study.optimize(hippo.GridSearch(space, until=STEPS))
    cpu, wall = time.process_time() - used, time.perf_counter() - began
    study.close()
    return 1000 * cpu / trials, 1000 * wall / trials


def measure(kind, urls, trials):
    """Return name -> figure of one database, in one round."""
    found = {}
    if kind != "memory":
        store = open_store(urls())
        for stages, commits in TURNS.items():
            found[f"commit {stages}"], found[f"commit {stages}, CPU"] = commit_ms(store, stages, commits)
        store.close()
    found["study"], found["study wall"] = study_ms("memory://" if kind == "memory" else urls(), trials)
    return found


def rows_of(rounds, kinds):
    """Yield a line of the table for each figure of each database."""
    for kind in kinds:
        for name in rounds[0][kind]:
            of_kind = [each[kind][name] for each in rounds]
            ratios = [each[kind][name] / each["sqlite"][name] for each in rounds] if name in rounds[0]["sqlite"] else []
            target = TARGETS.get(name, {}).get(kind)
            yield {
                "database": kind,
                "what": name,
                "ms": round(statistics.median(of_kind), 3),
                "a second": round(1000 / statistics.median(of_kind), 1)
                if name.startswith("commit") and "CPU" not in name
                else None,
                "by SQLite's": round(statistics.median(ratios), 2) if ratios and kind != "sqlite" else None,
                "from": round(min(ratios), 2) if ratios and kind != "sqlite" else None,
                "to": round(max(ratios), 2) if ratios and kind != "sqlite" else None,
                "target": target,
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trials", type=int, default=400, help="of a study; each is one stage")
    parser.add_argument("--only", choices=KINDS, nargs="*", default=KINDS, help="servers beside SQLite")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        urls = {"memory": None, "sqlite": lambda: f"sqlite:///{folder}/{next(_numbers)}.db"}
        for kind in arguments.only:
            if why := missing_server(kind):
                print(f"left out: {why}")
                continue
            urls[kind] = stack.enter_context(running_server(kind)).new_database
        for kind in urls:  # what is imported and compiled the first time is in no round
            measure(kind, urls[kind], 20)
        rounds = []
        for number in range(arguments.runs):
            order = [*urls][:: 1 if number % 2 else -1]
            rounds.append({kind: measure(kind, urls[kind], arguments.trials) for kind in order})
            print(f"round {number + 1} of {arguments.runs}", flush=True)
        rows = list(rows_of(rounds, urls))
    for row in rows:
        print(row)
    if not arguments.dry_run:
        write_report("databases", rows, f"{arguments.runs} rounds, the databases in turns", seeds="none")


if __name__ == "__main__":
    main()
