"""A coordinate check as a picture."""

from __future__ import annotations

import sys

import pytest

from hippo.errors import HippoError
from hippo.surrogates import CoordinateCheck, ModuleSlope
from hippo.visualization import plot_coordinate_check


def check() -> CoordinateCheck:
    slopes = [
        ModuleSlope(module=module, update=update, sizes=(1.0, 1.0, 2.0**slope), slope=slope)
        for update in (1, 2)
        for module, slope in (("first", 0.0), ("second", 1.0))
    ]
    return CoordinateCheck(
        trainer="Net", parametrization="mup", scales=(8, 4, 2), num_seeds=3, num_updates=2, rate_factor=1.0,
        slopes=tuple(slopes),
    )  # fmt: skip


def test_there_is_a_line_for_each_module_after_each_update_and_what_grows_stands_out() -> None:
    pytest.importorskip("plotly")
    figure = plot_coordinate_check(check())
    first, second, *_ = figure.data

    assert [trace.name for trace in figure.data] == ["first", "second"] * 2
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False]
    assert list(first.x) == [1 / 8, 1 / 4, 1 / 2]
    assert list(second.y) == [1.0, 1.0, 2.0]
    assert first.line.color != second.line.color
    assert figure.layout.title.text == "Net, mup: failed, steepest slope 1.00"
    assert plot_coordinate_check(check(), title="mine").layout.title.text == "mine"


def test_without_plotly_there_is_a_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(HippoError, match=r"pip install 'hippo-tune\[plotly\]'"):
        plot_coordinate_check(check())
