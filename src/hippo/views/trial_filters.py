"""Which trials an expression holds for, such as `lr < 0.1 and optimizer == "adam"`.

It says in an address, or in a shell, what a space's filter says in Python: constants are their values there, too, and
`c["lr"]` is `lr`. But it comes from a stranger: its text is read, and never run. Where a trial has no value, or one
that cannot be compared, it says neither yes nor no, and whoever shows the trials is told of how many that is.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hippo.errors import OptionError, did_you_mean, listed
from hippo.hparams import Sequence as HparamSequence
from hippo.hparams.syntax import syntax_tree
from hippo.study.results.trials import Trial, flat_params, sequence_in
from hippo.views.claims import NOTHING, Claim, Operand, denied, equal, held, joined, never, ordered, true

#: characters of an expression, and names that a message lists
_MOST_CHARACTERS, _MOST_NAMES = 1_000, 40
#: a trial's number and what else each of them has, by the name of the table's column
_FACTS: Mapping[str, Callable[[Trial], object]] = {
    "number": lambda trial: trial.number,
    "state": lambda trial: trial.state.value,
    "step": lambda trial: trial.step,
    "until": lambda trial: trial.until,
    "call": lambda trial: trial.call,
    "value": lambda trial: trial.value,
    "feasible": lambda trial: trial.is_feasible,
    "seconds": lambda trial: trial.seconds,
    "error": lambda trial: trial.error,
}
_HOW = (
    "Write comparisons (==, !=, <, <=, >, >=, in, not in), joined by and, or, not, such as lr < 0.1 and optimizer in "
    '("adam", "sgd"); lr(0) is the value of a sequence at a step, c["weight-decay"] and metrics["val/loss"] '
    "are names that are none in Python"
)
_NAMED = f"of each trial {', '.join(_FACTS)}, metrics_NAME and train_NAME (at the last step)"
_ORDERED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredTrials:
    """The trials that an expression holds for."""

    #: in the order in which they were given
    trials: Sequence[Trial]
    #: of how many others it says neither yes nor no, by the reason
    unknown: Mapping[str, int]


def filter_trials(
    trials: Sequence[Trial],
    text: str,
    *,
    among: Sequence[Trial] | None = None,
    values: Mapping[int, float | None] | None = None,
) -> FilteredTrials:
    """Return the trials that an expression holds for.

    Args:
      trials: of one study.
      text: the expression.
      among: all trials of the study: it may name what one of them has; None: there are no others.
      values: number -> the objective at the last step, for who knows that already; None: trials are asked.

    Raises:
      OptionError: it is no expression, or names what no trial has; says what can be written.
    """
    holds = _Reading(text, trials if among is None else among, values).claim()
    kept, unknown = [], Counter[str]()
    for trial in trials:
        why: list[str] = []
        said = holds(trial, why)
        if said is None:
            unknown[why[0]] += 1
        elif said:
            kept.append(trial)
    return FilteredTrials(trials=kept, unknown=dict(unknown))


class _Reading:
    """One expression, read for the trials of one study.

    Args:
      text: the expression.
      trials: which.
      values: as for `filter_trials`.
    """

    def __init__(self, text: str, trials: Sequence[Trial], values: Mapping[int, float | None] | None) -> None:
        self._text = text.strip()
        self._trials = trials
        self._values = values

    @cached_property
    def _params(self) -> Mapping[str, None]:
        """The names of hyper-parameters that some trial has; made where one is named."""
        return {name: None for trial in self._trials for name in _params(trial)}

    def claim(self) -> Claim:
        """Return what the whole of it says of a trial."""
        if len(self._text) > _MOST_CHARACTERS:
            raise OptionError(f"an expression has {_MOST_CHARACTERS} characters at most, not {len(self._text)}")
        try:
            body = syntax_tree(self._text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise self._refused(getattr(error, "msg", None) or str(error) or "it is nested too deeply") from None
        if len(body) != 1 or not isinstance(body[0], ast.Expr):
            is_assigned = len(body) == 1 and isinstance(body[0], ast.Assign | ast.AnnAssign | ast.AugAssign)
            raise self._refused("= would assign, == compares" if is_assigned else "it is not one expression")
        return self._claim(body[0].value)

    def _claim(self, node: ast.expr) -> Claim:
        if isinstance(node, ast.BoolOp):
            parts = [self._claim(each) for each in node.values]
            return joined(parts, decides=isinstance(node.op, ast.Or))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return denied(self._claim(node.operand))
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            links = [
                self._compared(left, op, right) for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
            ]
            return links[0] if len(links) == 1 else joined(links, decides=False)
        return true(self._operand(node), ast.unparse(node))

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Claim:
        said = (ast.unparse(left), ast.unparse(right))
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(right, ast.Tuple | ast.List | ast.Set):
                same = [self._equal(left, each) for each in right.elts]
                found = joined(same, decides=True) if same else never
            else:
                found = held(self._operand(left), self._operand(right), said)
            return denied(found) if isinstance(op, ast.NotIn) else found
        if isinstance(op, ast.Is | ast.IsNot) and not (isinstance(right, ast.Constant) and right.value is None):
            raise self._refused(f"{said[0]} is {said[1]}: only None is asked for by is; == compares")
        if isinstance(op, ast.Eq | ast.Is):
            return self._equal(left, right)
        if isinstance(op, ast.NotEq | ast.IsNot):
            return denied(self._equal(left, right))
        return ordered(self._operand(left), _ORDERED[type(op)], self._operand(right), said)

    def _equal(self, left: ast.expr, right: ast.expr) -> Claim:
        return equal(self._operand(left), self._operand(right), (ast.unparse(left), ast.unparse(right)))

    def _operand(self, node: ast.expr) -> Operand:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str | None):
            value = node.value
            return lambda trial: value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = node.operand.value if isinstance(node.operand, ast.Constant) else None
            if isinstance(number, int | float) and not isinstance(number, bool):
                signed = -number if isinstance(node.op, ast.USub) else number
                return lambda trial: signed
        if isinstance(node, ast.Call):
            return self._at_a_step(node)
        for kind in _METRICS:
            if (metric := _key_in(node, kind)) is not None:
                return self._metric(kind, metric)
        name = _name_of(node)
        if name is None:
            raise self._refused(f"{ast.unparse(node)[:60]!r} is neither a name, a number, a text in quotes nor a list")
        return self._named(name, is_param=_key_in(node, "c") is not None)

    def _at_a_step(self, node: ast.Call) -> Operand:
        name, given = _name_of(node.func), node.args[0] if len(node.args) == 1 and not node.keywords else None
        step = given.value if isinstance(given, ast.Constant) else None
        if name is None or not isinstance(step, int | float) or isinstance(step, bool):
            raise self._refused(f"{ast.unparse(node)[:60]!r} calls something; only NAME(STEP) is known, such as lr(0)")
        as_written = self._named(name, is_param=True)
        param = name if name in self._params else name.removeprefix("params_")

        def value(trial: Trial) -> object:
            constant = as_written(trial)
            if not isinstance(constant, str):  # what is no text is a constant, or there is none
                return constant
            try:
                sequence = _sequence(trial, param)
                return constant if sequence is None else sequence(step)  # None: of a dictionary, which is a constant
            except Exception:  # of a class of the user's, which may not be here, or raise
                return NOTHING

        return value

    def _named(self, name: str, *, is_param: bool) -> Operand:
        """Return what looks a name up: a column of the table, or a hyper-parameter."""
        if not is_param:
            if name == "value" and self._values is not None:
                values = self._values
                return lambda trial: _known(values.get(trial.number))
            if name in _FACTS:
                fact = _FACTS[name]
                return lambda trial: _known(fact(trial))
        param = name if name in self._params else name.removeprefix("params_")
        if param in self._params:
            return lambda trial: _params(trial).get(param, NOTHING)
        for kind in _METRICS:
            if name.startswith(f"{kind}_") and not is_param:
                return self._metric(kind, name.removeprefix(f"{kind}_"))
        if not self._trials:
            return lambda trial: NOTHING
        meant = did_you_mean(name, [*self._params, *_FACTS])
        raise self._refused(f"no trial has a {name}, and a text stands in quotes{'.' if meant else ''}{meant}")

    def _metric(self, kind: str, name: str) -> Operand:
        """Return what looks a metric up, of a kind among `_METRICS`."""
        metrics = _METRICS[kind]
        there = {each for trial in self._trials for each in metrics(trial)}
        if name not in there and self._trials:
            names = listed([_said(kind, each) for each in sorted(there)], _MOST_NAMES) or "none yet"
            raise self._refused(f"no trial has {_said(kind, name)!r}; there are: {names}")
        return lambda trial: metrics(trial).get(name, NOTHING)

    def _refused(self, why: str) -> OptionError:
        names = listed(sorted(self._params), _MOST_NAMES) or "none yet"
        end = "" if why.endswith("?") else "."
        return OptionError(f"filter {self._text[:200]!r}: {why}{end} {_HOW}. Hyper-parameters: {names}; {_NAMED}.")


# --- names


def _name_of(node: ast.expr) -> str | None:
    """Return the name that is written: lr, opt.momentum, or c["weight-decay"]; None if it is none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        above = _name_of(node.value)
        return None if above is None else f"{above}.{node.attr}"
    return _key_in(node, "c")


