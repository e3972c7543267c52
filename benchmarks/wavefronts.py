"""Compare the passes and sectors that the emulator counts with those of a GPU.

    python -m benchmarks wavefronts                                 print the counts; needs no GPU
    python -m benchmarks wavefronts --gpu --save FILE               measure on GPU 0, and keep the figures (JSON)
    python -m benchmarks wavefronts --load FILE --record            write the page on such figures; needs no GPU

Each kernel of `wavefronts.cu` sends equal requests to addresses that a pattern chooses. On a GPU, Nsight Compute counts
the wavefronts of shared memory, and the sectors of global memory, of one launch of each; and one block of 32 warps is
timed, whose clocks per request to shared memory are its passes. `--gpu` and `--record` may be combined. The exit code
is 1 if a count of Nsight Compute differs from the emulator's.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.pages import program, publish, table_row, written_by
from benchmarks.common.records import read_json, write_json
from benchmarks.wavefronts_gpu import Measured, measure
from benchmarks.wavefronts_subjects import APART, STEPS, compiled, subjects
from shflbench.core.model import WARP, AccessSpace
from shflbench.cuda.compile.toolchain import find
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.requests.count import count_requests

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.core.model import AccessRequests

PAGE_FILE = Path(__file__).with_suffix(".md")
ARCH = "sm_90"  # whose PTX the emulator runs; the addresses do not depend on it
UNKNOWN = "–"
TOLERANCE = 0.01  # of clocks against passes

PAGE = """\
# Passes and sectors: the emulator against a GPU

{written}

- {device}, driver {driver}, Nsight Compute {ncu}, NVRTC {nvrtc}. All figures are per request of a warp.
- Emulator: counted from PTX, without a GPU.
- Nsight Compute: counted in one launch of one warp with `--clock-control none`: wavefronts
  (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld` and `_st`), sectors
  (`l1tex__t_sectors_pipe_lsu_mem_global_op_ld` and `_st`).
- Clocks: of one block of 32 warps, from the difference of two numbers of requests.
- `packed`: the distinct elements lie next to one another. `rows`: elements are 128 bytes apart, in the same banks.

{verdict}

## Shared memory: passes

| kernel | addresses | lanes | emulator | Nsight Compute | clocks |
| --- | --- | --- | --- | --- | --- |
{shared}

## Global memory: sectors

| kernel | addresses | lanes | emulator | Nsight Compute |
| --- | --- | --- | --- | --- |
{global_}
"""


def emulated(ptx: str, space: AccessSpace) -> dict[str, float]:
    """Return the passes or sectors per request of each launch, as the emulator counts them."""
    module = parse(ptx)
    programs = {kernel: link(module, kernel) for kernel in dict.fromkeys(one.kernel for one in subjects(space))}
    buffer = (2, "i8") if space is AccessSpace.SHARED else (STEPS * APART + 4 * WARP, "u1")
    counts = {}
    for subject in subjects(space):
        launch = EmulatedLaunch(programs[subject.kernel], Shape(1, WARP), 0, [subject.offsets], [buffer], 1)
        accesses = count_requests([launch], lambda _: ("", 0)).accesses
        chosen = [access for access in accesses if (access.space, access.kind) == (space, subject.kind)]
        counts[subject.name] = subject.per_request(sum(access.requests * _taken(access) for access in chosen))
    return counts


def _taken(access: AccessRequests) -> float:
    return access.passes or access.sectors or 0.0


def differences(counts: Mapping[str, float], measured: Measured) -> list[str]:
    """Return the launches for which Nsight Compute does not count what the emulator counts."""
    return [name for name, value in measured.counted.items() if value != counts[name]]


def page(counts: Mapping[str, float], measured: Measured) -> str:
    """Return the page that compares the counts with what a GPU measured."""
    return PAGE.format(
        written=written_by("wavefronts --record"),
        device=measured.device,
        driver=measured.driver,
        ncu=measured.ncu,
        nvrtc=measured.nvrtc,
        verdict="\n".join(_verdict(counts, measured)),
        shared=_table(AccessSpace.SHARED, counts, measured),
        global_=_table(AccessSpace.GLOBAL, counts, measured),
    )


def _verdict(counts: Mapping[str, float], measured: Measured) -> Iterable[str]:
    if measured.problem:
        yield f"Nsight Compute could not count everything: {measured.problem}"
    different = differences(counts, measured)
    equal = len(measured.counted) - len(different)
    yield f"The counts are equal for {equal} of {len(measured.counted)} launches."
    yield from (f"- different: {name}" for name in different)
    slower = [name for name, clocks in measured.clocks.items() if clocks > counts[name] * (1 + TOLERANCE)]
    faster = [name for name, clocks in measured.clocks.items() if clocks < counts[name] * (1 - TOLERANCE)]
    yield f"\nOf {len(measured.clocks)} launches, {len(faster)} take fewer clocks than passes, and {len(slower)} more:"
    yield from (f"- {name}" for name in (*faster, *slower))


def _table(space: AccessSpace, counts: Mapping[str, float], measured: Measured) -> str:
    """Return the rows of the launches to one memory space."""
    lines = []
    for subject in subjects(space):
        cells = [f"`{subject.kernel}`", subject.addresses, str(subject.lanes), f"{counts[subject.name]:g}"]
        counted, clocks = measured.counted.get(subject.name), measured.clocks.get(subject.name)
        cells.append(UNKNOWN if counted is None else f"{counted:g}")
        if space is AccessSpace.SHARED:
            cells.append(UNKNOWN if clocks is None else f"{clocks:.2f}")
        lines.append(table_row(*cells))
    return "\n".join(lines)


def main() -> int:
    """Run as a program; return the exit code."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--load", type=Path, metavar="FILE")
    given = parser.parse_args()
    measured = Measured("no GPU", "none", "none", find().version, "", {}, {})
    if given.load:
        measured = Measured(**read_json(given.load))
    elif given.gpu:
        measured = measure()
    if given.save:
        write_json(given.save, asdict(measured))
    ptx = compiled(ARCH).ptx
    counts = emulated(ptx, AccessSpace.SHARED) | emulated(ptx, AccessSpace.GLOBAL)
    text = page(counts, measured)
    publish(text, given.record)
    return 1 if differences(counts, measured) else 0
