from pathlib import Path

import pytest

from shflbench.compile.sass import disassemble
from shflbench.compile.toolchain import Toolchain
from shflbench.errors import CompilerError
from shflbench.model import Kernel
from tests.compile.conftest import Build
from tests.compile.planted import planted


@pytest.fixture
def kernel(build: Build, tmp_path: Path) -> Kernel:
    return build(planted(tmp_path / "source"))


def test_instructions_lie_one_behind_the_other(kernel: Kernel) -> None:
    assert kernel.sass is not None
    assert [instruction.address for instruction in kernel.sass] == [16 * i for i in range(len(kernel.sass))]
    shuffles = [instruction for instruction in kernel.sass if instruction.base == "SHFL"]
    assert len(shuffles) == 17  # 16 in the unrolled loop, one in the loop for the remaining trips
    assert {shuffle.opcode for shuffle in shuffles} == {"SHFL.IDX"}
    assert all(len(shuffle.operands) == 5 for shuffle in shuffles)


def test_predicate_stands_apart_from_the_opcode(kernel: Kernel) -> None:
    assert kernel.sass is not None
    predicated = [instruction for instruction in kernel.sass if instruction.predicate]
    assert predicated
    assert all(instruction.predicate.startswith("@") and " " not in instruction.opcode for instruction in predicated)


def test_what_the_disassembler_does_not_read_is_unknown(toolchain: Toolchain) -> None:
    assert disassemble(b"no cubin", ["own"], toolchain.nvdisasm) is None


def test_kernel_that_is_not_in_the_cubin_is_an_error(toolchain: Toolchain, kernel: Kernel) -> None:
    with pytest.raises(CompilerError, match=r"answers what shflbench cannot read: KeyError\('another'\)"):
        disassemble(kernel.cubin, ["another"], toolchain.nvdisasm)


def test_disassembler_that_answers_nonsense_is_named(tmp_path: Path) -> None:
    script = tmp_path / "nvdisasm"
    script.write_text("#!/bin/sh\necho nonsense\n", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(CompilerError, match=f"^{script} answers what shflbench cannot read") as caught:
        disassemble(b"", ["own"], script)
    assert caught.value.advice == "Install nvidia-cuda-nvdisasm 13 or newer."


def test_disassembler_that_does_not_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(CompilerError, match=f"^{tmp_path}/gone does not run: ") as caught:
        disassemble(b"", ["own"], tmp_path / "gone")
    assert caught.value.advice == "Reinstall nvidia-cuda-nvdisasm."
