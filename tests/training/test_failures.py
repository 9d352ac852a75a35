"""Exceptions become texts that any database holds, and what ran out is told from facts."""

from __future__ import annotations

import errno
import gc
import weakref
from typing import Any

import pytest

import hippo
from hippo.errors import MOST_TEXT, storable_text
from hippo.records import NodeId
from hippo.testing.trainers import ToyTrainer
from hippo.training.failures import failure_of, is_resource_error
from hippo.training.walking.walker import UserCodeFailed, user_code

RESOURCES = {
    "memory": MemoryError("Unable to allocate 64 GiB"),
    "device memory": RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"),
    "memory of the CPU": RuntimeError(
        "[enforce fail at alloc_cpu.cpp:117] . DefaultCPUAllocator: can't allocate memory"
    ),
    "a loader that was killed": RuntimeError("DataLoader worker (pid 123) is killed by signal: Killed. "),
    "loaders that ended": RuntimeError("DataLoader worker (pid(s) 123, 124) exited unexpectedly"),
    "a full disk": OSError(errno.ENOSPC, "No space left on device"),
    "shared memory": RuntimeError("unable to write to file </torch_1_2>: No space left on device (28)"),
    "open files": OSError(errno.EMFILE, "Too many open files"),
}
FACTS = [ValueError("out of memory"), FileNotFoundError(errno.ENOENT, "no"), RuntimeError("shape mismatch"), KeyError()]


@pytest.mark.parametrize("what", RESOURCES)
def test_what_ran_out_is_a_resource(what: str) -> None:
    assert is_resource_error(RESOURCES[what])
    wrapped = ValueError("cannot load")
    wrapped.__cause__ = RESOURCES[what]
    assert is_resource_error(wrapped)


@pytest.mark.parametrize("fact", FACTS, ids=repr)
def test_what_is_wrong_with_a_trial_is_none(fact: Exception) -> None:
    assert not is_resource_error(fact)


def test_torchs_own_error_is_a_resource() -> None:
    torch = pytest.importorskip("torch")
    assert is_resource_error(torch.cuda.OutOfMemoryError("CUDA out of memory."))


def test_a_text_can_be_encoded_and_keeps_both_its_ends() -> None:
    text = storable_text("begin \udcff" + "x" * 10 * MOST_TEXT + "end")
    assert text.startswith("begin \\udcff")
    assert text.endswith("xend")
    assert "characters left out" in text
    assert len(text.encode()) <= MOST_TEXT + 100


def test_an_exception_of_one_is_a_failure_of_its_method() -> None:
    try:
        raise FileNotFoundError("img_\udcff.png")
    except FileNotFoundError as error:
        failure = failure_of(error, "train", (NodeId(1), 2))
    assert (failure.method, failure.step, failure.error) == ("train", 2, "FileNotFoundError: img_\\udcff.png")
    assert "test_failures.py" in failure.traceback
    (failure.error + failure.traceback).encode()


class Unreadable(ToyTrainer):
    """Meets a file name that is no UTF-8."""

    def train(self) -> dict[str, float]:
        if self.hp["lr"] == 0.1:
            raise FileNotFoundError("img_\udcff.png" + "x" * 10**6)
        return super().train()


CAUGHT = "Caught OSError in DataLoader worker process 1.\nOriginal Traceback (most recent call last):\n  File x\n"


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (OSError(CAUGHT + "OSError: no such image"), "OSError: no such image (in DataLoader worker process 1)"),
        (OSError(CAUGHT + "OSError: first\nsecond"), f"OSError: {CAUGHT}OSError: first\nsecond"),
        (OSError("OSError: no such image"), "OSError: OSError: no such image"),
    ],
)
def test_what_a_loaders_process_has_met_is_said_and_its_traceback_kept_apart(raised: Exception, said: str) -> None:
    failure = failure_of(raised, "train", (NodeId(1), 2))
    assert failure.error == said
    assert str(raised) in failure.traceback


class Held:
    """What a frame holds."""


def fails(held: list[weakref.ref[Held]]) -> None:
    """Raise in a frame that holds the exception, as torch does."""
    big, error = Held(), OSError("no such image")
    held.append(weakref.ref(big))
    raise error


def fails_twice(held: list[weakref.ref[Held]]) -> None:
    """Raise a group, as tasks do."""
    errors = []
    for _ in range(2):
        try:
            fails(held)
        except OSError as error:
            errors.append(error)
    raise ExceptionGroup("tasks", errors)


@pytest.mark.parametrize("failing", [fails, fails_twice])
def test_nothing_that_a_failed_call_held_waits_for_the_garbage_collector(failing: Any) -> None:
    held: list[weakref.ref[Held]] = []
    gc.disable()
    try:
        with pytest.raises(UserCodeFailed), user_code("train", (NodeId(1), 1)):
            failing(held)
        assert [each() for each in held if each() is not None] == []
    finally:
        gc.enable()


def test_a_file_name_that_is_no_utf8_fails_its_trial_and_no_other(tmp_path) -> None:
    study = hippo.create_study(
        "s",
        trainer=Unreadable,
        storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
    )
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1, 0.2]}), until=1))
    assert [trial.state.value for trial in study.trials] == ["FAIL", "COMPLETE"]
    assert "img_\\udcff.png" in str(study.trials[0].error)
    study.close()
