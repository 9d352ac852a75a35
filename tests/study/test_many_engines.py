"""Studies by the hundred in one process: what each of them needs goes with it."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import hippo
from hippo.testing.trainers import ToyTrainer

MANY = """
import resource
import threading
import hippo

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
studies = []
for number in range(80):
    studies.append(hippo.create_study(
        f"toy {number}", trainer="hippo.testing.trainers:ToyTrainer", storage="memory://", checkpoints="memory://",
        engine=hippo.InlineEngine(), metric="loss", mode="min",
    ))
    studies[-1].evaluate({"lr": 0.1}, until=1)
    studies[0].evaluate({"lr": 0.1}, until=1 + number)
assert threading.active_count() <= 4, threading.enumerate()
"""


@pytest.mark.slow
def test_studies_with_an_inline_engine_each_need_no_thread_and_no_file_when_they_are_idle() -> None:
    result = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def make(engine: hippo.InlineEngine) -> hippo.Study:
    return hippo.create_study(
        "toy",
        trainer=ToyTrainer,
        storage="memory://",
        checkpoints="memory://",
        engine=engine,
        metric="loss",
        mode="min",
    )


def test_an_engine_goes_on_upon_another_loop_with_what_was_resident() -> None:
    study, others = make(hippo.InlineEngine()), [make(hippo.InlineEngine()) for _ in range(3)]
    assert study.evaluate({"lr": 0.1}, until=2)
    for other in others:  # take the loop that was given back
        assert other.evaluate({"lr": 0.1}, until=1)
    assert study.evaluate({"lr": 0.1}, until=4)
    assert study.statistics().steps_executed == 4
    assert study.statistics().steps_repeated == 0


def test_an_engine_that_nobody_has_any_more_is_gone() -> None:
    engine = hippo.InlineEngine()
    make(engine).evaluate({"lr": 0.1}, until=1)
    gone = weakref.ref(engine)
    del engine
    for _ in range(600):  # its loop's thread may be held up
        gc.collect()
        if gone() is None:
            return
        threading.Event().wait(0.05)
    raise AssertionError(gc.get_referrers(gone()))
