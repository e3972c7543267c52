"""The matrix product of a warp, `wmma.mma`, whose fragments lie in registers as the hardware likes.

The PTX ISA leaves open which lane holds which elements (9.0, 9.7.15.1), so that any order is right that loads, products
and stores share. Here element `e` of lane `l` is the one numbered `l * held + e` of the matrix, modulo its elements, of
which a lane has `held`: along the rows or columns that the layout names, and along the rows for accumulators.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.opcodes.forms import Collective, Decoder, Form, UnknownFormError, Values, WarpCall, width
from shflbench.emulator.opcodes.matrix import numbers
from shflbench.emulator.ptx.syntax import PtxInstruction

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
# PTX type → bytes of an element, and NumPy type of the register
ELEMENTS: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(("f16", "bf16"), (2, "u4")),
    **dict.fromkeys(("s8", "u8"), (1, "u4")),
    "tf32": (4, "u4"),
    "f32": (4, "f4"),
    "s32": (4, "i4"),
}
LAYOUTS = {"row", "col"}
ACCUMULATORS = {"f16", "f32", "s32"}


@dataclass(frozen=True, slots=True)
class Fragment:
    """The part of a matrix that each lane holds."""

    rows: int
    columns: int
    type: str  # of PTX
    registers: int  # of 4 bytes, per lane
    by_columns: bool = False  # in memory, and so in the order of the elements

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.type][0]

    @property
    def total(self) -> int:
        """Elements of the matrix."""
        return self.rows * self.columns

    @property
    def held(self) -> int:
        """Elements of a lane; several lanes may hold the same ones."""
        return self.registers * 4 // self.size

    @property
    def length(self) -> int:
        """Elements of a row, or of a column, that are adjacent in memory."""
        return self.rows if self.by_columns else self.columns

    @property
    def is_whole(self) -> bool:
        """Whether each element has a lane."""
        return self.held > 0 and WARP * self.held % self.total == 0

    def places(self) -> tuple[Values, Values]:
        """Return row and column of each element [lane, element]."""
        number = (np.arange(WARP)[:, None] * self.held + np.arange(self.held)) % self.total
        one, other = number // self.length, number % self.length
        return (other, one) if self.by_columns else (one, other)

    def matrices(self, registers: list[Values]) -> Values:
        """Return the matrices [warps, rows, columns] that registers [warps, 32] hold."""
        words = np.stack(registers, axis=-1)
        is_packed = self.type in {"f16", "bf16", "s8", "u8", "tf32"}
        parts = numbers(words, self.type) if is_packed else words
        parts = parts.reshape(words.shape[0], WARP, self.held)
        matrix = np.zeros((words.shape[0], self.rows, self.columns), np.result_type(parts.dtype, np.int64))
        row, column = self.places()
        matrix[:, row, column] = parts
        return matrix


def fragment(role: str, shape: str, type_: str, registers: int, *, by_columns: bool = False) -> Fragment | None:
    """Return the fragment of A, B, or of an accumulator, by its letter; None if there is none such."""
    sizes = _SHAPE.fullmatch(shape)
    if sizes is None or type_ not in ELEMENTS or (role in {"c", "d"} and type_ not in ACCUMULATORS):
        return None
    m, n, k = map(int, sizes.groups())
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    result = Fragment(rows, columns, type_, registers, by_columns)
    return result if result.is_whole else None


@dataclass(frozen=True, slots=True)
class _WmmaProduct:
    """What one `wmma.mma` multiplies, and adds."""

    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    saturates: bool

    def __call__(self, call: WarpCall, *arguments: Values) -> None:
        """Write the registers of D."""
        registers = [np.broadcast_to(x, (call.warps, WARP)) for x in arguments]
        of_b = self.a.registers
        of_c = of_b + self.b.registers
        end = of_c + self.c.registers
        product = self.a.matrices(registers[:of_b]) @ self.b.matrices(registers[of_b:of_c])
        total = product + self.c.matrices(registers[of_c:end]).astype(product.dtype)
        if self.saturates:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        row, column = self.d.places()
        held = total[:, row, column]
        if self.d.type == "f16":
            held = np.ascontiguousarray(held.astype(np.float16)).view(np.uint32)
        for number, target in enumerate(arguments[end + 1 :]):  # the mask lies between
            np.copyto(target, held[..., number], casting="unsafe")


def _wmma(instruction: PtxInstruction) -> Form:
    words = [word for word in instruction.modifiers if word not in {"mma", "sync", "aligned", "satfinite"}]
    a_layout, b_layout, shape, d_type, *types = words
    a_type, b_type, c_type = types if len(types) > 1 else ("f16", "f16", *types)
    if not {a_layout, b_layout} <= LAYOUTS:
        raise UnknownFormError
    counts = [width(item) for item in instruction.operands[:4]]
    d = fragment("d", shape, d_type, counts[0])
    a = fragment("a", shape, a_type, counts[1], by_columns=a_layout == "col")
    b = fragment("b", shape, b_type, counts[2], by_columns=b_layout == "col")
    c = fragment("c", shape, c_type, counts[3])
    if a is None or b is None or c is None or d is None:
        raise UnknownFormError
    saturates = "satfinite" in instruction.modifiers and d_type == "s32"
    operands = tuple(ELEMENTS[item.type][1] for item in (a, b, c) for _ in range(item.registers))
    results = (ELEMENTS[d_type][1],) * d.registers
    return Collective(results, (*operands, "u4"), _WmmaProduct(a, b, c, d, saturates), mask=len(operands))


FORMS: Mapping[str, Decoder] = {"$wmma": _wmma}
