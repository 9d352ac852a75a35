"""Where assignments run: in this process, or in worker processes on this machine.

An engine takes assignments and streams back events. This room refuses to know why something runs: it knows neither
the plan nor the schedulers, and reaches no database.
"""

from hippo.engines.engine import AbstractEngine, VirtualTime
from hippo.engines.inline import InlineEngine
from hippo.engines.local import LocalEngine

__all__ = ["AbstractEngine", "InlineEngine", "LocalEngine", "VirtualTime"]
