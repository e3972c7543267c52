"""The dynamic shared memory of a challenger's block, as a user gives it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.bounds import MAX_SHARED_BYTES
from shflbench.errors import UsageError
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GIVEN = re.compile(r"(?:(?P<kernel>\w+)=)?(?P<bytes>[0-9]{1,10})(?:\*(?P<unit>threads|warps))?")
_PER = {"threads": "at.block", "warps": "(at.block // 32)"}
NOBODY = ""  # in place of the name of a kernel: all of them


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Bytes of dynamic shared memory: per block, per thread or per warp."""

    nbytes: int
    unit: str = ""  # `threads` or `warps`; empty: per block

    @property
    def expression(self) -> str:
        """The bytes per block as Python, with `at` for the setting of a launch."""
        return f"{self.nbytes} * {_PER[self.unit]}" if self.unit else str(self.nbytes)


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
        given[match["kernel"] or NOBODY] = SharedMemory(int(match["bytes"]), match["unit"] or "")
    return given
