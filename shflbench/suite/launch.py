"""The grammar of launches: `26x1024`, `2*sms x 256`, `sms/2 x 64`, `fill x 1024`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum

from shflbench.model import MAX_BLOCK, WARP, Launch, LaunchDims

MAX_GRID = 2**31 - 1  # blocks in x, CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability"

# In place of a launch, or of its grid, where each kernel of a group has its own: of one dimension, or of several.
OWN, OWN_DIMS = "own", "own:dims"
GRID_PATTERN = r"[0-9]{1,10}|(?:[0-9]{1,10} *\* *)?sms(?: */ *[0-9]{1,10})?|fill"
LAUNCH_PATTERN = rf"^ *(?:{GRID_PATTERN}) *x *[0-9]{{1,10}} *$"

LAUNCH_ALLOWED = "grid x block, such as `26x1024`, `sms x 128`, `2*sms x 256`, `sms/2 x 64` or `fill x 1024`"
GRID_ALLOWED = f"a number of blocks from 1 to {MAX_GRID}, `sms`, `2*sms`, `sms/2` or `fill`"
BLOCK_ALLOWED = f"blocks of whole warps: a multiple of {WARP} from {WARP} to {MAX_BLOCK} threads"

_DEVICE_GRID = re.compile(r"(?:(?P<times>[0-9]+) *\* *)?sms(?: */ *(?P<over>[0-9]+))?")


class Unit(Enum):
    """The unit of a grid."""

    BLOCKS = "blocks"
    SMS = "sms"  # streaming multiprocessors of the device
    FILL = "fill"  # as many blocks as are resident on all SMs


@dataclass(frozen=True, slots=True)
class Grid:
    """A number of blocks, `times / over` of its unit."""

    unit: Unit
    times: int = 1
    over: int = 1

    @property
    def text(self) -> str:
        """The canonical expression, e.g. `26`, `2*sms`, `sms/2` or `fill`."""
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


def parse_grid(text: str) -> Grid:
    """Return the grid that `text` describes; ValueError says what is allowed."""
    word = text.strip()
    if not re.fullmatch(GRID_PATTERN, word):
        raise ValueError(GRID_ALLOWED)
    if word == "fill":
        return Grid(Unit.FILL)
    if device := _DEVICE_GRID.fullmatch(word):
        return _share_of_sms(int(device["times"] or 1), int(device["over"] or 1))
    if not 1 <= int(word) <= MAX_GRID:
        raise ValueError(GRID_ALLOWED)
    return Grid(Unit.BLOCKS, int(word))


def _share_of_sms(times: int, over: int) -> Grid:
    if times < 1 or over < 1:
        raise ValueError(GRID_ALLOWED)
    shrink = math.gcd(times, over)  # so that `2*sms/4` and `sms/2` are one launch
    return Grid(Unit.SMS, times // shrink, over // shrink)


def check_block(threads: int) -> int:
    """Return `threads` if a block may have that size; ValueError says what is allowed."""
    if threads % WARP or not WARP <= threads <= MAX_BLOCK:
        raise ValueError(BLOCK_ALLOWED)
    return threads


def make_launch(grid: Grid, block: int) -> Launch:
    """Return the launch with its canonical expression: `26x1024`, or `2*sms x 256` if it depends on the device."""
    if grid.unit is Unit.BLOCKS:
        return Launch(f"{grid.text}x{block}", block, grid.times)
    return Launch(f"{grid.text} x {block}", block, None)


def split_launch(text: str) -> tuple[Grid, int]:
    """Return the grid and the threads per block that `text` describes; ValueError says what is allowed."""
    if not re.fullmatch(LAUNCH_PATTERN, text):
        raise ValueError(LAUNCH_ALLOWED)
    grid, _, block = text.rpartition("x")
    return parse_grid(grid), check_block(int(block))


def parse_launch(text: str) -> Launch:
    """Return the launch that `text` describes; ValueError says what is allowed.

    Its grid is None if it depends on the device.
    """
    return make_launch(*split_launch(text))


def launch_dims(expression: str) -> LaunchDims | None:
    """Return the dimensions of a launch such as `8x8:16x16`; None for one along x, or if it does not name them."""
    grid, colon, block = expression.partition(":")
    return LaunchDims(_sizes(grid), _sizes(block)) if colon and not expression.startswith(OWN) else None


def _sizes(text: str) -> tuple[int, int, int]:
    x, y, z = (*map(int, text.split("x")), 1, 1)[:3]
    return x, y, z


def resolve_grid(expression: str, sms: int, resident_blocks: int | None) -> int:
    """Return the number of blocks of a launch on a device.

    `expression` is that of a launch (`2*sms x 256`), `sms` the number of SMs of the device, and `resident_blocks` the
    number per SM for the group's variant with the lowest occupancy. Only `fill` needs it: ValueError if it is None.
    """
    grid, _ = split_launch(expression)
    return grid.blocks(sms, resident_blocks)
