"""Accessors of PyTorch's tensors: their fields, and sizes and strides that fit one another."""

from collections.abc import Mapping

import pytest

from shflbench.checker.inputs.accessors import accessor_fields
from shflbench.checker.inputs.alternatives import Alternative, Contents
from shflbench.checker.inputs.argument_spec import ArgumentSpec
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.numbers import ArgumentNumber, ArgumentNumbers
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel
from shflbench.cuda_sources.origin import Origin

WRITTEN = "const torch::PackedTensorAccessor32<float, 4, torch::RestrictPtrTraits>"
MANGLED = "at::GenericPackedTensorAccessor<double, 3ul, at::DefaultPtrTraits, long>"


def parameter(type_: str, size: int) -> KernelParameter:
    return KernelParameter("image", type_, None, pointer=False, size=size)


@pytest.mark.parametrize(
    ("type_", "size", "element", "index", "rank"), [(WRITTEN, 40, "f4", "i4", 4), (MANGLED, 56, "f8", "i8", 3)]
)
def test_an_accessor_has_data_sizes_and_strides(type_: str, size: int, element: str, index: str, rank: int) -> None:
    data, *numbers = accessor_fields(parameter(type_, size), None)
    assert (data.element, data.pointer, data.offset) == (element, True, 0)
    assert [item.name for item in numbers] == [f"{part}{place}" for part in ("size", "stride") for place in range(rank)]
    assert {item.element for item in numbers} == {index}
    assert numbers[-1].offset + numbers[-1].size == size


@pytest.mark.parametrize(("type_", "size"), [(WRITTEN, 32), ("float4", 16), ("TensorAccessor<float, N>", 40)])
def test_what_has_another_size_or_name_is_no_accessor(type_: str, size: int) -> None:
    assert accessor_fields(parameter(type_, size), None) == ()


def numbers(spec: ArgumentSpec, block: int = 256) -> Mapping[int, ArgumentNumber]:
    item = parameter(WRITTEN, 40)
    fields = accessor_fields(item, None)
    known = KernelParameter("image", WRITTEN, None, pointer=False, size=40, fields=fields)
    kernel = SourceKernel("k", "k", (known,), None)
    launch = PlannedLaunch(LaunchShape((2, 1, 1), (block, 1, 1)), Origin.CHOSEN)
    return dict(ArgumentNumbers(kernel, launch, spec).integers())


def values(spec: ArgumentSpec, block: int = 256) -> list[float]:
    return [item.value for item in numbers(spec, block).values()]


def test_strides_are_those_of_contiguous_memory() -> None:
    assert values(ArgumentSpec()) == [16, 16, 16, 16, 4096, 256, 16, 1]
    assert values(ArgumentSpec(vary=True)) == [13, 13, 13, 13, 13**3, 13**2, 13, 1]
    assert values(ArgumentSpec(), block=2) == [4, 4, 4, 4, 64, 16, 4, 1]


def test_strides_follow_sizes_that_the_user_gives() -> None:
    assert values(ArgumentSpec(given={"image.size2": NumberValue(5)})) == [16, 16, 5, 16, 16 * 5 * 16, 5 * 16, 16, 1]


def test_other_values_are_no_larger_than_the_usual_ones() -> None:
    assert values(ArgumentSpec(alternative=Alternative(Contents.ORDER, 4, 4))) == [4, 4, 4, 4, 64, 16, 4, 1]
    assert values(ArgumentSpec(alternative=Alternative(Contents.ORDER, 256, 256)))[0] == 16


def test_varied_sizes_make_varied_strides() -> None:
    assert {item.origin for item in numbers(ArgumentSpec(vary=True)).values()} == {Origin.VARIED, Origin.CHOSEN}
