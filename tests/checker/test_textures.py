"""Kernels that read textures: races and bounds are judged, and what depends on the values is open."""

from pathlib import Path

import numpy as np
import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.checker.report import KernelReport
from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Values
from shflbench.emulator.ptx.parse import parse
from tests import kernels

PTX = """
.version 8.4
.target sm_90
.address_size 64
.visible .entry one(.param .u64 image, .param .u64 out)
{{
    .reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f32 %f<12>;
    ld.param.u64 %d1, [image]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 1;
    mul.wide.u32 %d3, %r1, 16; add.u64 %d4, %d2, %d3; cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, 0f3F000000;
    {read}
    st.global.v4.b32 [%d4], {{%r4, %r5, %r6, %r7}};
    ret;
}}
"""
INTEGERS = "{%r4, %r5, %r6, %r7}"
FROM_FLOATS = " ".join(f"mov.b32 %r{number}, %f{number};" for number in range(4, 8))
HOST = """
int main() {
    float *p; cudaMalloc(&p, 1024 * sizeof(float));
    cudaResourceDesc resource; cudaTextureDesc texture; cudaTextureObject_t image = 0;
    cudaCreateTextureObject(&image, &resource, &texture, nullptr);
    k<<<4, 256>>>(image, p);
}
"""


def read(code: str, image: int = 5, lanes: int = 64) -> Values:
    """Return the four registers [lane, 4] that the code reads."""
    program = link(parse(PTX.format(read=code)), "one")
    launch = EmulatedLaunch(program, Shape(1, lanes), 0, [], [(4 * lanes, "u4")], 0, order=(np.uint64(image), 0))
    return execute(launch)[0].reshape(lanes, 4)


@pytest.mark.parametrize(
    "form",
    ["tex.1d.v4.s32.s32 RESULT, [%d1, {%r2}];", "tex.2d.v4.u32.f32 RESULT, [%d1, {%f1, %f2}];"],
)
def test_a_value_depends_on_the_texture_and_the_coordinates(form: str) -> None:
    code = form.replace("RESULT", INTEGERS)
    values = read(code)
    assert (values[0::2] == values[1::2]).all()  # two lanes read at each place
    assert len({tuple(row) for row in values.tolist()}) > 24
    assert (read(code) == values).all()
    assert (read(code, image=6) != values).any()


@pytest.mark.parametrize(
    "form",
    [
        "tex.level.2d.v4.f32.f32 R, [%d1, {%f1, %f2}], %f2;",
        "tld4.r.2d.v4.f32.f32 R, [%d1, {%f1, %f2}];",
        "tex.3d.v4.f32.f32 R, [%d1, {%f1, %f2, %f2, %f2}];",
    ],
)
def test_floating_point_values_are_small_whole_numbers(form: str) -> None:
    values = read(form.replace("R,", "{%f4, %f5, %f6, %f7},") + FROM_FLOATS).view(np.float32)
    assert set(values.ravel().tolist()) <= set(map(float, range(32)))
    assert len(set(values.ravel().tolist())) > 8


def judge(tmp_path: Path, body: str) -> KernelReport:
    path = tmp_path / "kernel.cu"
    head = "__global__ void k(cudaTextureObject_t image, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
    path.write_text(f"{head}{body} }}\n{HOST}")
    (report,) = check_file(path, FileOptions(compilers=Compilers(kernels.tools()))).kernels
    return report


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("out[i] = tex2D<float>(image, i + 0.5f, 0.5f) + tex1Dfetch<float4>(image, i).y;", KernelVerdict.CLEAN),
        ("out[i + 1] = tex2D<float>(image, i + 0.5f, 0.5f);", KernelVerdict.BROKEN),
        ("out[0] = tex2D<float>(image, i + 0.5f, 0.5f);", KernelVerdict.BROKEN),
        ("out[(int)tex1Dfetch<float>(image, i)] = i;", KernelVerdict.NEEDS_ARGUMENTS),
        ("if (tex1Dfetch<int>(image, i) == 3) out[-1] = i;", KernelVerdict.NEEDS_ARGUMENTS),
    ],
)
def test_only_what_textures_hold_leaves_a_verdict_open(tmp_path: Path, body: str, verdict: KernelVerdict) -> None:
    report = judge(tmp_path, body)
    assert report.verdict is verdict, report.sentence
    if verdict is not KernelVerdict.BROKEN:
        assert "what textures hold is chosen" in report.sentence
    if verdict is KernelVerdict.NEEDS_ARGUMENTS:
        assert "with chosen values of textures; to decide, run it on a GPU" in report.sentence
