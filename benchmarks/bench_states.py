"""What it costs to keep a state: on the training thread, until it is durable, read back, and in memory at most.

    python benchmarks/bench_states.py [--runs 15]

A model of ten matrices with momentum, twenty tensors of 25 MB together, is encoded, hashed, written to a folder and
flushed, as a lane does at a boundary; beside it, in turns, stand one copy of the state's tensors, `torch.save` with an
fsync, and `torch.load`; ratios are medians of those of each turn. What the lane's thread pays is its CPU time until it
trains on; the rest is wall time, from the moment when the boundary is reached. Peaks of memory are those of a process
of its own for each, with 400 MB, beyond what it held before. One torch thread; medians, and the quartiles around them.
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from pathlib import Path

import torch

from hippo.checkpoints import FolderCheckpoints
from hippo.events import CheckpointWritten
from hippo.lanes import Due, LaneProgress
from hippo.records import Assignment, Lane, LeaseId, Point
from hippo.testing.remembering_host import SLOT, RememberingHost, stages
from hippo.training.bases import Bases
from hippo.training.codec import encode
from hippo.training.process.environment import pin
from hippo.training.state_files import read_checkpoint, write_checkpoint
from hippo.training.walking.lane_states import LaneStates
from process_memory import status_bytes
from report import write_report

SIZE_MB, PEAK_MB = 25, 400
#: what each may take, by what stands beside it
TARGETS = {"lane": 1.2, "durable": 2.0, "load": 2.2, "peak": 1.1}


def state_of(size_mb, tensors=20):
    """Return a state of so many bytes."""
    torch.manual_seed(0)
    width = int((size_mb * 1e6 / 4 / tensors) ** 0.5)
    return {"model": {f"{number}.weight": torch.randn(width, width) for number in range(tensors)}, "samples": 3}


def tensors_of(state):
    return state["model"].values()


# --- in turns


class Boundary:
    """A lane that comes to a boundary again and again."""

    def __init__(self, folder, state):
        self.state, self.folder, self.number = state, folder, 0
        self.store = FolderCheckpoints(folder)
        self.ref = None

    def save(self):
        """Return the CPU seconds of the lane's thread, and the wall seconds until the state is durable."""
        self.number += 1
        lane = Lane(begin=None, stages=stages({"lr": 0.1}, 0, 1))
        assignment = Assignment(
            lease=LeaseId(self.number), prefix=f"l{self.number}", slot=SLOT, workload="w", lanes=(lane,)
        )
        progress = LaneProgress(lane, evaluate_every=1, checkpoint_every_s=300.0, prefix=assignment.prefix)
        progress.begin(0.0)
        progress.arrive(1)
        host = RememberingHost(checkpoints=self.store)
        states = LaneStates(assignment, progress, host, slot=SLOT, follow=lambda commands: None, bases=Bases())
        began_s, began_cpu_s = time.perf_counter(), time.thread_time()
        states.keep(Due.WRITE, Point(0, 1), encode(self.state))
        lane_cpu_s = time.thread_time() - began_cpu_s
        states.settle()
        durable_s = time.perf_counter() - began_s
        self.ref = host.one(CheckpointWritten).checkpoint
        return lane_cpu_s, durable_s

    def load(self):
        began_s = time.perf_counter()
        read_checkpoint(self.store, self.ref)
        return time.perf_counter() - began_s


def copy_seconds(state):
    began_s = time.thread_time()
    copies = [tensor.clone() for tensor in tensors_of(state)]
    took_s = time.thread_time() - began_s
    del copies
    return took_s


def torch_save_seconds(state, file):
    began_s = time.perf_counter()
    with open(file, "wb") as target:
        torch.save(state, target)
        target.flush()
        os.fsync(target.fileno())
    return time.perf_counter() - began_s


def torch_load_seconds(file):
    began_s = time.perf_counter()
    torch.load(file, weights_only=True)
    return time.perf_counter() - began_s


def in_turns(runs, folder):
    state = state_of(SIZE_MB)
    boundary, file = Boundary(Path(folder, "states"), state), Path(folder, "torch.pt")
    found = {name: [] for name in ("copy", "lane", "torch.save", "durable", "torch.load", "load")}
    for run in range(runs + 2):
        copied, saved = copy_seconds(state), torch_save_seconds(state, file)
        lane, durable = boundary.save()
        loaded, read = torch_load_seconds(file), boundary.load()
        file.unlink()
        boundary.store.delete(boundary.ref.key)
        if run >= 2:  # the first ones find cold caches
            for name, seconds in zip(found, (copied, lane, saved, durable, loaded, read), strict=True):
                found[name].append(seconds)
    return found


# --- peaks


def measure_peak(what, folder, answer):
    pin(1)
    state = state_of(PEAK_MB)
    store = FolderCheckpoints(folder)
    size = sum(tensor.nbytes for tensor in tensors_of(state))
    if what == "load":
        ref = write_checkpoint(store, "peak", encode(state))
        del state
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = status_bytes("VmRSS")
    if what == "save":
        write_checkpoint(store, "peak", encode(state))
    else:
        read_checkpoint(store, ref)
    answer.send((status_bytes("VmHWM") - before) / size)


def peak(what):
    """Return the peak of memory, beyond what was held before, by the size of the state."""
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=measure_peak, args=(what, folder, theirs))
        process.start()
        try:
            return ours.recv()
        finally:
            process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    pin(1)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        found = in_turns(arguments.runs, folder)
    rows = []
    for name, beside in (("lane", "copy"), ("durable", "torch.save"), ("load", "torch.load")):
        ratio = statistics.median(one / other for one, other in zip(found[name], found[beside], strict=True))
        for what in (beside, name):
            low, median, high = statistics.quantiles(found[what], n=4)
            rows.append(
                {
                    "state": f"{SIZE_MB} MB",
                    "what": what,
                    "median_ms": round(1000 * median, 2),
                    "quartiles_ms": f"{1000 * low:.2f} to {1000 * high:.2f}",
                    "by_other": round(ratio, 2) if what == name else None,
                    "target": TARGETS[name] if what == name else None,
                }
            )
    for what in ("save", "load"):
        rows.append(
            {
                "state": f"{PEAK_MB} MB",
                "what": f"peak of memory, {what}",
                "median_ms": None,
                "quartiles_ms": None,
                "by_other": round(peak(what), 2),
                "target": TARGETS["peak"],
            }
        )
    write_report("states", rows, f"medians of {arguments.runs} in turns", seeds="0")


if __name__ == "__main__":
    main()
