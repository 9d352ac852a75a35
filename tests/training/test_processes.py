"""What differs from process to process, and from trial to trial in one, decides about no result."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hippo
from hippo.errors import ExactnessError, TrainerError
from hippo.study.identity import wanted_study
from hippo.study.identity.generations import kept_of
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.training.code.fingerprint import trainer_code
from hippo.training.code.shipping import ship
from hippo.training.process.process_settings import Values, settings_kept, settings_now
from hippo.training.process.script_floats import TORCHS_OWN, floats_as, floats_kept, floats_of_script, said_floats
from hippo.training.trainers import Trainers

MakeStudy = Callable[..., hippo.Study]


@pytest.fixture
def make_study() -> Iterator[MakeStudy]:
    studies: list[hippo.Study] = []
    engine = hippo.InlineEngine()

    def make(trainer: Any, **options: Any) -> hippo.Study:
        options = {
            "storage": f"memory://{trainer.__name__}",
            "engine": engine,
            "metric": "loss",
            "mode": "min",
        } | options
        studies.append(hippo.create_study(trainer.__name__, trainer=trainer, **options))
        return studies[-1]

    yield make
    for study in studies:
        study.close()


def run(folder: Path, script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own; what it prints is what is compared."""
    file = folder / "script.py"
    file.write_text(textwrap.dedent(script))
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"} | variables
    command = [sys.executable, "-W", "default", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environ, timeout=120)


# ------------------------------------------------------------------------------------ libraries that are imported late

LATE = """
    import sys
    import hippo
    from hippo.testing.solo import train_alone

    class Late(hippo.Trainer):
        def build(self):
            import torch
            self.weights = torch.randn(2)
            self.flags = float(torch.are_deterministic_algorithms_enabled()) + torch.get_num_threads() / 10

        def train(self):
            import numpy
            self.weights = self.weights * self.hp["lr"] + float(numpy.random.rand())

        def evaluate(self):
            return {"loss": float(self.weights.sum()), "flags": self.flags}

        def state_dict(self):
            return {"weights": self.weights, "flags": self.flags}

        def load_state_dict(self, state):
            self.weights, self.flags = state["weights"], state["flags"]

    is_inline = sys.argv[1] == "inline"
    assert "torch" not in sys.modules
    engine = hippo.InlineEngine() if is_inline else hippo.LocalEngine(workers=1)
    study = hippo.create_study("late", trainer=Late, storage="sqlite:///late.db", engine=engine)
    study.optimize(hippo.GridSearch([{"lr": 0.5}, {"lr": 0.6}], until=2))
    import torch
    print(torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    for trial in study.trials:
        assert trial.metrics == train_alone(Late, trial.config, until=2)[2], (trial.number, trial.metrics)
    print("equal")
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["inline", "local"])
def test_a_library_first_imported_in_a_method_is_seeded_and_pinned_as_it_comes(tmp_path: Path, engine: str) -> None:
    done = run(tmp_path, LATE, engine)
    assert done.stdout.splitlines() == ["False False", "equal"], done.stderr


def test_a_library_that_comes_up_inside_a_fence_is_left_at_the_seed_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from hippo.training.process import streams

    streams.seed_everything(3, "build", 0)
    expected = np.random.rand()
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "numpy")
        streams.seed_everything(3, "build", 0)
        with streams.fence():
            streams.seed_everything(3, "train_set", 0)
            patch.setitem(sys.modules, "numpy", np)
            np.random.rand()
    assert np.random.rand() == expected
    streams.forget_seed()


def test_a_library_that_another_thread_is_just_loading_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType, SimpleNamespace

    from hippo.training.process import streams
    from hippo.training.process.process_settings import ProcessSettings

    half = ModuleType("numpy")
    half.__spec__ = SimpleNamespace(_initializing=True)  # type: ignore[assignment]
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "numpy", half)
        patch.setattr(streams, "_complete", set())
        with streams.fence():
            streams.seed_everything(0, "build", 0)
        assert ProcessSettings().restore() == []
    streams.forget_seed()


def test_an_import_is_noticed_only_while_somebody_trains() -> None:
    from hippo.training.process.late_imports import late_imports_noticed

    noticed: list[str] = []
    kept, before = sys.modules.pop("numpy"), list(sys.meta_path)
    try:
        with late_imports_noticed(noticed.append):
            sys.modules["numpy"] = kept
    finally:
        sys.modules["numpy"] = kept
    assert (noticed, sys.meta_path) == ([], before)


# -------------------------------------------------------------------------------------------------- the hash of strings

HASHED = """
    import sys
    import hippo

    class Words(hippo.Trainer):
        def __init__(self, ordered):
            words = set("one two three four five six seven eight nine ten".split())
            self.vocabulary = {word: i for i, word in enumerate(sorted(words) if ordered else words)}

        def build(self):
            self.steps = 0

        def train(self):
            self.hp["lr"]
            self.steps += 1

        def evaluate(self):
            order = sum(place * 10**i for i, (_, place) in enumerate(sorted(self.vocabulary.items())))
            return {"loss": float(order * 100 + self.steps)}

        def state_dict(self):
            return {"steps": self.steps}

        def load_state_dict(self, state):
            self.steps = state["steps"]

    engine = {"inline": hippo.InlineEngine, "local": lambda: hippo.LocalEngine(workers=1)}[sys.argv[1]]()
    study = hippo.create_study(
        "words", trainer=Words, trainer_args={"ordered": sys.argv[3] == "ordered"}, storage="sqlite:///words.db",
        engine=engine, metric="loss", mode="min", keep="leaves", checkpoint_budget="1GB",
    )
    print(study.evaluate({"lr": 0.1}, until=int(sys.argv[2]))["loss"])
    if sys.argv[1] == "local":
        study.trials[0].load_model()
    print("hash_seed", engine.environment()["hash_seed"])
