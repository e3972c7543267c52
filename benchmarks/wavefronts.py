"""Compare the passes and sectors that the emulator counts with those of a GPU.

    python -m benchmarks wavefronts                    print the counts; needs no GPU
    python -m benchmarks wavefronts --gpu --record     measure on GPU 0, and write the page

Each kernel of `wavefronts.cu` sends equal requests to addresses that a pattern chooses. On a GPU, Nsight Compute counts
the wavefronts of shared memory, and the sectors of global memory, of one launch of each; and one block of 32 warps is
timed, whose clocks per request to shared memory are its passes. The exit code is 1 if a count of Nsight Compute differs
from the emulator's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.common.pages import UNKNOWN, program, publish, table, written_by
from benchmarks.wavefronts_gpu import Measured, measure
from benchmarks.wavefronts_subjects import APART, STEPS, compiled, subjects
from shflbench.core.model import WARP, AccessSpace
from shflbench.cuda.compile.toolchain import find
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.requests.count import count_requests

PAGE_FILE = Path(__file__).with_suffix(".md")
ARCH = "sm_90"  # whose PTX the emulator runs; the addresses do not depend on it
TOLERANCE = 0.01  # of clocks against passes

PAGE = """\
# Passes and sectors: the emulator against a GPU

{written}

- {0.device}, driver {0.driver}, Nsight Compute {0.ncu}, NVRTC {0.nvrtc}. All figures are per request of a warp.
- Emulator: counted from PTX, without a GPU.
- Nsight Compute: counted in one launch of one warp with `--clock-control none`: wavefronts
  (`l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld` and `_st`), sectors
  (`l1tex__t_sectors_pipe_lsu_mem_global_op_ld` and `_st`).
- Clocks: of one block of 32 warps, from the difference of two numbers of requests.
- `packed`: the distinct elements lie next to one another. `rows`: elements are 128 bytes apart, in the same banks.

{verdict}

## Shared memory: passes

{shared}

## Global memory: sectors

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
        total = sum(access.requests * (access.passes or access.sectors or 0.0) for access in chosen)
        counts[subject.name] = subject.per_request(total)
    return counts


def differences(counts: Mapping[str, float], measured: Measured) -> list[str]:
    """Return the launches for which Nsight Compute does not count what the emulator counts."""
    return [name for name, value in measured.counted.items() if value != counts[name]]


def page(counts: Mapping[str, float], measured: Measured) -> str:
    """Return the page that compares the counts with what a GPU measured."""
    return PAGE.format(
        measured,
        written=written_by("wavefronts --record"),
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
    """Return the launches to one memory space, of which those to shared memory have clocks."""
    head = ["kernel", "addresses", "lanes", "emulator", "Nsight Compute"]
    head += ["clocks"] if space is AccessSpace.SHARED else []
    rows = []
    for one in subjects(space):
        counted, clocks = measured.counted.get(one.name), measured.clocks.get(one.name)
        figures = (UNKNOWN if counted is None else f"{counted:g}", UNKNOWN if clocks is None else f"{clocks:.2f}")
        cells = (f"`{one.kernel}`", one.addresses, one.lanes, f"{counts[one.name]:g}", *figures)
        rows.append(cells[: len(head)])
    return table(head, rows, len(head))


def main() -> int:
    """Run as a program; return the exit code."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("--gpu", action="store_true")
    given = parser.parse_args()
    measured = measure() if given.gpu else Measured("no GPU", "none", "none", find().version, "", {}, {})
    ptx = compiled(ARCH).ptx
    counts = emulated(ptx, AccessSpace.SHARED) | emulated(ptx, AccessSpace.GLOBAL)
    publish(page(counts, measured), given.record)
    return 1 if differences(counts, measured) else 0
