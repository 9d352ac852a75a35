"""Every engine keeps the contract."""

from __future__ import annotations

import pytest

from hippo.engines import InlineEngine, LocalEngine
from hippo.simulation import PowerLaw, SimulatedEngine, SimulatedWorkload
from hippo.testing.engine_contract import EngineContract
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.residents_contract import ResidentsContract, toy_bytes


class TestInlineEngine(EngineContract):
    def make_engine(self) -> InlineEngine:
        return InlineEngine()

    def make_small_engine(self) -> InlineEngine:
        return InlineEngine(resident_bytes=2 * toy_bytes())


@pytest.mark.slow
class TestLocalEngine(EngineContract):
    def make_engine(self) -> LocalEngine:
        return LocalEngine(2)

    def make_small_engine(self) -> LocalEngine:
        return LocalEngine(2, resident_bytes=2 * toy_bytes())


class TestSimulatedMemory(ResidentsContract):
    def make_small_engine(self) -> SimulatedEngine:
        return SimulatedEngine(SimulatedWorkload(seconds_per_step=1.0, resident_states=2), PowerLaw())


class TestFakeMemory(ResidentsContract):
    def make_small_engine(self) -> FakeEngine:
        return FakeEngine(slots=2, resident_states=2)
