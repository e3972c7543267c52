"""Chains of small launches of PTX, from lists of steps, and their check."""

from collections.abc import Sequence
from pathlib import Path

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.overlaps import parse_same
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.verdict import Level
from tests.checker.dependent.enumeration import BLOCKS, WARPS, Action, Launch, Step

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
KERNEL = """
.visible .entry NAME(.param .u64 cells)
{
    .reg .b64 %d<3>; .reg .b32 %r<8>; .reg .pred %p<3>;
    ld.param.u64 %d1, [cells]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r5, 0;
    mad.lo.u32 %r3, %r2, 64, %r1;
STEPS    ret;
}
"""
CODE = {
    Action.READ: "ld.volatile.global.u32",
    Action.WAIT: "griddepcontrol.wait;",
    Action.TRIGGER: "griddepcontrol.launch_dependents;",
    Action.FENCE: "membar.gl;",
}


def code_of(step: Step) -> str:
    """Return the instructions of a step: those of an actor are executed by the first thread of its warp."""
    if step.action is Action.BARRIER:
        return "    bar.sync 0;\n"
    lines = []
    for block, warp in step.actors:
        lines.append(f"    setp.eq.u32 %p1, %r3, {64 * block + 32 * warp};\n")
        if step.action is Action.READ:
            lines.append(f"    @%p1 ld.global.u32 %r4, [%d1+{4 * step.cell}];\n    @%p1 add.u32 %r5, %r5, %r4;\n")
        elif step.action is Action.WRITE:
            lines.append(f"    @%p1 st.global.u32 [%d1+{4 * step.cell}], %r1;\n")
        else:
            lines.append(f"    @%p1 {CODE[step.action]}\n")
    return "".join(lines)


def ptx_of(chain: list[Launch]) -> str:
    """Return the kernels of a chain: `launch0`, `launch1`, …"""
    kernels = (
        KERNEL.replace("NAME", f"launch{number}").replace("STEPS", "".join(map(code_of, launch)))
        for number, launch in enumerate(chain)
    )
    return HEAD + "".join(kernels)


def report_on(chain: list[Launch], folder: Path, same: Sequence[str] | None = None) -> KernelReport:
    """Return the report on the last launch of a chain; without `same`, all launches have one buffer."""
    path = folder / "chain.ptx"
    path.write_text(ptx_of(chain), encoding="utf-8")
    names = tuple(f"launch{number}" for number in range(len(chain)))
    options = FileOptions(
        kernels=(names[-1],),
        given=LaunchOptions(
            launches=(parse_shape(f"{BLOCKS}x{32 * WARPS}"),),
            pdl=(names,),
            same=tuple(map(parse_same, same or [f"{names[0]}.arg0={name}.arg0" for name in names[1:]])),
        ),
    )
    (report,) = check_file(path, options).kernels
    return report


def level_between(chain: list[Launch], folder: Path) -> str:
    """Return what the findings between the launches of a chain amount to."""
    levels = {item.level for item in report_on(chain, folder).findings if item.missing}
    return "broken" if Level.ERROR in levels else "doubtful" if levels else "clean"
