"""Stores to one place by threads whose elements have a value, which may be one thread only."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.options import FileOptions, LaunchOptions

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 keys, .param .u32 key, .param .u64 place)
{
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .shared .align 4 .b8 last[128];
    ld.param.u64 %d1, [keys]; ld.param.u32 %r1, [key]; ld.param.u64 %d2, [place];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; shl.b32 %r4, %r2, 2; mov.u32 %r5, last; add.u32 %r5, %r5, %r4;
    mad.lo.u32 %r6, %r3, 32, %r2; mul.wide.u32 %d3, %ELEMENT, 4; add.s64 %d4, %d1, %d3; ld.global.u32 %r7, [%d4];
    st.shared.u32 [%r5], %r7; bar.sync 0; ld.shared.u32 %r8, [last];
    CONDITION
    st.global.u32 [%d2], %r2;
    $end: ret;
}
"""
EQUAL = "setp.ne.s32 %p1, %r7, %r1; @%p1 bra $end;"


def verdict_of(tmp_path: Path, condition: str, *, element: str = "r6", keys: tuple[int, ...] = ()) -> tuple[str, str]:
    file = tmp_path / "k.ptx"
    file.write_text(PTX.replace("CONDITION", condition).replace("ELEMENT", element), encoding="utf-8")
    words = ["arg1=5", "arg2=i32[1]", *([f"arg0=i32[32]:{','.join(map(str, keys))}"] if keys else [])]
    given = LaunchOptions(launches=(LaunchShape((1, 1, 1), (32, 1, 1)),), arguments=parse_arguments(words))
    (report,) = check_file(file, FileOptions(given=given)).kernels
    return report.verdict, report.reason


@pytest.mark.parametrize(
    "condition",
    [
        EQUAL,
        "setp.eq.s32 %p1, %r7, %r1; not.pred %p2, %p1; @%p2 bra $end;",
        "setp.ge.u32 %p1, %r2, 30; setp.ne.s32 %p2, %r7, 5; or.pred %p3, %p1, %p2; @%p3 bra $end;",
        "and.b32 %r9, %r7, 255; setp.ne.s32 %p1, %r9, 3; @%p1 bra $end;",
    ],
    ids=["a number", "negated", "and a guard", "a part of the element"],
)
def test_elements_may_be_such_that_one_thread_stores(tmp_path: Path, condition: str) -> None:
    verdict, why = verdict_of(tmp_path, condition)
    assert verdict in {"clean", "needs arguments"}, why


@pytest.mark.parametrize(
    ("condition", "element"),
    [
        ("setp.eq.s32 %p1, %r7, %r1; @%p1 bra $end;", "r6"),
        ("setp.lt.s32 %p1, %r7, %r1; @%p1 bra $end;", "r6"),
        ("setp.ne.s32 %p1, %r7, %r8; @%p1 bra $end;", "r3"),
    ],
    ids=["all but one value", "many values", "another element"],
)
def test_elements_that_choose_many_threads_do_not_excuse_a_race(tmp_path: Path, condition: str, element: str) -> None:
    verdict, why = verdict_of(tmp_path, condition, element=element)
    assert verdict == "broken", why


def test_given_elements_that_are_equal_race(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, EQUAL, keys=(*range(20), *(5,) * 12))[0] == "broken"
    assert verdict_of(tmp_path, EQUAL, keys=tuple(range(32)))[0] == "clean"
