"""Show what each kernel's loop executes, and the least time that the hardware allows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from shflbench.cli.help import Command, headed, option
from shflbench.cli.inspect.residency import DEFAULT_RESIDENCY, resident_blocks
from shflbench.cli.parameters import DEFAULT_ARCH, OUTPUT_FILE, PATH, filters, format_option
from shflbench.environment import cache_folder
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.cli.console import Console
    from shflbench.cli.layout import Table
    from shflbench.compile.toolchain import Toolchain
    from shflbench.kernel_facts.diff_sides import KernelPair
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.inspector import Inspector
    from shflbench.kernel_facts.residency import ResidentBlocks
    from shflbench.pattern_checks.targets import KernelSubject
    from shflbench.store.calibration_file import Calibration


def _architectures(_: click.Context, __: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",")))


@click.command(cls=Command)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@headed(
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
@headed(
    "Limits and occupancy",
    option(
        "--resident",
        metavar="BLOCKSxTHREADS",
        default=DEFAULT_RESIDENCY,
        show_default=True,
        callback=resident_blocks,
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
@headed(
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
@headed("Report", format_option(("table", "json")), OUTPUT_FILE)
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
    from shflbench.compile.toolchain import find as find_toolchain
    from shflbench.kernel_facts.inspector import Inspector
    from shflbench.kernel_facts.run_pairs import pairs_of_runs, runs_of
    from shflbench.kernel_facts.run_subjects import run_of, subjects_of
    from shflbench.pattern_checks.targets import Filters, find

    console: Console = context.obj
    if diff and (sass or accesses or predict or calibration_file):
        raise UsageError("--diff stands alone", "leave out --sass, --accesses, --predict and --calibration")
    calibration = _read(calibration_file) if calibration_file else None
    filters = Filters(patterns, variants, dtypes)
    run = run_of(targets)
    archs_given = context.get_parameter_source("archs") is not ParameterSource.DEFAULT
    if run and archs_given:
        raise UsageError(f"--arch needs the files of a pattern, and {targets[0]} is a run", "leave out --arch")
    if run and accesses:
        if not run.counts():
            message = f"--accesses needs the counts that `bench` records, and {targets[0]} has none"
            raise UsageError(message, "record the run again by `bench`, or give the files of a pattern")
        accesses = False  # `bench` has run the emulator
    toolchain = find_toolchain()
    inspector = Inspector(toolchain, cache_folder(), resident, console, run)
    if run and diff and (sides := runs_of(diff, run)):
        return _print_diff(console, pairs_of_runs(sides, filters, inspector), inspector, resident, form)
    subjects = filters.apply(subjects_of(run)) if run else find(targets, filters)
    if diff:
        pairs = _pairs(diff, subjects, inspector, toolchain, archs, resident, archs_given=archs_given)
        return _print_diff(console, pairs, inspector, resident, form)
    for arch in archs:
        _require(arch, resident, toolchain)
    with_kernels = sass or accesses or predict or bool(calibration)
    inspected = list(inspector.inspect(subjects, archs, with_kernels=with_kernels))
    inspected = _estimated(inspected, inspector, resident, calibration, accesses=accesses, predict=predict)
    return _print(console, inspected, inspector, resident, form, sass=sass)


def _read(path: Path) -> Calibration:
    """Return the calibration in a file; UsageError where there is none, ResultsError where it is damaged."""
    from shflbench.store.calibration_file import read

    if not path.is_file():
        raise UsageError(f"--calibration: there is no file {path}", "write one: shflbench calibrate --output FILE")
    return read(path)


def _estimated(
    inspected: list[InspectedKernel],
    inspector: Inspector,
    resident: ResidentBlocks,
    calibration: Calibration | None,
    *,
    accesses: bool,
    predict: bool,
) -> list[InspectedKernel]:
    """Return the kernels with what the options ask for besides."""
    if not (accesses or predict or calibration):
        return inspected
    from shflbench.kernel_facts.estimates import with_ceilings, with_predictions

    requests = inspector.requests(inspected) if accesses else {}
    counted = {subject: made for subject, made in requests.items() if not isinstance(made, Exception)}
    if accesses:
        inspected = list(inspector.with_accesses(inspected, requests))
    if calibration:
        inspected = list(with_ceilings(inspected, counted, resident, calibration))
    return list(with_predictions(inspected, counted, resident)) if predict else inspected


def _print(
    console: Console,
    inspected: Sequence[InspectedKernel],
    inspector: Inspector,
    resident: ResidentBlocks,
    form: str,
    *,
    sass: bool,
) -> int:
    """Print tables, listings or JSON; return the exit code."""
    from shflbench.cli.inspect.listing import listings
    from shflbench.cli.inspect.output import accesses, as_json, legend, tables
    from shflbench.kernel_facts.places import Places

    places = Places(Path.cwd())
    shown = [one for one in inspected if one.kernel] if sass else []
    lines = inspector.lines(one.kernel for one in shown if one.kernel)
    if form == "json":
        console.json(as_json(inspected, resident, places, lines, sass=sass))
    else:
        known = accesses(inspected, places)
        blocks: list[Table | str] = [*([known] if known else []), *tables(inspected, resident, places)]
        blocks += filter(None, [legend(inspected)])
        _print_blocks(console, [*blocks, *listings(shown, places, lines)])
    return KernelError.exit_code if any(one.error for one in inspected) else 0


def _print_blocks(console: Console, blocks: Iterable[Table | str]) -> None:
    for number, block in enumerate(blocks):
        if number:
            console.data("")
        if isinstance(block, str):
            console.data(block)
        else:
            console.table(block, data=True)


def _pairs(
    words: tuple[str, str],
    subjects: Sequence[KernelSubject],
    inspector: Inspector,
    toolchain: Toolchain,
    archs: Sequence[str],
    resident: ResidentBlocks,
    *,
    archs_given: bool,
) -> list[KernelPair]:
    """Return the kernels that `--diff` compares; UsageError where its words do not fit the targets."""
    from shflbench.kernel_facts.diff_sides import Diff, sides_of

    sides = sides_of(words, list(dict.fromkeys(subject.case.variant for subject in subjects)))
    if archs_given and not sides[0].is_variant:
        raise UsageError("--diff names the architectures already", "leave out --arch")
    for arch in archs if sides[0].is_variant else filter(None, (side.arch for side in sides)):
        _require(arch, resident, toolchain)
    return list(Diff(inspector, sides).pairs(subjects, archs))


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


def _require(arch: str, resident: ResidentBlocks, toolchain: Toolchain) -> None:
    """Raise UsageError for an architecture without a table or for more warps than its SM holds.

    MissingError for an architecture that the compiler does not know.
    """
    from shflbench.arch import known, load

    figures = load(arch)
    if figures is None:
        raise UsageError(f"no figures are known for `{arch}`; allowed: {', '.join(known())}", "choose one of them")
    most = figures.resident_warps
    warps = resident.residency.warps
    if most and warps > most.value:
        message = f"--resident asks for {warps} warps, but an SM of {arch} executes at most {most.value} at a time"
        raise UsageError(message, "name fewer blocks or threads")
    toolchain.require(arch)
