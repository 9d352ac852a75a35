"""Stand-in: SGD."""

from __future__ import annotations

import copy

import torch

from hippo.training.optimizer_values import recorded_reads
from hippo.training.streams import fence


def clip_lanes(grads, clip_norm): ...  # type: ignore


class FusedAverage: ...


class FusedOptimizer:
    def __init__(self, trainer, values):  # type: ignore
        self.trainer = trainer
        self.buf = {}
        self.reads = frozenset()
        self._make(values)

    def _make(self, values):  # type: ignore
        self.made = []
        for value in values:
            scratch = copy.copy(self.trainer)
            scratch.hp = value
            with fence(), recorded_reads(scratch) as names:
                self.made.append(scratch.make_optimizer(self.trainer.model.parameters()))
            self.reads |= names

    def apply(self, values):  # type: ignore
        self._make(values)

    def _option(self, name, like):  # type: ignore
        v = torch.tensor([m.param_groups[0][name] for m in self.made], dtype=like.dtype)
        return v.reshape(-1, *[1] * (like.ndim - 1))

    @torch.no_grad()
    def step(self, params, grads):  # type: ignore
        for name, g in grads.items():
            if g is None:
                continue
            p = params[name]
            g = g + self._option("weight_decay", p) * p
            if name in self.buf:
                self.buf[name] = self._option("momentum", p) * self.buf[name] + g
            else:
                self.buf[name] = g.clone()
            p -= self._option("lr", p) * self.buf[name]

    def state_dict(self, lane):  # type: ignore
        state = self.made[lane].state_dict()
        names = [n for n, _ in self.trainer.model.named_parameters()]
        state["state"] = {i: {"momentum_buffer": self.buf[n][lane]} for i, n in enumerate(names) if n in self.buf}
        return {"optimizer": state}

    def load_state_dicts(self, states):  # type: ignore
        names = [n for n, _ in self.trainer.model.named_parameters()]
        self.buf = {}
        for i, n in enumerate(names):
            if i in states[0]["optimizer"]["state"]:
                self.buf[n] = torch.stack([s["optimizer"]["state"][i]["momentum_buffer"] for s in states])

    def keep(self, lanes):  # type: ignore
        self.buf = {n: b[list(lanes)] for n, b in self.buf.items()}
        self.made = [self.made[i] for i in lanes]

    def snapshot(self):  # type: ignore
        return {n: b.clone() for n, b in self.buf.items()}

    def restore(self, snapshot):  # type: ignore
        self.buf = {n: b.clone() for n, b in snapshot.items()}
