"""What every test of this project starts from."""

from __future__ import annotations

import os

# One thread in each test process: several of them share few cores, and bits depend on the number of threads.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_name] = "1"

from hypothesis import HealthCheck, settings

# Machines that run these tests are busy: a slow example is no bug, and how slow is what benchmarks are for.
settings.register_profile("hippo", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("hippo")
