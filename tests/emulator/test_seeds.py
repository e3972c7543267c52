"""Code as in talks and articles, each with one fault: all faults are result, for the right reason."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.emulator.explore import Exploration, explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Module
from shflbench.emulator.races.hazards import HazardKind
from shflbench.errors import CompileError
from tests import kernels
from tests.emulator.breaking import breaking
from tests.emulator.compiled import line_with
from tests.emulator.outcomes import wrong_under

SEEDS = Path(__file__).parent / "seeds"
TILES = 5  # of 32 values; for kernels of one warp
EVERY = tuple(POLICIES)
LANES = ("half-warp first", "odd lanes first", "lanes in order", "lanes at random")
UNTOUCHED = np.int32(-0x5A5A5A5B)  # outputs hold 0xA5 in every byte before a kernel writes them


def values(file: str) -> Values:
    size = 32 * TILES if file in {"filter", "difference"} else 64
    drawn: Values = np.random.default_rng(3).integers(-100, 100, size, dtype=np.int32)
    return drawn


def shifted(x: Values) -> Values:
    return np.roll(x.reshape(-1, 32), -TILES, axis=1).reshape(-1)


def summed(x: Values) -> Values:
    return np.repeat(x.reshape(-1, 32).sum(axis=1, dtype=np.int32), 32)


def filtered(x: Values) -> Values:
    out = np.full(x.size, UNTOUCHED)
    kept = x[x > 0]
    out[: kept.size] = kept
    return out


def differences(x: Values) -> Values:
    return np.diff(x, append=x[-1:])


def counted(x: Values) -> Values:
    return np.full(x.size, np.count_nonzero(x > 50), np.int32)


REFERENCES: dict[str, Callable[[Values], Values]] = {
    "one_barrier": shifted,
    "no_sync": summed,
    "half_sum": summed,
    "activemask": summed,
    "filter": filtered,
    "difference": differences,
    "counted": counted,
}


@cache
def module(file: str) -> Module:
    """Compile one of the files; CompileError if NVRTC refuses it."""
    text = (SEEDS / f"{file}.cu").read_text()
    first, *_ = re.findall(r"__global__ void (\w+)\(", text)
    return parse(compile_kernel(Source(f"seeds/{file}.cu", text, {}, first), "sm_90", kernels.tools()).ptx)


def line_of(file: str, kernel: str, remark: str) -> int:
    """Return the line of a kernel that ends with `// remark`."""
    return line_with(f"// {remark}", kernel, (SEEDS / f"{file}.cu").read_text())


def report(file: str, kernel: str) -> Exploration:
    block = 32 if file in {"filter", "difference"} else 64
    inputs, program = values(file), link(module(file), kernel)
    return explore(EmulatedLaunch(program, Shape(1, block), 4 * block, [inputs], [(inputs.size, "i4")], TILES))


def wrong(file: str, result: Exploration) -> tuple[str, ...]:
    return wrong_under(result, [REFERENCES[file](values(file))])


@pytest.mark.parametrize("file", REFERENCES)
def test_the_fixed_kernel_is_right_under_every_schedule_and_has_no_hazards(file: str) -> None:
    result = report(file, "fixed")
    assert result.errors == ()
    assert result.hazards == ()
    assert wrong(file, result) == ()


def test_wrong_arithmetic_shows_in_the_result_under_every_schedule() -> None:
    result = report("half_sum", "broken")
    assert wrong("half_sum", result) == EVERY
    assert result.hazards == ()  # no race: only the comparison with the reference shows it
    assert result.errors == ()


@pytest.mark.parametrize("kernel", ["off_by_one", "moves_lane_0_only"])
def test_wrong_places_in_the_result_are_races_as_well(kernel: str) -> None:
    result = report("filter", kernel)
    assert wrong("filter", result) == EVERY
    assert result.errors == ()
    # With `off_by_one`, lane n stores the last of n values where lane 0 stores in the next tile; the other one lets
    # all lanes but 0 store every tile to the places of the first. Shuffles do not order these stores.
    assert {(hazard.kind, hazard.space) for hazard in result.hazards} == {(HazardKind.WAW, "global")}
    line = line_with("result[kept + lane] = y;", kernel, (SEEDS / "filter.cu").read_text())
    assert {place.line for hazard in result.hazards for place in hazard.locations if place} == {line}


def test_half_the_sum_is_the_sum_of_the_other_half() -> None:
    halves = values("half_sum").reshape(-1, 2, 16).sum(axis=2, dtype=np.int32)
    expected = np.repeat(halves[:, ::-1], 16)
    assert report("half_sum", "broken").results[0].outputs[0].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("file", "races"),
    [
        ("one_barrier", {(HazardKind.WAR, "overwrites", "reads"), (HazardKind.RAW, "reads", "overwrites")}),
        ("no_sync", {(HazardKind.RAW, "reads", "writes"), (HazardKind.WAR, "writes", "reads")}),
    ],
)
def test_a_missing_barrier_is_a_race_between_two_lines(file: str, races: set[tuple[HazardKind, str, str]]) -> None:
    result = report(file, "broken")
    pairs = {
        (item.kind, *(place.line if place else 0 for place in item.locations))
        for item in breaking(result)
        if item.other is not None
    }
    assert {(kind, *(line_of(file, "broken", line) for line in lines)) for kind, *lines in races} <= pairs
    assert set(wrong(file, result)) == set(LANES)
    assert result.errors == ()


def test_a_shuffle_that_some_lanes_skip_is_a_deadlock() -> None:
    result = report("filter", "skips_the_shuffle")
    assert len(result.errors) == len(EVERY)
    waits, shuffles = (line_of("filter", "skips_the_shuffle", remark) for remark in ("waits", "shuffles"))
    for error in result.errors:
        assert error.message.startswith("deadlock in skips_the_shuffle: ")
        assert "`shfl.sync.idx.b32" in error.message
        assert f"(seeds/filter.cu:{shuffles})" in error.message
        assert f"(seeds/filter.cu:{waits})" in error.message


def test_activemask_as_the_mask_depends_on_the_schedule() -> None:
    result = report("activemask", "broken")
    assert {item.kind for item in result.hazards} == {HazardKind.ACTIVEMASK, HazardKind.INACTIVE_SOURCE}
    line = line_of("activemask", "broken", "reads")
    assert {place.line for item in result.hazards for place in item.locations if place} == {line}
    assert set(wrong("activemask", result)) == set(LANES)  # and right in lockstep, so that a GPU may not show it


@pytest.mark.parametrize("kernel", ["reads_the_next_element", "reads_the_next_tile"])
def test_a_read_past_the_end_names_the_line_and_the_buffer(kernel: str) -> None:
    result = report("difference", kernel)
    assert len(result.errors) == len(EVERY)
    line = line_of("difference", kernel, "next")
    for error in result.errors:
        assert "reads out of bounds" in error.message
        assert f" of the {4 * 32 * TILES} bytes of buffer 0 (seeds/difference.cu:{line})" in error.message


def test_shared_memory_with_an_initializer_does_not_compile_and_the_sentence_says_why() -> None:
    with pytest.raises(CompileError) as caught:
        module("initialized")
    first, shown = caught.value.message.splitlines()
    assert first == (
        "broken for sm_90 does not compile: seeds/initialized.cu:3: initializer not allowed for __shared__ variable"
    )
    assert shown == "  3 | __shared__ int count = 0;"
