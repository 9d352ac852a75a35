"""Looks for values of section 6.2 that the paper does not print: eight studies that have every rate that it does.

    python benchmarks/paper/reconstruct.py multi_high [--seed 0] [--moves 100000] [--write]
    python benchmarks/paper/reconstruct.py multi_low --here

Minutes. A walk from studies drawn at random, or with `--here` from those in spaces/: one value of one study is
exchanged at a time, and the exchange stays if the rates come nearer to the printed ones, or with a little luck
(annealing). The first family in spaces/ is what seed 0 finds; the second was found from an older one that lacked the
range of pairs, and a walk at random does not always come there. Other seeds find other studies, and nothing tells which
the authors used. `--write` keeps what was found in spaces/.

It knows the printed rates (published.py) and how sequences merge (`hippo.hparams.paths`); it simulates nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from published import SECTION_6_2, rounded_from
from spaces import FOLDER, options

from hippo import Config
from hippo.hparams.paths import path

UNTIL = 120
TRIALS = 144
#: what values are drawn from: those that people write, Tables 2 and 3 among them
INITIALS = (0.2, 0.1, 0.05, 0.02, 0.01)
GAMMAS = (0.1, 0.2, 0.3, 0.5)
MILESTONES = (
    (20, 60), (30, 60), (40, 80), (50, 100), (60, 90), (60, 120),
    (75, 105), (80, 120), (82, 123), (90, 135), (100, 150),
)  # fmt: skip
WARMUPS = (5, 10)
EXPONENTIAL_GAMMAS = (0.9, 0.93, 0.95, 0.97, 0.98, 0.99)
PERIODS = (10, 20, 30, 40, 60)
BATCH_SIZES = (32, 64, 128, 256)
JOINTS = tuple(range(10, 120, 10))


@dataclass(frozen=True, slots=True)
class Values:
    """What a study of 144 trials is made of: 36 learning rates and four batch sizes."""

    initials: tuple[float, ...]
    gammas: tuple[float, ...]
    milestones: tuple[tuple[int, ...], ...]
    warmup: int
    exponential_gammas: tuple[float, ...]
    periods: tuple[int, ...]
    #: each constant, and doubled at each of the joints: one size and three joints, or two and one
    batch_sizes: tuple[int, ...]
    joints: tuple[int, ...]


def content_of(values: Values) -> dict[str, Any]:
    """Return a study as spaces/*.json have it."""
    initials, warmup = list(values.initials), [values.warmup]
    decayed = {
        "initial": initials,
        "gamma": list(values.gammas),
        "milestones": [list(milestones) for milestones in values.milestones],
    }
    lr = [
        {"family": "step", **decayed},
        {"family": "warmup_step", "warmup": warmup, **decayed},
        {
            "family": "warmup_exponential",
            "warmup": warmup,
            "initial": initials,
            "gamma": list(values.exponential_gammas),
        },
        {"family": "warmup_cosine", "warmup": [10], "initial": initials, "t0": list(values.periods), "t_mult": [1]},
    ]
    batch_size: list[Any] = []
    for size in values.batch_sizes:
        batch_size += [size, *({"values": [size, 2 * size], "milestones": [joint]} for joint in values.joints)]
    return {"hparams": {"lr": lr, "batch_size": batch_size}, "conditions": []}


def values_of(content: Mapping[str, Any]) -> Values:
    """Return what a study of spaces/*.json is made of."""
    step, _, exponential, cosine = content["hparams"]["lr"]
    sizes = content["hparams"]["batch_size"]
    joints = (size["milestones"][0] for size in sizes if isinstance(size, dict))
    return Values(
        initials=tuple(step["initial"]),
        gammas=tuple(step["gamma"]),
        milestones=tuple(map(tuple, step["milestones"])),
        warmup=exponential["warmup"][0],
        exponential_gammas=tuple(exponential["gamma"]),
        periods=tuple(cosine["t0"]),
        batch_sizes=tuple(size for size in sizes if isinstance(size, int)),
        joints=tuple(dict.fromkeys(joints)),
    )


# ------------------------------------------------------------------------------------------------- counting the steps

#: a past, as structure -> its bit
_BITS: dict[Any, int] = {}


@cache
def _pasts(sequence: Any) -> tuple[int, ...]:
    """Return for each step a bit that two sequences share exactly if they were the same up to it."""
    past: Any = None
    bits: list[int] = []
    stretches = list(path(Config({"x": sequence}), UNTIL))
    for (start, pieces), (stop, _) in itertools.pairwise([*stretches, (UNTIL, {})]):
        past = _BITS.setdefault((past, start, pieces["x"].key), len(_BITS))
        bits += [1 << past] * (stop - start)
    return tuple(bits)


@cache
def _tables(values: Values) -> tuple[dict[int, int], ...]:
    """Return for each step: past of the batch size -> the set of pasts of the learning rate beside it."""
    hparams = content_of(values)["hparams"]
    rates, sizes = ([_pasts(option) for option in options(hparams[name])] for name in ("lr", "batch_size"))
    found = []
    for step in range(UNTIL):
        together = 0
        for bits in rates:
            together |= bits[step]
        found.append({bits[step]: together for bits in sizes})
    return tuple(found)


@lru_cache(maxsize=100_000)
def distinct(studies: frozenset[Values]) -> int:
    """Return the distinct steps of some studies."""
    tables = [_tables(values) for values in studies]
    total = 0
    for step in range(UNTIL):
        beside: dict[int, int] = {}
        for table in tables:
            for size, rates in table[step].items():
                beside[size] = beside.get(size, 0) | rates
        total += sum(rates.bit_count() for rates in beside.values())
    return total


def rate(studies: Sequence[Values]) -> float:
    """Return the k-wise merge rate q of some studies; of one, its merge rate p."""
    return TRIALS * UNTIL * len(studies) / distinct(frozenset(studies))


# ------------------------------------------------------------------------------------------------ walking to the rates


@cache
def content_of_family(family: str) -> dict[str, Any]:
    """Return what spaces/ holds: of it, which studies run together is kept, and the studies are looked for."""
    found: dict[str, Any] = json.loads((FOLDER / f"{family}.json").read_text(encoding="utf-8"))
    return found


def rates_of(family: str, studies: Sequence[Values]) -> dict[str, float]:
    """Return the rates of which something is printed."""
    runs = content_of_family(family)["studies_of"]
    found = {run: rate([studies[n] for n in runs[run]]) for run in SECTION_6_2[family].together}
    each = [rate([study]) for study in studies]
    found |= {"least p": min(each), "greatest p": max(each)}
    if SECTION_6_2[family].pairs:
        pairs = [rate(pair) for pair in itertools.combinations(studies, 2)]
        found |= {"least q of two": min(pairs), "greatest q of two": max(pairs)}
    return found


def printed_of(family: str) -> dict[str, str]:
    """Return the same as the paper prints them."""
    printed = SECTION_6_2[family]
    found = {**printed.together, **dict(zip(("least p", "greatest p"), printed.each, strict=True))}
    if printed.pairs:
        found |= dict(zip(("least q of two", "greatest q of two"), printed.pairs, strict=True))
    return found


def distance(rates: Mapping[str, float], printed: Mapping[str, str]) -> float:
    """Return how far rates are from being rounded to what is printed, all together, relative to each; 0 if they are."""
    total = 0.0
    for name, digits in printed.items():
        low, high = rounded_from(digits)
        # nowhere near the edge, so that no way to round makes a difference
        inside = 0.02 * (high - low)
        total += max(0.0, low + inside - rates[name], rates[name] - high + inside) / rates[name]
    return total


def drawn(rng: random.Random) -> Values:
    """Return a study at random."""
    return Values(
        initials=_some(rng, INITIALS, 2)[::-1],
        gammas=_some(rng, GAMMAS, 2),
        milestones=_some(rng, MILESTONES, 3),
        warmup=rng.choice(WARMUPS),
        exponential_gammas=_some(rng, EXPONENTIAL_GAMMAS, 3),
        periods=_some(rng, PERIODS, 3),
        **_batch_sizes(rng, two=rng.random() < 0.5),
    )


def changed(values: Values, rng: random.Random) -> Values:
    """Return a study with one value exchanged."""
    menus = {
        "initials": INITIALS,
        "gammas": GAMMAS,
        "milestones": MILESTONES,
        "exponential_gammas": EXPONENTIAL_GAMMAS,
        "periods": PERIODS,
        "batch_sizes": BATCH_SIZES,
        "joints": JOINTS,
    }
    name = rng.choice([*menus, "milestones", "joints", "warmup", "one or two"])
    if name == "warmup":
        return replace(values, warmup=sum(WARMUPS) - values.warmup)
    if name == "one or two":
        return replace(values, **_batch_sizes(rng, two=len(values.batch_sizes) == 1))
    kept = list(getattr(values, name))
    kept[rng.randrange(len(kept))] = rng.choice([value for value in menus[name] if value not in kept])
    return replace(values, **{name: tuple(sorted(kept, reverse=name == "initials"))})


def _batch_sizes(rng: random.Random, *, two: bool) -> dict[str, Any]:
    if two:
        return {"batch_sizes": _some(rng, BATCH_SIZES, 2), "joints": _some(rng, JOINTS, 1)}
    return {"batch_sizes": _some(rng, BATCH_SIZES, 1), "joints": _some(rng, JOINTS, 3)}


def _some(rng: random.Random, menu: Sequence[Any], count: int) -> tuple[Any, ...]:
    return tuple(sorted(rng.sample(menu, count)))


def walk(family: str, seed: int, moves: int, begin: Sequence[Values] = ()) -> tuple[list[Values], float]:
    """Return eight studies and how far they are from what is printed.

    Args:
      begin: the studies to begin from; none: studies drawn at random.
    """
    rng = random.Random(seed)
    printed = printed_of(family)
    studies = list(begin) or [drawn(rng) for _ in range(8)]
    far = distance(rates_of(family, studies), printed)
    for move in range(moves):
        if far == 0:
            break
        heat = 0.02 * (1 - move / moves)
        number = rng.randrange(8)
        # now and then a study begins anew from another one: pairs with much in common are found no other way
        model = studies[rng.randrange(8) if rng.random() < 0.1 else number]
        tried = [*studies[:number], changed(model, rng), *studies[number + 1 :]]
        if len(set(tried)) < 8:
            continue
        now_far = distance(rates_of(family, tried), printed)
        if now_far <= far or rng.random() < math.exp((far - now_far) / (heat + 1e-9)):
            studies, far = tried, now_far
        if move % 5000 == 0:
            print(f"seed {seed}, move {move}: {far:.4f} away", file=sys.stderr)
    return studies, far


def written(content: Mapping[str, Any]) -> str:
    """Return JSON to be read by people: dictionaries and lists of numbers in a line, if they are short."""
    text = json.dumps(content, indent=2)
    for flat in (r"\[[^\[\]{}]*\]", r"\[(?:\s*\[[^\[\]{}]*\],?)*\s*\]", r"\{[^{}]*\}"):
        text = re.sub(flat, _in_a_line, text)
    return text + "\n"


def _in_a_line(found: re.Match[str]) -> str:
    line = re.sub(r"(?<=[\[{]) | (?=[\]}])", "", " ".join(found[0].split()))
    return line if len(line) <= 100 else found[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(SECTION_6_2))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--moves", type=int, default=100_000)
    parser.add_argument("--here", action="store_true", help="begin from the studies in spaces/")
    parser.add_argument("--write", action="store_true", help="keep what was found in spaces/")
    arguments = parser.parse_args()
    here = [values_of(study) for study in content_of_family(arguments.family)["studies"]] if arguments.here else []
    studies, far = walk(arguments.family, arguments.seed, arguments.moves, here)
    for name, found in rates_of(arguments.family, studies).items():
        print(f"{name}: {found:.4f}, printed {printed_of(arguments.family)[name]}")
    if far:
        sys.exit(f"not found: {far:.4f} away after {arguments.moves} moves; try another seed")
    if arguments.write:
        content = content_of_family(arguments.family) | {"studies": [content_of(values) for values in studies]}
        (FOLDER / f"{arguments.family}.json").write_text(written(content), encoding="utf-8")
    else:
        print(json.dumps([content_of(values) for values in studies]))


if __name__ == "__main__":
    main()
