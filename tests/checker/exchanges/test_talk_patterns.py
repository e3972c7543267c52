"""Kernels of patterns with exchanges within warps: the advice on `smem` is what `shfl` and `smem-syncwarp` do.

The functions of copy.cu are written into the file of their kernels, as a user who copies them does.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from shflbench.checker import FileOptions, KernelAdvice, advise_file, make_patch, parse_arguments, parse_shape
from shflbench.checker.options import LaunchOptions
from shflbench.core.files import SHARED_HEADERS
from shflbench.core.model import DTYPES
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from shflbench.patterns.copies import timed_copy
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load
from tests.conftest import Command

GRID, BLOCK = 2, 64
XOR = "__shfl_xor_sync(mask, value, {16, 8, 4, 2, 1})"
XOR_UP = "__shfl_xor_sync(mask, value, {1, 2, 4, 8, 16})"
UP = "__shfl_up_sync(mask, value, {1, 2, 4, 8, 16})"
LANE = "__shfl_sync(mask, value, lane)"
UP_ONE = "__shfl_up_sync(mask, value, 1)"
# NVRTC gives the stores in the loop and after it no lines. They count as in the lines before them: the first distance
# of UP, in the unrolled loop and in the rest, is an exchange of its own.
SPLIT = [UP_ONE, "__shfl_up_sync(mask, value, {2, 4, 8, 16})", UP_ONE, UP_ONE]
# Arguments with which each lane is the source of some broadcast, or the predicate of some lane is true.
ARGUMENTS = {"broadcast": "sources=i32[4]:index", "broadcast-last": "values=f32[128]:index"}

# Pattern, its options, and the shuffles of the exchanges through shared memory, in the order of their loads. A shuffle
# of `vote` would move conditions, which `smem` packs: its threads load words of which four lanes wrote a byte each.
KERNELS = [
    ("bitonic-sort", "payload=none", [XOR_UP]),
    ("bitonic-sort", "payload=value", [XOR_UP, XOR_UP]),
    ("broadcast-work", "", [LANE]),
    ("neighbor", "mode=idx", [LANE]),
    ("neighbor", "mode=up", [UP_ONE]),
    ("neighbor", "mode=down", ["__shfl_down_sync(mask, value, 1)"]),
    ("neighbor", "mode=xor", ["__shfl_xor_sync(mask, value, 1)"]),
    ("reduce", "width=32", [XOR]),
    ("reduce", "width=4", ["__shfl_xor_sync(mask, value, {2, 1})"]),
    ("reduce-ops", "op=add", [XOR]),
    ("reduce-ops", "op=max", [XOR]),
    ("scan", "kind=inclusive", [UP]),
    ("scan", "kind=exclusive", SPLIT),
    ("transpose", "words=3", [LANE]),
    ("transpose", "words=8", ["8 shuffles, or a transposition by shuffles"]),
    ("vote", "op=ballot", ["4 shuffles, one for each part of a value"]),
]
OPEN = {("bitonic-sort", "payload=value")}  # two arrays: one of the barriers is not proved
QUICK = {("neighbor", "mode=up"), ("reduce", "width=4"), ("transpose", "words=3")}  # other kernels take seconds


def options_of(pattern: str, option: str, cache: Path, grid: int = GRID, block: int = BLOCK) -> FileOptions:
    """Return the options with which the file of a pattern is that of its `smem` kernel."""
    declaration = load(builtin()[pattern]).declaration
    variant = declaration.variant("smem")
    name, _, value = option.partition("=")
    macros = (f"OPTION_{name}={value}", f"OPTION_{name}_{value}=1") if option else ()
    shared = variant.shared(Setting(DTYPES["f32"], {name: value}, grid, block))
    type_ = DTYPES[dtype_of(pattern)].cuda
    iterations = f"iterations={2 * declaration.unroll + 1}"  # twice through the compiled loop, and through the rest
    return FileOptions(
        kernels=(f"{pattern.replace('-', '_')}_smem<{type_}>",),
        compile=CompileOptions(
            include=(SHARED_HEADERS, builtin()[pattern]),
            define=(f"UNROLL={declaration.unroll}", *map(str.upper, macros)),
        ),
        compilers=Compilers(find(), cache=cache),
        given=LaunchOptions(
            launches=(parse_shape(f"{grid}x{block}"),),
            arguments=parse_arguments([iterations, *([ARGUMENTS[pattern]] if pattern in ARGUMENTS else [])]),
            shared_bytes=shared,
        ),
        outputs=False,
    )


def dtype_of(pattern: str) -> str:
    return "f32" if "f32" in load(builtin()[pattern]).declaration.dtypes else "i32"


def functions_of(pattern: str, option: str, variant: str) -> str:
    """Return what kernels include as `copied/VARIANT.cuh`, with its own lines."""
    name, _, value = option.partition("=")
    text = timed_copy(builtin()[pattern], variant, DTYPES[dtype_of(pattern)], {name: value})
    return re.sub(r"^#line .*\n", "", text, flags=re.MULTILINE)


def write_kernels(pattern: str, option: str, folder: Path) -> Path:
    """Write the kernels of a pattern with the functions of copy.cu that they call, in place of those they include."""
    text = (builtin()[pattern] / "kernels.cu").read_text(encoding="utf-8")
    copied = re.compile(r'^#include "copied/(.*)\.cuh"\n', re.MULTILINE)
    file = folder / f"{pattern}-{option}.cu"
    file.write_text(copied.sub(lambda match: functions_of(pattern, option, match[1]), text), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@cache
def advice_on(pattern: str, option: str, folder: Path, kernel_cache: Path) -> tuple[Path, list[KernelAdvice]]:
    """Return the file of `smem` and the advice on it, which several tests look at."""
    file = write_kernels(pattern, option, folder)
    return file, advise_file(file, options_of(pattern, option, kernel_cache), lambda _: None)


def only_quick(rows: Sequence[tuple[str, str, object]]) -> list[object]:
    """Return parameters, most of which are left to `make test-archs`."""
    return [pytest.param(*row, marks=[] if row[:2] in QUICK else [pytest.mark.archs]) for row in rows]


def barriers_of(text: str, functions: str) -> dict[int, str]:
    """Return the lines of functions that have a barrier of the block or of the warp, by their numbers in a text."""
    first = text[: text.index(functions)].count("\n") + 1
    lines = (line.partition("//")[0].strip() for line in functions.splitlines())
    return {number: line for number, line in enumerate(lines, first) if re.search(r"__sync\w+\(\)", line)}


@pytest.mark.archs
@pytest.mark.parametrize(("pattern", "option", "shuffles"), only_quick(KERNELS))
def test_smem_gets_the_shuffles_of_shfl_and_the_barriers_of_syncwarp(
    pattern: str, option: str, shuffles: list[str], folder: Path, kernel_cache: Path
) -> None:
    file, (advice,) = advice_on(pattern, option, folder, kernel_cache)
    assert advice.report.verdict == "clean", advice.missing
    assert [item.instead for item in advice.exchanges] == shuffles
    needs = {str(item.need) for item in advice.barriers}
    if (pattern, option) in OPEN:
        assert needs == {"__syncwarp() is enough", "not enough evidence"}
        return
    assert needs == {"__syncwarp() is enough"}
    text = file.read_text(encoding="utf-8")
    barriers = barriers_of(text, functions_of(pattern, option, "smem"))
    assert barriers
    weaker = [line.replace("__syncthreads", "__syncwarp") for line in barriers.values()]
    assert weaker == [*barriers_of(text, functions_of(pattern, option, "smem-syncwarp")).values()]
    assert {(item.line.file, item.line.line) for item in advice.barriers} == {(file, number) for number in barriers}


# What an iteration of `smem` does, written out in the kernel itself: a patch puts shuffles only where the slots are.
WRITTEN_OUT = {
    "broadcast-work": """
        slots[mine] = x;
        __syncthreads();
        T sum = 0;
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, T(slots[first + j])));
        __syncthreads();
        x = advance(x, sum);
