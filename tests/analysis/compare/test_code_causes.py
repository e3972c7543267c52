from dataclasses import replace

import pytest

from shflbench.analysis.compare.cause import CauseKind
from shflbench.analysis.compare.code_causes import code_causes, origins
from shflbench.store.kernel_archive import StoredKernel
from tests.fakes.case_changes import COMPILER, change, kernel, loop, one_pass

SAME_COUNTS = "other machine code with the same instruction counts per iteration"
SHFL = loop(SHFL=16, VIADD=1, ISETP=1, BRA=1)


@pytest.mark.parametrize(
    ("ratio", "base", "new", "kind", "sentence"),
    [
        (1.3, SHFL, loop(SHFL=16, LDS=32, VIADD=1, ISETP=1, BRA=1), "instructions",
         "3.19 instead of 1.19 instructions per iteration (+2 LDS)"),
        (0.7, loop(SHFL=16, LDS=32), loop(SHFL=16), "instructions",
         "1 instead of 3 instructions per iteration (-2 LDS)"),
        (1.3, loop(SHFL=16, FADD=160), loop(BAR=16, FADD=160), "instructions",
         "other instructions per iteration: +1 BAR, -1 SHFL"),
        (1.3, loop(SHFL=16, FADD=160), loop(MATCH=16, SHFL=16, FADD=48), "instructions",
         "5 instead of 11 instructions per iteration (+1 MATCH, -7 FADD)"),
        (1.3, loop(SHFL=16), loop(1, SHFL=1, ISETP=1, BRA=1), "instructions",
         "3 instead of 1 instructions per iteration (+1 BRA, +1 ISETP); the loop is unrolled 1 instead of 16 times"),
        (1.3, loop(SHFL=16, LDS=16), loop(SHFL=16), "machine-code",
         "other machine code: 1 instead of 2 instructions per iteration (-1 LDS)"),
        (1.3, loop(SHFL=16, MOV=1, FADD=160), loop(SHFL=16, MOV=2, FADD=160), "machine-code",
         "other machine code: 11.12 instead of 11.06 instructions per iteration (+0.0625 MOV)"),
        (1.02, loop(SHFL=16, MOV=1, FADD=160), loop(SHFL=16, MOV=2, FADD=160), "instructions",
         "11.12 instead of 11.06 instructions per iteration (+0.0625 MOV)"),
        (1.3, SHFL, replace(SHFL, code_sha256="0"), "machine-code",
         f"{SAME_COUNTS}: their order, registers or control codes changed"),
        (1.3, one_pass(**{"LDG.E": 2, "STG.E": 2, "NOP": 9}), one_pass(**{"LDG.E.64": 1, "LDG.E": 3, "STG": 2}),
         "instructions", "6 instead of 4 instructions in the kernel (+2 LDG)"),
        (1.3, SHFL, one_pass(STG=2), "machine-code", "the machine code changed"),
    ],
)  # fmt: skip
def test_difference_of_the_code_is_counted(
    ratio: float, base: StoredKernel, new: StoredKernel, kind: str, sentence: str
) -> None:
    (cause,) = code_causes(change(ratio, base, new))
    assert (cause.kind, cause.sentence) == (kind, sentence)


def test_heavy_instructions_come_first_and_the_others_are_counted() -> None:
    new = loop(IMAD=64, IADD3=48, LOP3=32, FADD=16, SHFL=32, MUFU=8)
    (cause,) = code_causes(change(1.3, loop(SHFL=16), new))
    assert cause.sentence.endswith("(+1 SHFL, +0.5 MUFU, +4 IMAD, +3 IADD3 and 2 more opcodes)")


def test_changes_of_the_row_that_the_sentence_contains_are_named() -> None:
    counts = {"base_row": {"sass_per_iteration": {"SHFL": 1.0}}, "new_row": {"sass_per_iteration": {"LDS": 1.0}}}
    (cause,) = code_causes(change(1.3, loop(SHFL=16), loop(LDS=16), **counts))
    assert cause.changes == ("LDS per iteration 0 → 1", "SHFL per iteration 1 → 0")


def test_same_code_has_no_cause_and_no_origin() -> None:
    same = change(1.3, SHFL, replace(SHFL, source="sources/neighbor-9.cu"))
    assert [*code_causes(same), *origins(same)] == []


@pytest.mark.parametrize(("ratio", "kinds"), [(1.3, [CauseKind.INSTRUCTIONS]), (0.7, [])])
def test_without_the_code_the_counts_of_the_rows_are_compared(ratio: float, kinds: list[CauseKind]) -> None:
    counts = {"base_row": {"sass_per_iteration": {"LDS": 1.0}}, "new_row": {"sass_per_iteration": {"LDS": 2.0}}}
    unknown = change(ratio, None, SHFL, **counts)
    assert [cause.kind for cause in code_causes(unknown)] == kinds
    assert not [*origins(unknown)]


NEW_HEADER = {"shflbench.cuh": "headers/9-shflbench.cuh", "more.cuh": "headers/9-more.cuh"}
OTHER = kernel("other")


@pytest.mark.parametrize(
    ("new", "compiler", "sentences"),
    [
        (replace(OTHER, source="sources/neighbor-9.cu"), COMPILER, ["its source changed: neighbor/kernels.cu"]),
        (replace(OTHER, headers=NEW_HEADER), COMPILER, ["its source changed: shflbench.cuh, more.cuh"]),
        (replace(OTHER, headers={}), COMPILER, ["its source changed: shflbench.cuh"]),
        (
            replace(OTHER, expression="shfl<int>"),
            COMPILER,
            ["the case runs shfl<int> instead of neighbor_shfl<float>"],
        ),
        (OTHER, replace(COMPILER, nvrtc="13.5"), ["NVRTC 13.0 → 13.5"]),
        (
            OTHER,
            replace(COMPILER, options=("-std=c++17", "-maxrregcount=32")),
            ["compiler options: -maxrregcount=32 added, -lineinfo removed"],
        ),
        (
            replace(OTHER, source="sources/neighbor-9.cu"),
            replace(COMPILER, nvrtc="13.5"),
            ["its source changed: neighbor/kernels.cu", "NVRTC 13.0 → 13.5"],
        ),
    ],
)
def test_origin_of_other_code_is_named(new: StoredKernel, compiler: object, sentences: list[str]) -> None:
    known = change(1.3, kernel("code"), new, new_record={"compiler": compiler})
    assert [cause.sentence for cause in origins(known)] == sentences


def test_other_code_of_the_same_text_points_to_what_no_run_records() -> None:
    (cause,) = origins(change(1.3, kernel("code"), OTHER))
    assert cause.kind is CauseKind.COMPILER
    assert cause.sentence == (
        "the source, the options and NVRTC 13.0 are the same: look for another patch release of CUDA, or other CUDA "
        "headers"
    )
