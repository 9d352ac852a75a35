"""Results as a Markdown table on the screen, and as JSON beside the benchmarks."""

import json
import os
import platform
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def write_report(name, rows, how):
    """Print rows, and keep them as `results/<name>.json` together with the machine that they were measured on."""
    machine = {"cpu": cpu_model(), "cores": os.cpu_count(), "python": platform.python_version()}
    print(f"\n{how}; {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}\n")
    columns = list(rows[0])
    for cells in (columns, ["---"] * len(columns), *([row[column] for column in columns] for row in rows)):
        print("| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |")
    RESULTS.mkdir(exist_ok=True)
    content = {"benchmark": name, "how": how, "machine": machine, "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def cpu_model():
    """Return the processor's name where Linux tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
