from collections.abc import Sequence
from dataclasses import replace

import pytest

from shflbench.checker.finding_kinds import KINDS
from shflbench.checker.inputs.argument_spec import ArgumentSpec
from shflbench.checker.inputs.choose import choose
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.names import match_names
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.judgment.judge import KernelJudgment, judge_kernel
from shflbench.checker.runs.evidence import Expectation, KernelEvidence, LaunchEvidence, OutputDifference
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cuda_sources.kernel_file import KernelParameter, SourceKernel
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.explore import ScheduleResult
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.ptx.syntax import Location
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.emulator.races.hazards import Hazard, HazardKind
from shflbench.errors import EmulatorError
from tests.emulator.dataflow import sliced

POINTERS = [
    KernelParameter(name, "int *", "i4", pointer=True, size=8, offset=8 * place)
    for place, name in enumerate(("in", "out"))
]
NUMBERS = [
    KernelParameter(name, "int", "i4", pointer=False, size=4, offset=16 + 4 * place) for place, name in enumerate("nk")
]
KERNEL = SourceKernel("k", "k", (*POINTERS, *NUMBERS), None)
ALL_GIVEN = ("in=i32[64]", "out=i32[64]", "n=64", "k=1")
AT_THREAD = "st.global.u8"  # address and guard are constants
AT_INDEX = "st.global.u32"  # the address comes from the contents of `in`, the guard from n
AT_LOAD = "ld.global.u32"  # the guard comes from n
DIFFERENCE = (OutputDifference("odd lanes first", "out", 4),)
SHARED_WORD = MemoryBytes("shared", "`s`", 0, 4)


@pytest.fixture(scope="module")
def slicer() -> Slicer:
    return sliced.slicer()


class Case:
    """One kernel's evidence, made launch by launch."""

    def __init__(self, slicer: Slicer) -> None:
        self.slicer = slicer
        self.launches: list[LaunchEvidence] = []

    def hazard(self, kind: HazardKind, text: str = AT_THREAD, other: str = "") -> Hazard:
        earlier = sliced.op_of(self.slicer, other).instruction if other else None
        return Hazard(kind, sliced.op_of(self.slicer, text).instruction, earlier, ((0, 1),), 1)

    def fault(self, kind: FaultKind, text: str = AT_LOAD, buffer: int | None = None, low: int = 0) -> KernelFault:
        op = sliced.op_of(self.slicer, text)
        return KernelFault("it failed", kind=kind, op=op, threads=((0, 1),), buffer=buffer, low=low, high=low + 4)

    def at(
        self,
        shape: str,
        *hazards: Hazard,
        args: Sequence[str] = (),
        origin: Origin = Origin.CHOSEN,
        error: EmulatorError | None = None,
        differences: tuple[OutputDifference, ...] = (),
        varied: bool = False,
    ) -> "Case":
        launch = PlannedLaunch(parse_shape(shape), origin)
        spec = ArgumentSpec(given=match_names(parse_arguments(args), KERNEL), vary=varied)
        results = (ScheduleResult("lockstep", (), hazards, error),)
        self.launches.append(LaunchEvidence(launch, choose(KERNEL, launch, spec, 0), 0, results, differences))
        return self

    def judge(
        self, *order_matters: str, expected: Expectation | None = None, only_included: bool = False
    ) -> KernelJudgment:
        evidence = KernelEvidence(tuple(self.launches), expectation=expected)
        return judge_kernel(evidence, self.slicer, order_matters=order_matters, only_included=only_included)


@pytest.fixture
def case(slicer: Slicer) -> Case:
    return Case(slicer)


def test_nothing_found_is_clean(case: Case) -> None:
    assert case.at("1x32").at("2x128").judge().verdict == "clean"


@pytest.mark.parametrize("kind", [HazardKind.RAW, HazardKind.WAR, HazardKind.WAW, HazardKind.ATOMIC_RACE])
def test_a_race_is_broken(case: Case, kind: HazardKind) -> None:
    judgment = case.at("1x32").at("2x128", case.hazard(kind)).judge()
    assert judgment.verdict == "broken"
    assert judgment.sentence == f"{kind} (first in launch 2x128)"


