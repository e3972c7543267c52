"""Every kernel with NVRTC 12, which older GPUs need; run by `make test-cuda12` in an environment of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.compile.build import Builder
from tests import kernels
from tests.archs import forms, see_all
from tests.backends.emulator.declared import forms_under_test
from tests.backends.emulator.emitted import torture

if TYPE_CHECKING:
    from tests.archs import Seen

pytestmark = pytest.mark.cuda12

ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@pytest.fixture(scope="module", params=ARCHS)
def arch(request: pytest.FixtureRequest) -> str:
    assert kernels.tools().nvrtc[0] == 12
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def seen(arch: str) -> dict[str, Seen]:
    return see_all([arch], kernels.run_by_tests())[arch]


def test_every_kernel_compiles_keeps_its_promises_and_loads_in_the_emulator(seen: dict[str, Seen]) -> None:
    assert {name: item.problems for name, item in seen.items() if item.problems} == {}
    assert len(seen) > 50


def test_every_form_has_a_property_test(seen: dict[str, Seen], arch: str) -> None:
    emitted = set().union(*(item.forms for item in seen.values()), *map(forms, torture(arch).values()))
    assert sorted(emitted - set(forms_under_test())) == []


def test_what_no_disassembler_reads_is_unknown_and_no_error(arch: str) -> None:
    subject = kernels.subjects()["neighbor/shfl/f32/mode=idx"]
    kernel = Builder(kernels.tools(), arch, None).build(subject.pattern, subject.case)
    # nvdisasm 13, the only one published as a package, does not read sm_70.
    assert (kernel.sass is None, kernel.loop is None) == (arch == "sm_70", arch == "sm_70")
