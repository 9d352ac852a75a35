"""Hooks of parameters, called once with the gradient of a batch where that is put together of parts.

Torch calls them in each backward pass, where the gradient of a part is not yet what a hook is meant for: one that clips
would clip each part. This module refuses to know who computes parts, and how they are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import torch

Hooks = MutableMapping[int, Callable[..., Any]]


@contextmanager
def hooks_held_back(parameters: Iterable[torch.Tensor]) -> Iterator[None]:
    """Call no hooks of these parameters with gradients that are computed in the block."""
    held = [(hooks, dict(hooks)) for each in parameters for hooks in (_with_gradient(each), _with_sum(each)) if hooks]
    for hooks, _ in held:
        hooks.clear()  # set to None, torch would go on calling some of them
    try:
        yield
    finally:
        for hooks, own in held:
            hooks.update(own)


@torch.no_grad()
def hooked(parameter: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """Return what a parameter's hooks make of its gradient."""
    for hook in list(_with_gradient(parameter).values()):
        found = hook(gradient)
        gradient = gradient if found is None else found
    return gradient


@torch.no_grad()
def call_after_sum(parameter: torch.Tensor) -> None:
    """Call the hooks that look at a parameter once its gradient was added to what it has."""
    for hook in list(_with_sum(parameter).values()):
        hook(parameter)


def has_hooks(parameter: torch.Tensor) -> bool:
    """Tell whether anything is called with a parameter's gradient."""
    return bool(_with_gradient(parameter) or _with_sum(parameter))


def _with_gradient(parameter: torch.Tensor) -> Hooks:
    return parameter._backward_hooks or {}


def _with_sum(parameter: torch.Tensor) -> Hooks:
    return getattr(parameter, "_post_accumulate_grad_hooks", None) or {}
