"""The kernels that NVBench times for `nvbench_gate`, unchanged and truly slower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.model import Suite

UNCHANGED, SLOWER = "unchanged", "slower"
SIDES = (UNCHANGED, SLOWER)

HEAD = """\
schema: 1
name: nvbench-gate
title: Kernels that NVBench times in several processes
measure: {precision: 0.5%}
experiments:
"""


@dataclass(frozen=True, slots=True)
class GateKernel:
    """A kernel at one launch; `iterations` is 0 for a pass over data, which cannot have more of them."""

    experiment: str  # keys of a suite, without the iterations
    iterations: int = 0
    percent_more: int = 0  # iterations of the slower copy

    def line(self, side: str) -> str:
        """Return its line of the suite of a side."""
        more = f", iterations: {self.count(side)}" if self.iterations else ""
        return f"  - {{{self.experiment}{more}}}\n"

    def count(self, side: str) -> int:
        """Return its iterations on a side; 1 for a pass over data."""
        return self.iterations * (100 + (self.percent_more if side == SLOWER else 0)) // 100 or 1


SMALL = "dtypes: f32, launch: 26x1024"
# From 5 to 360 µs on an H200. Multiples of a hundred iterations, so that 1% of them is a whole number. Most slower
# copies of the kernels of 50 µs or more take 2 or 3% longer: the smallest changes that the default threshold finds.
KERNELS = (
    GateKernel(f"pattern: broadcast, values: 1, variants: shfl, {SMALL}", 100, 10),
    GateKernel(f"pattern: neighbor, variants: shfl, {SMALL}", 1000, 10),
    GateKernel(f"pattern: scan, kind: inclusive, variants: shfl, {SMALL}", 300, 3),
    GateKernel("pattern: reduce, variants: shfl, dtypes: f64, launch: 26x1024", 200, 5),
    GateKernel(f"pattern: neighbor, variants: smem, {SMALL}", 500, 2),
    GateKernel(f"pattern: neighbor, variants: shfl, {SMALL}", 4000, 2),
    GateKernel(f"pattern: broadcast, values: 1, variants: shfl, {SMALL}", 4000, 2),
    GateKernel(f"pattern: neighbor, variants: smem-syncwarp, {SMALL}", 4000, 3),
    GateKernel("pattern: reduce, variants: redux, dtypes: i32, launch: 26x1024", 4000, 2),
    GateKernel("pattern: transpose, words: 8, variants: smem-padded, dtypes: f32, launch: 104x256", 4000, 5),
    GateKernel(f"pattern: neighbor, variants: smem, {SMALL}", 4000, 1),
    GateKernel(f"pattern: reduce, variants: shfl, {SMALL}", 4000, 2),
    GateKernel("pattern: bitonic-sort, payload: none, variants: shfl, dtypes: i32, launch: 26x1024", 1000, 10),
    # These wait for memory beyond an SM's own cache, as those of `benchmarks/compare_power/suite.py`.
    GateKernel("pattern: memory-ladder, variants: l2, dtypes: i32, launch: 26x1024", 400, 3),
    GateKernel("pattern: struct-access, words: 4, variants: soa, dtypes: f32, launch: 8192x256"),
    GateKernel("pattern: moving-average, variants: shfl, dtypes: f32, launch: 8192x256"),
)
MEMORY = ("memory-ladder/l2/", "struct-access/", "moving-average/")  # how the names of the last ones begin


def suite_text(side: str) -> str:
    """Return the suite of a side: `unchanged` or `slower`."""
    return HEAD + "".join(kernel.line(side) for kernel in KERNELS)


def slower_ids(unchanged: Suite) -> Mapping[str, str]:
    """Return the id of the slower copy of each case, by the id of the unchanged case, in the order of the suite."""
    return dict(_pairs(unchanged))


def _pairs(unchanged: Suite) -> Iterator[tuple[str, str]]:
    for case in unchanged.cases:
        pattern, variant, dtype, launch, _, *options = case.id.split("/")
        yield case.id, "/".join((pattern, variant, dtype, launch, str(kernel_of(case.id).count(SLOWER)), *options))


def percent_of(case_id: str) -> int:
    """Return how many percent more iterations the slower copy of an unchanged case has; KeyError if there is none."""
    return kernel_of(case_id).percent_more


def kernel_of(case_id: str) -> GateKernel:
    """Return the kernel of an unchanged case by its id; KeyError if there is none."""
    pattern, variant, dtype, launch, iterations, *_ = case_id.split("/")
    words = {f"pattern: {pattern}", f"variants: {variant}", f"dtypes: {dtype}", f"launch: {launch}"}
    for kernel in KERNELS:
        if kernel.count(UNCHANGED) == int(iterations) and words <= set(kernel.experiment.split(", ")):
            return kernel
    raise KeyError(case_id)
