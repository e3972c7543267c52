from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.checker.inputs.argument import Arguments, NamedValue
from shflbench.checker.inputs.argument_spec import ArgumentSpec
from shflbench.checker.inputs.choose import choose
from shflbench.checker.inputs.compared_constants import ContentThresholds
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.names import match_names, refuse_unknown
from shflbench.checker.inputs.shapes import LaunchShape, parse_shape
from shflbench.checker.inputs.size_bound import SizeBound
from shflbench.cuda_sources.kernel_file import (
    Field,
    HostArgument,
    HostBuffer,
    HostLaunch,
    KernelParameter,
    SourceKernel,
)
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.errors import UsageError

IN = KernelParameter("in", "const float *", "f4", pointer=True, size=8, offset=0, element_bytes=4)
OUT = KernelParameter("out", "float4 *", "f4", pointer=True, size=8, offset=8, lanes=4, element_bytes=16)
N = KernelParameter("n", "int", "i4", pointer=False, size=4, offset=16, element_bytes=4)
LINE = SourceLine(Path("k.cu"), 1)


def kernel(*parameters: KernelParameter) -> SourceKernel:
    return SourceKernel("k", "_Z1k", parameters, LINE)


def arguments(
    *parameters: KernelParameter, args: tuple[str, ...] = (), launch: str = "2x128", **spec: Any
) -> Arguments:
    source = kernel(*parameters)
    refuse_unknown(parse_arguments(args), [source])
    given = match_names(parse_arguments(args), source)
    planned_launch = PlannedLaunch(parse_shape(launch), Origin.CHOSEN)
    return choose(source, planned_launch, ArgumentSpec(given=given, **spec), seed=0)


def test_a_buffer_has_a_value_per_thread_and_a_size_is_the_number_of_threads() -> None:
    made = arguments(IN, OUT, N)
    assert list(map(str, made.values)) == ["in = f32[256]", "out = f32[1024]", "n = 256"]
    assert {value.origin for value in made.values} == {Origin.CHOSEN}
    assert made.parameters[2].data == (256).to_bytes(4, "little")
    assert [value.pointers for value in made.parameters] == [((0, 0, 0),), ((0, 1, 0),), ()]


def test_a_launch_of_ten_billion_threads_takes_little_memory() -> None:
    blocks = LaunchShape((3906250, 10, 1), (256, 1, 1), sample=(0,))  # of 37 GiB, with an element per thread
    made = choose(kernel(IN), PlannedLaunch(blocks, Origin.CHOSEN), ArgumentSpec(), seed=0)
    assert made.total_bytes == ArgumentSpec().most_bytes


def test_given_values_come_first() -> None:
    made = arguments(IN, OUT, N, args=("n=1000", "in=f32[3]:1,2.5"))
    assert made.listed(Origin.GIVEN) == "in = f32[3], n = 1000"
    assert made.listed(Origin.CHOSEN) == "out = f32[1024]"
    assert made.buffers[0].contents.view("f4").tolist() == [1, 2.5, 1]
    assert made.parameters[2].data == (1000).to_bytes(4, "little")


def test_a_position_names_a_parameter() -> None:
    assert arguments(IN, N, args=("1=7",)).values[1] == NamedValue("n", "7", Origin.GIVEN)


def test_seeds_change_random_contents_and_nothing_else() -> None:
    source, launch = kernel(IN, N), PlannedLaunch(parse_shape("2x128"), Origin.CHOSEN)
    first, again, other = (choose(source, launch, ArgumentSpec(), seed) for seed in (0, 0, 1))
    assert np.array_equal(first.buffers[0].contents, again.buffers[0].contents)
    assert not np.array_equal(first.buffers[0].contents, other.buffers[0].contents)
    assert first.parameters[1].data == other.parameters[1].data


def test_contents_are_small_whole_numbers_and_integers_are_valid_indices() -> None:
    index = KernelParameter("index", "const int *", "i4", pointer=True, size=8, offset=8)
    floats, integers = (buffer.contents for buffer in arguments(IN, index).buffers)
    assert set(floats.view("f4")) <= set(range(-8, 9))
    assert 0 <= integers.view("i4").min() <= integers.view("i4").max() < 256


