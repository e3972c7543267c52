"""The grammar of launches: `26x1024`, `2*sms x 256`, `sms/2 x 64`, `fill x 1024`, `8x8:16x16`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from shflbench.core.dimensions import MAX_BLOCK_DIMS, MAX_GRID, Dims, LaunchDims, complete, dims_text
from shflbench.core.model import MAX_BLOCK, WARP, Launch

if TYPE_CHECKING:
    from collections.abc import Sequence

# In place of a launch, or of its grid, where each kernel of a group has its own: of one dimension, or of several.
OWN, OWN_DIMS = "own", "own:dims"
GRID_PATTERN = r"[0-9]{1,10}|(?:[0-9]{1,10} *\* *)?sms(?: */ *[0-9]{1,10})?|fill"
SIZES_PATTERN = r"[0-9]{1,10}(?: *x *[0-9]{1,10}){0,2}"
LAUNCH_PATTERN = rf"^ *(?:(?:{GRID_PATTERN}) *x *[0-9]{{1,10}}|{SIZES_PATTERN} *: *{SIZES_PATTERN}) *$"

LAUNCH_ALLOWED = (
    "grid x block, such as `26x1024`, `sms x 128`, `2*sms x 256`, `sms/2 x 64` or `fill x 1024`; of two or three "
    "dimensions grid:block, such as `8x8:16x16`"
)
GRID_ALLOWED = f"a number of blocks from 1 to {MAX_GRID[0]}, `sms`, `2*sms`, `sms/2` or `fill`"
GRID_DIMS_ALLOWED = f"grids of 1 to {MAX_GRID[0]} blocks along x, and of 1 to {MAX_GRID[1]} along y and along z"
BLOCK_ALLOWED = f"blocks of whole warps: a multiple of {WARP} from {WARP} to {MAX_BLOCK} threads"
BLOCK_DIMS_ALLOWED = f"{BLOCK_ALLOWED}, at most {MAX_BLOCK_DIMS[2]} of them along z"
SIZES_ALLOWED = "two or three sizes, such as `8x8`"
FLAT_ALLOWED = "blocks of one dimension beside a grid that depends on the device"

_SEVERAL = re.compile(rf"(?P<grid>{SIZES_PATTERN}) *: *(?P<block>{SIZES_PATTERN})")
_DEVICE_GRID = re.compile(r"(?:(?P<times>[0-9]+) *\* *)?sms(?: */ *(?P<over>[0-9]+))?")


class Unit(Enum):
    """The unit of a grid."""

    BLOCKS = "blocks"
    SMS = "sms"  # streaming multiprocessors of the device
    FILL = "fill"  # as many blocks as are resident on all SMs


@dataclass(frozen=True, slots=True)
class Grid:
    """A number of blocks, `times / over` of its unit; those of several dimensions are numbers."""

    unit: Unit
    times: int = 1
    over: int = 1
    dims: Dims | None = None  # None: along x

    @property
    def text(self) -> str:
        """The canonical expression, e.g. `26`, `2*sms`, `sms/2`, `fill` or `8x8`."""
        if self.dims is not None:
            return dims_text(self.dims)
        if self.unit is Unit.BLOCKS:
            return str(self.times)
        times = f"{self.times}*" if self.times > 1 else ""
        over = f"/{self.over}" if self.over > 1 else ""
        return f"{times}{self.unit.value}{over}"

    def blocks(self, sms: int, resident_blocks: int | None) -> int:
        """Return the number of blocks, rounded down and at least 1; ValueError if `fill` lacks `resident_blocks`."""
        if self.unit is Unit.BLOCKS:
            return self.times
        if self.unit is Unit.SMS:
            return max(1, sms * self.times // self.over)
        if resident_blocks is None:
            raise ValueError("`fill` needs the number of resident blocks per SM")
        return max(1, sms * resident_blocks)


@dataclass(frozen=True, slots=True)
class BlockSize:
    """The threads of a block along x, y and z."""

    dims: Dims

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return math.prod(self.dims)

    @property
    def text(self) -> str:
        """The canonical expression, e.g. `256` or `16x16`."""
        return dims_text(self.dims)


def parse_grid(text: str) -> Grid:
    """Return the grid that `text` describes; ValueError says what is allowed."""
    word = text.strip()
    if are_sizes(word):
        return make_grid(_sizes(word))
    if not re.fullmatch(GRID_PATTERN, word):
        raise ValueError(GRID_ALLOWED)
    if word == "fill":
        return Grid(Unit.FILL)
    if device := _DEVICE_GRID.fullmatch(word):
        return _share_of_sms(int(device["times"] or 1), int(device["over"] or 1))
    if not 1 <= int(word) <= MAX_GRID[0]:
        raise ValueError(GRID_ALLOWED)
    return Grid(Unit.BLOCKS, int(word))


def are_sizes(text: str) -> bool:
    """Whether a text begins as sizes of several dimensions do: `8x8`."""
    return re.match(r" *[0-9]+ *x", text) is not None


def make_grid(sizes: Sequence[int]) -> Grid:
    """Return the grid of one to three sizes; ValueError says what is allowed."""
    dims = complete(sizes)
    if not all(1 <= size <= most for size, most in zip(dims, MAX_GRID, strict=True)):
        raise ValueError(GRID_DIMS_ALLOWED)
    return Grid(Unit.BLOCKS, math.prod(dims), dims=None if dims[1:] == (1, 1) else dims)


def _share_of_sms(times: int, over: int) -> Grid:
    if times < 1 or over < 1:
        raise ValueError(GRID_ALLOWED)
    shrink = math.gcd(times, over)  # so that `2*sms/4` and `sms/2` are one launch
    return Grid(Unit.SMS, times // shrink, over // shrink)


def parse_block(text: str) -> BlockSize:
    """Return the block that a text such as `16x16` describes; ValueError says what is allowed."""
    return make_block(_sizes(text))


def make_block(sizes: Sequence[int]) -> BlockSize:
    """Return the block of one to three sizes; ValueError says what is allowed."""
    block = BlockSize(complete(sizes))
    fits = all(1 <= size <= most for size, most in zip(block.dims, MAX_BLOCK_DIMS, strict=True))
    if not fits or block.threads % WARP or block.threads > MAX_BLOCK:
        raise ValueError(BLOCK_ALLOWED if len(sizes) == 1 else BLOCK_DIMS_ALLOWED)
    return block


def make_launch(grid: Grid, block: BlockSize) -> Launch:
    """Return the launch with its canonical expression: `26x1024`, `2*sms x 256` on any device, or `8x8:16x16`.

    ValueError if a grid that depends on the device has a block of several dimensions.
    """
    is_flat = grid.dims is None and block.dims[1:] == (1, 1)
    if grid.unit is not Unit.BLOCKS:
        if not is_flat:
            raise ValueError(FLAT_ALLOWED)
        return Launch(f"{grid.text} x {block.text}", block.threads, None)
    if is_flat:
        return Launch(f"{grid.text}x{block.text}", block.threads, grid.times)
    dims = LaunchDims(grid.dims or (grid.times, 1, 1), block.dims)
    return Launch(str(dims), block.threads, grid.times, dims)


def split_launch(text: str) -> tuple[Grid, BlockSize]:
    """Return the grid and the block that `text` describes; ValueError says what is allowed."""
    if not re.fullmatch(LAUNCH_PATTERN, text):
        raise ValueError(LAUNCH_ALLOWED)
    if ":" in text:
        grid, _, block = text.partition(":")
        return make_grid(_sizes(grid)), parse_block(block)
    grid, _, block = text.rpartition("x")
    return parse_grid(grid), make_block([int(block)])


def parse_launch(text: str) -> Launch:
    """Return the launch that `text` describes; ValueError says what is allowed.

    Its grid is None if it depends on the device.
    """
    return make_launch(*split_launch(text))


def launch_dims(expression: str) -> LaunchDims | None:
    """Return the dimensions of a launch such as `8x8:16x16`; None for one along x, or if it does not name them."""
    sizes = _SEVERAL.fullmatch(expression.strip())
    return LaunchDims(complete(_sizes(sizes["grid"])), complete(_sizes(sizes["block"]))) if sizes else None


def grid_and_block(expression: str, threads: int) -> tuple[str, str]:
    """Return the texts of grid and block of a launch: `2*sms` and `256`, `8x8` and `16x16`.

    `threads` are those of a block, for a launch of which each kernel has its own: the text does not name them.
    """
    dims = launch_dims(expression)
    if dims is not None:
        return dims_text(dims.grid), dims_text(dims.block)
    return expression.rpartition("x")[0].strip(), str(threads)


def _sizes(text: str) -> list[int]:
    """Return one to three sizes; ValueError for another text."""
    if not re.fullmatch(SIZES_PATTERN, text.strip()):
        raise ValueError(SIZES_ALLOWED)
    return [int(size) for size in text.split("x")]


def resolve_grid(expression: str, sms: int, resident_blocks: int | None) -> int:
    """Return the number of blocks of a launch on a device.

    `expression` is that of a launch (`2*sms x 256`), `sms` the number of SMs of the device, and `resident_blocks` the
    number per SM for the group's variant with the lowest occupancy. Only `fill` needs it: ValueError if it is None.
    """
    grid, _ = split_launch(expression)
    return grid.blocks(sms, resident_blocks)
