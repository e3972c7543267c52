import pytest

from shflbench.cuda.backends.emulator import EmulatedKernel
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.ptx.parse import parse
from shflbench.measure.verify import after, difference
from shflbench.measure.workload import Workload
from tests import kernels
from tests.emulator.declared import forms_under_test
from tests.emulator.emitted import forms

pytestmark = pytest.mark.expensive


def wrong(emulated: EmulatedKernel, workload: Workload) -> str:
    for iterations in workload.verify_iterations:
        (*_, last) = emulated.steps(emulated.launch(workload.inputs(0), iterations), LOCKSTEP)
        contents = zip(emulated.call.written, execute(last), strict=True)
        if words := difference(workload, [array for buffer, array in contents if buffer.compared], 0, iterations):
            return after(workload, iterations) + words
    return ""


# In `make test-archs`, tests/kernel_facts/pattern_checks/test_kernels.py runs all others in lockstep, too, and
# tests/cuda/compile/test_archs.py compares their forms.
@pytest.mark.one_in(27, 3)
@pytest.mark.parametrize("name", kernels.in_every_run())
def test_every_kernel_is_right_in_lockstep_and_each_of_its_forms_has_a_property_test(name: str) -> None:
    kernel = kernels.kernel(name)
    module = parse(kernel.ptx)  # once for both, because it takes as long as to run the kernel
    call, workload = kernels.call(name, kernel)
    assert wrong(EmulatedKernel(call, link(module, kernel.symbol)), workload) == ""
    # A form is an opcode with all its modifiers, including cache hints and vectors.
    assert forms(module)
    assert sorted(forms(module) - set(forms_under_test())) == []


@pytest.mark.parametrize(
    "name", ["neighbor/smem/f32/mode=idx", "neighbor/shfl/f64/mode=idx", "reduce/cub/f64/width=32"]
)
@pytest.mark.parametrize("block", [32, 96, 1024])
def test_the_shape_of_the_launch_does_not_matter(name: str, block: int) -> None:
    launch, workload = kernels.launch(name, kernels.kernel(name), 5, f"3x{block}")
    assert difference(workload, execute(launch), 0, 5) == ""


def test_zero_iterations_do_not_change_the_values() -> None:
    name = "neighbor/shfl/f32/mode=idx"
    launch, workload = kernels.launch(name, kernels.kernel(name), 0)
    assert execute(launch)[0].tobytes() == workload.inputs(0)[0].tobytes()
