"""Draws the pictures of docs/plots.md: what `hippo.visualization` makes of the study of examples/toy.py.

    python docs/images/draw_plots.py [chromium]

Needs plotly, and Chrome or Chromium, which takes a picture of each page.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import hippo
from hippo.visualization import plot_curves, plot_rungs, plot_stage_tree

FOLDER = Path(__file__).parent
#: name -> what draws it, and its height in pixels
PLOTS = {"stage_tree": (plot_stage_tree, 400), "curves": (plot_curves, 420), "rungs": (plot_rungs, 420)}
WIDTH = 960


def toy_study():
    """Return the study of examples/toy.py, with a tuner that stops trials in the place of its grid."""
    source = (FOLDER.parents[1] / "examples" / "toy.py").read_text()
    names = {}
    exec(source.partition("\nprint(")[0], names)
    study = hippo.create_study("toy", trainer=names["Valley"], storage="memory://", checkpoints="memory://",
                               engine=hippo.InlineEngine(), metric="loss", mode="min", evaluate_every=1)  # fmt: skip
    study.optimize(hippo.SuccessiveHalving(names["space"], min_steps=18, max_steps=36, reduction=2))
    return study


def main():
    browser = sys.argv[1] if len(sys.argv) > 1 else "chromium"
    study = toy_study()
    with tempfile.TemporaryDirectory() as folder:
        for name, (plot, height) in PLOTS.items():
            figure = plot(study).update_layout(height=height, width=WIDTH, margin={"b": 90})
            page = Path(folder) / f"{name}.html"
            page.write_text(
                "<body style='margin:0'>"
                + figure.to_html(full_html=False, include_plotlyjs=True, config={"displayModeBar": False})
            )
            # as root, as in a container, Chromium starts only without its sandbox; the page is ours
            command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                       f"--window-size={WIDTH},{height}", "--virtual-time-budget=5000",
                       f"--screenshot={FOLDER / f'plot_{name}.png'}", page.as_uri()]  # fmt: skip
            subprocess.run(command, check=True, capture_output=True, timeout=120)
    study.close()


if __name__ == "__main__":
    main()
