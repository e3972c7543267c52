"""The arguments of a kernel: buffers of every kind, scalars, and the options that every pattern has."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shflbench.cuda.backends.base import POISON, BufferPointer, StructureBytes
from shflbench.errors import PatternError
from shflbench.measure.workload import call_of, setting_of, shared_bytes
from shflbench.patterns.declare import ByValue, InOut, Input, Output, PointerInto, Scalar
from shflbench.patterns.discover import LoadedPattern
from tests import cases
from tests.cases import own_pattern
from tests.measure.prepared import NEIGHBOR

MANY_KINDS = (
    Input("values", elements=lambda at: at.whole("words") * at.warps),
    InOut("count", elements=lambda _: 3, dtype="i32"),
    Output("sums", dtype="i64", initial=-1),
    Output("slots", per_thread=2, unordered=True),
)


def many_kinds(dtype: str = "f32") -> LoadedPattern:
    return own_pattern(
        buffers=MANY_KINDS,
        scalars=(
            Scalar("limit", lambda at: at.threads - 1),
            Scalar("scale", lambda at: 1 / at.warps, "f16"),
            Scalar("first", lambda _: 2, ""),
        ),
        options={"words": ("3", "5")},
        dtypes=(dtype,),
    )


def test_buffer_has_a_size_a_dtype_and_a_content_of_its_own() -> None:
    data = cases.workload(many_kinds(), options={"words": "5"})
    described = [(item.name, item.elements, item.dtype, item.read, item.written, item.initial) for item in data.buffers]
    assert described == [
        ("values", 20, "float32", True, False, None),
        ("count", 3, "int32", True, True, None),
        ("sums", 128, "int64", False, True, -1),
        ("slots", 256, "float32", False, True, None),
    ]
    assert [array.shape for array in data.inputs(0)] == [(20,), (3,)]
    assert data.unordered == (False, False, True)


def test_output_holds_its_initial_value_or_arbitrary_bytes_before_the_launch() -> None:
    _, _, sums, slots = cases.workload(many_kinds()).buffers
    assert sums.before().tolist() == [-1] * 128
    assert set(slots.before().view(np.uint8).tolist()) == {POISON}


def test_call_gives_a_kernel_its_buffers_scalars_and_iterations_in_its_own_order() -> None:
    pattern = many_kinds("i64")
    own = replace(pattern.declaration.variant("shfl"), arguments=("limit", "sums", "iterations", "scale", "first"))
    pattern = replace(pattern, declaration=replace(pattern.declaration, variants=(own,)))
    case = cases.case("own", "shfl", "i64", options={"words": "3"})
    call = call_of(pattern, case, cases.kernel("k"), cases.setting("i64", options={"words": "3"}))
    assert list(map(str, call.arguments)) == ["127", "sums", "iterations", "0.25", "2"]
    limit, _, _, scale, first = call.arguments
    assert [getattr(item, "dtype", None) for item in (limit, scale, first)] == [np.int32, np.float16, np.int64]
    assert [buffer.name for buffer in call.inputs] == ["values", "count"]
    assert [buffer.name for buffer in call.outputs] == ["count", "sums", "slots"]


def test_output_that_a_variant_adds_to_is_zero_before_its_launch() -> None:
    pattern = many_kinds()
    first = pattern.declaration.variant("shfl")
    before = []
    for own in (first, replace(first, zeroed=("sums",))):
        edited = replace(pattern, declaration=replace(pattern.declaration, variants=(own,)))
        call = call_of(edited, cases.case("own", "shfl"), cases.kernel("k"), cases.setting(options={"words": "3"}))
        before.append([buffer.initial for buffer in call.outputs])
    assert before == [[None, -1, None], [None, 0, None]]


def test_structure_has_numbers_and_pointers_at_their_bytes() -> None:
    pattern = many_kinds()
    view = ByValue("view", 40, ((0, "limit"), (8, "sums"), (16, PointerInto("count", lambda _: 4)), (32, "scale")))
    own = replace(pattern.declaration.variant("shfl"), arguments=(view, "iterations"))
    pattern = replace(pattern, declaration=replace(pattern.declaration, variants=(own,)))
    case = cases.case("own", "shfl", options={"words": "3"})
    call = call_of(pattern, case, cases.kernel("k"), cases.setting(options={"words": "3"}))
    data = (127).to_bytes(4, "little") + bytes(28) + np.float16(0.25).tobytes() + bytes(6)
    pointers = (8, BufferPointer("sums", 0)), (16, BufferPointer("count", 4))
    assert call.arguments == (StructureBytes(data, pointers), "iterations")
    assert "sums" in [buffer.name for buffer in call.outputs]


def test_call_without_a_list_has_buffers_then_scalars_then_iterations() -> None:
    call = call_of(many_kinds(), cases.case("own"), cases.kernel("k"), cases.setting(options={"words": "3"}))
    names = [item for item in call.arguments if isinstance(item, str)]
    assert names == ["values", "count", "sums", "slots", "iterations"]
    assert call.arguments[-1] == "iterations"
    assert len(call.arguments) == 8


def test_launch_options_change_the_launch_and_nothing_else() -> None:
    case = cases.case(variant="smem", options={"mode": "up", "extra_shared": "1000", "carveout": "25"})
    at = setting_of(case, 2)
    assert at.options == {"mode": "up"}
    call = call_of(NEIGHBOR, case, cases.kernel("k"), at)
    assert (call.shared_bytes, call.carveout) == (64 * 4 + 1000, 25)
    assert shared_bytes(NEIGHBOR.declaration.variant("shfl"), case, at) == 1000


def test_without_launch_options_the_driver_decides_about_the_carveout() -> None:
    call = call_of(NEIGHBOR, cases.case(variant="smem"), cases.kernel("k"), cases.setting(options={"mode": "idx"}))
    assert (call.shared_bytes, call.carveout) == (64 * 4, None)


@pytest.mark.parametrize(
    "declared",
    [
        {"buffers": (Input("values", elements=lambda _: 1 // 0), Output("result"))},
        {"scalars": (Scalar("limit", lambda _: 1 // 0),)},
    ],
)
def test_size_or_scalar_that_fails_is_one_sentence(declared: dict[str, Any]) -> None:
    pattern = own_pattern(**declared)
    with pytest.raises(PatternError, match=r"`PATTERN` fails: .*ZeroDivisionError"):
        call_of(pattern, cases.case("own"), cases.kernel("k"), cases.workload(pattern).setting)
