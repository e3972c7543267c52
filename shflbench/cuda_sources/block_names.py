"""The size of a block as the names in a kernel specify it: `template <int blockSize>`, `#define TILE_DIM 32`.

A kernel whose shared memory is dynamic shows the size of its block by such names only.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from shflbench.core.model import MAX_BLOCK
from shflbench.cuda_sources.kernel_file import NamedBlock
from shflbench.cuda_sources.lexer import without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cuda_sources.definitions import Definition
    from shflbench.cuda_sources.source import CudaSource

_BLOCK = r"(?:block|blk|cta|group|b)"
_SIZE = r"(?:size|sz|dim|dims|width|threads|threadcount)"
_THREADS = r"(?:num|n)?threads?(?:num|count|n|block)?(?:per(?:block|cta|group))?(?:num|count)?"
# Before the word: `HISTOGRAM_THREADBLOCK_SIZE` is the size of a block, and `MAX_BLOCK_SIZE` is not.
_OTHER = r"(?!(?:max|min|log|sub|half|data|cache|grid))[a-z]*?"
_NAMED = rf"(?:block|blk|cta|{_OTHER}{_BLOCK}{_SIZE}|{_THREADS}|tpb)"
# Of names in lower case without underscores, by the axis of the block that they mean.
_SURE = (rf"{_NAMED}x?|block(?:w|cols)", rf"{_NAMED}y|{_BLOCK}(?:rows|height|h)", rf"{_NAMED}z|{_BLOCK}depth")
_TILE = (r"tile(?:size|dim|width|w)?x?", r"tile(?:size|dim)?y|tile(?:height|rows|h)", r"tile(?:size|dim)?z|tiledepth")
# A number of elements per thread: that of threads is the size of a block of elements divided by it.
_PER_THREAD = re.compile(r"(?:num|n|no)?(?:items|elems|elements|values|vals|vec|work)?per(?:th|thrd|thread)")
_OF_THREADS = re.compile(r".*(?:thread|tpb)")  # what names a number of threads, and not of elements
LEAST_TILE = 4  # elements of a tile that may be a block
MULTIPLE = 16  # of which a template's only number is, or a power of two, if it may be the size of a block
_CONSTANT = re.compile(r"\b[A-Za-z_]\w*\b")
_LOCAL = re.compile(r"\bconst(?:expr)?\s+(?:static\s+|unsigned\s+)*\w+\s+(\w+)\s*=\s*([^;=]{1,200});")
_COLUMN, _ROW = (re.compile(rf"\b(?:threadIdx\s*\.\s*x|tid)\s*{sign}\s*([A-Za-z_]\w*)") for sign in "%/")
_WARP = re.compile(r"(?i)warp")
_NUMBER = re.compile(r"(?:\([\w: ]+\))?([0-9]+)[uUlL]*")


def named_block(definition: Definition, arguments: Sequence[str], source: CudaSource) -> NamedBlock | None:
    """Return the block that names in a kernel specify, None if there are none.

    `arguments` are those of the template, as the symbol names them.
    """
    values = list(_template_values(definition, arguments))
    of_template = dict(values)
    text = _text(definition, source)
    constants = list(_constants(definition, source, of_template, text))
    local = _local_constants(text, {**of_template, **dict(constants)}, source)
    if rows := _rows(text, {**of_template, **dict(constants), **local}):
        return rows
    every = [(_plain(name), value) for name, value in (*values, *constants, *local.items())]
    elements = next((value for name, value in values if _PER_THREAD.fullmatch(_plain(name))), 1)
    sure = [_first(every, pattern, 1, MAX_BLOCK * elements) for pattern in _SURE]
    x, y, z = (known or _first(every, pattern, LEAST_TILE) for known, pattern in zip(sure, _TILE, strict=True))
    if x and elements > 1 and not any(value == x and _OF_THREADS.match(name) for name, value in every):
        return NamedBlock(x // elements, y, z, sure=False) if x % elements == 0 else None
    if x:
        return NamedBlock(x, y, z, sure=any(sure))
    return _only([value for name, value in values if not _PER_THREAD.fullmatch(_plain(name))])


def numbered_block(arguments: Sequence[str]) -> NamedBlock | None:
    """Return the block that a template's only number may specify, where its source is not known."""
    return _only([int(match[1]) for text in arguments if (match := _NUMBER.fullmatch(text)) is not None])


