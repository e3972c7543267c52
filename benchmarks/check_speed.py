"""Measure `shflbench check FILE`, cold start included: `python benchmarks/check_speed.py [FILE…]`.

Prints the seconds, those of a core, and the most memory of one process per file and compiler, beside the aims, and
exits with 1 if one of them is missed: on a busy machine, only those of a core mean anything. Without arguments: a few
files of the tests, from a sum of rows to locks, whose lanes wait for one another.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from shutil import which
from time import perf_counter

ROOT = Path(__file__).parent.parent
KERNELS = ROOT / "tests" / "checker" / "kernels"
FILES = (
    *("algorithms/row_sums_by_warps.cu", "algorithms/tiled_matrix_product.cu", "algorithms/work_efficient_scan.cu"),
    *("algorithms/bitonic_sort_without_barrier.cu", "algorithms/volume_stencil.cu"),
    *(
        "memory/last_block_sums.cu",
        "memory/lock_in_shared_memory_with_fences.cu",
        "memory/atomic_ref_release_acquire.cu",
    ),
    *("instructions/recursion_over_a_tree.cu", "instructions/barrier_in_shared_memory.cu"),
    *("synchronization/grid_barrier.cu", "synchronization/lock_among_the_lanes_of_a_warp.cu"),
)
AIM_SECONDS, AIM_MIB = 5, 1024
DECIDED = {0, 1}  # exit codes of a check that came to a verdict


def measure(file: Path, compiler: str) -> tuple[int, float, float, float]:
    """Return the exit code of one check in a process of its own, its seconds, those of a core, and its most MiB."""
    command = [sys.executable, "-m", "shflbench", "check", str(file), "--compiler", compiler]
    with tempfile.TemporaryFile() as output:
        start = perf_counter()
        process = os.posix_spawn(
            sys.executable,
            command,
            os.environ | {"PYTHONPATH": str(ROOT)},
            file_actions=[(os.POSIX_SPAWN_DUP2, output.fileno(), descriptor) for descriptor in (1, 2)],
        )
        _, status, usage = os.wait4(process, 0)
        seconds, busy = perf_counter() - start, usage.ru_utime + usage.ru_stime
        return os.waitstatus_to_exitcode(status), seconds, busy, usage.ru_maxrss / 1024


def main() -> None:
    """Print one line per file and compiler."""
    files = [Path(argument) for argument in sys.argv[1:]] or [KERNELS / name for name in FILES]
    missed = 0
    for compiler in ("nvcc", "nvrtc") if which("nvcc") else ("nvrtc",):
        for file in files:
            code, seconds, busy, mebibytes = measure(file, compiler)
            met = code in DECIDED and seconds < AIM_SECONDS and mebibytes < AIM_MIB
            missed += not met
            print(
                f"{compiler:6}{file.parent.name + '/' + file.name:58} exit {code} {seconds:6.2f} s, "
                f"{busy:5.2f} s of a core, {mebibytes:4.0f} MiB"
                f"{'' if met else '   MISSED'}",
                flush=True,
            )
    print(f"aim: less than {AIM_SECONDS} s and {AIM_MIB} MiB for each; {missed or 'none'} missed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
