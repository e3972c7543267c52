"""The output of compute-sanitizer as in its manual and in public issues."""

import pytest

from shflbench.kernel_facts.pattern_checks.sanitizer_result import Count, SanitizerResult, Tool, parse

UNSAFE, RIGHT, CRASH = "neighbor/smem-unsafe/f32", "neighbor/smem/f32", "pairs/past-the-end/i32"
SYMBOLS = {
    UNSAFE: ("neighbor_smem_unsafe<float>(", "_Z20neighbor_smem_unsafeIfEvPKT_PS0_i"),
    RIGHT: ("neighbor_smem<float>(", "_Z13neighbor_smemIfEvPKT_PS0_i"),
    CRASH: ("pairs_past_the_end<int>(", "_Z18pairs_past_the_endIiEvPKT_PS0_i"),
}
RACECHECK = """\
========= COMPUTE-SANITIZER
shflbench checks neighbor/smem/f32
ran
shflbench checks neighbor/smem-unsafe/f32
========= Warning: Race reported between Read access at neighbor_smem_unsafe<float>(T1*, int)+0x1f0 in kernels.cu:60
=========     and Write access at neighbor_smem_unsafe<float>(T1*, int)+0x1d0 in kernels.cu:59 [65280 hazards]
=========     and Write access at neighbor_smem_unsafe<float>(T1*, int)+0x240 in kernels.cu:59 [260 hazards]
=========
========= Error: Race reported between Write access at 0x1f20 in kernels.cu:59:neighbor_smem_unsafe<float>(T1*, int)
=========     and Read access at 0x14b0 in kernels.cu:60:neighbor_smem_unsafe<float>(T1*, int) [4 hazards]
=========
ran
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
"""
OLD_RACECHECK = """\
========= CUDA-MEMCHECK
shflbench checks neighbor/smem-unsafe/f32
========= WARN:(Warp Level Programming) Potential RAW hazard detected at __shared__ 0xf4 in block (0, 0, 0):
=========     Write Thread (24, 0, 0) at 0x00001ab0 in kernels.cu:59:_Z20neighbor_smem_unsafeIfEvPKT_PS0_i
=========     Read Thread (23, 0, 0) at 0x00001ae0 in kernels.cu:60:_Z20neighbor_smem_unsafeIfEvPKT_PS0_i
ran
"""
MEMCHECK = """\
========= COMPUTE-SANITIZER
shflbench checks pairs/past-the-end/i32
========= Invalid __global__ read of size 4 bytes
=========     at pairs_past_the_end<int>(const T1*, T1*, int)+0x90 in kernels.cu:117
=========     by thread (127,0,0) in block (1,0,0)
=========     Address 0x7f55d4000400 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame:  [0x2dfbef] in libcuda.so.1
=========
========= Program hit cudaErrorLaunchFailure (error 719) on CUDA API call to cudaMemcpy.
=========     Saved host backtrace up to driver entry point at error
=========
failed: pairs: cudaErrorLaunchFailure
========= ERROR SUMMARY: 1 error
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
shflbench checks neighbor/smem/f32
========= Barrier error detected. Divergent thread(s) in warp
=========     at neighbor_smem<float>(const T1*, T1*, int)+0x330 in kernels.cu:18
=========     by thread (32,0,0) in block (0,0,0)
=========
ran
========= ERROR SUMMARY: 1 error
"""


def test_races_are_counted_by_level_and_belong_to_the_kernel_that_they_name() -> None:
    counts = parse(RACECHECK, SYMBOLS)
    assert counts[RIGHT] == Count()
    found = counts[UNSAFE]
    assert (found.errors, found.warnings, found.hazards) == (1, 1, 65280 + 260 + 4)
    assert found.first.startswith("Warning: Race reported between Read access at neighbor_smem_unsafe<float>(")
    assert found.first.endswith("in kernels.cu:59 [260 hazards]")


def test_the_form_before_compute_sanitizer_is_read_as_well() -> None:
    found = parse(OLD_RACECHECK, SYMBOLS)[UNSAFE]
    assert (found.errors, found.warnings, found.hazards) == (0, 1, 1)


def test_an_illegal_access_is_one_error_and_the_message_of_cuda_is_not_counted() -> None:
    found = parse(MEMCHECK, SYMBOLS)[CRASH]
    assert (found.errors, found.warnings, found.hazards) == (1, 0, 0)
    assert found.first.startswith("Invalid __global__ read of size 4 bytes at pairs_past_the_end<int>(")


def test_a_divergent_barrier_is_an_error() -> None:
    found = parse(SYNCCHECK, SYMBOLS)[RIGHT]
    assert (found.errors, found.first[:22]) == (1, "Barrier error detected")


def test_a_record_that_comes_late_belongs_to_the_kernel_that_it_names() -> None:
    lines = RACECHECK.splitlines()
    late = "\n".join([*lines[:5], f"shflbench checks {RIGHT}", *lines[5:]]).replace(
        "checks neighbor/smem-", "checks x-"
    )
    assert parse(late, SYMBOLS)[UNSAFE].warnings == 1
    assert parse(late, SYMBOLS)[RIGHT] == Count()


def test_a_record_without_a_name_belongs_to_the_kernel_that_is_running() -> None:
    text = (
        f"shflbench checks {RIGHT}\n========= Barrier error detected. Invalid arguments\n=========     at 0x330\nran\n"
    )
    assert parse(text, SYMBOLS)[RIGHT].errors == 1


def test_a_record_of_kernels_that_share_a_name_belongs_to_the_running_one() -> None:
    symbols = {"pairs/x/i32/depth=1": ("pairs_x<int>(",), "pairs/x/i32/depth=2": ("pairs_x<int>(",)}
    text = (
        "shflbench checks pairs/x/i32/depth=2\n========= Invalid __shared__ read\n=========     at pairs_x<int>(int)\n"
    )
    counts = parse(text, symbols)
    assert {name: count.errors for name, count in counts.items()} == {"pairs/x/i32/depth=2": 1}


def test_warnings_about_the_tool_are_not_counted() -> None:
    text = f"shflbench checks {RIGHT}\n========= Warning: Maximum number of hazards reached.\nran\n"
    assert parse(text, SYMBOLS) == {RIGHT: Count()}


@pytest.mark.parametrize(
    "text", ["", "no marker\n", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"]
)
def test_output_without_kernels_has_no_counts(text: str) -> None:
    assert parse(text, SYMBOLS) == {}


def test_a_result_counts_warnings_and_names_tools_without_a_result() -> None:
    quiet = {Tool.SYNCCHECK: Count(), Tool.MEMCHECK: Count()}
    assert SanitizerResult({Tool.RACECHECK: Count(), **quiet}).sentence == "nothing found"
    warned = SanitizerResult({Tool.RACECHECK: Count(0, 2, 65540), **quiet})
    assert (warned.has_findings, warned.sentence) == (True, "racecheck: 2 warnings (65540 hazards)")
    partly = SanitizerResult({Tool.RACECHECK: Count(1, 1, 2)})
    assert partly.sentence == "racecheck: 1 error, 1 warning; synccheck: no result; memcheck: no result"
