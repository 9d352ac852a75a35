"""What looking at a study costs: seconds of its readings, from a SQLite database of many trials.

    python benchmarks/bench_reading.py [--trials 1000 10000 100000] [--runs 5] [--only NAME ...]

The database is made by inserting rows through the store's own interface, and nothing is trained: ten trials at a time
share two steps, then each has two of its own, every step evaluated, as the rows of one call that ended. `first` is a
look with a study that was just opened, `again` the next one when nothing changed, `after 100 changes` one when another
process has recorded a hundred trials more. A progress look is that of a study that runs with as many trials waiting, on
a plan in memory, on the thread that decides; the first one includes the stage tree, at which nobody has looked before.
CPU seconds are those of the process, and say more where the machine is busy.
"""

import argparse
import asyncio
import gc
import itertools
import json
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import hippo
from hippo import Config, Piecewise
from hippo.plan import CallRow, Cause, Insert, NullListener, PlanRow, SearchPlan, StudyRow, TrialRow, Update, open_store
from hippo.records import LeaseId
from hippo.testing.fake_engine import FakeEngine
from report import write_report

#: trials that share their first steps, these steps, and all steps of a trial
_GROUP, _SHARED, _UNTIL = 10, 2, 4
#: trials that change before a look that comes after changes
_CHANGED = 100


def config(number):
    """Return the config of a trial: a rate that its group shares, until it has one of its own."""
    group = number // _GROUP
    rates = Piecewise([0.1 + group / 1e6, 0.2 + number / 1e6], [_SHARED])
    return Config({"lr": rates, "momentum": 0.5 + group / 1e7, "optimizer": "sgd"})


class Database:
    """A study with many trials in a SQLite file; trials are recorded as far as they were asked for."""

    def __init__(self, folder, trials):
        self.url = f"sqlite:///{folder}/hippo.db"
        hippo.create_study(
            "many",
            trainer="hippo.testing.trainers:ToyTrainer",
            storage=self.url,
            checkpoints=str(Path(folder) / "states"),
            engine=hippo.InlineEngine(),
            metric="loss",
            mode="min",
        ).close()
        self._store = open_store(self.url)
        self._study = self._store.rows(StudyRow)[0]
        self._plan = SearchPlan(self._store.rows(PlanRow)[0], NullListener())
        self._store.commit([Insert(CallRow(study=self._study.study, call=0, position=0, record="", state="complete"))])
        self._numbers = itertools.count()
        for _ in range(0, trials, 10_000):
            self.add(min(10_000, trials))

    def add(self, trials):
        """Record trials with all their facts."""
        changes = [change for number in itertools.islice(self._numbers, trials) for change in self._trial(number)]
        self._store.commit([*self._plan.changes.take(), *changes])

    def change(self, trials):
        """Record new trials in two commits, as a study does that runs: asked for, then answered."""
        numbers = list(itertools.islice(self._numbers, trials))
        rows = [change.row for number in numbers for change in self._trial(number)]
        self._store.commit([Insert(replace(row, step=0, loss=None, state="RUNNING")) for row in rows])
        self._store.commit([*self._plan.changes.take(), *[Update(row) for row in rows]])

    def _trial(self, number):
        asked, study = config(number), self._study.study
        trail, loss = self._plan.path(asked), 1.0 + (number * 7919 % 100_003) / 100_003
        for step in range(1, _UNTIL + 1):
            node = trail.node_at(step)
            if step not in node.training:
                self._plan.facts.record_step(
                    node, step, {"slope": loss / step}, 0.01, lease=LeaseId(1), cause=Cause.FIRST, study=study
                )
                self._plan.facts.record_metrics(node, step, {"loss": loss, "accuracy": 1 / loss}, 0.001, study=study)
        yield Insert(
            TrialRow(
                study=study,
                number=number,
                call=0,
                config=_text(asked),
                occurrence=0,
                node=trail.node_at(_UNTIL).id,
                until=_UNTIL,
                step=_UNTIL,
                state="COMPLETE",
                loss=loss,
            )
        )


