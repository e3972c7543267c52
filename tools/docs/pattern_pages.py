"""The reference pages of the patterns: a page that lists them, and a page for each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import SHARED_HEADERS
from shflbench.core.model import DTYPES, Mechanism
from shflbench.core.words import join_words
from shflbench.cuda.compile.source import headers, kernel_name
from shflbench.cuda.compile.toolchain import find
from shflbench.patterns.declare import LAUNCH_OPTIONS, InOut, Input, Output, Setting
from shflbench.patterns.discover import builtin, load
from shflbench.suite.shipped_claims import claims_by_pattern
from tools.docs.machine_code import compiler_of, digest, read_tables, table, tables, with_digest
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.core.claims.claim import Claim
    from shflbench.patterns.declare import Pattern, Variant
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.patterns.family import Family

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs" / "reference" / "patterns"
COMMON = SHARED_HEADERS / "shflbench.cuh"  # available to every kernel
NOTE = "<!-- Generated from the code by `make docs`; do not edit. -->"
ABOUT = """\
A pattern is a task in which the threads of a warp exchange data or access memory. Its variants compute the same result
by different mechanisms, such as shared memory, shuffles or atomic operations. Unsafe variants omit barriers that the
CUDA memory model requires; they show how much time these barriers cost.

The ids of claims refer to publications: G to the GTC 2013 slides, A to the Acceleware article, N to the NTNU slides,
and P to the NVIDIA Pro Tip; B and R to code bases and guides, in the suites `blocks` and `rows`. The page of a pattern
lists its claims; [Do the old claims still hold?](../../explanation/claims.md) and [What code bases
say](../../explanation/contradictions.md) have the verdicts."""
_MECHANISMS = {
    Mechanism.SMEM: "shared memory with all required barriers",
    Mechanism.SMEM_UNSAFE: "shared memory without some barriers that the CUDA memory model requires",
    Mechanism.SHFL: "warp shuffle instructions",
    Mechanism.HYBRID: "shared memory for a part of the exchange, warp instructions for the rest",
    Mechanism.COLLECTIVE: "warp vote, match or reduce instructions",
    Mechanism.ATOMIC: "atomic operations on shared or global memory",
    Mechanism.GLOBAL: "loads from and stores to global memory",
    Mechanism.LOCAL: "local memory of the thread",
    Mechanism.REGISTER: "registers of the thread",
    Mechanism.MATRIX: "matrix instructions of the warp",
    Mechanism.ASYNC: "asynchronous copies from global to shared memory",
    Mechanism.CLUSTER: "shared memory of other blocks of a cluster",
    Mechanism.LIBRARY: "CUB or cooperative groups",
}
_INSTRUCTIONS = """\
warp-level instructions (`SHFL`, `VOTE`, `MATCH`, `REDUX`, `CREDUX`), block barriers (`BAR`), and accesses to shared \
memory (`LDS`, `STS`, `ATOMS`), local memory (`LDL`, `STL`) and global memory (`LDG`, `STG`, `ATOMG`, `RED`). Other \
instructions are not listed. Counts are for the first supported value of each option. A dash means that the variant \
does not support the architecture."""
_VERDICTS = {
    "G": "[Claims of GTC 2013](../../explanation/claims-of-gtc-2013.md)",
    "A": "[Claims of Acceleware](../../explanation/claims-of-acceleware.md)",
    "N": "[Claims of NTNU](../../explanation/claims-of-ntnu.md)",
    "P": "[Claims of the NVIDIA Pro Tip](../../explanation/claims-of-the-pro-tip.md)",
    "BR": "[What code bases say](../../explanation/contradictions.md)",
    "X": "[Which published figures about exchanges hold?](../../explanation/claims-about-exchanges.md)",
}
_KINDS = {Input: "read", Output: "written", InOut: "read and written"}
_SMALL = (2, 128)  # the launch for which computed sizes are shown


def index() -> str:
    """Return the page that lists the patterns, and what all of them share."""
    rows, claims = [], published()
    for name, folder in builtin().items():
        pattern = load(folder).declaration
        ids = " ".join(claim.id for claim in claims.get(name, []))
        rows.append((f"[{name}]({name}.md)", pattern.summary, " ".join(pattern.dtypes), ids))
    launch_options = [(f"`{name}`", _among(values), words) for name, (values, words) in LAUNCH_OPTIONS.items()]
    return "\n\n".join(
        (
            NOTE,
            "# Patterns",
            ABOUT,
            table(("pattern", "description", "dtypes", "claims tested"), rows),
            "Every pattern also has these options, which change the launch and not the kernel:",
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
    sections = [*_about(pattern.declaration), *_claims(name), *_declared(pattern), *_about_code(pattern.declaration)]
    return wrap_page("\n\n".join((NOTE, f"# {name}", *sections, with_digest(pattern, text))) + "\n")


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
        yield "A launch processes its data once, without a timed loop; its number of threads sets the problem size."
    else:
        unrolled = "not unrolled" if pattern.unroll == 1 else f"unrolled by {pattern.unroll}"
        yield (
            "Each iteration of the timed loop performs this operation once, with the result of the previous iteration."
            f" The loop is {unrolled} in every variant."
        )
    if pattern.also_called:
        yield f"Also called: {', '.join(pattern.also_called)}."
    usual = pattern.usual
    setting = ", ".join([usual.dtype, usual.launch, *(f"{name}={value}" for name, value in usual.options.items())])
    yield f"Representative setting, which answers about the pattern show: {setting}."
    if pattern.notes:
        yield pattern.notes


@cache
def published() -> dict[str, list[Claim]]:
    """Return the claims of the shipped suites by pattern; 0.3 s."""
    return claims_by_pattern()


def _claims(name: str) -> Iterator[str]:
    """Yield the claims of the shipped suites about a pattern."""
    if claims := published().get(name):
        yield "## Claims"
        letters = {claim.id[0] for claim in claims}
        pages = join_words([page for ids, page in _VERDICTS.items() if letters & set(ids)])
        yield f"Published claims that this pattern tests. Measurements contradict some of them: see {pages}."
        yield table(("id", "claim", "source"), [(claim.id, claim.says, claim.source) for claim in claims])


def link(file: Path, line: int | None = None) -> str:
    """Return a link from a pattern's page to a file, or to a line of it."""
    target = f"../../../{file.relative_to(REPOSITORY).as_posix()}"
    return f"[{file.name}:{line}]({target}#L{line})" if line else f"[{file.name}]({target})"