def test_a_race_in_only_some_of_the_chosen_launches_needs_the_launch(case: Case) -> None:
    race = case.hazard(HazardKind.WAW)
    some = case.at("2x128", race).at("3x64").judge()
    assert (some.verdict, some.causes) == ("needs arguments", ("--launch",))
    given = Case(case.slicer).at("2x128", race, origin=Origin.GIVEN).at("3x64", origin=Origin.GIVEN)
    assert given.judge().verdict == "broken"
    assert Case(case.slicer).at("1x32").at("2x128", race).at("2x80").at("3x64", race).judge().verdict == "broken"


def test_a_race_at_indices_that_were_chosen_needs_their_buffer(case: Case) -> None:
    judgment = case.at("2x128", case.hazard(HazardKind.WAW, AT_INDEX)).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("in",))
    assert judgment.sentence == "WAW in launch 2x128 with chosen values of `in`; to decide, give --arg in=…"


def test_a_race_of_an_access_at_indices_with_another_one_is_broken(case: Case) -> None:
    assert case.at("2x128", case.hazard(HazardKind.WAW, AT_INDEX, AT_LOAD)).judge().verdict == "broken"


def test_a_race_at_indices_that_were_given_is_broken(case: Case) -> None:
    judgment = case.at("2x128", case.hazard(HazardKind.WAW, AT_INDEX), args=("in=i32[256]",)).judge()
    assert judgment.verdict == "broken"


def test_a_race_with_only_one_of_two_chosen_sizes_needs_the_size(case: Case) -> None:
    race = case.hazard(HazardKind.RAW, AT_LOAD)
    judgment = case.at("2x128").at("2x128", race, varied=True).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("n",))
    both = Case(case.slicer).at("2x128", race).at("2x128", race, varied=True).judge()
    assert both.verdict == "broken"


@pytest.mark.parametrize(
    "kind", [FaultKind.OUT_OF_BOUNDS, FaultKind.MISALIGNED, FaultKind.TRAPPED, FaultKind.ASSERT_FAILED]
)
def test_a_fault_that_depends_on_a_chosen_size_needs_it(case: Case, kind: FaultKind) -> None:
    judgment = case.at("2x128", error=case.fault(kind), origin=Origin.GIVEN).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("n",))


@pytest.mark.parametrize(
    "kind", [FaultKind.OUT_OF_BOUNDS, FaultKind.MISALIGNED, FaultKind.TRAPPED, FaultKind.ASSERT_FAILED]
)
def test_a_fault_that_depends_on_given_values_is_broken(case: Case, kind: FaultKind) -> None:
    judgment = case.at("2x128", error=case.fault(kind), args=ALL_GIVEN, origin=Origin.GIVEN).judge()
    assert judgment.verdict == "broken"


def test_an_access_beyond_a_buffer_of_chosen_size_needs_the_buffer(case: Case) -> None:
    fault = case.fault(FaultKind.OUT_OF_BOUNDS, AT_THREAD, buffer=1, low=1000)
    judgment = case.at("2x128", error=fault).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("out",))


def test_an_access_before_a_buffer_is_broken_whatever_its_size(case: Case) -> None:
    fault = case.fault(FaultKind.OUT_OF_BOUNDS, AT_THREAD, buffer=1, low=-4)
    assert case.at("2x128", error=fault).judge().verdict == "broken"


def test_a_read_of_uninitialized_memory_by_a_chosen_launch_needs_the_launch(case: Case) -> None:
    uninitialized = case.hazard(HazardKind.UNINITIALIZED, AT_LOAD)
    judgment = case.at("2x128", uninitialized, args=ALL_GIVEN).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("--launch",))
    assert judgment.sentence == "uninitialized read in the chosen launch 2x128; to decide, give --launch GRIDxBLOCK"
    given = Case(case.slicer).at("2x128", uninitialized, args=ALL_GIVEN, origin=Origin.GIVEN).judge()
    assert given.verdict == "broken"


