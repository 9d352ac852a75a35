"""Writes may lag behind what tuners hear: a study killed meanwhile loses a moment, and nothing that others heard."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hippo.plan import MetricsRow, NodeRow, RequestRow, StepRow, open_store
from hippo.records import TrialState
from hippo.runtime.shell import LAG_S
from hippo.testing.solo import train_alone

sys.path.insert(0, str(Path(__file__).parent))
from killed_study import PathLogger
from killing import Killed

SCRIPT = Path(__file__).with_name("lagging_study.py")

pytestmark = pytest.mark.slow

#: a machine with other work may come to a write so much later
BUSY_S = 2.0
#: tuners that decide by the answers, not by their order
ORDERLY = ("inline chain", "local chain", "inline grid", "local grid")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[object], int]]:
    known: dict[str, tuple[list[object], int]] = {}

    def results(which: str) -> tuple[list[object], int]:
        if which not in known:
            study = Killed(tmp_path_factory.mktemp("undisturbed"), SCRIPT, which)
            study.finish()
            known[which] = (study.results(), len(study.lines()))
        return known[which]

    return results


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("which", ORDERLY)
def test_a_study_killed_under_lagging_writes_ends_as_if_nothing_had_happened(
    tmp_path: Path, which: str, seed: int, undisturbed: Callable[[str], tuple[list[object], int]]
) -> None:
    expected, steps = undisturbed(which)
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path / "study", SCRIPT, which)
    told: list[str] = []
    for _ in range(2):
        lost_before = lost_steps(study)
        study.kill_after(rng.randrange(1, steps // 2), rng.uniform(0.0, 0.3))
        told = heard(study)
        assert missing(study, told) == []
        assert lost_steps(study) - lost_before <= steps_of_last(study, LAG_S + BUSY_S)
    study.finish()
    assert study.results() == expected
    assert set(told) <= set(heard(study))
    assert is_whole(study)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("which", ["inline asha", "local asha"])
def test_a_tuner_that_does_not_wait_replays_what_is_written_and_every_trial_equals_solo(
    tmp_path: Path, which: str, seed: int
) -> None:
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path / "study", SCRIPT, which)
    study.kill_after(rng.randrange(20, 150), rng.uniform(0.0, 0.3))
    assert missing(study, heard(study)) == []
    before = delivered(study)
    study.finish()
    assert delivered(study)[: len(before)] == before
    for trial in study.study().trials:
        assert trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
        alone = train_alone(
            PathLogger,
            trial.config,
            until=trial.step,
            trainer_args={"log": str(tmp_path / "alone.log"), "sleep_s": 0.0},
        )
        assert trial.history == alone
    assert is_whole(study)


def heard(study: Killed) -> list[str]:
    """Return what the callback wrote down: trial, step and loss."""
    log = study.folder / "heard.log"
    return log.read_text().splitlines() if log.exists() else []


def missing(study: Killed, told: list[str]) -> list[str]:
    """Return what was told to a callback, who outlives the process, and is not in the database."""
    if not told:
        return []
    store = open_store(study.storage)
    answered = {(row.trial, row.until) for row in store.rows(RequestRow) if row.state == "answered"}
    store.close()
    return [line for line in told if tuple(map(int, line.split()[:2])) not in answered]


def delivered(study: Killed) -> list[tuple[object, ...]]:
    """Return the answers that are written down as given, in their order."""
    if not (study.folder / "hippo.db").exists():
        return []
    store = open_store(study.storage)
    rows = [row for row in store.rows(RequestRow) if row.delivery is not None]
    store.close()
    rows.sort(key=lambda row: (row.delivery, row.request))
    return [(row.delivery, row.trial, row.until, row.seconds) for row in rows]


def lost_steps(study: Killed) -> int:
    """Return how many steps were run that no row speaks of."""
    if not (study.folder / "hippo.db").exists():
        return 0
    store = open_store(study.storage)
    recorded = len(store.rows(StepRow))
    store.close()
    return len(study.lines()) - recorded


def steps_of_last(study: Killed, seconds: float) -> int:
    """Return how many steps began in the last seconds before the last one did."""
    log = study.folder / "steps.log.times"
    times = sorted(map(float, log.read_text().split())) if log.exists() else []
    return sum(1 for began_at in times if began_at >= times[-1] - seconds)


def is_whole(study: Killed) -> bool:
    """Tell whether the rows belong together: they are a prefix of what was written, and never a part of a turn."""
    store = open_store(study.storage)
    nodes = {row.node for row in store.rows(NodeRow)}
    steps = {(row.node, row.step) for row in store.rows(StepRow)}
    evaluated = {(row.node, row.step) for row in store.rows(MetricsRow)}
    attempts = Counter((row.node, row.step, row.attempt) for row in store.rows(StepRow))
    store.close()
    return {node for node, _ in steps} <= nodes and evaluated <= steps and set(attempts.values()) == {1}
