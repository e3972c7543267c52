"""The launches that are tuned where the user names none."""

import pytest

from shflbench.advice.tuner.request import default_launches, for_arch, tunable, tune_request
from shflbench.patterns.discover import builtin_declaration


@pytest.mark.parametrize(
    ("arch", "last"),
    [("sm_75", "sms x 1024"), ("sm_86", "2*sms x 768"), ("sm_90", "2*sms x 1024"), ("sm_999", "2*sms x 1024")],
)
def test_the_default_launches_end_with_all_warps_that_an_sm_holds(arch: str, last: str) -> None:
    request = for_arch(tune_request("reduce", None, {}, ()), arch)
    assert request.launches[:2] == ("sms x 32", "sms x 256")
    assert request.launches[-1] == last
    assert len({*request.launches}) == len(request.launches)


@pytest.mark.parametrize("pattern", tunable())
def test_the_default_launches_have_blocks_that_the_pattern_supports(pattern: str) -> None:
    declared = builtin_declaration(pattern)
    assert declared
    for most in (32, 48, 64):
        blocks = [int(launch.rpartition(" x ")[2]) for launch in default_launches(declared, most)]
        assert blocks
        assert all(block in (declared.block_sizes or range(32, 1025, 32)) for block in blocks)
