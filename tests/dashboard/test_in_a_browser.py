"""Every view is drawn in a real browser, complains of nothing, runs no text of a user, and goes on by itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

import hippo
from hippo.testing.browser import BrowserPage, browser_program, open_browser
from hippo.testing.trainers import ToyTrainer

from ..views.gated import TWO, AsksTogether, caught_study
from .accessible import violations
from .conftest import NAME
from .test_drawn_tree import Branching, tree_of

pytest.importorskip("aiohttp")
pytest.importorskip("uvicorn")

from hippo.dashboard.prefetching import QUESTIONS

pytestmark = [pytest.mark.slow]
STUDY = quote(NAME, safe="")


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    if browser_program() is None:
        if os.environ.get("HIPPO_TEST_BROWSER") == "1":
            pytest.fail("HIPPO_TEST_BROWSER=1, and there is no Chromium")
        pytest.skip("no Chromium here (apt-get install chromium)")


def started(storage: str, *more: str) -> tuple[subprocess.Popen[str], str]:
    """Start `hippo dashboard` as a user does; return the process and where the page is."""
    command = [sys.executable, "-m", "hippo", "dashboard", storage, *more]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "http://" in line:
            return process, line.partition("are at ")[2].partition(";")[0]
    raise AssertionError(f"it ended with {process.wait()}")


@pytest.fixture(scope="module")
def page(storage: str) -> Iterator[str]:
    process, url = started(storage, "--port", "0")
    yield url
    process.send_signal(signal.SIGINT)
    assert process.wait(30) in (0, 130)


def test_each_view_is_drawn_wide_and_narrow_light_and_dark_for_everybody(page: str) -> None:
    views = {
        "": "document.querySelector('td a')",
        f"{STUDY}/tree": "document.querySelector('canvas')",
        f"{STUDY}/curves?log=1": "document.querySelector('canvas')",
        f"{STUDY}/curves?by=device-seconds&metric=train:slope": "document.querySelector('canvas')",
        "seeded/curves": "document.querySelector('canvas') && document.getElementById('seeds').checked",
        "seeded/curves?by=seconds&seeds=each": "document.querySelector('canvas')",
        "seeded/curves?by=seconds": "document.querySelector('main p[role=status]').textContent.includes('its own')",
        f"{STUDY}/schedules": "document.querySelector('canvas')",
        f"{STUDY}/slots": "document.querySelector('canvas')",
        f"{STUDY}/lineage": "document.querySelector('canvas')",
        f"{STUDY}/storage": "document.querySelector('canvas')",
        f"{STUDY}/compare": "document.querySelectorAll('canvas').length === 4",
        "many/compare": "document.querySelectorAll('canvas').length === 5",
        f"{STUDY}/compare?against=luck&mode=luck%3Dmax&with=many&over=device-seconds": "document.querySelector("
        "'#better-right').value === 'max' && document.querySelector('#over').value === 'device-seconds'",
        f"{STUDY}/compare?with=nobody": "document.querySelector('[role=alert]').textContent.includes('no study')",
        f"{STUDY}/savings": "document.querySelector('canvas')",
        f"{STUDY}/savings?price=2.5": "document.getElementById('price').value === '2.5' && "
        "document.querySelectorAll('table').length === 3",
        f"{STUDY}/trials": "document.querySelectorAll('tbody tr').length === 4",
        f"{STUDY}/trials?filter=momentum+%3C+0.6&columns=state,params_lr": (
            "document.querySelectorAll('tbody tr').length === 2 && document.querySelectorAll('th').length === 3"
        ),
        f"{STUDY}/trials?filter=lr+%3C": "document.getElementById('trouble').textContent.includes('invalid syntax')",
        f"{STUDY}/trials?filter=lr+%3C+1": "document.querySelectorAll('.note')[1].textContent.includes('neither yes')",
        f"{STUDY}/trial/1": "document.querySelector('canvas') && document.querySelectorAll('tbody tr').length === 2",
        f"{STUDY}/node/1": "document.querySelector('canvas') && document.querySelectorAll('table').length === 4",
        "failing/node/2": "document.querySelector('pre').textContent.includes('Traceback')",
        "halving/rungs": "document.querySelector('canvas')",
        "failing/rungs": "document.querySelector('.note').textContent.includes('no rungs')",
        "failing/trial/1": "document.querySelector('pre').textContent.includes('Traceback')",
        "failing/tree": "document.querySelector('canvas')",
        "failing/tree?by=state": "document.querySelector('.note').textContent.includes('1 failed')",
        "nobody/tree": "document.querySelector('[role=alert]').textContent.includes('no study')",
    }

    async def story() -> None:
        async with open_browser() as browser:
            for width, dark in ((1100, False), (400, True)):
                for view, until in views.items():
                    await browser.show("about:blank", "true")
                    await browser.show(f"{page}/#/{view}", until, width=width, dark=dark)
                    assert await browser.ask("document.documentElement.scrollWidth <= innerWidth"), view
                    assert await browser.ask("[...document.querySelectorAll('canvas')].every(c => c.width > 50)"), view
                    assert await browser.ask("document.querySelectorAll('script').length") == 2
                    heading = await browser.ask("document.querySelector('h2').textContent")
                    if view.startswith(STUDY) and "/trial/" not in view:
                        assert heading == NAME
                    found = await violations(browser)
                    assert found == [], (view, width)
            refused = [each for each in browser.complaints if "404" not in each and "400" not in each]
            assert refused == []

    asyncio.run(story())


def test_the_page_asks_of_a_study_what_was_asked_ahead(page: str) -> None:
    views = "tree", "slots", "curves", "schedules", "savings", "compare", "rungs", "lineage", "storage", "trials"
    asked: set[tuple[str, frozenset[tuple[str, str]]]] = set()

    async def story() -> None:
        async with open_browser() as browser:
            for view in views:
                await browser.show("about:blank", "true")
                drawn = "document.querySelector('h2') && !document.querySelector('main').hasAttribute('aria-busy')"
                await browser.show(f"{page}/#/many/{view}", drawn)
                for address in await browser.ask("performance.getEntriesByType('resource').map((each) => each.name)"):
                    name = urlsplit(address).path.rpartition("/api/")[2]
                    asked.add((name, frozenset(parse_qsl(urlsplit(address).query))))

    asyncio.run(story())
    expected = {(name, frozenset({"study": "many", **more}.items())) for name, more in QUESTIONS}
    assert asked >= expected
    # what is not asked ahead is quick, or for few
    assert {name for name, _ in asked - expected if "/" not in name} <= {"rights", "acts", "changes", "importance"}


def test_trials_are_filtered_their_columns_chosen_and_all_of_them_written_to_a_file(page: str, tmp_path: Path) -> None:
    def typed(name: str, text: str) -> str:
        found = f"document.getElementById('{name}')"
        return f"{found}.value = {json.dumps(text)}; {found}.dispatchEvent(new Event('change'))"

    def rows(number: int) -> str:
        return f"document.querySelectorAll('tbody tr').length === {number}"

    async def story() -> None:
        async with open_browser() as browser:
            await browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
            await browser.show(f"{page}/#/many/trials?offset=100", f"document.querySelector('table') && {rows(0)}")
            await browser.ask(typed("filter", "momentum == 0.5 and lr > 0.02"))
            await browser.wait_for(rows(6))
            assert await browser.ask("location.hash.includes('offset')") is False  # else they would lie before the page
            await browser.ask("document.querySelector('details').open = true")
            for name in ("params_lr", "metrics_luck"):
                await browser.wait_for(f"document.getElementById('column-{name}')")
                await browser.ask(f"document.getElementById('column-{name}').focus()")
                await browser.ask(f"document.getElementById('column-{name}').click()")
                await browser.wait_for(f"[...document.querySelectorAll('th')].some((e) => e.textContent === '{name}')")
            assert await browser.ask("document.querySelector('details').open")  # where one stays to choose more
            await browser.wait_for("document.activeElement.id === 'column-metrics_luck'")
            assert await violations(browser) == []
            for name in ("state", "step", "value", "seconds", "params"):
                await browser.ask(f"document.getElementById('column-{name}').click()")
                await browser.wait_for(f"document.getElementById('column-{name}')?.checked === false")
                await browser.wait_for("!document.querySelector('main').hasAttribute('aria-busy')")
            for form in ("csv", "json"):
                await browser.ask(f"document.getElementById('{form}').click()")
                file = tmp_path / f"many-trials.{form}"
                for _ in range(200):
                    if file.exists() and not list(tmp_path.glob("*.crdownload")):
                        break
                    await asyncio.sleep(0.05)
                assert "0.03" in file.read_text()
            found = json.loads((tmp_path / "many-trials.json").read_text())
            assert [list(row) for row in found] == [["number", "params_lr", "metrics_luck"]] * 6
            command = await browser.ask("document.querySelector('.command code').textContent")
            assert "--filter 'momentum == 0.5 and lr > 0.02'" in command
            await browser.ask(typed("filter", "lr <"))
            await browser.wait_for("document.getElementById('trouble')")
            await browser.ask(typed("filter", "lr < 0.02"))  # mended where it was typed
            await browser.wait_for(rows(2))
            assert [each for each in browser.complaints if "400" not in each] == []

    asyncio.run(story())


def test_a_click_on_the_end_of_a_line_tells_all_of_it_of_few_and_of_very_many(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    for name, rates in (("few", 3), ("very many", 2_100)):  # more than two thousand are drawn in another way
        study = hippo.create_study(name, trainer=ToyTrainer, storage=url, checkpoints="memory://",
                                   engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
        study.optimize(hippo.GridSearch([{"lr": 0.001 * (rate + 1)} for rate in range(rates)], until=1))
        study.close()

    async def story() -> None:
        process, page = started(url, "--port", "0")
        try:
            async with open_browser() as browser:
                for name in ("few", "very%20many"):
                    await browser.show(f"{page}/#/{name}/tree", "document.querySelector('canvas')", height=2000)
                    await browser.wait_for("!document.querySelector('main').hasAttribute('aria-busy')")
                    box = await browser.ask("JSON.stringify(document.querySelector('.chart').getBoundingClientRect())")
                    place, found = json.loads(box), False
                    for down in range(20, int(place["height"]) - 60, 2):  # the first line that ends at step 1
                        x, y = place["right"] - 90, place["top"] + down
                        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
                            await browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                                               clickCount=1)  # fmt: skip
                        found = await browser.ask("location.hash.includes('/node/')")
                        if found:
                            break
                    assert found, name
                    await browser.wait_for("document.querySelector('.note').textContent.includes('steps 0 to 1')")
            assert browser.complaints == []
        finally:
            process.kill()
            process.wait(30)

    asyncio.run(story())


def test_a_tree_is_coloured_by_how_far_it_is_and_marks_the_longest_chain_if_one_wants_that(tmp_path: Path) -> None:
    canvas = "document.querySelector('canvas')"
    said = "[...document.querySelectorAll('.note')].map((each) => each.textContent).join(' ')"
    names = "JSON.stringify(echarts.getInstanceByDom(document.querySelector('.chart')).getOption().legend[0].data)"

    async def choose(browser: BrowserPage, name: str, event: str, change: str) -> None:
        await browser.ask(f"(() => {{ const it = document.getElementById('{name}'); {change}; "
                          f"it.dispatchEvent(new Event('{event}')); }})()")  # fmt: skip

    async def story(url: str) -> None:
        process, page = started(url, "--port", "0")
        try:
            async with open_browser() as browser:
                for width, dark in ((1100, False), (400, True)):
                    await browser.show("about:blank", "true")
                    await browser.show(f"{page}/#/", "document.querySelector('progress')", width=width, dark=dark)
                    row = await browser.ask("document.querySelector('tbody tr').textContent")
                    assert "2 of 13 steps" in row
                    assert "about" in row
                    assert await violations(browser) == []
                    await browser.show(f"{page}/#/caught/tree", canvas, width=width, dark=dark)
                    await browser.wait_for("document.getElementById('longest').checked")
                    assert json.loads(await browser.ask(names)) == ["longest chain that remains"]
                    await choose(browser, "by", "change", "it.value = 'state'")
                    await browser.wait_for(f"location.hash.includes('by=state') && {said}.includes('how far it is')")
                    shown = json.loads(await browser.ask(names))
                    assert shown[0] == "trained"
                    assert shown[-1] == "longest chain that remains"
                    assert {"running", "waiting for a slot"} <= set(shown)
                    assert "7 steps" in await browser.ask(said)
                    assert await browser.ask(
                        "document.querySelector('.chart').ariaLabel.includes('waiting for a slot')"
                    )
                    assert await violations(browser) == []
                    await browser.ask("document.querySelector('details').open = true")
                    await browser.wait_for("document.querySelector('tbody tr')")
                    assert "0 to 2 trained, 2 to " in await browser.ask(
                        "document.querySelector('tbody tr').textContent"
                    )
                    await choose(browser, "longest", "change", "it.checked = false")
                    await browser.wait_for(f"!{names}.includes('longest')")
            assert browser.complaints == []
        finally:
            process.kill()
            process.wait(30)

    with caught_study(tmp_path, AsksTogether(TWO)) as (study, _):
        asyncio.run(story(study.storage))


def test_surrogates_are_seen_beside_their_target_or_below_it(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from ..study.narrow_trainers import Perceptron

    url = f"sqlite:///{tmp_path}/hippo.db"
    study = hippo.create_study("narrow", trainer=Perceptron, storage=url, checkpoints=str(tmp_path / "states"),
                               engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
    study.optimize(hippo.Surrogate(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.05}], until=2), scale=4))
    study.close()
    both = "document.querySelectorAll('canvas').length === 2"
    tops = "[...document.querySelectorAll('.chart')].map((each) => Math.round(each.getBoundingClientRect().top))"

    async def story() -> None:
        process, page = started(url, "--port", "0")
        try:
            async with open_browser() as browser:
                for query, width, are_beside in (("", 1100, True), ("", 400, False), ("?apart=rows", 1100, False)):
                    await browser.show("about:blank", "true")
                    await browser.show(f"{page}/#/narrow/tree{query}", both, width=width)
                    titles = await browser.ask("[...document.querySelectorAll('h3')].map((each) => each.textContent)")
                    assert titles == ["The target", "Its surrogates at scale 1/4"]
                    one, other = await browser.ask(tops)
                    assert (one == other) is are_beside
                    assert await violations(browser) == []
            assert browser.complaints == []
        finally:
            process.kill()
            process.wait(30)

    asyncio.run(story())


def test_branches_of_which_nothing_is_left_are_counted_until_somebody_asks_for_each(tmp_path: Path) -> None:
    tree_of(tmp_path, Branching())
    table = "[...document.querySelectorAll('tbody tr')].map((row) => row.textContent)"

    async def story() -> None:
        process, page = started(f"sqlite:///{tmp_path}/hippo.db", "--port", "0")
        try:
            async with open_browser() as browser:
                await browser.show(f"{page}/#/branches/tree", "document.querySelector('canvas')")
                await browser.ask("document.querySelector('details').open = true")
                await browser.wait_for(f"{table}.length === 3")
                assert "3 branches, of which neither metrics nor a state are left" in " ".join(await browser.ask(table))
                assert await violations(browser) == []
                await browser.ask("document.getElementById('folded').click()")
                await browser.wait_for(f"{table}.length === 5")
                assert await browser.ask("location.hash.endsWith('?folded=0')")
                await browser.ask("document.getElementById('folded').click()")
                await browser.wait_for(f"{table}.length === 3")
                assert browser.complaints == []
        finally:
            process.kill()
            process.wait(30)

    asyncio.run(story())


def test_what_was_open_is_whole_again_as_soon_as_the_page_is_drawn_anew(page: str) -> None:
    behind = "[...document.querySelectorAll('details')]"

    async def story() -> None:
        async with open_browser() as browser:
            await browser.show(f"{page}/#/many/compare", f"{behind}.length === 3")
            await browser.ask(f"{behind}.at(-1).open = true")
            await browser.wait_for(f"{behind}.at(-1).querySelector('tbody tr')")
            await browser.ask("window.scrollTo(0, 1e6)")
            scrolled = await browser.ask("window.scrollY")
            assert scrolled > 0
            # what an observer is told is what is there before the browser tells of any toggle
            await browser.ask(
                "window.seen = []; window.lasts = new Set(); new MutationObserver(() => { window.lasts.add("
                f"{behind}.at(-1)); window.seen.push({behind}.map((each) => each.open && "
                "each.querySelectorAll('tbody tr').length > 0)) })"
                ".observe(document.querySelector('main'), { childList: true, subtree: true })"
            )
            await browser.ask("window.dispatchEvent(new Event('again'))")
            # which hyper-parameters matter is asked anew: drawn from what was known, then from what comes
            await browser.wait_for("window.lasts.size >= 2")
            assert {tuple(each) for each in await browser.ask("window.seen")} == {(False, False, True)}
            assert await browser.ask("window.scrollY") == scrolled
            assert browser.complaints == []

    asyncio.run(story())


def test_what_a_study_writes_is_seen_within_a_second_and_the_page_goes_on_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"

    def run(until: int) -> None:
        study = hippo.create_study("grows", trainer=ToyTrainer, storage=url, checkpoints=str(tmp_path / "states"),
                                   engine=hippo.InlineEngine(), metric="loss", mode="min")  # fmt: skip
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=until))
        study.close()

    def rows(number: int) -> str:
        return f"document.querySelectorAll('tbody tr').length === {number}"

    said = "document.getElementById('live').textContent"

    async def story() -> None:
        process, page = started(url, "--port", "0")
        try:
            async with open_browser() as browser:
                # the first picture anew takes long, as it does where nothing is warm, and is followed by no long rest
                slow_twice = (
                    "{ let left = 2; window.requestAnimationFrame = (made) => setTimeout(made, left-- > 0 ? 300 : 0) }"
                )
                await browser.call("Page.addScriptToEvaluateOnNewDocument", source=slow_twice)
                await browser.show(f"{page}/#/grows/trials", rows(1))
                await asyncio.to_thread(run, 4)
                began = asyncio.get_running_loop().time()
                await browser.wait_for(rows(2))
                assert asyncio.get_running_loop().time() - began < 20  # half a second alone on a machine; a rest is 30
                await browser.wait_for(f"{said}.startsWith('live; as of ') && !{said}.includes('more')")
                # pictures that take long are followed by rests, of which the page tells
                await browser.ask("window.requestAnimationFrame = (made) => setTimeout(made, 300); true")
                rests = f"{said}.includes('more was written since, and is drawn in ')"
                number = 2
                while not await browser.ask(rests):
                    number += 1
                    await asyncio.to_thread(run, 2 + number)
                    await browser.wait_for(f"{rows(number)} || {rests}")
                # of another view nobody knows that it takes long
                began = asyncio.get_running_loop().time()
                await browser.ask("location.hash = '#/grows/curves'")
                await browser.wait_for(f"document.querySelector('canvas') && !{said}.includes('more')")
                assert asyncio.get_running_loop().time() - began < 20
                await browser.show("about:blank", "true")
                await browser.show(f"{page}/#/grows/trials", rows(number))
                process.send_signal(signal.SIGINT)
                process.wait(30)
                await browser.wait_for("document.getElementById('live').classList.contains('bad')")
                await asyncio.to_thread(run, 3 + number)
                process, _ = started(url, "--port", page.rpartition(":")[2])
                await browser.wait_for(rows(number + 1))
        finally:
            process.kill()
            process.wait(30)

    run(2)
    asyncio.run(story())


def test_choices_within_the_comparison_and_the_price_are_kept_in_the_address(page: str) -> None:
    def chosen(field: str, value: str) -> str:
        at = f"document.getElementById('{field}')"
        return f"{at}.value = '{value}'; {at}.dispatchEvent(new Event('change')); true"

    async def story() -> None:
        async with open_browser() as browser:
            await browser.show(f"{page}/#/{STUDY}/compare", "document.querySelectorAll('canvas').length === 4")
            await browser.ask(chosen("against", "luck"))
            await browser.wait_for("document.getElementById('better-right')")
            await browser.ask(chosen("better-right", "max"))
            await browser.wait_for("document.querySelector('.command').textContent.includes(\"'luck=max'\")")
            await browser.ask(chosen("beside", "many"))
            await browser.wait_for(
                "[...document.querySelectorAll('button')].some((each) => each.textContent === 'without many')"
            )
            await browser.ask(chosen("over", "device-seconds"))
            await browser.wait_for(
                "location.hash.endsWith('?against=luck&mode=luck%3Dmax&with=many&over=device-seconds')"
            )
            assert await browser.ask("document.querySelectorAll('canvas').length") == 4
            assert await violations(browser) == []
            await browser.ask(
                "[...document.querySelectorAll('button')].find((each) => each.textContent === 'without many').click()"
            )
            await browser.wait_for(
                "!location.hash.includes('with=') && document.querySelectorAll('canvas').length === 4"
            )
            await browser.show(f"{page}/#/{STUDY}/savings", "document.getElementById('price')")
            await browser.ask(chosen("price", "4"))
            await browser.wait_for(
                "location.hash.endsWith('/savings?price=4') && document.querySelectorAll('table').length === 3"
            )
            assert "--price 4" in await browser.ask("document.querySelector('.command').textContent")
            assert browser.complaints == []

    asyncio.run(story())
