from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.compile.rules import exchanges, timed_loop
from shflbench.model import Loop, Mechanism
from tests.compile.conftest import Build
from tests.compile.planted import ROTATE, THROUGH_MEMORY, case, planted

MEMORY = {"STS": 1, "LDS": 1}
PLAIN = ROTATE.replace("REPEAT(iterations)", "for (int i = 0; i < iterations; ++i)")
ARITHMETIC = "REPEAT(iterations) x = x * T(0.5) + T(lane());"
INDEXED = """\
T keep[16];
    for (int i = 0; i < 16; ++i) keep[i] = values[i] + x;
    int at = int(x);
    REPEAT(iterations) {
        x += keep[at & 15];
        at += int(x);
    }"""
NO_SHFL = "the machine code has no SHFL: the shfl mechanism was optimized away"
NO_LOOP = "the machine code has no loop: the compiler folded or unrolled it away"


@pytest.mark.parametrize(
    ("loop", "sentences"),
    [
        pytest.param(ROTATE, (), id="honest shuffle"),
        pytest.param(
            "REPEAT(iterations) { __shfl_sync(FULL_WARP, x, 0); x = x * T(0.5) + T(lane()); }",
            (NO_SHFL, "the loop has 0 SHFL per iteration, not the declared 1"),
            id="shuffle that nobody reads",
        ),
        pytest.param(
            "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, 0);",
            ("the loop has 0.0625 SHFL per iteration, not the declared 1",),
            id="repeated broadcast",
        ),
        pytest.param(
            "int sum = 0; REPEAT(iterations) sum += lane(); x = __shfl_xor_sync(FULL_WARP, x, 1) + T(sum);",
            (NO_LOOP,),
            id="loop computed in closed form",
        ),
        pytest.param(
            "for (int iteration = 0; iteration < 3; ++iteration) x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);",
            (NO_LOOP,),
            id="loop unrolled away",
        ),
        pytest.param(
            f'_Pragma("unroll 1"){PLAIN}',
            ("the loop is unrolled by 1, not by the declared 16 (steps of all loops: 1)",),
            id="loop not unrolled",
        ),
        pytest.param(
            f'_Pragma("unroll 8"){PLAIN}',
            ("the loop is unrolled by 8, not by the declared 16 (steps of all loops: 8, 1)",),
            id="loop unrolled by too little",
        ),
        pytest.param(
            ROTATE.replace("= __shfl", "+= values[iteration & 31] + __shfl"),
            ("the loop has 1 LDG per iteration, not the declared 0",),
            id="global memory that nobody declared",
        ),
    ],
)
def test_violation_by_a_shuffle_kernel_is_a_sentence(
    build: Build, tmp_path: Path, loop: str, sentences: tuple[str, ...]
) -> None:
    assert build(planted(tmp_path, loop, per_iteration={"SHFL": 1})).violations == sentences


