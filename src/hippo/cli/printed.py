"""Configs as the rows of a study print them, put together again: dictionaries taken apart, and sequences of users.

It refuses to guess: what it cannot put together is refused, and never trained as another config.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hippo.hparams import Config, Sequence

#: in what a sequence is printed as, what it is called, and what is within it
_CALLED = re.compile(r"(\w+)\(")
#: a text that may be what a sequence of a user's own is printed as: `Wave(height=0.1)`, `<Wave {...}, unavailable>`
_MAY_BE_OWN = re.compile(r"([\w.<>]+)\(.*\)|<(\S+) .*, unavailable>", re.DOTALL)


def needs_rows(asked: Mapping[str, Any]) -> bool:
    """Tell whether only the trials of the study say what is meant."""
    return any("." in name for name in asked) or any(
        isinstance(value, str) and _MAY_BE_OWN.fullmatch(value) for value in asked.values()
    )


def has_sequence(asked: Mapping[str, Any]) -> bool:
    """Tell whether a formula of hippo's is in a config."""
    from hippo.hparams import Sequence

    return any(isinstance(value, Sequence) for value in asked.values())


def put_together(asked: Mapping[str, Any], known: Iterable[Config]) -> dict[str, Any]:
    """Return a config in which "opt.name" is an entry of the dictionary "opt" where trials have one.

    Args:
      asked: as rows print it, without "params_".
      known: the configs of the study's trials.

    Raises:
      click.BadParameter: it may mean two things, or a sequence that no trial has.
    """
    configs = {config.key: config for config in known}.values()
    whole = {name for config in configs for name in config}
    paths = {".".join(path): path for config in configs for path in _paths(config)}
    own = _UserSequences(configs)
    found: dict[str, Any] = {}
    for name, value in asked.items():
        path = paths.get(name, (name,))
        if len(path) > 1 and name in whole:
            raise click.BadParameter(
                f"{name!r} is a hyper-parameter of some trials and an entry of the dictionary {path[0]!r} of others; "
                f'write the dictionary, {{"{path[0]}": {{...}}}}, or ask from Python'
            )
        is_within = any(name.startswith(f"{other[0]}.") for other in paths.values())
        if len(path) == 1 and is_within and name not in whole:
            beginning = name.partition(".")[0]
            raise click.BadParameter(
                f"no trial has {name!r}, and {beginning!r} is a dictionary: write it, "
                f'{{"{beginning}": {{"{name.partition(".")[2]}": ...}}}}'
            )
        _put(found, path, own.sequence_of(value) if isinstance(value, str) else value)
    return found


def refuse_namesakes(asked: Iterable[Mapping[str, Any]], known: Iterable[Config]) -> None:
    """Refuse a sequence of hippo's where trials have one of a user's that is called alike: who is meant is not told.

    Args:
      asked: configs in which formulas are sequences.
      known: the configs of the study's trials.

    Raises:
      click.BadParameter: names it.
    """
    own = _UserSequences(known).classes
    for name, value in (item for config in asked for item in config.items()):
        if not isinstance(value, str) and (called := own.intersection(_CALLED.findall(repr(value)))):
            raise click.BadParameter(
                f"{name}={value!r}: trials of the study have a {min(called)} of your own, and hippo has one, too; ask "
                "for it from Python, study.ask"
            )


def _paths(config: Config) -> Iterator[tuple[str, ...]]:
    """Yield the ways to the entries of dictionaries, where these are taken apart in rows."""
    flat = config.flat_params
    for name, value in config.params.items():
        if isinstance(value, dict) and value and name not in flat:
            yield from _within((name,), value)


def _within(path: tuple[str, ...], value: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, dict) or not value:
        yield path
        return
    for key, item in value.items():
        yield from _within((*path, key), item)


def _put(found: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        found = found.setdefault(key, {})
        if not isinstance(found, dict):
            raise click.BadParameter(f"{path[0]!r} has two values: one of its own, and {'.'.join(path)!r}")
    if path[-1] in found:
        raise click.BadParameter(f"{'.'.join(path)!r} has two values")
    found[path[-1]] = dict(value) if isinstance(value, dict) else value  # a copy, to which entries may be added


class _UserSequences:
    """The sequences of users that trials have, by the texts that they are printed as."""

    def __init__(self, configs: Iterable[Config]) -> None:
        from hippo.hparams import Constant

        self._by_text: dict[str, dict[str, Sequence]] = {}
        #: their names, with and without those around them
        self.classes: set[str] = set()
        for config in configs:
            for sequence in config.values():
                if not isinstance(sequence, Constant):
                    self._add(sequence)

    def _add(self, sequence: Sequence) -> None:
        from hippo.hparams.custom import UnavailableSequence, is_ours

        texts = {repr(sequence)}
        if isinstance(sequence, UnavailableSequence) or not is_ours(type(sequence)):
            described = sequence.to_json()
            name = described["sequence"].rpartition(":")[2]
            self.classes |= {name, name.rpartition(".")[2]}
            texts.add(UnavailableSequence.printed(described))
        for text in texts:
            self._by_text.setdefault(text, {})[sequence.key] = sequence

    def sequence_of(self, text: str) -> Any:
        """Return the sequence that a text was printed for, or the text.

        Raises:
          click.BadParameter: there are several, or none, and it is no text.
        """
        match = _MAY_BE_OWN.fullmatch(text)
        if match is None:
            return text
        found = list(self._by_text.get(text, {}).values())
        if len(found) == 1:
            return found[0]
        if not found and match[2] is None and match[1] not in self.classes:
            return text
        which = "several trials have other ones, which are printed alike" if found else "no trial of the study has it"
        raise click.BadParameter(f"{text!r} is a sequence of your own, and {which}: ask for it from Python, study.ask")
