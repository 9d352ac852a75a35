"""`hippo.check_trainer` names what a trainer forgets, changes where it must not, or keeps in the wrong place."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.importing import imported_trainer
from hippo.errors import BudgetError, HippoError, TrainerError, UnknownHparamError
from hippo.study.checking.trainer_check import ComparisonVerdict
from hippo.testing.pages import module_of, trainers_of
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer

pytestmark = pytest.mark.usefixtures("warm_programs")
FOLDER = Path(__file__).parent
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCS = EXAMPLES.with_name("docs")

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
    "WeightsInInit": ("self.weights", r"build\(\) must begin anew; make there what training changes"),
    "DatasetCounts": ("train_set().asked", r"a data set is shared by all trials of a worker"),
    "DatasetCaches": ("train_set().seen", r"a data set is shared by all trials of a worker"),
    "DefaultType": ("process torch.set_default_dtype", r"a setting of the whole process is part of no state"),
    "ChangesFolder": ("process the current folder", r"a setting of the whole process is part of no state"),
    "SetsVariable": ("process environment variables (MY_STEPS)", r"a setting of the whole process is part of no state"),
    "ReadsFolder": ("self.folder", r"depends on the current folder or on environment variables"),
    "ReadsVariable": ("self.rank", r"depends on the current folder or on environment variables"),
    "Clock": ("self.begun", r"another process does not have, such as the time"),
    "Pickled": ("", r"state\['estimator'\] \(a pickle\)\. Pickles of equal objects may differ"),
    "PickledGenerator": ("self.estimator.chance", r"a copy of it, as a pickle makes one, is seeded by nobody"),
    "Entropy": ("", r"a generator that nobody seeds \(os\.urandom"),
    "MeasuredTime": ("", r"what train\(\) returned\['seconds'\].*A measured time"),
    "SetOrder": ("self.vocabulary", r"depends on the order of a set.*Sort before numbering"),
    "EvaluateDraws": ("self.chance", r"evaluate\(\) changed state\['chance'\]"),
    "EvaluateSteps": ("self.plateau", r"how often an evaluation is taken depends on who asks"),
    "Best": ("self.best", r"self\.best is changed by evaluate\(\)"),
    "StateDictCounts": ("self.saved", r"Let state_dict\(\) return it, and do nothing else"),
    "SetupRepeats": ("self.model.0.weight", r"setup\(\) is called again after each load_state_dict"),
}
#: of a check that shows a leak; two show most, in far fewer runs
STEPS = dict.fromkeys(["Teacher", "LazyHead", "EvaluateSteps"], 5)
#: where two would do, and yet training is resumed at several steps, and twice in a row
STEPS |= dict.fromkeys(["Counter", "DataOrder", "EvaluateDraws"], 5)
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

    found = hippo.check_trainer(getattr(leaky, name), {"lr": 0.1}, steps=STEPS.get(name, 2))

    assert not found.is_proven
    assert thing in [finding.name for finding in found.findings]
    told = " ".join(finding.message.replace("\n", " ") for finding in found.findings)
    assert re.search(message, told)
    # whoever has been named is not said to be nowhere as well
    assert not thing or "Nothing that the trainer" not in told


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_what_hippo_takes_care_of_is_no_leak(leaky: Any, name: str) -> None:
    found = hippo.check_trainer(getattr(leaky, name), CONFIGS.get(name, {"lr": 0.1}), steps=5)

    assert found.is_proven, str(found)


# ------------------------------------------------------------------------------------------------------- no alarms


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "trainer", "arguments", "config"),
    [
        ("digits", "DigitsTrainer", {"width": 4}, {"lr": 0.1, "momentum": 0.9}),
        ("toy", "Valley", {}, {"lr": hippo.MultiStep(0.1, [2], 0.5), "batch_size": 8}),
        ("paper_figures", "MyTrainer", {}, {"lr": 0.1, "bs": 128}),
        ("wsd_scaling", "LanguageTrainer", {"width": 16, "depth": 1, "batches_per_step": 4}, {"lr": 0.01}),
    ],
)
def test_the_trainers_of_the_examples_raise_no_alarm(
    monkeypatch: pytest.MonkeyPatch, script: str, trainer: str, arguments: dict[str, Any], config: dict[str, Any]
) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    cls, runs_a_study = imported_trainer(f"{EXAMPLES / script}.py:{trainer}")

    found = hippo.check_trainer(cls, config, trainer_args=arguments, steps=3, by_value=runs_a_study)

    assert found.is_proven, str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "config"),
    [
        ("trainers", {"lr": 0.1}),
        ("getting-started", {"lr": 0.1, "momentum": 0.9}),
        ("from-a-training-loop", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.0, "batch_size": 32}),
        ("coming-from-ray-tune", {"lr": 0.1, "width": 8}),
        ("coming-from-optuna", {"lr": 0.1, "width": 8}),
    ],
)
def test_the_trainers_of_the_pages_raise_no_alarm(
    page: str, config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trainers = trainers_of(module_of(DOCS / f"{page}.md"))

    assert trainers
    for trainer in trainers:
        found = hippo.check_trainer(trainer, config, steps=3, by_value=True)
        assert found.is_proven, str(found)


KINDS = sorted(page.stem for page in (DOCS / "kinds").glob("*.md") if page.stem != "README")


@pytest.mark.slow
@pytest.mark.parametrize("page", KINDS)
def test_trainers_of_every_kind_raise_no_alarm(page: str) -> None:
    module = module_of(DOCS / "kinds" / f"{page}.md")

    assert trainers_of(module)
    for trainer in trainers_of(module):
        found = hippo.check_trainer(trainer, module.config, steps=3, by_value=True)
        assert found.is_proven, str(found)


@pytest.mark.slow
@pytest.mark.parametrize("page", KINDS)
def test_trials_of_every_kind_of_trainer_equal_trials_alone(page: str) -> None:
    module = module_of(DOCS / "kinds" / f"{page}.md")
    config = hippo.Config(module.config)
    first = next(iter(config))
    configs = [config, config.switch(at=2, **{first: config[first](2) / 2})]
    for trainer in trainers_of(module):
        study = hippo.create_study(trainer.__name__, trainer=trainer, storage="memory://", engine=hippo.InlineEngine())
        study.optimize(hippo.GridSearch(configs, until=4))

        assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 2
        assert study.statistics().steps_executed == 4 + 2
        for trial in study.trials:
            assert dict(trial.history) == train_alone(trainer, trial.config, until=4)
        study.close()


# ----------------------------------------------------------------------------------------------------- what it says


@pytest.mark.slow
def test_a_check_says_what_was_compared_and_what_a_step_costs() -> None:
    found = hippo.check_trainer(ToyTrainer, {"lr": 0.1, "momentum": 0.9}, steps=4)

    assert found.is_proven
    assert {each.verdict for each in found.comparisons} == {ComparisonVerdict.EQUAL}
    assert found.costs.step_s > 0
    assert found.costs.state_bytes > 0
    assert 0 <= found.costs.own_share <= 1
    text = str(found)
    assert text.startswith("ToyTrainer: proven for these steps (4 steps, seed 0, lr=0.1, momentum=0.9)")
    assert "What begins to matter after step 4, no check of 4 steps can see." in text


@pytest.mark.slow
def test_what_begins_to_matter_after_the_steps_is_not_seen_and_with_more_steps_is(leaky: Any) -> None:
    assert hippo.check_trainer(leaky.Teacher, {"lr": 0.1}, steps=3).is_proven
    assert not hippo.check_trainer(leaky.Teacher, {"lr": 0.1}, steps=4).is_proven


@pytest.mark.slow
def test_a_check_writes_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    hippo.check_trainer(ToyTrainer, {"lr": 0.1, "momentum": 0.9}, steps=2)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_class_of_a_function_travels_by_value() -> None:
    class Local(ToyTrainer):
        pass

    assert hippo.check_trainer(Local, {"lr": 0.1, "momentum": 0.9}, steps=2).is_proven


class Leaves(ToyTrainer):
    """Ends its process in the second step, if it was loaded."""

    def load_state_dict(self, state: Any) -> None:
        super().load_state_dict(state)
        sys.exit(3)


@pytest.mark.slow
def test_a_trainer_that_ends_its_process_is_told_of() -> None:
    found = hippo.check_trainer(Leaves, {"lr": 0.1, "momentum": 0.9}, steps=3)

    assert not found.is_proven
    assert "sys.exit(3)" in found.findings[0].message


# ------------------------------------------------------------------------------------------------------- bad input


class Plain(hippo.Trainer):
    """Has no `__init__`."""

    def build(self) -> None: ...

    def train(self) -> None: ...

    def evaluate(self) -> dict[str, float]:
        return {"loss": self.hp["lr"]}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Any) -> None: ...


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((int,), {}, TrainerError, "not a class derived from hippo.Trainer"),
        (("nowhere:Nobody",), {}, TrainerError, "cannot import trainer"),
        ((ToyTrainer,), {"steps": 1}, BudgetError, "check at least 2"),
        ((ToyTrainer,), {"steps": 0}, BudgetError, "steps"),
        ((ToyTrainer,), {"trainer_args": {"wdth": 3}}, TrainerError, "do not fit"),
        ((Plain,), {"trainer_args": {"wdth": 3}}, TrainerError, r"do not fit Plain.*'wdth'\. It takes \[\]"),
        ((ToyTrainer, {"lr": float("nan")}), {}, HippoError, "lr"),
        ((ToyTrainer, 3), {}, HippoError, "3"),
        ((ToyTrainer,), {"seed": "x"}, HippoError, "seed"),
        ((ToyTrainer,), {"hparams": {"lr": 1}}, HippoError, "config="),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    arguments: Any, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        hippo.check_trainer(*arguments, **options)


@pytest.mark.slow
def test_a_hyper_parameter_that_is_missing_is_named(leaky: Any) -> None:
    with pytest.raises(UnknownHparamError, match=r"no hyper-parameter 'sizes'.*--hparam NAME=VALUE"):
        hippo.check_trainer(leaky.ChangesHparams, {"size": 1}, steps=2)
