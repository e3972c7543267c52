from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from shflbench.checker.report import KernelReport
from shflbench.checker.verdict import KernelVerdict
from shflbench.emulator.dataflow.scope import other_dimension
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.load import load_program
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.races.hazards import HazardKind
from shflbench.patterns.discover import builtin, load
from tests import kernels
from tests.checker import schedules
from tests.checker.test_recorded import RACES, RESULTS
from tests.emulator.compiled import is_library
from tests.kernel_facts.pattern_checks.conftest import PLANTED, Reports
from tests.thorough import all_or_a_sample

pytestmark = pytest.mark.expensive

LANES = ("half-warp first", "odd lanes first", "lanes in order", "lanes at random")
PAIRED = LANES[1:]  # neighbors of a pair lie in one half of the warp
PLACE = "tests/kernel_facts/pattern_checks/planted"
REFUSED = f"pairs_initialized<int> for sm_90 does not compile: {PLACE}/pairs/initialized.cu:5"
ALL = "all 10 schedules"
ONE, FIRST = "1 finding", "first in launch 2x128"
WRONG_3, WRONG_4 = "wrong under 3 of 10 schedules", "wrong under 4 of 10 schedules"
UNINITIALIZED = f"{ONE}: RAW, WAR and uninitialized read ({FIRST}); {WRONG_3}"
CLEAN = f"right under {ALL}; no hazard in 1 launch (2x128)"
STORE, LOAD = "volatile_store(&slots[mine], x);", "x = next(x, volatile_load(&slots[source]));"
DECK = "x = slots[mine] = next(x, slots[source]);"
ONE_DTYPE = kernels.checked_by_tests()
# They differ little from others: `make test-archs` looks at them, as at all kernels.
# Where single lanes run ahead, a launch takes minutes.
LONG = tuple(f"elements={number}/" for number in (512, 1024))
REPETITIONS = ("reduce/smem/", "reduce/smem-double/", "reduce/smem-syncwarp/", "reduce/cg-group/", "reduce/cub-group/")
SAFE = [name for name in ONE_DTYPE if kernels.variant_of(name).safe]
UNSAFE = [name for name in ONE_DTYPE if not kernels.variant_of(name).safe]


def fewer(names: Sequence[str]) -> list[str]:
    """Return the kernels without those that differ little from others."""
    return [name for name in names if not name.startswith(REPETITIONS)]


def line_of(text: str) -> int:
    """Return the first line of the planted kernels that holds `text`."""
    lines = (PLANTED / "kernels.cu").read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def text_at(report: KernelReport, number: int) -> list[str]:
    """Return the source lines of a finding: of the access that was caught, and of the earlier one."""
    finding = report.findings[number]
    return [
        place.file.read_text(encoding="utf-8").splitlines()[place.line - 1].strip()
        for place in (finding.place, finding.other)
        if place is not None
    ]


def wrong_schedules(report: KernelReport) -> tuple[str, ...]:
    assert report.expectation
    return report.expectation.wrong


def has_races(report: KernelReport) -> bool:
    return any(str(finding.kind) in RACES for finding in report.findings)


def racecheck_warns(name: str) -> bool:
    return bool(RESULTS[name]["racecheck"][1] > 0)


@cache
def report_on(name: str) -> KernelReport:
    return kernels.report(name, kernels.kernel(name)).kernel


