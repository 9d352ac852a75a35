"""Torch's switch for determinism is turned without loading torch's compiler, and reaches it all the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hippo.training.process.determinism import has_switch

LANE = """
import sys, torch, hippo
from hippo.training.process.determinism import COMPILER

class Tensors(hippo.Trainer):
    def build(self):
        if "compiled" in sys.argv:
            import torch._inductor.config as config
            self.compiler = float(config.deterministic)
        if "forbidden" in sys.argv:
            torch.use_deterministic_algorithms(False)
        self.weights = torch.randn(2)

    def train(self):
        self.weights = self.weights * self.hp["lr"]

    def evaluate(self):
        return {"loss": float(self.weights.sum()), "exact": torch.are_deterministic_algorithms_enabled(),
                "compiler": getattr(self, "compiler", -1)}

    def state_dict(self):
        return {"weights": self.weights}

    def load_state_dict(self, state):
        self.weights = state["weights"]

study = hippo.create_study("one", trainer=Tensors, storage="memory://", checkpoints="memory://",
                           engine=hippo.InlineEngine(), numerics="fast" if "fast" in sys.argv else "exact")
metrics = study.evaluate({"lr": 0.1}, until=1)
config = sys.modules.get(COMPILER)
stack = sorted(name for name in ("torch._inductor", "torch._dynamo") if name in sys.modules)
print(metrics["exact"], metrics["compiler"], stack, torch.are_deterministic_algorithms_enabled(),
      config and config.deterministic)
"""


def after_a_lane(*how: str) -> str:
    done = subprocess.run([sys.executable, "-c", LANE, *how], capture_output=True, text=True)
    return done.stdout.strip() or done.stderr


@pytest.mark.slow
def test_a_lane_is_exact_without_the_compiler_in_memory() -> None:
    assert after_a_lane() == "1 -1 [] False None"


@pytest.mark.slow
@pytest.mark.parametrize(("how", "told"), [([], "1 1.0"), (["fast"], "0 0.0"), (["forbidden"], "0 1.0")])
def test_a_compiler_that_is_loaded_in_a_lane_is_told_and_given_back(how: list[str], told: str) -> None:
    assert after_a_lane("compiled", *how) == f"{told} ['torch._dynamo', 'torch._inductor'] False False"


@pytest.mark.slow
def test_both_switches_hold_within_and_are_given_back_where_the_compiler_is_loaded() -> None:
    program = (
        "import torch, torch._inductor.config as config\n"
        "from hippo.training.process.environment import numerics, pinned\n"
        "both = lambda: (torch.get_deterministic_debug_mode(), config.deterministic)\n"
        "config.deterministic = True; torch.set_deterministic_debug_mode(1); seen = [both()]\n"
        "with pinned(1):\n"
        "    seen.append(both())\n"
        "    with numerics('fast'): seen.append(both())\n"
        "    seen.append(both())\n"
        "print(*seen, both())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "(1, True) (2, True) (0, False) (2, True) (1, True)", done.stderr


@pytest.mark.parametrize(
    ("version", "has_one"),
    [("2.6.0+cu124", False), ("2.9.1", False), ("2.10.0a0+b558c98", True), ("2.10.0", True), ("3.0.1", True)],
)
def test_the_compiler_has_a_switch_since_what_led_to_torch_2_10(version: str, has_one: bool) -> None:
    assert has_switch(version) is has_one
