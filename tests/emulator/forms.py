"""Run one instruction form on many operands at once, and operands that show faults."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from shflbench.emulator.opcodes.forms import Pure, Values
from shflbench.emulator.opcodes.table import decode
from shflbench.emulator.ptx.syntax import NUMPY, Operand, Pair, PtxInstruction, Register, Vector

RANDOM = 150  # operands besides the corners


def instruction(form: str, operands: Sequence[Operand]) -> PtxInstruction:
    opcode, *modifiers = form.split(".")
    return PtxInstruction(opcode, tuple(modifiers), tuple(operands), None, None, form, 1)


def run(form: str, *operands: Values, results: int = 1, unpack: bool = False) -> list[Values]:
    """Return the results of an instruction on arrays of operands; arrays are viewed as the declared types."""
    register = Register("%a")
    target: Operand = register
    if results == 2:
        target = Vector((register, register)) if unpack else Pair(register, register)
    sources: tuple[Operand, ...] = (register,) * len(operands)
    if form.startswith("mov") and len(operands) > 1:
        sources = (Vector(sources),)
    decoded = decode(instruction(form, (target, *sources)))
    assert isinstance(decoded, Pure)
    assert len(decoded.operands) == len(operands)
    typed = [
        np.ascontiguousarray(values).view(type_) if type_ != "?" else np.asarray(values, np.bool_)
        for values, type_ in zip(operands, decoded.operands, strict=True)
    ]
    out = [np.zeros(typed[0].shape, type_) for type_ in decoded.results]
    before = [values.copy() for values in typed]
    with np.errstate(all="ignore"):
        decoded.apply(*typed, *out)
    for kept, values in zip(before, typed, strict=True):
        assert kept.tobytes() == values.tobytes(), "an operand was changed"
    return out


def run_in_place(form: str, *operands: Values) -> Values:
    """Return the same with the first operand's register as the result, as compilers emit it."""
    decoded = decode(instruction(form, (Register("%a"),) * (len(operands) + 1)))
    assert isinstance(decoded, Pure)
    typed = [np.array(values).view(type_) for values, type_ in zip(operands, decoded.operands, strict=True)]
    with np.errstate(all="ignore"):
        decoded.apply(*typed, typed[0].view(decoded.results[0]))
    return typed[0].view(decoded.results[0])


def integers(type_: str, count: int, seed: int = 1) -> list[Values]:
    """Return `count` operands of a PTX integer type: all tuples of corners, then random ones."""
    dtype = np.dtype(NUMPY[type_])
    bits = 8 * dtype.itemsize
    ones = (1 << bits) - 1
    top = 1 << (bits - 1)
    corners = [0, 1, 2, 3, ones, ones - 1, top, top - 1, 0x55555555 & ones, 7, 31, 32, bits, 255]
    tuples = list(product(corners, repeat=count)) if count < 3 else list(zip(*[corners * 3] * count, strict=False))
    rng = np.random.default_rng(seed)
    columns = []
    for place in range(count):
        random = rng.integers(0, ones, RANDOM, dtype=np.uint64, endpoint=True)
        shuffled = [row[place] for row in tuples]
        if count > 2:
            rng.shuffle(shuffled)
        columns.append(np.array(shuffled + random.tolist(), np.uint64).astype(f"u{dtype.itemsize}").view(dtype))
    return columns


def floats(size: int, count: int, seed: int = 1) -> list[Values]:
    """Return `count` operands of 2, 4 or 8 bytes: corners of every kind, neighbors in rounding, then random ones."""
    dtype = np.dtype(f"f{size}")
    info = np.finfo(dtype)
    one = dtype.type(1)
    corners = [
        *(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -1.5, 3.0, 1e-3, 255.0, 65504.0, np.inf, -np.inf, np.nan),
        *(info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal, info.tiny * dtype.type(0.75)),
        *(one + info.eps, one - info.epsneg, dtype.type(2) ** -20, dtype.type(2) ** 12 + 1),
    ]
    tuples = list(product(corners, repeat=min(count, 2)))
    rng = np.random.default_rng(seed)
    exponents = {2: 15, 4: 100, 8: 900}[size]
    columns = []
    for place in range(count):
        with np.errstate(all="ignore"):
            near = rng.choice([-1.0, 1.0], RANDOM) * (1 + rng.integers(0, 64, RANDOM) * float(info.eps))
            wide = rng.uniform(-2, 2, RANDOM) * 2.0 ** rng.integers(-exponents, exponents, RANDOM)
            chosen = [row[place] for row in tuples] if place < 2 else rng.choice(corners, len(tuples)).tolist()
            columns.append(np.concatenate([np.array(chosen), near, wide]).astype(dtype))
    return columns
