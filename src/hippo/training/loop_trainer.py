"""A user's own training loop as a trainer: four functions around an object that is the whole state.

This module refuses to know what the state is made of; a checkpoint can hold what `Trainer.state_dict` may return.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from hippo.errors import TrainerError
from hippo.training.trainer import Trainer


class LoopedTrainer(Trainer):
    """Runs a loop of a user's. Made by `hippo.LoopTrainer`; `trainer_args` go to `make_state` by name."""

    make_state: ClassVar[Callable[..., Any]]
    train_step: ClassVar[Callable[..., Any]]
    evaluate_state: ClassVar[Callable[..., Mapping[str, Any]]]
    copy_state: ClassVar[Callable[..., Any]]

    def __init__(self, **arguments: Any) -> None:
        self.arguments = arguments

    def build(self) -> None:
        self._state = self.make_state(**self.arguments)
        self._loop: Iterator[Any] | None = None

    def train(self) -> Mapping[str, Any]:
        told = self._next() if inspect.isgeneratorfunction(self.train_step) else self.train_step(self._state, self.hp)
        return told if isinstance(told, Mapping) else {"loss": told}

    def evaluate(self) -> Mapping[str, Any]:
        return self.evaluate_state(self._state)

    def state_dict(self) -> dict[str, Any]:
        return {"state": self.copy_state(self._state)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._state = self.copy_state(state["state"])
        self._loop = None  # locals of a generator cannot be forked: each fork begins its loop anew, on its own state

    def close(self) -> None:
        self._loop = None

    def _next(self) -> Any:
        if self._loop is None:
            self._loop = self.train_step(self._state, ValuesInForce(self))
        try:
            return next(self._loop)
        except StopIteration:
            raise TrainerError(
                f"{type(self).__name__}() ended, and a loop is asked for one step more as often as a tuner likes; let "
                "it yield without end, and begin the next epoch by itself"
            ) from None


class ValuesInForce(Mapping[str, Any]):
    """The values in force at the moment when one looks: a generator is handed them once, and they change.

    Args:
      trainer: whose values.
    """

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer

    def __getitem__(self, name: str) -> Any:
        return self._trainer.hp[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._trainer.hp)

    def __len__(self) -> int:
        return len(self._trainer.hp)


def LoopTrainer(
    make_state: Callable[..., Any],
    train: Callable[[Any, Mapping[str, Any]], Any],
    evaluate: Callable[[Any], Mapping[str, Any]],
    copy_state: Callable[[Any], Any] = copy.deepcopy,
) -> type[Trainer]:
    """Return a trainer that runs a loop, for `hippo.create_study(trainer=...)`.

    All that a later step depends on must be in the state: weights, buffers of the optimizer, the position in the data,
    generators of chance that are not the global ones. Locals of a generator are not: whoever goes on from a checkpoint
    begins the generator anew on a copy of the state. `hippo check` finds what was forgotten.

    Args:
      make_state: makes the first state; takes `trainer_args` by name.
      train: `train(state, hp)` changes the state by one step and returns its loss, or metrics by name; or a generator
        function of the same arguments that yields them, step by step, without end. `hp` are the values in force,
        always those of the present step.
      evaluate: returns metrics of a state, and leaves it alone.
      copy_state: returns a state that shares nothing with another one and that a checkpoint can hold: numbers,
        strings, lists, dictionaries, arrays, tensors.

    Raises:
      TrainerError: one of them is no function.
    """
    given: dict[str, Any] = {"make_state": make_state, "train": train, "evaluate": evaluate, "copy_state": copy_state}
    for name, function in given.items():
        if not callable(function) or isinstance(function, type):
            raise TrainerError(f"{name} must be a function, not {function!r}")
    if not inspect.isfunction(train):
        raise TrainerError(
            f"train must be a function or a generator function, not {train!r}; write def train(state, hp)"
        )
    members = {
        "__module__": train.__module__,
        "__qualname__": train.__name__.strip("<>"),
        "__doc__": train.__doc__,
        "make_state": staticmethod(make_state),
        "train_step": staticmethod(train),
        "evaluate_state": staticmethod(evaluate),
        "copy_state": staticmethod(copy_state),
    }
    return type(train.__name__.strip("<>"), (LoopedTrainer,), members)