def _text(asked):
    return json.dumps(asked.to_json(), sort_keys=True)


LOOKS = {
    "best_value": lambda study: study.best_value,
    "trials": lambda study: study.trials,
    "statistics": lambda study: study.statistics(),
    "trials_dataframe": lambda study: study.trials_dataframe(),
}


def seconds(look, study):
    """Return the wall and the CPU seconds of a look."""
    began, used = time.perf_counter(), time.process_time()
    look(study)
    return time.perf_counter() - began, time.process_time() - used


def looks(database, name, runs):
    """Return the seconds of each kind of look: of a study just opened, then again, then after changes."""
    found = {"first": [], "again": [], f"after {_CHANGED} changes": []}
    for _ in range(runs):
        study = hippo.load_study("many", storage=database.url)
        study.name  # noqa: B018 (opened before the clock starts)
        found["first"].append(seconds(LOOKS[name], study))
        found["again"].append(seconds(LOOKS[name], study))
        database.change(_CHANGED)
        found[f"after {_CHANGED} changes"].append(seconds(LOOKS[name], study))
    return found


class Asks(hippo.Tuner):
    """Asks for all configs at once, looks how far the study is, and ends."""

    def __init__(self, trials, runs):
        self.trials, self.runs = trials, runs
        self.study = None
        self.seconds = []

    def record(self):
        return {"asks": self.trials}

    async def tune(self, ask):
        waiting = [asyncio.ensure_future(ask(config(number), until=_UNTIL)) for number in range(self.trials)]
        await asyncio.sleep(0)
        control = self.study._runtime()._control
        opened = self.study._opened
        for _ in range(self.runs + 1):
            began, used = time.perf_counter(), time.thread_time()
            control.looks.progress(opened.store, opened.row.study)
            self.seconds.append((time.perf_counter() - began, time.thread_time() - used))
        for asked in waiting:
            asked.cancel()


def progress_looks(trials, runs):
    """Return the seconds of looks at the progress of a study with so many trials waiting."""
    study = hippo.create_study(
        "waiting",
        trainer="hippo.testing.trainers:ToyTrainer",
        storage="memory://",
        checkpoints="memory://",
        engine=FakeEngine(slots=2),
        metric="loss",
        mode="min",
    )
    tuner = Asks(trials, runs)
    tuner.study = study
    study.optimize(tuner)
    study.close()
    return {"first": tuner.seconds[:1], "while it runs": tuner.seconds[1:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[*LOOKS, "progress"], help="these readings alone")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    import pandas as pd  # noqa: F401 (its import is no part of a look)

    rows = []
    for trials in arguments.trials:
        with tempfile.TemporaryDirectory() as folder:
            database = None
            for name in arguments.only or ["progress", *LOOKS]:
                found = progress_looks(trials, arguments.runs) if name == "progress" else None
                if found is None and database is None:
                    database = Database(folder, trials)
                    gc.collect()
                    gc.freeze()  # who reads has no writer's plan in memory, which the collector would go through
                for when, taken in (found or looks(database, name, arguments.runs)).items():
                    wall, cpu = zip(*taken, strict=True)
                    rows.append(
                        {
                            "trials": trials,
                            "reading": name,
                            "look": when,
                            "median_s": round(statistics.median(wall), 5),
                            "min_s": round(min(wall), 5),
                            "max_s": round(max(wall), 5),
                            "median_cpu_s": round(statistics.median(cpu), 5),
                            "min_cpu_s": round(min(cpu), 5),
                        }
                    )
                    if arguments.dry_run:
                        print(rows[-1], flush=True)
    if not arguments.dry_run:
        write_report("reading", rows, f"Seconds of a look, {arguments.runs} runs each", seeds="none")


if __name__ == "__main__":
    main()
