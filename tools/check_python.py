"""Print in one sentence why this Python cannot run shflbench, so that `make` fails early and clearly.

The syntax is that of Python 3.7, so that old Pythons can run this file.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

OLDEST = (3, 11)


def complaint() -> str | None:
    """Return why this Python is not sufficient, or None."""
    if sys.version_info < OLDEST:
        present, needed = (f"{version[0]}.{version[1]}" for version in (sys.version_info, OLDEST))
        return (
            f"shflbench needs Python {needed} or newer, this is {present}; select another: make PYTHON=python3.12 ..."
        )
    if not (find_spec("venv") and find_spec("ensurepip")):
        return f"{sys.executable} lacks the module venv; on Debian and Ubuntu: apt install python3-venv"
    return None


if __name__ == "__main__":
    sys.exit(complaint())
