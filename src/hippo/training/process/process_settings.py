"""Settings of the whole process that code may change and forget, and on which bits or files depend.

Each lane begins with those that the process had before it, so that no trial sees what another one left behind. This
module refuses to know which of them a trainer wants: whatever it sets in `build` holds for its lane.
"""

from __future__ import annotations

import contextlib
import functools
import locale
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from hippo.training.process.determinism import switches, turn
from hippo.training.process.streams import LIBRARIES, loaded


class Setting(NamedTuple):
    """One setting: how to read it, and how to set it to what was read."""

    get: Callable[[], Any]
    put: Callable[[Any], object]
    #: a change of it is worth telling: it may decide about results, and who set it may believe that it still holds
    is_told: bool = True


Values = dict[str, Any]


class ProcessSettings:
    """The settings of this process as they are now; a library that is loaded later adds its own when it comes."""

    def __init__(self) -> None:
        self._values: Values = {}
        #: whether anything had to be set back
        self.were_changed = False
        for library in _there():
            self.add(library)

    def add(self, library: str | None) -> None:
        """Take in the settings of a library as they are now."""
        for name, setting in _settings(library).items():
            self._values[name] = setting.get()

    def changes(self) -> Values:
        """Return those that differ by now and that another process can be given: name -> value.

        Of environment variables those alone that differ, None for one that is gone. Not how many threads compute: that
        is each process's own.
        """
        found: Values = {}
        for library in _there():
            for name, setting in _settings(library).items():
                now = setting.get()
                before = self._values.get(name, settings_before()._values.get(name, now))
                if before == now or name in _NOT_SHARED:
                    continue
                if name == _VARIABLES:
                    now = {key: now.get(key) for key in before.keys() | now.keys() if before.get(key) != now.get(key)}
                found[name] = now
        return found

    def restore(self) -> list[str]:
        """Set every one that differs back, and say what was changed: those that are worth telling."""
        told = []
        for library in _there():
            for name, setting in _settings(library).items():
                if name not in self._values:
                    continue
                before, now = self._values[name], setting.get()
                if before == now:
                    continue
                self.were_changed = True
                with contextlib.suppress(OSError):  # a folder that is gone
                    setting.put(before)
                if setting.is_told:
                    told.append(_told(name, before, now))
        return told


def settings_now() -> Values:
    """Return every setting that decides about results, environment variables one by one, as they are now."""
    found: Values = {}
    for library in _there():
        for name, setting in _settings(library).items():
            value = setting.get() if setting.is_told else None
            if isinstance(value, dict):
                found |= {f"{name} ({key})": item for key, item in value.items()}
            elif setting.is_told:
                found[name] = value
    return found


#: those that will be restored, the innermost last
_open: list[ProcessSettings] = []


def note_library(name: str) -> None:
    """Take the settings of a library that has just been loaded for those that the process had all along."""
    for settings in _open:
        settings.add(name)


class settings_kept:
    """Give every setting back at the end of the block what it was before, and tell of those that were changed.

    A class, since each lane is such a block: a generator takes three times as long.
    """

    __slots__ = ("_settings", "_tell")

    def __init__(self, tell: Callable[[list[str]], None]) -> None:
        self._tell = tell

    def __enter__(self) -> ProcessSettings:
        self._settings = ProcessSettings()
        _open.append(self._settings)
        return self._settings

    def __exit__(self, *_: object) -> None:
        _open.remove(self._settings)
        if changed := self._settings.restore():
            self._tell(changed)


def settings_before() -> ProcessSettings:
    """Return those that the process had before what runs now: where nothing does, those of now."""
    return _open[0] if _open else ProcessSettings()


def value_before(name: str, setting: Setting) -> Any:
    """Return the same of one setting; of a library that came later, what it is now."""
    values = _open[0]._values if _open else {}
    return values[name] if name in values else setting.get()


