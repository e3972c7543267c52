from itertools import product

import numpy as np
import pytest

from shflbench.emulator.machine.launch import execute
from shflbench.measure.agreement import mismatch
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload
from tests import cases, kernels

PLAIN, BLOCKED = (kernels.patterns()[name] for name in ("moving-average", "moving-average-blocked"))
OPTIONS = BLOCKED.declaration.options
VARIANTS = [variant.name for variant in BLOCKED.declaration.variants]
EACH_OPTION = [name.split("/", 2)[2] for name in kernels.subjects() if name.startswith(f"{BLOCKED.name}/smem/")]


def workload(per_thread: str, missing: str, dtype: str = "f32", launch: str = "2x64") -> Workload:
    return cases.workload(BLOCKED, dtype, launch, options={"per_thread": per_thread, "missing": missing})


@pytest.mark.parametrize("dtype", BLOCKED.declaration.dtypes)
@pytest.mark.parametrize(("per_thread", "missing"), [*product(*OPTIONS.values())])
def test_reference_is_that_of_the_pattern_with_one_element_per_thread(
    dtype: str, per_thread: str, missing: str
) -> None:
    data = workload(per_thread, missing, dtype)
    (x,), (y,) = data.inputs(0), data.expected(0, 1)
    assert len(x) == len(y) == (128 - int(missing)) * int(per_thread)
    (plain,) = PLAIN.reference([x], cases.setting(dtype, f"1x{len(x)}", {"missing": "0"}), 1)
    assert np.array_equal(y, plain)


def test_bytes_are_those_of_the_array_and_not_of_the_launch() -> None:
    assert cases.bytes_moved(workload("8", "5", "f64")) == 123 * 8 * (8 + 8)


# A block of one warp; blocks whose last threads have no elements; more warps than one.
@pytest.mark.one_in(5)
@pytest.mark.parametrize("launch", ["1x32", "3x32", "2x96"])
@pytest.mark.parametrize("options", EACH_OPTION)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_is_right_bit_for_bit(variant: str, options: str, launch: str) -> None:
    name = f"{BLOCKED.name}/{variant}/{options}"
    emulated, data = kernels.launch(name, kernels.kernel(name), 1, launch)
    assert difference(data, execute(emulated), 0, 1) == ""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("options", EACH_OPTION)
@pytest.mark.parametrize("variant", VARIANTS)
def test_threads_load_and_store_their_elements_by_16_bytes(variant: str, options: str) -> None:
    dtype, per_thread, _ = options.split("/")
    vectors = int(per_thread.removeprefix("per_thread=")) * (4 if dtype == "f32" else 8) // 16
    halo = "LDG.E.64" if dtype == "f32" else "LDG.E.128"  # two elements at once
    sass = kernels.compiled(f"{BLOCKED.name}/{variant}/{options}").sass or ()
    accesses = [instruction.opcode for instruction in sass if instruction.opcode.startswith(("LDG", "STG"))]
    assert sorted(accesses) == sorted(["LDG.E.128"] * vectors + [halo] * 2 + ["STG.E.128"] * vectors)


def test_two_elements_taken_from_the_wrong_neighbor_are_visible() -> None:
    data = workload("4", "0")
    (x,), (right,) = data.inputs(0), data.expected(0, 1)
    got = right.copy()
    got[127] = np.add.reduce([*x[125:128], *x[124:126]], dtype="f4") * np.float32(0.2)  # lane 31 took its own first two
    assert mismatch([got], [right], 0.0).endswith("(1 of 512 are wrong)")
