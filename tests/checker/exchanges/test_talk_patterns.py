"""Kernels of patterns with exchanges within warps: the advice on `smem` is what `shfl` and `smem-syncwarp` do."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from shflbench.checker import FileOptions, KernelAdvice, advise_file, make_patch, parse_arguments, parse_shape
from shflbench.compile.toolchain import find
from shflbench.files import SHARED_HEADERS
from shflbench.model import DTYPES
from shflbench.patterns.declare import Setting
from shflbench.patterns.discover import builtin, load
from tests.conftest import Command

GRID, BLOCK = 2, 64
XOR = "__shfl_xor_sync(mask, value, {16, 8, 4, 2, 1})"
XOR_UP = "__shfl_xor_sync(mask, value, {1, 2, 4, 8, 16})"
UP = "__shfl_up_sync(mask, value, {1, 2, 4, 8, 16})"
LANE = "__shfl_sync(mask, value, lane)"
# Arguments with which each lane is the source of some broadcast, or the predicate of some lane is true.
ARGUMENTS = {"broadcast": "sources=i32[4]:index", "broadcast-last": "values=f32[128]:index"}

# Pattern, its options, and the shuffles of the exchanges through shared memory, in the order of their loads. A shuffle
# of `vote` would move conditions, which `smem` packs: its threads load words of which four lanes wrote a byte each.
KERNELS = [
    ("bitonic-sort", "payload=none", [XOR_UP]),
    ("bitonic-sort", "payload=value", [XOR_UP, XOR_UP]),
    ("broadcast-work", "", [LANE]),
    ("neighbor", "mode=idx", [LANE]),
    ("neighbor", "mode=up", ["__shfl_up_sync(mask, value, 1)"]),
    ("neighbor", "mode=down", ["__shfl_down_sync(mask, value, 1)"]),
    ("neighbor", "mode=xor", ["__shfl_xor_sync(mask, value, 1)"]),
    ("reduce", "width=32", [XOR]),
    ("reduce", "width=4", ["__shfl_xor_sync(mask, value, {2, 1})"]),
    ("reduce-ops", "op=add", [XOR]),
    ("reduce-ops", "op=max", [XOR]),
    ("scan", "kind=inclusive", [UP]),
    ("scan", "kind=exclusive", [UP, "__shfl_up_sync(mask, value, 1)"]),
    ("transpose", "words=3", [LANE]),
    ("transpose", "words=8", ["8 shuffles, or a transposition by shuffles"]),
    ("vote", "op=ballot", ["4 shuffles, one for each part of a value"]),
]
QUICK = {("neighbor", "mode=up"), ("reduce", "width=4"), ("transpose", "words=3")}  # other kernels take seconds


def options_of(pattern: str, option: str, cache: Path, grid: int = GRID, block: int = BLOCK) -> FileOptions:
    """Return the options with which the file of a pattern is that of its `smem` kernel."""
    declaration = load(builtin()[pattern]).declaration
    variant = declaration.variant("smem")
    name, _, value = option.partition("=")
    macros = (f"OPTION_{name}={value}", f"OPTION_{name}_{value}=1") if option else ()
    shared = variant.shared(Setting(DTYPES["f32"], {name: value}, grid, block))
    type_ = "float" if "f32" in declaration.dtypes else "int"
    iterations = f"iterations={2 * declaration.unroll}"  # twice through the compiled loop
    return FileOptions(
        kernels=(f"{pattern.replace('-', '_')}_smem<{type_}>",),
        launches=(parse_shape(f"{grid}x{block}"),),
        arguments=parse_arguments([iterations, *([ARGUMENTS[pattern]] if pattern in ARGUMENTS else [])]),
        shared_bytes=shared,
        include=(SHARED_HEADERS,),
        define=(f"UNROLL={declaration.unroll}", *map(str.upper, macros)),
        toolchain=find(),
        cache=cache,
        outputs=False,
    )


@cache
def advice_on(pattern: str, option: str, folder: Path) -> list[KernelAdvice]:
    """Return the advice on `smem`, which several tests look at."""
    return advise_file(builtin()[pattern] / "kernels.cu", options_of(pattern, option, folder), lambda _: None)


def only_quick(rows: Sequence[tuple[str, str, object]]) -> list[object]:
    """Return parameters, most of which are left to `make test-archs`."""
    return [pytest.param(*row, marks=[] if row[:2] in QUICK else [pytest.mark.archs]) for row in rows]


def barriers_of(text: str, kernel: str) -> dict[int, str]:
    """Return the lines of a kernel that have a barrier of the block or of the warp, by their numbers."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if re.search(rf"\b{kernel}\(", line))
    end = lines.index("}", start)
    return {number + 1: lines[number] for number in range(start, end) if re.search(r"__sync\w+\(\)", lines[number])}


@pytest.mark.parametrize(("pattern", "option", "shuffles"), only_quick(KERNELS))
def test_smem_gets_the_shuffles_of_shfl_and_the_barriers_of_syncwarp(
    pattern: str, option: str, shuffles: list[str], kernel_cache: Path
) -> None:
    file = builtin()[pattern] / "kernels.cu"
    (advice,) = advice_on(pattern, option, kernel_cache)
    assert advice.report.verdict == "clean", advice.missing
    assert [item.instead for item in advice.exchanges] == shuffles
    assert {str(item.need) for item in advice.barriers} == {"__syncwarp() is enough"}
    text, kernel = file.read_text(encoding="utf-8"), advice.report.name.partition("<")[0]
    barriers = barriers_of(text, kernel)
    weaker = [line.replace("__syncthreads", "__syncwarp") for line in barriers.values()]
    assert weaker == [*barriers_of(text, f"{kernel}_syncwarp").values()]
    advised = {item.line.line for item in advice.barriers if item.line.file == file}
    uncalled = {number for number, line in barriers.items() if "[] {" in line}  # for some values of the option
    assert advised | uncalled == barriers.keys()


# Pattern, its options, and the shuffle that a patch writes instead of a slot for each thread.
PATCHED = [
    ("broadcast-work", "", "__shfl_sync(0xffffffff, slots_value, first + j)"),
    ("neighbor", "mode=idx", "__shfl_sync(0xffffffff, slots_value, source)"),
    ("neighbor", "mode=up", "__shfl_up_sync(0xffffffff, slots_value, 1)"),
    ("reduce", "width=32", "__shfl_xor_sync(0xffffffff, slots_value, distance)"),
    ("reduce-ops", "op=max", "__shfl_xor_sync(0xffffffff, slots_value, distance)"),
]


@pytest.mark.parametrize(("pattern", "option", "shuffle"), only_quick(PATCHED))
def test_a_patch_writes_the_shuffle_into_smem(pattern: str, option: str, shuffle: str, kernel_cache: Path) -> None:
    file = builtin()[pattern] / "kernels.cu"
    options = options_of(pattern, option, kernel_cache)
    patch = make_patch(file, advice_on(pattern, option, kernel_cache), options)
    assert shuffle in patch.text
    assert "__syncthreads" not in "".join(line for line in patch.diff.decode().splitlines() if line.startswith("+"))
    assert [name.partition("<")[0] for name in patch.kernels] == [options.kernels[0].partition("<")[0]]


def test_the_command_takes_the_file_of_a_pattern(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setenv("PATH", "")  # without nvcc
    file = builtin()["neighbor"] / "kernels.cu"
    words = ("-D", "UNROLL=4", "-D", "OPTION_MODE_XOR=1", "-I", SHARED_HEADERS, "--kernel", "neighbor_smem<float>")
    outcome = shflbench("advise", file, *words, "--launch", "2x64", "--shared", "256", "--arg", "iterations=8")
    assert outcome.code == 0, outcome.err
    assert "distance 1  __shfl_xor_sync(mask, value, 1)" in outcome.out
    assert outcome.out.count("__syncwarp() is enough") == 2