def change_settings(changes: Mapping[str, Any]) -> None:
    """Put in force what `ProcessSettings.changes` said, as far as the libraries are loaded here."""
    for library in _there():
        for name, setting in _settings(library).items():
            if name == _VARIABLES and name in changes:
                variables = {**setting.get(), **changes[name]}
                _set_environ({key: value for key, value in variables.items() if value is not None})
            elif name in changes:
                with contextlib.suppress(OSError):  # a folder that is not here
                    setting.put(changes[name])


@contextmanager
def settings_of(earlier: ProcessSettings) -> Iterator[None]:
    """Put earlier settings in force for the block, and those of now again afterwards."""
    now = ProcessSettings()
    earlier.restore()
    _open.append(now)
    try:
        yield
    finally:
        _open.remove(now)
        now.restore()


DEFAULT_DTYPE = "torch.set_default_dtype"


def _there() -> list[str | None]:
    """Return who has settings: the process itself, and the libraries that it has loaded."""
    there: list[str | None] = [None]
    for name in LIBRARIES:  # and no comprehension: asked twice for each lane
        if name in sys.modules and loaded(name) is not None:
            there.append(name)
    return there


def _settings(library: str | None) -> dict[str, Setting]:
    if library is None:
        return _PROCESS
    return _numpy_settings(sys.modules["numpy"]) if library == "numpy" else torch_settings(sys.modules["torch"])


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _go_to(folder: str | None) -> None:
    if folder is not None:
        os.chdir(folder)


class _Environment:
    """The process's environment, decoded anew only when it was changed: reading it takes as long as a small step."""

    def __init__(self) -> None:
        self._raw: Mapping[Any, Any] | None = None
        self._variables: dict[str, str] = {}

    def __call__(self) -> dict[str, str]:
        """Return them, but for those that torch's compiler says itself; nobody is to change what is returned."""
        raw: Mapping[Any, Any] = getattr(os.environ, "_data", None) or dict(os.environ)
        if raw != self._raw:
            self._raw = dict(raw)
            self._variables = {name: value for name, value in os.environ.items() if name not in _OF_COMPILER}
        return self._variables


_environ = _Environment()


def _set_environ(variables: dict[str, str]) -> None:
    for name in os.environ.keys() - variables.keys() - _OF_COMPILER:
        del os.environ[name]
    for name, value in variables.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


#: what torch's compiler says itself: where it keeps what it has made, when the first optimizer loads it; and where that
#: finds torch, whenever it is loaded
_OF_COMPILER = frozenset({"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"})


def _set_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]


_VARIABLES = "environment variables"
#: what processes that work together have each for itself, or cannot be sent
_NOT_SHARED = frozenset({"torch.set_num_threads", "warnings.filters"})

_PROCESS = {
    "the current folder": Setting(_folder, _go_to),
    _VARIABLES: Setting(_environ, _set_environ),
    # libraries add filters when they are imported: nothing to tell anybody
    "warnings.filters": Setting(lambda: list(warnings.filters), _set_filters, is_told=False),
    "the locale": Setting(lambda: locale.setlocale(locale.LC_ALL), lambda was: locale.setlocale(locale.LC_ALL, was)),
}


@functools.lru_cache(maxsize=1)  # asked twice for each lane, and a lane may be one step
def _numpy_settings(numpy: Any) -> dict[str, Setting]:
    return {"numpy.seterr": Setting(numpy.geterr, lambda was: numpy.seterr(**was))}


