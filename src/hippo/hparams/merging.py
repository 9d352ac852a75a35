"""The merge rate: how many times over the distinct steps of a set of trials are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hippo.errors import SpaceError
from hippo.hparams.config import Config, as_config
from hippo.hparams.paths import Pieces, checked_until, path

#: the estimated seconds of a step under these values
SecondsPerStep = Callable[[Mapping[str, Any]], float]


def merge_rate(
    configs: Iterable[Any],
    until: int,
    seconds_per_step: SecondsPerStep | None = None,
) -> float:
    """Return the steps that are asked for, over the distinct ones among them.

    Hippo, section 6: p for the configs of one study, q for a list of spaces. Every trial runs to `until`.

    Args:
      configs: configs or mappings, or a list of spaces, each an iterable of such.
      until: the steps of every trial.
      seconds_per_step: weighs each step by its seconds under the values in force.

    Raises:
      SpaceError: there are no configs.
    """
    tree = _Tree(checked_until(until), seconds_per_step)
    for config in _flat(configs):
        tree.add(config)
    if not tree.asked:
        raise SpaceError("There are no configs whose steps could be merged.")
    return tree.asked / tree.distinct()


def _flat(configs: Iterable[Any]) -> Iterator[Config]:
    """Yield the configs of a space, or of a list of spaces."""
    if not isinstance(configs, Iterable):
        raise SpaceError(f"{configs!r} cannot be enumerated; give a grid, or a list of configs drawn from it.")
    if isinstance(configs, Mapping):
        raise SpaceError("merge_rate takes a list of configs, not a single one; write [config].")
    for item in configs:
        if isinstance(item, Mapping):
            yield as_config(item)
        else:
            yield from _flat(item)


class _Stretch:
    """A stretch of steps under the same pieces after the same past: a node of the tree, as long as it is asked for."""

    __slots__ = ("_pieces", "_seconds", "children", "start", "stop")

    def __init__(self, start: int, pieces: Pieces) -> None:
        self.start = start
        self.stop = start
        self.children: dict[tuple[Any, ...], _Stretch] = {}
        self._pieces = pieces
        #: entry n: the seconds of the first n steps
        self._seconds: list[float] = [0.0]

    def weight(self, stop: int, seconds_per_step: SecondsPerStep | None) -> float:
        """Return the steps from the start to `stop`, or their seconds."""
        if seconds_per_step is None:
            return stop - self.start
        if all(piece.origin is None for piece in self._pieces.values()):
            if len(self._seconds) == 1:
                self._seconds.append(seconds_per_step(self._values(self.start)))
            return (stop - self.start) * self._seconds[1]
        for step in range(self.start + len(self._seconds) - 1, stop):
            self._seconds.append(self._seconds[-1] + seconds_per_step(self._values(step)))
        return self._seconds[stop - self.start]

    def _values(self, step: int) -> dict[str, Any]:
        return {name: piece.at(step) for name, piece in self._pieces.items()}


class _Tree:
    """The paths of all trials, merged where they begin alike."""

    def __init__(self, until: int, seconds_per_step: SecondsPerStep | None) -> None:
        self.asked: float = 0
        self._until = until
        self._seconds_per_step = seconds_per_step
        self._root = _Stretch(0, {})
        self._stretches: list[_Stretch] = []

    def add(self, config: Config) -> None:
        """Add the path of a trial."""
        stretch = self._root
        for start, pieces in path(config, self._until):
            if stretch is not self._root:
                self._reach(stretch, start)
            stretch = self._child(stretch, start, pieces)
        self._reach(stretch, self._until)

    def _child(self, parent: _Stretch, start: int, pieces: Pieces) -> _Stretch:
        key = (start, *pieces.items())
        child = parent.children.get(key)
        if child is None:
            child = parent.children[key] = _Stretch(start, pieces)
            self._stretches.append(child)
        return child

    def _reach(self, stretch: _Stretch, stop: int) -> None:
        stretch.stop = max(stretch.stop, stop)
        self.asked += stretch.weight(stop, self._seconds_per_step)

    def distinct(self) -> float:
        """Return the steps, or the seconds, of the whole tree."""
        return sum(stretch.weight(stretch.stop, self._seconds_per_step) for stretch in self._stretches)
