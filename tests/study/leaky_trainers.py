"""Trainers of a digits-size net, each with one leak: something that training depends on and no state brings back."""

from __future__ import annotations

import functools
import itertools
import os
import pickle
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

import hippo

PIXELS, CLASSES = 16, 3


@functools.cache
def images() -> torch.Tensor:
    return torch.randn(48, PIXELS, generator=torch.Generator().manual_seed(0))


@functools.cache
def labels() -> torch.Tensor:
    return torch.randint(CLASSES, (48,), generator=torch.Generator().manual_seed(1))


class Net(hippo.Trainer):
    """Leaks nothing: what the others are made of."""

    def build(self) -> None:
        self.model = nn.Sequential(nn.Linear(PIXELS, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, CLASSES))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.hp.get("lr", 0.1), momentum=0.9)
        self.scale = 1.0

    def batches(self) -> Iterator[torch.Tensor]:
        return iter(torch.randperm(48).split(16))

    def loss(self, batch: torch.Tensor) -> torch.Tensor:
        return self.scale * nn.functional.cross_entropy(self.model(images()[batch]), labels()[batch])

    def train(self) -> dict[str, float] | None:
        self.model.train()
        for batch in self.batches():
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            self.optimizer.step()
        return None

    def evaluate(self) -> dict[str, Any]:
        self.model.eval()
        with torch.no_grad():
            return {"loss": nn.functional.cross_entropy(self.model(images()), labels()).item()}

    def state_dict(self) -> dict[str, Any]:
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


# --------------------------------------------------------------------------------------------- attributes of its own


class Counter(Net):
    def build(self) -> None:
        super().build()
        self.steps = 0

    def train(self) -> None:
        self.steps += 1
        self.scale = 1 / self.steps
        super().train()


class TwoCounters(Net):
    """Forgets two things, each of which alone would be enough."""

    def build(self) -> None:
        super().build()
        self.one, self.other = 1.0, 1.0

    def train(self) -> None:
        self.one, self.other = self.one / 2, self.other / 3
        self.scale = self.one * self.other
        super().train()


class EitherCounter(Net):
    """Forgets two things of which one would do, and a third that does not matter."""

    def build(self) -> None:
        super().build()
        self.one, self.other, self.seen = 0, 0, 0

    def train(self) -> None:
        self.scale = 1 / (1 + max(self.one, self.other))
        self.one, self.other, self.seen = self.one + 1, self.other + 1, self.seen + 1
        super().train()


class Ema(Net):
    def build(self) -> None:
        super().build()
        self.ema = torch.optim.swa_utils.AveragedModel(self.model)

    def train(self) -> None:
        super().train()
        self.ema.update_parameters(self.model)

    def evaluate(self) -> dict[str, Any]:
        with torch.no_grad():
            return {"loss": nn.functional.cross_entropy(self.ema(images()), labels()).item()}


class Scheduler(Net):
    def build(self) -> None:
        super().build()
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 2, 0.5)

    def train(self) -> None:
        super().train()
        self.scheduler.step()


class RunningLoss(Net):
    def build(self) -> None:
        super().build()
        self.running = 0.0

    def train(self) -> dict[str, float]:
        super().train()
        self.running = 0.9 * self.running + 0.1
        return {"running": self.running}


class NoMomentum(Net):
    def state_dict(self) -> dict[str, Any]:
        return {"model": self.model.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])


class NotLoaded(Counter):
    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"steps": self.steps}


class Accumulates(Net):
    """Takes an optimizer step every second step only, and keeps gradients in between."""

    def build(self) -> None:
        super().build()
        self.calls = 0

    def train(self) -> None:
        self.model.train()
        self.loss(torch.arange(16)).backward()
        self.calls += 1
        if self.calls % 2 == 0:
            self.optimizer.step()
            self.optimizer.zero_grad()

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"calls": self.calls}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.calls = state["calls"]


