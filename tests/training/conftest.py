"""What tests of training share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Have torch compute with one thread, whatever ran in this process before: bits depend on it."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def compiler_loaded() -> None:
    """Make this process's first optimizer, which loads the compiler and with it changes settings of the process."""
    torch.optim.SGD([torch.zeros(1)], lr=0.0)
