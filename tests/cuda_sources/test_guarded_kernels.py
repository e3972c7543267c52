"""Files whose kernels stand behind a macro of the build."""

import pytest

from shflbench.errors import KernelError
from tests.cuda_sources.conftest import Read

KERNEL = "__global__ void k(int *p) { p[threadIdx.x] = BODY; }\n"


@pytest.mark.parametrize(
    ("condition", "given"),
    [
        ("#ifdef USE_CUDA", "-D USE_CUDA"),
        ("#if defined(USE_CUDA) && !defined(CPU_ONLY)", "-D USE_CUDA"),
        ("#if USE_CUDA\n#if defined WITH_SUM", "-D USE_CUDA and -D WITH_SUM"),
    ],
)
def test_the_macro_is_given_and_named(read: Read, condition: str, given: str) -> None:
    ends = "#endif\n" * condition.count("#if")
    file = read(f"// __global__ stands below\n{condition}\n{KERNEL.replace('BODY', '1')}{ends}")
    assert [item.name for item in file.kernels] == ["k"]
    assert [note.text.partition(":")[0] for note in file.notes] == [f"compiled with {given}"]


def test_a_file_with_a_kernel_is_compiled_as_it_is(read: Read) -> None:
    text = KERNEL.replace("BODY", "1")
    file = read(f"{text}#ifdef MORE\n{text.replace('void k', 'void more')}#endif\n")
    assert ([item.name for item in file.kernels], file.notes) == (["k"], ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"#if 0\n{KERNEL}#endif\n", "has no kernel: `#if 0` in line 1 leaves them out"),
        (f"#ifndef __CUDACC__\n{KERNEL}#endif\n", "has no kernel: `#ifndef __CUDACC__` in line 1 leaves them out"),
        (f"#ifdef FAST\n{KERNEL}#endif\n", 'no kernel without -D FAST .* does not compile: .*"BODY" is undefined'),
    ],
)
def test_the_condition_that_leaves_kernels_out_is_named(read: Read, text: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        read(text)
