import pytest

from shflbench.checker.finding_words import WORDS
from shflbench.checker.machine.policies import POLICIES
from shflbench.checker.races.hazards import HazardKind
from shflbench.checker.verdict import KernelVerdict, Level, judge

SOME = ["half-warp first", "lanes in order"]


@pytest.mark.parametrize(
    ("kinds", "wrong", "stopped", "safe", "unsafe"),
    [
        ([], [], [], KernelVerdict.CLEAN, KernelVerdict.HARMLESS),
        ([HazardKind.RAW], [], [], KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([], SOME, [], KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([], [], SOME, KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([HazardKind.ACTIVEMASK], [], [], KernelVerdict.DEPENDENT, KernelVerdict.DEPENDENT),
        ([HazardKind.ACTIVEMASK, HazardKind.WAW], [], [], KernelVerdict.BROKEN, KernelVerdict.UNSAFE),
        ([HazardKind.SAME_VALUE], [], [], KernelVerdict.DOUBTFUL, KernelVerdict.HARMLESS),
        ([HazardKind.EXITED], [], [], KernelVerdict.DOUBTFUL, KernelVerdict.HARMLESS),
    ],
)
def test_findings_decide_the_verdict(
    kinds: list[HazardKind], wrong: list[str], stopped: list[str], safe: KernelVerdict, unsafe: KernelVerdict
) -> None:
    assert judge(safe=True, kinds=kinds, wrong=wrong, stopped=stopped)[0] is safe
    assert judge(safe=False, kinds=kinds, wrong=wrong, stopped=stopped)[0] is unsafe


def test_a_missing_instruction_breaks_an_unsafe_kernel_too() -> None:
    violation = "the machine code has no SHFL"
    for safe in (True, False):
        result = judge(safe=safe, kinds=[HazardKind.RAW], wrong=[], stopped=[], violations=[violation])
        assert result == (KernelVerdict.BROKEN, "the machine code has no SHFL; 1 hazard")


def test_a_sentence_names_all_faults_of_a_kernel() -> None:
    kinds = [HazardKind.RAW, HazardKind.WAR, HazardKind.ACTIVEMASK]
    assert judge(safe=True, kinds=kinds, wrong=list(POLICIES), stopped=SOME) == (
        KernelVerdict.BROKEN,
        "declared safe, but wrong under all 10 schedules, stopped by an error under 2 of 10 schedules, 2 hazards",
    )


@pytest.mark.parametrize("kind", HazardKind)
def test_every_kind_of_hazard_has_a_sentence(kind: HazardKind) -> None:
    assert "{place}" in WORDS[kind.name] or "{line}" in WORDS[kind.name]


def test_volatile_accesses_in_no_fixed_order_are_no_fault_of_a_kernel_that_is_right_under_every_order() -> None:
    kinds = [HazardKind.UNORDERED]
    assert judge(safe=True, kinds=kinds, wrong=[], stopped=[])[0] is KernelVerdict.CLEAN  # as in a file
    assert judge(safe=True, kinds=kinds, wrong=SOME, stopped=[])[0] is KernelVerdict.BROKEN


HARMLESS = [kind for kind in HazardKind if not kind.breaks and kind is not HazardKind.UNORDERED]


@pytest.mark.parametrize("kind", HARMLESS)
def test_every_harmless_kind_is_a_warning_or_a_notice(kind: HazardKind) -> None:
    assert judge(safe=True, kinds=[kind], wrong=[], stopped=[])[0].level in {Level.WARNING, Level.NOTICE}
