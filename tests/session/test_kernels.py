"""Everything that determines the kernel of a case."""

from dataclasses import replace

import pytest

from shflbench.model import Case, Launch
from shflbench.patterns.discover import builtin, load
from shflbench.session.kernels import key

CASE = Case("neighbor", "shfl", "f32", Launch("4x64", 64, 4), 1024, (("mode", "idx"), ("carveout", "50")))


@pytest.mark.parametrize("static", [False, True])
def test_launch_determines_the_kernel_only_by_a_static_block(*, static: bool) -> None:
    pattern = replace(load(builtin()["neighbor"]).declaration, static_block=static)
    own = key(CASE, pattern)
    assert own[3] == ((("mode", "idx"), ("block", "64")) if static else (("mode", "idx"),))
    assert key(replace(CASE, launch=Launch("26x64", 64, 26), iterations=7), pattern) == own
    assert (key(replace(CASE, launch=Launch("4x128", 128, 4)), pattern) == own) is not static
