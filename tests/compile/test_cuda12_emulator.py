"""What NVRTC 12 emits is known to the emulator; run by `make test-cuda12` in an environment of its own."""

from __future__ import annotations

import pytest

from shflbench.backends.emulator.link import link
from tests.backends.emulator.emitted import modules

pytestmark = pytest.mark.cuda12

ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


def test_every_kernel_loads_in_the_emulator() -> None:
    loaded = 0
    for (arch, name), module in modules(ARCHS).items():
        for kernel in (function.name for function in module.functions.values() if function.entry):
            assert link(module, kernel).blocks, (arch, name, kernel)
            loaded += 1
    assert loaded >= 67 * len(ARCHS)
