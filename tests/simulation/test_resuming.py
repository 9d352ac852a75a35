"""A simulation that was killed and is run again comes to what the undisturbed one came to."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import hippo
from hippo.errors import SimulationChangedError
from hippo.plan.tables import CHANGED
from hippo.simulation import RandomWalk, SimulatedWorkload, simulate

PROGRAM = Path(__file__).with_name("killed_simulation.py")
WORKLOAD = SimulatedWorkload(seconds_per_step=1.0)
CONFIGS = [{"lr": 0.1}, {"lr": 0.2}, {"lr": 0.3}]


def run(database, commits=0):
    return subprocess.run(
        [sys.executable, str(PROGRAM), str(database), "simulated", str(commits)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": str(commits)},
    )


def facts(database):
    """Every row of the database but for who wrote it and when, and how often."""
    with sqlite3.connect(database) as connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        found = {}
        for table in sorted(tables):
            names = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            kept = [name for name in names if name not in ("uuid", "writer", "created_at", "key", CHANGED)]
            found[table] = sorted(map(repr, connection.execute(f"select {', '.join(kept)} from {table}")))
        return found


@pytest.mark.slow
def test_a_killed_simulation_run_again_equals_the_undisturbed_one(tmp_path):
    undisturbed = run(tmp_path / "undisturbed.db")
    assert undisturbed.returncode == 0, undisturbed.stderr
    database = tmp_path / "killed.db"
    for commits in (9, 25, 40):
        assert run(database, commits).returncode == -signal.SIGKILL
    again = run(database)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == json.loads(undisturbed.stdout)
    assert facts(database) == facts(tmp_path / "undisturbed.db")


def test_a_finished_simulation_run_again_records_nothing_new(tmp_path):
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    tuner = hippo.SuccessiveHalving(CONFIGS, min_steps=2, max_steps=8, reduction=2)
    first = simulate(tuner, WORKLOAD, slots=2, storage=storage)
    before = facts(tmp_path / "a.db")
    again = simulate(tuner, WORKLOAD, slots=2, storage=storage)
    assert facts(tmp_path / "a.db") == before
    assert again.intervals == first.intervals
    assert [trial.value for trial in again.study.trials] == [trial.value for trial in first.study.trials]
    assert hippo.load_study("simulation", storage=storage).best_value == first.study.best_value


def test_a_run_that_comes_to_other_facts_is_refused(tmp_path):
    class Fickle(RandomWalk):
        def to_json(self):
            return "always the same"

    storage = f"sqlite:///{tmp_path / 'a.db'}"
    tuner = hippo.GridSearch(CONFIGS, until=2)
    simulate(tuner, WORKLOAD, slots=1, storage=storage, curve=Fickle(1))
    with pytest.raises(SimulationChangedError, match="no function of its arguments"):
        simulate(tuner, WORKLOAD, slots=1, storage=storage, curve=Fickle(2))


def test_a_run_that_ends_before_what_was_recorded_is_refused(tmp_path):
    class Wavering(hippo.Tuner):
        until = 9

        def record(self):
            return {"tuner": "wavering"}

        async def tune(self, ask):
            await ask(CONFIGS[0], until=2)
            if self.until > 2:
                await ask(CONFIGS[1], until=self.until)

    storage = f"sqlite:///{tmp_path / 'a.db'}"
    simulate(Wavering(), WORKLOAD, slots=1, storage=storage)
    Wavering.until = 2
    with pytest.raises(SimulationChangedError, match="never came to"):
        simulate(Wavering(), WORKLOAD, slots=1, storage=storage)


def test_another_workload_is_another_simulation(tmp_path, capsys):
    storage = f"sqlite:///{tmp_path / 'a.db'}"
    tuner = hippo.GridSearch(CONFIGS, until=2)
    first = simulate(tuner, WORKLOAD, slots=1, storage=storage)
    second = simulate(tuner, SimulatedWorkload(seconds_per_step=2.0), slots=1, storage=storage)
    assert (first.makespan_s, second.makespan_s) == (6.0, 12.0)
    assert hippo.load_study("simulation", storage=storage).generation == 2