def test_counters_and_flags_begin_with_zeros() -> None:
    made = arguments(IN, zeroed=("in",))
    assert not made.buffers[0].contents.any()
    assert made.values == (NamedValue("in", "f32[256]:0", Origin.CHOSEN),)


def test_a_buffer_of_chosen_size_grows_to_what_the_kernel_needs() -> None:
    made = arguments(IN, least_bytes={"in": 5000})
    assert made.values == (NamedValue("in", "f32[1250]", Origin.CHOSEN),)


def test_a_buffer_of_given_size_does_not_grow() -> None:
    assert arguments(IN, args=("in=f32[4]",), least_bytes={"in": 5000}).buffers[0].contents.size == 16


def test_a_varied_size_leaves_the_last_threads_without_work() -> None:
    made = arguments(IN, N, vary=True)
    assert made.values[1] == NamedValue("n", "223", Origin.VARIED)
    assert made.is_varied
    assert made.parameters[1].spans[0].origin is Origin.VARIED


@pytest.mark.parametrize(
    ("name", "launch", "value"),
    [
        ("n", "2x128", 256),
        ("numElements", "2x128", 256),
        ("width", "2x2:16x8", 32),
        ("height", "2x2:16x8", 16),
        ("num_rows", "2x2:16x8", 16),
        ("rows", "2x128", 256),
        ("depth", "1:4x4x2", 2),
        ("iterations", "2x128", 3),
        ("offset", "2x128", 0),
        ("seed", "2x128", 1),
    ],
)
def test_the_name_of_a_number_suggests_its_value(name: str, launch: str, value: int) -> None:
    number = KernelParameter(name, "int", "i4", pointer=False, size=4)
    assert arguments(number, launch=launch).values == (NamedValue(name, str(value), Origin.CHOSEN),)


def test_a_small_type_takes_no_larger_number_than_it_holds() -> None:
    small = KernelParameter("n", "signed char", "i1", pointer=False, size=1)
    assert arguments(small).parameters[0].data == bytes([127])


def test_the_fields_of_a_structure_are_filled_and_named() -> None:
    fields = (
        Field("data", "float *", "f4", pointer=True, offset=0, size=8),
        Field("n", "int", "i4", pointer=False, offset=8, size=4),
    )
    view = KernelParameter("view", "View", None, pointer=False, size=16, fields=fields)
    made = arguments(view, args=("view.n=5",))
    assert list(map(str, made.values)) == ["view.data = f32[256]", "view.n = 5"]
    assert made.parameters[0].data == bytes(8) + (5).to_bytes(4, "little") + bytes(4)
    assert made.parameters[0].pointers == ((0, 0, 0),)
    assert kernel(view).offsets == {"view": 0, "view.data": 0, "view.n": 8}
    assert [span.origin is Origin.VARIED for span in arguments(view, vary=True).parameters[0].spans] == [False, True]


def test_a_null_pointer_has_no_buffer() -> None:
    made = arguments(IN, args=("in=null",))
    assert made.buffers == ()
    assert made.parameters[0].data == bytes(8)


def test_host_code_gives_numbers_and_sizes_of_buffers() -> None:
    launch = HostLaunch(
        (2, 1, 1),
        (128, 1, 1),
        64,
        (HostArgument("d_in", buffer=HostBuffer(0, 4096, filled=0)), HostArgument("N", value=1000)),
        LINE,
    )
    planned_launch = PlannedLaunch(parse_shape("2x128"), Origin.HOST, launch)
    made = choose(kernel(IN, N), planned_launch, ArgumentSpec(uses_dynamic_shared=True), seed=0)
    assert made.listed(Origin.HOST) == "in = f32[1024]:0, n = 1000"
    assert (made.shared_bytes, made.shared) == (64, Origin.HOST)


