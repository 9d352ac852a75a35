"""Which modules count as the user's own, beside those in the trainer's package."""

from __future__ import annotations

import importlib
import itertools
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hippo.errors import CodeChangedError, TrainerError
from hippo.hparams.project import module_file
from hippo.hparams.source import code_hash, own_modules
from hippo.training import ship
from hippo.training.code.fingerprint import trainer_code
from hippo.training.code.same_code import require_same_code
from hippo.training.process import environment

NET = """
from hippo.testing.trainers import ToyTrainer
from common.layers import gain
class Net(ToyTrainer):
    def train(self):
        gain()
        return super().train()
class Wave:
    def value(self, t):
        return gain() * t
"""
FILES = {
    "models/__init__.py": "",
    "models/net.py": NET,
    "common/__init__.py": "",
    "common/layers.py": "def gain(): return 1.0\n",
}
Load = Callable[..., type]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Return what writes a project anew, with some files replaced, and imports one of its classes."""
    number = itertools.count()
    before, path = set(sys.modules), list(sys.path)
    shadowed: dict[str, ModuleType] = {}  # other tests' modules of the same names

    def build(
        files: Mapping[str, str] = FILES,
        *,
        of: str = "models.net:Net",
        on_path: tuple[str, ...] = ("",),
        **changed: str,
    ) -> type:
        folder = tmp_path / str(next(number))
        for name, text in {**files, **{f"common/{name}.py": text for name, text in changed.items()}}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        forget()
        ours = {part.removesuffix(".py") for name in files for part in Path(name).parts}
        for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
            shadowed[name] = sys.modules.pop(name)
        sys.path[:0] = [str(folder / each) for each in on_path]
        module, _, name = of.partition(":")
        cls: type = getattr(importlib.import_module(module), name)
        return cls

    def forget() -> None:
        for name in set(sys.modules) - before:
            if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
        sys.path[:] = path
        environment._version.cache_clear()
        importlib.invalidate_caches()

    yield build
    forget()
    sys.modules.update(shadowed)


def fingerprint(cls: type) -> str:
    return trainer_code(cls).fingerprint


OTHER = "def gain(): return 9.0\n"


def test_a_package_next_to_the_trainers_counts(load: Load) -> None:
    assert fingerprint(load()) == fingerprint(load()) != fingerprint(load(layers=OTHER))


def test_a_package_elsewhere_on_the_path_counts(load: Load) -> None:
    files = {f"src/{name}" if name.startswith("common") else name: text for name, text in FILES.items()}
    changed = files | {"src/common/layers.py": OTHER}
    one, other = (fingerprint(load(each, on_path=("", "src"))) for each in (files, changed))
    assert one != other


def test_what_a_package_beside_imports_counts(load: Load) -> None:
    layers = "from common.deep import gain\n"
    one, other = (fingerprint(load(layers=layers, deep=f"def gain(): return {n}\n")) for n in (1, 2))
    assert one != other


@pytest.mark.parametrize("place", ["lib/site-packages", "vendored"])
def test_what_is_installed_does_not_count(load: Load, place: str) -> None:
    files = {f"{place}/{name}" if name.startswith("common") else name: text for name, text in FILES.items()}
    files[f"{place}/common-1.0.dist-info/METADATA"] = ""
    changed = files | {f"{place}/common/layers.py": OTHER}
    one, other = (fingerprint(load(each, on_path=("", place))) for each in (files, changed))
    assert one == other


def test_the_version_of_what_is_installed_is_known(load: Load) -> None:
    files = {f"vendored/{name}" if name.startswith("common") else name: text for name, text in FILES.items()}
    files["vendored/common-1.0.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: common\nVersion: 1.0\n"
    assert trainer_code(load(files, on_path=("", "vendored"))).packages == {"common": "1.0"}


@pytest.mark.parametrize("answers", ["importlib.metadata", "importlib_metadata"])  # the last takes the first's place
@pytest.mark.parametrize("left", ["METADATA", "RECORD"])  # as an installation or removal that was cut leaves them
def test_what_is_broken_in_an_installation_has_no_version(load: Load, left: str, answers: str) -> None:
    importlib.import_module(answers)
    files = {f"vendored/{name}" if name.startswith("common") else name: text for name, text in FILES.items()}
    files[f"vendored/common-1.0.dist-info/{left}"] = ""
    assert trainer_code(load(files, on_path=("", "vendored"))).packages == {}


def test_a_checkout_of_a_large_library_does_not_count(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.hparams.project._MOST_FILES", 2)
    assert fingerprint(load(layers="def gain(): return 1.0\n", more="")) == fingerprint(load(layers=OTHER, more=""))


def test_a_name_in_a_package_is_not_the_module_of_that_name(load: Load) -> None:
    one, other = (fingerprint(load(FILES | {"gain.py": f"A = {n}\n"})) for n in (1, 2))
    assert one == other


def test_what_lies_beside_and_is_of_another_python_counts_by_its_bytes(load: Load) -> None:
    layers = "def gain():\n    from common.old import f\n"
    one, other = (fingerprint(load(layers=layers, old=f"print {n}\n")) for n in (1, 2))
    assert one != other


def test_a_value_that_a_start_gives_to_a_module_beside_is_left_out(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = "import os\nJOB = os.environ['HIPPO_JOB']\ndef gain(): return JOB\n"
    prints = []
    for job in ("1", "2"):
        monkeypatch.setenv("HIPPO_JOB", job)
        prints.append(fingerprint(load(layers=layers)))
    assert prints[0] == prints[1]


@pytest.mark.parametrize("there", ["vendored", "."])
def test_a_package_that_is_installed_on_one_machine_only_is_compared_by_what_it_says(load: Load, there: str) -> None:
    installed = {f"vendored/{name}" if name.startswith("common") else name: text for name, text in FILES.items()}
    installed["vendored/common-1.0.dist-info/METADATA"] = ""
    on_path = ("", "vendored")
    study, worker = (FILES, installed) if there == "vendored" else (installed, FILES)
    spec = ship(load(study, on_path=on_path), seed=0, evaluate_every=1, workload_key="w")
    require_same_code(spec, load(worker, on_path=on_path))


def test_a_sequence_sees_the_files_of_what_lies_beside_and_takes_them_along(load: Load) -> None:
    one = load(of="models.net:Wave")
    names, before = own_modules(one), code_hash(one)
    assert (names, before) == (({"models.net"}, {"common", "common.layers"}), code_hash(load(of="models.net:Wave")))
    assert code_hash(load(of="models.net:Wave", layers=OTHER)) != before


def test_what_lies_beside_a_sequence_refuses_nothing(load: Load) -> None:
    layers = "import threading\nLOCK = threading.Lock()\ndef gain():\n    with LOCK:\n        return 1.0\n"
    assert code_hash(load(of="models.net:Wave", layers=layers))


REACHED = """
import importlib, importlib.util, pathlib
from hippo.testing.trainers import ToyTrainer
import parts
path = pathlib.Path(__file__).with_name("by_path.py")
found = importlib.util.spec_from_file_location("a_name_of_its_own", path)
by_path = importlib.util.module_from_spec(found)
found.loader.exec_module(by_path)
class Net(ToyTrainer):
    def train(self):
        {reads}
        return super().train()
