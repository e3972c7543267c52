"""The machine code of recorded kernels, read once for all runs that have the same."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.cuda.compile.sass import disassemble
from shflbench.kernel_facts import stored_code
from shflbench.kernel_facts.stored_code import KnownCodes, stored_codes
from shflbench.store.kernel_archive import KernelArchive

KERNELS = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200" / "kernels.zip"


@pytest.fixture
def disassembled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of kernels in each call of the disassembler."""
    counts: list[int] = []

    def counted(kernels: Sequence[bytes], *others: Any) -> Any:
        counts.append(len(kernels))
        return disassemble(kernels, *others)

    monkeypatch.setattr(stored_code, "disassemble", counted)
    return counts


@pytest.mark.archs
def test_only_kernels_that_are_not_known_are_disassembled(disassembled: list[int]) -> None:
    archive = KernelArchive.read(KERNELS)
    kernels = list({kernel.code_sha256: kernel for kernel in archive.index.kernels}.values())
    cases = [kernel.cases[0] for kernel in kernels]
    known: KnownCodes = {}
    first = stored_codes(archive, cases[:2], known)
    every = stored_codes(archive, cases, known)
    after_first = sum(1 + len(kernel.later) for kernel in kernels[2:])
    assert disassembled == [2, after_first]
    assert stored_codes(archive, cases, known) == every == stored_codes(archive, cases)
    assert disassembled == [2, after_first, 2 + after_first]
    assert {case: every[case] for case in cases[:2]} == {case: first[case] for case in cases[:2]}


def test_code_of_another_architecture_is_not_known() -> None:
    archive = KernelArchive.read(KERNELS)
    compiler = replace(archive.index.compiler, arch="sm_70")  # which nvdisasm 13 rejects
    other = KernelArchive(replace(archive.index, compiler=compiler), archive.contents)
    case = archive.index.kernels[0].cases[0]
    known: KnownCodes = {}
    assert stored_codes(archive, [case], known)[case].reason == ""
    assert stored_codes(other, [case], known)[case].reason == "no disassembler here can read sm_70"
