"""What decides about bits is described without loading it, and pinned without leaving a trace."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import torch

from hippo.training.process.environment import describe_environment, pinned


def flags() -> tuple[object, ...]:
    cudnn = torch.backends.cudnn
    return (
        torch.get_num_threads(),
        torch.are_deterministic_algorithms_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
        cudnn.deterministic,
        cudnn.benchmark,
    )


def test_flags_hold_within_and_are_given_back() -> None:
    before = flags()
    with pinned(1):
        assert flags() == (1, True, False, True, False)
    assert flags() == before


def test_flags_are_given_back_after_an_exception() -> None:
    before = flags()
    try:
        with pinned(1):
            raise ZeroDivisionError
    except ZeroDivisionError:
        assert flags() == before


def test_versions_are_told_without_importing_them() -> None:
    program = (
        "import sys; from hippo.training.process.environment import describe_environment as d; e = d(3); "
        "print(e['torch'], e['threads'], e['python'], 'torch' in sys.modules or 'numpy' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    release = importlib.metadata.version("torch")  # a build says more of itself: 2.13.0+cu130
    assert told == [release, "3", f"{sys.version_info.major}.{sys.version_info.minor}", "False"]


def test_every_field_is_text_and_none_is_empty() -> None:
    assert all(isinstance(value, str) and value for value in describe_environment(1).values())