"""


@pytest.mark.slow
def test_another_hash_seed_is_no_nuisance_where_it_does_not_matter(tmp_path: Path) -> None:
    printed = [run(tmp_path, HASHED, "inline", until, "ordered") for until in ("2", "4", "4", "6")]
    assert [(done.stdout.split()[-1], done.stderr) for done in printed] == [("random", "")] * 4
    assert [float(done.stdout.split()[0]) for done in printed] == [987654321000.0 + steps for steps in (2, 4, 4, 6)]


@pytest.mark.slow
def test_another_hash_seed_is_refused_where_it_does_matter(tmp_path: Path) -> None:
    first = run(tmp_path, HASHED, "inline", "2", "as it comes", PYTHONHASHSEED="1")
    assert first.stdout.split()[-1] == "1"
    for _ in range(2):
        other = run(tmp_path, HASHED, "inline", "4", "as it comes", PYTHONHASHSEED="2")
        assert "says something else than the recorded one: 'loss' is" in other.stderr
        assert "PYTHONHASHSEED was 1 when this plan began, and is 2 here" in other.stderr
    same = run(tmp_path, HASHED, "inline", "4", "as it comes", PYTHONHASHSEED="1")
    assert float(same.stdout.split()[0]) == float(first.stdout.split()[0]) + 2


@pytest.mark.slow
def test_workers_have_one_hash_seed_whatever_the_shell_says_and_a_loaded_model_is_compared(tmp_path: Path) -> None:
    printed = [
        run(tmp_path, HASHED, "local", until, "as it comes", PYTHONHASHSEED=seed)
        for until, seed in (("2", "random"), ("4", "3"))
    ]
    losses = [float(done.stdout.split()[0]) for done in printed]
    assert losses[1] == losses[0] + 2
    assert [done.stdout.split()[-1] for done in printed] == ["0", "0"]
    told = [" ".join(done.stderr.split()) for done in printed]
    assert all("evaluates in this process to something else than recorded: 'loss' is" in text for text in told)


def test_an_environment_of_before_there_was_a_hash_seed_is_accepted() -> None:
    from hippo.runtime import changed_fields
    from hippo.training.process.environment import describe_environment

    now = describe_environment(1)
    before = {name: value for name, value in now.items() if name != "hash_seed"}
    assert changed_fields(before, now) == {}
    assert changed_fields(before | {"threads": "7"}, now) == {"threads": ("7", "1")}


class FromFile(ToyTrainer):
    """Evaluates to what is in a file."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def evaluate(self) -> dict[str, Any]:
        return {"loss": float(Path(self.file).read_text()) + self.weights[0]}


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[Callable[..., hippo.Study]]:
    """A study that was begun; the file that its trainer reads has changed since. Return what opens it, elsewhere."""
    studies: list[hippo.Study] = []
    file = tmp_path / "bias.txt"

    def opened(**options: Any) -> hippo.Study:
        study = hippo.create_study(
            "file", trainer=FromFile, trainer_args={"file": str(file)}, storage=f"sqlite:///{tmp_path}/file.db",
            checkpoints=str(tmp_path / "states"), engine=hippo.InlineEngine(), metric="loss", mode="min", **options,
        )  # fmt: skip
        studies.append(study)
        return study

    file.write_text("0.5")
    opened(keep="leaves").evaluate({"lr": 0.1}, until=3)
    studies[0].close()
    file.write_text("0.25")
    yield opened
    for study in studies:
        study.close()


