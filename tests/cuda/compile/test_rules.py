from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from shflbench.core.model import DTYPES, Kernel, Loop, Mechanism
from shflbench.cuda.compile.rules import ExpectedCode, exchanges, timed_loop, violations
from tests import kernels
from tests.cuda.compile.conftest import build_together
from tests.cuda.compile.planted import ROTATE, THROUGH_MEMORY, case, planted

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
COPIED = """\
T* slots = shared<T>();
    REPEAT(iterations) {
        const unsigned slot = shared_address(slots + threadIdx.x);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(slot), "l"(values + thread()) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        x += slots[threadIdx.x ^ 1];
        __syncthreads();
    }"""
TRANSPOSED = """\
unsigned word = __float_as_uint(x);
    REPEAT(iterations) asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(word));
    x = __uint_as_float(word);"""
ONCE = "x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);"
NO_SHFL = "the machine code has no SHFL: the shfl mechanism was optimized away"
NO_MATRIX = (
    "the machine code has no HMMA or IMMA or DMMA or BMMA or QMMA or OMMA or HGMMA or IGMMA or QGMMA or BGMMA "
    "or UTCHMMA or UTCIMMA or UTCQMMA or UTCOMMA or MOVM or LDSM or STSM: the matrix mechanism was optimized away"
)
NO_LOOP = "the machine code has no loop: the compiler folded or unrolled it away"


SHUFFLED = {"SHFL": 1}
# Name → the pattern, and the sentences on its kernel.
CODE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "honest shuffle": ({"loop": ROTATE, "per_iteration": SHUFFLED}, ()),
    "shuffle that nobody reads": (
        {
            "loop": "REPEAT(iterations) { __shfl_sync(FULL_WARP, x, 0); x = x * T(0.5) + T(lane()); }",
            "per_iteration": SHUFFLED,
        },
        (NO_SHFL, "the loop has 0 SHFL per iteration, not the declared 1"),
    ),
    "repeated broadcast": (
        {"loop": "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, 0);", "per_iteration": SHUFFLED},
        ("the loop has 0.0625 SHFL per iteration, not the declared 1",),
    ),
    "loop computed in closed form": (
        {
            "loop": "int sum = 0; REPEAT(iterations) sum += lane(); x = __shfl_xor_sync(FULL_WARP, x, 1) + T(sum);",
            "per_iteration": SHUFFLED,
        },
        (NO_LOOP,),
    ),
    "loop unrolled away": (
        {
            "loop": "for (int iteration = 0; iteration < 3; ++iteration) "
            "x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);",
            "per_iteration": SHUFFLED,
        },
        (NO_LOOP,),
    ),
    "loop not unrolled": (
        {"loop": f'_Pragma("unroll 1"){PLAIN}', "per_iteration": SHUFFLED},
        ("the loop is unrolled by 1, not by the declared 16 (steps of all loops: 1)",),
    ),
    "loop unrolled by too little": (
        {"loop": f'_Pragma("unroll 8"){PLAIN}', "per_iteration": SHUFFLED},
        ("the loop is unrolled by 8, not by the declared 16 (steps of all loops: 8, 1)",),
    ),
    "global memory that nobody declared": (
        {"loop": ROTATE.replace("= __shfl", "+= values[iteration & 31] + __shfl"), "per_iteration": SHUFFLED},
        ("the loop has 1 LDG per iteration, not the declared 0",),
    ),
    "honest shared memory": (
        {"loop": THROUGH_MEMORY, "mechanism": Mechanism.SMEM, "per_iteration": MEMORY},
        (),
    ),
    "one store too many": (
        {
            "loop": THROUGH_MEMORY.replace("] = x;", "] = x; slots[blockDim.x + threadIdx.x] = x;"),
            "mechanism": Mechanism.SMEM,
            "per_iteration": MEMORY,
        },
        ("the loop has 2 STS per iteration, not the declared 1",),
    ),
    "undeclared barriers": (
        {
            "loop": THROUGH_MEMORY.replace("__syncwarp", "__syncthreads"),
            "mechanism": Mechanism.SMEM,
            "per_iteration": MEMORY,
        },
        ("the loop has 2 BAR per iteration, not the declared 0",),
    ),
    "nothing collective": (
        {"loop": ROTATE, "mechanism": Mechanism.COLLECTIVE},
        ("the machine code has no VOTE or REDUX or CREDUX or MATCH: the collective mechanism was optimized away",),
    ),
    "array kept in registers": (
        {
            "loop": "T keep[4]; for (int i = 0; i < 4; ++i) keep[i] = x + T(i);\n"
            "    REPEAT(iterations) x += __shfl_xor_sync(FULL_WARP, keep[iteration % 4], 1);",
            "mechanism": Mechanism.LOCAL,
        },
        ("the machine code has no LDL: the local mechanism was optimized away",),
    ),
    "honest local memory": ({"loop": INDEXED, "mechanism": Mechanism.LOCAL, "per_iteration": {"LDL": 1}}, ()),
    "registers that lie in local memory": (
        {"loop": INDEXED, "mechanism": Mechanism.REGISTER},
        tuple(f"the machine code has {name}, which the register mechanism must not use" for name in ("LDL", "STL")),
    ),
    "arithmetic that is promised, too": (
        {"loop": ARITHMETIC, "mechanism": Mechanism.REGISTER, "per_iteration": {"FFMA": 1}},
        (),
    ),
    "less arithmetic than promised": (
        {"loop": ARITHMETIC, "mechanism": Mechanism.REGISTER, "per_iteration": {"FFMA": 2, "SHFL": 0}},
        ("the loop has 1 FFMA per iteration, not the declared 2",),
    ),
    "honest asynchronous copy": ({"loop": COPIED, "mechanism": Mechanism.ASYNC}, ()),
    "copy that is not asynchronous": (
        {"loop": THROUGH_MEMORY, "mechanism": Mechanism.ASYNC},
        ("the machine code has no LDGSTS or UBLKCP or UTMALDG: the async mechanism was optimized away",),
    ),
    "honest matrix instruction": ({"loop": TRANSPOSED, "mechanism": Mechanism.MATRIX}, ()),
    "nothing of the matrix unit": (
        {"loop": ROTATE, "mechanism": Mechanism.MATRIX},
        (NO_MATRIX,),
    ),
    "opcode that the variant declares": ({"loop": ROTATE, "opcodes": ("SHFL.IDX",)}, ()),
    "other modifiers than those that the variant declares": (
        {"loop": ROTATE, "opcodes": ("SHFL.BFLY", "SHFL.ID")},
        tuple(f"the machine code has no {name}, which the variant must have" for name in ("SHFL.BFLY", "SHFL.ID")),
    ),
    "library variant, which needs only a loop": ({"loop": THROUGH_MEMORY, "mechanism": Mechanism.LIBRARY}, ()),
    "one pass, which needs no loop": ({"loop": ONCE, "one_pass": True}, ()),
    "one pass, which still needs its mechanism": ({"loop": "x = x + T(1);", "one_pass": True}, (NO_SHFL,)),
}
MODES = {"folded": (), "kept": (NO_SHFL, "the loop has 0 SHFL per iteration, not the declared 1")}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    """Return a kernel for each entry of CODE and MODES."""
    folder = tmp_path_factory.mktemp("rules")
    patterns = {name: (planted(folder / str(i), **made), case()) for i, (name, (made, _)) in enumerate(CODE.items())}
    foldable = planted(
        folder / "foldable",
        "REPEAT(iterations) x = x * T(0.5) + T(lane());",
        per_iteration=lambda _, options: {"SHFL": int(options["mode"] == "kept")},
        options={"mode": ("kept", "folded")},
        may_fold={"mode": ("folded",)},
    )
    modes = {mode: (foldable, replace(case(), options=(("mode", mode),))) for mode in MODES}
    return build_together(patterns | modes)


