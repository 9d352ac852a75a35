"""A study killed at random moments ends, when it is run again, as if nothing had happened."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hippo.plan import StudyRow, TrialRow, open_store

sys.path.insert(0, str(Path(__file__).parent))
from killing import Killed

SCRIPT = Path(__file__).with_name("killed_study.py")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[object], int]]:
    known: dict[str, tuple[list[object], int]] = {}

    def results(which: str) -> tuple[list[object], int]:
        if which not in known:
            study = Killed(tmp_path_factory.mktemp(which), SCRIPT, which, with_torch=which == "torch")
            study.finish()
            known[which] = (study.results(), len(study.lines()))
        return known[which]

    return results


@pytest.mark.parametrize(("which", "seed"), [*(("toy", seed) for seed in range(18)), ("torch", 0), ("torch", 1)])
def test_a_killed_study_ends_as_if_nothing_had_happened(
    tmp_path: Path, which: str, seed: int, undisturbed: Callable[[str], tuple[list[object], int]]
) -> None:
    expected, steps = undisturbed(which)
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path / "study", SCRIPT, which, with_torch=which == "torch")
    for _ in range(rng.randint(1, 2)):
        study.kill_after(rng.randrange(1, steps // 2), rng.uniform(0.0, 0.01))
        before, held = len(study.lines()), study.held()
    study.finish()
    assert study.results() == expected
    passed = {path for way in held for path in way}
    again = [line for line in study.lines()[before:] if line.split()[0] in passed]
    assert again == []  # no step below a state that was held ran again


def test_a_finished_study_runs_nothing_when_it_is_run_again(tmp_path: Path) -> None:
    study = Killed(tmp_path / "study", SCRIPT, "toy")
    study.finish()
    steps = len(study.lines())
    results = study.results()
    study.finish()
    assert len(study.lines()) == steps
    assert study.results() == results
    store = open_store(study.storage)
    assert len(store.rows(StudyRow)) == 1
    assert len(store.rows(TrialRow)) == len(results)
