"""The job of a window as workers get it: compressed JSON, made once for all devices that measure the same."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from shflbench.measure.job import Job

if TYPE_CHECKING:
    from collections.abc import Hashable

    from shflbench.measure.job import Code

MOST_KEPT = 64  # jobs, of 0.1 to 0.5 MB each: devices of one model measure the same window at about the same time


def pack(job: Job, code: Code) -> bytes:
    """Return the job as a message; the machine code in it shrinks to a fifth."""
    return zlib.compress(job.to_json(code).encode())


def unpack(packed: bytes) -> Job:
    """Read what `pack` wrote."""
    return Job.from_json(zlib.decompress(packed).decode())


class JobPacker:
    """Packs jobs, each once for all devices: packing a window takes 50 ms, and 1,000 copies a gigabyte."""

    def __init__(self) -> None:
        """Start without jobs."""
        self._kept: OrderedDict[Hashable, tuple[Job, bytes]] = OrderedDict()
        self._lock = Lock()

    def pack(self, job: Job, code: Code) -> bytes:
        """Return the job as a message, the same object for jobs that are equal and share their kernels."""
        # The kernels of a kept job are kept with it, so that their ids are unique.
        groups = tuple(tuple((task.case, id(task.kernel)) for task in group) for group in job.groups)
        key = (code, groups, repr(replace(job, groups=())))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = job, pack(job, code)
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return self._kept[key][1]
