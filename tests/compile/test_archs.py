"""Every kernel there is on sm_90; on five other architectures each dtype, and each option on two of them."""

from collections.abc import Sequence

import pytest

from shflbench.patterns.discover import builtin
from tests import kernels
from tests.emulator.emitted import problems

pytestmark = pytest.mark.archs


# Architectures for which most kernels have the same PTX, which is then parsed and linked once.
SIMILAR = [kernels.ARCHS[:4], kernels.ARCHS[4:]]


@pytest.mark.parametrize("pattern", builtin())
@pytest.mark.parametrize("archs", SIMILAR, ids="-".join)
def test_kernels_are_what_their_pattern_declares_and_the_emulator_runs_their_instructions(
    archs: Sequence[str], pattern: str
) -> None:
    for arch in archs:
        names = kernels.compile_pattern(pattern, arch)
        assert names, arch
        assert {name: found for name in names if (found := problems(name, arch))} == {}, arch
