"""How torch computes with floats where a study is made, which holds wherever it is trained.

A worker runs no script, so that it computes as torch begins where a script has said otherwise. This module refuses to
know who sends that to whom.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from hippo.training.process.process_settings import DEFAULT_DTYPE, Setting, torch_settings, value_before
from hippo.training.process.streams import loaded

#: as torch begins, as text
TORCHS_OWN = ""
#: of the script that made a study, while another process, or a lane, finds that study's trainer
_RECORDED: ContextVar[str | None] = ContextVar("_RECORDED", default=None)
#: setting -> what torch begins with, in the order in which they are set: the older ones change the newer
_BEGINNINGS: Mapping[str, Any] = {
    DEFAULT_DTYPE: "float32",
    "torch.set_float32_matmul_precision": "highest",
    "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction": True,
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": True,
    "torch.backends.cuda.matmul.allow_fp16_accumulation": False,
    "torch.backends.cuda.sdp_kernel": {"flash": True, "mem_efficient": True, "math": True, "cudnn": True},
    "torch.backends.mkldnn.enabled": True,
    "torch.set_flush_denormal": False,
    "torch.backends.cudnn.allow_tf32": True,
    "torch.backends.cudnn.enabled": True,
    "torch.backends.fp32_precision": "none",
    "torch.backends.cuda.matmul.fp32_precision": "none",
    "torch.backends.mkldnn.matmul.fp32_precision": "none",
    "torch.backends.cudnn.conv.fp32_precision": "tf32",
    "torch.backends.cudnn.rnn.fp32_precision": "tf32",
    "torch.backends.mkldnn.conv.fp32_precision": "none",
    "torch.backends.mkldnn.rnn.fp32_precision": "none",
}
#: what it begins with where this variable is "1", as in NVIDIA's containers: no script has said so
_ALLOWS_TF32 = "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"
_WITH_TF32 = {"torch.set_float32_matmul_precision": "high", "torch.backends.cuda.matmul.fp32_precision": "tf32"}


def floats_of_script() -> str:
    """Return how torch computes with floats in this process, as text; not what a lane of now has set."""
    if (recorded := _RECORDED.get()) is not None:
        return recorded
    if loaded("torch") is None:
        return TORCHS_OWN
    floats = json.dumps({name: _plain(value_before(name, setting)) for name, setting in _settings().items()})
    return floats if said_floats(floats) else TORCHS_OWN


def said_floats(floats: str) -> dict[str, str]:
    """Return setting -> what a script has set it to, of those that torch begins otherwise."""
    # None: of the older and newer switches of torch, those that it refuses to read beside the others
    own = _beginnings()
    said = {name: now for name, now in _values(floats).items() if now is not None and now != own.get(name)}
    return {name: now if isinstance(now, str) else json.dumps(now) for name, now in said.items()}


@contextmanager
def floats_as(floats: str) -> Iterator[None]:
    """Let torch compute in the block as `floats_of_script` said."""
    if floats == TORCHS_OWN and loaded("torch") is None:
        yield
        return
    import torch  # noqa: F401

    settings, wanted = _settings(), _wanted(floats)
    before = {name: setting.get() for name, setting in settings.items()}
    if before == wanted:
        yield
        return
    _put(settings, wanted)
    try:
        yield
    finally:
        _put(settings, before)


@contextmanager
def floats_recorded(floats: str) -> Iterator[None]:
    """Take these in the block for those of the script. Torch computes on as it does: others may train meanwhile."""
    token = _RECORDED.set(floats)
    try:
        yield
    finally:
        _RECORDED.reset(token)


@contextmanager
def floats_kept() -> Iterator[None]:
    """Import in the block what may say how torch computes: here that has been said already."""
    before = None if loaded("torch") is None else {name: setting.get() for name, setting in _settings().items()}
    yield
    if loaded("torch") is not None:
        _put(_settings(), _wanted(TORCHS_OWN) if before is None else before)


def _put(settings: Mapping[str, Setting], values: Mapping[str, Any]) -> None:
    for name, setting in settings.items():
        if setting.get() != values[name]:
            setting.put(values[name])


@functools.lru_cache(maxsize=1)  # asked for each lane, and a lane may be one step
def _settings() -> dict[str, Setting]:
    known = torch_settings(sys.modules["torch"])
    # an older torch has no newer switches
    newer = (".fp32_precision", ".allow_fp16_accumulation")
    missing = {name for name in _BEGINNINGS if name.endswith(newer) and known[name].get() is None}
    return {name: known[name] for name in _BEGINNINGS if name not in missing}


@functools.lru_cache(maxsize=8)
def _wanted(floats: str) -> dict[str, Any]:
    values = {**_beginnings(), **_values(floats)}
    values[DEFAULT_DTYPE] = getattr(sys.modules["torch"], values[DEFAULT_DTYPE])
    return {name: values[name] for name in _settings()}


def _beginnings() -> dict[str, Any]:
    return {**_BEGINNINGS, **(_WITH_TF32 if os.environ.get(_ALLOWS_TF32) == "1" else {})}


def _values(floats: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(floats) if floats else {}
    return values


def _plain(value: Any) -> Any:
    """Return a value as JSON holds it."""
    return value if value is None or isinstance(value, bool | str | dict) else str(value).removeprefix("torch.")
