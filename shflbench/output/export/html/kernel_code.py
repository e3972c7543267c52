"""The code of the variants of a pattern, from what the run stored: no path inside a run is ever opened."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.output.export.html.content import HeaderText, KernelText
from shflbench.output.export.html.highlight import pieces
from shflbench.output.export.html.texts import number, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.output.export.html.selection import TimedRow
    from shflbench.store.kernel_archive import KernelArchive, StoredKernel

LONGEST_CODE = 20_000  # characters of one kernel: the longest of the shipped patterns has 2,000
_LINE = re.compile(r'^#line 1 ".*"\n', re.MULTILINE)  # above it is what shflbench wrote before the file's own text
_SHOWN_OPCODES = 12  # of a loop, the most frequent first


def kernel_text(item: TimedRow, kernel: StoredKernel, kernels: KernelArchive) -> KernelText:
    """Return the code of one variant, and what the compiler made of it."""
    row = item.row
    unit = _text(kernels, kernel.source)
    code = "\n\n".join(kernel_of_unit(unit, expression) for expression in kernel.expressions)
    return KernelText(
        variant=row.variant,
        mechanism=row.mechanism,
        is_safe=row.safe,
        origin=short(f"{kernel.unit}, compiled as {', '.join(kernel.expressions)}"),
        pieces=pieces(code[:LONGEST_CODE]),
        facts=tuple(_facts(item, kernel)),
    )


def header_texts(kernel: StoredKernel, kernels: KernelArchive) -> Iterator[HeaderText]:
    """Yield the headers that a kernel includes and shflbench has; not those of CUDA, which runs do not store."""
    for name, file in kernel.headers.items():
        text = _text(kernels, file)[:LONGEST_CODE]
        yield HeaderText(name, f"header-{sha256(text.encode()).hexdigest()[:12]}", pieces(text))


def _facts(item: TimedRow, kernel: StoredKernel) -> Iterator[tuple[str, str]]:
    """Yield what the compiler made of a kernel, and what limits it."""
    row, limit, loop = item.row, item.limit, kernel.loop
    if loop and loop.unroll > 0:
        counts = sorted(loop.instructions.items(), key=lambda count: -count[1])
        shown = ", ".join(f"{opcode} {count / loop.unroll:.3g}" for opcode, count in counts[:_SHOWN_OPCODES])
        yield "SASS per iteration", shown + (", …" if len(counts) > _SHOWN_OPCODES else "")
    elif kernel.instructions:
        bases: dict[str, int] = {}
        later = [count for item in kernel.later for count in (item.instructions or {}).items()]
        for opcode, count in (*kernel.instructions.items(), *later):
            bases[opcode.partition(".")[0]] = bases.get(opcode.partition(".")[0], 0) + count
        counts = sorted(bases.items(), key=lambda count: -count[1])
        yield "SASS of the kernel", ", ".join(f"{opcode} {count}" for opcode, count in counts[:_SHOWN_OPCODES])
    resources = [kernel.resources, *(item.resources for item in kernel.later)]
    yield "Registers", ", ".join(str(item.registers) for item in resources)
    if row.shared_bytes:
        yield "Shared memory", f"{row.shared_bytes:,} B per block"
    if local_bytes := max(item.local_bytes for item in resources):
        yield "Local memory", f"{local_bytes:,} B per thread"
    if limit and limit.limit_us and limit.limit_by:
        yield "Limit", f"{number(limit.limit_us)} µs by {limit.limit_by}"


def kernel_of_unit(unit: str, expression: str) -> str:
    """Return one kernel's text with its comment, without the other kernels of the unit; the unit where that fails."""
    text = _LINE.split(unit)[-1]
    name = re.split(r"[<(]", expression, maxsplit=1)[0].rpartition("::")[-1].strip()
    lines = text.splitlines()
    head = re.compile(rf"(?<!\w){re.escape(name)}\s*\(") if name else None
    for index, line in enumerate(lines):
        if head and head.search(line) and "__global__" in "\n".join(lines[max(0, index - 2) : index + 1]):
            return "\n".join(lines[_begin(lines, index) : _end(lines, index)])
    return text.strip("\n")


def _begin(lines: Sequence[str], index: int) -> int:
    """Return the first line of a function's declaration and of the comment above it."""
    while index and lines[index - 1].strip() and not lines[index - 1].startswith(("}", "#")):
        index -= 1
    return index


def _end(lines: Sequence[str], index: int) -> int:
    """Return the line after a function's body: after its last brace."""
    depth, opened = 0, False
    for place in range(index, len(lines)):
        code = lines[place].split("//")[0]
        depth += code.count("{") - code.count("}")
        opened = opened or "{" in code
        if opened and depth <= 0:
            return place + 1
    return len(lines)


def _text(kernels: KernelArchive, file: str) -> str:
    return kernels.contents[file].decode(errors="replace")
