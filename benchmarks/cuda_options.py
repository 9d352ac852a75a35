"""Options that programs for one CUDA device have in common."""

import argparse
from collections.abc import Collection

import torch


def parsed(parser: argparse.ArgumentParser, devices: Collection[str] | None = None) -> argparse.Namespace:
    """Return the arguments of a program, with --device and --dry-run, by which it is tried where there is no GPU.

    Args:
      devices: that there are to choose from; None: whatever torch knows.
    """
    parser.add_argument("--device", choices=devices, default="cuda")
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    if arguments.device.startswith("cuda") and not torch.cuda.is_available():
        parser.error("there is no CUDA device here; --device cpu --dry-run tries the program without")
    return arguments
