"""The kernels of `wavefronts.cu`, and the addresses that they access."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shflbench.core.model import WARP, AccessKind, AccessSpace
from shflbench.cuda.compile.nvrtc import Compiled, compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import find
from shflbench.emulator.opcodes.forms import Values

Place = Callable[[int], int | None]  # the element that a lane accesses; None: the lane is not active

SOURCE = Path(__file__).with_name("wavefronts.cu")
STEPS, APART = 8, 8192  # requests per iteration, and bytes between requests to global memory, as in the source
OFFSET_SECTORS = 4  # with which a warp loads its offsets
INACTIVE = -1
ROW = 128  # bytes: one word of each bank
MATRIX = 8  # rows of a matrix, each at the address that one lane passes

HALF = WARP // 2

_random = np.random.default_rng(14)
FEW, MANY = _random.integers(0, 64, WARP).tolist(), _random.integers(0, 256, WARP).tolist()


def _stride(step: int) -> Place:
    return lambda lane: step * lane


def _only(active: Callable[[int], bool], place: Place = lambda lane: lane) -> Place:
    return lambda lane: place(lane) if active(lane) else None


def _below(count: int) -> Place:
    return _only(lambda lane: lane < count)


def _shared_by(lanes: int) -> Place:
    """Return one element for every group of lanes."""
    return lambda lane: lane // lanes


def _without(bit: int) -> Place:
    """Return packed elements of which lane n and lane n^bit access the same."""
    return lambda lane: lane // (2 * bit) * bit + lane % bit


_CONTIGUOUS: Mapping[str, Place] = {"unit stride": _stride(1)}
_STRIDES: Mapping[str, Place] = {f"stride {step}": _stride(step) for step in (2, 3, 4, 8)}
_UNIFORM: Mapping[str, Place] = {"uniform": _stride(0)}
_EQUAL: Mapping[str, Place] = {f"n and n^{bit} equal, packed": _without(bit) for bit in (1, 2, 4, 8, 16)}
_FEW_ADDRESSES: Mapping[str, Place] = {f"one element per {lanes} lanes": _shared_by(lanes) for lanes in (8, 16)}
_HALVES: Mapping[str, Place] = {
    "lanes 0 to 15 uniform": lambda lane: 0 if lane < HALF else lane,
    "n and n^1 equal below 16, n and n^2 above": lambda lane: _without(1 if lane < HALF else 2)(lane),
}
_PARTIAL: Mapping[str, Place] = {
    "lane 0": _below(1),
    **{f"lanes 0 to {count - 1}": _below(count) for count in (8, 16, 20)},
    "even lanes": _only(lambda lane: lane % 2 == 0),
    "even lanes, packed": _only(lambda lane: lane % 2 == 0, _shared_by(2)),
    "every fourth lane, packed": _only(lambda lane: lane % 4 == 0, _shared_by(4)),
}
_RANDOM: Mapping[str, Place] = {
    "random of 64": FEW.__getitem__,
    "random of 256": MANY.__getitem__,
    "random of 64, n and n^1 equal": lambda lane: FEW[lane // 2],
}
_SHIFTED: Mapping[str, Place] = {
    "unit stride, one further": lambda lane: lane + 1,
    "unit stride, backward": lambda lane: WARP - 1 - lane,
}
# One bank, or few banks, whatever the size of an element: `Subject.offsets` multiplies by ROW.
ROWS: Mapping[str, Place] = {
    "rows": _stride(1),
    "rows, even lanes": _only(lambda lane: lane % 2 == 0),
    "rows, n and n^1 equal": _without(1),
}

_BOTH = {**_CONTIGUOUS, **_STRIDES, **ROWS, **_UNIFORM, **_EQUAL, **_FEW_ADDRESSES}
LOADED, STORED = {**_BOTH, **_HALVES, **_PARTIAL, **_RANDOM}, {**_BOTH, **_PARTIAL, **_RANDOM}
# Rows of matrices, 16 bytes each: one address per lane, of which the first 8, 16 or 32 count.
MATRICES: Mapping[str, Place] = {
    "rows": _stride(ROW),
    "rows, padded": _stride(ROW + 16),
    "rows, swizzled": lambda lane: lane * ROW + lane % 8 * 16,
    "rows, swizzled by pairs": lambda lane: lane * ROW + lane // 2 % 4 * 32,
    "packed": _stride(16),
    "stride 2": _stride(32),
    "stride 4": _stride(64),
    "uniform": _stride(0),
    "n and n^1 equal": lambda lane: lane // 2 * ROW,
    "n and n^8 equal": lambda lane: lane % 8 * ROW,
    "random of 64": lambda lane: FEW[lane] * 16,
    "random of 256": lambda lane: MANY[lane] * 16,
}
GLOBAL = {**_CONTIGUOUS, **_SHIFTED, **_STRIDES, **_UNIFORM, **_FEW_ADDRESSES, **_RANDOM} | {
    name: _PARTIAL[name] for name in ("lanes 0 to 7", "lanes 0 to 19", "even lanes")
}


@dataclass(frozen=True, slots=True)
class Subject:
    """One kernel at one pattern of addresses."""

    space: AccessSpace
    kind: AccessKind
    bits: int
    addresses: str  # the name of the pattern
    matrices: str = ""  # the form of `ldmatrix` or `stmatrix`; empty: another instruction

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return f"{self.space}_{self.kind}_{self.matrices or self.bits}"

    @property
    def name(self) -> str:
        """The name in the record."""
        return f"{self.kernel}, {self.addresses}"

    @property
    def offsets(self) -> Values:
        """The offset of each lane in bytes."""
        places = MATRICES if self.matrices else GLOBAL if self.space is AccessSpace.GLOBAL else LOADED
        size = 1 if self.matrices else ROW if self.addresses in ROWS else self.bits // 8
        elements = map(places[self.addresses], range(WARP))
        return np.array([INACTIVE if element is None else element * size for element in elements], np.int32)

    @property
    def lanes(self) -> int:
        """The number of lanes whose addresses count."""
        if self.matrices:
            return MATRIX * int(self.matrices[1])
        return int((self.offsets != INACTIVE).sum())

    def per_request(self, total: float) -> float:
        """Return the passes or sectors per request from those of a launch, which also loads its offsets."""
        others = OFFSET_SECTORS if (self.space, self.kind) == (AccessSpace.GLOBAL, AccessKind.LOAD) else 0
        return (total - others) / STEPS


def subjects(space: AccessSpace) -> list[Subject]:
    """Return all launches to one memory space."""
    shared = space is AccessSpace.SHARED
    patterns = {AccessKind.LOAD: LOADED if shared else GLOBAL, AccessKind.STORE: STORED if shared else GLOBAL}
    accesses = [
        Subject(space, kind, bits, name) for kind, names in patterns.items() for bits in (32, 64, 128) for name in names
    ]
    matrices = [
        Subject(space, kind, 128, name, form)
        for kind in patterns
        for form in ("x1", "x2", "x4", "x4_trans")
        for name in MATRICES
        if shared
    ]
    return accesses + matrices


def compiled(arch: str, *, timed: bool = False) -> Compiled:
    """Compile the kernels."""
    define = "#define TIMED\n" if timed else ""
    text = define + SOURCE.read_text(encoding="utf-8")
    return compile_kernel(Source(SOURCE.name, text, {}, "shared_load_32"), arch, find())
