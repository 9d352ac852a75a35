"""The example of surrogates: the demo's net, which can be narrower."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from hippo.training.trainers import new_trainer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    pytest.importorskip("sklearn")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "digits", raising=False)
    return runpy.run_path(str(EXAMPLES / "surrogate.py"))


def shapes(cls: Any, scale: str) -> list[tuple[int, ...]]:
    trainer: Any = new_trainer(cls, "{}", seed=0, scale=scale)
    return [tuple(each.shape) for each in trainer.make_model().parameters()]


def test_the_target_is_the_demos_net_and_its_surrogate_is_eight_times_narrower(example: dict[str, Any]) -> None:
    trainer = example["ScalableDigits"]
    assert shapes(trainer, "1") == shapes(example["DigitsTrainer"], "1")
    assert shapes(trainer, "1/8")[0] == (3, 1, 3, 3)
    assert shapes(trainer, "1/8")[-2] == (10, 96)