@pytest.mark.parametrize("code", CODE)
def test_each_violation_is_a_sentence(built: Mapping[str, Kernel], code: str) -> None:
    assert built[code].violations == CODE[code][1]


@pytest.mark.parametrize("mode", MODES)
def test_mechanism_may_be_folded_only_if_the_variant_declares_it(built: Mapping[str, Kernel], mode: str) -> None:
    assert built[mode].violations == MODES[mode]


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "other", "opcode"),
    [
        ("handoff/named/i32/stages=2", "handoff/syncthreads/i32/stages=2", "BAR.ARV"),
        ("handoff/mbarrier/i32/stages=2", "handoff/flag/i32/stages=2", "SYNCS.ARRIVE"),
        ("reserve/elect/i32", "reserve/leader-shfl/i32", "ELECT"),
        ("reduce/redux-mask/i32/width=16", "reduce/shfl/i32/width=16", "REDUX.SUM"),
    ],
)
def test_code_of_another_variant_is_refused(name: str, other: str, opcode: str) -> None:
    subject, sass = kernels.subjects()[name], kernels.compiled(other).sass
    declaration, case = subject.pattern.declaration, subject.case
    constants = declaration.constants(dict(case.options), case.launch.block)
    expected = ExpectedCode.of(declaration, subject.variant, DTYPES[case.dtype], constants)
    assert sass is not None
    assert f"the machine code has no {opcode}, which the variant must have" in violations(expected, sass, [])


def test_pattern_of_one_pass_has_no_loop_and_no_iterations(built: Mapping[str, Kernel]) -> None:
    kernel = built["one pass, which needs no loop"]
    assert kernel.loop is None
    assert kernel.ptx.count(".param ") == 2


def test_exchanges_have_one_name_per_kind() -> None:
    assert exchanges({"VOTEU": 2, "VOTE": 1, "ATOMSG": 1, "FADD": 9, "BAR": 0}) == {"VOTE": 3, "ATOMS": 1}
    assert exchanges({"LD": 2, "LDG": 1, "ST": 1, "REDG": 4, "RED": 1, "ATOM": 1, "BARRIER": 1}) == {
        "BAR": 1,
        "LDG": 3,
        "STG": 1,
        "ATOMG": 1,
        "RED": 5,
    }


def test_a_declared_redux_may_be_the_credux_of_another_architecture() -> None:
    expected = ExpectedCode(Mechanism.COLLECTIVE, may_fold=True, unroll=4, counts={"REDUX": 1})
    found = [list(violations(expected, (), [Loop(0, 64, 4, {"CREDUX": count})])) for count in (4, 8)]
    assert found == [[], ["the loop has 2 REDUX per iteration, not the declared 1"]]


def test_timed_loop_is_the_unrolled_one_at_any_place() -> None:
    rest, unrolled = Loop(0, 64, 1, {"SHFL": 1}), Loop(80, 400, 16, {"SHFL": 16})
    assert timed_loop([rest, unrolled]) == timed_loop([unrolled, rest]) == unrolled
    assert timed_loop([]) is None