@pytest.mark.parametrize("kind", [HazardKind.DEADLOCK, HazardKind.DIVERGENT_WARP_BARRIER, HazardKind.MASKS_DIFFER])
def test_misuse_of_barriers_and_masks_is_broken(case: Case, kind: HazardKind) -> None:
    assert case.at("1x32").at("2x128", case.hazard(kind)).judge().verdict == "broken"


@pytest.mark.parametrize("kind", [HazardKind.BARRIER_IMPOSSIBLE, HazardKind.INACTIVE_SOURCE])
def test_a_kernel_need_not_support_a_part_of_a_warp(case: Case, kind: HazardKind) -> None:
    judgment = case.at("2x128").at("2x80", case.hazard(kind)).judge()
    assert (judgment.verdict, list(judgment.refused)) == ("clean", ["2x80"])
    given = Case(case.slicer).at("2x128").at("2x80", case.hazard(kind), origin=Origin.GIVEN).judge()
    assert given.verdict in {"broken", "doubtful"}


def test_a_kernel_that_supports_no_chosen_launch_needs_one(case: Case) -> None:
    judgment = case.at("1x32", case.hazard(HazardKind.BARRIER_IMPOSSIBLE)).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("--launch",))


@pytest.mark.parametrize("kind", [HazardKind.SAME_VALUE, HazardKind.BARRIER_SKIPPED])
def test_what_changes_no_result_is_doubtful(case: Case, kind: HazardKind) -> None:
    judgment = case.at("2x128", case.hazard(kind)).judge()
    assert judgment.verdict == "doubtful"
    assert judgment.sentence.startswith("no output differs between schedules, but ")


def test_equal_values_in_a_launch_that_nothing_states_say_nothing_of_an_included_kernel(case: Case) -> None:
    equal = case.hazard(HazardKind.SAME_VALUE)
    assert case.at("2x128", equal).judge(only_included=True).verdict == "clean"
    given = Case(case.slicer).at("2x128", equal, origin=Origin.GIVEN)
    assert given.judge(only_included=True).verdict == "doubtful"
    different = Case(case.slicer).at("2x128", case.hazard(HazardKind.WAW))
    assert different.judge(only_included=True).verdict == "broken"


def test_equal_values_at_addresses_of_threads_say_nothing_if_another_chosen_block_has_none(case: Case) -> None:
    equal = case.hazard(HazardKind.SAME_VALUE, AT_LOAD)
    judgment = case.at("2x128", equal).at("3x64").judge()
    assert (judgment.verdict, [item.unspecified for item in judgment.observations]) == ("clean", [True])
    # The block that the code suggests, a single warp, one place, and contents as addresses excuse nothing.
    one_place = case.hazard(HazardKind.SAME_VALUE)
    assert Case(case.slicer).at("2x128", one_place).at("3x64").judge().verdict == "doubtful"
    suggested = Case(case.slicer).at("2x128", equal, origin=Origin.SUGGESTED).at("3x64")
    assert suggested.judge().verdict == "doubtful"
    assert Case(case.slicer).at("2x128", equal).at("1x32").judge().verdict == "doubtful"
    indexed = Case(case.slicer).at("2x128", case.hazard(HazardKind.SAME_VALUE, AT_INDEX), args=ALL_GIVEN)
    assert indexed.at("3x64", args=ALL_GIVEN).judge().verdict == "doubtful"


def test_a_doubt_beside_outputs_that_differ_does_not_say_that_none_differs(case: Case) -> None:
    judgment = case.at("2x128", case.hazard(HazardKind.SAME_VALUE), differences=DIFFERENCE).judge("atomics add floats")
    assert judgment.verdict == "doubtful"
    assert judgment.sentence == (
        "the result depends on the schedule: atomics add floats; besides, threads write equal values to one address in "
        "no fixed order"
    )
    assert [item.differences for item in judgment.differing] == [DIFFERENCE]


def test_a_value_of_an_absent_lane_that_changes_nothing_is_clean(case: Case) -> None:
    judgment = case.at("2x128", case.hazard(HazardKind.ABSENT_VALUE)).judge()
    assert (judgment.verdict, judgment.observations) == ("clean", ())


