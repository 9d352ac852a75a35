"""A run that tunes itself, killed with SIGKILL at twenty random moments, makes the moves of one that nobody killed."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from killing import Killed
from tuned_study import moves_logs

SCRIPT = Path(__file__).with_name("tuned_study.py")
#: kills of one run, one after the other; there are four such runs of each engine
KILLS_IN_A_ROW = 5
#: with branches that are walked as lanes, there is one: it has to import torch each time
RUNS = [*((engine, seed) for engine in ("inline", "local") for seed in range(4)), ("lanes", 0)]

pytestmark = pytest.mark.slow

Undisturbed = Callable[[str], Killed]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    known: dict[str, Killed] = {}

    def finished(engine: str) -> Killed:
        if engine not in known:
            known[engine] = Killed(tmp_path_factory.mktemp(engine), SCRIPT, engine, with_torch=engine == "lanes")
            known[engine].finish()
        return known[engine]

    return finished


@pytest.mark.parametrize("engine", ["inline", "local", "lanes"])
def test_the_run_that_is_killed_below_searches_at_its_beginning_and_at_plateaus(
    engine: str, undisturbed: Undisturbed
) -> None:
    (expected,) = moves(undisturbed(engine))
    pinned = [move for move in expected if move[0] == "pinned"]
    branching = [move for move in expected if move[0] == "branching"]
    assert len(branching) == len(pinned) + 1 >= 2 if engine == "lanes" else len(pinned) >= 2


@pytest.mark.parametrize(("engine", "seed"), RUNS)
def test_a_tuned_run_that_is_killed_makes_the_moves_of_one_that_was_not(
    tmp_path: Path, engine: str, seed: int, undisturbed: Undisturbed
) -> None:
    (expected,) = moves(undisturbed(engine))
    rng = random.Random(f"{engine} {seed}")
    study = Killed(tmp_path, SCRIPT, engine, with_torch=engine == "lanes")
    steps = len(undisturbed(engine).lines())

    for _ in range(KILLS_IN_A_ROW):
        lines, pause_s = rng.randrange(1, steps // KILLS_IN_A_ROW), rng.uniform(0.0, 0.3)
        assert study.kill_after(lines, pause_s, most=10 + round(250 * pause_s))
    study.finish()

    *broken_off, last = moves(study)
    assert len(broken_off) == KILLS_IN_A_ROW
    assert max(map(len, broken_off)) > 10
    for run in broken_off:  # each process begins anew, hears again what is durable, and goes on as the one before
        assert run == expected[: len(run)]
    assert last == expected
    assert study.results() == undisturbed(engine).results()


def moves(study: Killed) -> list[list[list[object]]]:
    """Return what the tuner said and heard in each run; a line that was under way when a run was killed is left out."""
    return [
        [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        for log in moves_logs(study.folder)
    ]
