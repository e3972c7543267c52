from shflbench.analysis.limits import ExecutionUnit, count
from tests.analysis.limits.timed import code, item

EXCHANGE, FP32, OTHER = ExecutionUnit.EXCHANGE, ExecutionUnit.FP32, ExecutionUnit.OTHER


def test_counts_are_per_iteration_of_an_unrolled_loop() -> None:
    counts = count(code("SHFL.IDX", "FADD", "FMUL", "SHFL.IDX", "FADD", "FMUL", "BRA", unroll=2))
    assert counts.instructions == counts.certain_instructions == 3.5
    assert list(counts.units.items()) == [(EXCHANGE, 1), (FP32, 2), (OTHER, 0.5)]  # in the order of the units
    assert counts.certain == counts.units
    assert counts.unknown == ()


def test_a_predicated_instruction_is_only_certain_to_be_issued() -> None:
    counts = count(code("@P0 STS.128", "FADD"))
    assert (counts.instructions, counts.certain_instructions) == (2, 2)
    assert counts.units == {EXCHANGE: 1, FP32: 1}
    assert counts.certain == {FP32: 1}
    assert counts.passes == 0


def test_an_instruction_that_some_passes_skip_is_not_certain_at_all() -> None:
    counts = count(code(item("SHFL.IDX", always=False), "FADD"))
    assert (counts.instructions, counts.certain_instructions) == (2, 1)
    assert counts.units == {EXCHANGE: 1, FP32: 1}
    assert counts.certain == {FP32: 1}
    assert counts.passes == 0


def test_passes_follow_the_width_of_requests() -> None:
    assert count(code("STS.128", "LDS.128", "SHFL.IDX", "FADD", unroll=2)).passes == (4 + 2 + 1) / 2


def test_unknown_opcodes_are_named_once_even_where_some_passes_skip_them() -> None:
    assert count(code("WGMMA.64x8", "FADD", "WGMMA.64x16", item("BREW", always=False))).unknown == ("BREW", "WGMMA")
