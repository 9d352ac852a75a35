"""A run that tunes itself, killed at twenty random moments, makes the moves of one that nobody killed."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from killing import Killed
from tuned_study import moves_logs

SCRIPT = Path(__file__).with_name("tuned_study.py")
NUM_KILLS = 20

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("engine", ["inline", "local"])
def test_a_tuned_run_killed_at_twenty_moments_makes_the_moves_of_one_that_was_not(tmp_path: Path, engine: str) -> None:
    undisturbed = Killed(tmp_path / "undisturbed", SCRIPT, engine)
    undisturbed.finish()
    (expected,) = moves(undisturbed)
    searches = [move for move in expected if move[0] == "pinned"]
    assert len(searches) >= 2  # it was tuned at the beginning, and at plateaus

    rng = random.Random(engine)
    study = Killed(tmp_path / "killed", SCRIPT, engine)
    steps = len(undisturbed.lines())
    num_kills = 0
    for _ in range(NUM_KILLS):
        num_kills += study.kill_after(rng.randrange(1, 2 * steps // NUM_KILLS), rng.uniform(0.0, 0.3))
    study.finish()

    assert num_kills >= NUM_KILLS // 2  # the others had come to their end before
    *broken_off, last = moves(study)
    assert len(broken_off) == NUM_KILLS
    assert max(map(len, broken_off)) > len(expected) // 2
    for run in broken_off:  # each process begins anew, hears again what is durable, and goes on as the one before
        assert run == expected[: len(run)]
    assert last == expected
    assert study.results() == undisturbed.results()


def moves(study: Killed) -> list[list[list[object]]]:
    """Return what the tuner said and heard in each run; a line that was under way when a run was killed is left out."""
    return [
        [json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        for log in moves_logs(study.folder)
    ]
