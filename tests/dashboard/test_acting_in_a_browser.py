"""In a real browser: signing in, what is offered to whom, asking before it is done, and where the token never is."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import hippo
from hippo.testing.browser import BrowserPage, browser_program, open_browser

pytest.importorskip("aiohttp")
pytest.importorskip("uvicorn")
from .accessible import violations
from .served import ServedPage, Waits

pytestmark = [pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    if browser_program() is None:
        if os.environ.get("HIPPO_TEST_BROWSER") == "1":
            pytest.fail("HIPPO_TEST_BROWSER=1, and there is no Chromium")
        pytest.skip("no Chromium here (apt-get install chromium)")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedPage]:
    page = ServedPage(tmp_path, has_tokens=True)
    yield page
    page.stop()


async def click(browser: BrowserPage, selector: str) -> None:
    await browser.wait_for(f"document.querySelector({json.dumps(selector)})")
    await browser.ask(f"document.querySelector({json.dumps(selector)}).click()")


async def sign_in(browser: BrowserPage, token: str) -> None:
    await browser.wait_for("document.getElementById('token')")
    await browser.ask(f"document.getElementById('token').value = {json.dumps(token)}")
    await click(browser, "form button")


def test_who_signs_in_sees_what_the_token_may_and_the_token_is_nowhere_to_be_seen(served: ServedPage) -> None:
    served.study().optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    url, read, write = f"{served.origin}/dashboard/", served.tokens["read"], served.tokens["write"]

    async def story() -> None:
        async with open_browser() as browser:
            await browser.show(f"{url}#/study/trials", "document.getElementById('token')", width=400, dark=True)
            assert await browser.ask("document.documentElement.scrollWidth <= innerWidth")
            assert await violations(browser) == []
            await sign_in(browser, "nonsense")
            await browser.wait_for("document.getElementById('why').textContent.includes('none that it knows')")
            await sign_in(browser, read)
            await browser.wait_for("document.querySelectorAll('tbody tr').length === 1")
            assert "a-read (read)" in await browser.ask("document.getElementById('who').textContent")
            assert await browser.ask("document.querySelectorAll('.acts').length") == 0
            await browser.wait_for("document.getElementById('live').textContent.startsWith('live')")
            shown = await browser.ask("document.documentElement.outerHTML + location.href + document.cookie")
            assert read not in shown
            assert read not in await browser.ask("JSON.stringify([performance.getEntries(), localStorage])")
            assert served.storage in shown  # in the command that shows the same in a terminal
            await click(browser, "#out")
            await sign_in(browser, write)
            await browser.wait_for("document.getElementById('act-enqueue')")
            assert await browser.ask("document.querySelectorAll('.acts button').length") == 1
            served.file.revoke("a-write")
            await asyncio.to_thread(served.study, "another", right="admin")  # something is written, and the page asks
            await browser.wait_for("document.getElementById('token')")
            refused = [each for each in browser.complaints if "401" not in each]
            assert refused == []

    asyncio.run(story())


def test_a_study_is_given_a_config_and_stopped_and_deleted_after_a_question(served: ServedPage) -> None:
    thread, raised = served.run(served.study(), Waits())

    async def story() -> None:
        async with open_browser() as browser:
            await browser.show(f"{served.origin}/dashboard/#/study/trials", "document.getElementById('token')")
            await sign_in(browser, served.tokens["admin"])
            await click(browser, "#act-enqueue")
            assert await violations(browser) == []
            await browser.ask("document.getElementById('config').value = '{\"lr\": 0.5'")
            await click(browser, "dialog button.primary")
            await browser.wait_for("document.querySelector('dialog .error').textContent.includes('no JSON')")
            await browser.ask("document.getElementById('config').value = '{\"lr\": 0.5}'")
            await browser.ask("document.getElementById('until').value = '3'")
            await click(browser, "dialog button.primary")
            await browser.wait_for("document.querySelectorAll('tbody tr').length === 2")
            assert await browser.ask("document.querySelectorAll('dialog').length") == 0
            await click(browser, "#act-stop")
            assert await violations(browser) == []
            await click(browser, "dialog .choices button:last-child")  # cancel
            await browser.wait_for("!document.querySelector('dialog')")
            assert thread.is_alive()
            await click(browser, "#act-stop")
            await click(browser, "dialog button.danger")
            await browser.wait_for("document.getElementById('said').textContent.includes('leaves a checkpoint')")
            await asyncio.to_thread(thread.join, 30)
            await click(browser, "#act-delete")
            await click(browser, "dialog button.danger")
            await browser.wait_for("document.querySelector('h2').textContent === 'No study yet'")
            assert [each for each in browser.complaints if "401" not in each] == []

    asyncio.run(story())
    assert "stopped at the service" in str(raised[0])
    assert hippo.get_all_study_names(served.storage) == []


def test_a_trials_page_offers_its_own_config(served: ServedPage) -> None:
    drop = hippo.MultiStep(0.1, [1], 0.1)
    served.study().optimize(hippo.GridSearch([{"lr": drop, "momentum": 0.5}], until=2))

    async def story() -> str:
        async with open_browser() as browser:
            await browser.show(f"{served.origin}/dashboard/#/study/trial/0", "document.getElementById('token')")
            await sign_in(browser, served.tokens["write"])
            await click(browser, "#act-enqueue")
            text: str = await browser.ask("document.getElementById('config').value")
            assert await browser.ask("document.getElementById('until').value") == "2"
            return text

    written = json.loads(asyncio.run(story()))
    assert (written["momentum"], written["lr"]) == (0.5, hippo.Config({"lr": drop}).to_json()["lr"])
