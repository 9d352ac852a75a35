"""Freed memory goes back to the system while parameters lie in pieces."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import psutil
import pytest
import torch

from hippo.training.elastic.freed_memory import give_back_at_once

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is glibc's to keep")

LARGE = 4 << 20
COUNT = 96  # so many that what other threads of this process take meanwhile is little beside it


@pytest.fixture
def at_once() -> Iterator[None]:
    torch.ones(16 << 20, dtype=torch.uint8)  # once it is freed, glibc takes smaller blocks from its heap
    give_back_at_once(True)
    yield
    give_back_at_once(False)


@pytest.mark.usefixtures("at_once")
def test_holes_between_blocks_that_are_still_used_are_given_back() -> None:
    blocks = [torch.ones(LARGE, dtype=torch.uint8) for _ in range(COUNT)]
    before = psutil.Process().memory_info().rss

    blocks = blocks[::2]

    assert before - psutil.Process().memory_info().rss >= 0.9 * COUNT // 2 * LARGE
    assert len(blocks) == COUNT // 2