""",
    "neighbor": """
        slots[mine] = x;
        __syncthreads();
        x = next(x, slots[source]);
        __syncthreads();
""",
    "reduce": """
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            slots[mine] = sum;
            __syncthreads();
            sum = add(sum, slots[mine ^ distance]);
            __syncthreads();
        }
        x = advance(x, sum);
""",
    "reduce-ops": """
        T all = contribution(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            slots[mine] = all;
            __syncthreads();
            all = combine(all, slots[mine ^ distance]);
            __syncthreads();
        }
        x = advance(x, all);
""",
}
PLACES = {
    "broadcast-work": "mine = threadIdx.x, first = first_of_warp()",
    "neighbor": "mine = threadIdx.x, source = first_of_warp() + source_lane()",
}


def write_out(pattern: str, option: str, folder: Path) -> Path:
    """Write the kernels of a pattern with the loop of `smem` written out."""
    file = write_kernels(pattern, option, folder)
    loop = f"REPEAT(iterations) {{{WRITTEN_OUT[pattern]}    }}\n"
    kernel = re.compile(rf"(\b{pattern.replace('-', '_')}_smem\(.*?)REPEAT.*?(    result\[)", re.DOTALL)
    places = f"const int {PLACES.get(pattern, 'mine = threadIdx.x')};\n    "
    text, count = kernel.subn(lambda match: match[1] + places + loop + match[2], file.read_text(encoding="utf-8"), 1)
    assert count == 1
    copy = folder / f"written-out-{file.name}"
    copy.write_text(text, encoding="utf-8")
    return copy


# Pattern, its options, and the shuffle that a patch writes instead of a slot for each thread.
PATCHED = [
    ("broadcast-work", "", "__shfl_sync(0xffffffff, slots_value, first + j)"),
    ("neighbor", "mode=idx", "__shfl_sync(0xffffffff, slots_value, source)"),
    ("neighbor", "mode=up", "__shfl_up_sync(0xffffffff, slots_value, 1)"),
    ("reduce", "width=32", "__shfl_xor_sync(0xffffffff, slots_value, distance)"),
    ("reduce-ops", "op=max", "__shfl_xor_sync(0xffffffff, slots_value, distance)"),
]


@pytest.mark.archs
@pytest.mark.parametrize(("pattern", "option", "shuffle"), only_quick(PATCHED))
def test_a_patch_writes_the_shuffle_into_smem(
    pattern: str, option: str, shuffle: str, folder: Path, kernel_cache: Path
) -> None:
    options = options_of(pattern, option, kernel_cache)
    file = write_out(pattern, option, folder)
    patch = make_patch(file, advise_file(file, options, lambda _: None), options)
    assert shuffle in patch.text
    assert "__syncthreads" not in "".join(line for line in patch.diff.decode().splitlines() if line.startswith("+"))
    assert [name.partition("<")[0] for name in patch.kernels] == [options.kernels[0].partition("<")[0]]


@pytest.mark.archs
def test_a_patch_weakens_the_barriers_of_a_copied_function(folder: Path, kernel_cache: Path) -> None:
    pattern, option = "neighbor", "mode=up"
    file, advice = advice_on(pattern, option, folder, kernel_cache)
    patch = make_patch(file, advice, options_of(pattern, option, kernel_cache))
    functions = functions_of(pattern, option, "smem")
    weaker = functions.replace("__syncthreads", "__syncwarp")
    assert weaker != functions
    assert patch.text == file.read_text(encoding="utf-8").replace(functions, weaker)


def test_the_command_takes_the_file_of_a_pattern(
    shflbench: Command, folder: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setenv("PATH", "")  # without nvcc
    file = write_kernels("neighbor", "mode=xor", folder)
    words = ("-D", "UNROLL=4", "-D", "OPTION_MODE_XOR=1", "-I", SHARED_HEADERS, "--kernel", "neighbor_smem<float>")
    outcome = shflbench("advise", file, *words, "--launch", "2x64", "--shared", "256", "--arg", "iterations=8")
    assert outcome.code == 0, outcome.err
    assert "distance 1  __shfl_xor_sync(mask, value, 1)" in outcome.out
    assert outcome.out.count("__syncwarp() is enough") == 2
