"""Tables of the machine code of each kernel, for the reference, with a digest of everything that determines them.

Compiling everything takes minutes, so the tables of a page are generated again only where the digest has changed.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from shflbench.core.model import Case, Kernel, Launch
from shflbench.cuda.compile import loops, resources, rules, sass
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.source import translation_unit
from shflbench.cuda.compile.toolchain import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from shflbench.cuda.compile.source import Source
    from shflbench.errors import KernelError
    from shflbench.patterns.discover import LoadedPattern

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
_MARK = re.compile(r"<!-- machine code (?P<digest>\w+) -->\n(?P<text>.*?)\n<!-- end -->", re.DOTALL)
_COMPILER = re.compile(r"NVRTC (\d+\.\d+)")

Key = tuple[str, str, str]  # variant, dtype, architecture


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The counted instructions of one kernel, as the text of a cell, and its registers."""

    exchanges: str
    registers: int | None


def with_digest(pattern: LoadedPattern, text: str) -> str:
    """Return the text with the digest of everything that determines it."""
    return f"<!-- machine code {digest(pattern)} -->\n{text}\n<!-- end -->"


def read_tables(page: str) -> tuple[str, str]:
    """Return the digest and the text of a page's tables; empty where it has none."""
    match = _MARK.search(page)
    return (match["digest"], match["text"]) if match else ("", "")


def compiler_of(text: str) -> str:
    """Return the version of NVRTC that compiled the tables of a page, such as `13.3`; empty where they name none."""
    match = _COMPILER.search(text)
    return match[1] if match else ""


def digest(pattern: LoadedPattern) -> str:
    """Return a digest of what determines the tables besides the compiler: sources, architectures, this code."""
    sources = [_source(pattern, case) for case in _cases(pattern)]
    texts = [(source.text, source.expression, sorted(source.headers.items())) for source in sources]
    return hashlib.sha256(json.dumps([_how(), ARCHITECTURES, texts]).encode()).hexdigest()[:16]


@cache
def _how() -> str:
    modules = (loops, resources, rules, sass, sys.modules[__name__])
    return "".join(inspect.getsource(module) for module in modules)


def tables(pattern: LoadedPattern, cache_folder: Path | None = None) -> str:
    """Compile every variant for every element type and architecture, and return the tables."""
    codes = compile_kernels(pattern, cache_folder)
    text = [f"Instructions, compiled by NVRTC {find().version}:", _exchange_table(pattern, codes)]
    text += ["Registers per thread, minimum to maximum over the element types:", _register_table(pattern, codes)]
    return "\n\n".join(text)


def compile_kernels(pattern: LoadedPattern, cache_folder: Path | None) -> dict[Key, KernelCode]:
    """Compile each kernel, and return its machine code in short; without the kernels that an architecture lacks."""
    codes: dict[Key, KernelCode] = {}
    for arch in ARCHITECTURES:
        builder = Builder(find(), arch, cache_folder)
        requests = {
            (case.variant, case.dtype, arch): builder.request(pattern, case)
            for case in _cases(pattern)
            if not pattern.declaration.variant(case.variant).unsupported_reason(builder.target)
        }
        kernels = dict(builder.build_all(requests))
        codes |= {key: _kernel_code(kernels[key]) for key in requests}
    return codes


def _cases(pattern: LoadedPattern) -> Iterator[Case]:
    """Yield a case of each variant and element type, with the first value that it has of each option."""
    declaration = pattern.declaration
    for variant in declaration.variants:
        options = {name: variant.only.get(name, values)[0] for name, values in declaration.options.items()}
        for name, values in declaration.options.items():
            if values[0] in variant.only.get(name, values):
                options[name] = values[0]
        for dtype in variant.dtypes or declaration.dtypes:
            if variant.has(dtype, options):
                yield Case(pattern.name, variant.name, dtype, Launch("2x128", 128, 2), 1, tuple(options.items()))


def _source(pattern: LoadedPattern, case: Case) -> Source:
    return translation_unit(pattern, case)


def _kernel_code(kernel: Kernel | KernelError) -> KernelCode:
    if not isinstance(kernel, Kernel):
        return KernelCode("does not compile", None)
    if kernel.sass is None:
        return KernelCode("not read", kernel.resources.registers)
    iterations = kernel.loop.unroll if kernel.loop else 1
    counts = kernel.loop.counts if kernel.loop else Counter(instruction.base for instruction in kernel.sass)
    words = (f"{count / iterations:.3g} {opcode}" for opcode, count in rules.exchanges(counts).items())
    return KernelCode(", ".join(words) or "none", kernel.resources.registers)


def _exchange_table(pattern: LoadedPattern, codes: Mapping[Key, KernelCode]) -> str:
    """Return a line for each variant and all element types that agree on every architecture."""
    rows = []
    for variant in pattern.declaration.variants:
        lines: dict[tuple[str, ...], list[str]] = {}
        for dtype in dict.fromkeys(dtype for name, dtype, _ in codes if name == variant.name):
            cells = [codes.get((variant.name, dtype, arch)) for arch in ARCHITECTURES]
            lines.setdefault(tuple(cell.exchanges if cell else "–" for cell in cells), []).append(dtype)
        rows += [(f"`{variant.name}`", " ".join(dtypes), *cells) for cells, dtypes in lines.items()]
    return table(("variant", "dtypes", *ARCHITECTURES), rows)


def _register_table(pattern: LoadedPattern, codes: Mapping[Key, KernelCode]) -> str:
    rows = []
    for variant in pattern.declaration.variants:
        cells = []
        for arch in ARCHITECTURES:
            of_variant = [code for (name, _, on), code in codes.items() if (name, on) == (variant.name, arch)]
            numbers = sorted(code.registers for code in of_variant if code.registers is not None)
            span = f"{numbers[0]}–{numbers[-1]}" if numbers and numbers[0] != numbers[-1] else f"{numbers[:1]}"
            cells.append(span.strip("[]") or "–")
        rows.append((f"`{variant.name}`", *cells))
    return table(("variant", *ARCHITECTURES), rows)


def table(names: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    head = list(names)
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
