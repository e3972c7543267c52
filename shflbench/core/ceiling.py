"""The folder above and beside which files of builds, headers and host code are not looked for.

A process that serves others sets it for the commands that it runs; it is inherited by their processes.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "SHFLBENCH_CEILING"  # its path; none: everything may be read


def is_below_ceiling(path: Path) -> bool:
    """Whether files at a path may be read, links resolved."""
    ceiling = os.environ.get(VARIABLE)
    return not ceiling or Path(os.path.realpath(path)).is_relative_to(os.path.realpath(ceiling))
