"""Specs of changed code are at odds, a device that is not there is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import hippo
from hippo.errors import CodeChangedError, HippoError
from hippo.testing.trainers import ToyTrainer
from hippo.training import ship
from hippo.training.code.same_code import are_at_odds, require_same_code

SPEC = ship(ToyTrainer, seed=0, evaluate_every=1, workload_key="w")


def changed(*labels: str, **changes: Any) -> Any:
    """Return the spec of a trainer of which parts were other code."""
    parts = {**json.loads(SPEC.code), **dict.fromkeys(labels, "0" * 16)}
    return replace(SPEC, code=json.dumps(parts), **changes)


def test_a_class_is_what_it_was_made_of() -> None:
    require_same_code(SPEC, ToyTrainer)
    require_same_code(replace(SPEC, code=""), ToyTrainer)  # nobody said what that was


def test_what_differs_is_named() -> None:
    with pytest.raises(CodeChangedError, match=r"code of .*:ToyTrainer was .*: ToyTrainer.train 0 would"):
        require_same_code(changed("ToyTrainer.train 0", "file of hippo.testing.trainers"), ToyTrainer)


def test_what_differs_though_the_source_is_the_same_is_not_called_code() -> None:
    with pytest.raises(CodeChangedError, match=r"ToyTrainer.table of .* is another one in each process, though"):
        require_same_code(changed("ToyTrainer.table"), ToyTrainer)


def test_the_rest_of_its_file_does_not_matter_to_a_class_and_does_to_a_process() -> None:
    other = changed("file of hippo.testing.trainers")
    require_same_code(other, ToyTrainer)
    assert are_at_odds(SPEC, other)
    assert are_at_odds(other, SPEC)


def test_a_class_that_travels_by_value_brings_its_own_module_and_no_other() -> None:
    other = changed("file of hippo.testing.trainers", reference=None)
    assert not are_at_odds(SPEC, other)
    helper = changed("module lab", reference=None)
    assert not are_at_odds(SPEC, helper)  # nobody else has it
    assert are_at_odds(helper, replace(SPEC, code='{"module lab": "another"}'))


def test_specs_that_say_nothing_are_never_at_odds() -> None:
    assert not are_at_odds(replace(SPEC, code=""), SPEC)


ABSENT = {"cuda": "CUDA device", "cuda:99": "CUDA device", "gpu": "must be a device that torch knows"}


@pytest.mark.slow
@pytest.mark.parametrize("device", ABSENT)
def test_a_device_that_is_not_there_ends_the_study_and_fails_no_trial(device: str) -> None:
    torch = pytest.importorskip("torch")
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("it is there")
    from hippo.testing.torch_trainers import BlobsTrainer

    class Placed(BlobsTrainer):
        pass

    Placed.device = device
    study = hippo.create_study(
        "s", trainer=Placed, storage="memory://", engine=hippo.InlineEngine(), metric="loss", mode="min"
    )
    with pytest.raises(HippoError, match=ABSENT[device]):
        study.evaluate({"lr": 0.1, "batch_size": 16}, until=1)
    assert [trial.state.value for trial in study.trials if trial.state.value == "FAIL"] == []
    study.close()
