"""What a function can look up in its config: known where it asks by names only, and never less than it asks for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from hippo.integrations.config_reads import config_reads


def by_names(config: dict[str, Any]) -> Any:
    if "warm" in config:
        config["steps"] = 3
    return config["lr"] + config.get("decay", 0.0) + config.pop("bs")


def through_others(data: list[Any], config: dict[str, Any]) -> Any:
    return by_names(config), second(1, config), by_names(config)


def second(number: int, config: dict[str, Any]) -> Any:
    return config["width"] if number else second(number, config)


def spread(config: dict[str, Any]) -> Any:
    return config["lr"], dict(**config)


def gone_through(config: dict[str, Any]) -> Any:
    return config["lr"], [config[name] for name in config]


def handed_on(config: dict[str, Any]) -> Any:
    return config["lr"], print(config)


def by_keyword(config: dict[str, Any]) -> Any:
    return config["lr"], by_names(config=config)


def behind_a_star(config: dict[str, Any]) -> Any:
    return config["lr"], second(*[1], config)


def renamed(config: dict[str, Any]) -> Any:
    values = config
    return values["lr"]


def all_locals(config: dict[str, Any]) -> Any:
    return config["lr"], locals()["config"]["decay"]


def of_a_local(config: dict[str, Any]) -> Any:
    def second(_: int, values: dict[str, Any]) -> Any:
        return values["decay"]

    return config["lr"], second(1, config)


def in_a_star(*configs: dict[str, Any]) -> Any:
    return configs[0]["lr"]


@functools.wraps(by_names)
def wrapped(config: dict[str, Any]) -> Any:
    return by_names(config) + config["scale"]


NAMES = frozenset({"warm", "steps", "lr", "decay", "bs"})


@pytest.mark.parametrize(
    ("function", "position", "names"),
    [(by_names, 0, NAMES), (through_others, 1, NAMES | {"width"}), (wrapped, 0, NAMES | {"scale"})],
)
def test_names_that_are_looked_up_are_known(function: Any, position: int, names: frozenset[str]) -> None:
    assert config_reads(function, position) == names


@pytest.mark.parametrize(
    "function",
    [spread, gone_through, handed_on, by_keyword, behind_a_star, renamed, all_locals, of_a_local, in_a_star],
)
def test_who_may_look_at_anything_is_believed(function: Callable[..., Any]) -> None:
    assert config_reads(function, 0) is None


def test_code_without_source_may_look_at_anything() -> None:
    scope: dict[str, Any] = {}
    exec("def trainable(config): return config['lr']", scope)

    assert config_reads(scope["trainable"], 0) is None