def test_dynamic_shared_memory_is_given_or_chosen_where_the_kernel_declares_it() -> None:
    assert arguments(N).shared_bytes == 0
    chosen = arguments(N, uses_dynamic_shared=True)
    assert (chosen.shared_bytes, chosen.shared) == (1024, Origin.CHOSEN)
    assert arguments(N, uses_dynamic_shared=True, least_shared=4096).shared_bytes == 4096
    assert arguments(N, uses_dynamic_shared=True, shared_bytes=12).shared_bytes == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inn=3", "--arg: k has no parameter `inn`; allowed: in, n; did you mean `in`?"),
        ("7=3", "--arg: k has no parameter `7`; allowed: in, n"),
        ("in=3", "--arg in: it is a pointer and takes a buffer"),
        ("n=f32[4]", "--arg n: it is a number of 4 bytes and takes no buffer"),
        ("n=2.5", "--arg n: 2.5 is no integer, and its type is i32"),
        ("n=99999999999", "--arg n: 99999999999 does not fit i32"),
    ],
)
def test_a_value_that_does_not_fit_its_parameter_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        arguments(IN, N, args=(text,))
    assert error.value.message == message


def test_a_name_that_one_of_several_kernels_has_is_not_refused() -> None:
    one, other = kernel(IN), kernel(N)
    refuse_unknown(parse_arguments(["n=3"]), [one, other])
    assert match_names(parse_arguments(["n=3"]), one) == {}
    with pytest.raises(UsageError, match="--arg: no kernel has a parameter `m`; allowed: in, n"):
        refuse_unknown(parse_arguments(["m=3"]), [one, other])


def host(*arguments_: HostArgument, grid: tuple[int, int, int] = (2, 1, 1)) -> PlannedLaunch:
    launch = HostLaunch(grid, (128, 1, 1), 0, arguments_, LINE)
    return PlannedLaunch(parse_shape("2x128"), Origin.HOST, launch)


def test_a_counter_of_the_host_code_begins_with_zero_because_check_says_so() -> None:
    unknown, cleared = (HostArgument("p", buffer=HostBuffer(0, 4, filled=byte)) for byte in (None, 0))
    made = choose(kernel(IN), host(unknown), ArgumentSpec(zeroed=("in",)), seed=0)
    assert made.values == (NamedValue("in", "f32[1]", Origin.HOST), NamedValue("contents of in", "0", Origin.CHOSEN))
    assert (made.buffers[0].values, made.buffers[0].contents.any()) == (Origin.CHOSEN, np.False_)
    made = choose(kernel(IN), host(cleared), ArgumentSpec(), seed=0)
    assert (made.values, made.buffers[0].values) == ((NamedValue("in", "f32[1]:0", Origin.HOST),), Origin.HOST)


def test_an_allocation_that_the_host_code_passes_twice_is_one_buffer() -> None:
    out = KernelParameter("out", "float *", "f4", pointer=True, size=8, offset=8)
    for last, buffers in (("a", 1), ("b", 2)):
        made = choose(
            kernel(IN, out),
            host(*(HostArgument(a, buffer=HostBuffer("ab".index(a), 4)) for a in ("a", last))),
            ArgumentSpec(),
            seed=0,
        )
        assert [pointer[1] for value in made.parameters for pointer in value.pointers] == [0, buffers - 1]
        assert made.values[1] == NamedValue("out", ("in", "f32[1]")[buffers - 1], Origin.HOST)


@pytest.mark.parametrize("vary", [False, True])
@pytest.mark.parametrize("zeroed", [(), ("in",)], ids=["", "atomics are performed on it"])
def test_a_buffer_has_the_byte_with_which_the_host_code_fills_it(*, vary: bool, zeroed: tuple[str, ...]) -> None:
    filled = host(HostArgument("p", buffer=HostBuffer(0, 4, filled=0xFF)))
    made = choose(kernel(IN), filled, ArgumentSpec(zeroed=zeroed, vary=vary), seed=0)
    assert (made.buffers[0].values, made.buffers[0].contents.tobytes()) == (Origin.HOST, b"\xff" * 4)
    assert made.values == (NamedValue("in", "f32[1]", Origin.HOST),)


def test_the_report_names_the_integer_with_which_the_host_code_fills_a_buffer() -> None:
    next_ = KernelParameter("next", "int *", "i4", pointer=True, size=8, offset=0)
    filled = host(HostArgument("p", buffer=HostBuffer(0, 8, filled=0xFF)))
    assert choose(kernel(next_), filled, ArgumentSpec(), seed=0).values == (
        NamedValue("next", "i32[2]:-1", Origin.HOST),
    )


