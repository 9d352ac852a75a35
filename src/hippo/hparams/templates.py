"""Templates: sequences some of whose arguments are distributions, and `choice`, which draws among anything.

A template becomes a sequence when it is sampled. Distributions are found at any depth of its arguments.
This module refuses to know which sequences there are: a template keeps the class that was called, and calls it again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hippo.arguments import explain_calls
from hippo.errors import SpaceError
from hippo.hparams.distributions import Distribution
from hippo.hparams.values import canonical, canonical_text

if TYPE_CHECKING:
    from numpy.random import Generator


_SCALARS = frozenset({float, int, str, bool, type(None)})


def is_open(argument: object) -> bool:
    """Tell whether there is a distribution anywhere in an argument."""
    if type(argument) in _SCALARS:  # most often
        return False
    waiting, seen = [argument], set[int]()
    while waiting:  # and no recursion: what is nested too deeply is refused by `canonical`, in words
        item = waiting.pop()
        if isinstance(item, Distribution):
            return True
        if isinstance(item, list | tuple | dict) and id(item) not in seen:
            seen.add(id(item))
            waiting += item.values() if isinstance(item, dict) else item
    return False


def copied(argument: Any) -> Any:
    """Return an argument with its lists and dictionaries copied, at any depth, so that nobody else changes them."""
    try:
        return _copied(argument, {})
    except RecursionError:  # refused in words, where it is looked at
        return argument


def _copied(argument: Any, known: dict[int, Any]) -> Any:
    if not isinstance(argument, list | tuple | dict):
        return argument
    if id(argument) not in known:
        if type(argument) is tuple:
            known[id(argument)] = tuple(_copied(item, known) for item in argument)
        elif type(argument) is list:
            made = known[id(argument)] = []  # one that holds itself holds its copy
            made += [_copied(item, known) for item in argument]
        elif type(argument) is dict:
            named = known[id(argument)] = {}
            named |= {name: _copied(item, known) for name, item in argument.items()}
        else:  # of a class of its own: nobody knows how it is made
            known[id(argument)] = argument
    return known[id(argument)]


def closed(argument: Any, rng: Generator) -> Any:
    """Return the argument with a sample in the place of each distribution, in the order in which they are written."""
    if isinstance(argument, Distribution):
        return argument.sample(rng)
    if isinstance(argument, list | tuple):
        return [closed(item, rng) for item in argument]
    if isinstance(argument, dict):
        return {name: closed(item, rng) for name, item in argument.items()}
    return argument


#: says what stands in the place of the distribution of this name; for a `Choice`: the position of one of its options
Choose = Callable[[str, Distribution], Any]


def filled(argument: Any, name: str, choose: Choose) -> Any:
    """Return the argument with what `choose` says in the place of each distribution, in the order of writing.

    What is within the argument `name` has names that say where: "lr.gamma" is an argument of the sequence "lr",
    "lr[2]" the third item of a list, or the third option of a choice. Options that are not chosen are not asked about.
    """
    if isinstance(argument, Template):
        return argument.filled(name, choose)
    if isinstance(argument, Choice):
        position = choose(name, argument)
        return filled(argument.options[position], f"{name}[{position}]", choose)
    if isinstance(argument, Distribution):
        return choose(name, argument)
    if isinstance(argument, list | tuple):
        return [filled(item, f"{name}[{i}]", choose) for i, item in enumerate(argument)]
    if isinstance(argument, dict):
        return {key: filled(item, f"{name}.{key}", choose) for key, item in argument.items()}
    return argument


def expanded(argument: Any, name: str) -> Iterator[Any]:
    """Yield the argument with each option of each choice in it, the last choice varying fastest.

    Choices within options that are not taken are not asked about, so that what they decide exists only with them.

    Raises:
      SpaceError: there is a distribution that is no choice.
    """
    if not is_open(argument):
        yield argument
        return
    taken: list[int] = []
    while True:
        sizes: list[int] = []

        def choose(where: str, distribution: Distribution, sizes: list[int] = sizes) -> int:
            if not isinstance(distribution, Choice):
                raise SpaceError(
                    f"{where!r} is {distribution!r}, a distribution, which a grid cannot enumerate; use "
                    f"RandomSearchSpace."
                )
            if len(sizes) == len(taken):
                taken.append(0)
            sizes.append(len(distribution.options))
            return taken[len(sizes) - 1]

        yield filled(argument, name, choose)
        while taken and taken[-1] == sizes[len(taken) - 1] - 1:
            taken.pop()
        if not taken:
            return
        taken[-1] += 1


def described(argument: Any) -> Any:
    """Return an argument, open or not, as what JSON can hold; a plain dictionary is marked as one."""
    if type(argument) in _SCALARS:  # most often
        return canonical(argument)
    if hasattr(argument, "to_json"):
        return argument.to_json()
    if isinstance(argument, list | tuple):
        return [canonical(item) if type(item) in _SCALARS else described(item) for item in argument]
    if isinstance(argument, Mapping):
        return {"dict": {name: described(item) for name, item in argument.items()}}
    return canonical(argument)


class Template(Distribution):
    """A sequence whose arguments are yet to be drawn. Made by calling a sequence's class with a distribution."""

    def __init__(self, factory: Callable[..., Any], arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        self._factory = factory
        self._arguments = copied(arguments)
        self._named = copied(dict(named))

    def sample(self, rng: Generator) -> Any:
        """Draw the arguments, in the order in which they are written, and build the sequence."""
        arguments = [closed(argument, rng) for argument in self._arguments]
        return self._factory(*arguments, **{name: closed(value, rng) for name, value in self._named.items()})

    def filled(self, name: str, choose: Choose) -> Any:
        """Return the sequence whose arguments are what `choose` says; see the function `filled`."""
        arguments = [
            filled(argument, f"{name}{part}", choose)
            for part, argument in zip(self._parts(), self._arguments, strict=False)
        ]
        named = {key: filled(value, f"{name}.{key}", choose) for key, value in self._named.items()}
        return self._factory(*arguments, **named)

    def _parts(self) -> Iterator[str]:
        """Yield how the arguments given by position are called: ".gamma", or "[0]" where they have no names."""
        init = self._factory.__init__ if isinstance(self._factory, type) else self._factory  # type: ignore[misc]
        parameters = list(inspect.signature(init).parameters.values())[isinstance(self._factory, type) :]
        named = [p for p in parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL]
        yield from (f".{p.name}" for p in named if p.kind is not inspect.Parameter.KEYWORD_ONLY)
        yield from (f"[{i}]" for i in range(len(self._arguments)))

    def then(self, following: Any) -> Any:
        """Return the template of a chain that goes on with `following`."""
        from hippo.hparams.joined import Chain

        return Chain(self, following)

    def take(self, steps: Any) -> Any:
        """Return the template of this sequence's first `steps` steps."""
        from hippo.hparams.joined import Take

        return Take(self, steps)  # type: ignore[arg-type]

    def to_json(self) -> dict[str, Any]:
        from hippo.hparams.custom import code_of_made

        return {
            "template": self._factory.__name__,
            "arguments": described(self._arguments),
            "named": described(self._named),
            **code_of_made(self._factory),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and canonical_text(self.to_json()) == canonical_text(other.to_json())

    def __hash__(self) -> int:
        return hash(canonical_text(self.to_json()))

    def __repr__(self) -> str:
        named = [f"{name}={value!r}" for name, value in self._named.items()]
        return f"{self._factory.__name__}({', '.join([*map(repr, self._arguments), *named])})"


class Choice(Distribution):
    """One of its options, each as likely; an option may be a value, a sequence, a template or a distribution."""

    def __init__(self, options: tuple[Any, ...]) -> None:
        self.options = copied(options)

    def sample(self, rng: Generator) -> Any:
        return closed(self.options[int(rng.integers(len(self.options)))], rng)

    def to_json(self) -> dict[str, Any]:
        return {"distribution": "choice", "arguments": described(self.options)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and canonical_text(self.to_json()) == canonical_text(other.to_json())

    def __hash__(self) -> int:
        return hash(canonical_text(self.to_json()))

    def __repr__(self) -> str:
        # a single option that is itself a list would be read as the list of options
        shown = [list(self.options)] if len(self.options) == 1 else self.options
        return f"choice({', '.join(map(repr, shown))})"


@explain_calls(
    **dict.fromkeys(("options", "choices", "categories", "values"), "options have no name; write choice([...])"),
    **dict.fromkeys(("p", "weights"), "each option is as likely; write one several times to have it drawn more often"),
)
def choice(*options: Any) -> Any:
    """Return the distribution that draws one of the options; a single list or range holds the options itself."""
    if len(options) == 1 and isinstance(options[0], list | tuple | range):
        options = tuple(options[0])
    if not options:
        raise SpaceError("choice() needs at least one option, such as choice(10, 15).")
    return Choice(options)