def _only(numbers: Sequence[int]) -> NamedBlock | None:
    possible = [number for number in numbers if _may_be_a_block(number)]
    return NamedBlock(possible[0], 0, 0, sure=False) if len(possible) == 1 else None


def _first(values: Sequence[tuple[str, int]], pattern: str, least: int, most: int = MAX_BLOCK) -> int:
    """Return the first value from `least` to `most` with a name that `pattern` describes, 0 if there is none."""
    return next((value for name, value in values if least <= value <= most and re.fullmatch(pattern, name)), 0)


def _may_be_a_block(number: int) -> bool:
    """Return whether a number that no name explains may be that of a block's threads."""
    return 1 < number <= MAX_BLOCK and (number % MULTIPLE == 0 or number & (number - 1) == 0)


@cache
def _plain(name: str) -> str:
    """Return a name in lower case without underscores, and without the `k` that constants begin with in some styles."""
    return re.sub(r"^k(?=[A-Z])", "", name).replace("_", "").lower()


def _template_values(definition: Definition, arguments: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the numbers among the template arguments with the names of their parameters."""
    for parameter, text in zip(definition.template or (), arguments, strict=False):
        if parameter.pack:
            return
        match = None if parameter.is_type else _NUMBER.fullmatch(text)
        if match is not None and parameter.name:
            yield parameter.name, int(match[1])


def _text(definition: Definition, source: CudaSource) -> str:
    """Return the text of a kernel, empty if it is not known."""
    file = next((file for file in source.unit.files if file.path == definition.place.file), None)
    lines = file.text.split(b"\n")[definition.place.line - 1 : definition.end] if file is not None else []
    return without_comments(b"\n".join(lines)).decode(errors="replace")


def _local_constants(text: str, known: Mapping[str, int], source: CudaSource) -> dict[str, int]:
    """Return the constants that a kernel computes of other ones: `const int thread_num = BM * BN / (TM * TN);`."""
    result: dict[str, int] = {}
    for name, expression in _LOCAL.findall(text):
        value = source.evaluator.text(expression, {**known, **result})
        if value is not None:
            result[name] = value
    return result


def _rows(text: str, known: Mapping[str, int]) -> NamedBlock | None:
    """Return the block of as many rows as columns, where a kernel makes both of `threadIdx.x` with one constant.

    That of the name is the number of columns: `threadIdx.x % BLOCK_SIZE` and `threadIdx.x / BLOCK_SIZE`.
    """
    columns, rows = (set(pattern.findall(text)) for pattern in (_COLUMN, _ROW))
    sizes = {known[name] for name in columns & rows & known.keys() if not _WARP.search(name)}
    (size,) = sizes if len(sizes) == 1 else (0,)
    threads = size * size
    is_square = any(_may_name_a_block(_plain(name)) for name, value in known.items() if value == size)
    return NamedBlock(threads, 0, 0, sure=True) if is_square and MULTIPLE <= threads <= MAX_BLOCK else None


def _constants(
    definition: Definition, source: CudaSource, hidden: Mapping[str, int], text: str
) -> Iterator[tuple[str, int]]:
    """Yield the constants and macros that the kernel's text names, in the order in which it does."""
    parameters = {parameter.name for parameter in definition.parameters}
    for name in dict.fromkeys(_CONSTANT.findall(text)):
        if name in hidden or name in parameters or not _may_name_a_block(_plain(name)):
            continue
        value = source.evaluator.text(name if source.macros.definitions(name) else f"::{name}")
        if value is not None:
            yield name, value


@cache
def _may_name_a_block(plain: str) -> bool:
    return any(re.fullmatch(pattern, plain) for pattern in (*_SURE, *_TILE))
