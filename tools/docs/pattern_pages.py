"""The reference pages of the patterns: a page that lists them, and a page for each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.compile.source import SHARED, headers, kernel_name
from shflbench.compile.toolchain import find
from shflbench.model import DTYPES
from shflbench.patterns.declare import LAUNCH_OPTIONS, InOut, Input, Output, Setting
from shflbench.patterns.discover import builtin, load
from tools.docs.machine_code import compiler_of, digest, read_tables, table, tables, with_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.patterns.declare import Pattern, Variant
    from shflbench.patterns.discover import LoadedPattern

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "reference" / "patterns"
COMMON = SHARED / "shflbench.cuh"  # available to every kernel
NOTE = "<!-- Generated from the code by `make docs`; do not edit. -->"
ABOUT = """\
A pattern is one way for the threads of a warp to exchange values; its variants do the same by different mechanisms.
Unsafe variants rely on behavior that the memory model does not guarantee. They show how much time a barrier costs."""
_KINDS = {Input: "read", Output: "written", InOut: "read and written in place"}
_SMALL = (2, 128)  # the launch for which computed sizes are shown


def index() -> str:
    """Return the page that lists the patterns, and what all of them share."""
    rows = []
    for name, folder in builtin().items():
        pattern = load(folder).declaration
        rows.append((f"[{name}]({name}.md)", pattern.summary, " ".join(pattern.dtypes), " ".join(pattern.claims)))
    launch_options = [(f"`{name}`", _among(values), words) for name, (values, words) in LAUNCH_OPTIONS.items()]
    return "\n\n".join(
        (
            NOTE,
            "# Patterns",
            ABOUT,
            table(("pattern", "what it does", "dtypes", "claims tested"), rows),
            "Every pattern also has these options; they change the launch, not the kernel.",
            table(("option", "values", "meaning"), launch_options),
            f"Every kernel may use the functions in {link(COMMON)}.\n",
        )
    )


def _among(values: range | tuple[str, ...]) -> str:
    """Return the values of an option as the text of a cell."""
    return f"{values[0]} to {values[-1]}" if isinstance(values, range) else " ".join(f"`{word}`" for word in values)


def page(name: str, machine_code: str | None = None) -> str:
    """Return the page of a pattern; `machine_code` are its tables; with None, they are generated if necessary."""
    pattern = load(builtin()[name])
    text = current_tables(pattern) if machine_code is None else machine_code
    sections = [*_about(pattern.declaration), *_declared(pattern), "## Machine code", with_digest(pattern, text)]
    return "\n\n".join((NOTE, f"# {name}", *sections)) + "\n"


def current_tables(pattern: LoadedPattern) -> str:
    """Return the committed tables if they are current, otherwise new ones."""
    return committed_tables(pattern.name)[1] if is_current(pattern) else tables(pattern)


def is_current(pattern: LoadedPattern) -> bool:
    """Return whether the committed tables match the present sources and compiler."""
    known, text = committed_tables(pattern.name)
    return known == digest(pattern) and compiler_of(text) == find().version


def committed_tables(name: str) -> tuple[str, str]:
    """Return the digest and the text of the tables on a pattern's page; empty where there is none yet."""
    path = FOLDER / f"{name}.md"
    return read_tables(path.read_text(encoding="utf-8")) if path.is_file() else ("", "")


def _about(pattern: Pattern) -> Iterator[str]:
    yield pattern.summary
    yield f"Source: {pattern.source}."
    if pattern.one_pass:
        yield "A launch makes one pass over its data: there is no timed loop, and the launch sets the problem's size."
    else:
        yield (
            "An iteration of the timed loop does this once, with the result of the previous iteration. The loop is"
            f" unrolled by {pattern.unroll} in every variant."
        )
    if pattern.notes:
        yield pattern.notes
    if pattern.claims:
        yield "## Claims"
        yield table(("id", "claim"), pattern.claims.items())


def link(file: Path, line: int | None = None) -> str:
    """Return a link from a pattern's page to a file, or to a line of it."""
    target = f"../../../{file.relative_to(REPOSITORY).as_posix()}"
    return f"[{file.name}:{line}]({target}#L{line})" if line else f"[{file.name}]({target})"


def _kernel(pattern: LoadedPattern, variant: Variant) -> str:
    """Return a link to the line that defines the kernel of a variant."""
    file = pattern.folder / variant.source
    definition = re.compile(rf"__global__.*\b{re.escape(kernel_name(pattern.name, variant))}\(")
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    return link(file, next(number for number, line in lines if definition.search(line)))


def _declared(loaded: LoadedPattern) -> Iterator[str]:
    pattern = loaded.declaration
    if pattern.options:
        yield "## Options"
        options = [(f"`{name}`", " ".join(f"`{it}`" for it in values)) for name, values in pattern.options.items()]
        yield table(("option", "values, the default first"), options)
    yield "## Data"
    yield table(("name", "access", "elements", "type"), _data(pattern))
    yield "## Variants"
    rows = [
        (
            f"`{variant.name}`" + (" (baseline)" if variant.baseline else ""),
            variant.mechanism.value,
            "safe" if variant.safe else "**unsafe**",
            " ".join(variant.dtypes or pattern.dtypes),
            "; ".join(f"{name}: {' '.join(values)}" for name, values in variant.only.items()),
            variant.needs,
            _kernel(loaded, variant),
            variant.summary,
        )
        for variant in pattern.variants
    ]
    names = ("variant", "mechanism", "memory model", "dtypes", "only", "needs", "kernel", "how")
    kept = [place for place in range(len(names)) if any(row[place] for row in rows)]
    yield table([names[place] for place in kept], [tuple(row[place] for place in kept) for row in rows])
    files = {file for variant in pattern.variants for file in headers(loaded, variant).values()}
    yield f"The kernels use {', '.join(map(link, sorted(files)))}."


def _data(pattern: Pattern) -> Iterator[tuple[str, ...]]:
    """Yield a line for each buffer and number that kernels take."""
    options = {name: values[0] for name, values in pattern.options.items()}
    at = Setting(DTYPES[pattern.dtypes[0]], options, *_SMALL)
    for buffer in pattern.buffers:
        count = f"{buffer.per_thread} per thread"
        if buffer.elements is not None:
            count = f"{buffer.count(at)} for a launch of {at.grid}x{at.block}"
        kind = _KINDS[type(buffer)]
        if isinstance(buffer, Output):
            kind += ", in any order" if buffer.unordered else ""
            kind += f", {buffer.initial} before" if buffer.initial is not None else ""
        yield f"`{buffer.name}`", kind, count, buffer.dtype or "element type of the case"
    for scalar in pattern.scalars:
        yield f"`{scalar.name}`", "passed by value", f"{scalar.value(at):g}", scalar.dtype
