"""Every instruction form that the compiler emits is known, and is run by a property test of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from tests.backends.emulator.declared import forms_under_test
from tests.backends.emulator.emitted import ARCHS, forms, modules

if TYPE_CHECKING:
    from shflbench.backends.emulator.ptx import Module


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


def test_every_form_has_a_property_test(emitted: dict[tuple[str, str], Module]) -> None:
    # Without normalisation: a form is an opcode with all its modifiers, cache hints and vectors among them.
    seen = set().union(*map(forms, emitted.values()))
    assert sorted(seen - set(forms_under_test())) == []


def test_a_form_without_a_property_test_would_be_found() -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one()\n{\n.reg .b32 %r<4>;\n"
    module = parse(text + "lg2.approx.ftz.f32 %r1, %r2;\nret;\n}\n")
    assert forms(module) - set(forms_under_test()) == {"lg2.approx.ftz.f32"}
