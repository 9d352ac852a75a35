"""A study killed at random moments goes on, whatever its tuner, as that one would have; or hears the same again."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.plan import RequestRow, open_store
from hippo.records import TrialState
from hippo.testing.solo import train_alone

sys.path.insert(0, str(Path(__file__).parent))
from killed_study import PathLogger
from killed_tuner import HASTY, LONGEST, ORDERLY, UNEVALUATED, asked_log, heard_logs
from killing import Killed, way_of

SCRIPT = Path(__file__).with_name("killed_tuner.py")
#: each tuner trains more steps than this, and these
MOST_LINES, MOST_AFTER = 40, 8

pytestmark = pytest.mark.slow

Undisturbed = Callable[[str], list[object]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    known: dict[str, list[object]] = {}

    def results(which: str) -> list[object]:
        if which not in known:
            study = Killed(tmp_path_factory.mktemp(which), SCRIPT, which)
            study.finish()
            known[which] = study.results()
        return known[which]

    return results


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("which", ORDERLY)
def test_a_tuner_that_waits_for_all_ends_as_if_nothing_had_happened(
    tmp_path: Path, which: str, seed: int, undisturbed: Undisturbed
) -> None:
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path, SCRIPT, which)
    assert kill(study, rng)
    before, held = len(study.lines()), study.held()
    study.finish()
    assert study.results() == undisturbed(which)
    assert needless(study, before, held) == []


@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("which", HASTY)
def test_a_tuner_that_does_not_wait_hears_the_same_again(tmp_path: Path, which: str, seed: int) -> None:
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path, SCRIPT, which)
    assert kill(study, rng)
    for number in range(2):
        heard, durable = heard_in(study, number), delivered(study)
        before, held = len(study.lines()), study.held()
        if number == 0:
            kill(study, rng)
        else:
            study.finish()
        again = heard_in(study, number + 1)
        # a tuner dies with its process: what it heard last may not be durable, and what is durable not yet heard
        both = min(len(heard), len(durable))
        assert points(heard[:both]) == durable[:both]
        assert points(again[: len(durable)]) == durable[: len(again)]
        assert again[:both] == heard[:both][: len(again)]  # to the last bit
        assert needless(study, before, held) == []
    for trial in study.study().trials:
        assert trial.state in (TrialState.COMPLETE, TrialState.PRUNED)
        trainer_args = {"log": str(tmp_path / "alone.log"), "sleep_s": 0.0}
        alone = train_alone(PathLogger, trial.config, until=trial.step, trainer_args=trainer_args)
        told = trial.history
        if which in UNEVALUATED:  # what nobody waits for may die with the process that took it
            alone = {step: alone[step] for step in alone if step < trial.step or step in told}
        assert told == alone


def kill(study: Killed, rng: random.Random) -> bool:
    return study.kill_after(rng.randrange(1, MOST_LINES), rng.uniform(0.0, 0.01), most=MOST_AFTER)


def needless(study: Killed, before: int, held: list[list[str]]) -> list[str]:
    """Return the steps that were run although each config that leads through them had a state that was held beyond."""
    states = {way[-1] for way in held}
    needed: set[str] = set()
    for line in asked_log(study.folder).read_text().splitlines():  # of trials, and of such as a kill lost
        way = way_of(
            hippo.Config.from_json(json.loads(line)), LONGEST
        )  # what is trained ahead is in no trial's `until`
        covered = max((step for step, path in enumerate(way, start=1) if path in states), default=0)
        needed.update(way[covered:])
    return [line for line in study.lines()[before:] if line.split()[0] not in needed]


def heard_in(study: Killed, run: int) -> list[list[object]]:
    """Return what was told in a run of the study: trial, step, losses, state and seconds."""
    return [json.loads(line) for line in heard_logs(study.folder)[run].read_text().splitlines()]


def points(heard: list[list[object]]) -> list[tuple[object, object]]:
    return [(trial, step) for trial, step, *_ in heard]


def delivered(study: Killed) -> list[tuple[object, object]]:
    """Return the answers that are written down as given, in their order."""
    store = open_store(study.storage)
    rows = [row for row in store.rows(RequestRow) if row.delivery is not None]
    store.close()
    return [(row.trial, row.until) for row in sorted(rows, key=lambda row: (row.delivery, row.request))]
