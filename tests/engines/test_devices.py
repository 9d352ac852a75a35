"""How many workers there are, and on which device each is."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import psutil
import pytest

from hippo.engines import InlineEngine, LocalEngine
from hippo.engines.devices import (
    fair_resident_bytes,
    like_devices,
    num_devices,
    place_workers,
    usable_cores,
    visible_devices,
)
from hippo.errors import EngineError


@pytest.mark.parametrize(
    ("listed", "devices"),
    [("0,1", ("0", "1")), ("", ()), ("-1", ()), ("2, GPU-5f", ("2", "GPU-5f")), ("1,-1,0", ("1",))],
)
def test_visible_devices_are_read_as_cuda_reads_them(monkeypatch, listed, devices):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    assert visible_devices() == devices


@pytest.mark.parametrize(
    ("script", "devices"), [("echo 0, GPU-a, T4; echo 1, GPU-b, T4", ("GPU-a", "GPU-b")), ("exit 9", ())]
)
def test_installed_devices_are_asked_of_nvidia_smi(monkeypatch, tmp_path, script, devices):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert visible_devices() == devices


def test_there_is_one_worker_per_device():
    assert place_workers(None, ["0", "1", "2"], threads=4) == ("0", "1", "2")


def test_without_devices_there_is_one_worker_per_so_many_cores():
    assert place_workers(None, [], threads=1) == (None,) * usable_cores()
    assert place_workers(None, [], threads=10_000) == (None,)


def test_more_workers_than_devices_share_them_in_turn():
    assert place_workers(3, ["0", "1"], threads=1) == ("0", "1", "0")


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with pytest.raises(EngineError, match=r"workers=.* is not a number of workers. Use a whole number"):
        LocalEngine(workers)


@pytest.mark.parametrize("engine", [LocalEngine, InlineEngine])
@pytest.mark.parametrize("threads", [0, -2, 1.0, False, "1"])
def test_a_number_of_threads_that_is_none_is_refused(engine, threads):
    with pytest.raises(EngineError, match=r"threads=.* is not a number of threads"):
        engine(threads=threads)


def listing(folder: Path, *devices: str) -> None:
    program = folder / "nvidia-smi"
    program.write_text("#!/bin/sh\n" + "".join(f"echo {device}\n" for device in devices))
    program.chmod(0o755)


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine on which nvidia-smi lists what it is told to."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return lambda *devices: listing(tmp_path, *devices)


UNLIKE = ["0, GPU-a, NVIDIA T4", "1, GPU-b, NVIDIA A100", "2, GPU-c, NVIDIA A100"]


def test_of_unlike_devices_the_most_frequent_model_is_used_and_the_rest_named(machine):
    machine(*UNLIKE)
    with pytest.warns(UserWarning, match=r"2 of model NVIDIA A100. Left out: GPU-a \(NVIDIA T4\).*devices=\[...\]"):
        assert LocalEngine()._places == ("GPU-b", "GPU-c")


def test_of_equally_frequent_models_the_first_is_used(machine, monkeypatch):
    machine(*UNLIKE[:2])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,0")
    with pytest.warns(UserWarning, match="Left out: 0"):
        assert like_devices() == ("1",)


def test_like_devices_are_all_used_in_silence(machine):
    machine(*UNLIKE[1:])
    assert LocalEngine()._places == ("GPU-b", "GPU-c")


@pytest.mark.parametrize(
    ("devices", "places"),
    [([0], ("0",)), (["GPU-b", 2], ("GPU-b", "2")), (["cuda:1", "cuda:2"], ("GPU-b", "GPU-c")), (["cuda"], ("GPU-a",))],
)
def test_devices_that_are_there_can_be_chosen(machine, devices, places):
    machine(*UNLIKE)
    assert LocalEngine(devices=devices)._places == places


REFUSED = {
    "one that is not there": ([7], r"no CUDA device '7'; there are 0 \(NVIDIA T4, GPU-a\), 1 "),
    "one that torch would not see": (["cuda:7"], r"devices=\['cuda:7'\]: this machine has no such CUDA device; 3 are"),
    "unlike ones": ([0, 1], r"of several models: 0 \(NVIDIA T4\), 1 \(NVIDIA A100\).*choose those of one model"),
    "a name in the place of a list": ("0", r"devices='0' is no list of devices"),
    "what is no name": ([None], r"devices=\[None\] is no list of devices"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_devices_that_cannot_be_used_together_are_refused(machine, what):
    machine(*UNLIKE)
    devices, message = REFUSED[what]
    with pytest.raises(EngineError, match=message):
        LocalEngine(devices=devices)


@pytest.mark.skipif(any(map(os.path.exists, ["/dev/nvidia0", "/dev/kfd"])), reason="there is a device")
@pytest.mark.parametrize("devices", [["cuda:7"], [0], ["GPU-5f"]])
def test_without_cuda_every_device_is_refused(machine, devices):
    machine()
    with pytest.raises(EngineError, match=r"devices=.*has no (such )?CUDA device"):
        LocalEngine(devices=devices)


@pytest.mark.parametrize("engine", [LocalEngine, InlineEngine])
@pytest.mark.parametrize("size", [-1, 0.5, True])
def test_an_amount_of_memory_that_is_none_is_refused(engine, size):
    with pytest.raises(EngineError, match=r"resident_bytes=.* is not a number of resident_bytes"):
        engine(resident_bytes=size)


def test_workers_share_at_most_a_quarter_of_the_memory_and_none_takes_more_than_a_gibibyte():
    assert 0 < fair_resident_bytes(1) <= 1 << 30
    assert fair_resident_bytes(1000) <= fair_resident_bytes(1)
    assert 1000 * fair_resident_bytes(1000) <= psutil.virtual_memory().total / 4


@pytest.mark.parametrize(("device", "number"), [(None, 1), ("3", 1), ("GPU-a,GPU-b", 2)])
def test_a_slot_has_the_devices_that_its_worker_sees(device, number):
    assert num_devices(device) == number
