"""Draws the pictures of docs/dashboard.md: what `hippo dashboard` shows of the study of examples/toy.py.

    python docs/images/draw_dashboard.py [FOLDER]

Needs hippo-tune[serve], aiohttp, and Chrome or Chromium. With FOLDER all of them go there, with one of each view in the
dark, on a narrow screen: to be looked at.
"""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

import hippo
from hippo.testing.browser import open_browser

OWN = Path(__file__).parent
#: view -> its height in pixels
VIEWS = {
    "tree": 565,
    "node/1": 1225,
    "slots": 380,
    "curves": 735,
    "schedules": 830,
    "savings": 860,
    "compare": 1590,
    "rungs": 700,
    "lineage": 520,
    "storage": 505,
    "trials": 520,
    "trial/3": 655,
}
WIDTH = 960
_NARROW = 400
#: in code that is shown, as if the database were in the folder of whoever reads
_HIDE_FOLDER = (
    "document.querySelectorAll('code').forEach((each) => "
    "{ each.textContent = each.textContent.replace(/sqlite:[^']*hippo[.]db/, 'sqlite:///hippo.db'); })"
)


def toy_study(folder):
    """Run the study of examples/toy.py on two workers, with a tuner that stops trials, into hippo.db of a folder."""
    source = (OWN.parents[1] / "examples" / "toy.py").read_text()
    names = {}
    exec(source.partition("\nprint(")[0], names)
    url = f"sqlite:///{folder}/hippo.db"
    study = hippo.create_study("toy", trainer=names["Valley"], storage=url, checkpoints=f"{folder}/states",
                               engine=hippo.LocalEngine(workers=2), metric="loss", mode="min",
                               evaluate_every=1)  # fmt: skip
    study.optimize(hippo.SuccessiveHalving(names["space"], min_steps=18, max_steps=36, reduction=2))
    study.close()


async def pictures(page, folder, *, all_of_them):
    """Take a picture of each view."""
    async with open_browser() as browser:
        for dark in (False, True) if all_of_them else (False,):
            for view, height in VIEWS.items():
                width, name = (_NARROW, f"{view.partition('/')[0]}_dark") if dark else (WIDTH, view.partition("/")[0])
                await browser.show("about:blank", "true")
                await browser.show(f"{page}/#/toy/{view}", "document.querySelector('canvas, tbody tr')", width=width,
                                   height=height, dark=dark)  # fmt: skip
                # a folder of whoever draws is nobody's business
                await browser.ask("document.querySelectorAll('.command').forEach((each) => each.remove())")
                await browser.ask(_HIDE_FOLDER)
                await asyncio.sleep(0.3)  # what is drawn behind the first picture of a chart
                await browser.ask(_HIDE_FOLDER)  # last: the page draws itself anew when it hears of changes
                await browser.picture(folder / f"dashboard_{name}.png")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else OWN
    with tempfile.TemporaryDirectory() as place:
        toy_study(place)
        command = [sys.executable, "-m", "hippo", "dashboard", "sqlite:///hippo.db", "--port", "0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=place)
        try:
            said = next(line for line in server.stderr if "http://" in line)
            page = said.partition("are at ")[2].partition(";")[0]
            asyncio.run(pictures(page, folder, all_of_them=folder != OWN))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
