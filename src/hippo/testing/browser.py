"""A real browser for tests of pages: Chromium without a window, driven by its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_START_S, _LOAD_S = 60.0, 30.0


def browser_program() -> str | None:
    """Return where Chromium or Chrome is; None if neither is installed."""
    return next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)


class BrowserPage:
    """One page of a browser.

    Args:
      socket: leads to the page.
    """

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        #: what the page wrote to its console as an error, raised, or was refused
        self.complaints: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result.

        Raises:
          RuntimeError: the browser refuses it.
        """
        number = next(self._numbers)
        await self._socket.send_str(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            said = json.loads((await self._socket.receive(timeout=_LOAD_S)).data)
            self._note(said)
            if said.get("id") == number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                result: dict[str, Any] = said["result"]
                return result

    def _note(self, said: dict[str, Any]) -> None:
        what = said.get("params", {})
        if said.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(what["exceptionDetails"])[:500])
        elif said.get("method") == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.complaints.append(what["entry"]["text"])
        elif said.get("method") == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(what["args"])[:500])

    async def ask(self, expression: str) -> Any:
        """Return the value of an expression on the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    async def show(self, url: str, until: str, *, width: int = 1100, height: int = 800, dark: bool = False) -> None:
        """Go to a page and wait until an expression holds on it.

        Raises:
          TimeoutError: it never does; says what the page shows instead.
        """
        scheme = "dark" if dark else "light"
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await self.call("Page.navigate", url=url)
        await self.wait_for(until)

    async def wait_for(self, expression: str) -> None:
        """Wait until an expression holds on the page.

        Raises:
          TimeoutError: it never does; says what the page shows instead.
        """
        deadline = asyncio.get_running_loop().time() + _LOAD_S
        while not await self.ask(f"Boolean({expression})"):
            if asyncio.get_running_loop().time() > deadline:
                shown = await self.ask("document.body.innerText")
                raise TimeoutError(f"{expression} never held; {self.complaints}; the page: {shown!r}")
            await asyncio.sleep(0.05)

    async def picture(self, path: Path) -> None:
        """Write what the window shows as a PNG."""
        result = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(result["data"]))


@asynccontextmanager
async def open_browser(arguments: Sequence[str] = ()) -> AsyncIterator[BrowserPage]:
    """Start a browser and yield its page; the browser ends with the block."""
    import aiohttp

    program = browser_program()
    assert program is not None, "ask browser_program() first"
    folder = Path(tempfile.mkdtemp(prefix="hippo-browser-"))
    own = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [program, *own, f"--user-data-dir={folder}", *arguments, "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/dev/null"},
    )
    try:
        port = await _port_of(folder / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                pages = [each for each in await answer.json() if each["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = BrowserPage(socket)
                for domain in ("Page", "Runtime", "Log"):
                    await page.call(f"{domain}.enable")
                yield page
    finally:
        process.kill()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


async def _port_of(file: Path) -> int:
    deadline = asyncio.get_running_loop().time() + _START_S
    while True:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) > 1:
            return int(lines[0])
        if asyncio.get_running_loop().time() > deadline:
            raise TimeoutError("the browser did not start")
        await asyncio.sleep(0.05)
