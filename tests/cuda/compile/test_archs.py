"""Kernels on six architectures: each dtype and some options on sm_90, and in turn on half of the others.

Complete, each combination of dtypes and options on sm_90, each dtype on all others, and each option on two of them.
"""

from collections.abc import Sequence

import pytest

from shflbench.patterns.discover import builtin
from tests import kernels
from tests.emulator.emitted import problems
from tests.thorough import all_or_a_sample

pytestmark = pytest.mark.archs


# Architectures for which most kernels have the same PTX, which is then parsed and linked once.
SIMILAR = [kernels.ARCHS[:4], kernels.ARCHS[4:]]


@pytest.mark.parametrize("pattern", builtin())
@pytest.mark.parametrize("archs", SIMILAR, ids="-".join)
@all_or_a_sample
def test_kernels_are_what_their_pattern_declares_and_the_emulator_runs_their_instructions(
    archs: Sequence[str], pattern: str, *, every: bool
) -> None:
    for arch in archs:
        if not every and not kernels.is_in_turn(pattern, arch):
            continue
        names = kernels.compile_pattern(pattern, arch, every=every)
        assert names, arch
        assert {name: found for name in names if (found := problems(name, arch))} == {}, arch
