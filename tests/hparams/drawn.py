"""Hypothesis strategies: any sequence, any config. Shared by the property tests of this room."""

from __future__ import annotations

from hypothesis import strategies as st

from hippo.hparams import (
    WSD,
    Chain,
    Config,
    Constant,
    Cosine,
    CosineWarmRestarts,
    Cyclic,
    Exponential,
    Linear,
    MultiStep,
    OneCycle,
    Piecewise,
    Polynomial,
    Sequence,
    Step,
    Warmup,
)

# Few different arguments, so that configs often begin alike.
numbers = st.sampled_from([0, 1, 1.0, 0.1, 0.01, 0.5])
rates = st.sampled_from([0.1, 0.5])
gammas = st.sampled_from([1, 0.1, 0.5, 0.95])
steps = st.integers(1, 12)
milestones = st.lists(st.integers(1, 30), max_size=3, unique=True).map(sorted)
values = st.sampled_from([True, None, "sgd", 0, 1, 1.0, 0.1, [1, 2], {"beta": [0.9, 0.99]}])

endless = st.one_of(
    st.builds(Constant, values),
    st.builds(Linear, numbers, numbers),
    st.builds(Exponential, numbers, gammas),
    st.builds(Step, numbers, steps, gammas),
    st.builds(MultiStep, numbers, milestones, gammas),
    st.builds(CosineWarmRestarts, numbers, steps, st.integers(1, 3)),
    st.builds(Cyclic, numbers, numbers, steps, st.none() | steps),
)
limited = st.one_of(
    st.builds(lambda a, b, n: Linear(a, final=b, steps=n), numbers, numbers, steps),
    st.builds(Cosine, numbers, steps, numbers),
    st.builds(Polynomial, numbers, steps, st.sampled_from([1.0, 2.0]), numbers),
    st.builds(Warmup, steps, numbers, st.none() | numbers),
    st.builds(OneCycle, rates, steps, anneal=st.sampled_from(["cos", "linear"]), three_phase=st.booleans()),
    st.builds(
        WSD, rates, st.integers(0, 5), st.integers(12, 20), st.integers(1, 7), st.sampled_from(["linear", "1-sqrt"])
    ),
    st.builds(lambda s, n: s.take(n), endless, steps),
)


def _joined(parts: st.SearchStrategy[Sequence]) -> st.SearchStrategy[Sequence]:
    chains = st.builds(lambda heads, last: Chain(*heads, last), st.lists(limited, max_size=3), parts)
    piecewise = milestones.flatmap(
        lambda at: st.lists(parts, min_size=len(at) + 1, max_size=len(at) + 1).map(lambda values: Piecewise(values, at))
    )
    return chains | piecewise | st.builds(lambda s, n: s.take(n), parts, steps)


sequences: st.SearchStrategy[Sequence] = st.recursive(endless | limited, _joined, max_leaves=4)
configs: st.SearchStrategy[Config] = st.builds(
    lambda lr, size, extra: Config({"lr": lr, "batch_size": size, **extra}),
    sequences,
    st.sampled_from([Constant(128), Piecewise([128, 256], [15]), MultiStep(128, [15], 2)]),
    st.sampled_from([{}, {"optimizer": "sgd"}]),
)
