"""`shflbench.bench` on kernels that take structures by value."""

from typing import Any

import numpy as np
import pytest

import shflbench
from shflbench.errors import UsageError

KERNELS = """
struct Range { int first, last; };
struct Product { const float *data[2]; float *out; Range rows; double factor; short steps[2]; };
__global__ void plain(Product p) {
    int i = p.rows.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.rows.last) p.out[i] = p.factor * p.data[0][i * p.steps[0]] * p.data[1][i * p.steps[1]];
}
__global__ void strided(const __grid_constant__ Product p) {
    const float *x = p.data[0], *y = p.data[1];
    for (int i = p.rows.first + threadIdx.x; i < p.rows.last; i += blockDim.x * gridDim.x)
        p.out[i] = p.factor * x[i * p.steps[0]] * y[i * p.steps[1]];
}
"""
SCALE = """
struct Scale { float factor; int offset[2]; };
__global__ void scale(float *out, const float *in, Scale s) {
    out[threadIdx.x] = s.factor * in[threadIdx.x] + s.offset[1] + s.offset[0];
}
"""
PAIR = {"plain": (KERNELS, "plain"), "strided": (KERNELS, "strided")}
X, Y = (np.random.default_rng(seed).random(100, dtype=np.float32) for seed in (1, 2))


def product(**changed: Any) -> dict[str, Any]:
    fields = {"data": [X, Y], "out": np.zeros(50, np.float32), "rows": {"first": 2, "last": 45}, "factor": 0.5}
    return {**fields, "steps": (2, 1), **changed}


@pytest.mark.archs
def test_a_structure_is_a_mapping_of_its_fields() -> None:
    result = shflbench.bench(PAIR, product(), grid=1, block=64)
    assert result.agree, result.text()
    wrong = KERNELS.replace("y[i * p.steps[1]]", "x[i * p.steps[1]]")
    result = shflbench.bench({**PAIR, "strided": (wrong, "strided")}, product(), grid=1, block=64)
    assert not result.agree


@pytest.mark.archs
def test_a_structure_is_a_structured_scalar() -> None:
    given = np.zeros((), [("factor", "f4"), ("offset", "i4", 2)])
    given["factor"], given["offset"] = 0.25, (3, 4)
    kernels = {"scale": SCALE, "double": SCALE.replace("s.factor", "2 * s.factor")}
    for structure in (given, given[()]):
        result = shflbench.bench(kernels, np.zeros(64, np.float32), X[:64].copy(), structure, grid=1, block=64)
        assert [row.status.value for row in result.rows] == ["verified", "incorrect"]
        assert not result.agree


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rows": {"first": 2}}, "argument p has no value for its field `rows.last`"),
        ({"scale": 1}, "argument p has no field `scale`"),
        ({"out": 3}, "argument p.out is 3, and the kernel takes an array"),
        ({"factor": X}, "argument p.factor"),
    ],
)
def test_wrong_fields_are_refused(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        shflbench.bench(PAIR, product(**changed), grid=1, block=64)
    assert caught.value.message.startswith(sentence)
