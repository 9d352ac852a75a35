"""Every figure that a page cites is that of its result file."""

from __future__ import annotations

import re

import pytest

import claims
from claims import CLAIMS, PAGES, TABLES, Claim, loose_figures, mended
from provenance import ROOT

BENCH = "benchmarks/README.md"


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_figures_of_a_page_are_those_of_the_result_files(page: str) -> None:
    assert mended(page, text_of(page))[1] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_figure_of_a_page_comes_from_nowhere(page: str) -> None:
    assert loose_figures(page, text_of(page)) == []


def test_every_table_and_every_listed_sentence_is_on_a_page() -> None:
    shown = {name for page in PAGES for name in re.findall(r"<!-- figures: (\w+) -->", text_of(page))}

    assert shown == set(TABLES)
    assert {claim.page for claim in CLAIMS} <= set(PAGES)


def test_tables_are_written_between_their_marks_and_nothing_else_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "TABLES", {"one": lambda: "| 1 |", "two": lambda: "| 2 |"})
    begin, end = "<!-- figures: {} -->\n", "<!-- end of figures -->\n"
    text = f"a\n{begin.format('one')}{end}b\n{begin.format('two')}| 3 |\n| 4 |\n{end}c\n"

    found, wrong = mended("other.md", text)

    assert found == f"a\n{begin.format('one')}| 1 |\n{end}b\n{begin.format('two')}| 2 |\n{end}c\n"
    assert len(wrong) == 2
    assert mended("other.md", found) == (found, [])


@pytest.fixture
def claim(monkeypatch: pytest.MonkeyPatch) -> Claim:
    found = Claim(page=BENCH, text="hippo takes {much} s, Ray {more} s", figures=lambda: {"much": "1.5", "more": "10"})
    monkeypatch.setattr(claims, "CLAIMS", (found,))
    return found


def test_a_wrong_figure_is_named_and_mended_where_the_line_breaks(claim: Claim) -> None:
    text, wrong = mended(BENCH, "Measured: hippo takes 12.25 s,\nRay 7 s.")

    assert text == "Measured: hippo takes 1.5 s,\nRay 10 s."
    assert [line.partition(" (")[0] for line in wrong] == [f"{BENCH}: 7 should be 10", f"{BENCH}: 12.25 should be 1.5"]
    assert mended(BENCH, text) == (text, [])


def test_a_sentence_that_was_rewritten_is_missed(claim: Claim) -> None:
    (complaint,) = mended(BENCH, "hippo needs 1.5 s, Ray 10 s")[1]

    assert "no longer says" in complaint


@pytest.mark.parametrize("figure", ["2.97 times", "4.4", "20 ms", "1,200 s", "0.7 %", "3.5x", "3 x"])
def test_a_figure_that_nobody_measured_is_found(claim: Claim, figure: str) -> None:
    assert loose_figures(BENCH, f"It takes {figure} as long.") != []


def test_code_links_and_listed_sentences_hold_no_loose_figures(claim: Claim) -> None:
    text = "`0.3` is [a rate](x-1.5.md), and hippo takes 1.5 s, Ray 10 s.\n```\nlr = 0.1\n```\n56 trials of 24 steps\n"

    assert loose_figures(BENCH, text) == []
