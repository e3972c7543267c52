import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from shflbench.core.model import Kernel
from shflbench.cuda.compile import nvdisasm, sass
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.nvrtc import compile_unit
from shflbench.cuda.compile.sass import disassemble, parse
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import CompilerError
from tests import kernels
from tests.cuda.compile.conftest import Build
from tests.cuda.compile.planted import planted

UNITS = ("reduce/cub/i32/width=32", "bitonic-sort/shfl/f64/payload=value", "neighbor/smem/bf16/mode=up")


@pytest.fixture
def kernel(build: Build, tmp_path: Path) -> Kernel:
    return build(planted(tmp_path / "source"))


def test_instructions_have_consecutive_addresses(kernel: Kernel) -> None:
    assert kernel.sass is not None
    assert [instruction.address for instruction in kernel.sass] == [16 * i for i in range(len(kernel.sass))]
    shuffles = [instruction for instruction in kernel.sass if instruction.base == "SHFL"]
    assert len(shuffles) == 17  # 16 in the unrolled loop, one in the loop for the remaining iterations
    assert {shuffle.opcode for shuffle in shuffles} == {"SHFL.IDX"}
    assert all(len(shuffle.operands) == 5 for shuffle in shuffles)


def test_predicate_is_separate_from_the_opcode(kernel: Kernel) -> None:
    assert kernel.sass is not None
    predicated = [instruction for instruction in kernel.sass if instruction.predicate]
    assert predicated
    assert all(instruction.predicate.startswith("@") and " " not in instruction.opcode for instruction in predicated)


@pytest.mark.archs
@pytest.mark.parametrize(
    ("arch", "names"),
    [
        ("sm_90", UNITS[1:]),
        *(pytest.param(arch, UNITS, marks=pytest.mark.archs) for arch in ("sm_75", "sm_90", "sm_120")),
    ],
)
def test_kernels_of_several_cubins_read_as_each_cubin_does(
    arch: str, names: Sequence[str], toolchain: Toolchain, tmp_path: Path
) -> None:
    code: list[bytes] = []
    expected: list[list[tuple[str, str, list[str]]]] = []
    for name in names:
        (unit,) = (names for names in kernels.units(arch) if name in names)
        compiled = compile_unit([kernels.source_of(name) for name in unit[:4]], arch, toolchain)
        of_kernel = kernel_code(compiled[0].cubin)
        (tmp_path / "cubin").write_bytes(compiled[0].cubin)
        command = [str(toolchain.nvdisasm), "-json", str(tmp_path / "cubin")]
        document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        by_symbol = {function["function-name"]: function["sass-instructions"] for function in document[1]}
        assert set(of_kernel) == set(by_symbol)
        for symbol, items in by_symbol.items():
            code.append(of_kernel[symbol])
            listed = [(item.get("predicate", ""), item["opcode"], item.get("operands", "")) for item in items]
            expected.append([(*start, operands.split(",") if operands else []) for *start, operands in listed])
    sass = disassemble(code, arch, toolchain.nvdisasm)
    assert sass is not None
    assert [[(i.predicate, i.opcode, list(i.operands)) for i in kernel] for kernel in sass] == expected
    branches = [i for kernel in sass for i in kernel if i.base == "BRA"]
    assert len(branches) > len(sass)


def test_address_outside_the_kernel_is_unchanged() -> None:
    jump = {"opcode": "CALL.ABS.NOINC", "operands": "0x0", "other-attributes": {"control-flow": "True"}}
    back = {"opcode": "BRA", "operands": "0x10", "other-attributes": {"control-flow": "True"}}
    first, second = parse([{}, [{"sass-instructions": [{"opcode": "NOP"}, jump, back]}]], [16, 32])
    assert [instruction.operands for instruction in first] == [()]
    assert [instruction.operands for instruction in second] == [("0x0",), ("0x0",)]
    assert [instruction.address for instruction in second] == [0, 16]


def test_architecture_that_the_disassembler_rejects_has_no_instructions(toolchain: Toolchain) -> None:
    assert disassemble([bytes(16)], "sm_70", toolchain.nvdisasm) is None


def test_cubin_that_is_no_elf_file_is_rejected() -> None:
    with pytest.raises(CompilerError, match=r"^NVRTC returned a cubin that is not an ELF file"):
        kernel_code(b"no cubin")


def test_wrong_number_of_instructions_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^1 instructions in 32 bytes$"):
        parse([{}, [{"sass-instructions": [{"opcode": "NOP"}]}]], [32])


def test_code_in_the_cache_is_not_disassembled_again(
    kernel: Kernel, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, cache = kernel_code(kernel.cubin)[kernel.symbol], tmp_path / "cache"
    first = disassemble([code], kernel.arch, toolchain.nvdisasm, cache)
    calls: list[Sequence[str]] = []
    monkeypatch.setattr(nvdisasm, "call", lambda _, *words: calls.append(words))
    assert disassemble([code], kernel.arch, toolchain.nvdisasm, cache) == first == [kernel.sass]
    assert not calls
    assert disassemble([code, code], kernel.arch, toolchain.nvdisasm, cache) is None  # what this nvdisasm prints
    assert disassemble([code], "sm_80", toolchain.nvdisasm, cache) is None
    assert disassemble([code], kernel.arch, toolchain.nvdisasm) is None
    assert len(calls) == 3


def test_another_disassembler_is_called_for_code_in_the_cache(
    kernel: Kernel, toolchain: Toolchain, tmp_path: Path
) -> None:
    code, script = kernel_code(kernel.cubin)[kernel.symbol], tmp_path / "nvdisasm"
    script.write_text("#!/bin/sh\necho nonsense\n", encoding="utf-8")
    script.chmod(0o755)
    assert disassemble([code], kernel.arch, toolchain.nvdisasm, tmp_path)
    with pytest.raises(CompilerError, match="prints what shflbench cannot read"):
        disassemble([code], kernel.arch, script, tmp_path)


def test_much_code_is_not_cached(
    kernel: Kernel, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, cache = kernel_code(kernel.cubin)[kernel.symbol], tmp_path / "cache"
    monkeypatch.setattr(sass, "MOST_CACHED_BYTES", len(code))
    assert disassemble([code, code], kernel.arch, toolchain.nvdisasm, cache)
    assert not cache.exists()
    assert disassemble([code], kernel.arch, toolchain.nvdisasm, cache)
    assert cache.exists()


def test_disassembler_with_invalid_output_is_named(tmp_path: Path) -> None:
    script = tmp_path / "nvdisasm"
    script.write_text("#!/bin/sh\necho nonsense\n", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(CompilerError, match=f"^{script} prints what shflbench cannot read") as caught:
        disassemble([bytes(16)], "sm_90", script)
    assert caught.value.advice == "Install nvidia-cuda-nvdisasm 13 or newer."


def test_disassembler_that_does_not_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(CompilerError, match=f"^{tmp_path}/gone does not run: ") as caught:
        disassemble([bytes(16)], "sm_90", tmp_path / "gone")
    assert caught.value.advice == "Reinstall nvidia-cuda-nvdisasm."
