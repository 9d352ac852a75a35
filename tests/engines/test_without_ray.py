"""Where Ray is not installed, what needs it says what to type."""

from __future__ import annotations

import sys

import pytest

import hippo
from hippo.errors import EngineError, TrainerError
from hippo.ps import RayTransport


@pytest.fixture(autouse=True)
def without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)


def test_an_engine_of_a_cluster_says_what_to_type() -> None:
    with pytest.raises(EngineError, match=r"RayEngine needs Ray.*pip install 'hippo-tune\[ray\]'"):
        hippo.RayEngine()


def test_a_parameter_server_on_a_cluster_says_what_to_type() -> None:
    with pytest.raises(TrainerError, match=r"RayTransport needs Ray.*pip install 'hippo-tune\[ray\]'"):
        RayTransport()