def kernel_place(pattern: LoadedPattern, variant: Variant) -> tuple[Path, int]:
    """Return the file and the line that define the kernel of a variant."""
    file = pattern.folder / variant.source
    # Launch bounds may take the line before the name.
    definition = re.compile(rf"^(?:.*__global__.*\b)?{re.escape(kernel_name(pattern.name, variant))}\(")
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
    return file, next(number for number, line in lines if definition.search(line))


def _declared(loaded: LoadedPattern) -> Iterator[str]:
    pattern = loaded.declaration
    if pattern.options:
        yield "## Options"
        options = [(f"`{name}`", " ".join(f"`{it}`" for it in values)) for name, values in pattern.options.items()]
        yield table(("option", "values (default first)"), options)
    yield "## Data"
    yield table(("name", "access", "elements", "type"), _data(pattern))
    if pattern.scalars or any(buffer.elements is not None for buffer in pattern.buffers):
        grid, block = _SMALL
        yield (
            f"Total numbers of elements and values of scalars are for a launch of {grid}x{block} ({grid} blocks of"
            f" {block} threads) with default options."
        )
    yield "## Variants"
    used = [mechanism for mechanism in Mechanism if any(variant.mechanism == mechanism for variant in pattern.variants)]
    listed = ", ".join(f"`{mechanism.value}` ({_MECHANISMS[mechanism]})" for mechanism in used)
    yield f"Mechanisms: {listed}. All variants are compared with the one marked (baseline)."
    rows = [
        (
            f"`{variant.name}`" + (" (baseline)" if variant.baseline else ""),
            f"`{variant.mechanism.value}`",
            "safe" if variant.safe else "**unsafe**",
            " ".join(variant.dtypes or pattern.dtypes),
            "; ".join(f"`{name}`: {' '.join(values)}" for name, values in variant.only.items()),
            f"{variant.needs} or newer" if variant.needs else "",
            link(*kernel_place(loaded, variant)),
            variant.summary,
        )
        for variant in pattern.variants
    ]
    names = ("variant", "mechanism", "safety", "dtypes", "only for options", "requires", "kernel", "description")
    kept = [place for place in range(len(names)) if any(row[place] for row in rows)]
    yield table([names[place] for place in kept], [tuple(row[place] for place in kept) for row in rows])
    files = {file for variant in pattern.variants for file in headers(loaded, variant).values()}
    yield f"The kernels include {', '.join(map(link, sorted(files)))}."
    if pattern.family:
        yield from _of_family(pattern.family)


def _of_family(family: Family[Variant]) -> Iterator[str]:
    yield "## Family"
    yield (
        f"{len(family.members)} further variants are members of a family: one value of each of these parameters, whose "
        "words make their names. A suite runs those that it names."
    )
    rows = [(" ".join(f"`{word}`" if word else "–" for word in one.values), one.meaning) for one in family.parameters]
    yield table(("words", "meaning"), rows)
    yield f"No members: {'; '.join(one.reason for one in family.exclusions)}."


def _about_code(pattern: Pattern) -> Iterator[str]:
    yield "## Machine code"
    if pattern.one_pass:
        yield f"SASS instructions in the whole kernel (static counts): {_INSTRUCTIONS}"
    else:
        divided = f", divided by {pattern.unroll}" if pattern.unroll > 1 else ""
        yield f"SASS instructions per iteration (static counts in the body of the timed loop{divided}): {_INSTRUCTIONS}"


def _data(pattern: Pattern) -> Iterator[tuple[str, ...]]:
    """Yield a line for each buffer and scalar that kernels take."""
    options = {name: values[0] for name, values in pattern.options.items()}
    at = Setting(DTYPES[pattern.dtypes[0]], options, *_SMALL)
    for buffer in pattern.buffers:
        count = f"{buffer.per_thread} per thread"
        if buffer.elements is not None:
            count = f"{buffer.count(at)} in total"
        kind = _KINDS[type(buffer)]
        if isinstance(buffer, Output):
            kind += f", initialized to {buffer.initial}" if buffer.initial is not None else ""
            kind += ", compared as multisets" if buffer.unordered else ""
        yield f"`{buffer.name}`", kind, count, buffer.dtype or "element type of the case"
    for scalar in pattern.scalars:
        yield f"`{scalar.name}`", f"scalar, value {scalar.value(at):g}", "–", scalar.dtype