@pytest.mark.parametrize(
    ("loop", "mechanism", "promised", "sentences"),
    [
        pytest.param(THROUGH_MEMORY, Mechanism.SMEM, MEMORY, (), id="honest shared memory"),
        pytest.param(
            THROUGH_MEMORY.replace("] = x;", "] = x; slots[blockDim.x + threadIdx.x] = x;"),
            Mechanism.SMEM,
            MEMORY,
            ("the loop has 2 STS per iteration, not the declared 1",),
            id="one store too many",
        ),
        pytest.param(
            THROUGH_MEMORY.replace("__syncwarp", "__syncthreads"),
            Mechanism.SMEM,
            MEMORY,
            ("the loop has 2 BAR per iteration, not the declared 0",),
            id="undeclared barriers",
        ),
        pytest.param(
            ROTATE,
            Mechanism.COLLECTIVE,
            None,
            ("the machine code has no VOTE or REDUX or CREDUX or MATCH: the collective mechanism was optimized away",),
            id="nothing collective",
        ),
        pytest.param(
            "T keep[4]; for (int i = 0; i < 4; ++i) keep[i] = x + T(i);\n"
            "    REPEAT(iterations) x += __shfl_xor_sync(FULL_WARP, keep[iteration % 4], 1);",
            Mechanism.LOCAL,
            None,
            ("the machine code has no LDL: the local mechanism was optimized away",),
            id="array kept in registers",
        ),
        pytest.param(INDEXED, Mechanism.LOCAL, {"LDL": 1}, (), id="honest local memory"),
        pytest.param(
            INDEXED,
            Mechanism.REGISTER,
            None,
            tuple(f"the machine code has {name}, which the register mechanism must not use" for name in ("LDL", "STL")),
            id="registers that lie in local memory",
        ),
        pytest.param(ARITHMETIC, Mechanism.REGISTER, {"FFMA": 1}, (), id="arithmetic that is promised, too"),
        pytest.param(
            ARITHMETIC,
            Mechanism.REGISTER,
            {"FFMA": 2, "SHFL": 0},
            ("the loop has 1 FFMA per iteration, not the declared 2",),
            id="less arithmetic than promised",
        ),
    ],
)
def test_violation_is_a_sentence(
    build: Build,
    tmp_path: Path,
    loop: str,
    mechanism: Mechanism,
    promised: Mapping[str, int] | None,
    sentences: tuple[str, ...],
) -> None:
    assert build(planted(tmp_path, loop, mechanism=mechanism, per_iteration=promised)).violations == sentences


@pytest.mark.parametrize(
    ("mode", "sentences"),
    [("folded", ()), ("kept", (NO_SHFL, "the loop has 0 SHFL per iteration, not the declared 1"))],
)
def test_mechanism_may_be_folded_only_if_the_variant_declares_it(
    build: Build, tmp_path: Path, mode: str, sentences: tuple[str, ...]
) -> None:
    own = planted(
        tmp_path,
        "REPEAT(iterations) x = x * T(0.5) + T(lane());",
        per_iteration=lambda _, options: {"SHFL": int(options["mode"] == "kept")},
        options={"mode": ("kept", "folded")},
        may_fold={"mode": ("folded",)},
    )
    assert build(own, replace(case(), options=(("mode", mode),))).violations == sentences


def test_pattern_of_one_pass_needs_no_loop(build: Build, tmp_path: Path) -> None:
    once = planted(tmp_path, "x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);", one_pass=True)
    kernel = build(once)
    assert (kernel.violations, kernel.loop) == ((), None)
    assert kernel.ptx.count(".param ") == 2  # no iterations


def test_pattern_of_one_pass_still_needs_its_mechanism(build: Build, tmp_path: Path) -> None:
    once = planted(tmp_path, "x = x + T(1);", one_pass=True)
    assert build(once).violations == (NO_SHFL,)


def test_library_variant_needs_only_a_loop(build: Build, tmp_path: Path) -> None:
    assert build(planted(tmp_path, THROUGH_MEMORY, mechanism=Mechanism.LIBRARY)).violations == ()


def test_exchanges_have_one_name_per_kind() -> None:
    assert exchanges({"VOTEU": 2, "VOTE": 1, "ATOMSG": 1, "FADD": 9, "BAR": 0}) == {"VOTE": 3, "ATOMS": 1}
    assert exchanges({"LD": 2, "LDG": 1, "ST": 1, "REDG": 4, "RED": 1, "ATOM": 1, "BARRIER": 1}) == {
        "BAR": 1,
        "LDG": 3,
        "STG": 1,
        "ATOMG": 1,
        "RED": 5,
    }


def test_timed_loop_is_the_unrolled_one_at_any_place() -> None:
    rest, unrolled = Loop(0, 64, 1, {"SHFL": 1}), Loop(80, 400, 16, {"SHFL": 16})
    assert timed_loop([rest, unrolled]) == timed_loop([unrolled, rest]) == unrolled
    assert timed_loop([]) is None
