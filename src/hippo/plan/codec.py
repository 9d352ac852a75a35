"""Metrics as canonical text: what is compared and stored. NaN and infinity are values like others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from hippo.hparams import Piece
from hippo.records import Metrics

_encode_sorted = json.JSONEncoder(sort_keys=True).encode
#: `json.loads` looks for what may stand around a value, which takes longer than to read one of few numbers
_decode_from_start = json.JSONDecoder().raw_decode


def metrics_to_text(metrics: Metrics) -> str:
    """Return JSON with sorted names; floats in their shortest exact form, NaN and infinities by name."""
    return _encode_sorted(dict(metrics)) if metrics else "{}"


def metrics_from_text(text: str) -> Metrics:
    """Return the metrics that `metrics_to_text` wrote, bit for bit."""
    metrics: Metrics
    metrics, end = _decode_from_start(text)
    return metrics if end == len(text) else json.loads(text)  # which says what is wrong behind them


def pieces_to_text(pieces: Mapping[str, Piece]) -> str:
    """Return pieces in force as JSON."""
    return json.dumps({name: piece.to_json() for name, piece in pieces.items()})


def pieces_from_text(text: str) -> dict[str, Piece]:
    """Return the pieces that `pieces_to_text` wrote."""
    return {name: Piece.from_json(piece) for name, piece in json.loads(text).items()}


def node_digest(parent: str, owner: str, start: int, key: str) -> str:
    """Return what names a node's whole path, in 128 bits: two of them are never equal by chance.

    Since it is made of the parent's own, the digests of all nodes on a config's way are known before any of them is
    looked up. It is written down: whoever changes what it is made of brings older databases along.

    Args:
      parent: the parent's digest; empty for a root.
      owner: of a root; empty for other nodes.
      start: where the node begins.
      key: the `pieces_key` of its pieces.
    """
    text = f"{parent}\n{owner}\n{start}\n{key}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def pieces_key(pieces: Mapping[str, Piece]) -> str:
    """Return text that is equal for equal pieces under equal names, and for nothing else."""
    return "\n".join([f"{name!r}: {pieces[name].key}" for name in sorted(pieces)])
