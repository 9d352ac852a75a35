"""What can be told of a class of `TorchTrainer` without torch: whether it is one, and what it leaves as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.errors import TrainerError

_TORCH_TRAINER = ("hippo.training.torch_trainer", "TorchTrainer")


def torch_base(cls: type) -> type | None:
    """Return `TorchTrainer`, if a class derives from it."""
    return next((base for base in cls.__mro__ if (base.__module__, base.__name__) == _TORCH_TRAINER), None)


def require_left(cls: type, base: Any, left: Mapping[str, str], *, so_that: str, instead: str) -> None:
    """Refuse a class that overrides methods which have to be the usual ones.

    Args:
      base: the class whose methods are the usual ones.
      left: name of such a method -> what another one does.
      so_that: what comes of that.
      instead: what to do where it is wanted.

    Raises:
      TrainerError: names the first, and what it does.
    """
    for method, why in left.items():
        if getattr(cls, method) is not getattr(base, method):
            owner = next(each for each in cls.__mro__ if method in vars(each))
            is_ours = owner.__module__.partition(".")[0] == "hippo"  # such as an integration's: nobody wrote it here
            leave = f"Derive {cls.__name__} from TorchTrainer itself" if is_ours else "Leave it to TorchTrainer"
            raise TrainerError(f"{owner.__name__}.{method}() {why}, so that {so_that}. {leave}, or {instead}.")


def refuse_scaled_losses(owner: Any, name: str, option: str) -> None:
    """Refuse a trainer, or its class, that scales its losses by what earlier ones came to.

    Args:
      owner: it.
      name: the class's.
      option: what that does not go with.

    Raises:
      TrainerError: it does.
    """
    if getattr(owner, "precision", None) == "fp16":
        raise TrainerError(
            f"{name}.precision = 'fp16' scales losses by what earlier batches came to, which does not go with "
            f"{option}; use precision = 'bf16'"
        )