def test_a_deadlock_that_follows_from_a_mask_is_not_counted_beside_it(case: Case) -> None:
    outside, deadlock = case.hazard(HazardKind.NOT_IN_OWN_MASK), case.hazard(HazardKind.DEADLOCK, AT_THREAD)
    fault = case.fault(FaultKind.DEADLOCK, AT_THREAD)
    judgment = case.at("2x128", outside, deadlock, error=fault).judge()
    assert judgment.sentence == "lane outside its own mask (first in launch 2x128)"
    assert [item.level for item in judgment.observations] == ["error", ""]
    alone = Case(case.slicer).at("2x128", outside).at("3x64", deadlock, error=fault).judge()
    assert alone.sentence.startswith("lane outside its own mask and deadlock ")


def test_the_value_of_an_absent_lane_follows_from_a_mask_without_the_reading_lane(case: Case) -> None:
    outside, inactive = case.hazard(HazardKind.NOT_IN_OWN_MASK), case.hazard(HazardKind.INACTIVE_SOURCE)
    assert case.at("2x128", outside, inactive).judge().sentence.startswith("lane outside its own mask (")
    elsewhere = case.hazard(HazardKind.INACTIVE_SOURCE, AT_LOAD)
    both = Case(case.slicer).at("2x128", outside, elsewhere).judge()
    assert both.sentence.startswith("shuffle from an inactive lane and lane outside its own mask (")


def test_accesses_without_order_are_broken_if_a_schedule_changes_the_result(case: Case) -> None:
    unordered = case.hazard(HazardKind.UNORDERED)
    assert case.at("2x128", unordered).judge().verdict == "clean"
    assert Case(case.slicer).at("2x128", unordered, differences=DIFFERENCE).judge().verdict == "broken"
    explained = Case(case.slicer).at("2x128", unordered, differences=DIFFERENCE).judge("atomics add floats")
    assert explained.verdict == "schedule-dependent"


@pytest.mark.parametrize("kind", [HazardKind.OUT_OF_BOUNDS, HazardKind.UNINITIALIZED])
def test_a_launch_whose_block_is_not_the_suggested_one_is_set_aside_if_shared_memory_does_not_fit(
    case: Case, kind: HazardKind
) -> None:
    unsupported_input = replace(case.hazard(kind), memory=SHARED_WORD)
    judgment = case.at("2x64", origin=Origin.SUGGESTED).at("2x128", unsupported_input).judge()
    assert (judgment.verdict, judgment.refused) == ("clean", {"2x128": (kind,)})
    race = (
        Case(case.slicer)
        .at("2x64", case.hazard(HazardKind.RAW), origin=Origin.SUGGESTED)
        .at("2x128", unsupported_input)
    )
    assert race.judge().verdict == "broken"


def test_no_launch_is_set_aside_unless_the_suggested_block_fits(case: Case) -> None:
    unsupported_input = replace(case.hazard(HazardKind.OUT_OF_BOUNDS), memory=SHARED_WORD)
    judgment = case.at("2x128", unsupported_input, origin=Origin.SUGGESTED).at("2x64").judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("--launch",))
    given = Case(case.slicer).at("2x64", origin=Origin.SUGGESTED).at("2x128", unsupported_input, origin=Origin.GIVEN)
    assert given.judge().verdict == "broken"


@pytest.mark.parametrize("kind", [HazardKind.RAW, HazardKind.DEADLOCK, HazardKind.NOT_IN_OWN_MASK])
def test_a_fault_at_another_block_than_the_suggested_one_needs_the_launch(case: Case, kind: HazardKind) -> None:
    fault = case.hazard(kind)
    judgment = case.at("2x16", origin=Origin.SUGGESTED).at("2x128", fault).at("3x64", fault).judge()
    assert (judgment.verdict, judgment.causes) == ("needs arguments", ("--launch",))
    assert ", but not in 2x16; " in judgment.sentence
    everywhere = Case(case.slicer).at("2x16", fault, origin=Origin.SUGGESTED).at("2x128", fault)
    assert everywhere.judge().verdict == "broken"


