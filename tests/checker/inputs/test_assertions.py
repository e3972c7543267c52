"""Assertions of a kernel on numbers that nobody gave: values that satisfy them are tried before they count."""

from pathlib import Path

import pytest

from shflbench.checker.runs import alternative_runs
from tests.checker.inputs.test_derived_values import verdicts

# As in kernels whose template constants limit the columns: derived sizes, those of the launch, are larger.
LIMITED = """__global__ void limited(float *x, int columns) {
    assert(columns <= 8);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < columns) x[i] = i;
}
__global__ void negative(float *x, int columns) {
    assert(columns < 0);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
"""


def test_an_assertion_fails_only_if_it_fails_with_every_value(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(LIMITED, tmp_path, kernel_cache) == {"limited": "clean", "negative": "needs arguments"}


def test_values_of_numbers_are_tried_with_one_kind_of_contents_where_no_contents_decide(
    tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alternative_runs, "ALTERNATIVES", ())  # all contents with each number, which takes long
    assert verdicts(LIMITED, tmp_path, kernel_cache)["limited"] == "clean"
