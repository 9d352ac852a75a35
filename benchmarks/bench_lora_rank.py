"""At which learning rate adapters of several ranks learn best, and what rules over the rank would make of it.

    python benchmarks/bench_lora_rank.py [--updates 40] [--only "alpha fixed"] [--dry-run]

A Llama of four layers and width 128 with random weights, frozen; adapters on all its linear layers learn the letters of
this project's pages under Adam, 40 updates of 4 x 32 letters or more. Five rates or more, an octave apart, are lanes of
one program; the best is that of a parabola through the least mean loss of the last quarter, over three seeds, and its
neighbours. Conventions: what the product of adapters is multiplied by, where `alpha` is a number (alpha / rank), where
rsLoRA divides by the root of the rank (Kalajdzievski 2023, arXiv 2312.03732), and where alpha goes with the rank.
"random A" starts with B at zero, as usual; "random B" the other way, drawn with 1 / sqrt(rank) as torch's layers are.

A rule reads a rate of rank 64 as another one at a smaller rank. That is the same program as with that other rate, so
the rates that are best under a rule are those that are best without it, divided by the rule's factor:

* "one update" keeps what an update of the factor that begins at zero makes of the output, in the manner of maximal
  update adaptation (Chen et al. 2026, arXiv 2602.06204): multiplier x rank x spread of the other factor x rate.
* "both move" keeps what the two factors make together once both have moved: multiplier x rank x rate squared.

`spread` is the distance of the best rates of all ranks, in octaves; a rule is of use where its spread is at most half
of that of none. Each number of updates has a result file of its own, results/lora_rank_<updates>.json: after 40 of them
adapters have moved little, after 120 more.
"""

import argparse
import math
import statistics
from pathlib import Path

import torch
from torch.nn import functional as F

from hippo.training.process.environment import pin
from report import write_report

WIDTH, LAYERS, HEADS, WIDE = 128, 4, 4, 256
TEXTS, LETTERS = 4, 32
RANKS = (4, 8, 16, 32, 64)
SEEDS = (0, 1, 2)
LINEARS = {
    "q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH),
    "gate": (WIDE, WIDTH), "up": (WIDE, WIDTH), "down": (WIDTH, WIDE),
}  # fmt: skip
#: name -> what the product of adapters of a rank is multiplied by; all alike at rank 16
CONVENTIONS = {
    "alpha fixed": lambda rank: 16 / rank,
    "rsLoRA": lambda rank: 4 / math.sqrt(rank),
    "alpha with the rank": lambda rank: 1.0,
}
#: convention, random factor, and log2 of a rate to begin at
CASES = (
    ("alpha with the rank", "A", -6),
    ("alpha fixed", "A", -6),
    ("rsLoRA", "A", -6),
    ("alpha with the rank", "B", -6),
)


def one_update(rank, convention, random):
    """Return the best rate's course by what one update makes of the output."""
    spread = 1.0 if random == "A" else rank**-0.5
    return 1 / (CONVENTIONS[convention](rank) * rank * spread)


def both_move(rank, convention, random):
    """Return the best rate's course by what both factors make together."""
    return (CONVENTIONS[convention](rank) * rank) ** -0.5


RULES = {"none": lambda rank, convention, random: 1.0, "one update": one_update, "both move": both_move}


class Letters:
    """The letters of the project's pages, as numbers."""

    def __init__(self):
        docs = Path(__file__).resolve().parents[1] / "docs"
        text = "".join(
            (docs / name).read_text(encoding="utf-8") for name in ("fusion.md", "sequences.md", "trainers.md")
        )
        self.alphabet = sorted(set(text))
        numbers = {letter: number for number, letter in enumerate(self.alphabet)}
        self._text = torch.tensor([numbers[letter] for letter in text])

    def batch(self, chance):
        """Return letters, and those that follow them."""
        starts = torch.randint(len(self._text) - LETTERS - 1, (TEXTS,), generator=chance)
        cut = torch.stack([self._text[start : start + LETTERS + 1] for start in starts])
        return cut[:, :-1], cut[:, 1:]


