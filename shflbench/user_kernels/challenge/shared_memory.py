"""The dynamic shared memory of a challenger's block, as a user gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.bounds import MAX_SHARED_BYTES
from shflbench.core.model import WARP
from shflbench.errors import UsageError
from shflbench.patterns.stored_challengers import SharedMemory
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GIVEN = re.compile(r"(?:(?P<kernel>\w+)=)?(?P<bytes>[0-9]{1,10})(?:\*(?P<unit>threads|warps))?")
_THREADS = {"threads": 1, "warps": WARP}  # per unit
NOBODY = ""  # in place of the name of a kernel: all of them


def parse_shared(texts: Sequence[str]) -> Mapping[str, SharedMemory]:
    """Return the shared memory by kernel, "" for all kernels; UsageError for a text that is none."""
    given = {}
    for text in texts:
        match = _GIVEN.fullmatch(text.replace(" ", ""))
        if match is None or int(match["bytes"]) > MAX_SHARED_BYTES:
            raise UsageError(
                f"--shared {quote(text)} is no size of shared memory",
                "Write BYTES per block, BYTES*threads or BYTES*warps, for one kernel NAME=BYTES: --shared 8*threads.",
            )
        given[match["kernel"] or NOBODY] = SharedMemory(int(match["bytes"]), _THREADS.get(match["unit"], 0))
    return given
