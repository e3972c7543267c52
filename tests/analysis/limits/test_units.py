import json
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest

from shflbench.analysis.limits import ExecutionUnit, unit_of
from shflbench.analysis.limits.units import _OPCODES, least_passes, waits_for_l2
from shflbench.core.model import Instruction

RESULTS = Path(__file__).parents[3] / "results"
ARCHIVES = [*sorted(RESULTS.glob("*/nvidia-h200/kernels.zip")), *sorted(RESULTS.glob("*/nvidia-h100/kernels.zip"))]


def instruction(opcode: str) -> Instruction:
    return Instruction(0, "", opcode, ())


def test_no_opcode_has_two_units() -> None:
    opcodes = Counter(opcode for text in _OPCODES.values() for opcode in text.split())
    assert [opcode for opcode, count in opcodes.items() if count > 1] == []
    assert set(_OPCODES) == set(ExecutionUnit)


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.parts[-3])
def test_every_instruction_of_every_recorded_kernel_has_a_unit(archive: Path) -> None:
    with ZipFile(archive) as files:
        kernels = json.loads(files.read("index.json"))["kernels"]
    opcodes = {opcode for kernel in kernels for opcode in kernel["instructions"]}
    assert len(opcodes) > 20
    assert {opcode for opcode in opcodes if unit_of(instruction(opcode)) is None} == set()


@pytest.mark.parametrize(
    ("opcode", "unit"),
    [
        ("SHFL.BFLY", ExecutionUnit.EXCHANGE),
        ("LDS.U.128", ExecutionUnit.EXCHANGE),
        ("IMAD.MOV.U32", ExecutionUnit.FP32),
        ("IDP.4A.U8.U8", ExecutionUnit.FP32),
        ("VIADD", ExecutionUnit.OTHER),  # faster on an H200 than the documented rate of integer additions
        ("IADD3.X", ExecutionUnit.INTEGER),
        ("UCGABAR_ARV", ExecutionUnit.CLUSTER_BARRIER),
        ("SYNCS.PHASECHK.TRANS64.TRYWAIT", ExecutionUnit.MBARRIER),
        ("REDAS.ADD", ExecutionUnit.CLUSTER_STORE),
        ("UBLKCP.S.G", ExecutionUnit.BULK_COPY),
        ("HMMA.16816.F32", ExecutionUnit.MATRIX),
        ("MOVM.16.MT88", ExecutionUnit.MATRIX),
        ("WGMMA", None),
    ],
)
def test_the_unit_depends_on_the_opcode_without_modifiers(opcode: str, unit: ExecutionUnit | None) -> None:
    assert unit_of(instruction(opcode)) is unit


@pytest.mark.parametrize(
    ("opcode", "passes"),
    [("SHFL.IDX", 1), ("STS", 1), ("STS.64", 2), ("STS.128", 4), ("LDS", 1), ("LDS.64", 1), ("LDS.128", 2)],
)
def test_a_wide_store_takes_a_pass_per_32_bits_and_a_load_at_least_half_of_that(opcode: str, passes: int) -> None:
    assert least_passes(instruction(opcode)) == passes


@pytest.mark.parametrize(
    "opcode", ["LD.E.STRONG.GPU", "ATOM.E.ADD.STRONG.GPU", "ATOMS.ADD", "STG.E.STRONG.GPU", "LDG.E.SYS"]
)
def test_what_may_access_shared_memory_or_l1_does_not_wait_for_l2(opcode: str) -> None:
    assert not waits_for_l2(instruction(opcode))
