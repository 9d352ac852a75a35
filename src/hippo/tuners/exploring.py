"""Which hyper-parameters of a trial may change while it trains, and how they are perturbed or drawn again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hippo.errors import HparamError, TunerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, Distribution, GridSearchSpace, RandomSearchSpace, Sequence, as_sequence, choice
from hippo.hparams.spaces import check_options
from hippo.hparams.templates import Choice, closed, is_open
from hippo.tuners.number_lines import line_of

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """A config that was switched, maybe often, and its hyper-parameters as they were written last."""

    config: Config
    #: the sequences in force, each as it was given, on a clock of its own
    written: Config

    @classmethod
    def begin(cls, config: Config) -> Lineage:
        """Return the lineage of a config that was never switched."""
        return cls(config=config, written=config)

    def switch(self, *, at: int, values: Mapping[str, object]) -> Lineage:
        """Return the lineage that goes on with other values from step `at`.

        What is given again as it is written stays as it is, and keeps its clock.
        """
        changed = {name: value for name, value in values.items() if as_sequence(value) != self.written[name]}
        if not changed:
            return self
        return Lineage(config=self.config.switch(at=at, **changed), written=Config({**self.written, **changed}))


def mutable_hparams(space: Any, mutations: Mapping[str, Any] | None) -> dict[str, Distribution]:
    """Return what each hyper-parameter that may change is drawn from, by name, in alphabetical order.

    Args:
      space: what the first configs come from.
      mutations: name -> distribution, or list of options; None: whatever a `RandomSearchSpace` draws.

    Raises:
      TunerError: nothing may change, or one of `mutations` is no distribution.
      HparamError: an option of one is no value.
      UnknownHparamError: one of `mutations` is not in the space.
    """
    if mutations is None:
        if not isinstance(space, RandomSearchSpace):
            raise TunerError(
                f"a {type(space).__name__} does not say which values to explore; say it by mutations={{name: "
                "distribution}, such as mutations={'lr': loguniform(1e-4, 1)}"
            )
        mutations = {name: value for name, value in space.hparams.items() if is_open(value)}
    if not isinstance(mutations, Mapping):
        raise TunerError(
            f"mutations must be {{name: distribution}}, such as {{'lr': loguniform(1e-4, 1)}}, not {mutations!r}"
        )
    if not mutations:
        raise TunerError("nothing may change: the space draws no hyper-parameter, and mutations names none")
    if isinstance(space, RandomSearchSpace):
        check_known(mutations, space.hparams)
    return {name: as_distribution(name, mutations[name]) for name in sorted(mutations)}


def check_known(names: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse names that are not among those of a config, or of a space.

    Raises:
      UnknownHparamError: says which one, and what there is.
    """
    for name in names:
        if name not in known:
            raise UnknownHparamError(
                f"{name!r} cannot change: the space has no such hyper-parameter, only {sorted(known)}."
                + did_you_mean(name, known)
            )


def is_allowed(space: Any, lineage: Lineage, values: Mapping[str, Any]) -> bool:
    """Tell whether a space's filter lets these values pass, those not given being as they were written."""
    if not isinstance(space, RandomSearchSpace | GridSearchSpace):
        return True
    return space.allows(Config({**lineage.written, **values}))


def with_filter(record: dict[str, Any], space: Any) -> dict[str, Any]:
    """Return the record of a tuner that explores, in which the filter of a grid is named: its configs do not tell it.

    Raises:
      TunerError: the filter may be another one in the next process.
    """
    try:
        found = space.filter_hash if isinstance(space, GridSearchSpace) else None
    except HparamError as error:
        raise TunerError(
            f"the filter of {space!r} may be another one in the next process, so that a re-run would not be "
            f"recognised. ({error})"
        ) from None
    return record if found is None else {**record, "filter": found}


def perturbed(distribution: Distribution, written: Sequence, value: Any, factor: float, rng: Generator) -> Any:
    """Return a value near the one in force.

    A number is multiplied by a factor, brought back between the bounds of its distribution, and onto the multiples
    that it draws. Among options, one of the neighbours is taken. Anything else is drawn again.

    Args:
      distribution: what the hyper-parameter is drawn from.
      written: the sequence in force, as it was given.
      value: its value where the change begins.
      factor: what numbers are multiplied by.
      rng: chance.
    """
    line = line_of(distribution)
    if line is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return line.scaled(value, factor)
    if isinstance(distribution, Choice):
        index = _index(distribution.options, written)
        neighbours = [] if index is None else [i for i in (index - 1, index + 1) if 0 <= i < len(distribution.options)]
        if neighbours:
            return closed(distribution.options[neighbours[int(rng.integers(len(neighbours)))]], rng)
    return distribution.sample(rng)


def _index(options: tuple[Any, ...], written: Sequence) -> int | None:
    """Return which option a sequence is; an option that is itself a distribution is not recognised."""
    return next((i for i, option in enumerate(options) if not is_open(option) and as_sequence(option) == written), None)


def as_distribution(name: str, given: Any) -> Distribution:
    """Return a distribution as it is, and a list as the choice among its options.

    Raises:
      TunerError: it is neither.
      HparamError: an option is no value; it might be drawn after long training only.
    """
    drawn: Distribution = choice(list(given)) if isinstance(given, list | tuple) and given else given
    if isinstance(drawn, Distribution):
        check_options(name, drawn)
        return drawn
    raise TunerError(
        f"{name!r} needs a distribution, such as loguniform(1e-4, 1), or a list of options, to change to, not {given!r}"
    )