def shorter_report(name: str) -> KernelReport:
    """Return the report of `shflbench check`: under fewer schedules if it is not the first kernel of a variant."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if name not in kernels.with_one_dtype():
            # Some kernels have both the option and the dtype of another one.
            is_combined = name not in kernels.run_by_tests()
            fewer_schedules = schedules.THREE if is_combined or name.startswith("cluster-exchange/") else schedules.FIVE
            is_long = any(option in name for option in LONG)
            schedules.run_fewer(monkeypatch, schedules.TWO if is_long else fewer_schedules)
        return kernels.report(name, kernels.compiled(name)).kernel


@pytest.mark.parametrize("built_in", fewer(SAFE))
def test_safe_built_in_kernels_are_clean(built_in: str) -> None:
    found = report_on(built_in)
    assert (found.verdict, found.sentence) == (KernelVerdict.CLEAN, CLEAN), found.expectation


@pytest.mark.parametrize("built_in", [name for name in kernels.with_one_dtype() if is_library(name)])
def test_libraries_use_indexes_of_other_dimensions_for_linear_numbers_only(built_in: str) -> None:
    kernel = kernels.kernel(built_in)
    assert other_dimension(Slicer(load_program(kernel.ptx, kernel.symbol))) is None


@pytest.mark.archs
@pytest.mark.parametrize("built_in", UNSAFE)
def test_unsafe_built_in_kernels_are_unsafe_as_declared(built_in: str) -> None:
    assert report_on(built_in).verdict is KernelVerdict.UNSAFE
    assert wrong_schedules(report_on(built_in))
    assert report_on(built_in).findings


@pytest.mark.parametrize(
    ("built_in", "sentence"),
    [
        ("neighbor/smem-unsafe/f32/mode=idx", f"{ONE}: RAW, WAR and uninitialized read ({FIRST}); {WRONG_4}"),
        ("neighbor/smem-deck/f32/mode=idx", f"{ONE}: RAW and WAR ({FIRST}); {WRONG_4}"),
        ("reduce/smem-unsafe/f32/width=32", f"{ONE}: RAW, WAR and uninitialized read ({FIRST}); {WRONG_4}"),
    ],
)
def test_unsafe_kernels_are_wrong_under_every_order_of_lanes(built_in: str, sentence: str) -> None:
    assert (report_on(built_in).sentence, wrong_schedules(report_on(built_in))) == (sentence, LANES)


@pytest.mark.archs
@pytest.mark.parametrize("pattern", builtin())
@all_or_a_sample
def test_every_kernel_in_every_dtype_and_with_every_option_is_what_it_is_declared_to_be(
    pattern: str, *, every: bool
) -> None:
    # At most six variants in one dtype, or each option of each: other dtypes differ in the size of an element alone.
    in_one_dtype = [name for name in kernels.with_one_dtype() if name.startswith(f"{pattern}/")]
    names = (
        kernels.compile_pattern(pattern, "sm_90", every=False)
        if every
        else in_one_dtype[:: max(2, len(in_one_dtype) // 5)]
    )
    reports = {name: shorter_report(name) for name in names}
    right = {name: KernelVerdict.CLEAN if kernels.variant_of(name).safe else KernelVerdict.UNSAFE for name in names}
    assert {name: item.sentence for name, item in reports.items() if item.verdict is not right[name]} == {}
    assert {name for name, item in reports.items() if LOCKSTEP.name in wrong_schedules(item)} == set()
    clean = {item.sentence for name, item in reports.items() if right[name] is KernelVerdict.CLEAN}
    assert {sentence.partition(" (")[0] for sentence in clean} == {CLEAN.partition(" (")[0]}  # at one launch
    assert [name for name in names if name in ONE_DTYPE and has_races(reports[name]) != racecheck_warns(name)] == []


@pytest.mark.parametrize("built_in", fewer(ONE_DTYPE))
def test_racecheck_and_the_emulator_agree(built_in: str) -> None:
    assert has_races(report_on(built_in)) == racecheck_warns(built_in)


@pytest.mark.parametrize(
    ("built_in", "kind", "later", "earlier"),
    [
        ("neighbor/smem-unsafe/f32/mode=idx", HazardKind.RAW, LOAD, STORE),
        ("neighbor/smem-unsafe/f32/mode=idx", HazardKind.WAR, STORE, LOAD),
        ("neighbor/smem-deck/f32/mode=idx", HazardKind.WAR, DECK, DECK),
    ],
)
def test_races_of_built_in_kernels_are_at_the_lines_of_the_exchange(
    built_in: str, kind: HazardKind, later: str, earlier: str
) -> None:
    report = report_on(built_in)
    number = next(number for number, finding in enumerate(report.findings) if finding.kind is kind)
    assert text_at(report, number) == [later, earlier]
    assert len(report.findings[number].threads) == 2


SLOW = {"counted-barrier", "endless", "half-warps", "split-pairs"}  # seconds
VERDICTS: list[tuple[str, KernelVerdict, str]] = [
    ("right", KernelVerdict.CLEAN, CLEAN),
    ("modest", KernelVerdict.HARMLESS, f"declared unsafe, but nothing was found under {ALL}"),
    ("one-barrier", KernelVerdict.BROKEN, f"{ONE}: RAW and WAR ({FIRST}); {WRONG_3}"),
    ("lockstep", KernelVerdict.BROKEN, UNINITIALIZED),
    (
        "equal-writes",
        KernelVerdict.DOUBTFUL,
        f"right under {ALL}, but threads write equal values to one address in no fixed order",
    ),
    ("activemask", KernelVerdict.BROKEN, f"{ONE}: shuffle from an inactive lane ({FIRST}); {WRONG_3}"),
    (
        "curious",
        KernelVerdict.DEPENDENT,
        f"right under {ALL}, but it reads the mask of active lanes",
    ),
    ("after-continue", KernelVerdict.BROKEN, f"wrong under {ALL}"),
    ("fns", KernelVerdict.BROKEN, f"wrong under {ALL}"),
    ("pointer", KernelVerdict.BROKEN, f"{ONE}: WAW ({FIRST}); wrong under {ALL}"),
    ("half", KernelVerdict.BROKEN, f"wrong under {ALL}"),
    ("past-the-end", KernelVerdict.BROKEN, f"{ONE}: out of bounds ({FIRST})"),
    ("past-shared", KernelVerdict.BROKEN, f"{ONE}: out of bounds ({FIRST})"),
    ("deadlock", KernelVerdict.BROKEN, f"{ONE}: deadlock ({FIRST})"),
    ("endless", KernelVerdict.BROKEN, f"{ONE}: endless loop ({FIRST})"),
    ("half-warps", KernelVerdict.CLEAN, CLEAN),
    ("split-pairs", KernelVerdict.BROKEN, UNINITIALIZED),
    ("linear-number", KernelVerdict.CLEAN, CLEAN),
    (
        "two-dimensions",
        KernelVerdict.NOT_CHECKED,
        (
            f"uses threadIdx.y (tests/kernel_facts/pattern_checks/planted/pairs/kernels.cu:{line_of('threadIdx.y')}), "
            "and its launch has one dimension"
        ),
    ),
    ("counted-barrier", KernelVerdict.CLEAN, CLEAN),
    ("computed-barrier", KernelVerdict.BROKEN, f"{ONE}: deadlock ({FIRST})"),
    (
        "folded",
        KernelVerdict.BROKEN,
        "the machine code has no loop: the compiler folded or unrolled it away",
    ),
    ("tomorrow", KernelVerdict.SKIPPED, "tomorrow needs sm_121 or newer, and this is sm_90"),
    (
        "initialized",
        KernelVerdict.NOT_COMPILED,
        f"{REFUSED}: initializer not allowed for __shared__ variable\n  5 | __shared__ int count = 0;",
    ),
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("variant", "verdict", "sentence"),
    [pytest.param(*item, marks=pytest.mark.archs if item[0] in SLOW else (), id=item[0]) for item in VERDICTS],
)
def test_each_planted_kernel_gets_its_verdict(
    planted: Reports, variant: str, verdict: KernelVerdict, sentence: str
) -> None:
    assert (planted[variant].verdict, planted[variant].kernel.sentence) == (verdict, sentence)


def test_every_planted_kernel_has_a_verdict() -> None:
    assert {variant for variant, _, _ in VERDICTS} == {item.name for item in load(PLANTED).declaration.variants}


@pytest.mark.parametrize(
    ("variant", "kinds", "line"),
    [
        ("one-barrier", {HazardKind.RAW, HazardKind.WAR}, "slots[threadIdx.x] = x;"),
        (
            "lockstep",
            {HazardKind.RAW, HazardKind.WAR, HazardKind.UNINITIALIZED},
            "x = add(T(slots[threadIdx.x ^ 1]), T(1));",
        ),
        ("equal-writes", {HazardKind.SAME_VALUE}, "slots[0] = T(1);"),
        (
            "activemask",
            {HazardKind.ACTIVEMASK, HazardKind.INACTIVE_SOURCE},
            "REPEAT(iterations) x = add(__shfl_xor_sync(__activemask(), x, 1), T(1));",
        ),
        ("curious", {HazardKind.ACTIVEMASK}, "const T one = __activemask() ? T(1) : T(2);"),
        ("after-continue", {HazardKind.EXITED}, "x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));"),
    ],
)
def test_each_fault_is_found_with_its_kind_at_its_line(
    planted: Reports, variant: str, kinds: set[HazardKind], line: str
) -> None:
    report = planted[variant].kernel
    assert {finding.kind for finding in report.findings} == kinds
    assert text_at(report, 0)[0] == line


def test_schedules_that_give_a_wrong_result_are_named_with_the_first_wrong_value(planted: Reports) -> None:
    expected = planted["lockstep"].kernel.expectation
    assert expected
    assert expected.wrong == PAIRED
    assert expected.mismatch.startswith("after 1 iteration under `odd lanes first`, element 1 is -1515870810, not ")


@pytest.mark.parametrize(
    ("variant", "kind", "detail", "line"),
    [
        (
            "past-the-end",
            HazardKind.OUT_OF_BOUNDS,
            "byte 1024 of the 1024 bytes of `values`",
            "const T next = values[thread() + 1];",
        ),
        (
            "past-shared",
            HazardKind.OUT_OF_BOUNDS,
            "byte 512 of the 512 bytes of `bytes`",
            "const T far = slots[threadIdx.x + 32];",
        ),
        ("deadlock", HazardKind.DEADLOCK, "waits for thread 16 of block 0", "if (lane() < 16) __syncthreads();"),
        pytest.param(
            "endless",
            HazardKind.ENDLESS,
            "",
            "while (slots[threadIdx.x] == 0) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));",
            marks=pytest.mark.archs,
        ),
    ],
)
def test_each_fault_that_stops_a_kernel_is_one_finding_at_its_line(
    planted: Reports, variant: str, kind: HazardKind, detail: str, line: str
) -> None:
    report = planted[variant].kernel
    (finding,) = report.findings
    assert (finding.kind, report.errors) == (kind, ())
    assert detail in finding.detail
    assert text_at(report, 0)[0] == line


@pytest.mark.parametrize(
    ("variant", "words"),
    [("two-dimensions", "uses threadIdx.y ("), ("initialized", "initializer not allowed")],
)
def test_what_keeps_a_kernel_from_running_is_an_error(planted: Reports, variant: str, words: str) -> None:
    (error,) = planted[variant].kernel.errors
    assert words in error


def test_a_kernel_that_does_not_compile_is_reported_at_the_line_of_the_error(planted: Reports) -> None:
    place = planted["initialized"].kernel.place
    assert place.file.read_text(encoding="utf-8").splitlines()[place.line - 1].strip() == "__shared__ int count = 0;"


def test_a_report_knows_where_its_kernel_begins(planted: Reports) -> None:
    place = planted["one-barrier"].kernel.place
    assert place.file == PLANTED / "kernels.cu"
    line = Path(place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]
    assert line.startswith("__global__ void pairs_one_barrier(")
