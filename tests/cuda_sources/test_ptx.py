from pathlib import Path

import pytest

from shflbench.cuda_sources.ptx import read_kernels
from shflbench.cuda_sources.read import read_ptx
from shflbench.errors import InputError, KernelError

NVCC = """//
.version 9.0
.target sm_90
.address_size 64
	// .globl	_Z4copyPKfPdi
.visible .entry _Z4copyPKfPdi(
	.param .u64 .ptr .align 1 _Z4copyPKfPdi_param_0,
	.param .u64 _Z4copyPKfPdi_param_1,
	.param .u32 _Z4copyPKfPdi_param_2
)
.maxntid 256, 1, 1
.minnctapersm 2
{
	.loc	1 12 0
	ret;
}
.weak .entry named(
	.param .align 8 .b8 named_param_0[24],
	.param .align 4 .b8 named_param_1[4]
)
.reqntid 128
{
	ret;
}
.entry _Z5emptyv()
{
	ret;
}
	.file	1 "kernel.cu"
"""


def test_kernels_have_parameters_bounds_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "kernels.ptx"
    path.write_text(NVCC)
    (tmp_path / "kernel.cu").write_text("")
    copy, named, empty = read_ptx(path).kernels
    assert (copy.name, named.name, empty.name) == ("copy", "named", "empty")
    assert [(item.name, item.element, item.pointer, item.const) for item in copy.parameters] == [
        ("arg0", "f4", True, True),
        ("arg1", "f8", True, False),
        ("arg2", "i4", False, False),
    ]
    assert copy.launch_bounds.max_threads == (256, 1, 1)
    assert copy.place is not None
    assert (copy.place.file, copy.place.line) == (tmp_path / "kernel.cu", 12)
    assert [(item.size, item.offset, item.element) for item in named.parameters] == [(24, 0, None), (4, 24, None)]
    assert named.launch_bounds.required_threads == (128, 1, 1)
    assert empty.parameters == ()
    assert empty.place is None


def test_a_pointer_without_a_mangled_name_is_known_by_ptr() -> None:
    text = ".visible .entry add(\n.param .u64 .ptr .global .align 16 add_param_0,\n.param .u64 add_param_1\n)\n{ ret; }"
    (kernel,) = read_kernels(text)
    assert [(item.size, item.pointer) for item in kernel.parameters] == [(8, True), (8, False)]


def test_an_entry_in_a_comment_is_none() -> None:
    assert read_kernels("// .entry a()\n/* .entry b()\n*/") == []


@pytest.mark.parametrize("text", ["int main() { }", "version target", "\x7fELF"])
def test_a_text_that_is_no_ptx_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kernels.ptx"
    path.write_text(text)
    with pytest.raises(InputError, match="is no PTX"):
        read_ptx(path)


def test_ptx_without_kernels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kernels.ptx"
    path.write_text(".version 9.0\n.target sm_90\n.func f() { ret; }\n")
    with pytest.raises(KernelError, match="has no kernel"):
        read_ptx(path)


def test_the_kernel_of_a_name_is_selected(tmp_path: Path) -> None:
    path = tmp_path / "kernels.ptx"
    path.write_text(NVCC)
    assert [kernel.symbol for kernel in read_ptx(path, "copy").kernels] == ["_Z4copyPKfPdi"]
    with pytest.raises(KernelError, match="no kernel `cpy`") as error:
        read_ptx(path, "cpy")
    assert "`copy`" in error.value.advice
