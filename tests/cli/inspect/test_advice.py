"""Advice of `shflbench inspect` about spills, local memory, occupancy and accesses, with the source line."""

import re

import pytest

from tests.conftest import Command


def advice(text: str, variant: str) -> list[str]:
    return re.findall(rf"^  {variant}: (?!no limit|the limit|skipped)(.*)$", text, re.MULTILINE)


@pytest.mark.archs
def test_a_spill_has_its_size_its_line_and_a_remedy(inspect: Command) -> None:
    (sentence,) = advice(inspect("rolled", "--variant", "spilling").out, "spilling")
    assert re.fullmatch(
        r"spills \d+ bytes of registers per thread to local memory \(most accesses: rolled/kernels\.cu:33\); keep "
        r"fewer values at a time, unroll less, or allow more registers with __launch_bounds__",
        sentence,
    )


@pytest.mark.archs
def test_a_kernel_that_uses_all_registers_of_its_launch_bounds_says_so(inspect: Command) -> None:
    words = ("batched-reduce", "--dtype", "f32", "--variant", "butterflies", "--variant", "smem")
    printed = advice(inspect(*words).out, "(?:butterflies|smem, butterflies|butterflies, smem)")
    bounded = (
        "uses all 64 registers per thread that its launch bounds allow; smaller blocks, or fewer blocks per SM in "
    )
    assert f"{bounded}`__launch_bounds__`, allow more" in printed
    spilling = [sentence for sentence in printed if sentence.startswith("spills")]
    assert spilling
    assert len(printed) > len(spilling)


def test_local_memory_without_spills_has_its_line_and_a_remedy(inspect: Command) -> None:
    outcome = inspect("others.yaml", "--variant", "local")
    (sentence,) = (item for item in advice(outcome.out, "local") if item.startswith("keeps"))
    assert re.fullmatch(
        r"keeps 128 bytes per thread in local memory \(most accesses: .*private_array/copy\.cu:\d+\); index arrays "
        r"with constants, for example in an unrolled loop, so that they fit into registers",
        sentence,
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("words", "variant", "sentence"),
    [
        (
            ("rolled", "--resident", "1x256"),
            "hoarding",
            "71 registers per thread allow 24 of 64 warps per SM; 64 allow 32: `__launch_bounds__(256, 4)`",
        ),
        (
            ("rolled",),
            "hoarding",
            (
                "71 registers per thread allow no block of 1024 threads on an SM; 64 allow 32: "
                "`__launch_bounds__(1024, 1)`"
            ),
        ),
        (
            ("rolled", "--arch", "sm_86"),
            "alone",
            "whole blocks of 1024 threads fill 32 of 48 warps per SM; blocks of 768 threads fill 48",
        ),
        (
            ("rolled", "--resident", "1x32"),
            "alone",
            (
                "blocks of 32 threads fill 32 of 64 warps per SM, because an SM holds 32 blocks; "
                "blocks of 64 threads fill 64"
            ),
        ),
        (
            ("wide.yaml", "--arch", "sm_120", "--resident", "1x512"),
            "smem",
            "65536 bytes of shared memory per block allow 16 of 48 warps per SM; 50176 bytes allow 32",
        ),
    ],
)
def test_low_occupancy_has_its_cause_and_a_remedy(
    inspect: Command, words: tuple[str, ...], variant: str, sentence: str
) -> None:
    place = " at rolled/kernels.cu:47 makes the compiler use no more, and may make it spill"
    (printed,) = advice(inspect(*words, "--variant", variant).out, variant)
    assert printed.removesuffix(place) == sentence


def test_accesses_are_run_in_the_emulator_on_request(inspect: Command) -> None:
    words = ("others.yaml", "--variant", "smem")
    assert advice(inspect(*words).out, "smem") == []
    (sentence,) = advice(inspect(*words, "--accesses").out, "smem")
    assert re.fullmatch(
        r".*transpose/copy\.cu:\d+: bank conflicts: a load of 128 bits takes 8 passes instead of 4; pad or permute "
        r"the array, so that the lanes of a warp access different banks",
        sentence,
    )


def test_uncoalesced_accesses_are_found(inspect: Command) -> None:
    outcome = inspect("others.yaml", "--variant", "direct", "--variant", "soa", "--accesses")
    (sentence,) = advice(outcome.out, "direct")
    assert re.fullmatch(
        r".*struct_access/copy\.cu:\d+: uncoalesced: a load of 32 bits touches 16 sectors of 32 bytes instead of "
        r"4; let neighboring lanes access neighboring addresses",
        sentence,
    )
    assert advice(outcome.out, "soa") == []


def test_a_kernel_that_the_emulator_cannot_run_says_so(inspect: Command) -> None:
    outcome = inspect("pairs", "--dtype", "i32", "--variant", "deadlock", "--accesses")
    assert outcome.code == 0
    assert "  deadlock: its memory accesses are not counted: " in outcome.out


def test_blocks_that_do_not_fit_at_a_time_are_a_note(inspect: Command) -> None:
    outcome = inspect("rolled", "--variant", "hoarding", "--resident", "4x256")
    assert "  hoarding: only 3 of 4 blocks fit on an SM at a time; the others wait\n" in outcome.out
    assert "the others wait" not in inspect("rolled", "--variant", "hoarding", "--resident", "3x256").out
