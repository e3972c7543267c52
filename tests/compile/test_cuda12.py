"""Every kernel with NVRTC 12, which older GPUs need; run by `make test-cuda12` in an environment of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.compile.build import Builder
from shflbench.compile.toolchain import Toolchain, find
from shflbench.model import Case, Launch
from shflbench.patterns.discover import builtin, load

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.cuda12

ARCHITECTURES = (70, 75, 80, 86, 89, 90)
LAUNCH = Launch("26x1024", 1024, 26)
KERNELS = [
    (name, variant.name, dtype)
    for name, folder in builtin().items()
    for variant in load(folder).declaration.variants
    for dtype in variant.dtypes or load(folder).declaration.dtypes
]


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    toolchain = find()
    assert toolchain.nvrtc[0] == 12
    return toolchain


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize("capability", ARCHITECTURES)
@pytest.mark.parametrize(("pattern", "variant", "dtype"), KERNELS)
def test_every_kernel_compiles_and_keeps_its_promises(
    toolchain: Toolchain, cache: Path, capability: int, pattern: str, variant: str, dtype: str
) -> None:
    loaded = load(builtin()[pattern])
    needs = loaded.declaration.variant(variant).needs
    if needs and capability < int(needs.removeprefix("sm_")):
        pytest.skip(f"{variant} needs {needs}")
    builder = Builder(toolchain, f"sm_{capability}", cache)
    kernel = builder.build(loaded, Case(pattern, variant, dtype, LAUNCH, 4096))
    assert kernel.violations == ()
    # nvdisasm 13, the only one published as a package, does not read sm_70: unknown, and no error.
    assert (kernel.sass is None) == (capability == 70)
    assert (kernel.loop is None) == (capability == 70)
