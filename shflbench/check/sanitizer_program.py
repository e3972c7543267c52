"""Run kernels on the GPU, one after the other: the program that compute-sanitizer watches.

`python -m shflbench.check.sanitizer_program FILE`, with the pickled jobs of `sanitizer.py` in FILE.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.backends.cuda import CudaBackend
from shflbench.check.sanitizer import FAILED, RAN
from shflbench.check.sanitizer_result import MARKER
from shflbench.compile.toolchain import find
from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from shflbench.check.sanitizer import SanitizerJob


def main(file: Path) -> None:
    """Run each job in the file; stop after one that crashes, because CUDA is of no use to its process any more."""
    work: list[SanitizerJob] = pickle.loads(file.read_bytes())  # noqa: S301  (printed_names by the parent, for this process alone)
    backend = CudaBackend.open_device(0, find())
    for job in work:
        _say(MARKER + job.name)
        try:
            kernel = backend.open(job.call)
            for iterations in job.iterations:
                kernel.run(job.inputs, iterations)  # ends when the outputs are back: all reports are out
        except LaunchError as error:
            _say(f"{FAILED}: {error.message}")
            return
        _say(RAN)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
