"""What NVRTC 12 emits is known to the emulator; run by `make test-cuda12` in an environment of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.backends.emulator.link import link
from tests.backends.emulator.declared import forms_under_test
from tests.backends.emulator.emitted import forms, modules

if TYPE_CHECKING:
    from shflbench.backends.emulator.ptx import Module

pytestmark = pytest.mark.cuda12

ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@pytest.fixture(scope="module")
def emitted() -> dict[tuple[str, str], Module]:
    return modules(ARCHS)


def test_every_kernel_loads_in_the_emulator(emitted: dict[tuple[str, str], Module]) -> None:
    loaded = 0
    for (arch, name), module in emitted.items():
        for kernel in (function.name for function in module.functions.values() if function.entry):
            assert link(module, kernel).blocks, (arch, name, kernel)
            loaded += 1
    assert loaded >= 67 * len(ARCHS)


def test_every_form_has_a_property_test(emitted: dict[tuple[str, str], Module]) -> None:
    assert sorted(set().union(*map(forms, emitted.values())) - set(forms_under_test())) == []
