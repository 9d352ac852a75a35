"""What a checkpoint of an adapter costs: bytes, CPU at a boundary, and the memory of many forks.

    python benchmarks/bench_differences.py [--runs 15]

LoRA of rank 8 on all linear layers of a Llama of four layers and width 512 (random weights), trained by AdamW. At a
boundary its state is encoded, hashed and written to a folder: beside its base, as a lane does it, and whole, as it
would be without; in turns. CPU of the whole process, one torch thread, medians and quartiles. Then a hundred forks,
states of as many short branches, are held in memory, base included, by a process of its own for each kind. It needs
peft and transformers, and is skipped where they are not installed; the base is written before anything is measured.
"""

import argparse
import importlib.util
import multiprocessing
import statistics
import tempfile
import time
from pathlib import Path

import torch

from hippo.checkpoints import FolderCheckpoints
from hippo.hparams import Config, path
from hippo.records import Point
from hippo.testing.remembering_host import spec_of
from hippo.training import TorchTrainer, Trainers
from hippo.training.bases import Bases
from hippo.training.process.environment import pin
from hippo.training.state_files import write_checkpoint
from hippo.training.walking.walker import NOWHERE, Walker
from report import write_report

FORKS = 100
TARGETS = {"file_mib": 4, "cpu_ms": 35, "memory_gib": 0.45}
VOCABULARY = 1000


class Adapter(TorchTrainer):
    """Trains adapters of a small Llama on random tokens."""

    samples_per_step = 1

    def make_model(self):
        from peft import LoraConfig, get_peft_model
        from transformers import LlamaConfig, LlamaForCausalLM

        config = LlamaConfig(
            hidden_size=512,
            intermediate_size=1376,
            num_hidden_layers=4,
            num_attention_heads=8,
            vocab_size=VOCABULARY,
            max_position_embeddings=64,
        )
        return get_peft_model(LlamaForCausalLM(config), LoraConfig(r=8, target_modules="all-linear"))

    def make_optimizer(self, params):
        return torch.optim.AdamW([param for param in params if param.requires_grad], lr=self.hp["lr"])

    def train_set(self):
        return torch.utils.data.TensorDataset(torch.randint(VOCABULARY, (4, 16)))

    val_set = train_set

    def loss(self, model, batch):
        return model(input_ids=batch[0], labels=batch[0]).loss


def walker_of(bases):
    ((_, pieces),) = path(Config({"lr": 1e-3}), 1)
    pristine = Trainers().pristine(spec_of(Adapter))
    walker = Walker(pristine, step=0, pieces=pieces, state=None, goal=Point(NOWHERE, 1), bases=bases)
    walker.train(NOWHERE, pieces)
    return walker, pieces


def boundary_cpu_s(walker, store, key):
    """Encode and write where the walker stands; return the process's CPU seconds, and the file's size."""
    began_s = time.process_time()
    ref = write_checkpoint(store, key, walker.encode(NOWHERE))
    took_s = time.process_time() - began_s
    store.delete(key)
    return took_s, ref.size_bytes


def held_bytes():
    return int(next(line for line in Path("/proc/self/status").open() if line.startswith("VmRSS")).split()[1]) << 10


def hold_forks(has_base, answer):
    pin(1)
    walker, pieces = walker_of(None)
    walker.encode(NOWHERE)
    del walker
    before = held_bytes()
    walker, pieces = walker_of(Bases() if has_base else None)
    built = held_bytes() - before
    kept = []
    for _ in range(FORKS):
        walker.train(NOWHERE, pieces)
        kept.append(walker.encode(NOWHERE))
    # the live model is none of the forks', its base is
    base = sum(leaf.nbytes for leaf in kept[0].base.leaves.values()) if has_base else 0
    answer.send((held_bytes() - before - built + base) / 2**30)


def forks_gib(has_base):
    """Return the memory of a hundred states."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=hold_forks, args=(has_base, theirs))
    process.start()
    try:
        return ours.recv()
    finally:
        process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    missing = [name for name in ("peft", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed here (pip install peft transformers)")
        return
    pin(1)
    sides = {"whole": walker_of(None)[0], "beside its base": walker_of(Bases())[0]}
    found = {name: [] for name in sides}
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        store = FolderCheckpoints(folder)
        for run in range(arguments.runs + 2):
            for name, walker in sides.items():
                took_s, sizes[name] = boundary_cpu_s(walker, store, f"p1/{run}")
                if run >= 2:
                    found[name].append(took_s)
    rows = []
    for name, seconds in found.items():
        low, median, high = statistics.quantiles(seconds, n=4)
        is_ours = name != "whole"
        around = f"{1000 * low:.1f} to {1000 * high:.1f}"
        for what, value, spread, target in (
            ("MiB of a file", round(sizes[name] / 2**20, 2), None, TARGETS["file_mib"]),
            ("CPU-ms of a boundary", round(1000 * median, 1), around, TARGETS["cpu_ms"]),
            (f"GiB of {FORKS} forks", round(forks_gib(is_ours), 2), None, TARGETS["memory_gib"]),
        ):
            row = {"state": name, "what": what, "value": value, "quartiles": spread}
            rows.append({**row, "target": target if is_ours else None})
    write_report("differences", rows, f"medians of {arguments.runs} in turns", seeds="0")


if __name__ == "__main__":
    main()
