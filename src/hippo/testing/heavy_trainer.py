"""A trainer whose state is large, for tests of what writes and reads states. It refuses to learn anything by that."""

from __future__ import annotations

from typing import Any

from hippo.testing.trainers import ToyTrainer

#: S3 is sent so much in parts
LARGE_BYTES = 120 << 20


class HeavyTrainer(ToyTrainer):
    """The toy trainer with 120 MiB beside it, which tell after how many steps they were saved."""

    def state_dict(self) -> dict[str, Any]:
        """As the toy trainer's, with one large tensor."""
        import torch

        ballast = torch.full((LARGE_BYTES // 8,), float(self.steps), dtype=torch.float64)
        return {**super().state_dict(), "ballast": ballast}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """As the toy trainer's; the tensor must be that of the same step, to its end."""
        super().load_state_dict({name: value for name, value in state.items() if name != "ballast"})
        assert state["ballast"][0] == state["ballast"][-1] == self.steps, "the state is not whole"
