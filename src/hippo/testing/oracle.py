"""Steps as brute force sees them: no nodes, no trees, only the pieces in force at every step up to them."""

from __future__ import annotations

from hippo.hparams import Config


def unit_steps(config: Config, until: int) -> list[tuple[str, ...]]:
    """Return a name for each of the first `until` steps of a config, equal where two configs share that step.

    A name is the tuple of all pieces, with their origins, at step 0, 1, ... up to the step.
    """
    keys = []
    for t in range(until):
        in_force = {}
        for name in config:
            for start, piece in config[name].pieces(until):
                if start <= t:
                    in_force[name] = piece.key
        keys.append(repr(sorted(in_force.items())))
    return [tuple(keys[: t + 1]) for t in range(until)]