"""
PARTS = """
import importlib, pkgutil
KNOWN, HELD = {}, {}
class Registry:
    def __init__(self):
        self.known = {}
OBJECT = Registry()
for each in pkgutil.iter_modules(__path__):
    if each.name == "filled":
        KNOWN["net"] = OBJECT.known["net"] = importlib.import_module(f"{__name__}.{each.name}").net
    elif each.name == "held":
        HELD["net"] = importlib.import_module(f"{__name__}.{each.name}").net
def find(name):
    return KNOWN[name]()
def of_object(name):
    return OBJECT.known[name]
def __getattr__(name):
    return getattr(importlib.import_module(".late", __name__), name)
"""


@pytest.mark.parametrize(
    ("reads", "part"),
    [
        ("parts.HELD", "parts/held"),
        ("parts.find('net')", "parts/filled"),
        ("parts.of_object('net')", "parts/filled"),
        ("parts.late()", "parts/late"),
        ("by_path.net()", "by_path"),
    ],
)
def test_what_a_registry_of_another_module_holds_counts_and_what_is_loaded_by_a_path(
    load: Load, reads: str, part: str
) -> None:
    net = "def net(): return {}\n"
    files = {
        "reaching.py": REACHED.format(reads=reads),
        "by_path.py": net.format(1),
        "parts/__init__.py": PARTS,
        "parts/filled.py": net.format(1),
        "parts/held.py": net.format(1),
        "parts/late.py": net.format(1).replace("net", "late"),
        "parts/unread.py": net.format(1),
    }
    before = fingerprint(load(files, of="reaching:Net"))
    assert fingerprint(load(files, of="reaching:Net")) == before
    assert fingerprint(load({**files, "parts/unread.py": net.format(2)}, of="reaching:Net")) == before
    changed = {**files, f"{part}.py": files[f"{part}.py"].replace("return 1", "return 2")}
    assert fingerprint(load(changed, of="reaching:Net")) != before


LAZY = """
import importlib
KNOWN = {}
def find(name):
    if name not in KNOWN:
        KNOWN[name] = importlib.import_module("lazy_" + name).net
    return KNOWN[name]()
