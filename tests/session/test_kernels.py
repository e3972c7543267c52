"""Everything that determines the kernel of a case."""

from dataclasses import replace

import pytest

from shflbench.core.model import Case, Launch
from shflbench.patterns.discover import builtin, load
from shflbench.session.kernels import key

CASE = Case("neighbor", "shfl", "f32", Launch("4x64", 64, 4), 1024, (("mode", "idx"), ("carveout", "50")))


@pytest.mark.parametrize("static", [False, True])
def test_launch_determines_the_kernel_only_by_a_static_block(*, static: bool) -> None:
    pattern = replace(load(builtin()["neighbor"]).declaration, static_block=static, launch_bounds=False)
    own = key(CASE, pattern, "sm_90")
    assert own[3] == ((("mode", "idx"), ("block", "64")) if static else (("mode", "idx"),))
    assert key(replace(CASE, launch=Launch("26x64", 64, 26), iterations=7), pattern, "sm_90") == own
    assert (key(replace(CASE, launch=Launch("4x128", 128, 4)), pattern, "sm_90") == own) is not static


def test_launch_bounds_are_part_of_what_a_kernel_is_compiled_for() -> None:
    pattern = load(builtin()["neighbor"]).declaration
    own = key(CASE, pattern, "sm_90")
    assert own[3] == (("mode", "idx"), ("block", "64"), ("blocks_per_sm", "1"))
    assert key(replace(CASE, launch=Launch("26x64", 64, 26)), pattern, "sm_90") == own  # one block per SM, too
    filled = key(replace(CASE, launch=Launch("fill x 64", 64, None)), pattern, "sm_90")
    assert filled[3] == (("mode", "idx"), ("block", "64"))
