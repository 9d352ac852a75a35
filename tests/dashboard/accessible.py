"""What axe-core (4.10.3, MPL-2.0, as it is published, in the folder `axe`) finds wrong with a page in a browser."""

from __future__ import annotations

import json
from pathlib import Path

from hippo.testing.browser import BrowserPage

_AXE = Path(__file__).parent / "axe" / "axe.min.js"
_LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


async def violations(browser: BrowserPage) -> list[str]:
    """Return violations of levels A and AA, each with its first places."""
    if not await browser.ask("typeof axe === 'object'"):
        await browser.ask(_AXE.read_text("utf-8") + ";true")
    rules = json.dumps({"runOnly": _LEVELS, "resultTypes": ["violations"]})
    found = await browser.ask(
        f"axe.run(document, {rules}).then((result) => JSON.stringify(result.violations.map((each) => "
        "`${each.id}: ${each.help}; ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')}`)))"
    )
    told: list[str] = json.loads(found)
    return told
