"""The merge rate: how many times over the distinct steps of a set of trials are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import SpaceError
from hippo.hparams.config import Config, as_config
from hippo.hparams.paths import checked_until
from hippo.hparams.pieces import Piece
from hippo.hparams.sequence import Sequence

#: the estimated seconds of a step under these values
SecondsPerStep = Callable[[Mapping[str, Any]], float]
#: told how many configs were looked at, now and then
Progress = Callable[[int], None]

#: configs from one call of `progress` to the next
_PROGRESS_EVERY = 10_000
#: sequences whose pieces are remembered: those of a grid are few, and those of a list may be a million
_REMEMBERED = 100_000


@explain_calls(steps="it is called until here", max_steps="it is called until here")
def merge_rate(
    configs: Iterable[Any],
    until: int,
    seconds_per_step: SecondsPerStep | None = None,
    *,
    progress: Progress | None = None,
) -> float:
    """Return the steps that are asked for, over the distinct ones among them.

    Hippo, section 6: p for the configs of one study, q for a list of spaces. Every trial runs to `until`.

    Args:
      configs: configs or mappings, or a list of spaces, each an iterable of such.
      until: the steps of every trial.
      seconds_per_step: weighs each step by its seconds under the values in force.
      progress: called with the number of configs looked at, every 10,000 of them: a million take seconds.

    Raises:
      SpaceError: there are no configs.
    """
    for name, given in (("seconds_per_step", seconds_per_step), ("progress", progress)):
        if given is not None and not callable(given):
            raise SpaceError(f"{name} must be a function, and is called by merge_rate, not {given!r}")
    tree = _Tree(checked_until(until), seconds_per_step)
    for number, config in enumerate(_flat(configs), 1):
        tree.add(config)
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(number)
    if not tree.asked:
        raise SpaceError("There are no configs whose steps could be merged.")
    return tree.asked / tree.distinct


def _flat(configs: Iterable[Any]) -> Iterator[Config]:
    """Yield the configs of a space, or of a list of spaces."""
    if not isinstance(configs, Iterable):
        raise SpaceError(f"{configs!r} cannot be enumerated; give a grid, or a list of configs drawn from it.")
    if isinstance(configs, Mapping):
        raise SpaceError("merge_rate takes a list of configs, not a single one; write [config].")
    for item in configs:
        if isinstance(item, Config):
            yield item
        elif isinstance(item, Mapping):
            yield as_config(item)
        else:
            yield from _flat(item)


class _Stretch:
    """A stretch of steps under the same pieces after the same past: a node of the tree, as long as it is asked for."""

    __slots__ = ("_seconds", "children", "start", "stop")

    def __init__(self, start: int) -> None:
        self.start = start
        self.stop = start
        #: made when there is a child: most stretches of a large space have none
        self.children: dict[tuple[int, ...], _Stretch] | None = None
        #: entry n: the seconds of the first n steps; only where steps have weights
        self._seconds: list[float] | None = None

    def weight(self, stop: int, pieces: Mapping[str, Piece], seconds_per_step: SecondsPerStep) -> float:
        """Return the seconds of the steps from the start to `stop`."""
        seconds = self._seconds = self._seconds or [0.0]

        def values(step: int) -> dict[str, Any]:
            return {name: piece.at(step) for name, piece in pieces.items()}

        if all(piece.origin is None for piece in pieces.values()):
            if len(seconds) == 1:
                seconds.append(seconds_per_step(values(self.start)))
            return (stop - self.start) * seconds[1]
        for step in range(self.start + len(seconds) - 1, stop):
            seconds.append(seconds[-1] + seconds_per_step(values(step)))
        return seconds[stop - self.start]


#: the pieces of a sequence as (start, number of the piece)
_Runs = tuple[tuple[int, int], ...]


class _Tree:
    """The paths of all trials, merged where they begin alike.

    Pieces are numbered, and the pieces of a sequence are found once, however many configs it stands in: the options of
    a grid are few, its configs are many.
    """

    def __init__(self, until: int, seconds_per_step: SecondsPerStep | None) -> None:
        #: the steps of all trials, or their seconds
        self.asked: float = 0
        #: those of the whole tree
        self.distinct: float = 0
        self._until = until
        self._seconds_per_step = seconds_per_step
        self._root = _Stretch(0)
        self._numbers: dict[Piece, int] = {}
        self._pieces: list[Piece] = []
        #: by the names of a config: its hyper-parameters may be others
        self._names: dict[tuple[str, ...], int] = {}
        self._runs: dict[int, tuple[Sequence, _Runs]] = {}

    def add(self, config: Config) -> None:
        """Add the path of a trial."""
        sequences = config.sequences
        names = tuple([name for name, _ in sequences])
        known = self._runs
        runs = []
        for _, sequence in sequences:
            found = known.get(id(sequence))
            runs.append(found[1] if found is not None and found[0] is sequence else self._found(sequence))
        first = self._names.setdefault(names, len(self._names))
        key = [0, first, *[run[0][1] for run in runs]]
        changes = sorted(
            [(start, place, piece) for place, run in enumerate(runs, 2) for start, piece in run[1:]] if runs else ()
        )
        stretch = self._child(self._root, tuple(key))
        for start, place, piece in changes:
            if start != key[0]:
                if key[0]:
                    stretch = self._child(stretch, tuple(key))
                self._reach(stretch, start, names, key)
                key[0] = start
            key[place] = piece
        if key[0]:
            stretch = self._child(stretch, tuple(key))
        self._reach(stretch, self._until, names, key)

    def _child(self, parent: _Stretch, key: tuple[int, ...]) -> _Stretch:
        children = parent.children
        if children is None:
            children = parent.children = {}
        child = children.get(key)
        if child is None:
            child = children[key] = _Stretch(key[0])
        return child

    def _reach(self, stretch: _Stretch, stop: int, names: tuple[str, ...], key: list[int]) -> None:
        before, stretch.stop = stretch.stop, max(stretch.stop, stop)
        if self._seconds_per_step is None:
            self.asked += stop - stretch.start
            self.distinct += stretch.stop - before
            return
        pieces = {name: self._pieces[number] for name, number in zip(names, key[2:], strict=True)}
        self.asked += stretch.weight(stop, pieces, self._seconds_per_step)
        if stretch.stop > before:
            longer = stretch.weight(stretch.stop, pieces, self._seconds_per_step)
            self.distinct += longer - stretch.weight(before, pieces, self._seconds_per_step)

    def _found(self, sequence: Sequence) -> _Runs:
        found = tuple((start, self._number(piece)) for start, piece in sequence.pieces(self._until))
        if len(self._runs) >= _REMEMBERED:
            self._runs.clear()
        self._runs[id(sequence)] = (sequence, found)
        return found

    def _number(self, piece: Piece) -> int:
        number = self._numbers.setdefault(piece, len(self._pieces))
        if number == len(self._pieces):
            self._pieces.append(piece)
        return number
