"""What an update takes on a GPU, kernel by kernel and recorded: of one lane by itself, and of lanes as one.

    python benchmarks/bench_recordings.py [--steps 5] [--lanes 1 4 16 64 256]

One CUDA device; two minutes. Whole updates with AdamW, batches of 32 that are fetched and brought to the device
included, in wall seconds; the four ways in turns, step by step, after steps that warm up, in which updates are
recorded. `equal_bits` tells whether the states after all steps are those that come of launching kernel by kernel.
"alone" is one lane that is walked by itself, in the numerics of exact studies: so many lanes take so many times as
long.

`--device cpu --lanes 4 --dry-run` tries the program where nothing can be recorded.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import torch

from cuda_options import parsed
from hippo.testing.formations import ConfigFormation, SoloConfig, configs, weights
from hippo.testing.recurrent_lanes import RecurrentTrainer
from hippo.training.codec import EncodedState
from hippo.training.fusion.recorded_loss import LossRecorder
from hippo.training.process.environment import pin
from hippo.training.recording_experience import RecordingExperience, RecordingListener
from report import write_report

UPDATES, WARM_UP = 20, 2
#: network -> its width, where that can be chosen
NETS = {"mlp": 128, "cnn": 16, "transformer": 8, "gru": 64}


def trainer_of(net: str, width: int, device: str) -> RecurrentTrainer:
    """Return a trainer of steps of so many updates."""
    trainer = RecurrentTrainer(net, "adamw", width=width, size=32 * UPDATES)
    trainer.default_batch_size, trainer.device = 32, device
    return trainer


def states_of(walked: SoloConfig | ConfigFormation) -> list[EncodedState]:
    """Return the state of each lane."""
    return [walked.state()] if isinstance(walked, SoloConfig) else walked.states()


def measured(net: str, width: int, lanes: int, device: str, steps: int) -> dict[str, Any]:
    """Return what updates of so many lanes take."""
    told: list[str] = []
    listener = RecordingListener(told.append, told.append)
    together = sorted(configs(lanes), key=lambda config: config["weight_decay"] == 0)  # as a worker has them
    ways: dict[str, SoloConfig | ConfigFormation] = {
        "alone": SoloConfig(trainer_of(net, width, device), configs(1)[0]),
        "alone recorded": SoloConfig(trainer_of(net, width, device), configs(1)[0]),
        "plain": ConfigFormation(trainer_of(net, width, device), together),
        "recorded": ConfigFormation(
            trainer_of(net, width, device),
            together,
            recorder=LossRecorder(RecordingExperience(), listener),
        ),
    }
    ways["alone recorded"].walker.record(RecordingExperience(), listener, is_asked=True)
    took: dict[str, list[float]] = {way: [] for way in ways}
    for step in range(WARM_UP + steps):
        for way, walked in ways.items():
            began_s = time.perf_counter()
            walked.train()  # which returns losses, for which the device is waited
            if step >= WARM_UP:
                took[way].append((time.perf_counter() - began_s) / UPDATES)
    alone_s, alone_recorded_s, plain_s, recorded_s = (statistics.median(each) for each in took.values())
    states = [states_of(each) for each in ways.values()]
    pairs = [(states[0][0], states[1][0]), *zip(states[2], states[3], strict=True)]
    return {
        "net": net,
        "lanes": lanes,
        "alone_ms": round(1000 * alone_s, 3),
        "alone_recorded_ms": round(1000 * alone_recorded_s, 3),
        "plain_ms": round(1000 * plain_s, 3),
        "recorded_ms": round(1000 * recorded_s, 3),
        "spread_ms": f"{1000 * min(took['recorded']):.3f} to {1000 * max(took['recorded']):.3f}",
        "alone_of_recorded": round(alone_s / alone_recorded_s, 2),
        "of_plain": round(plain_s / recorded_s, 2),
        "of_alone": round(lanes * alone_s / recorded_s, 1),
        "equal_bits": all(torch.equal(weights(one), weights(other)) for one, other in pairs),
        "refusal": told[0] if told else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--lanes", type=int, nargs="+", default=[1, 4, 16, 64, 256])
    arguments = parsed(parser)
    pin(1)  # as in a worker
    rows = []
    for net, width in NETS.items():
        for lanes in arguments.lanes:
            rows.append(measured(net, width, lanes, arguments.device, arguments.steps))
            print(rows[-1], flush=True)
        if not arguments.dry_run:  # after each network, since GPUs are lent by the minute
            how = (
                f"updates of small networks on one {torch.cuda.get_device_name()}, one thread; medians of "
                f"{arguments.steps} steps of {UPDATES}"
            )
            write_report("recordings", rows, how, seeds="0")


if __name__ == "__main__":
    main()
