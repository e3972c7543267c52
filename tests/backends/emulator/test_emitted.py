"""Every instruction form that the compiler emits is known, and every opcode has a test of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shflbench.backends.emulator.link import link
from tests.backends.emulator.emitted import ARCHS, forms, modules

if TYPE_CHECKING:
    from shflbench.backends.emulator.ptx import Module

PROPERTY_TESTS = Path(__file__).parent / "opcodes"
# Opcodes that only show inside of a kernel, and where one shows.
IN_KERNELS = {
    "bra": "test_kernels.py",
    "call": "test_schedules.py",
    "ret": "test_kernels.py",
}


@pytest.fixture(scope="module")
def emitted() -> dict[tuple[str, str], Module]:
    return modules(ARCHS)


@pytest.mark.parametrize("arch", ARCHS)
def test_every_kernel_of_every_file_loads(arch: str, emitted: dict[tuple[str, str], Module]) -> None:
    loaded = 0
    for (of, name), module in emitted.items():
        for kernel in (function.name for function in module.functions.values() if function.entry and of == arch):
            assert link(module, kernel).blocks, (name, kernel)
            loaded += 1
    assert loaded >= 67


def test_the_files_cover_many_forms(emitted: dict[tuple[str, str], Module]) -> None:
    seen = set().union(*map(forms, emitted.values()))
    assert len(seen) > 500
    assert {"redux.sync.add.s32", "shfl.sync.up.b32", "match.any.sync.b64", "fma.rn.bf16x2", "madc.hi.u32"} <= seen


def test_every_opcode_has_a_property_test(emitted: dict[tuple[str, str], Module]) -> None:
    opcodes = {form.split(".")[0] for module in emitted.values() for form in forms(module)}
    tests = "".join(path.read_text() for path in sorted(PROPERTY_TESTS.glob("test_*.py")))
    untested = {opcode for opcode in opcodes if not re.search(rf"[\"'(; ]{opcode}[.\"']", tests)}
    assert untested == set(IN_KERNELS)


@pytest.mark.parametrize(("opcode", "file"), IN_KERNELS.items())
def test_the_other_opcodes_are_in_kernels_that_are_tested(
    opcode: str, file: str, emitted: dict[tuple[str, str], Module]
) -> None:
    assert any(form.split(".")[0] == opcode for module in emitted.values() for form in forms(module))
    assert (Path(__file__).parent / file).is_file()
