"""Show what each kernel's loop executes, and the least time that the hardware allows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, filters, format_option
from shflbench.core.bounds import MAX_RESIDENT_BLOCKS
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.model import MAX_BLOCK
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.cli.console import Console
    from shflbench.cli.layout import Table
    from shflbench.kernel_facts.diff_sides import KernelPair
    from shflbench.kernel_facts.inspection import InspectResult
    from shflbench.kernel_facts.inspector import Inspector
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.store.calibration_file import Calibration

DEFAULT_RESIDENCY = "1x1024"


def _resident_blocks(_: click.Context, parameter: click.Parameter, text: str) -> ResidentBlocks:
    """Return the blocks of an SM that BLOCKSxTHREADS stands for; BadParameter where it is not that."""
    from shflbench.kernel_facts.residency import ResidentBlocks

    match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]{0,3})", text)
    blocks, threads = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= blocks <= MAX_RESIDENT_BLOCKS or not 1 <= threads <= MAX_BLOCK:
        message = (
            f"`{text}` is not BLOCKSxTHREADS, such as {DEFAULT_RESIDENCY}; at most {MAX_RESIDENT_BLOCKS} blocks and "
            f"{MAX_BLOCK} threads"
        )
        raise click.BadParameter(message, param=parameter)
    return ResidentBlocks(blocks, threads)


def _architectures(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",")))


@click.command(cls=Command)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@add_heading(
    "Kernels",
    *filters("Inspect"),
    option(
        "--arch",
        "archs",
        metavar="sm_XX[,…]",
        default=DEFAULT_ARCH,
        show_default=True,
        callback=_architectures,
        help="Compile for these architectures.",
    ),
)
@add_heading(
    "Limits and occupancy",
    option(
        "--resident",
        metavar="BLOCKSxTHREADS",
        default=DEFAULT_RESIDENCY,
        show_default=True,
        callback=_resident_blocks,
        help="Blocks that each SM executes at a time, and threads per block. Occupancy depends on the threads only.",
    ),
    option(
        "--accesses",
        is_flag=True,
        help="Run each kernel in the emulator to find bank conflicts and uncoalesced accesses, and include them in the "
        "limit. Takes about 0.1 s per kernel. Always shown for a run of `bench`, which has counted them.",
    ),
    option(
        "--predict",
        is_flag=True,
        help="Predict the cycles as well: simulate one SM with constants of an H200, for sm_90 only. Takes about 0.1 s "
        "per kernel.",
    ),
    option(
        "--calibration",
        "calibration_file",
        metavar="FILE",
        type=PATH,
        help="Show a ceiling beside the limit: the cycles at the rates that `shflbench calibrate` wrote to this file.",
    ),
)
@add_heading(
    "Machine code",
    option(
        "--sass",
        is_flag=True,
        help="Print the timed loops as well, or kernels without one: each instruction with its unit, its source line, "
        "its stall count, the scoreboards (SB) that it waits for, and those that it releases when its result is "
        "written or its operands are read.",
    ),
    option(
        "--diff",
        nargs=2,
        metavar="A B",
        help="Print two timed loops, or kernels without one, next to each other, and what differs. A and B are two "
        "variants, or each is an architecture (compiled now) or the folder of a run (as compiled then).",
    ),
)
@add_heading("Report", format_option(("table", "json")), OUTPUT_FILE)
@click.pass_context
def command(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    patterns: tuple[str, ...],
    variants: tuple[str, ...],
    dtypes: tuple[str, ...],
    archs: tuple[str, ...],
    resident: ResidentBlocks,
    diff: tuple[str, str] | None,
    *,
    accesses: bool,
    predict: bool,
    calibration_file: Path | None,
    sass: bool,
    form: str,
) -> int:
    """Show what each kernel's loop executes, and the least time that the hardware allows.

    TARGET is the name of a suite or a pattern, a suite file, the folder of a pattern, or the folder of a run, as of
    `bench`. Compiles each kernel, or reads what the run recorded, counts the instructions per warp and iteration by the
    unit of the SM that executes them, and computes the limit: a lower bound for the cycles in which an SM executes one
    iteration of all its resident warps. Without a timed loop, it counts those of the whole code once. Says what to
    change where a kernel uses local memory or fills an SM only partly. Needs no GPU. Exits 5 if a kernel does not
    compile.
    """
    from shflbench.kernel_facts.inspection import Inspection, InspectRequest

    console: Console = context.obj
    if diff and (sass or accesses or predict or calibration_file):
        raise UsageError("--diff stands alone", "leave out --sass, --accesses, --predict and --calibration")
    request = InspectRequest(
        targets=targets,
        archs=archs,
        resident=resident,
        is_arch_given=context.get_parameter_source("archs") is not ParameterSource.DEFAULT,
        patterns=patterns,
        variants=variants,
        dtypes=dtypes,
        accesses=accesses,
        predict=predict,
        calibration=_read(calibration_file) if calibration_file else None,
        with_code=sass,
    )
    inspection = Inspection(request, console)
    if diff:
        return _print_diff(console, inspection.pairs(diff), inspection.inspector, resident, form)
    return _print(console, inspection.result(), form)


def _read(path: Path) -> Calibration:
    """Return the calibration in a file; UsageError where there is none, ResultsError where it is damaged."""
    from shflbench.store.calibration_file import read

    if not path.is_file():
        raise UsageError(f"--calibration: there is no file {path}", "write one: shflbench calibrate --output FILE")
    return read(path)


def _print(console: Console, result: InspectResult, form: str) -> int:
    """Print tables, listings or JSON; return the exit code."""
    from shflbench.cli.inspect.output import accesses, as_json, legend, tables
    from shflbench.kernel_facts.listing import listings

    inspected, places = result.kernels, result.places
    if form == "json":
        console.json(as_json(result))
    else:
        known = accesses(inspected, places)
        blocks: list[Table | str] = [*([known] if known else []), *tables(inspected, result.resident, places)]
        blocks += filter(None, [legend(inspected)])
        code = listings(inspected, places, result.lines) if result.has_code else ()
        _print_blocks(console, [*blocks, *code])
    return KernelError.exit_code if any(one.error for one in inspected) else 0


def _print_blocks(console: Console, blocks: Iterable[Table | str]) -> None:
    for number, block in enumerate(blocks):
        if number:
            console.data("")
        if isinstance(block, str):
            console.data(block)
        else:
            console.table(block, data=True)


def _print_diff(
    console: Console, pairs: Sequence[KernelPair], inspector: Inspector, resident: ResidentBlocks, form: str
) -> int:
    """Print what differs between the kernels of each pair; return the exit code."""
    from shflbench.cli.inspect.diff import as_json, as_text
    from shflbench.kernel_facts.places import Places

    places = Places(Path.cwd())
    lines = inspector.lines(one.kernel for pair in pairs for one in (pair.first, pair.second) if one.kernel)
    if form == "json":
        console.json(as_json(pairs, resident, places, lines))
    else:
        _print_blocks(console, as_text(pairs, resident, places, lines))
    return KernelError.exit_code if any(pair.first.error or pair.second.error for pair in pairs) else 0
