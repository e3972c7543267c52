"""The limit of instructions: larger in lockstep, and what other schedules do not finish is named."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.runs import budget, kernel_runs

# Each thread counts to n: in lockstep once per warp, in other schedules once per thread.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r3, 0;
COUNT:
    add.u32 %r3, %r3, 1;
    st.volatile.global.u32 [%rd3], %r3;  // one schedule does not show all
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra COUNT;
    RACE
    ret;
}
"""
RACE = "st.global.u32 [%rd1+4096], %r2;"


def run_check(folder: Path, n: int, race: str = "") -> KernelReport:
    path = folder / "k.ptx"
    path.write_text(PTX.replace("RACE", race), encoding="utf-8")
    options = FileOptions(
        given=LaunchOptions(launches=(parse_shape("1x32"),), arguments=parse_arguments([f"arg1={n}"]))
    )
    (report,) = check_file(path, options).kernels
    return report


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_runs, "STEP_LIMIT", 1000)


def test_schedules_that_do_not_end_within_the_limit_are_named_and_leave_no_finding(tmp_path: Path) -> None:
    report = run_check(tmp_path, 100)
    assert (report.verdict, report.findings) == ("clean", ())
    assert "; stopped under `lanes in order`, `lanes at random` after 1,000 instructions" in report.sentence
    assert not {"lanes in order", "lanes at random"} & set(report.launches[0].schedules)


def test_lockstep_gets_more_instructions_and_a_race_stays_one(tmp_path: Path) -> None:
    report = run_check(tmp_path, 1000, RACE)
    assert report.verdict == "broken"
    assert [finding.kind for finding in report.findings] == ["WAW"]


def test_a_launch_that_does_not_end_in_lockstep_is_not_checked_and_has_no_finding(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 500)
    report = run_check(tmp_path, 1000)
    assert (report.verdict, report.findings) == ("not checked", ())
    assert report.sentence.startswith("it did not end within the limit of instructions in launch 1x32")


def test_a_loop_that_may_end_is_not_called_endless_in_a_chosen_launch(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 2000)
    path = tmp_path / "k.ptx"
    path.write_text(PTX.replace("RACE", "").replace("%r3, %r1;", "%r3, 100000;"), encoding="utf-8")
    (report,) = check_file(path, FileOptions()).kernels
    assert (report.verdict, report.findings) == ("not checked", ())
    assert report.sentence.startswith("it did not end within the limit of instructions in launch 1x32")


def test_a_loop_whose_end_nobody_chose_gets_more_instructions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 2000)
    assert run_check(tmp_path, 400).verdict == "clean"  # 400 is given, and the limit alone is for 200 iterations
    monkeypatch.setattr(budget, "CERTAIN", 1)
    assert run_check(tmp_path, 400).verdict == "not checked"


# Four times, unless a value of a buffer that nobody gave is 99.
SKIPPED = """mov.u32 %r4, 0;
OUTER:
    add.u32 %r4, %r4, 1;
    ld.global.u32 %r5, [%rd3+4096];
    setp.eq.u32 %p2, %r5, 99;
    @%p2 bra NEXT;
    mov.u32 %r3, 0;
COUNT:"""
REPEATED = """@%p1 bra COUNT;
NEXT:
    setp.lt.u32 %p3, %r4, 4;
    @%p3 bra OUTER;"""


def test_contents_that_decide_whether_a_loop_begins_do_not_decide_whether_it_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 2000)
    path = tmp_path / "k.ptx"
    nested = PTX.replace("mov.u32 %r3, 0;\nCOUNT:", SKIPPED).replace("@%p1 bra COUNT;", REPEATED).replace("RACE", "")
    nested = nested.replace("%r<5>", "%r<6>").replace("%p<3>", "%p<4>")
    path.write_text(nested, encoding="utf-8")
    options = FileOptions(given=LaunchOptions(launches=(parse_shape("1x32"),), arguments=parse_arguments(["arg1=100"])))
    (report,) = check_file(path, options).kernels
    assert report.verdict == "clean"


def test_a_condition_in_a_loop_does_not_decide_whether_the_loop_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 500)
    path = tmp_path / "k.ptx"
    skipped = (
        "ld.global.u32 %r4, [%rd3];\n    setp.eq.u32 %p2, %r4, 0;\n    @%p2 bra SKIP;\n    st.global.u32 [%rd3], %r3;"
    )
    path.write_text(
        PTX.replace("RACE", "").replace("    st.global.u32 [%rd3], %r3;", f"    {skipped}\nSKIP:"), encoding="utf-8"
    )
    options = FileOptions(
        given=LaunchOptions(launches=(parse_shape("1x32"),), arguments=parse_arguments(["arg1=1000"]))
    )
    (report,) = check_file(path, options).kernels
    assert (report.verdict, report.findings) == ("not checked", ())


def test_a_shorter_launch_shows_that_a_loop_ends_if_it_runs_the_loop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(budget, "MOST_PATIENT", 500)
    path = tmp_path / "k.ptx"
    # Instructions that only the longer launch reaches, and in which it is stopped: from iteration 70 on.
    late = "setp.lt.u32 %p2, %r3, 70;\n    @%p2 bra EARLY;\n" + "    xor.b32 %r4, %r4, %r3;\n" * 20
    late += "    setp.eq.u32 %p2, %r4, 0;\n    @%p2 bra EARLY;\n    xor.b32 %r4, %r4, %r3;\nEARLY:"
    longer = PTX.replace("RACE", "").replace("mov.u32 %r2,", "shl.b32 %r1, %r1, 2;\n    mov.u32 %r2,")
    path.write_text(
        longer.replace("    st.global.u32 [%rd3]", f"    {late}\n    st.global.u32 [%rd3]"), encoding="utf-8"
    )
    (report,) = check_file(path, FileOptions()).kernels
    assert report.verdict == "clean"
    assert "did not end within the limit of instructions, a shorter one did" in report.sentence