class AdaptedLlama:
    """A frozen Llama, and adapters of one rank on it for each of several lanes."""

    def __init__(self, letters, rank, convention, random, *, lanes, seed):
        chance = torch.Generator().manual_seed(seed)

        def drawn(*shape, spread):
            return spread * torch.randn(*shape, generator=chance)

        self._lanes, self._multiplier = lanes, CONVENTIONS[convention](rank)
        self._table = drawn(letters, WIDTH, spread=1.0)
        self._head = drawn(letters, WIDTH, spread=WIDTH**-0.5)
        layers = [(layer, name) for layer in range(LAYERS) for name in LINEARS]
        self._frozen = {key: drawn(*LINEARS[key[1]], spread=LINEARS[key[1]][1] ** -0.5) for key in layers}
        self._adapters = {}
        for key in layers:
            outputs, inputs = LINEARS[key[1]]
            a, b = torch.zeros(rank, inputs), torch.zeros(outputs, rank)
            if random == "A":
                a = drawn(rank, inputs, spread=inputs**-0.5)
            else:
                b = drawn(outputs, rank, spread=rank**-0.5)
            self._adapters[key] = [each.expand(lanes, -1, -1).clone().requires_grad_() for each in (a, b)]
        head = WIDTH // HEADS
        angles = torch.arange(LETTERS)[:, None] * 1e4 ** (-torch.arange(0, head, 2) / head)
        self._turn = angles.cos(), angles.sin()

    @property
    def parameters(self):
        """The adapters, each of all lanes: F x rows x columns."""
        return [each for pair in self._adapters.values() for each in pair]

    def losses(self, letters, following):
        """Return the loss of each lane."""
        shape = (self._lanes, TEXTS, LETTERS, HEADS, WIDTH // HEADS)
        x = self._table[letters].reshape(1, TEXTS * LETTERS, WIDTH).expand(self._lanes, -1, -1)
        for layer in range(LAYERS):
            normed = F.rms_norm(x, (WIDTH,))
            q, k, v = (self._linear(layer, name, normed).view(shape).transpose(2, 3).flatten(0, 1) for name in "qkv")
            mixed = F.scaled_dot_product_attention(self._turned(q), self._turned(k), v, is_causal=True)
            mixed = mixed.unflatten(0, shape[:2]).transpose(2, 3).reshape(x.shape)
            x = x + self._linear(layer, "o", mixed)
            normed = F.rms_norm(x, (WIDTH,))
            grown = F.silu(self._linear(layer, "gate", normed)) * self._linear(layer, "up", normed)
            x = x + self._linear(layer, "down", grown)
        logits = F.rms_norm(x, (WIDTH,)) @ self._head.T
        losses = F.cross_entropy(logits.flatten(0, 1), following.flatten().repeat(self._lanes), reduction="none")
        return losses.view(self._lanes, -1).mean(1)

    def _linear(self, layer, name, x):
        a, b = self._adapters[layer, name]
        return x @ self._frozen[layer, name].T + self._multiplier * x.bmm(a.mT).bmm(b.mT)

    def _turned(self, x):
        cos, sin = self._turn
        one, other = x.chunk(2, -1)
        return torch.cat([one * cos - other * sin, one * sin + other * cos], -1)


def losses_of(letters, rank, convention, random, rates, seed, updates):
    """Return, for each rate, the mean loss of the last quarter of a run's updates under Adam."""
    model = AdaptedLlama(len(letters.alphabet), rank, convention, random, lanes=len(rates), seed=seed)
    lr, chance, tail = torch.tensor(rates)[:, None, None], torch.Generator().manual_seed(1000 + seed), []
    means, squares = ([torch.zeros_like(each) for each in model.parameters] for _ in range(2))
    for update in range(1, updates + 1):
        losses = model.losses(*letters.batch(chance))
        gradients = torch.autograd.grad(losses.sum(), model.parameters)
        with torch.no_grad():
            for parameter, gradient, mean, square in zip(model.parameters, gradients, means, squares, strict=True):
                mean.lerp_(gradient, 0.1)
                square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
                size = (square / (1 - 0.999**update)).sqrt() + 1e-8
                parameter.sub_(lr * (mean / (1 - 0.9**update)) / size)
        if 4 * update > 3 * updates:
            tail.append(losses.detach())
    return torch.stack(tail).mean(0).tolist()


def best_rate(letters, rank, convention, random, begin, updates):
    """Return log2 of the best rate, and the loss there; rates are tried until the best has two neighbours."""
    known = {}
    wanted = set(range(begin - 2, begin + 3))
    while wanted - known.keys():
        new = sorted(wanted - known.keys())
        runs = [losses_of(letters, rank, convention, random, [2.0**at for at in new], seed, updates) for seed in SEEDS]
        known |= {at: statistics.fmean(each) for at, each in zip(new, zip(*runs, strict=True), strict=True)}
        best = min(known, key=lambda at: known[at] if math.isfinite(known[at]) else math.inf)
        wanted = {best - 1, best, best + 1}
    below, least, above = (known[at] for at in sorted(wanted))
    return best + (below - above) / (2 * (below - 2 * least + above)), least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--only", default="", help="conventions whose name holds this")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    pin(1)
    letters, rows = Letters(), []
    for convention, random, begin in CASES:
        if arguments.only not in convention:
            continue
        best = {}
        for rank in RANKS:
            best[rank], loss = best_rate(letters, rank, convention, random, begin, arguments.updates)
            begin = round(best[rank])
            print(f"{convention}, random {random}, rank {rank}: 2^{best[rank]:.2f}, loss {loss:.3f}", flush=True)
        for name, rule in RULES.items():
            course = {rank: rule(rank, convention, random) / rule(RANKS[-1], convention, random) for rank in RANKS}
            read = {rank: best[rank] - math.log2(course[rank]) for rank in RANKS}
            rows.append(
                {"convention": convention, "random": random, "rule": name}
                | {f"rank {rank}": round(value, 2) for rank, value in read.items()}
                | {"spread": round(max(read.values()) - min(read.values()), 2)}
            )
            print(rows[-1], flush=True)
    if not arguments.dry_run:
        how = f"log2 of the best rate at each rank, as read at rank {RANKS[-1]}, and their spread in octaves"
        name = f"lora_rank_{arguments.updates}"
        write_report(name, rows, f"{how}; {arguments.updates} updates", seeds="0 to 2", also=("docs",))


if __name__ == "__main__":
    main()
