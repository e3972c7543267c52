"""Run compiled kernels on the GPU, one after the other: the program that compute-sanitizer watches.

`python benchmarks/check_sanitizer_program.py JOBS`, a JSON file that `check_sanitizer.py` writes. Ends after the first
kernel that fails, because CUDA does not work in that process any more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cupy
import numpy as np

ELEMENTS = 4096  # 32-bit words of each buffer, as in the tests


def main(jobs: list[dict[str, Any]], marker: str) -> None:
    """Launch each kernel once; its first buffer holds small integers, the others zeros."""
    for job in jobs:
        _print(marker + job["name"])
        try:
            module = cupy.RawModule(path=job["cubin"], enable_cooperative_groups=job["cooperative"])
            kernel = module.get_function(job["symbol"])
            values = np.random.default_rng(0).integers(0, 64, ELEMENTS).astype(np.int32)
            buffers = [cupy.asarray(values)] if job["buffers"] > 1 else []
            buffers += [cupy.zeros(ELEMENTS, np.int32) for _ in range(job["buffers"] - len(buffers))]
            kernel(tuple(job["grid"]), tuple(job["block"]), tuple(buffers))
            cupy.cuda.runtime.deviceSynchronize()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            _print(f"failed: {error}")
            return
        except cupy.cuda.driver.CUDADriverError as error:
            _print(f"failed: {error}")
            return
        _print("ran")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2])