def _key_in(node: ast.expr, name: str) -> str | None:
    """Return the text by which something of this name is looked into, as in c["weight-decay"]; None: it is not."""
    is_looked_into = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name
    key = node.slice.value if is_looked_into and isinstance(node.slice, ast.Constant) else None  # type: ignore[attr-defined]
    return key if isinstance(key, str) else None


def _said(kind: str, metric: str) -> str:
    """Return how a metric is written."""
    return f"{kind}_{metric}" if f"{kind}_{metric}".isidentifier() else f'{kind}["{metric}"]'


def _sequence(trial: Any, name: str) -> HparamSequence | None:
    return sequence_in(trial, name) if isinstance(trial, Trial) else dict(trial.config.sequences).get(name)


def _known(value: object) -> object:
    return NOTHING if value is None else value


def _params(trial: Any) -> Mapping[str, object]:
    # those of a study of a service come with their config, and nothing else
    return flat_params(trial) if isinstance(trial, Trial) else trial.config.flat_params


def _metrics(trial: Trial) -> Mapping[str, float]:
    found: Mapping[str, float] = trial.metrics
    return found


def _train_metrics(trial: Trial) -> Mapping[str, float]:
    # of a study of a service, what train() returned is not told
    found: Mapping[str, float] = getattr(trial, "last_train_metrics", {})
    return found


#: what `evaluate()` and `train()` returned, by the names that such metrics begin with
_METRICS: Mapping[str, Callable[[Trial], Mapping[str, float]]] = {"metrics": _metrics, "train": _train_metrics}
