"""The instructions that `calibrate` times are really in the loops of its kernels, as often as it counts them."""

from collections import Counter
from functools import cache

import pytest

from shflbench.core.arch import load
from shflbench.cuda.compile.build import MachineCode, machine_code
from shflbench.cuda.compile.loops import counted_loops
from shflbench.cuda.compile.toolchain import find
from shflbench.measure.calibrate.compiled import sources
from shflbench.measure.calibrate.probe import FigureUnit, Probe
from shflbench.measure.calibrate.probes import select_supported

ARCHS = ["sm_90", pytest.param("sm_75", marks=pytest.mark.archs), pytest.param("sm_120", marks=pytest.mark.archs)]
BARELY = 1.05  # on sm_75 a vote needs a comparison beside it, and both together take all issue slots


@cache
def loops(arch: str) -> dict[str, Counter[str]]:
    """Return the opcodes with modifiers in the loop of each kernel; all are compiled as `calibrate` does."""
    wanted = sources(select_supported(arch))
    (built,) = machine_code([list(wanted.values())], arch, find())
    return {name: loop_of(code) for name, code in zip(wanted, built, strict=True)}


def loop_of(code: object) -> Counter[str]:
    assert isinstance(code, MachineCode), code
    assert code.sass is not None
    longest = max(counted_loops(code.sass), key=lambda loop: loop.end - loop.start, default=None)
    if longest is None:
        return Counter()
    return Counter(item.opcode for item in code.sass if longest.start <= item.address <= longest.end)


def measured(probe: Probe, arch: str, kernel: str | None = None) -> Counter[str]:
    """Return the instructions that the probe measures, by opcode with modifiers but for `.U` of Turing's LDS."""
    opcodes = loops(arch)[kernel or probe.kernel]
    return Counter(
        {name.replace("LDS.U", "LDS"): count for name, count in opcodes.items() if name.split(".")[0] in probe.opcodes}
    )


@pytest.mark.archs
@pytest.mark.parametrize("arch", ARCHS)
def test_loop_has_each_instruction_as_often_as_its_figure_counts_it(arch: str) -> None:
    counts = {probe.name: measured(probe, arch).total() for probe in select_supported(arch)}
    if arch == "sm_75":
        counts["int32_add"] -= 1  # the loop's counter
    assert counts == {probe.name: probe.count for probe in select_supported(arch)}


@pytest.mark.archs
def test_kernels_that_are_timed_beside_another_have_as_many_of_its_instructions() -> None:
    for probe in select_supported("sm_90"):
        assert {measured(probe, "sm_90", kernel).total() for kernel in probe.others} <= {probe.count}, probe.name


@pytest.mark.parametrize("arch", ARCHS)
def test_wide_requests_are_wide(arch: str) -> None:
    widths = {probe.name: set(measured(probe, arch)) for probe in select_supported(arch)}
    assert [widths[name] for name in ("lds32", "lds64", "lds128")] == [{"LDS"}, {"LDS.64"}, {"LDS.128"}]
    assert [widths[name] for name in ("sts32", "sts64", "sts128")] == [{"STS"}, {"STS.64"}, {"STS.128"}]
    for name in ("l1_bytes_per_clock", "l2_bytes_per_s", "dram_read_bytes_per_s", "dram_copy_bytes_per_s"):
        assert all(".128" in opcode for opcode in widths[name]), widths[name]


@pytest.mark.parametrize("arch", ARCHS)
def test_reads_past_the_l1_say_so(arch: str) -> None:
    strong = {name for name in loops(arch)["read<8, 1>"] if name.startswith("LDG")}
    through = {name for name in loops(arch)["l1_read<8, 1>"] if name.startswith("LDG")}
    assert strong
    assert through
    assert strong.isdisjoint(through)


@pytest.mark.parametrize("arch", ARCHS)
def test_other_instructions_of_a_loop_leave_its_unit_the_bottleneck(arch: str) -> None:
    table = load(arch)
    for probe in select_supported(arch):
        rate = probe.documented_value(table)
        if rate is None or probe.unit is not FigureUnit.RATE:
            continue
        clocks = probe.work / rate
        assert loops(arch)[probe.kernel].total() / 4 <= BARELY * clocks, probe.name


def test_local_memory_is_not_used() -> None:
    assert {
        opcode for opcodes in loops("sm_90").values() for opcode in opcodes if opcode.startswith(("LDL", "STL"))
    } == set()
