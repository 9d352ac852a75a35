"""One word, one thing: no two classes share a name, and none is named by a word that a reader has to be told first."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hippo"
#: what an English word gains when it bends: "costs", "simulated", "Launcher"
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ors", "er", "or", "ed", "es", "s", "d", "r", "en")


@cache
def classes() -> Mapping[str, list[str]]:
    """Return the name of each class -> where it is defined."""
    found = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    return found


def words_of(name: str) -> list[str]:
    """Return the words of a class's name: "_SQLRow2" is "sql" and "row"."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?=[A-Z][a-z]|[0-9_]|$)|[A-Z]?[a-z]+", name)]


def roots_of(word: str) -> Iterator[str]:
    """Yield a word, and what it may be a form of: "planned" is "plan" or "planne"."""
    yield word
    for ending in _ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3:
            yield root
            yield root + "e"
            if root[-1] == root[-2]:
                yield root[:-1]


@cache
def glossary() -> frozenset[str]:
    """Return the words that the glossary explains."""
    bold = re.findall(r"\*\*(.*?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"))
    return frozenset(re.findall(r"[a-z]+", " ".join(bold).lower()))


@cache
def words_of_the_field() -> frozenset[str]:
    """Return those that need no explanation."""
    _, *groups = re.split(r"^# .*$", (ROOT / "tests" / "words.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return frozenset(" ".join(groups).split())


def unexplained(names: Iterable[str]) -> list[str]:
    """Return the words of these names that are neither in the glossary nor of the field."""
    known = glossary() | words_of_the_field()
    words = {word for name in names for word in words_of(name)}
    return sorted(word for word in words if known.isdisjoint(roots_of(word)))


def test_each_class_has_a_name_of_its_own() -> None:
    shared = {name: places for name, places in classes().items() if len(places) > 1}

    assert shared == {}, "the one that users do not see takes another name"


def test_each_word_of_a_class_is_in_the_glossary_or_of_the_field() -> None:
    assert unexplained(classes()) == [], "take the field's word; one of our own goes into docs/glossary.md first"


def test_the_words_of_the_field_are_words_of_classes_and_none_is_explained_twice() -> None:
    roots = {root for name in classes() for word in words_of(name) for root in roots_of(word)}

    assert sorted(words_of_the_field() - roots) == [], "no class uses these any more: take them out of tests/words.txt"
    assert sorted(words_of_the_field() & glossary()) == [], "the glossary explains these"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SearchPlan", ["search", "plan"]),
        ("_SQLRow", ["sql", "row"]),
        ("PB2", ["pb"]),
        ("ASHA", ["asha"]),
        ("CSVLog", ["csv", "log"]),
    ],
)
def test_the_scan_takes_a_name_apart(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize("name", ["DeafPlan", "StageCrew", "Trail"])
def test_the_scan_sees_a_word_that_nobody_explained(name: str) -> None:
    assert len(unexplained([name])) == 1


@pytest.mark.parametrize("name", ["StagesPlanned", "RequestingTuners", "_PlanTree"])
def test_the_scan_lets_forms_of_known_words_pass(name: str) -> None:
    assert unexplained([name]) == []
