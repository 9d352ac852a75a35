"""How long `import hippo` and `hippo --help` take: each in 11 fresh processes, the median.

python benchmarks/bench_import.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from report import write_report

RUNS = 11
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import hippo": [sys.executable, "-c", "import hippo"],
    "hippo --help": [str(Path(sys.executable).with_name("hippo")), "--help"],
}
#: what the processes import
CODE = ("src/hippo", "src/hippo/cli")
TARGET_S = {"import hippo": 0.25, "hippo --help": 0.4}


def wall_seconds(command):
    """Run a command and return its wall time in seconds."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main():
    rows = []
    for name, command in COMMANDS.items():
        wall_seconds(command)  # the first run also reads the files from disk
        walls = [wall_seconds(command) for _ in range(RUNS)]
        rows.append(
            {
                "what": name,
                "median_s": round(statistics.median(walls), 4),
                "min_s": round(min(walls), 4),
                "max_s": round(max(walls), 4),
                "target_s": TARGET_S.get(name),
            }
        )
    write_report("import", rows, f"wall seconds of a whole process, {RUNS} runs each", seeds="none", also=CODE)


if __name__ == "__main__":
    main()