class Teacher(Net):
    """From step 4 on, an earlier self is a teacher."""

    def build(self) -> None:
        super().build()
        self.past: list[torch.Tensor] = []

    def train(self) -> None:
        self.past.append(self.model[0].weight.detach().clone())  # type: ignore[union-attr,operator]
        super().train()
        if len(self.past) >= 4:
            with torch.no_grad():
                self.model[0].weight.lerp_(self.past[-4], 0.1)  # type: ignore[union-attr,operator]


class Frozen(Net):
    """Lets a layer learn from step 3 on."""

    def build(self) -> None:
        super().build()
        self.model[0].weight.requires_grad_(False)  # type: ignore[union-attr]

    def train(self) -> None:
        super().train()
        if self.optimizer.state_dict()["state"][1]["momentum_buffer"][0] != 0:
            self.model[0].weight.requires_grad_(True)  # type: ignore[union-attr]


# --------------------------------------------------------------------------------------------- generators, positions


class PythonGenerator(Net):
    def build(self) -> None:
        super().build()
        self.chance = random.Random(1)

    def train(self) -> None:
        self.scale = self.chance.random()
        super().train()


class NumpyGenerator(Net):
    def build(self) -> None:
        super().build()
        self.rng = np.random.default_rng(1)

    def train(self) -> None:
        self.scale = self.rng.random()
        super().train()


class NumpyRandomState(Net):
    def build(self) -> None:
        super().build()
        self.rng = np.random.RandomState(1)

    def train(self) -> None:
        self.scale = self.rng.rand()
        super().train()


class TorchGenerator(Net):
    def build(self) -> None:
        super().build()
        self.generator = torch.Generator().manual_seed(1)

    def batches(self) -> Iterator[torch.Tensor]:
        return iter(torch.randperm(48, generator=self.generator).split(16))


