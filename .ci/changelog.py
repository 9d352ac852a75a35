"""Moves the fragments of `changelog.d` into CHANGELOG.md, as the notes of a release.

    python .ci/changelog.py 0.2.0

towncrier puts them together. Their links are those of a folder further down, and are set for where they stand then.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"


def main(version: str) -> None:
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", version):
        sys.exit(f"{version!r} is no version of a release; e.g. 0.2.0")
    if f"\n## {version} (" in CHANGELOG.read_text(encoding="utf-8"):
        sys.exit(f"{CHANGELOG.name} has the notes of {version} already")
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--dir", str(ROOT)]
    subprocess.run(command, check=True)
    CHANGELOG.write_text(CHANGELOG.read_text(encoding="utf-8").replace("](../", "]("), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
