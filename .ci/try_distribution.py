"""Builds the wheel and the source distribution, and tries them as a stranger would: in empty environments.

    python .ci/try_distribution.py                            # this Python, without extras
    python .ci/try_distribution.py --python python3.12 --python python3.13
    python .ci/try_distribution.py --torch --torch-index https://download.pytorch.org/whl/cpu

It builds both into `dist`, the wheel from the source distribution, and says where the wheel is not what the checkout
has. Then, for each Python, it installs the wheel without extras, where a study runs and what needs torch says what to
type; for the first of them it does so once more with the oldest versions that the package says it works with, and with
--torch a third time, with `[torch]`: a study of a `TorchTrainer` in worker processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
TRIES = Path(__file__).resolve().parent / "tries"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="an interpreter to try it with; may be given several times")
    parser.add_argument("--torch", action="store_true", help="with the first of them install torch, too, and train")
    parser.add_argument("--torch-index", help="where pip finds torch")
    options = parser.parse_args()
    wheel = build()
    check_contents(wheel)
    for place, python in enumerate(options.python or [sys.executable]):
        with tempfile.TemporaryDirectory(prefix="hippo try ") as folder:  # a space, as users have in theirs
            try_it(wheel, python, Path(folder), torch=options.torch and not place, torch_index=options.torch_index)
    with tempfile.TemporaryDirectory(prefix="hippo try ") as folder:
        try_oldest(wheel, (options.python or [sys.executable])[0], Path(folder))


def build() -> Path:
    """Build both distributions, the wheel from what the other one holds, and return the wheel's path."""
    shutil.rmtree(DIST, ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", DIST, ROOT], quiet=True)
    (wheel,) = DIST.glob("*.whl")
    (source,) = DIST.glob("*.tar.gz")
    print(f"built {wheel.name} ({wheel.stat().st_size >> 10} KiB), {source.name} ({source.stat().st_size >> 10} KiB)")
    return wheel


def check_contents(wheel: Path) -> None:
    """Compare a wheel with the checkout: every file of the package that Git knows, byte for byte, and no other."""
    listed = run(["git", "ls-files", "-z", "-co", "--exclude-standard", "src"], quiet=True)
    wanted = {name.removeprefix("src/") for name in listed.split("\0") if name and (ROOT / name).is_file()}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        differing = [name for name in names & wanted if archive.read(name) != (ROOT / "src" / name).read_bytes()]
    if wanted - names or names - wanted or differing:
        sys.exit(f"missing: {sorted(wanted - names)}; too many: {sorted(names - wanted)}; differing: {differing}")
    print(f"{len(names)} files of the package, as the checkout has them")


def try_it(wheel: Path, python: str, folder: Path, *, torch: bool, torch_index: str | None) -> None:
    inside, version = environment_of(python, folder)
    install(inside, [str(wheel)])
    try_without_extras(inside, folder)
    if torch:
        install(inside, ["torch", *(["--index-url", torch_index] if torch_index else [])])
        install(inside, [f"hippo-tune[torch] @ {wheel.as_uri()}"])
        run([inside, TRIES / "with_torch.py"], cwd=folder / "work")
    print(f"Python {version}: works without extras{' and with [torch]' if torch else '; [torch] was not tried'}")


def try_oldest(wheel: Path, python: str, folder: Path) -> None:
    """Try a wheel with the oldest versions of what it needs that it says it works with."""
    inside, version = environment_of(python, folder)
    oldest = [bound.replace(">=", "==") for bound in bounds_of(wheel)]
    install(inside, [str(wheel), *oldest], constraints=None)
    try_without_extras(inside, folder)
    print(f"Python {version}: works with {', '.join(oldest)}")


def environment_of(python: str, folder: Path) -> tuple[Path, str]:
    """Make an empty environment; return its interpreter, and which version that is."""
    run([python, "-m", "venv", folder / "venv"])
    inside = folder / "venv" / "bin" / "python"
    return inside, run([inside, "-c", "import platform; print(platform.python_version())"], quiet=True).strip()


def bounds_of(wheel: Path) -> list[str]:
    """Return what a wheel needs without extras: each by name and its lowest version."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        needs = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    bounds = [need for need in needs if "extra ==" not in need]
    if not bounds or any(need.count(">=") != 1 or set(need) & set(",;<!~") for need in bounds):
        sys.exit(f"each of {bounds} should be a name and its lowest version")
    return bounds


def try_without_extras(python: Path, folder: Path) -> None:
    work = folder / "work"
    work.mkdir()
    command = python.with_name("hippo")
    for line in (["--help"], ["--version"]):
        run([command, *line], quiet=True, cwd=work)
    run([python, TRIES / "without_extras.py"], cwd=work)
    run([command, "trials", "valley", "--format", "csv"], quiet=True, cwd=work)
    run([command, "logs", "valley", "best"], quiet=True, cwd=work)


def install(python: Path, what: Sequence[str], constraints: Path | None = ROOT / "constraints.txt") -> None:
    # a few imports are all that is tried: most of torch would be compiled for nothing
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    run([*pip, *(["--constraint", constraints] if constraints else []), *what])


def run(words: Sequence[str | Path], *, quiet: bool = False, cwd: Path = ROOT) -> str:
    """Run a command that knows nothing of this checkout's code, and return what it prints; end if it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode or not quiet:
        print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
