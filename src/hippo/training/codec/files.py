"""Encoded states as bytes: torch's own safe format where there are tensors, a pickle of plain values elsewhere.

Reading runs no code that the file names: `torch.load(weights_only=True)`, or an unpickler that refuses every global.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, BinaryIO, NoReturn

from hippo.errors import CorruptCheckpointError
from hippo.training.codec.encoding import PLAIN, EncodedState

#: begins a file of plain values; a file of torch's begins with the "PK" of a zip archive
PLAIN_HEADER = b"hippo state 1\n"


def write_state(encoded: EncodedState, file: BinaryIO) -> None:
    """Write `encoded` into `file`, from beginning to end."""
    content = {"size_bytes": encoded.size_bytes, "tree": encoded.tree}
    if _has_tensors(encoded.tree):
        import torch

        torch.save(content, file)
    else:
        file.write(PLAIN_HEADER)
        file.write(pickle.dumps(content, protocol=4))


def read_state(data: bytes) -> EncodedState:
    """Return the state that `write_state` wrote.

    Raises:
      CorruptCheckpointError: these bytes are no state of ours.
    """
    try:
        if data.startswith(PLAIN_HEADER):
            content = _PlainUnpickler(io.BytesIO(data[len(PLAIN_HEADER) :])).load()
        else:
            import torch

            content = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
        return EncodedState(content["tree"], content["size_bytes"])
    except (pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, ValueError) as error:
        raise CorruptCheckpointError(f"these {len(data)} bytes are not a state written by hippo: {error}") from error


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it names {module}.{name}, and a state names no code")


def _has_tensors(tree: Any) -> bool:
    if type(tree) in (list, tuple):
        return any(map(_has_tensors, tree))
    if type(tree) is dict:
        return any(map(_has_tensors, tree.values()))
    return type(tree) not in PLAIN