def test_what_evaluates_otherwise_in_another_process_is_refused_each_time(changed: Any, tmp_path: Path) -> None:
    study = changed()
    for _ in range(2):
        with pytest.raises(ExactnessError, match=r"says something else than the recorded one: 'loss' is"):
            study.evaluate({"lr": 0.1}, until=6)
    assert study.statistics().steps_executed == 3
    (tmp_path / "bias.txt").write_text("0.5")
    assert study.evaluate({"lr": 0.1}, until=6)["loss"]  # what is recorded is right, and is gone on from


def test_who_is_warned_may_go_on_with_what_evaluates_otherwise(changed: Any) -> None:
    study = changed(nondeterminism="warn")
    with pytest.warns(UserWarning, match="says something else than the recorded one"):
        study.evaluate({"lr": 0.1}, until=6)
    assert study.statistics().steps_executed == 6


def test_a_loaded_model_that_evaluates_otherwise_is_warned_of_with_both_values(changed: Any, tmp_path: Path) -> None:
    study = changed()
    recorded = study.trials[0].metrics["loss"]
    with pytest.warns(UserWarning, match=f"'loss' is {recorded - 0.25!r}.* and was {recorded!r}"):
        study.trials[0].load_model()
    (tmp_path / "bias.txt").write_text("0.5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.trials[0].load_model()


# ------------------------------------------------------------------------------------------- settings of the process


class Tensors(hippo.Trainer):
    """Draws one number in torch's default type, and says what it found."""

    def build(self) -> None:
        self.value = torch.randn(())

    def train(self) -> None:
        self.value = self.value * self.hp["lr"]

    def evaluate(self) -> dict[str, float]:
        return {"loss": self.value.item(), "bits": torch.finfo(self.value.dtype).bits}

    def state_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.value = state["value"]


class DoubleInInit(Tensors):
    def __init__(self) -> None:
        torch.set_default_dtype(torch.float64)


class DoubleInBuild(Tensors):
    def build(self) -> None:
        if self.hp["lr"] == 0.1:
            torch.set_default_dtype(torch.float64)
        super().build()


@pytest.mark.parametrize(
    ("trainer", "bits", "where"), [(DoubleInInit, [32, 32], r"__init__\(\)"), (DoubleInBuild, [64, 32], "its lane")]
)
def test_a_setting_of_one_trainer_stays_from_the_next(
    make_study: MakeStudy, trainer: Any, bits: list[int], where: str
) -> None:
    study, other = make_study(trainer), make_study(Tensors)
    with pytest.warns(UserWarning, match=f"changed after {where}: torch.set_default_dtype") as told:
        study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2))
    other.evaluate({"lr": 0.1}, until=2)
    assert [trial.metrics["bits"] for trial in study.trials] == bits
    assert dict(other.trials[0].history) == train_alone(Tensors, {"lr": 0.1}, until=2)
    assert torch.get_default_dtype() is torch.float32
    assert len([each for each in told if "left settings" in str(each.message)]) == 1


@pytest.fixture
def double() -> Iterator[Callable[[], None]]:
    """Have floats of 64 bits, until what is yielded is called."""
    torch.set_default_dtype(torch.float64)
    yield lambda: torch.set_default_dtype(torch.float32)
    torch.set_default_dtype(torch.float32)


def test_a_study_trains_with_the_floats_that_its_script_had_also_where_no_script_runs(
    make_study: MakeStudy, double: Callable[[], None]
) -> None:
    study = make_study(Tensors)
    double()  # as a worker begins
    study.evaluate({"lr": 0.1}, until=2)
    assert study.trials[0].metrics["bits"] == 64
    assert torch.get_default_dtype() is torch.float32


