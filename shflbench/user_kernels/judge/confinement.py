"""Limits of a process while it works on a candidate."""

from __future__ import annotations

import os
import resource
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY_BYTES = 8 * 2**30  # of addresses: a kernel of 16 MB of PTX needs less


@contextmanager
def confined(folder: str) -> Iterator[None]:
    """Limit memory, and stand in an empty `folder`, because a compiler looks for headers in the current one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY_BYTES if soft == resource.RLIM_INFINITY else min(soft, MEMORY_BYTES)
    before = "/"
    with suppress(OSError):  # it may have been deleted
        before = str(Path.cwd())
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
