"""Configs: hyper-parameter name -> sequence, frozen; and what filters see of them.

This module refuses to know which hyper-parameters mean anything to a trainer.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hippo.arguments import explain_calls
from hippo.errors import HparamError, UnknownHparamError, did_you_mean
from hippo.frozen import computed_once
from hippo.hparams.constants import Constant
from hippo.hparams.joined import switched
from hippo.hparams.sequence import Sequence, as_sequence, plain
from hippo.hparams.values import Value, canonical_text, whole

_INSTEAD = "write Config({{**config, '{name}': {value!r}}}), or config.switch(at=10, {name}={value!r}) for later steps."


class Fork(NamedTuple):
    """Where a switched config leaves another one."""

    config: Config
    #: before this step they are the same
    at: int


class Config(Mapping[str, Sequence]):
    """A frozen mapping of hyper-parameter names, in alphabetical order, to sequences; plain values become Constants.

    `config.lr` is `config["lr"]`, unless the mapping has a method of that name. Two configs are equal iff they are
    written alike, and so are a config and a plain mapping; `path` tells how far two of them share training.
    """

    _sequences: dict[str, Sequence]
    #: the config that it is up to some step, and that step, if `switch` made it
    _forked: Fork | None = None

    def __init__(self, hparams: Mapping[str, object] | None = None, /, **named: object) -> None:
        if not isinstance(hparams, Mapping | None):
            raise HparamError(
                f'A config is a mapping of names to values or sequences, such as {{"lr": 0.1}}, not {hparams!r}.'
            )
        given: dict[Any, object] = {**(hparams or {}), **named}
        for name in given:
            if not isinstance(name, str) or not name:
                raise HparamError(f"The name of a hyper-parameter must be a string that is not empty, not {name!r}.")
        self._sequences = {name: _sequence(name, given[name]) for name in sorted(given)}

    @classmethod
    def from_sequences(cls, sequences: dict[str, Sequence]) -> Config:
        """Return the config of sequences that are known to be such; names must be in alphabetical order."""
        config = cls.__new__(cls)
        config._sequences = sequences
        return config

    def __getitem__(self, name: str) -> Sequence:
        return self.sequence(name)

    def sequence(self, name: str) -> Sequence:
        """Return the sequence of this name.

        Raises:
          UnknownHparamError: there is none.
        """
        try:
            return self._sequences[name]
        except KeyError:
            raise UnknownHparamError(
                f"The config has no hyper-parameter {name!r}; it has {list(self)}.{did_you_mean(str(name), self)}"
            ) from None

    def __getattr__(self, name: str) -> Any:
        """Return the sequence of this name: `config.lr` is `config["lr"]`, where no method is called so."""
        if name.startswith("_"):  # also while a copy is being made, which has no sequences yet
            raise AttributeError(name)
        try:
            return self[name]
        except UnknownHparamError as error:
            raise AttributeError(str(error)) from None

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise HparamError(f"A config cannot be changed: {_INSTEAD.format(name=name, value=value)}")
        super().__setattr__(name, value)

    def __setitem__(self, name: str, value: object) -> None:
        raise HparamError(f"A config cannot be changed: {_INSTEAD.format(name=name, value=value)}")

    @property
    def sequences(self) -> tuple[tuple[str, Sequence], ...]:
        """The names, in alphabetical order, and their sequences, also where a filter sees values."""
        return tuple(self._sequences.items())

    def __iter__(self) -> Iterator[str]:
        return iter(self._sequences)

    def __len__(self) -> int:
        return len(self._sequences)

    def __contains__(self, name: object) -> bool:
        return name in self._sequences

    def get(self, name: str, default: Any = None) -> Any:
        """Return the sequence of this name, or the default."""
        return self._sequences.get(name, default)

    def values_at(self, t: float) -> dict[str, Any]:
        """Return the value of every hyper-parameter at step `t`, which may lie within a step."""
        return {name: sequence(t) for name, sequence in self._sequences.items()}

    __call__ = values_at

    @property
    def params(self) -> dict[str, Value]:
        """For tables: the value of every constant, the repr of every other sequence."""
        return {
            name: sequence.value if isinstance(sequence, Constant) else repr(sequence)
            for name, sequence in self._sequences.items()
        }

    @property
    def flat_params(self) -> dict[str, Value]:
        """For tables with a column for each value: `params` with dictionaries taken apart, as "opt.momentum"."""
        return _apart(self.params)

    @explain_calls(step="it is called at here", until="it is called at here")
    def switch(self, *, at: int, **changes: object) -> Config:
        """Return the config that is this one up to step `at`, and has the changes from then on.

        Names that are not given keep their sequence and its clock; given ones begin theirs at `at`.

        Raises:
          UnknownHparamError: a name that this config has not.
        """
        at = whole("at", at, 0)
        sequences = dict(self._sequences)
        for name, value in changes.items():
            sequences[name] = switched(self.sequence(name), at, _sequence(name, value))
        config = Config.from_sequences(sequences)
        if at:
            before = self  # what it was before an earlier switch that lies behind this one
            while before._forked is not None and before._forked.at >= at:
                before = before._forked.config
            config._forked = Fork(before, at)
        return config

    @computed_once
    def key(self) -> str:
        """The canonical text that identifies the config as it is written."""
        return canonical_text([[name, sequence.key] for name, sequence in self._sequences.items()])

    @computed_once
    def _digest(self) -> bytes:
        """What identifies the config as `key` does, at a cost that does not grow with the switches behind it."""
        digest = hashlib.sha256()
        for name, sequence in self._sequences.items():
            digest.update(b"%d|%s%s" % (len(name), name.encode(), sequence._digest))
        return digest.digest()

    def to_json(self) -> dict[str, Any]:
        """Return the config as what JSON can hold."""
        return {name: sequence.to_json() for name, sequence in self._sequences.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], *, custom: bool = True) -> Config:
        """Return the config that `to_json` described; `custom=False` refuses what it would import a module for."""
        from hippo.hparams.codec import sequence_from_json

        return cls({name: sequence_from_json(sequence, custom=custom) for name, sequence in data.items()})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Config):
            return self._digest == other._digest
        if not isinstance(other, Mapping):
            return NotImplemented
        try:
            return self._digest == Config(other)._digest
        except HparamError:  # it could not be a config, and so is not this one
            return False

    def __hash__(self) -> int:
        return hash(self._digest)

    def __getstate__(self) -> dict[str, Any]:
        return {"_sequences": self._sequences}  # not the configs that it was switched from: pickle descends

    def __repr__(self) -> str:
        return f"Config({ {name: plain(sequence) for name, sequence in self._sequences.items()}!r})"


class ConfigValues(Config):
    """What a filter sees of a config: a constant is its value, any other hyper-parameter its sequence."""

    @classmethod
    def of(cls, config: Config) -> ConfigValues:
        """Return a view of a config."""
        view = cls.__new__(cls)
        view._sequences = config._sequences
        return view

    def __getitem__(self, name: str) -> Any:
        sequence = self.sequence(name)
        return sequence.value if isinstance(sequence, Constant) else sequence

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self._sequences else default


#: types of values that JSON holds as they are
_PLAIN = frozenset({str, int, float, bool, type(None)})


def flat_params_of(data: Mapping[str, Any], known: dict[str, Constant | str]) -> dict[str, Value]:
    """Return `flat_params` of the config that `to_json` described, without building a config for a row of a table.

    Args:
      data: what `to_json` returned.
      known: constants that are no scalars, and reprs of other sequences, by the text of what was met before; is added
        to.
    """
    from hippo.hparams.codec import sequence_from_json, written_plainly

    whole: dict[str, Value] = {}
    for name, sequence in data.items():
        value = sequence["arguments"].get("value")
        if sequence["sequence"] == "Constant" and type(value) in _PLAIN:
            whole[name] = value
            continue
        shown: Constant | str | None = written_plainly(sequence)
        if shown is None:
            text = json.dumps(sequence, sort_keys=True)
            if text not in known:
                made = sequence_from_json(sequence)
                known[text] = made if isinstance(made, Constant) else repr(made)
            shown = known[text]
        whole[name] = shown.value if isinstance(shown, Constant) else shown
    return _apart(whole)


def _apart(params: Mapping[str, Value]) -> dict[str, Value]:
    """Return values by name, dictionaries taken apart; one that would have a name of another stays whole."""
    if not any(isinstance(value, dict) for value in params.values()):  # most often, and for each row of a table
        return dict(params)
    apart = {name: list(_flat(name, value)) for name, value in params.items()}
    times = Counter(name for found in apart.values() for name, _ in found)
    flat: dict[str, Value] = {}
    for hparam, found in apart.items():
        flat |= dict(found) if all(times[name] == 1 for name, _ in found) else {hparam: params[hparam]}
    return flat


def _flat(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(f"{name}.{key}", item)
    else:
        yield name, value


def _sequence(name: str, value: object) -> Sequence:
    try:
        return as_sequence(value)
    except HparamError as error:
        raise HparamError(f"Hyper-parameter {name!r}: {error}") from None


def fork_of(config: Config) -> Fork | None:
    """Return where a config that `Config.switch` made leaves the one it was made from; None for any other."""
    return config._forked


def as_config(hparams: Mapping[str, object]) -> Config:
    """Return a config as it is, and any other mapping as one.

    Raises:
      HparamError: it is not a mapping, or one of its values cannot be a hyper-parameter.
    """
    if isinstance(hparams, Config):
        return hparams
    if not isinstance(hparams, Mapping):
        raise HparamError(
            f'A config is a mapping of names to values or sequences, such as {{"lr": 0.1}}, not {hparams!r}.'
        )
    return Config(hparams)
