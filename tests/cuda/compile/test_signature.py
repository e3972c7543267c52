import pytest

from shflbench.core.model import DTYPES
from shflbench.cuda.compile.signature import Argument, Parameter, arguments, check, parameters
from shflbench.errors import CompileError
from shflbench.patterns.discover import builtin, load

# As NVRTC 13 writes (const int*, float*, unsigned, float, double, bool, __half, struct of 12 bytes, const char*).
PTX = """\
.visible .entry other()
{
.visible .entry _Z1kPKi(
	.param .u64 _Z1kPKi_param_0,
	.param .u64 .ptr .align 1 _Z1kPKi_param_1,
	.param .u32 _Z1kPKi_param_2,
	.param .f32 _Z1kPKi_param_3,
	.param .f64 _Z1kPKi_param_4,
	.param .u8 _Z1kPKi_param_5,
	.param .align 2 .b8 _Z1kPKi_param_6[2],
	.param .align 4 .b8 _Z1kPKi_param_7[12]
)
{
"""
POINTER = Argument("values", 8, floating=False, pointer=True)
COUNT = Argument("n", 4, floating=False)
FACTOR = Argument("factor", 4, floating=True)
VIEW = Argument("view", 12, floating=False, structure=True)


def test_parameters_are_read_from_the_ptx_of_one_kernel() -> None:
    kinds = ["u", "u", "u", "f", "f", "u", "b", "b"]
    sizes = [8, 8, 4, 4, 8, 1, 2, 12]
    assert parameters(PTX, "_Z1kPKi") == [Parameter(*pair) for pair in zip(kinds, sizes, strict=True)]
    assert parameters(PTX, "other") == []


def test_arguments_follow_the_declaration() -> None:
    neighbor = load(builtin()["neighbor"]).declaration
    given = arguments(neighbor, neighbor.arguments(neighbor.baseline), DTYPES["f64"])
    assert [(item.name, item.size, item.pointer) for item in given] == [
        ("values", 8, True),
        ("result", 8, True),
        ("iterations", 4, False),
    ]


def test_matching_parameters_are_accepted() -> None:
    check("k", [Parameter("u", 8), Parameter("u", 4), Parameter("f", 4)], [POINTER, COUNT, FACTOR])
    check("k", [Parameter("b", 2)], [Argument("half", 2, floating=True)])
    check("k", [Parameter("b", 12)], [VIEW])


@pytest.mark.parametrize(
    ("taken", "given", "sentence"),
    [
        (
            [Parameter("u", 8)],
            [POINTER, COUNT],
            "the kernel `k` takes 1 argument, and the declaration gives 2: values, n",
        ),
        (
            [Parameter("u", 4), Parameter("u", 8)],
            [POINTER, COUNT],
            "argument 1 of the kernel `k` is a 4-byte integer, and the declaration gives `values`, a pointer",
        ),
        (
            [Parameter("u", 8)],
            [COUNT],
            (
                "argument 1 of the kernel `k` is an 8-byte integer or a pointer, and the declaration gives `n`, "
                "a 4-byte integer"
            ),
        ),
        (
            [Parameter("u", 4)],
            [FACTOR],
            (
                "argument 1 of the kernel `k` is a 4-byte integer, and the declaration gives `factor`, "
                "a 4-byte floating-point number"
            ),
        ),
        (
            [Parameter("b", 12)],
            [POINTER],
            "argument 1 of the kernel `k` is a structure of 12 bytes, and the declaration gives `values`, a pointer",
        ),
        (
            [Parameter("b", 16)],
            [VIEW],
            (
                "argument 1 of the kernel `k` is a structure of 16 bytes, and the declaration gives `view`, "
                "a structure of 12 bytes"
            ),
        ),
    ],
)
def test_mismatch_is_one_sentence(taken: list[Parameter], given: list[Argument], sentence: str) -> None:
    with pytest.raises(CompileError) as caught:
        check("k", taken, given)
    assert caught.value.message == sentence