def test_a_launch_with_a_fault_of_its_own_excuses_no_other_one(case: Case) -> None:
    race, deadlock = case.hazard(HazardKind.RAW), case.hazard(HazardKind.DEADLOCK)
    assert case.at("2x128", race).at("3x64", deadlock).judge().verdict == "broken"


def test_no_launch_of_a_suggested_block_is_set_aside_because_another_one_of_it_fits(case: Case) -> None:
    unsupported_input = replace(case.hazard(HazardKind.UNINITIALIZED), memory=SHARED_WORD)
    assert (
        not case.at("2x96", unsupported_input, origin=Origin.SUGGESTED)
        .at("1x96", origin=Origin.SUGGESTED)
        .judge()
        .refused
    )


def test_a_race_between_blocks_is_not_excused_by_a_launch_of_one_block(case: Case) -> None:
    race = case.hazard(HazardKind.WAW)
    assert (
        case.at("2x96", race, origin=Origin.SUGGESTED).at("1x96", origin=Origin.SUGGESTED).judge().verdict == "broken"
    )


def test_a_race_at_a_stated_block_is_not_excused_by_another_block(case: Case) -> None:
    race = case.hazard(HazardKind.RAW)
    assert case.at("2x96", race, origin=Origin.REQUIRED).at("2x64", origin=Origin.REQUIRED).judge().verdict == "broken"


def test_uninitialized_reads_without_effect_in_a_library_are_no_observation(case: Case) -> None:
    harmless = case.hazard(HazardKind.UNINITIALIZED_UNUSED)
    assert case.at("2x128", harmless).judge().verdict == "doubtful"
    header = Location("/usr/include/cub/block/block_merge_sort.cuh", 9, Location("/home/a/sort.cu", 3))
    inside = replace(harmless, instruction=replace(harmless.instruction, location=header))
    judgment = Case(case.slicer).at("2x128", inside).judge()
    assert (judgment.verdict, judgment.observations) == ("clean", ())


def test_memory_of_malloc_has_no_size_that_an_argument_could_change(case: Case) -> None:
    fault = case.fault(FaultKind.OUT_OF_BOUNDS, AT_THREAD, buffer=7, low=64)
    assert case.at("2x128", error=fault, args=ALL_GIVEN, origin=Origin.GIVEN).judge().verdict == "broken"


def test_a_result_that_depends_on_the_schedule_without_a_reason_is_broken(case: Case) -> None:
    judgment = case.at("2x128", differences=DIFFERENCE).judge()
    assert judgment.verdict == "broken"
    assert (judgment.sentence, judgment.differs) == ("the result depends on the schedule", True)


def test_a_result_that_depends_on_the_order_of_atomics_is_schedule_dependent(case: Case) -> None:
    judgment = case.at("2x128", differences=DIFFERENCE).judge("atomics return values")
    assert (judgment.verdict, judgment.sentence) == (
        "schedule-dependent",
        "the result depends on the schedule: atomics return values",
    )


def test_atomics_whose_order_changes_nothing_are_clean(case: Case) -> None:
    assert case.at("2x128").judge("atomics return values").verdict == "clean"


def test_a_kernel_that_reads_the_active_lanes_is_schedule_dependent(case: Case) -> None:
    assert case.at("2x128", case.hazard(HazardKind.ACTIVEMASK)).judge().verdict == "schedule-dependent"


def test_a_limit_of_the_emulator_is_not_checked(case: Case) -> None:
    judgment = case.at("2x128", error=EmulatorError("the launch is too large")).judge()
    assert (judgment.verdict, judgment.sentence) == ("not checked", "the launch is too large")


def test_a_race_outweighs_everything_else(case: Case) -> None:
    case.at("2x128", error=EmulatorError("the launch is too large"))
    case.at("2x128", error=case.fault(FaultKind.OUT_OF_BOUNDS))
    case.at("2x128", case.hazard(HazardKind.RAW), case.hazard(HazardKind.EXITED))
    assert case.judge().verdict == "broken"


