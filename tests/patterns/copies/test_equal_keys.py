"""Code to copy sorts keys of which some are equal, or the smallest and the largest numbers of their type."""

import json
from pathlib import Path

import pytest

from shflbench.core.model import DTYPES
from shflbench.patterns.copies import copy_of
from tests.checker import schedules
from tests.checker.in_process import start_no_processes
from tests.conftest import Command

KERNEL = """#include "copied.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void equal_keys_sort(const T* keys, T* sorted_keys) {
    SHARED
    sorted_keys[thread()] = warp_sort(CALL);
}
"""
SHARED = {
    "smem-rank": """Ordered* unsorted = shared<Ordered>();
    Ordered* sorted = unsorted + blockDim.x;""",
    "smem-rank-window": """Ordered* unsorted = shared<Ordered>();
    T* sorted = shared<T>() + 2 * blockDim.x;""",
}

DECLARATION = """
import numpy as np

from shflbench.core.model import WARP, Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant, elements_per_thread

PATTERN = Pattern(
    summary="Each warp sorts 32 keys.",
    source="our own",
    dtypes=("DTYPE",),
    one_pass=True,
    buffers=(Input("keys"), Output("sorted_keys")),
    variants=(
        Variant(
            name="sort",
            mechanism=Mechanism.MECHANISM,
            baseline=True,
            summary="a copy",
            shared=elements_per_thread(3),
        ),
    ),
)


def inputs(rng, at):
    if at.dtype.floating:
        some = np.array([-np.inf, -2.5, -1, 1, 2.5, np.inf])
    else:
        limits = np.iinfo(at.dtype.numpy)
        some = np.array([limits.min, limits.min + 1, -1, 0, limits.max - 1, limits.max])
    return rng.choice(some, (at.warps, WARP)).astype(at.dtype.numpy)


def reference(keys):
    return np.sort(keys, axis=1)
"""


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("variant", "dtype"),
    [
        ("smem-rank", "i32"),
        ("smem-rank", "f32"),
        ("smem-rank", "i64"),
        ("smem-rank-window", "f32"),
        ("shfl-min", "i32"),
        ("shfl-min", "f32"),
        ("shfl-min-max", "i32"),
        ("shfl-min-max", "f32"),
        ("shfl-complement", "i32"),
    ],
)
def test_equal_and_extreme_keys_are_sorted(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variant: str, dtype: str
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    schedules.run_fewer(monkeypatch, schedules.THREE)
    text = copy_of("bitonic-sort", variant, dtype, {"payload": "none"})
    assert text
    by_rank = variant in SHARED
    folder = tmp_path / "equal_keys"
    folder.mkdir()
    name = f"bitonic_sort_{variant}".replace("-", "_")
    (folder / "copied.cuh").write_text(f"{text}\nusing namespace {name};\n")
    call = "keys[thread()], unsorted, sorted" if by_rank else "keys[thread()]"
    (folder / "kernels.cu").write_text(KERNEL.replace("SHARED", SHARED.get(variant, "")).replace("CALL", call))
    declaration = DECLARATION.replace("DTYPE", DTYPES[dtype].name)
    (folder / "pattern.py").write_text(declaration.replace(".MECHANISM", ".SMEM" if by_rank else ".SHFL"))
    outcome = shflbench("check", folder, "--format", "json")
    assert [item["verdict"] for item in json.loads(outcome.out)["kernels"]] == ["clean"], outcome.out
