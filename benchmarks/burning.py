"""A trainer that burns processor time and knows no torch: a step takes as long as it is told, wherever it runs."""

import hashlib

import hippo

#: rounds of hashing that take about a millisecond of one core
ROUNDS_PER_MS = 4000


class BurningTrainer(hippo.Trainer):
    """Hashes its state with the values in force, again and again; the loss is drawn from the hash.

    Args:
      step_ms: about how much processor time a step takes. The number of rounds is fixed, so states do not depend on it.
    """

    def __init__(self, step_ms=50):
        self.step_ms = step_ms

    def build(self):
        self.state = b"0" * 32

    def train(self):
        self.state = hashlib.sha256(self.state + repr(sorted(self.hp.items())).encode()).digest()
        burnt = self.state
        for _ in range(ROUNDS_PER_MS * self.step_ms):
            burnt = hashlib.sha256(burnt).digest()

    def evaluate(self):
        return {"loss": int.from_bytes(self.state[:4], "big") / 2**32}

    def state_dict(self):
        return {"state": self.state.hex()}

    def load_state_dict(self, state):
        self.state = bytes.fromhex(state["state"])
