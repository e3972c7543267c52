"""Say in one sentence what is wrong with this Python, so that `make` fails early and clearly.

Keeps to what Python 3.7 reads, because old Pythons are the ones that it has to talk to.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

OLDEST = (3, 11)


def complaint() -> str | None:
    """Return what this Python lacks, or None."""
    if sys.version_info < OLDEST:
        found, needed = (f"{version[0]}.{version[1]}" for version in (sys.version_info, OLDEST))
        return f"shflbench needs Python {needed} or newer, this is {found}; name another: make PYTHON=python3.12 ..."
    if not (find_spec("venv") and find_spec("ensurepip")):
        return f"{sys.executable} lacks the module venv; on Debian and Ubuntu: apt install python3-venv"
    return None


if __name__ == "__main__":
    sys.exit(complaint())
