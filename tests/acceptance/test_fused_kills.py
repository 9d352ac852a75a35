"""A worker, or a study, that is killed while it walks sixteen lanes as one loses the running steps, and no bit."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from hippo.plan import StateRow, StepKind, StepRow, open_store

sys.path.insert(0, str(Path(__file__).parent))
from fused_study import LANES, STANDS_STILL
from killing import Killed, marked, wait_until

SCRIPT = Path(__file__).with_name("fused_study.py")

pytestmark = pytest.mark.slow

#: (node, step) -> hash of the state there
Bits = dict[tuple[int, int], str]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[object], Bits, int]:
    study = Killed(tmp_path_factory.mktemp("undisturbed"), SCRIPT, "fused", with_torch=True)
    study.finish()
    assert study.study().statistics().steps_repeated == 0
    return study.results(), bits(study), study.study().statistics().steps_executed


def bits(study: Killed) -> Bits:
    store = open_store(study.storage)
    found = {(row.node, row.step): row.state_hash for row in store.rows(StateRow)}
    store.close()
    return found


def steps_in_company(study: Killed) -> int:
    """How many steps of lanes that were walked in sixteens are recorded by now."""
    if not study.lines():  # before its first step the database may be in the making
        return 0
    store = open_store(study.storage)
    found = sum(StepKind.from_text(row.cause).lanes == LANES for row in store.rows(StepRow))
    store.close()
    return found


def interrupt(study: Killed, victim: str, rng: random.Random) -> None:
    """Run the study, and kill its worker, or all of it, in the middle of a formation's step."""
    (stands_still := study.folder / STANDS_STILL).touch()  # it is not over, however late this process kills it
    process, mark = study.start()
    wait_until(lambda: steps_in_company(study) >= LANES or process.returncode is not None, 120)
    time.sleep(rng.uniform(0.0, 0.2))
    assert process.returncode is None, f"it was over before it could be disturbed: {process.wait(0)}"
    os.kill(process.pid if victim == "study" else int(study.lines()[-1]), signal.SIGKILL)
    stands_still.unlink()
    output = process.wait(120)
    if victim == "study":
        wait_until(lambda: not marked(mark), 30.0)  # a second, alone on a machine
        study.finish()
    else:
        assert process.returncode == 0, output
        assert output.count("a worker was lost (worker killed by SIGKILL); its stages run again") == 1


@pytest.mark.parametrize("victim", ["worker", "study"])
def test_who_is_killed_with_sixteen_lanes_loses_their_running_steps_and_no_bit(
    tmp_path: Path, undisturbed: tuple[list[object], Bits, int], victim: str
) -> None:
    results, expected, steps = undisturbed
    study = Killed(tmp_path / "study", SCRIPT, "fused", with_torch=True)
    interrupt(study, victim, random.Random(victim))
    statistics = study.study().statistics()
    assert statistics.steps_repeated <= LANES  # each had left a state a step before, at the latest
    assert statistics.steps_executed == steps + statistics.steps_repeated
    assert study.results() == results
    assert bits(study) == expected