class DropoutGenerator(Net):
    """A dropout layer with a generator of its own."""

    def build(self) -> None:
        super().build()

        class OwnDropout(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.chance = torch.Generator().manual_seed(1)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x * (torch.rand(x.shape, generator=self.chance) > 0.5) if self.training else x

        self.model[2] = OwnDropout()  # type: ignore[operator]


class DataOrder(Net):
    """Goes on in an order of its own, across the ends of steps."""

    def build(self) -> None:
        super().build()
        self.order = itertools.cycle(range(48))

    def batches(self) -> Iterator[torch.Tensor]:
        return iter([torch.tensor(list(itertools.islice(self.order, 10)))])


class GeneratorFunction(Net):
    def build(self) -> None:
        super().build()

        def endless() -> Iterator[torch.Tensor]:
            start = 0
            while True:
                yield torch.arange(start, start + 8)
                start = (start + 8) % 40

        self.stream = endless()

    def batches(self) -> Iterator[torch.Tensor]:
        return iter([next(self.stream)])


# ------------------------------------------------------------------------------------------------ inside the model


class NotPersistent(Net):
    """Normalises by a running mean that the module's state_dict leaves out."""

    def build(self) -> None:
        super().build()

        class Center(nn.Module):
            mean: torch.Tensor

            def __init__(self) -> None:
                super().__init__()
                self.register_buffer("mean", torch.zeros(PIXELS), persistent=False)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                if self.training:
                    self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
                return x - self.mean

        self.model.insert(0, Center())  # type: ignore[operator]


class LazyHead(Net):
    """Adds a layer in its second step, which a new trainer does not have."""

    def build(self) -> None:
        super().build()
        self.calls = 0

    def train(self) -> None:
        super().train()
        self.calls += 1
        if self.calls == 2:
            self.model.append(nn.Linear(CLASSES, CLASSES))  # type: ignore[operator]
            self.optimizer.add_param_group({"params": list(self.model[-1].parameters())})  # type: ignore[index]


class TiedUntilLoaded(Net):
    """Two layers with one weight, until a state is loaded into one of them."""

    def build(self) -> None:
        super().build()
        self.model = nn.Sequential(nn.Linear(PIXELS, PIXELS), nn.Linear(PIXELS, PIXELS), nn.Linear(PIXELS, CLASSES))
        self.model[1].weight = self.model[0].weight  # type: ignore[union-attr]
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.model[1].weight = nn.Parameter(state["model"]["1.weight"])  # type: ignore[union-attr]
        super().load_state_dict({**state, "optimizer": self.optimizer.state_dict()})


class KeepsEvalMode(Net):
    """Evaluates without dropout, and goes on like that."""

    def train(self) -> None:
        for batch in self.batches():
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            self.optimizer.step()


# ----------------------------------------------------------------------------------- outside of the trainer's object


class ClassAttribute(Net):
    count = 0

    def train(self) -> None:
        ClassAttribute.count += 1
        self.scale = 1 / ClassAttribute.count
        super().train()


CACHE: dict[int, float] = {}


class ModuleCache(Net):
    def train(self) -> None:
        CACHE[len(CACHE)] = 1.0
        self.scale = 1 / len(CACHE)
        super().train()


def _counting() -> Callable[[], int]:
    count = 0

    def counted() -> int:
        nonlocal count
        count += 1
        return count

    return counted


counted = _counting()


class Closure(Net):
    def train(self) -> None:
        self.scale = 1 / counted()
        super().train()


class InInit(Net):
    """Makes everything in `__init__`, where many do."""

    def __init__(self) -> None:
        super().build()

    def build(self) -> None:
        pass


class WeightsInInit(Net):
    """Changes in place, step by step, what `__init__` made and all trials of a process share."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.ones(CLASSES)

    def train(self) -> None:
        self.scale = 1 / self.weights.sum().item()
        self.weights += 0.1
        super().train()


class DatasetCounts(hippo.TorchTrainer):
    """Augments a sample by how often the data set was asked."""

    def make_model(self) -> nn.Module:
        return nn.Linear(PIXELS, CLASSES)

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return torch.optim.SGD(params, lr=0.1)

    def train_set(self) -> Any:
        class Counting(Dataset[Any]):
            def __init__(self) -> None:
                self.asked = 0

            def __len__(self) -> int:
                return 48

            def __getitem__(self, index: int) -> Any:
                self.asked += 1
                return images()[index] * (1 + self.asked % 7), labels()[index]

        return Counting()

    def val_set(self) -> Any:
        return torch.utils.data.TensorDataset(images(), labels())

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])


class DatasetCaches(DatasetCounts):
    """Keeps what it has augmented once."""

    def train_set(self) -> Any:
        class Caching(Dataset[Any]):
            def __init__(self) -> None:
                self.seen: dict[int, Any] = {}

            def __len__(self) -> int:
                return 48

            def __getitem__(self, index: int) -> Any:
                if index not in self.seen:
                    self.seen[index] = images()[index] + torch.rand(PIXELS)
                return self.seen[index], labels()[index]

        return Caching()


# --------------------------------------------------------------------------------------------------- the process


class DefaultType(Net):
    """Computes in double precision from the second step on."""

    def train(self) -> None:
        noise = torch.rand(())
        self.scale = 1.0 + noise.item() * 1e-3
        super().train()
        torch.set_default_dtype(torch.float64)

    def evaluate(self) -> dict[str, Any]:
        return super().evaluate()


class ChangesFolder(Net):
    def train(self) -> None:
        self.scale = 0.5 if os.getcwd() == "/" else 1.0
        super().train()
        os.chdir("/")


class SetsVariable(Net):
    def train(self) -> None:
        self.scale = 1 / (1 + int(os.environ.get("MY_STEPS", "0")))
        super().train()
        os.environ["MY_STEPS"] = str(int(os.environ.get("MY_STEPS", "0")) + 1)


class Threads(Net):
    def build(self) -> None:
        super().build()
        torch.set_num_threads(2)


class ReadsFolder(Net):
    def build(self) -> None:
        super().build()
        self.folder = os.getcwd()
        self.scale = 1 / len(self.folder)


class ReadsVariable(Net):
    def build(self) -> None:
        super().build()
        self.rank = int(os.environ.get("RANK", "0"))
        self.scale = 1 / (1 + self.rank)


class Clock(Net):
    def build(self) -> None:
        super().build()
        self.begun = time.time()
        self.scale = 1 + self.begun % 1


class Estimator:
    """Holds a name that equals an attribute's: one object until it comes out of a pickle, and two from then on."""

    def __init__(self) -> None:
        self.kind = "kind"
        self.chance: Any = None


class Pickled(Net):
    """Keeps an object as a pickle, whose bytes are others after loading."""

    def build(self) -> None:
        super().build()
        self.estimator = Estimator()

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"estimator": pickle.dumps(self.estimator)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.estimator = pickle.loads(state["estimator"])


class PickledGenerator(Pickled):
    """Keeps numpy's global generator, as estimators without a random_state do, until it is a copy."""

    def build(self) -> None:
        super().build()
        self.estimator.chance = np.random.mtrand._rand

    def train(self) -> None:
        self.scale = 1 + self.estimator.chance.random()
        super().train()


class Entropy(Net):
    def train(self) -> None:
        self.scale = 1 + os.urandom(1)[0] / 256
        super().train()


class MeasuredTime(Net):
    def train(self) -> dict[str, float]:
        begun = time.perf_counter()
        super().train()
        return {"seconds": time.perf_counter() - begun}


class SetOrder(Net):
    def build(self) -> None:
        super().build()
        words = {f"word{i}" for i in range(20)}
        self.vocabulary = {word: i for i, word in enumerate(words)}
        self.scale = 1 / (1 + self.vocabulary["word3"])


# ------------------------------------------------------------------------------------------------ methods that leak


class EvaluateDraws(PythonGenerator):
    """Draws in `evaluate` from a generator that is saved."""

    def evaluate(self) -> dict[str, Any]:
        self.chance.random()
        return super().evaluate()

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"chance": self.chance.getstate()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.chance.setstate(state["chance"])


class EvaluateSteps(Net):
    """Halves what it learns from when an evaluation is not the best one."""

    def build(self) -> None:
        super().build()
        self.plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, "max", patience=0, factor=0.5)

    def evaluate(self) -> dict[str, Any]:
        metrics = super().evaluate()
        self.plateau.step(metrics["loss"])
        return metrics


