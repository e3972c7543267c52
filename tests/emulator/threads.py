"""Run a few instructions in 64 threads with shared memory, and return two numbers of each."""

from functools import cache

import numpy as np

from shflbench.emulator.link.linker import link
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine.launch import EmulatedLaunch, Machine, execute
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse

# Each thread has 32 bytes of shared memory at %r5, 16 of its own at `own`, two operands in %a and %b (which lie at
# %d4), and returns %x and %y (at %d5).
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
FUNCTIONS
.visible .entry one(.param .u64 in, .param .u64 out, .param .u32 n)
{
    .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .b64 %a, %b, %x, %y;
    .reg .b32 %a32, %b32, %x32, %y32; .reg .f32 %f<4>; .reg .f64 %g<4>;
    .shared .align 16 .b8 room[2048];
    .local .align 16 .b8 own[16];
    ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r3, %tid.x;
    mul.wide.u32 %d3, %r3, 16; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;
    ld.global.v2.u64 {%a, %b}, [%d4]; cvt.u32.u64 %a32, %a; cvt.u32.u64 %b32, %b;
    mov.u32 %r4, room; mad.lo.u32 %r5, %r3, 32, %r4;
    mov.u64 %x, 0; mov.u64 %y, 0; mov.u32 %x32, 0; mov.u32 %y32, 0;
    CODE
    st.global.v2.u64 [%d5], {%x, %y};
    ret;
}
"""
TO_64_BITS = "cvt.u64.u32 %x, %x32; cvt.u64.u32 %y, %y32;"
CORNERS = [0, 1, 2, 31, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
THREADS = 64


def operands(seed: int = 5) -> list[tuple[int, int]]:
    """Return two numbers for each thread: corners, at first equal ones, then random."""
    corners = [(CORNERS[i % 10], CORNERS[(i + i // 10 * 3) % 10]) for i in range(40)]
    drawn = np.random.default_rng(seed).integers(0, (1 << 64) - 1, (THREADS - 40, 2), dtype=np.uint64).tolist()
    return [*corners, *((a, b) for a, b in drawn)]


@cache
def program(code: str, functions: str = "") -> Program:
    return link(parse(KERNEL.replace("CODE", code).replace("FUNCTIONS", functions)), "one")


def launch(
    code: str, rows: list[tuple[int, int]], functions: str = "", machine: Machine | None = None
) -> EmulatedLaunch:
    values, outputs = np.array(rows, np.uint64), [(2 * THREADS, "u8")]
    shape, machine = Shape(1, THREADS), machine or Machine()
    return EmulatedLaunch(program(code, functions), shape, 0, [values], outputs, 0, machine=machine)


def run(
    code: str,
    rows: list[tuple[int, int]],
    policy: str = "lockstep",
    functions: str = "",
    machine: Machine | None = None,
) -> list[tuple[int, int]]:
    """Return %x and %y of each thread."""
    (out,) = execute(launch(code, rows, functions, machine), POLICIES[policy])
    return [(x, y) for x, y in out.reshape(THREADS, 2).tolist()]


def number(value: int, type_: str) -> int:
    """Return the low bits of `value` as the type's number."""
    bits = int(type_[1:])
    value %= 1 << bits
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value
