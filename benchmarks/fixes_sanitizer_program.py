"""Run the kernels of one file on the GPU: the program that compute-sanitizer watches.

`python benchmarks/fixes_sanitizer_program.py JOB MARKER`, with a job as JSON that `fixes_sanitizer.py` writes. A second
kernel is launched as one that depends on the first, and has one buffer in common with it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cupy
import numpy as np

from shflbench.backends.cuda_attributes import AttributedLaunch
from shflbench.dimensions import NO_CLUSTER

ELEMENTS = 4096  # 32-bit words of each buffer, as in the tests


def main(job: dict[str, Any], marker: str) -> None:
    """Launch each kernel once; buffers that it only reads hold small integers, the others zeros."""
    _print(marker + job["name"])
    grid, block = (tuple([*job[name], 1, 1][:3]) for name in ("grid", "block"))
    values = np.random.default_rng(0).integers(0, 64, ELEMENTS).astype(np.int32)
    buffers = [
        [cupy.asarray(values) if is_read else cupy.zeros(ELEMENTS, np.int32) for is_read in kernel["pointers"]]
        for kernel in job["kernels"]
    ]
    if job["same"] is not None:
        first, second = job["same"]
        buffers[1][second] = buffers[0][first]
    cupy.cuda.runtime.deviceSynchronize()
    for number, (kernel, given) in enumerate(zip(job["kernels"], buffers, strict=True)):
        module = cupy.cuda.function.Module()
        module.load(Path(kernel["cubin"]).read_bytes())
        function = module.get_function(kernel["symbol"])
        if number:
            dims = SimpleNamespace(grid=grid, block=block)
            launch: Any = SimpleNamespace(dims=dims, shared_bytes=0, programmatic=True, cluster=NO_CLUSTER)
            AttributedLaunch(function, launch)(given)
        else:
            function(grid, block, tuple(given))
    cupy.cuda.runtime.deviceSynchronize()
    _print("ran")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
