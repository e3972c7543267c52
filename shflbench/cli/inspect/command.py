"""Show what each kernel's loop executes, and the least time that the hardware allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shflbench.cli.environment import cache_folder
from shflbench.cli.help import Command, headed, option
from shflbench.cli.inspect.residency import DEFAULT_RESIDENCY, residency
from shflbench.cli.parameters import DEFAULT_ARCH, OUTPUT_FILE, filters, format_option
from shflbench.errors import KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.limits import Residency
    from shflbench.check import KernelSubject
    from shflbench.cli.console import Console
    from shflbench.cli.inspect.inspected import Inspected
    from shflbench.compile.toolchain import Toolchain


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
    "Limits",
    option(
        "--resident",
        metavar="BLOCKSxTHREADS",
        default=DEFAULT_RESIDENCY,
        show_default=True,
        callback=residency,
        help="Blocks that each SM executes at a time, and threads per block.",
    ),
)
@headed(
    "Report",
    option(
        "--sass",
        is_flag=True,
        help="Print the timed loops as well: each instruction with its unit, its stall count, the scoreboards (SB) "
        "that it waits for, and those that it releases when its result is written or its operands are read.",
    ),
    format_option(("table", "json")),
    OUTPUT_FILE,
)
@click.pass_obj
def command(
    console: Console,
    /,
    targets: tuple[str, ...],
    patterns: tuple[str, ...],
    variants: tuple[str, ...],
    dtypes: tuple[str, ...],
    archs: tuple[str, ...],
    resident: Residency,
    *,
    sass: bool,
    form: str,
) -> int:
    """Show what each kernel's loop executes, and the least time that the hardware allows.

    TARGET is the name of a suite or a pattern, a suite file, or the folder of a pattern. Compiles each kernel, counts
    the instructions per warp and iteration by the unit of the SM that executes them, and computes the limit: a lower
    bound for the cycles in which an SM executes one iteration of all its resident warps. Needs no GPU. Exits 5 if a
    kernel does not compile.
    """
    if sass and form == "json":
        raise UsageError("--sass adds to the table only", "leave out --sass or --format json")
    from shflbench.check import Filters, find
    from shflbench.cli.inspect.output import as_json, legend, listings, tables
    from shflbench.compile.toolchain import find as find_toolchain

    subjects = find(targets, Filters(patterns, variants, dtypes))
    toolchain = find_toolchain()
    for arch in archs:
        _require(arch, resident, toolchain)
    inspected = list(_inspect(subjects, archs, toolchain, resident, console))
    if form == "json":
        console.data(as_json(inspected, resident))
    else:
        for number, table in enumerate((*tables(inspected, resident), *filter(None, [legend(inspected)]))):
            if number:
                console.data("")
            console.table(table, data=True)
        for text in listings(inspected) if sass else ():
            console.data(f"\n{text}")
    return KernelError.exit_code if any(one.error for one in inspected) else 0


def _require(arch: str, resident: Residency, toolchain: Toolchain) -> None:
    """Raise UsageError for an architecture without a table or for more warps than its SM holds.

    MissingError for an architecture that the compiler does not know.
    """
    from shflbench.arch import known, load

    figures = load(arch)
    if figures is None:
        raise UsageError(f"no figures are known for `{arch}`; allowed: {', '.join(known())}", "choose one of them")
    most = figures.resident_warps
    if most and resident.warps > most.value:
        message = (
            f"--resident asks for {resident.warps} warps, but an SM of {arch} executes at most {most.value} at a time"
        )
        raise UsageError(message, "name fewer blocks or threads")
    toolchain.require(arch)


def _inspect(
    subjects: Sequence[KernelSubject],
    archs: Sequence[str],
    toolchain: Toolchain,
    resident: Residency,
    console: Console,
) -> Iterator[Inspected]:
    """Yield what is found of each kernel, by architecture and in the order of the subjects."""
    from shflbench.check import compile_all
    from shflbench.cli.inspect.inspected import inspect
    from shflbench.compile.build import Builder

    done, total = 0, sum(not subject.variant.unsupported_reason(arch) for arch in archs for subject in subjects)
    with console.progress() as progress:
        for arch in archs:
            builder = Builder(toolchain, arch, cache_folder())
            kernels = {}
            for subject, kernel in compile_all(subjects, builder):
                kernels[subject] = kernel
                done += 1
                progress.show(f"compiling, {done} of {total} kernels", done, total)
            yield from (inspect(subject, kernels.get(subject), arch, resident) for subject in subjects)
        if builder.cache.problem:
            console.warn(builder.cache.problem)
