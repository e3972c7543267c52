"""Cut a pattern's CUDA files into the code of each kernel and what the kernels share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.compile.source import SHARED, expression
from shflbench.model import DTYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shflbench.patterns.declare import Variant
    from shflbench.patterns.discover import LoadedPattern

COMMON = "shflbench.cuh"  # what every kernel may use; shown once, beside the list of patterns
_INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)


def kernels(pattern: LoadedPattern) -> dict[str, str]:
    """Return the code of each variant's kernel, by variant; of a file that cannot be cut, all of it."""
    return {variant.name: _kernel(pattern, variant) for variant in pattern.declaration.variants}


def helpers(pattern: LoadedPattern) -> dict[str, str]:
    """Return what the kernels share: the headers that they include, and what else stands in their files."""
    shown = "\n\n".join(kernels(pattern).values())
    found: dict[str, str] = {}
    for source in dict.fromkeys(variant.source for variant in pattern.declaration.variants):
        rest = [part for part in parts(_read(pattern.folder / source)) if part not in shown and _says_more(part)]
        if rest:
            found[source] = "\n\n".join(rest)
        found |= _headers(pattern.folder, pattern.folder / source)
    return found


def parts(text: str) -> list[str]:
    """Return the definitions of a file with the comments above them: what blank lines outside of braces divide."""
    found: list[list[str]] = [[]]
    depth = 0
    for line in text.rstrip().splitlines():
        if not line.strip() and depth == 0:
            found.append([])
        else:
            found[-1].append(line)
        depth += _opened(line)
    return ["\n".join(lines) for lines in found if lines]


def _kernel(pattern: LoadedPattern, variant: Variant) -> str:
    text = _read(pattern.folder / variant.source)
    name = expression(pattern.name, variant, DTYPES[pattern.declaration.dtypes[0]]).partition("<")[0]
    named = [part for part in parts(text) if "__global__" in part and re.search(rf"\b{re.escape(name)}\b", part)]
    return "\n\n".join(named) or text.rstrip()


def _headers(folder: Path, file: Path) -> Mapping[str, str]:
    """Return the shflbench headers that a file includes, and those that they include."""
    found: dict[str, str] = {}
    for name in _INCLUDE.findall(_read(file)):
        path = next((place / name for place in (folder, SHARED) if (place / name).is_file()), None)
        if path is not None and name != COMMON:
            found |= {**_headers(folder, path), name: _read(path).rstrip()}
    return found


def _says_more(part: str) -> bool:
    """Whether a part is more than comments and includes."""
    return any(line.strip() and not line.startswith(("//", "#include")) for line in part.splitlines())


def _opened(line: str) -> int:
    """Return how many braces, brackets and conditions of the preprocessor a line opens less those that it closes."""
    code = line.partition("//")[0]
    if code.startswith(("#if", "#endif")):
        return 1 if code.startswith("#if") else -1
    return sum(code.count(mark) for mark in "{([") - sum(code.count(mark) for mark in "})]")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(codes: Mapping[str, str]) -> Iterator[str]:
    """Yield a titled block of code for each name."""
    for name, code in codes.items():
        yield f"### {name}\n\n```cuda\n{code}\n```"
