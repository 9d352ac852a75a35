"""The command line. Bodies import what they need when they run, so that `hippo --help` answers at once.

This room refuses to know how anything is done: it reads arguments, calls the public names, and prints rows.
"""

from __future__ import annotations

from hippo.cli.app import main

__all__ = ["main"]
