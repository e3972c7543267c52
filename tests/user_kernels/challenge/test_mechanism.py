"""The mechanism that machine code shows is the one that the variant declares."""

import pytest

from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder
from shflbench.core.model import Case, Kernel, Launch, Mechanism
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.patterns.discover import builtin, load
from shflbench.user_kernels.challenge.mechanism import mechanism_of

KERNELS = [
    ("reduce", "shfl", "f32"),
    ("reduce", "smem-syncwarp", "f32"),
    ("reduce", "smem8-shfl", "f32"),
    ("reduce", "redux", "i32"),
    ("batched-reduce", "mma", "f16"),
    ("private-array", "select", "f32"),
    ("staging", "cp-async", "i32"),
    ("count", "global", "i32"),
    ("stream", "global", "f32"),
    ("fragment-load", "ldmatrix-x4", "i16"),
    ("lane-array", "global", "f32"),
    ("transpose", "smem-stmatrix", "f32"),
    ("broadcast-last", "ballot", "f32"),
    ("handoff", "mbarrier", "i32"),
]


@pytest.mark.one_in(11)
@pytest.mark.parametrize(("name", "variant", "dtype"), KERNELS)
def test_it_is_that_of_the_published_variant(name: str, variant: str, dtype: str) -> None:
    pattern = load(builtin()[name])
    options = tuple(pattern.declaration.usual.options.items())
    case = Case(name, variant, dtype, Launch("sms x 256", 256, None), 64, options)
    builder = Builder(find(), DEFAULT_ARCH, cache_folder())
    ((_, kernel),) = builder.build_all({case: builder.request(pattern, case)})
    assert isinstance(kernel, Kernel)
    assert mechanism_of([kernel]) == pattern.declaration.variant(variant).mechanism


def test_spills_of_one_launch_decide_nothing() -> None:
    pattern = load(builtin()["private-array"])
    options = tuple(pattern.declaration.usual.options.items())
    builder = Builder(find(), DEFAULT_ARCH, cache_folder())
    cases = [
        Case("private-array", variant, "f32", Launch("sms x 64", 64, None), 64, options)
        for variant in ("select", "local")
    ]
    built = dict(builder.build_all({case: builder.request(pattern, case) for case in cases}))
    kernels = [kernel for kernel in built.values() if isinstance(kernel, Kernel)]
    assert [mechanism_of([kernel]) for kernel in kernels] == [Mechanism.REGISTER, Mechanism.LOCAL]
    assert mechanism_of(kernels) is Mechanism.GLOBAL  # whose code must have no instruction, and may have any
