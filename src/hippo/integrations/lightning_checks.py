"""What Lightning's modules and loaders ask for in vain: refused by name, before anything is trained.

Lightning is not imported here; whoever has a module has it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler

from hippo.errors import TrainerError

_LONG = "How long trials train is said to the tuner, as in GridSearch(space, until=10)."
_OFTEN = "How often trials are evaluated is said to create_study(), by evaluate_every."
_FEW = "All samples count: let make_data() make a data set of fewer."
_WHERE = "Where to train is said by device, and on how many of them by create_study(engine=...)."
_OF_MODULE = "It is a method of the module that make_module() returns."
_OF_DATA = "It is a method of the data module that make_data() returns."
#: what Lightning is told by its Trainer, and what may be written into the wrong class
SAID_OTHERWISE: Mapping[str, str] = {
    "gradient_clip_val": "The largest norm of gradients is clip_norm.",
    "gradient_clip_algorithm": "Gradients are clipped by their norm, to clip_norm; update(loss) may do otherwise.",
    "accumulate_grad_batches": "How many batches make one step of the optimizer is accumulate.",
    **dict.fromkeys(("max_epochs", "max_steps", "max_time"), _LONG),
    **dict.fromkeys(("val_check_interval", "check_val_every_n_epoch"), _OFTEN),
    **dict.fromkeys(("limit_train_batches", "limit_val_batches", "overfit_batches", "fast_dev_run"), _FEW),
    **dict.fromkeys(("accelerator", "strategy", "num_nodes"), _WHERE),
    "callbacks": "Who listens is said to create_study(), by callbacks.",
    **dict.fromkeys(("training_step", "validation_step", "configure_optimizers"), _OF_MODULE),
    **dict.fromkeys(("train_dataloader", "val_dataloader"), _OF_DATA),
}


def checked_module(made: Any, kind: str, called: set[str]) -> Any:
    """Return a module, if nothing of what it defines would be left out.

    Args:
      made: the module.
      kind: its class in Lightning.
      called: the methods that are called as Lightning calls them.

    Raises:
      TrainerError: it is no such module, or defines a method that would never be called.
    """
    packages = [sys.modules[name] for name in ("lightning.pytorch", "pytorch_lightning") if name in sys.modules]
    base = next((base for package in packages if isinstance(made, base := getattr(package, kind))), None)
    if base is None:
        raise TrainerError(f"{made!r} was made, which is no {kind} of Lightning's")
    hooks = {name for name in dir(base) if callable(getattr(base, name)) and not name.startswith("_")}
    if issubclass(base, torch.nn.Module):
        hooks -= set(dir(torch.nn.Module))
    for name in sorted(hooks - called):
        is_own = next((cls not in base.__mro__ for cls in type(made).__mro__ if name in vars(cls)), False)
        if is_own and "test" not in name and "predict" not in name:
            raise TrainerError(
                f"{type(made).__name__}.{name}() would never be called: hippo cuts training at any step, and there is "
                f"no loop of Lightning's. Of its methods it calls {', '.join(sorted(called))}; leave {name}() out."
            )
    return made


def check_loaders(name: str, train: Any, val: Any, *, own_order: bool) -> None:
    """Refuse loaders that do what hippo would not do.

    Raises:
      TrainerError: says what, and what to do instead.
    """
    for which, loader, orders in (("train", train, (RandomSampler,)), ("val", val, (SequentialSampler, RandomSampler))):
        said = f"{name}.{which}_dataloader()"
        if not isinstance(loader, DataLoader):
            raise TrainerError(f"{said} returned {loader!r}; it has to be one torch DataLoader")
        dataset: Any = loader.dataset
        is_stream = isinstance(dataset, torch.utils.data.IterableDataset)
        if loader.batch_size is None or loader.worker_init_fn is not None:
            raise TrainerError(f"{said} has batches or workers of its own making, by a batch_sampler or worker_init_fn")
        if loader.drop_last:
            raise TrainerError(
                f"{said} has drop_last=True; here all samples count. Leave it out; samples_per_step = 64 * 100 on the "
                "trainer makes steps of 100 whole batches of 64, say."
            )
        if is_stream or (own_order and which == "train"):
            continue
        sampler: Any = loader.sampler
        number = len(dataset)
        advice = (
            "training goes through all of them in an order of hippo's (shuffle=True), or define sampler(epoch) on the "
            "trainer"
            if which == "train"
            else "an evaluation goes through all of them: leave the sampler out, or let the data set have fewer"
        )
        if not isinstance(sampler, orders):
            raise TrainerError(f"{said} takes samples by a {type(sampler).__name__}; {advice}")
        if getattr(sampler, "replacement", False) or len(sampler) != number:
            way = "with replacement" if getattr(sampler, "replacement", False) else "each at most once"
            raise TrainerError(f"{said} draws {len(sampler)} samples of {number}, {way}; {advice}")
    if train.collate_fn != val.collate_fn:
        raise TrainerError(f"{name} puts samples together in two ways; give training and validation one collate_fn")


def call_step(step: Callable[..., Any], batch: Any, index: int) -> Any:
    """Call a step with the arguments that it takes, as Lightning does."""
    taken = inspect.signature(step).parameters
    if "dataloader_idx" in taken:
        raise TrainerError(f"{step.__qualname__}() takes a dataloader_idx, but there is one loader")
    return step(batch, index) if len(taken) > 1 else step(batch)
