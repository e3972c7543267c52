"""Code to copy adds up arrays that end within the elements of a block."""

import json
from pathlib import Path

import pytest

from shflbench.patterns.copies import copy_of
from tests.checker import schedules
from tests.checker.in_process import start_no_processes
from tests.conftest import Command

KERNEL = """#include "copied.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void array_end_sum(const T* elements, unsigned* total) {
    constexpr int BLOCK = 128;
    add_sum<BLOCK>(elements, COUNT, reinterpret_cast<Sum*>(total), shared<Sum>());
}
"""

DECLARATION = """
import numpy as np

from shflbench.core.model import Mechanism
from shflbench.patterns.declare import Input, Output, Pattern, Variant

PATTERN = Pattern(
    summary="The sum of an array.",
    source="our own",
    dtypes=("DTYPE",),
    one_pass=True,
    buffers=(
        Input("elements", elements=lambda _: COUNT),
        Output("total", elements=lambda _: 1, dtype="i32", initial=0),
    ),
    variants=(
        Variant(
            name="sum",
            mechanism=Mechanism.SMEM,
            baseline=True,
            summary="a copy",
            shared=lambda at: at.block * 4,
        ),
    ),
)


def inputs(rng, at):
    return rng.integers(1, 8, COUNT).astype(at.dtype.numpy)


def reference(elements):
    total = elements.astype(np.float64).sum()
    return np.array([total], np.float32 if "DTYPE" != "i32" else np.int32).view(np.int32)
"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize("order", ["block", "grid"])
@pytest.mark.parametrize(
    ("variant", "dtype"),
    [("interleaved", "f32"), ("first-add", "i32"), ("smem", "f32"), ("shfl-vector", "bf16"), ("redux", "i32")],
)
def test_elements_beyond_the_end_of_an_array_are_not_read(
    shflbench: Command,
    kernel_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    variant: str,
    dtype: str,
    order: str,
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    schedules.run_fewer(monkeypatch, schedules.THREE)
    text = copy_of("device-reduce", variant, dtype, {"per_thread": "8", "order": order})
    assert text
    folder = tmp_path / "array_end"
    folder.mkdir()
    name = f"device_reduce_{variant}".replace("-", "_")
    (folder / "copied.cuh").write_text(f"{text}\nusing namespace {name};\n")
    count = str(2 * 128 * 8 - 131)
    (folder / "kernels.cu").write_text(KERNEL.replace("COUNT", count))
    (folder / "pattern.py").write_text(DECLARATION.replace("DTYPE", dtype).replace("COUNT", count))
    outcome = shflbench("check", folder, "--format", "json")
    assert [item["verdict"] for item in json.loads(outcome.out)["kernels"]] == ["clean"], outcome.out
