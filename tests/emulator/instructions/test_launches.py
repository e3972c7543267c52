"""Everything that a launch gives to a kernel: shapes, structures, variables of the module, dynamic shared memory."""

import struct
from functools import cache

import numpy as np
import pytest

from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import (
    EmulatedLaunch,
    ParameterBytes,
    execute,
    module_contents,
    read_output,
)
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Module
from shflbench.errors import EmulatorError
from tests import kernels

TEXT = r"""
struct Pair { int first; float *values; double second; };
struct Large { int values[20]; };
__device__ int counter = 7;
__device__ int table[4] = {1, 2, 3, 4};
__device__ int *inside = &table[2];
__constant__ float weights[2];
extern "C" {
__global__ void places(int *out) {
    int3 t = {int(threadIdx.x), int(threadIdx.y), int(threadIdx.z)};
    int3 b = {int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)};
    int block = (b.z * gridDim.y + b.y) * gridDim.x + b.x;
    int i = block * blockDim.x * blockDim.y * blockDim.z + (t.z * blockDim.y + t.y) * blockDim.x + t.x;
    out[i] = b.z * 100000 + b.y * 10000 + b.x * 1000 + t.z * 100 + t.y * 10 + t.x;
}
__global__ void structure(int *out, Pair pair) {
    out[threadIdx.x] = pair.first + int(pair.second);
    pair.values[threadIdx.x] = threadIdx.x;
}
__global__ void chosen(const __grid_constant__ Large large, const int *in, int *out) {
    out[threadIdx.x] = large.values[in[threadIdx.x]];
}
__global__ void variables(float *out) {
    if (threadIdx.x == 0) counter += *inside;
    out[threadIdx.x] = weights[threadIdx.x % 2];
}
__global__ void nothing() { if (threadIdx.x == 0) counter = 3; }
__global__ void dynamic(int *out) {
    extern __shared__ int values[];
    __shared__ bool flag;
    if (threadIdx.x == 0) flag = true;
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x ^ 1] + flag;
}
__global__ void prints(const int *in) {
    if (threadIdx.x % 16 == 0)
        printf("%d|%5.2f|%-4s|%c|%lld|%x|%%|%*d\n",
               in[threadIdx.x], 0.5 * threadIdx.x, "ab", 'c', 1LL << 40, 255u, 4, 7);
}
__global__ void clocks(long long *out) { long long start = clock64(); out[threadIdx.x] = clock64() - start; }
}
"""


@cache
def module(kernel: str) -> Module:
    return parse(compile_kernel(Source("own.cu", TEXT, {}, kernel), "sm_90", kernels.tools()).ptx)


def launch(kernel: str, shape: Shape, *outputs: object, **options: object) -> EmulatedLaunch:
    options.setdefault("order", tuple(range(len(outputs))))
    shared = int(options.pop("shared", 0))  # type: ignore[call-overload]
    return EmulatedLaunch(link(module(kernel), kernel), shape, shared, [], outputs, 0, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("grid", "block"),
    [((2, 1, 1), (40, 1, 1)), ((2, 3, 1), (4, 2, 2)), ((1, 2, 3), (3, 5, 7)), ((2, 2, 2), (1, 33, 1))],
)
def test_threads_and_blocks_have_three_coordinates_the_first_fastest(
    grid: tuple[int, int, int], block: tuple[int, int, int]
) -> None:
    shape = Shape.of(grid, block)
    (out,) = execute(launch("places", shape, (shape.grid * shape.block, "i4")))
    places = [
        bz * 100000 + by * 10000 + bx * 1000 + z * 100 + y * 10 + x
        for bz in range(grid[2])
        for by in range(grid[1])
        for bx in range(grid[0])
        for z in range(block[2])
        for y in range(block[1])
        for x in range(block[0])
    ]
    assert out.tolist() == places


