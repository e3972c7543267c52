"""A race after an access out of bounds counts only as much as the access."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions

# The store lies far beyond any array; then all threads write their numbers to one place.
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r1, 0x10000000;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""


@pytest.mark.parametrize(
    ("arguments", "verdict", "causes"),
    [((), "needs arguments", ("arg0", "arg1")), (("arg0=i32[64]", "arg1=9"), "broken", ())],
)
def test_a_race_after_a_fault_needs_what_the_fault_needs(
    tmp_path: Path, arguments: tuple[str, ...], verdict: str, causes: tuple[str, ...]
) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(PTX, encoding="utf-8")
    (report,) = check_file(
        path, FileOptions(given=LaunchOptions(launches=(parse_shape("1x32"),), arguments=parse_arguments(arguments)))
    ).kernels
    assert report.verdict == verdict, report.sentence
    assert [(item.kind, item.causes) for item in report.findings] == [("out of bounds", causes), ("WAW", causes)]
