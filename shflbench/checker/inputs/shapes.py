"""Launch shapes: grid and block in one to three dimensions, and their text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from shflbench.errors import UsageError
from shflbench.model import MAX_BLOCK

Dims: TypeAlias = tuple[int, int, int]

ADVICE = "Write GRIDxBLOCK, such as 4x256, or GRID:BLOCK with up to three dimensions each, such as 8x8:16x16."
MOST_THREADS = 1 << 20  # of one launch; more take minutes and show no more
# CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
MAX_GRID: Dims = (2**31 - 1, 65535, 65535)
MAX_BLOCK_DIMS: Dims = (1024, 1024, 64)

_NUMBERS = re.compile(r"[0-9]{1,10}(?:\s*[xX×]\s*[0-9]{1,10})*")


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The dimensions of a grid in blocks, and of a block in threads."""

    grid: Dims
    block: Dims
    sample: tuple[int, ...] = ()  # numbers of the blocks that run; empty: all

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return prod(self.grid)

    @property
    def threads_per_block(self) -> int:
        """Threads of one block."""
        return prod(self.block)

    @property
    def threads(self) -> int:
        """Threads of the grid."""
        return self.blocks * self.threads_per_block

    def extent(self, axis: int) -> int:
        """Return the threads of the grid along x, y or z: 0, 1 or 2."""
        return self.grid[axis] * self.block[axis]

    def __str__(self) -> str:
        """Return the text that `--launch` takes."""
        if self.grid[1:] == self.block[1:] == (1, 1):
            return f"{self.grid[0]}x{self.block[0]}"
        return f"{_text(self.grid)}:{_text(self.block)}"


def parse_shape(text: str, most_threads: int = MOST_THREADS) -> LaunchShape:
    """Return the shape that a text of `--launch` names; UsageError for anything else, or for more threads."""
    grid_text, colon, block_text = text.partition(":")
    if colon:
        grid, block = _dims(text, grid_text), _dims(text, block_text)
    else:
        numbers = _dims(text, grid_text)
        if len(numbers) != 2:  # noqa: PLR2004  (blocks and threads)
            raise UsageError(f"--launch `{text}` is not a launch", ADVICE)
        grid, block = numbers[:1], numbers[1:]
    shape = LaunchShape(_complete(grid), _complete(block))
    if shape.threads_per_block > MAX_BLOCK or any(
        size > most for size, most in zip(shape.block, MAX_BLOCK_DIMS, strict=True)
    ):
        raise UsageError(f"--launch `{text}`: a block has at most {MAX_BLOCK} threads, 64 of them along z", ADVICE)
    for axis, size, most in zip("xyz", shape.grid, MAX_GRID, strict=True):
        if size > most:
            raise UsageError(f"--launch `{text}`: a grid has at most {most} blocks along {axis}", ADVICE)
    if shape.threads > most_threads:
        raise UsageError(
            f"--launch `{text}` has {shape.threads} threads, and at most {most_threads} are emulated", ADVICE
        )
    return shape


def _dims(text: str, part: str) -> list[int]:
    if not _NUMBERS.fullmatch(part.strip()):
        raise UsageError(f"--launch `{text}` is not a launch", ADVICE)
    numbers = [int(number) for number in re.split(r"\s*[xX×]\s*", part.strip())]
    if len(numbers) > 3 or 0 in numbers:  # noqa: PLR2004  (x, y, z)
        raise UsageError(f"--launch `{text}` is not a launch", ADVICE)
    return numbers


def _complete(numbers: list[int]) -> Dims:
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _text(dims: Dims) -> str:
    shown = dims if dims[2] > 1 else dims[:2] if dims[1] > 1 else dims[:1]
    return "x".join(map(str, shown))