def test_messages_name_coordinates_only_where_there_are_several_dimensions() -> None:
    assert Shape(3, 64).describe(64 + 5) == "thread 5 of block 1"
    assert Shape.of((2, 2, 1), (8, 4, 2)).describe(3 * 64 + 43) == "thread (3, 1, 1) of block (1, 1, 0)"


def test_dimensions_must_multiply_to_the_totals() -> None:
    with pytest.raises(ValueError, match="do not make 64"):
        Shape(1, 64, (1, 1, 1), (8, 4, 1))


def test_a_shape_without_dimensions_equals_one_along_x() -> None:
    assert Shape(4, 64) == Shape.of((4, 1, 1), (64, 1, 1))


def test_a_structure_by_value_may_hold_a_pointer() -> None:
    pair = ParameterBytes(struct.pack("<iiqd", 5, 0, 0, 2.5), ((8, 1, 128),))
    first, values = execute(launch("structure", Shape(1, 32), (32, "i4"), (64, "f4"), order=(0, pair)))
    assert first.tolist() == [7] * 32
    assert values[32:].tolist() == list(range(32))


def test_a_structure_by_value_can_be_indexed() -> None:
    large = ParameterBytes(np.arange(100, 120, dtype=np.int32).tobytes())
    places = np.arange(32, dtype=np.int32) % 20
    _, out = execute(launch("chosen", Shape(1, 32), places, (32, "i4"), order=(large, 0, 1)))
    assert out.tolist() == (places + 100).tolist()


def test_variables_of_the_module_have_initial_values_and_can_be_set_and_read() -> None:
    symbols = {"weights": struct.pack("<2f", 1.5, -2)}
    run = launch("variables", Shape(1, 32), (32, "f4"), symbols=symbols)
    for _ in range(2):  # the second run starts from the initial values again
        assert execute(run)[0].tolist() == [1.5, -2.0] * 16
        contents = module_contents(run)
        assert struct.unpack("<i", contents["counter"]) == (7 + 3,)
        assert struct.unpack("<4i", contents["table"]) == (1, 2, 3, 4)
    assert "weights" not in contents


def test_too_many_initial_values_of_a_variable_are_refused() -> None:
    with pytest.raises(EmulatorError, match="`weights` has 8 bytes, not 12"):
        execute(launch("variables", Shape(1, 32), (32, "f4"), symbols={"weights": bytes(12)}))


def test_a_kernel_may_have_neither_parameters_nor_outputs() -> None:
    run = launch("nothing", Shape(2, 32))
    assert execute(run) == []
    assert struct.unpack("<i", module_contents(run)["counter"]) == (3,)


def test_dynamic_shared_memory_is_aligned_behind_static_memory() -> None:
    report = explore(launch("dynamic", Shape(1, 64), (64, "i4"), shared=256))
    assert report.errors == ()
    assert report.hazards == ()
    assert report.results[0].outputs[0].tolist() == [(i ^ 1) + 1 for i in range(64)]


def test_what_a_kernel_prints_is_formatted_in_the_order_of_the_threads() -> None:
    run = launch("prints", Shape(1, 32), np.arange(-3, 29, dtype=np.int32))
    execute(run)
    assert read_output(run).splitlines() == [
        "-3| 0.00|ab  |c|1099511627776|ff|%|   7",
        "13| 8.00|ab  |c|1099511627776|ff|%|   7",
    ]


def test_the_clock_advances_and_the_program_says_that_it_is_read() -> None:
    run = launch("clocks", Shape(1, 32), (32, "i8"))
    assert (execute(run)[0] > 0).all()
    (note,) = run.program.notes
    assert note.startswith("the kernel reads the clock")


def test_a_launch_that_needs_too_much_memory_is_refused_before_it_takes_any() -> None:
    with pytest.raises(EmulatorError, match=r"1048576x1024 threads of nothing need \d+ MiB of registers and memory"):
        execute(launch("nothing", Shape(1 << 20, 1024)))