SOME = ("half-warp first", "lanes in order")
SAFE, UNSAFE = Expectation(safe=True), Expectation(safe=False)
NO_FINDINGS = {HazardKind.UNORDERED, HazardKind.ABSENT_VALUE, HazardKind.EXITED}
HARMLESS = [kind for kind in HazardKind if KINDS[kind].level is not Level.ERROR and kind not in NO_FINDINGS]


@pytest.mark.parametrize(
    ("kinds", "wrong", "safe", "unsafe"),
    [
        ([], (), KernelVerdict.CLEAN, KernelVerdict.HARMLESS),
        ([HazardKind.RAW], (), KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([], SOME, KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([HazardKind.DEADLOCK], (), KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([HazardKind.ACTIVEMASK], (), KernelVerdict.DEPENDENT, KernelVerdict.DEPENDENT),
        ([HazardKind.ACTIVEMASK, HazardKind.WAW], (), KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([HazardKind.SAME_VALUE], (), KernelVerdict.DOUBTFUL, KernelVerdict.HARMLESS),
        ([HazardKind.EXITED], (), KernelVerdict.CLEAN, KernelVerdict.HARMLESS),
        ([HazardKind.UNORDERED], (), KernelVerdict.CLEAN, KernelVerdict.HARMLESS),  # as in a file
        ([HazardKind.UNORDERED], SOME, KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
    ],
)
def test_findings_results_and_the_declaration_decide_the_verdict(
    case: Case, kinds: list[HazardKind], wrong: tuple[str, ...], safe: KernelVerdict, unsafe: KernelVerdict
) -> None:
    case.at("2x128", *map(case.hazard, kinds), args=ALL_GIVEN, origin=Origin.GIVEN)
    assert case.judge(expected=replace(SAFE, wrong=wrong)).verdict is safe
    assert case.judge(expected=replace(UNSAFE, wrong=wrong)).verdict is unsafe


def test_a_missing_instruction_breaks_an_unsafe_kernel_too(case: Case) -> None:
    case.at("2x128", case.hazard(HazardKind.RAW), args=ALL_GIVEN, origin=Origin.GIVEN)
    for expected in (SAFE, UNSAFE):
        judgment = case.judge(expected=replace(expected, violations=("the machine code has no SHFL",)))
        assert judgment.verdict is KernelVerdict.BROKEN
        assert judgment.sentence == "RAW (first in launch 2x128); the machine code has no SHFL"


def test_a_sentence_names_all_faults_of_a_kernel(case: Case) -> None:
    case.at("2x128", case.hazard(HazardKind.RAW), case.hazard(HazardKind.ACTIVEMASK), origin=Origin.GIVEN)
    judgment = case.judge(expected=replace(SAFE, wrong=tuple(POLICIES)))
    assert judgment.sentence == "RAW (first in launch 2x128); wrong under all 10 schedules"


def test_without_expected_results_only_faults_count(case: Case) -> None:
    unknown = replace(SAFE, incomparable="there is nothing to compare with")
    case.at("2x128", args=ALL_GIVEN, origin=Origin.GIVEN)
    judgment = case.judge(expected=unknown)
    assert (judgment.verdict, judgment.sentence) == (KernelVerdict.NOT_CHECKED, unknown.incomparable)
    case.at("2x128", case.hazard(HazardKind.RAW), args=ALL_GIVEN, origin=Origin.GIVEN)
    assert case.judge(expected=unknown).verdict is KernelVerdict.BROKEN


def test_a_kernel_that_must_give_a_result_and_does_not_end_is_broken(case: Case) -> None:
    case.at("2x128", case.hazard(HazardKind.ENDLESS), args=ALL_GIVEN, origin=Origin.GIVEN)
    assert case.judge().verdict is KernelVerdict.NOT_CHECKED
    assert case.judge(expected=SAFE).verdict is KernelVerdict.BROKEN


@pytest.mark.parametrize("kind", HARMLESS)
def test_every_harmless_kind_is_a_warning_or_a_notice(case: Case, kind: HazardKind) -> None:
    case.at("2x128", case.hazard(kind), args=ALL_GIVEN, origin=Origin.GIVEN)
    assert case.judge(expected=SAFE).verdict.level in {Level.WARNING, Level.NOTICE}
