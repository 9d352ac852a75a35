"""What must work where only the wheel is installed: a study on SQLite, and errors that name the line to type."""

import contextlib
import importlib.metadata
import importlib.util
import random

import hippo


class Valley(hippo.Trainer):
    def build(self):
        self.weight = 5.0

    def train(self):
        self.weight -= self.hp["lr"] * (self.weight + random.gauss(0, 1))

    def evaluate(self):
        return {"loss": self.weight**2}

    def state_dict(self):
        return {"weight": self.weight}

    def load_state_dict(self, state):
        self.weight = state["weight"]


def says_what_to_type(extra, function):
    try:
        function()
    except hippo.HippoError as error:
        said = str(error)
    else:
        said = "nothing"
    assert f"pip install 'hippo-tune[{extra}]'" in said, f"without {extra} it says {said}"


assert importlib.metadata.version("hippo-tune") == hippo.__version__
assert importlib.util.find_spec("torch") is None, "this environment was meant to have no torch"
space = {"lr": [0.1, hippo.MultiStep(0.1, [4], 0.1), hippo.MultiStep(0.1, [6], 0.5)]}
for name, engine in {"valley": hippo.InlineEngine(), "valley in workers": hippo.LocalEngine(2)}.items():
    study = hippo.create_study(
        name, trainer=Valley, storage="sqlite:///hippo.db", metric="loss", mode="min", engine=engine
    )
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace(space), until=8))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE"] * 3
    assert name != "valley" or study.statistics().steps_executed == 4 + 4 + 2 + 2 + 2, study.statistics()
says_what_to_type("torch", lambda: hippo.TorchTrainer)
says_what_to_type("pandas", study.trials_dataframe)
says_what_to_type("tensorboard", lambda: hippo.TensorBoard("runs"))
with contextlib.suppress(ImportError):
    from hippo import TorchTrainer  # noqa: F401

    raise AssertionError("TorchTrainer came from nowhere")
