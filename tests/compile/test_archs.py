"""Every kernel there is, on six architectures."""

import pytest

from shflbench.patterns.discover import builtin
from tests import kernels
from tests.backends.emulator.emitted import problems

pytestmark = pytest.mark.archs


@pytest.mark.parametrize("pattern", builtin())
@pytest.mark.parametrize("arch", kernels.ARCHS)
def test_kernels_are_what_their_pattern_declares_and_the_emulator_runs_their_instructions(
    arch: str, pattern: str
) -> None:
    names = kernels.compile_pattern(pattern, arch)
    assert names
    assert {name: found for name in names if (found := problems(name, arch))} == {}
