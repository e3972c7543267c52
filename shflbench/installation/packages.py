"""The packages that shflbench requires (standard library only: any other package may be missing)."""

from __future__ import annotations

import re
from importlib import metadata


def missing_packages() -> list[str]:
    """Return the required packages that are not installed, as after `pip install --no-deps`."""
    try:
        requirements = metadata.requires("shflbench") or []
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return []
    required = [re.split(r"[^\w.-]", text)[0] for text in requirements if "extra ==" not in text]
    return [name for name in required if installed_version(name) is None]


def installed_version(package: str) -> str | None:
    """Return the version of a package, None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
