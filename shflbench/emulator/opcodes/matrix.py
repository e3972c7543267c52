"""Matrix instructions of a warp: `mma.sync`, and the moves of 8x8 matrices between lanes.

Fragments lie in registers as the PTX ISA 9.0 draws them in 9.7.14.5 ("Matrix multiply-accumulate operation using mma
instruction"): lane = 4·group + member. All its figures follow one rule. A register of `e` elements holds, in row
`group` (+8 for every second register of a matrix of 16 rows), the columns from `e·member` (+4·e per further register).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes import bfloat16, small_floats
from shflbench.emulator.opcodes.forms import (
    Collective,
    Decoder,
    Form,
    UnknownFormError,
    Values,
    WarpCall,
    width,
)
from shflbench.emulator.ptx.syntax import PtxInstruction

_LANES = np.arange(WARP)
_GROUP, _MEMBER = _LANES // 4, _LANES % 4
# PTX type → elements per register of the fragment, and NumPy type of the register
_PACKED: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("f16", "bf16"), (2, "u4")),
    **dict.fromkeys(("s8", "u8", "e4m3", "e5m2"), (4, "u4")),
    "tf32": (1, "u4"),
    "f64": (1, "f8"),
}
COLUMNS = 8  # of B, C and D in every shape
_SHAPES: Mapping[str, tuple[int, int]] = {  # rows of A, and its columns
    "m8n8k4": (8, 4),
    "m8n8k16": (8, 16),
    "m16n8k4": (16, 4),
    "m16n8k8": (16, 8),
    "m16n8k16": (16, 16),
    "m16n8k32": (16, 32),
}


def numbers(words: Values, type_: str) -> Values:
    """Return the elements of packed registers, with one more axis, as doubles or 64-bit integers."""
    if type_ == "f64":
        return words[..., None]
    if type_ == "tf32":  # the lower 13 bits do not take part (PTX ISA 9.0, 5.2.3)
        kept: Values = (words & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)[..., None]
        return kept
    parts = np.ascontiguousarray(words)[..., None].view("u2" if type_ in {"f16", "bf16"} else "u1")
    match type_:
        case "f16":
            values: Values = parts.view(np.float16).astype(np.float64)
        case "bf16":
            values = bfloat16.to_single(parts).astype(np.float64)
        case "s8" | "u8":
            values = parts.view(f"{'i' if type_ == 's8' else 'u'}1").astype(np.int64)
        case _:
            values = small_floats.numbers(parts, type_)
    return values


@cache
def _row_places(rows: int, registers: int, elements: int) -> tuple[Values, Values]:
    """Return row and column of each element [lane, register, element] of A."""
    register, element = np.arange(registers)[:, None], np.arange(elements)
    tall = rows // 8
    row = _GROUP[:, None, None] + 8 * (register % tall) + 0 * element
    column = elements * _MEMBER[:, None, None] + element + 4 * elements * (register // tall)
    return row, np.broadcast_to(column, row.shape)


@cache
def _result_places(rows: int) -> tuple[Values, Values]:
    """Return row and column of each element [lane, element] of C and D."""
    element = np.arange(2 * rows // 8)
    return _GROUP[:, None] + 8 * (element // 2), 2 * _MEMBER[:, None] + element % 2


@dataclass(frozen=True, slots=True)
class _Product:
    """What one `mma` multiplies: the shape, the PTX types of A, B and of C and D, and the registers of A, B and C."""

    rows: int
    depth: int
    types: tuple[str, str, str]
    counts: tuple[int, int, int]
    saturates: bool

    def __call__(self, call: WarpCall, *arguments: Values) -> None:
        """Write the registers of D."""
        of_a, of_b, of_c = self.counts
        a_type, b_type, c_type = self.types
        registers = [np.broadcast_to(x, (call.warps, WARP)) for x in arguments[: of_a + of_b + of_c]]
        out = arguments[of_a + of_b + of_c + 1 :]  # the mask lies between
        a = _fragment(registers[:of_a], a_type, self.rows, (self.rows, self.depth))
        b = _fragment(registers[of_a : of_a + of_b], b_type, COLUMNS, (COLUMNS, self.depth))
        c = np.stack(registers[of_a + of_b :], axis=-1)
        if c_type == "f16":
            c = numbers(c, "f16").reshape(call.warps, WARP, -1)
        row, column = _result_places(self.rows)
        product = np.einsum("wik,wjk->wij", a, b)[:, row, column]
        total = product + c.astype(product.dtype)
        if self.saturates:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        if c_type == "f16":
            total = np.ascontiguousarray(total.astype(np.float16)).view(np.uint32)
        for number, target in enumerate(out):
            np.copyto(target, total[..., number], casting="unsafe")


def _mma(instruction: PtxInstruction) -> Form:
    words = [word for word in instruction.modifiers if word not in {"sync", "aligned", "satfinite"}]
    shape, row, col, d_type, a_type, b_type, c_type = words
    if (row, col) != ("row", "col") or d_type != c_type or (shape, a_type) == ("m8n8k4", "f16"):
        raise UnknownFormError  # the last is of compute capability 7.0, with fragments of its own
    rows, depth = _SHAPES[shape]
    (elements, register), (b_elements, _) = _PACKED[a_type], _PACKED[b_type]
    result = {"f32": "f4", "f16": "u4", "s32": "i4", "f64": "f8"}[d_type]
    accumulators = rows * COLUMNS // WARP // (2 if d_type == "f16" else 1)
    counts = (rows * depth // (WARP * elements), COLUMNS * depth // (WARP * elements), accumulators)
    widths = [width(item) for item in instruction.operands[:4]]
    if elements != b_elements or widths != [accumulators, *counts]:
        raise UnknownFormError
    saturates = "satfinite" in instruction.modifiers and d_type == "s32"
    product = _Product(rows, depth, (a_type, b_type, c_type), counts, saturates)
    types = (register,) * sum(counts[:2]) + (result,) * accumulators
    return Collective((result,) * accumulators, (*types, "u4"), product, mask=len(types))


def _fragment(registers: list[Values], type_: str, rows: int, size: tuple[int, int]) -> Values:
    """Return the matrix [warps, rows, depth] that the registers of A, or of B transposed, hold."""
    parts = numbers(np.stack(registers, axis=-1), type_)  # [warps, lane, register, element]
    row, column = _row_places(rows, len(registers), parts.shape[-1])
    matrix = np.zeros((parts.shape[0], *size), parts.dtype)
    matrix[:, row, column] = parts
    return matrix


def _halves(words: Values) -> Values:
    """Return words [..., n] as 16-bit elements [..., 2n]."""
    return np.ascontiguousarray(words).view(np.uint16)


def _words(halves: Values) -> Values:
    return np.ascontiguousarray(halves).view(np.uint32)


def _load(matrix: Values, *, trans: bool) -> Values:
    """Return the register of each lane [warps, 32] of 8x8 matrices [warps, 8, 8] of 16-bit elements."""
    if trans:
        matrix = matrix.swapaxes(1, 2)
    return _words(matrix).reshape(matrix.shape[0], WARP)


def _store(registers: Values, *, trans: bool) -> Values:
    """Return the 8x8 matrices [warps, 8, 8] that registers [warps, 32] hold."""
    matrix = _halves(registers).reshape(-1, 8, 8)
    return matrix.swapaxes(1, 2) if trans else matrix


def _ldmatrix(instruction: PtxInstruction) -> Form:
    count, trans = int(instruction.modifiers[0][1:]), "trans" in instruction.modifiers
    if width(instruction.operands[0]) != count:
        raise UnknownFormError

    def load(call: WarpCall, *arguments: Values) -> None:
        rows = np.stack([np.broadcast_to(x, (call.warps, WARP)) for x in arguments[:4]], axis=-1)
        halves = _halves(rows)  # [warps, lane that holds the row, 8]
        for number, out in enumerate(arguments[5:]):
            np.copyto(out, _load(halves[:, 8 * number : 8 * number + 8], trans=trans))

    return Collective(("u4",) * count, ("u4",) * 5, load, mask=4)


def _stmatrix(instruction: PtxInstruction) -> Form:
    count, trans = int(instruction.modifiers[0][1:]), "trans" in instruction.modifiers

    def store(call: WarpCall, *arguments: Values) -> None:
        words = [np.broadcast_to(x, (call.warps, WARP)) for x in arguments[:count]]
        rows = np.zeros((call.warps, WARP, 4), np.uint32)
        for number, word in enumerate(words):
            rows[:, 8 * number : 8 * number + 8] = _words(_store(word, trans=trans))
        for number, out in enumerate(arguments[count + 1 :]):
            np.copyto(out, rows[..., number])

    return Collective(("u4",) * 4, ("u4",) * (count + 1), store, mask=count)


def _movmatrix(instruction: PtxInstruction) -> Form:
    if instruction.modifiers != ("sync", "aligned", "m8n8", "trans", "b16"):
        raise UnknownFormError

    def transpose(call: WarpCall, word: Values, _mask: Values, out: Values) -> None:
        words = np.broadcast_to(word, (call.warps, WARP))
        np.copyto(out, _load(_store(words, trans=True), trans=False))

    return Collective(("u4",), ("u4", "u4"), transpose, mask=1)


FORMS: Mapping[str, Decoder] = {
    "$mma": _mma,
    "$ldmatrix": _ldmatrix,
    "$stmatrix": _stmatrix,
    "$movmatrix": _movmatrix,
}