def test_floats_of_another_size_are_other_code_which_a_worker_need_not_have(double: Callable[[], None]) -> None:
    doubled = trainer_code(Tensors)
    double()
    code = trainer_code(Tensors)
    assert doubled.labels.keys() - code.labels.keys() == {"torch.set_default_dtype"}
    assert doubled.fingerprint != code.fingerprint
    assert doubled.parts == code.parts


def test_what_a_lane_has_set_is_in_no_fingerprint(double: Callable[[], None]) -> None:
    double()
    code = trainer_code(Tensors)
    with settings_kept(lambda changes: None):
        torch.set_default_dtype(torch.float64)
        assert trainer_code(Tensors) == code


def test_a_module_that_a_worker_imports_late_says_nothing_about_the_floats_of_its_first_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, double: Callable[[], None]
) -> None:
    imports = "import torch\nfrom hippo.testing.trainers import ToyTrainer\n"
    code = f"{imports}torch.set_default_dtype(torch.float64)\nclass Sets(ToyTrainer): ..."
    (tmp_path / "sets_floats.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    double()
    with floats_kept():  # as a script does that has other floats after its imports
        spec = ship("sets_floats:Sets", seed=0, evaluate_every=1, workload_key="w")
    for name in ("float32", "float16"):
        del sys.modules["sets_floats"]
        torch.set_default_dtype(getattr(torch, name))
        Trainers().load(spec)
        assert torch.get_default_dtype() is getattr(torch, name)
    del sys.modules["sets_floats"]


SAID: dict[str, Callable[[], Any]] = {
    "torch.set_float32_matmul_precision": lambda: torch.set_float32_matmul_precision("medium"),
    "torch.backends.cuda.matmul.fp32_precision": lambda: setattr(torch.backends.cuda.matmul, "allow_tf32", True),
    "torch.backends.mkldnn.matmul.fp32_precision": lambda: setattr(torch.backends, "fp32_precision", "tf32"),
    "torch.backends.cuda.matmul.allow_fp16_accumulation": lambda: setattr(
        torch.backends.cuda.matmul, "allow_fp16_accumulation", True
    ),
    "torch.backends.cudnn.conv.fp32_precision": lambda: setattr(torch.backends.cudnn.conv, "fp32_precision", "ieee"),
    "torch.backends.cudnn.rnn.fp32_precision": lambda: setattr(torch.backends.cudnn.rnn, "fp32_precision", "ieee"),
    "torch.backends.mkldnn.conv.fp32_precision": lambda: setattr(torch.backends.mkldnn, "fp32_precision", "bf16"),
    "torch.backends.mkldnn.rnn.fp32_precision": lambda: setattr(torch.backends.mkldnn.rnn, "fp32_precision", "tf32"),
    "torch.backends.cudnn.allow_tf32": lambda: setattr(torch.backends.cudnn, "allow_tf32", False),
    "torch.backends.cudnn.enabled": lambda: setattr(torch.backends.cudnn, "enabled", False),
    "torch.backends.mkldnn.enabled": lambda: setattr(torch.backends.mkldnn, "enabled", False),
    "torch.backends.cuda.sdp_kernel": lambda: torch.backends.cuda.enable_flash_sdp(False),
    "torch.set_flush_denormal": lambda: torch.set_flush_denormal(True),
}


@pytest.mark.parametrize("name", SAID)
def test_floats_are_computed_as_the_script_said_in_every_lane_and_nowhere_else(name: str) -> None:
    own = computed()
    with floats_kept():
        SAID[name]()
        wanted, floats = computed(), floats_of_script()
        with floats_as(TORCHS_OWN):  # of a study that was made before the script said so
            assert computed() == own
        assert computed() == wanted
    assert name in said_floats(floats)
    assert computed() == own
    with floats_as(floats):
        assert computed() == wanted
        assert floats_of_script() == floats
    assert computed() == own
    assert floats_of_script() == TORCHS_OWN


def computed() -> Values:
    """Return how torch computes now."""
    cudnn, mkldnn = torch.backends.cudnn, torch.backends.mkldnn
    switches = (cudnn, cudnn.conv, cudnn.rnn, mkldnn, mkldnn.conv, mkldnn.rnn, torch.backends.cuda.matmul)
    return {**settings_now(), "newer": [switch.fp32_precision for switch in switches]}


def test_floats_that_a_script_changes_after_its_study_was_made_are_told(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make_study(ToyTrainer)
    with floats_kept():
        torch.set_float32_matmul_precision("high")
        study.evaluate({"lr": 0.1}, until=1)
        said = capsys.readouterr().err
        study.evaluate({"lr": 0.1}, until=2)
        assert "has changed" not in capsys.readouterr().err
    assert "torch.set_float32_matmul_precision and torch.backends" in said
    assert "has changed since create_study; this study trains with what it was made with" in said


def test_a_model_is_loaded_with_the_floats_that_trained_it(tmp_path: Path, double: Callable[[], None]) -> None:
    place = {"storage": f"sqlite:///{tmp_path}/hippo.db", "engine": hippo.InlineEngine()}
    study = hippo.create_study(
        "s", trainer=Tensors, checkpoints=str(tmp_path / "states"), metric="loss", mode="min", **place
    )
    study.evaluate({"lr": 0.1}, until=2)
    study.close()
    double()
    loaded = hippo.load_study("s", storage=place["storage"], trainer=Tensors)
    with warnings.catch_warnings(), settings_kept(lambda changes: None):  # by a lane, whose trainer learns from it
        warnings.simplefilter("error")
        assert loaded.trials[0].load_model().value.dtype is torch.float64
    assert torch.get_default_dtype() is torch.float32
    loaded.close()


def test_a_study_made_before_floats_were_kept_goes_on_with_those_that_its_code_says_and_is_loaded_anyhow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wanted_study, "kept_of", without_floats)
    place = {"storage": f"sqlite:///{tmp_path}/hippo.db", "engine": hippo.InlineEngine()}
    study = hippo.create_study("s", trainer=ToyTrainer, checkpoints=str(tmp_path / "states"), metric="loss", **place)
    study.evaluate({"lr": 0.1}, until=2)
    study.close()
    with floats_kept(), warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.set_float32_matmul_precision("high")  # as the trainer's module may
        loaded = hippo.load_study("s", **place)
        loaded.trials[0].load_model()
        with pytest.raises(TrainerError, match=r"create_study begins a new generation \(torch.*matmul_precision"):
            loaded.evaluate({"lr": 0.1}, until=3)
        loaded.close()
    with contextlib.closing(hippo.load_study("s", **place)) as loaded:
        loaded.evaluate({"lr": 0.1}, until=3)


def without_floats(*given: Any) -> dict[str, Any]:
    kept = kept_of(*given)
    del kept["trainer"]["floats"]
    return kept


DOUBLE = """
    import torch
    import hippo

    torch.set_default_dtype(torch.float64)
    torch.set_float32_matmul_precision("high")

    class Doubles(hippo.Trainer):
        def build(self):
            self.value = torch.ones(())
        def train(self):
            pass
        def evaluate(self):
            return {"loss": self.value.element_size(), "high": torch.get_float32_matmul_precision() == "high"}
        def state_dict(self):
            return {"value": self.value}
        def load_state_dict(self, state):
            self.value = state["value"]

    study = hippo.create_study("doubles", trainer=Doubles, engine=hippo.LocalEngine(1), metric="loss", mode="min")
    print(study.evaluate({}, until=1))
"""


@pytest.mark.slow
def test_worker_processes_have_the_floats_of_the_script(tmp_path: Path) -> None:
    done = run(tmp_path, DOUBLE)
    assert done.stdout == "{'loss': 8, 'high': 1}\n", done.stderr


FLOATS_OF_ONE_THAT_IMPORTS_TORCH_LATE = """
    import hippo
    import torch as of_script

    of_script.set_float32_matmul_precision("high")

    class Late(hippo.Trainer):
        def build(self):
            import torch
            self.flags = torch.are_deterministic_algorithms_enabled() + torch.backends.cudnn.deterministic
        def train(self):
            pass
        def evaluate(self):
            return {"loss": self.flags}
        def state_dict(self):
            return {}
        def load_state_dict(self, state):
            pass

    study = hippo.create_study("late", trainer=Late, engine=hippo.LocalEngine(1), metric="loss", mode="min")
    print(study.evaluate({}, until=1))
"""


@pytest.mark.slow
def test_torch_that_a_worker_imports_for_the_floats_of_a_script_is_pinned_before_its_first_lane(tmp_path: Path) -> None:
    done = run(tmp_path, FLOATS_OF_ONE_THAT_IMPORTS_TORCH_LATE)
    assert done.stdout == "{'loss': 2}\n", done.stderr


IN_A_CONTAINER = """
    import torch
    from hippo.training.process.script_floats import floats_as, floats_of_script, said_floats

    with floats_as(floats_of_script()):
        print(repr(floats_of_script()), torch.get_float32_matmul_precision())
    torch.set_float32_matmul_precision("highest")
    print(said_floats(floats_of_script())["torch.set_float32_matmul_precision"])
"""


@pytest.mark.slow
def test_what_torch_begins_with_in_nvidias_containers_no_script_has_said(tmp_path: Path) -> None:
    done = run(tmp_path, IN_A_CONTAINER, TORCH_ALLOW_TF32_CUBLAS_OVERRIDE="1")
    assert done.stdout == "'' high\nhighest\n", done.stderr


def _set_everything(folder: str) -> None:
    import locale

    os.chdir(folder)
    os.environ["HIPPO_TEST_LEFT"] = "1"
    warnings.simplefilter("ignore")
    locale.setlocale(locale.LC_ALL, "C")
    np.seterr(divide="raise")
    torch.set_default_device("meta")
    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.allow_tf32 = not torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.benchmark = True
    torch.backends.mkldnn.enabled = False
    torch.backends.cuda.enable_math_sdp(False)
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.set_flush_denormal(True)
    torch.set_grad_enabled(False)
    torch.autograd.set_detect_anomaly(True)
    torch.set_num_threads(3)
    torch.use_deterministic_algorithms(False)


def test_every_setting_is_given_back(tmp_path: Path) -> None:
    from hippo.training.process.process_settings import ProcessSettings, settings_kept

    before, told = ProcessSettings(), list[str]()
    with settings_kept(told.extend):
        _set_everything(str(tmp_path))
    assert ProcessSettings()._values == before._values
    text = " ".join(told)
    for name in ("current folder", "HIPPO_TEST_LEFT", "seterr", "default_device", "matmul_precision", "allow_tf32"):
        assert name in text
    for name in ("mkldnn.enabled", "sdp_kernel (math)", "allow_bf16_reduced", "set_flush_denormal"):
        assert name in text
    for name in ("benchmark", "set_grad_enabled", "set_detect_anomaly", "set_num_threads"):
        assert name in text
    assert "filters" not in text


def test_what_torchs_compiler_says_in_the_environment_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from hippo.training.process.process_settings import settings_kept

    name, told = "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR", list[str]()
    monkeypatch.delenv(name, raising=False)
    with settings_kept(told.extend):
        os.environ[name] = "1"  # as a model of torch.compile does, when its first batch compiles it
    assert os.environ.pop(name) == "1"
    assert told == []


@pytest.mark.skipif(not hasattr(torch.backends, "fp32_precision"), reason="this torch has no newer switches for TF32")
@pytest.mark.parametrize("which", ["backends", "cuda", "mkldnn"])
def test_torchs_newer_switches_are_given_back_also_where_the_older_ones_know_nothing(which: str) -> None:
    from hippo.training.process.process_settings import ProcessSettings, settings_kept

    owner = {"backends": torch.backends, "cuda": torch.backends.cuda.matmul, "mkldnn": torch.backends.mkldnn.matmul}
    before, told = ProcessSettings(), list[str]()
    with settings_kept(told.extend):
        owner[which].fp32_precision = "tf32" if which != "mkldnn" else "bf16"  # type: ignore[attr-defined]
        with settings_kept(lambda _: None):  # which begins where torch knows no answer to older questions
            torch.set_grad_enabled(False)
    assert ProcessSettings()._values == before._values
    assert "matmul_precision" in " ".join(told)


def test_a_trainer_that_changes_the_folder_does_not_move_the_users_process(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    class Moving(ToyTrainer):
        def train(self) -> dict[str, float]:
            os.chdir(tmp_path)
            return super().train()

    before = os.getcwd()
    with pytest.warns(UserWarning, match="the current folder"):
        make_study(Moving).evaluate({"lr": 0.1}, until=2)
    assert os.getcwd() == before