@functools.lru_cache(maxsize=1)
def torch_settings(torch: Any) -> dict[str, Setting]:
    """Return name -> setting of torch, in the order in which they are given back."""
    cuda, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    return {
        DEFAULT_DTYPE: Setting(torch.get_default_dtype, torch.set_default_dtype),
        "torch.set_default_device": Setting(lambda: _default_device(torch), torch.set_default_device),
        "torch.set_float32_matmul_precision": Setting(
            lambda: _unless_mixed(torch.get_float32_matmul_precision),
            lambda was: None if was is None else torch.set_float32_matmul_precision(was),
        ),
        "torch.backends.cuda.matmul.allow_tf32": _attribute(cuda, "allow_tf32"),
        "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction": _attribute(
            cuda, "allow_bf16_reduced_precision_reduction"
        ),
        "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction": _attribute(
            cuda, "allow_fp16_reduced_precision_reduction"
        ),
        "torch.backends.cuda.matmul.allow_fp16_accumulation": _attribute(cuda, "allow_fp16_accumulation"),
        "torch.backends.cuda.sdp_kernel": Setting(lambda: _attentions(torch), lambda was: _set_attentions(torch, was)),
        "torch.backends.mkldnn.enabled": _attribute(torch.backends.mkldnn, "enabled"),
        "torch.set_flush_denormal": Setting(_flushes, torch.set_flush_denormal),
        "torch.backends.cudnn.allow_tf32": _attribute(cudnn, "allow_tf32"),
        "torch.backends.cudnn.enabled": _attribute(cudnn, "enabled"),
        "torch.backends.cudnn.benchmark": _attribute(cudnn, "benchmark"),
        "torch.backends.cudnn.deterministic": _attribute(cudnn, "deterministic"),
        "torch.use_deterministic_algorithms": Setting(switches, turn),
        "torch.set_num_threads": Setting(torch.get_num_threads, torch.set_num_threads),
        "torch.set_grad_enabled": Setting(torch.is_grad_enabled, torch.set_grad_enabled),
        "torch.autograd.set_detect_anomaly": Setting(
            lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
            lambda was: torch.set_anomaly_enabled(*was),
        ),
        # Torch's newer switches. The older ones above change them, and are told of where these were set; so they are
        # given back last.
        "torch.backends.fp32_precision": _attribute(torch.backends, "fp32_precision", is_told=False),
        "torch.backends.cuda.matmul.fp32_precision": _attribute(cuda, "fp32_precision", is_told=False),
        **{
            f"torch.backends.{owner}.{kind}.fp32_precision": _attribute(
                getattr(getattr(torch.backends, owner), kind, None), "fp32_precision", is_told=False
            )
            for owner, kind in _NEWER_SWITCHES
        },
    }


#: whose precision has a switch of its own
_NEWER_SWITCHES = (("mkldnn", "matmul"), ("cudnn", "conv"), ("cudnn", "rnn"), ("mkldnn", "conv"), ("mkldnn", "rnn"))


def default_device() -> str | None:
    """Return where torch makes tensors in this process if nobody says where; None: on the CPU, as it begins."""
    torch = loaded("torch")
    return None if torch is None else _default_device(torch)


def _default_device(torch: Any) -> str | None:
    """Not `torch.get_default_device`: that makes a tensor to learn the number of "cuda", and starts CUDA, or fails."""
    from torch.utils._device import DeviceContext

    modes = reversed(torch.overrides._get_current_function_mode_stack())
    device = next((str(mode.device) for mode in modes if isinstance(mode, DeviceContext)), "cpu")
    return None if device == "cpu" else device


def _attribute(owner: Any, name: str, *, is_told: bool = True) -> Setting:
    return Setting(
        lambda: _unless_mixed(lambda: getattr(owner, name)),
        lambda was: None if was is None else setattr(owner, name, was),
        is_told=is_told,
    )


def _unless_mixed(get: Callable[[], Any]) -> Any:
    """Return what torch says of a switch; None where its older and newer ones were mixed: it knows nothing then."""
    try:
        return get()
    except (RuntimeError, AttributeError):  # or this torch has no such switch
        return None


#: the kinds of `scaled_dot_product_attention` that can be switched off
_ATTENTIONS = ("flash", "mem_efficient", "math", "cudnn")


def _attentions(torch: Any) -> dict[str, bool]:
    return {name: getattr(torch.backends.cuda, f"{name}_sdp_enabled")() for name in _ATTENTIONS}


def _set_attentions(torch: Any, was: Mapping[str, bool]) -> None:
    for name, is_enabled in was.items():
        getattr(torch.backends.cuda, f"enable_{name}_sdp")(is_enabled)


def _flushes() -> bool:
    """Whether this thread takes the smallest floats for zero. Only a computation says so; Python's own costs least."""
    return sys.float_info.min * 0.5 == 0


def _told(name: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
        return f"{name} ({', '.join(changed)})"
    return f"{name} ({before!r} became {now!r})"
