"""Results of NVBench on an H200, as folders with a file per process."""

from functools import cache
from pathlib import Path

from benchmarks.nvbench.recording import SLOWER, UNCHANGED, NVBenchRecording
from tests.fakes.nvbench_recordings import write_process

RECORDED = Path(__file__).parents[1] / "data" / "nvbench" / "h200-1.npz"


@cache
def recording() -> NVBenchRecording:
    return NVBenchRecording.load(RECORDED)


def write_side(folder: Path, side: str, first: int = 0) -> Path:
    """Write every other of the six processes of a side, starting with `first`."""
    for process in recording().side(side)[first::2]:
        write_process(process, folder)
    return folder


def write_slower(folder: Path) -> None:
    """Write `base`, and `new` with kernels that are truly slower."""
    write_side(folder / "base", UNCHANGED)
    write_side(folder / "new", SLOWER)
