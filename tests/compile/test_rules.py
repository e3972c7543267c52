from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.compile.rules import exchanges, timed_loop
from shflbench.model import Loop, Mechanism
from tests.compile.planted import ROTATE, THROUGH_MEMORY, planted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.compile.conftest import Build

SHUFFLE, MEMORY = {"SHFL": 1}, {"STS": 1, "LDS": 1}
NO_SHFL = "the machine code has no SHFL: the shfl mechanism was optimised away"
NO_LOOP = "the machine code has no loop: the compiler folded or unrolled it away"


@pytest.mark.parametrize(
    ("loop", "mechanism", "promised", "sentences"),
    [
        pytest.param(ROTATE, Mechanism.SHFL, SHUFFLE, (), id="honest shuffle"),
        pytest.param(THROUGH_MEMORY, Mechanism.SMEM, MEMORY, (), id="honest shared memory"),
        pytest.param(
            "REPEAT(iterations) { __shfl_sync(FULL_WARP, x, 0); x = x * T(0.5) + T(lane()); }",
            Mechanism.SHFL,
            SHUFFLE,
            (NO_SHFL, "the loop has 0 SHFL a trip, not the declared 1"),
            id="shuffle that nobody reads",
        ),
        pytest.param(
            "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, 0);",
            Mechanism.SHFL,
            SHUFFLE,
            ("the loop has 0.0625 SHFL a trip, not the declared 1",),
            id="repeated broadcast",
        ),
        pytest.param(
            "int sum = 0; REPEAT(iterations) sum += lane(); x = __shfl_xor_sync(FULL_WARP, x, 1) + T(sum);",
            Mechanism.SHFL,
            SHUFFLE,
            (NO_LOOP,),
            id="loop computed in closed form",
        ),
        pytest.param(
            "for (int trip = 0; trip < 3; ++trip) x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);",
            Mechanism.SHFL,
            SHUFFLE,
            (NO_LOOP,),
            id="loop unrolled away",
        ),
        pytest.param(
            '_Pragma("unroll 1")' + ROTATE.replace("REPEAT(iterations)", "for (int i = 0; i < iterations; ++i)"),
            Mechanism.SHFL,
            SHUFFLE,
            ("the loop is unrolled by 1, not by the declared 16 (steps found: 1)",),
            id="loop not unrolled",
        ),
        pytest.param(
            '_Pragma("unroll 8")' + ROTATE.replace("REPEAT(iterations)", "for (int i = 0; i < iterations; ++i)"),
            Mechanism.SHFL,
            SHUFFLE,
            ("the loop is unrolled by 8, not by the declared 16 (steps found: 8, 1)",),
            id="loop unrolled by too little",
        ),
        pytest.param(
            THROUGH_MEMORY.replace("] = x;", "] = x; slots[blockDim.x + threadIdx.x] = x;"),
            Mechanism.SMEM,
            MEMORY,
            ("the loop has 2 STS a trip, not the declared 1",),
            id="one store too many",
        ),
        pytest.param(
            THROUGH_MEMORY.replace("__syncwarp", "__syncthreads"),
            Mechanism.SMEM,
            MEMORY,
            ("the loop has 2 BAR a trip, not the declared 0",),
            id="undeclared barriers",
        ),
        pytest.param(
            ROTATE,
            Mechanism.COLLECTIVE,
            None,
            ("the machine code has no VOTE or REDUX or CREDUX or MATCH: the collective mechanism was optimised away",),
            id="nothing collective",
        ),
        pytest.param(
            "T keep[4]; for (int i = 0; i < 4; ++i) keep[i] = x + T(i);\n"
            "    REPEAT(iterations) x += __shfl_xor_sync(FULL_WARP, keep[trip % 4], 1);",
            Mechanism.LOCAL,
            None,
            ("the machine code has no LDL: the local mechanism was optimised away",),
            id="array kept in registers",
        ),
    ],
)
def test_broken_promise_is_a_sentence(
    build: Build,
    tmp_path: Path,
    loop: str,
    mechanism: Mechanism,
    promised: Mapping[str, int] | None,
    sentences: tuple[str, ...],
) -> None:
    assert build(planted(tmp_path, loop, mechanism=mechanism, per_iteration=promised)).violations == sentences


def test_library_variant_promises_nothing_but_a_loop(build: Build, tmp_path: Path) -> None:
    assert build(planted(tmp_path, THROUGH_MEMORY, mechanism=Mechanism.LIBRARY)).violations == ()


def test_exchanges_have_one_name_for_each_kind() -> None:
    assert exchanges({"VOTEU": 2, "VOTE": 1, "ATOMSG": 1, "FADD": 9, "BAR": 0}) == {"VOTE": 3, "ATOMS": 1}


def test_timed_loop_is_the_unrolled_one_wherever_it_stands() -> None:
    rest, unrolled = Loop(0, 64, 1, {"SHFL": 1}), Loop(80, 400, 16, {"SHFL": 16})
    assert timed_loop([rest, unrolled]) == timed_loop([unrolled, rest]) == unrolled
    assert timed_loop([]) is None
