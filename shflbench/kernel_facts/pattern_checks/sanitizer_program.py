"""Run kernels on the GPU, one after the other: the program that compute-sanitizer watches.

`python -m shflbench.kernel_facts.pattern_checks.sanitizer_program FILE`, with the pickled jobs of `sanitizer.py` in
FILE.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import LaunchError
from shflbench.kernel_facts.pattern_checks.sanitizer import FAILED, RAN
from shflbench.kernel_facts.pattern_checks.sanitizer_result import MARKER

if TYPE_CHECKING:
    from shflbench.kernel_facts.pattern_checks.sanitizer import SanitizerJob


def main(file: Path) -> None:
    """Run each job in the file; stop after a crash, because CUDA does not work in this process any more."""
    work: list[SanitizerJob] = pickle.loads(file.read_bytes())  # noqa: S301  (written by the parent, for this process alone)
    backend = CudaBackend.open_device(0, find())
    for job in work:
        _print(MARKER + job.name)
        try:
            kernel = backend.open(job.call)
            for iterations in job.iterations:
                kernel.run(job.inputs, iterations)  # returns when the outputs are back: all reports are printed
        except LaunchError as error:
            _print(f"{FAILED}: {error.message}")
            return
        _print(RAN)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
