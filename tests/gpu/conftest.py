"""Tests that need a CUDA device; without one they are skipped. Run them with `pytest tests/gpu`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import torch

from hippo.training.process.environment import pinned


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.is_available():
        return
    skip = pytest.mark.skip(reason="needs a CUDA device")
    for item in items:
        if item.path.parent.name == "gpu":
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def deterministic() -> Iterator[None]:
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    with pinned(1):
        yield
