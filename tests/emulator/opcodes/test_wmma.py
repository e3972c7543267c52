"""Products of `wmma` against NumPy's: matrices in memory, in all layouts, whatever the fragments look like."""

import numpy as np
import pytest

from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from tests.emulator.opcodes.test_matrix import whole_numbers

PITCH = 48  # elements from one row, or column, to the next; in bytes, a multiple of 16
KERNEL = """
.version 8.4
.target sm_90
.address_size 64
.visible .entry one(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)
{{
    .reg .b32 %a<9>; .reg .b32 %b<9>; .reg .{word} %c<9>; .reg .b64 %p<5>; .reg .b32 %pitch;
    ld.param.u64 %p1, [a]; ld.param.u64 %p2, [b]; ld.param.u64 %p3, [c]; ld.param.u64 %p4, [d];
    mov.u32 %pitch, {pitch};
    wmma.load.a.sync.aligned.{rows}.{shape}.global.{type} {a}, [%p1], %pitch;
    wmma.load.b.sync.aligned.{columns}.{shape}.global.{type} {b}, [%p2], %pitch;
    wmma.load.c.sync.aligned.{rows}.{shape}.global.{sums} {c}, [%p3+{pitch}], %pitch;
    wmma.mma.sync.aligned.{rows}.{columns}.{shape}.{types} {c}, {a}, {b}, {c};
    wmma.store.d.sync.aligned.{columns}.{shape}.global.{sums} [%p4], {c}, %pitch;
    ret;
}}
"""
SUMS = {"f32": "f4", "f16": "f2", "s32": "i4"}
# Shape, type of the factors, of the sums, and the registers of A, B and C (PTX ISA 9.0, 9.7.15.1).
CASES = [
    ("m16n16k16", "f16", "f32", (8, 8, 8)),
    ("m16n16k16", "f16", "f16", (8, 8, 4)),
    ("m32n8k16", "f16", "f32", (8, 8, 8)),
    ("m8n32k16", "f16", "f16", (8, 8, 4)),
    ("m16n16k16", "bf16", "f32", (4, 4, 8)),
    ("m8n32k16", "bf16", "f32", (2, 8, 8)),
    ("m16n16k8", "tf32", "f32", (4, 4, 8)),
    ("m16n16k16", "s8", "s32", (2, 2, 8)),
    ("m32n8k16", "u8", "s32", (4, 1, 8)),
]


def in_memory(matrix: Values, layout: str) -> Values:
    """Return a matrix with its rows, or its columns, a pitch apart."""
    lines = matrix if layout == "row" else matrix.T
    memory = np.zeros((len(lines), PITCH), matrix.dtype)
    memory[:, : lines.shape[1]] = lines
    return memory


@pytest.mark.parametrize(("rows", "columns"), [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")])
@pytest.mark.parametrize(("shape", "type_", "sums", "registers"), CASES)
def test_product_of_matrices_in_memory(
    shape: str, type_: str, sums: str, registers: tuple[int, int, int], rows: str, columns: str
) -> None:
    m, n, k = (int(part) for part in shape.replace("n", "m").replace("k", "m").split("m")[1:])
    (a_numbers, a_bits), (b_numbers, b_bits) = whole_numbers(type_, (m, k), 1), whole_numbers(type_, (k, n), 2)
    c = np.random.default_rng(3).integers(-50, 50, (m, n)).astype(SUMS[sums])
    types = f"{sums}.{sums}" if type_ == "f16" else f"{sums}.{type_}.{type_}.{sums}"
    names = [
        f"{{{', '.join(f'%{letter}{i}' for i in range(count))}}}"
        for letter, count in zip("abc", registers, strict=True)
    ]
    code = KERNEL.format(
        **dict(zip("abc", names, strict=True)), shape=shape, type=type_, sums=sums, types=types, rows=rows,
        columns=columns, pitch=PITCH, word="f32" if sums == "f32" else "b32",
    )  # fmt: skip
    # C begins `PITCH` bytes behind its pointer, which its address adds.
    before = np.zeros(PITCH // c.itemsize, c.dtype)
    inputs = [in_memory(a_bits, rows), in_memory(b_bits, columns), np.append(before, in_memory(c, rows))]
    size = max(m, n) * PITCH
    launch = EmulatedLaunch(
        link(parse(code), "one"), Shape(1, 32), 0, [item.ravel() for item in inputs], [(size, SUMS[sums])], 0,
        order=(0, 1, 2, 3),
    )  # fmt: skip
    got = execute(launch, POLICIES["lanes at random"])[0].reshape(-1, PITCH)
    result = got[:m, :n] if columns == "row" else got[:n, :m].T
    assert result.tolist() == (a_numbers @ b_numbers + c).tolist()
