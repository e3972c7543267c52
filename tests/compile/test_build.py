from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.compile.build import Builder
from shflbench.compile.rules import exchanges
from shflbench.model import DTYPES, Mechanism
from shflbench.patterns.declare import EXCHANGES
from tests import kernels
from tests.compile.planted import case, planted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.compile.toolchain import Toolchain
    from tests.compile.conftest import Build
    from tests.trial import Tried


@pytest.mark.parametrize("built_in", kernels.with_every_dtype())
def test_machine_code_of_every_kernel_keeps_what_its_pattern_promises(
    built_in: str, tried: Mapping[str, Tried]
) -> None:
    kernel, variant = tried[built_in].kernel, kernels.variant_of(built_in)
    assert kernel is not None, tried[built_in].wrong
    assert kernel.violations == ()
    assert kernel.resources.spill_bytes == 0
    assert kernel.resources.local_bytes == 0 or variant.mechanism is Mechanism.LOCAL
    declaration, case = kernels.subjects()[built_in].pattern.declaration, kernels.subjects()[built_in].case
    promised = variant.promised(DTYPES[case.dtype], dict(case.options))
    if kernel.loop is not None and promised is not None:
        a_trip = {opcode: count / declaration.unroll for opcode, count in exchanges(kernel.loop.counts).items()}
        assert a_trip == {opcode: count for opcode, count in promised.items() if count and opcode in EXCHANGES}


@pytest.mark.parametrize("name", ["neighbor/shfl/f64/mode=idx", "reduce/cub/i32/width=32"])
def test_kernel_is_the_same_alone_and_beside_others(name: str, toolchain: Toolchain) -> None:
    subject = kernels.subjects()[name]
    (unit,) = (unit for unit in kernels.units(kernels.with_every_dtype()) if name in unit.names)
    together = kernels.build(unit.names[:8] if name in unit.names[:8] else (*unit.names[:7], name))[name]
    alone = Builder(toolchain, "sm_90", None).build(subject.pattern, subject.case)
    assert together.sass == alone.sass
    assert (together.symbol, together.resources, together.loop) == (alone.symbol, alone.resources, alone.loop)


def test_cub_s_integer_sum_is_one_redux(toolchain: Toolchain) -> None:
    subject = kernels.subjects()["reduce/cub/i32/width=32"]
    kernel = Builder(toolchain, "sm_90", None).build(subject.pattern, subject.case)
    assert kernel.loop is not None
    assert exchanges(kernel.loop.counts) == {"REDUX": 4}  # in 4 trips; all lanes get its sum, so the shuffle goes


def test_without_a_disassembler_nothing_is_claimed_about_the_machine_code(toolchain: Toolchain, tmp_path: Path) -> None:
    blind = Builder(replace(toolchain, nvdisasm=None), "sm_90", None)
    kernel = blind.build(planted(tmp_path, "x = x + T(1);", per_iteration={"SHFL": 1}), case())
    assert (kernel.sass, kernel.loop, kernel.violations) == (None, None, ())
    assert kernel.resources.registers > 0
    assert kernel.symbol == "_Z14planted_kernelIfEvPKT_PS0_i"
    assert ".target sm_90" in kernel.ptx


def test_options_of_a_case_reach_the_kernel(build: Build, tmp_path: Path) -> None:
    loop = "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, (lane() + OPTION_HOW_FAR) % WARP);"
    pattern = planted(tmp_path, loop, options={"how-far": ("1", "9")})
    near, far = (build(pattern, replace(case(), options=(("how-far", distance),))) for distance in ("1", "9"))
    assert near.cubin != far.cubin