"""
FINDING = """
import lazy_parts
from hippo.testing.trainers import ToyTrainer
class Net(ToyTrainer):
    def train(self):
        {reads}
        return super().train()
"""


@pytest.mark.parametrize("reads", ["lazy_parts.find('net')", "lazy_parts.find('net'); len(lazy_parts.KNOWN)"])
def test_what_training_puts_into_a_registry_of_another_module_makes_no_other_code(load: Load, reads: str) -> None:
    files = {"finding.py": FINDING.format(reads=reads), "lazy_parts.py": LAZY, "lazy_net.py": "def net(): return 1\n"}
    trainer: Any = load(files, of="finding:Net")
    before = trainer_code(trainer)
    sys.modules["lazy_parts"].find("net")
    assert {label for label in trainer_code(trainer).labels if "lazy_net" in label} == set()
    assert trainer_code(trainer).parts == before.parts


def test_what_others_put_into_a_registry_is_refused_nowhere(load: Load) -> None:
    reads = "lazy_parts.find('net')"
    files = {"finding.py": FINDING.format(reads=reads), "lazy_parts.py": LAZY, "lazy_net.py": "def net(): return 1\n"}
    spec = ship(load(files, of="finding:Net"), seed=0, evaluate_every=1, workload_key="w")
    trainer: Any = load(files, of="finding:Net")
    sys.modules["lazy_parts"].find("net")  # another trainer of this process does
    require_same_code(spec, trainer)
    filled = ship(trainer, seed=0, evaluate_every=1, workload_key="w")
    require_same_code(filled, load(files, of="finding:Net"))
    with pytest.raises(CodeChangedError, match="lazy_net"):
        require_same_code(filled, load({**files, "lazy_net.py": "def net(): return 2\n"}, of="finding:Net"))


def test_a_module_in_folders_without_init_is_found_before_they_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "unseen" / "inner"
    folder.mkdir(parents=True)
    (folder / "const.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert module_file("unseen.inner.const") == str(folder / "const.py")
    assert module_file("unseen.inner.other") is None
    assert "unseen" not in sys.modules


def test_code_in_an_archive_that_cannot_be_compared_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.writestr("zipped/__init__.py", "")
        archive.writestr("zipped/net.py", NET.replace("common.layers", "zipped.layers"))
        archive.writestr("zipped/layers.py", FILES["common/layers.py"])
    monkeypatch.syspath_prepend(tmp_path / "code.zip")
    net = importlib.import_module("zipped.net")
    with pytest.raises(TrainerError, match=r"zipped\.layers.*lies in the archive .*code\.zip.*: unpack it"):
        ship(net.Net, seed=0, evaluate_every=1, workload_key="zipped")
