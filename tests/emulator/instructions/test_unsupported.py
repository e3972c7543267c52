"""Code that the emulator cannot run is named before anything runs, with its line, and only if it is reached."""

from shflbench.emulator.link.linker import link
from shflbench.emulator.ptx.parse import parse
from tests.emulator.problems import problems

TEXT = """
.version 8.4
.target sm_90
.address_size 64
.global .texref picture;
.global .align 4 .b8 message[4] = {65, 66, 67};
.extern .func missing(.param .b32 value);
.func helper()
{
    .reg .f32 %f<8>;
    .reg .b64 %rd<4>;
    .loc 1 30 5
    suld.b.2d.v4.b32.trap {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];
    ret;
}
.visible .entry surfaces()
{
    .reg .b32 %r<4>;
    .loc 1 10 5
    mov.u32 %r1, %no_such_register;
    { call.uni helper, (); }
    ret;
}
.visible .entry calls()
{
    .reg .b32 %r<4>;
    { .param .b32 p; st.param.b32 [p], 3; call.uni missing, (p); }
    ret;
}
.visible .entry clusters() .explicitcluster .reqnctapercluster 2, 1, 1
{
    ret;
}
.visible .entry fine()
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    ret;
}
.file 1 "/home/someone/kernel.cu"
"""


def test_every_instruction_that_a_kernel_reaches_is_named_with_its_line() -> None:
    surface, register = problems(parse(TEXT), "surfaces")
    instruction = "suld.b.2d.v4.b32.trap {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]"
    assert surface == f"the emulator does not support the instruction `{instruction}` (someone/kernel.cu:30)"
    instruction = "mov.u32 %r1, %no_such_register"
    what = f"the emulator does not know the register `%no_such_register` in `{instruction}`"
    assert register == f"{what} (someone/kernel.cu:10)"


def test_a_missing_function_is_named() -> None:
    (message,) = problems(parse(TEXT), "calls")
    assert message.startswith("the kernel calls `missing`, which the PTX does not hold")


def test_clusters_of_several_blocks_are_not_refused() -> None:
    assert problems(parse(TEXT), "clusters") == []


def test_other_kernels_of_the_file_do_not_matter() -> None:
    module = parse(TEXT)
    assert problems(module, "fine") == []
    assert [place.name for place in link(module, "fine").symbols] == ["workspace of cooperative groups"]
    assert module.kernels == ("surfaces", "calls", "clusters", "fine")
