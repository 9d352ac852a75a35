"""Chance and names of accelerators, on machines that have none: stand-ins for what torch offers."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from hippo.training.process import environment, streams


class Device:
    """What `torch.cuda` and `torch.xpu` do: seeds given before the start wait for it, and only the last one counts."""

    def __init__(self) -> None:
        self.is_started = False
        self.waiting: int | None = None
        self.seed: int | None = None
        self.drawn = 0

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return self.is_started

    def manual_seed_all(self, seed: int) -> None:
        if self.is_started:
            self.seed, self.drawn = seed, 0
        else:
            self.waiting = seed

    def get_rng_state_all(self) -> Any:
        assert self.is_started
        return self.seed, self.drawn

    def set_rng_state_all(self, state: Any) -> None:
        self.seed, self.drawn = state

    def draw(self) -> tuple[int | None, int]:
        if not self.is_started:
            self.is_started, self.seed, self.drawn = True, self.waiting, 0
        self.drawn += 1
        return self.seed, self.drawn


class Apple:
    """What `torch.mps` does: there is one device, and it is always up."""

    def __init__(self) -> None:
        self.state = 0

    def is_available(self) -> bool:
        return True

    def manual_seed(self, seed: int) -> None:
        self.state = seed

    def get_rng_state(self) -> int:
        return self.state

    def set_rng_state(self, state: int) -> None:
        self.state = state


@pytest.fixture(params=["cuda", "xpu"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    stand_in = Device()
    monkeypatch.setattr(torch, request.param, stand_in)
    streams._devices_of.cache_clear()
    yield stand_in
    streams.forget_seed()
    streams._devices_of.cache_clear()


BUILD = streams.stream_seed(0, "build", 0)


def test_a_device_that_nobody_used_yet_begins_with_the_seed_of_the_call_and_not_of_a_fence(device: Device) -> None:
    streams.seed_everything(0, "build", 0)
    with streams.fence():
        streams.seed_everything(0, "val_set", 0)
    assert device.draw() == (BUILD, 1)


def test_a_device_that_starts_inside_a_fence_gets_the_seed_of_the_call_after_it(device: Device) -> None:
    streams.seed_everything(0, "build", 0)
    with streams.fence():
        streams.seed_everything(0, "train_set", 0)
        assert device.draw() == (streams.stream_seed(0, "train_set", 0), 1)
    assert device.draw() == (BUILD, 1)


def test_a_device_under_way_gets_its_state_back(device: Device) -> None:
    streams.seed_everything(0, "build", 0)
    device.draw()
    with streams.fence():
        streams.seed_everything(0, "val_set", 0)
        device.draw()
    assert device.draw() == (BUILD, 2)


def test_seeds_of_samples_leave_devices_alone(device: Device) -> None:
    streams.seed_everything(0, "train", 0)
    device.draw()
    streams.seed_generators(7, devices=False)
    assert device.draw() == (streams.stream_seed(0, "train", 0), 2)


def test_a_fence_without_a_seed_in_force_seeds_nothing(device: Device) -> None:
    streams.forget_seed()
    with streams.fence():
        device.draw()
    assert device.draw() == (None, 2)


def test_mps_is_seeded_and_fenced(monkeypatch: pytest.MonkeyPatch) -> None:
    apple = Apple()
    monkeypatch.setattr(torch, "mps", apple)
    monkeypatch.setattr(torch.backends, "mps", apple)
    streams._devices_of.cache_clear()
    streams.seed_everything(0, "build", 0)
    assert apple.state == BUILD
    with streams.fence():
        streams.seed_everything(0, "val_set", 0)
    assert apple.state == BUILD
    streams.forget_seed()
    streams._devices_of.cache_clear()


# ----------------------------------------------------------------------------------------------- names, under way


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """CUDA is under way, and sees two unlike devices."""
    names = ["small", "large"]

    def name(index: int) -> str:
        if not isinstance(index, int):
            raise RuntimeError(f"Invalid device string: {index!r}")
        return names[index]

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_name", name)
    uuids = ["aaaa-1", "bbbb-2"]
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: SimpleNamespace(uuid=uuids[index]))
    environment._gpu_model.cache_clear()
    yield
    environment._gpu_model.cache_clear()


@pytest.mark.parametrize(
    ("visible", "device", "model"),
    [
        (None, "cuda:GPU-bbbb-2", "large"),
        (None, "cuda:1", "large"),
        (None, "cuda", "small"),
        ("3,5", "cuda:5", "large"),
        ("3,5", "cuda:3", "small"),
        ("GPU-bb", "cuda:GPU-bb", "small"),
    ],
)
def test_a_device_is_named_also_while_cuda_is_under_way(
    two_gpus: None, monkeypatch: pytest.MonkeyPatch, visible: str | None, device: str, model: str
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert environment.describe_environment(1, device)["device"] == model


def test_an_inline_engine_says_its_environment_while_cuda_is_under_way(
    two_gpus: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hippo import InlineEngine

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    assert InlineEngine().environment()["device"] == "small"
