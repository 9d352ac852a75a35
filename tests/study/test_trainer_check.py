"""`hippo.check_trainer` names what a trainer forgets, changes where it must not, or keeps in the wrong place."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo

FOLDER = Path(__file__).parent
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: trainer -> the thing, and what is said of it
LEAKS = {
    "Counter": ("self.steps", r"self\.steps is changed by train\(\) .* is not in state_dict\(\): return it there"),
    "Ema": ("self.ema", r"self\.ema is changed by train\(\) and is not in state_dict\(\): return it there and load it"),
    "Scheduler": ("self.scheduler", r"self\.scheduler is changed by train\(\) .* not in state_dict\(\)"),
    "RunningLoss": ("self.running", r"what train\(\) returned\['running'\]"),
    "NoMomentum": ("self.optimizer", r"self\.optimizer is changed by train\(\) .* not in state_dict\(\)"),
    "NotLoaded": ("self.steps", r"state_dict\(\) has it, but load_state_dict\(\) does not bring it back: set it there"),
    "Accumulates": ("the gradients of self.model", r"gradients are part of no state_dict\(\)"),
    "Teacher": ("self.past", r"self\.past is changed by train\(\)"),
    "Frozen": ("self.model.0.weight.requires_grad", r"is changed by train\(\) \(True, and after loading False\)"),
    "PythonGenerator": ("self.chance", r"return self\.chance\.getstate\(\) there"),
    "NumpyGenerator": ("self.rng", r"return self\.rng\.bit_generator\.state there"),
    "NumpyRandomState": ("self.rng", r"return self\.rng\.get_state\(\) there"),
    "TorchGenerator": ("self.generator", r"return self\.generator\.get_state\(\) there"),
    "DropoutGenerator": ("self.model.2.chance", r"return self\.model\.2\.chance\.get_state\(\) there"),
    "DataOrder": ("self.order", r"an iterator cannot be saved"),
    "GeneratorFunction": ("self.stream", r"an iterator cannot be saved"),
    "NotPersistent": ("self.model.0.mean", r"is a buffer that the module's state_dict\(\) leaves out"),
    "LazyHead": ("", r"load_state_dict\(\) raises RuntimeError: .*4\.weight"),
    "TiedUntilLoaded": ("self.model.1.weight", r"two names stood for one object, and no longer do"),
    "KeepsEvalMode": ("self.model.training", r"changed by evaluate\(\).*self\.model\.train\(\)"),
    "ClassAttribute": ("class ClassAttribute.count", r"which is kept in the class"),
    "ModuleCache": ("module leaky_trainers.CACHE", r"which is kept in the module"),
    "Closure": ("module leaky_trainers.counted() variable 'count'", r"which is kept in the module"),
    "InInit": ("self.optimizer", r"build\(\) must begin anew; make there what training changes, and not in __init__"),
    "DatasetCounts": ("train_set().asked", r"a data set is shared by all trials of a worker"),
    "DatasetCaches": ("train_set().seen", r"a data set is shared by all trials of a worker"),
    "DefaultType": ("process torch.set_default_dtype", r"a setting of the whole process is part of no state"),
    "ChangesFolder": ("process the current folder", r"a setting of the whole process is part of no state"),
    "SetsVariable": ("process environment variables (MY_STEPS)", r"a setting of the whole process is part of no state"),
    "ReadsFolder": ("self.folder", r"depends on the current folder or on environment variables"),
    "ReadsVariable": ("self.rank", r"depends on the current folder or on environment variables"),
    "Clock": ("self.begun", r"another process does not have, such as the time"),
    "Entropy": ("", r"a generator that nobody seeds \(os\.urandom"),
    "MeasuredTime": ("", r"what train\(\) returned\['seconds'\].*A measured time"),
    "SetOrder": ("self.vocabulary", r"depends on the order of a set.*Sort before numbering"),
    "EvaluateDraws": ("self.chance", r"evaluate\(\) changed state\['chance'\]"),
    "EvaluateSteps": ("self.plateau", r"how often an evaluation is taken depends on who asks"),
    "Best": ("self.best", r"self\.best is changed by evaluate\(\)"),
    "StateDictCounts": ("self.saved", r"Let state_dict\(\) return it, and do nothing else"),
    "SetupRepeats": ("self.model.0.weight", r"setup\(\) is called again after each load_state_dict"),
}
#: what looks like a leak, and is none: hippo copies, seeds or restores
HARMLESS = ["Net", "KeepsGiven", "LateImport", "ChangesHparams", "Threads"]
CONFIGS: dict[str, dict[str, Any]] = {"ChangesHparams": {"sizes": hippo.Constant([1, 2, 3, 4])}}


@pytest.fixture
def leaky(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("leaky_trainers")
    sys.modules.pop("leaky_trainers", None)


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAKS)
def test_each_leak_is_named(leaky: Any, name: str) -> None:
    thing, message = LEAKS[name]

    found = hippo.check_trainer(getattr(leaky, name), {"lr": 0.1}, steps=5)

    assert not found.is_proven
    assert thing in [finding.name for finding in found.findings]
    assert re_in(message, " ".join(finding.message.replace("\n", " ") for finding in found.findings))


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_what_hippo_takes_care_of_is_no_leak(leaky: Any, name: str) -> None:
    found = hippo.check_trainer(getattr(leaky, name), CONFIGS.get(name, {"lr": 0.1}), steps=5)

    assert found.is_proven, str(found)


def re_in(pattern: str, text: str) -> bool:
    import re

    return re.search(pattern, text) is not None


# ------------------------------------------------------------------------------------------------------- no alarms


def example(name: str) -> Any:
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    return spec