def test_contents_of_the_second_seed_lie_on_both_sides_of_constants() -> None:
    constants = {"in": ContentThresholds(limits=(200.0,), marks=(99.5,))}
    values = list(arguments(IN, N, vary=True, thresholds=constants).buffers[0].contents.view("f4"))
    assert {199, 200, 201} <= set(values) <= {*range(-8, 9), 99.5, 199, 200, 201}
    assert values.count(99.5) == 1
    assert set(arguments(IN, N, thresholds=constants).buffers[0].contents.view("f4")) <= set(range(-8, 9))


def test_constants_that_do_not_fit_the_elements_are_left_out() -> None:
    bytes_ = KernelParameter("in", "const unsigned char *", "u1", pointer=True, size=8)
    made = arguments(bytes_, launch="1x64", vary=True, thresholds={"in": ContentThresholds((255.0,), (999.0,))})
    assert set(made.buffers[0].contents) & set(range(64, 256)) == {254, 255}


def test_a_suggested_size_counts_for_the_second_seed_only_and_does_not_grow() -> None:
    bound = SizeBound(((1, (16,)),), ((1, (16,)),), 4, in_loop=False)
    made = arguments(IN, OUT, N, bounds={"in": (bound,)}, vary=True, least_bytes={"in": 5000})
    assert made.values[0] == NamedValue("in", "f32[223]", Origin.CHOSEN)
    assert [buffer.tests_bounds for buffer in made.buffers] == [True, False]
    assert arguments(IN, OUT, N, bounds={"in": (bound,)}).values[0] == NamedValue("in", "f32[256]", Origin.CHOSEN)
    many = arguments(IN, OUT, N, args=("n=1000",), bounds={"in": (bound,)}, vary=True)
    assert (str(many.values[0]), many.buffers[0].tests_bounds) == ("in = f32[1000]", False)  # 256 threads


def test_sizes_of_the_host_code_shrink_with_the_grid() -> None:
    bound = SizeBound(((1, (16,)),), ((1, (16,)),), 4, in_loop=False)
    launch = host(
        HostArgument("p", buffer=HostBuffer(0, 4000)), HostArgument("q"), HostArgument("n", value=1000), grid=(8, 1, 1)
    )
    spec = ArgumentSpec(bounds={"in": (bound,)}, vary=True)
    made = choose(kernel(IN, OUT, N), launch, spec, seed=1)
    assert list(map(str, made.values)) == ["in = f32[232]", "out = f32[1024]", "n = 232"]
    assert made.buffers[0].tests_bounds
    first = choose(kernel(IN, OUT, N), launch, ArgumentSpec(bounds={"in": (bound,)}), seed=0)
    assert (first.values[0], first.buffers[0].tests_bounds) == (NamedValue("in", "f32[1000]", Origin.HOST), False)


def test_numbers_that_are_no_integers_suggest_no_size() -> None:
    bound = SizeBound(((1, (16,)),), ((1, (16,)),), 4, in_loop=False)
    scale = KernelParameter("scale", "float", "f4", pointer=False, size=4, offset=16)
    made = arguments(IN, scale, args=("scale=inf",), bounds={"in": (bound,)}, vary=True)
    assert list(map(str, made.values)) == ["in = f32[256]", "scale = inf"]


@pytest.mark.parametrize(("bytes_", "text"), [(2, "2 bytes"), (3, "3 bytes"), (6, "6 bytes"), (8, "f32[2]")])
def test_a_buffer_may_be_smaller_than_one_element(bytes_: int, text: str) -> None:
    made = synthesize_with(HostBuffer(0, bytes_))
    assert made.buffers[0].contents.size == bytes_
    assert made.listed(Origin.HOST) == f"in = {text}"


def synthesize_with(buffer: HostBuffer) -> Arguments:
    """Return the arguments of a launch that passes a buffer."""
    host = HostLaunch((1, 1, 1), (32, 1, 1), 0, (HostArgument("x", buffer=buffer),), LINE)
    return choose(kernel(IN), PlannedLaunch(parse_shape("1x32"), Origin.HOST, host), ArgumentSpec(), seed=0)
