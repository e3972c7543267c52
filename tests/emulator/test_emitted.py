"""Every instruction form that the compiler emits is known, and is run by a property test of its own."""

from collections.abc import Sequence
from functools import cache

import pytest

from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import Module
from tests import kernels
from tests.emulator.declared import forms_under_test
from tests.emulator.emitted import forms, torture


@cache
def emitted(arch: str) -> dict[str, Module]:
    return torture(arch)


@pytest.mark.archs
@pytest.mark.parametrize(
    "arch", [arch if arch == "sm_90" else pytest.param(arch, marks=pytest.mark.archs) for arch in kernels.ARCHS]
)
def test_every_torture_file_loads(arch: str) -> None:
    loaded = 0
    for name, module in emitted(arch).items():
        for kernel in (function.name for function in module.functions.values() if function.entry):
            assert link(module, kernel).blocks, (name, kernel)
            loaded += 1
    assert loaded >= 14


@pytest.mark.archs
@pytest.mark.parametrize(
    ("archs", "many"), [(("sm_90",), 450), pytest.param(kernels.ARCHS, 500, marks=pytest.mark.archs)]
)
def test_the_torture_files_cover_many_forms_each_with_a_property_test(archs: Sequence[str], many: int) -> None:
    seen = {form for arch in archs for module in emitted(arch).values() for form in forms(module)}
    assert len(seen) > many
    assert {"redux.sync.add.s32", "shfl.sync.up.b32", "match.any.sync.b64", "fma.rn.bf16x2", "madc.hi.u32"} <= seen
    assert sorted(seen - set(forms_under_test())) == []


def test_a_form_without_a_property_test_would_be_found() -> None:
    text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry one()\n{\n.reg .b32 %r<4>;\n"
    module = parse(text + "lg2.approx.ftz.f32 %r1, %r2;\nret;\n}\n")
    assert forms(module) - set(forms_under_test()) == {"lg2.approx.ftz.f32"}
