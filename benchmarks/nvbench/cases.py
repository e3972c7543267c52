"""The kernels that NVBench timed for the recordings in tests/data/nvbench, unchanged and truly slower."""

from __future__ import annotations

UNCHANGED, SLOWER = "unchanged", "slower"
SIDES = (UNCHANGED, SLOWER)

# How many percent more iterations the slower copy of each unchanged kernel has, which has the same name; a pass over
# data cannot have more. From 5 to 360 µs on an H200. Most copies of the kernels of 50 µs or more take 2 or 3% longer:
# the smallest changes that the default threshold finds.
PERCENT_MORE = {
    "broadcast/shfl/f32/26x1024/100": 10,
    "neighbor/shfl/f32/26x1024/1000": 10,
    "scan/shfl/f32/26x1024/300": 3,
    "reduce/shfl/f64/26x1024/200": 5,
    "neighbor/smem/f32/26x1024/500": 2,
    "neighbor/shfl/f32/26x1024/4000": 2,
    "broadcast/shfl/f32/26x1024/4000": 2,
    "neighbor/smem-syncwarp/f32/26x1024/4000": 3,
    "reduce/redux/i32/26x1024/4000": 2,
    "transpose/smem-padded/f32/104x256/4000": 5,
    "neighbor/smem/f32/26x1024/4000": 1,
    "reduce/shfl/f32/26x1024/4000": 2,
    "bitonic-sort/shfl/i32/26x1024/1000": 10,
    # These wait for memory beyond an SM's own cache, as those of `benchmarks/compare_power/suite.py`.
    "memory-ladder/l2/i32/26x1024/400": 3,
    "struct-access/soa/f32/8192x256/1": 0,
    "moving-average/shfl/f32/8192x256/1": 0,
}
MEMORY = ("memory-ladder/l2/", "struct-access/", "moving-average/")  # how the names of the last ones begin


def percent_of(case_id: str) -> int:
    """Return how many percent more iterations the slower copy of an unchanged case has; KeyError if there is none."""
    return PERCENT_MORE["/".join(case_id.split("/")[:5])]
