"""Matrix instructions against NumPy's matrices, their fragments drawn as the PTX ISA draws them, element by element."""

from collections.abc import Iterator

import numpy as np
import pytest

from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.opcodes.matrix import numbers
from shflbench.emulator.ptx.parse import parse
from tests.emulator.declared import each

KERNEL = """
.version 8.4
.target sm_90
.address_size 64
.visible .entry one(.param .u64 in, .param .u64 out)
{{
    .reg .b32 %r<64>; .reg .b64 %d<24>; .reg .f64 %g<24>;
    .shared .align 16 .b8 room[1024];
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %laneid;
    mul.wide.u32 %d3, %r1, {stride}; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    {code}
    ret;
}}
"""
STRIDE = 128  # bytes per lane


def run(code: str, lanes: Values, policy: str = "lockstep") -> Values:
    """Return the bytes [lane, 128] that the code has written, given those that it reads."""
    module = parse(KERNEL.format(code=code, stride=STRIDE))
    launch = EmulatedLaunch(link(module, "one"), Shape(1, 32), 0, [lanes], [(32 * STRIDE, "u1")], 0, order=(0, 1))
    return execute(launch, POLICIES[policy])[0].reshape(32, STRIDE)


def a_places(shape: str, size: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (lane, element, row, column) of A, by the formulas of 9.7.14.5 of the PTX ISA for each size of element."""
    rows, depth = int(shape[1 : shape.index("n")]), int(shape.partition("k")[2])
    per_register = {1: 4, 2: 2, 4: 1, 8: 1}[size]
    for lane in range(32):
        group, member = lane >> 2, lane % 4
        for i in range(rows * depth // 32):
            register, part = divmod(i, per_register)
            if rows == 8:
                yield lane, i, group, member * per_register + part + 4 * per_register * register
            else:
                row = group + 8 * (register % 2)
                yield lane, i, row, member * per_register + part + 4 * per_register * (register // 2)


def b_places(shape: str, size: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (lane, element, row, column) of B."""
    depth = int(shape.partition("k")[2])
    per_register = {1: 4, 2: 2, 4: 1, 8: 1}[size]
    for lane in range(32):
        group, member = lane >> 2, lane % 4
        for i in range(8 * depth // 32):
            register, part = divmod(i, per_register)
            yield lane, i, member * per_register + part + 4 * per_register * register, group


def c_places(shape: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield (lane, element, row, column) of C and D."""
    rows = int(shape[1 : shape.index("n")])
    for lane in range(32):
        group, member = lane >> 2, lane % 4
        for i in range(rows * 8 // 32):
            yield lane, i, group + 8 * (i >> 1), member * 2 + (i & 1)


def whole_numbers(type_: str, shape: tuple[int, int], seed: int) -> tuple[Values, Values]:
    """Return a matrix of small whole numbers, and its elements as the bits of a type."""
    rng = np.random.default_rng(seed)
    if type_ in {"s8", "u8"}:
        drawn = rng.integers(-128, 128, shape) if type_ == "s8" else rng.integers(0, 256, shape)
        return drawn, drawn.astype(np.int8 if type_ == "s8" else np.uint8).view(np.uint8)
    if type_ in {"e4m3", "e5m2"}:  # even the smallest type has these
        numbers = rng.integers(-4, 5, shape).astype(np.float64)
        return numbers, np.vectorize(lambda value: small_float(value, type_), otypes=[np.uint8])(numbers)
    numbers = rng.integers(-8, 9, shape).astype(np.float64)
    match type_:
        case "f16":
            return numbers, numbers.astype(np.float16).view(np.uint16)
        case "bf16":
            return numbers, (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        case "tf32":
            return numbers, numbers.astype(np.float32).view(np.uint32)
        case _:
            return numbers, numbers.view(np.uint64)


def small_float(value: float, type_: str) -> int:
    """Return the 8 bits of a whole number from -8 to 8."""
    mantissa, bias = {"e4m3": (3, 7), "e5m2": (2, 15)}[type_]
    if value == 0:
        return 0
    exponent = int(np.floor(np.log2(abs(value))))
    kept = np.floor(abs(value) / 2.0**exponent * 2**mantissa + 0.5) / 2**mantissa
    assert kept * 2.0**exponent == abs(value), "choose a number that the type has"
    return int((value < 0) << 7 | exponent + bias << mantissa | int((kept - 1) * 2**mantissa))


CASES = [
    ("m16n8k16", "f32", "f16", "f16"),
    ("m16n8k8", "f32", "f16", "f16"),
    ("m16n8k16", "f16", "f16", "f16"),
    ("m16n8k16", "f32", "bf16", "bf16"),
    ("m16n8k8", "f32", "bf16", "bf16"),
    ("m16n8k8", "f32", "tf32", "tf32"),
    ("m16n8k4", "f32", "tf32", "tf32"),
    ("m16n8k32", "s32", "s8", "s8"),
    ("m16n8k32", "s32", "u8", "s8"),
    ("m16n8k16", "s32", "s8", "u8"),
    ("m8n8k16", "s32", "u8", "u8"),
    ("m8n8k4", "f64", "f64", "f64"),
    ("m16n8k8", "f64", "f64", "f64"),
    ("m16n8k32", "f32", "e5m2", "e5m2"),
]


@pytest.mark.parametrize("policy", ["lockstep", "lanes at random"])
@pytest.mark.parametrize("form", [f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{d}" for shape, d, a, b in CASES])
def test_product_of_matrices(form: str, policy: str) -> None:
    _, _, _, shape, _, _, d, a, b, _ = form.split(".")
    rows, depth = int(shape[1 : shape.index("n")]), int(shape.partition("k")[2])
    (a_numbers, a_bits), (b_numbers, b_bits) = whole_numbers(a, (rows, depth), 1), whole_numbers(b, (depth, 8), 2)
    c_numbers = np.random.default_rng(3).integers(-50, 50, (rows, 8)).astype(np.float64)
    size = a_bits.itemsize
    d_type = {"f32": "f4", "f16": "f2", "s32": "i4", "f64": "f8"}[d]
    lanes = np.zeros((32, STRIDE), np.uint8)
    parts = [np.zeros((32, count), bits.dtype) for count, bits in ((rows * depth // 32, a_bits), (depth // 4, b_bits))]
    for lane, i, row, column in a_places(shape, size):
        parts[0][lane, i] = a_bits[row, column]
    for lane, i, row, column in b_places(shape, size):
        parts[1][lane, i] = b_bits[row, column]
    accumulators = np.zeros((32, rows // 4), d_type)
    for lane, i, row, column in c_places(shape):
        accumulators[lane, i] = c_numbers[row, column]
    word = "b64" if d == "f64" else "b32"
    letter, step = ("%d", 8) if d == "f64" else ("%r", 4)
    names: list[list[str]] = []
    code, next_register = [], 8
    for start, part in ((0, parts[0]), (32, parts[1]), (64, accumulators)):
        raw = part.view(np.uint8).reshape(32, -1)
        lanes[:, start : start + raw.shape[1]] = raw
        names.append([f"{letter}{next_register + i}" for i in range(raw.shape[1] // step)])
        next_register += len(names[-1])
        code += [f"ld.global.{word} {name}, [%d4+{start + step * i}];" for i, name in enumerate(names[-1])]
    result, first, second, third = (f"{{{', '.join(item)}}}" for item in (names[2], *names))
    code.append(f"{form} {result}, {first}, {second}, {third};")
    code += [f"st.global.{word} [%d5+{step * i}], {name};" for i, name in enumerate(names[2])]
    got = run("\n".join(code), lanes, policy)[:, : rows // 4 * np.dtype(d_type).itemsize].copy().view(d_type)
    expected = a_numbers @ b_numbers + c_numbers
    for lane, i, row, column in c_places(shape):
        assert got[lane, i] == expected[row, column]


def test_the_lower_thirteen_bits_of_a_tf32_number_do_not_take_part() -> None:
    words = np.array([0x3F801FFF, 0x3F803FFF, 0xC0001000], np.uint32)
    assert numbers(words, "tf32").ravel().tolist() == [1.0, 1.0 + 2.0**-10, -2.0]


def test_sums_of_bytes_saturate_only_where_the_instruction_says() -> None:
    """The largest products, added to an accumulator near the limit."""
    lanes = np.zeros((32, STRIDE), np.uint8)
    lanes[:, :24] = 127
    lanes[:, 24:40] = np.full(4, 2**31 - 5, np.int32).view(np.uint8)
    load = "".join(f"ld.global.b32 %r{8 + i}, [%d4+{4 * i}];" for i in range(10))
    store = "".join(f"st.global.b32 [%d5+{4 * i}], %r{14 + i};" for i in range(4))
    operands = "{%r14, %r15, %r16, %r17}, {%r8, %r9, %r10, %r11}, {%r12, %r13}, {%r14, %r15, %r16, %r17};"
    for words, expected in ((".satfinite", 2**31 - 1), ("", 2**31 - 5 + 32 * 127 * 127 - 2**32)):
        got = run(f"{load} mma.sync.aligned.m16n8k32.row.col{words}.s32.s8.s8.s32 {operands} {store}", lanes)
        assert set(got[:, :16].copy().view(np.int32).ravel().tolist()) == {expected}


@pytest.mark.parametrize(
    "form",
    each(("ldmatrix", "stmatrix"), ("sync.aligned.m8n8",), ("x1", "x2", "x4"), ("", "trans"), ("shared.b16",)),
)
def test_rows_in_shared_memory_become_fragments_and_back(form: str) -> None:
    """PTX ISA 9.0, 9.7.14.5.15: lane l holds elements 2(l % 4) and 2(l % 4) + 1 of row l / 4."""
    how = form.partition(".")[2]
    count, trans = int(how.split(".")[3][1:]), "trans" in how
    matrices = np.random.default_rng(4).integers(0, 1 << 16, (4, 8, 8)).astype(np.uint16)
    lanes = np.zeros((32, STRIDE), np.uint8)
    lanes[:, :16] = matrices.reshape(32, 8).view(np.uint8)
    words = ", ".join(f"%r{20 + i}" for i in range(count))
    prepare = """ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d4]; mov.u32 %r2, room; mad.lo.u32 %r3, %r1, 16, %r2;
        st.shared.v4.b32 [%r3], {%r10, %r11, %r12, %r13}; bar.warp.sync -1;"""
    load = f"ldmatrix.{how} {{{words}}}, [%r3];"
    store = "".join(f"st.global.b32 [%d5+{4 * i}], %r{20 + i};" for i in range(count))
    got = run(prepare + load + store, lanes)[:, : 4 * count].copy().view(np.uint16).reshape(32, count, 2)
    for lane in range(32):
        for number in range(count):
            matrix = matrices[number].T if trans else matrices[number]
            start = 2 * (lane % 4)
            assert got[lane, number].tolist() == matrix[lane // 4, start : start + 2].tolist()
    back = f"""{prepare} {load} bar.warp.sync -1;
        stmatrix.{how} [%r3], {{{words}}}; bar.warp.sync -1;
        ld.shared.v4.b32 {{%r10, %r11, %r12, %r13}}, [%r3];
        st.global.v4.b32 [%d5], {{%r10, %r11, %r12, %r13}};"""
    assert run(back, lanes)[:, :16].tobytes() == lanes[:, :16].tobytes()


@pytest.mark.parametrize("form", ["movmatrix.sync.aligned.m8n8.trans.b16"])
def test_a_matrix_moves_to_its_transposed_place(form: str) -> None:
    matrix = np.arange(64, dtype=np.uint16).reshape(8, 8)
    lanes = np.zeros((32, STRIDE), np.uint8)
    lanes[:, :4] = matrix.reshape(32, 2).view(np.uint8)
    got = run(f"ld.global.b32 %r2, [%d4]; {form} %r3, %r2; st.global.b32 [%d5], %r3;", lanes)
    assert got[:, :4].copy().view(np.uint16).reshape(8, 8).tolist() == matrix.T.tolist()
