"""Tries of what a study would use, before it does: database or service, store of checkpoints.

It leaves nothing behind where it looked, and refuses to mend what it finds.
"""

from hippo.doctor.diagnosis import diagnose
from hippo.doctor.findings import ProbeFinding, ProbeVerdict

__all__ = ["ProbeFinding", "ProbeVerdict", "diagnose"]
