"""A service in a process of its own: `python a_service.py FOLDER PORT`; what `hippo serve` runs, on $HIPPO_STORAGE."""

from __future__ import annotations

import os
import sys

from hippo.cli import main

if __name__ == "__main__":
    os.chdir(sys.argv[1])
    main(["serve", "--port", sys.argv[2], "--trainers=hippo.testing.*", "--workers=2"])
