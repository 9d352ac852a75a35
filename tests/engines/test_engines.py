"""Every engine keeps the contract."""

from __future__ import annotations

import pytest

from hippo.engines import InlineEngine, LocalEngine
from hippo.testing.engine_contract import EngineContract


class TestInlineEngine(EngineContract):
    def make_engine(self) -> InlineEngine:
        return InlineEngine()


@pytest.mark.slow
class TestLocalEngine(EngineContract):
    def make_engine(self) -> LocalEngine:
        return LocalEngine(2)
