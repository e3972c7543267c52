"""Every kernel with NVRTC 12, which older GPUs need; run by `make test-cuda12` in an environment of its own."""

import pytest

from shflbench.cuda.compile.build import Builder
from tests import kernels
from tests.emulator.declared import forms_under_test
from tests.emulator.emitted import forms, problems, torture

pytestmark = pytest.mark.cuda12

ARCHS = ("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")


@pytest.fixture(scope="module", params=ARCHS)
def arch(request: pytest.FixtureRequest) -> str:
    assert kernels.tools().nvrtc[0] == 12
    name: str = request.param
    return name


def test_every_kernel_compiles_as_declared_and_loads_in_the_emulator(arch: str) -> None:
    names = [name for unit in kernels.units(arch) for name in unit if name in kernels.run_by_tests()]
    assert {name: found for name in names if (found := problems(name, arch))} == {}
    assert len(names) > 50


def test_every_form_has_a_property_test(arch: str) -> None:
    emitted = frozenset().union(*map(forms, torture(arch).values()))
    assert sorted(emitted - set(forms_under_test())) == []


def test_architecture_without_a_disassembler_is_no_error(arch: str) -> None:
    subject = kernels.subjects()["neighbor/shfl/f32/mode=idx"]
    kernel = Builder(kernels.tools(), arch, None).build(subject.pattern, subject.case)
    # nvdisasm 13, the only one published as a package, does not read sm_70.
    assert (kernel.sass is None, kernel.loop is None) == (arch == "sm_70", arch == "sm_70")