class Best(Net):
    """Returns the best loss so far, which it keeps in `evaluate`."""

    def build(self) -> None:
        super().build()
        self.best, self.steps = float("-inf"), 0

    def evaluate(self) -> dict[str, Any]:
        self.best = max(self.best, super().evaluate()["loss"])
        return {"loss": self.best}


class StateDictCounts(Net):
    """Does something when it is saved."""

    def build(self) -> None:
        super().build()
        self.saved = 0

    def state_dict(self) -> dict[str, Any]:
        self.saved += 1
        self.scale = 1 / self.saved
        return super().state_dict()


class SetupRepeats(Net):
    """Is not idempotent: it makes weights smaller each time."""

    def setup(self, hp: Any) -> None:
        with torch.no_grad():
            self.model[0].weight.mul_(0.5)  # type: ignore[union-attr,operator]


class ChangesHparams(Net):
    """Takes from a list of hyper-parameters what it has used."""

    def train(self) -> None:
        sizes = self.hp["sizes"]
        self.scale = 1 / (1 + sizes[0])
        sizes.append(sizes.pop(0))
        super().train()


class KeepsGiven(Net):
    """Returns its live list, and takes over the one it is given: harmless, since hippo copies both ways."""

    def build(self) -> None:
        super().build()
        self.losses: list[float] = []

    def train(self) -> None:
        self.losses.append(1.0)
        self.scale = 1 / len(self.losses)
        super().train()

    def state_dict(self) -> dict[str, Any]:
        return super().state_dict() | {"losses": self.losses, "again": self.losses}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.losses = state["losses"]


class LateImport(Net):
    """Draws from a library that it imports in a method: harmless, since it is seeded whenever it comes."""

    def train(self) -> None:
        import numpy.random as late

        self.scale = 1 + late.random()
        super().train()
