"""The budget and the time limit of a file: what ran until then is reported, and what did not is `not checked`."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from shflbench.checker.file_check import CheckStep, check_file
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import CheckLimits, FileOptions, LaunchOptions
from shflbench.checker.report import FileReport
from shflbench.cuda.compile.ptx_process import SHARED
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.errors import BudgetError, TimeLimitError

KERNEL = """\
.visible .entry NAME(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mul.wide.u32 %rd2, %r1, SCALE;
    add.s64 %rd3, %rd1, %rd2;
LOOP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, 100;
    @%p bra LOOP;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""
ASCENDING = """\
.visible .entry k(.param .u64 out, .param .u64 places)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [places];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    add.s64 %rd5, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];
    ld.global.u32 %r3, [%rd4+4];
    setp.gt.u32 %p, %r2, %r3;
    @%p trap;
    st.global.u32 [%rd5], %r2;
    ret;
}
"""
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
SOUND, RACY = "4", "0"  # bytes between the elements of two threads


@dataclass
class Clock:
    """Seconds that pass only when a test says so, or by the same number at each look."""

    now: float = 0.0
    step: float = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def write(folder: Path, *kernels: tuple[str, str]) -> Path:
    path = folder / "k.ptx"
    path.write_text(HEAD + "".join(KERNEL.replace("NAME", name).replace("SCALE", scale) for name, scale in kernels))
    return path


def check(path: Path, *launches: str, limit_s: float, clock: Clock, end_after: str = "") -> FileReport:
    """Check a file; the clock jumps beyond the limit when the kernel `end_after` is finished."""

    def watch(step: CheckStep) -> None:
        if step.report is not None and step.kernel == end_after:
            clock.now += 2 * limit_s

    shapes = tuple(parse_shape(text) for text in launches)
    return check_file(
        path,
        FileOptions(given=LaunchOptions(launches=shapes), limits=CheckLimits(time_limit_s=limit_s, clock=clock)),
        watch,
    )


def test_finished_kernels_keep_their_verdicts_and_the_next_ones_did_not_run(tmp_path: Path) -> None:
    path = write(tmp_path, ("first", SOUND), ("second", SOUND))
    first, second = check(path, limit_s=60, clock=Clock(), end_after="first").kernels
    assert first.verdict == "clean"
    assert second.verdict == "not checked"
    assert second.sentence.startswith("the time limit of 60 s was reached before it ran; give more with --time-limit")


def test_a_kernel_that_is_stopped_names_the_launches_that_ended(tmp_path: Path) -> None:
    path = write(tmp_path, ("k", SOUND))
    whole = Clock(step=1)
    assert check(path, "1x32", "1x64", limit_s=1e9, clock=whole).kernels[0].verdict == "clean"
    (report,) = check(path, "1x32", "1x64", limit_s=whole.now / 2, clock=Clock(step=1)).kernels
    assert report.verdict == "not checked"
    assert "s was reached, only launches 1x32" in report.sentence
    (report,) = check(path, "1x32", "1x64", limit_s=10, clock=Clock(step=1)).kernels
    assert report.sentence.startswith("the time limit of 10 s was reached, no launch ended; give more with")


def test_a_race_seen_before_the_limit_stays_broken(tmp_path: Path) -> None:
    path = write(tmp_path, ("k", RACY))
    whole = Clock(step=1)
    assert check(path, "1x64", "4x64", limit_s=1e9, clock=whole).kernels[0].verdict == "broken"
    (report,) = check(path, "1x64", "4x64", limit_s=whole.now * 0.8, clock=Clock(step=1)).kernels
    assert report.verdict == "broken"
    assert len(report.launches[0].schedules) < 7


def test_a_verdict_that_the_limit_changes_names_it(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + ASCENDING)
    whole = Clock(step=1)
    (expected,) = check(path, limit_s=1e9, clock=whole).kernels
    assert expected.verdict == "clean"  # with places in ascending order
    for limit in range(1, int(whole.now), 2):
        (report,) = check(path, limit_s=limit, clock=Clock(step=1)).kernels
        assert report.verdict == expected.verdict or "time limit" in report.sentence


def test_compiling_counts(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(int *out) { out[threadIdx.x] = 1; }\n")
    (report,) = check_file(path, FileOptions(compilers=Compilers(find()), limits=CheckLimits(time_limit_s=0))).kernels
    assert (report.name, report.verdict) == ("k.cu", "not checked")
    assert report.sentence == "the time limit of 0 s was reached"


def test_a_compiler_that_runs_into_the_limit_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(int *out) { out[threadIdx.x] = 1; }\n")
    given: list[float] = []
    clock = Clock()
    compile_ptx = SHARED.compile

    def compile_late(unit: object, toolchain: object, timeout_s: float) -> object:
        given.append(timeout_s)
        clock.now = 50.0
        return compile_ptx(unit, toolchain, 0.0)  # type: ignore[arg-type]

    monkeypatch.setattr(SHARED, "compile", compile_late)
    (report,) = check_file(
        path, FileOptions(compilers=Compilers(find()), limits=CheckLimits(time_limit_s=50, clock=clock))
    ).kernels
    assert given == [50.0]
    assert (report.verdict, report.sentence) == ("not checked", "the time limit of 50 s was reached")


def test_a_budget_is_over_after_its_seconds() -> None:
    clock = Clock()
    budget = FileBudget.of(limit_s=2, clock=clock)
    budget.check()
    assert budget.seconds_left(60) == 2
    clock.now = 2
    assert budget.seconds_left(60) == 0
    with pytest.raises(TimeLimitError, match="the time limit of 2 s was reached"):
        budget.check()


def test_a_budget_is_over_after_its_instructions() -> None:
    budget = FileBudget.of(2_500_000)
    budget.spend(2_499_999)
    budget.check()
    budget.spend(1)
    with pytest.raises(BudgetError, match=r"^the budget of 2.5 million instructions was reached$"):
        budget.check()
    budget.check_time()
    assert not budget.has_timed_out


def test_one_of_many_kernels_cannot_take_the_budget_of_all() -> None:
    budget = FileBudget.of(20_000_000)
    first = budget.part_of(10)
    first.spend(4_000_000)
    assert first.is_over
    text = "a kernel's part of 4 million instructions of the budget of 20 million instructions was reached"
    assert first.error.message == text
    assert first.is_part_over
    assert not budget.is_over
    assert budget.part_of(3, kernels=10).remaining == pytest.approx(2 * 16_000_000 / 3)
    assert budget.part_of(1) is budget
    assert budget.part_of(2, shares=1).remaining == pytest.approx(budget.remaining / 2)
    assert NEVER.part_of(10) is NEVER


@pytest.mark.parametrize("kernels", [2, 3, 8, 54])
def test_each_kernel_keeps_half_of_an_equal_share(kernels: int) -> None:
    budget = FileBudget.of(20_000_000)
    for remaining in range(kernels, 0, -1):
        part = budget.part_of(remaining, kernels=kernels)
        assert part.remaining >= 0.499 * 20_000_000 / kernels
        part.spend(part.remaining)


def test_a_slow_kernel_does_not_take_the_budget_of_the_one_behind_it(tmp_path: Path) -> None:
    path = write(tmp_path, ("slow", SOUND), ("short", SOUND))
    path.write_text(path.read_text().replace("%r2, 100;", "%r2, 5000;", 1))
    slow, short = check_file(path, FileOptions(limits=CheckLimits(most_work=30_000))).kernels
    assert short.verdict == "clean"
    assert "0.0225 million instructions" in slow.sentence


def test_a_kernel_that_its_part_ends_runs_again_with_what_the_others_left(tmp_path: Path) -> None:
    short = [(f"short{number}", SOUND) for number in range(7)]
    path = write(tmp_path, ("slow", SOUND), *short)
    path.write_text(path.read_text().replace("%r2, 100;", "%r2, 20000;", 1))
    steps: list[tuple[str, bool]] = []

    def watch(step: CheckStep) -> None:
        if step.number:
            steps.append((step.kernel, step.report is not None))

    # The second launch takes more than what a quarter leaves it, and less than what the others leave.
    slow, *others = check_file(path, FileOptions(limits=CheckLimits(most_work=400_000)), watch).kernels
    assert slow.verdict == "clean"
    assert {report.verdict for report in others} == {"clean"}
    assert [kernel for kernel, _ in steps].count("slow") == 3
    assert steps[0] == ("slow", False)
    assert steps[-1] == ("slow", True)


def test_launches_that_ended_before_the_budget_decide(tmp_path: Path) -> None:
    path = write(tmp_path, ("slow", SOUND))
    path.write_text(path.read_text().replace("%r2, 100;", "%r2, 5000;", 1))
    (report,) = check_file(path, FileOptions(limits=CheckLimits(most_work=70_000))).kernels
    assert report.verdict == "clean"
    assert "the budget of 0.07 million instructions was reached: 2 further launches did not run" in report.sentence


def test_shorter_launches_in_place_of_what_the_budget_ended_have_a_quarter_of_it() -> None:
    budget = FileBudget.of(8_000_000)
    budget.spend(9_000_000)
    assert budget.is_over
    assert budget.again().remaining == 2_000_000


def test_what_is_spent_apart_is_not_missing_in_the_budget() -> None:
    clock = Clock()
    budget = FileBudget.of(1_000, 60, clock)
    apart = budget.apart(100)
    apart.spend(100)
    assert apart.is_over
    assert budget.remaining == 1_000
    clock.now = 60
    assert apart.is_out_of_time
