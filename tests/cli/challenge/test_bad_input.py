"""Each bad input gets one sentence and an exit code, and no traceback."""

from pathlib import Path

import pytest

from tests.cli.challenge.conftest import SHARED, SMALL, SUM
from tests.conftest import Command


def refused(challenge: Command, text: str, *words: str) -> str:
    """Return the error of exit code 2 for `reduce` and a file with this text."""
    Path("bad.cu").write_text(text, encoding="utf-8")
    outcome = challenge("reduce", "bad.cu", *SHARED, *SMALL, *words)
    assert (outcome.code, outcome.out) == (2, "")
    return outcome.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("reduec", "sum.cu"), "unknown pattern `reduec`; did you mean `reduce`?"),
        (("warpsum", "sum.cu"), "unknown pattern `warpsum`; did you mean `reduce`?"),
        (("memory-ladder", "sum.cu"), "memory-ladder cannot be challenged: its variants read different memories"),
        (("cluster-exchange", "sum.cu"), "cluster-exchange cannot be challenged: each of its variants"),
        (("reduce",), "no FILE is given"),
        (("reduce", "sum.cu", "--template"), "--template prints a file, and reads none"),
        (("reduce", "sum.cu", "--dtype", "f31"), "reduce has no dtype `f31`"),
        (("reduce", "sum.cu", "--option", "wdth=8"), "reduce has no option `wdth`; did you mean `width`?"),
        (("reduce", "sum.cu", "--option", "width=64"), "reduce has no width=64"),
        (("reduce", "sum.cu", "--option", "width"), "--option `width` is not NAME=VALUE"),
        (("reduce", "sum.cu", "--launch", "1x33"), "--launch `1x33` is no launch"),
        (("handoff", "sum.cu", "--launch", "1x32"), "handoff has no launch 1x32"),
        (("reduce", "sum.cu", "--kernel", "my_sun"), "sum.cu has no kernel `my_sun`; did you mean `my_sum`?"),
        (("reduce", "sum.cu", "--shared", "lots"), "--shared `lots` is no size of shared memory"),
        (("reduce", "sum.cu", "--shared", "other=4"), "--shared: there is no challenger `other`"),
    ],
)
def test_a_word_that_fits_nothing_exits_2(challenge: Command, words: tuple[str, ...], sentence: str) -> None:
    if words[0] == "handoff":
        text = SUM.replace("recurrence.cuh", "roles.cuh")
        Path("sum.cu").write_text(text, encoding="utf-8")
    outcome = challenge(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"error: {sentence}" in outcome.err


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("int iterations)", "int iterations, int more)", "(const T* values, T* result, int iterations, int more)"),
        ("const T* values", "const double* values", "(const double* values, T* result, int iterations)"),
        ("T* result", "T result", "(const T* values, T result, int iterations)"),
        ("int iterations", "float iterations", "(const T* values, T* result, float iterations)"),
    ],
)
def test_another_signature_exits_2_and_shows_both(challenge: Command, old: str, new: str, shown: str) -> None:
    error = refused(challenge, SUM.replace(old, new))
    assert f"bad.cu:5: `my_sum` takes `{shown}`" in error
    assert "a kernel of reduce takes `(const T* values, T* result, int iterations)`, where T is float" in error
    assert "shflbench challenge reduce --template" in error


@pytest.mark.archs
def test_a_type_that_only_the_compiler_knows_is_compared_when_it_is_compiled(challenge: Command) -> None:
    text = SUM.replace("template", "using Count = long long;\n\ntemplate", 1).replace(
        "int iterations)", "Count iterations)"
    )
    error = refused(challenge, text)
    assert "takes `(const T* values, T* result, Count iterations)`, and a kernel of reduce takes" in error


@pytest.mark.parametrize("name", ["shfl", "reduce_shfl", "smem_double"])
def test_the_name_of_a_published_variant_exits_2(challenge: Command, name: str) -> None:
    error = refused(challenge, SUM.replace("my_sum", name))
    assert f"the kernel `{name}` has the name of the published variant" in error


def test_a_file_without_kernels_exits_2(challenge: Command) -> None:
    assert "bad.cu has no `__global__` function" in refused(challenge, "int main() {}\n")


def test_a_template_with_other_parameters_exits_2(challenge: Command) -> None:
    error = refused(challenge, SUM.replace("<typename T>", "<typename T, int N>"))
    assert "the template of `my_sum` needs other arguments than the element type" in error


def test_two_kernels_of_one_name_exit_2_with_both_lines(challenge: Command) -> None:
    second = SUM.partition("template")[2].replace("<typename T>", "").replace("T", "float")
    error = refused(challenge, f"{SUM}{second}")
    assert "bad.cu has two kernels `my_sum`, in line 5 and in line 21" in error


@pytest.mark.parametrize(
    ("macro", "line"),
    [
        (
            "#define KERNEL(name) __global__ void name(const float* x, float* y, int n)\nKERNEL(f) {}",
            2,
        ),
        ("#define ALL(name) \\\n  __global__ void name(const float* x, float* y, int n) {}\n// ALL(g)\nALL(f)", 4),
    ],
)
def test_a_kernel_that_a_macro_defines_exits_2_with_the_macro(challenge: Command, macro: str, line: int) -> None:
    error = refused(challenge, f"{macro}\n{SUM}")
    assert f"bad.cu:{line}: the macro `{macro[8:].partition('(')[0]}` defines a kernel" in error


def test_a_name_that_is_too_long_exits_2_without_the_folder_of_the_copy(challenge: Command) -> None:
    error = refused(challenge, SUM.replace("my_sum", "k" * 300))
    assert f"bad.cu:5: the kernel `{'k' * 40}…` needs another name" in error
    assert "Allowed: up to 200 letters" in error


def test_an_output_that_cannot_be_written_exits_3_before_the_file_is_read(challenge: Command) -> None:
    Path("file").write_text("", encoding="utf-8")
    for words in (("-o", "file/inside"), ("--results", "file/inside"), ("-o", "/proc/none")):
        outcome = challenge("reduce", "missing.cu", *words)
        assert (outcome.code, outcome.out) == (3, "")
        assert f"{words[1]} cannot be written" in outcome.err
        assert "missing.cu" not in outcome.err


def test_a_folder_that_can_be_written_is_not_left_behind_by_an_error(challenge: Command) -> None:
    assert challenge("reduce", "missing.cu", "-o", "new/inside").code == 3
    assert not Path("new").exists()


def test_too_much_static_shared_memory_exits_5_with_both_sizes(challenge: Command) -> None:
    Path("big.cu").write_text(SUM.replace("T* slots = shared<T>();", "__shared__ T slots[100000];"), encoding="utf-8")
    outcome = challenge("reduce", "big.cu", *SMALL)
    assert outcome.code == 5
    assert "its `__shared__` variables take 400000 bytes per block, at most 49152" in outcome.err
    assert "--shared BYTES" in outcome.err


@pytest.mark.archs
def test_a_header_of_a_header_is_searched_beside_it_and_must_lie_inside_the_folder(challenge: Command) -> None:
    Path("outside.cuh").write_text("", encoding="utf-8")
    Path("inner/deep").mkdir(parents=True)
    Path("inner/sum.cu").write_text(
        f'/*\n#include "../outside.cuh"\n*/\n#include "deep/a.cuh"\n{SUM}', encoding="utf-8"
    )
    Path("inner/deep/a.cuh").write_text('#include "b.cuh"\n#include "../c.cuh"\n', encoding="utf-8")
    Path("inner/deep/b.cuh").write_text("constexpr int OF_B = 1;\n", encoding="utf-8")
    Path("inner/c.cuh").write_text("constexpr int OF_C = OF_B;\n", encoding="utf-8")
    assert challenge("reduce", "inner/sum.cu", *SHARED, *SMALL, "--device", "emulator").code == 0
    Path("inner/deep/b.cuh").write_text('#include "../../outside.cuh"\n', encoding="utf-8")
    outcome = challenge("reduce", "inner/sum.cu", *SHARED, *SMALL)
    assert outcome.code == 2
    assert "inner/deep/b.cuh includes `../../outside.cuh`, outside of its folder" in outcome.err


def test_a_header_outside_of_the_folder_exits_2(challenge: Command) -> None:
    Path("outside.cuh").write_text("", encoding="utf-8")
    Path("inner").mkdir()
    Path("inner/sum.cu").write_text(f'#include "../outside.cuh"\n{SUM}', encoding="utf-8")
    outcome = challenge("reduce", "inner/sum.cu", *SHARED, *SMALL)
    assert outcome.code == 2
    assert "inner/sum.cu includes `../outside.cuh`, outside of its folder" in outcome.err


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (lambda _: None, "none.cu does not exist"),
        (lambda path: path.mkdir(), "none.cu is a folder, not a file"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "none.cu is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_exits_3(challenge: Command, prepare: object, sentence: str) -> None:
    prepare(Path("none.cu"))  # type: ignore[operator]
    outcome = challenge("reduce", "none.cu")
    assert (outcome.code, outcome.out) == (3, "")
    assert sentence in outcome.err


def test_a_file_that_does_not_compile_exits_5_with_the_first_error_and_its_line(challenge: Command) -> None:
    Path("bad.cu").write_text(SUM.replace("T sum = x;", "T sum = y;"), encoding="utf-8")
    outcome = challenge("reduce", "bad.cu", *SHARED, *SMALL)
    assert (outcome.code, outcome.out) == (5, "")
    assert 'bad.cu:9: identifier "y" is undefined' in outcome.err
    assert "9 | T sum = y;" in outcome.err
    assert "Traceback" not in outcome.err


def test_device_cuda_without_a_gpu_exits_4_before_the_file_is_read(challenge: Command) -> None:
    outcome = challenge("reduce", "missing.cu", "--device", "cuda")
    assert (outcome.code, outcome.out) == (4, "")
    assert "missing.cu" not in outcome.err


def test_a_folder_with_results_is_not_written(challenge: Command) -> None:
    Path("used").mkdir()
    Path("used/run.json").write_text("{}", encoding="utf-8")
    outcome = challenge("reduce", "sum.cu", "-o", "used")
    assert outcome.code == 3
    assert "used" in outcome.err


def test_host_code_exits_5_and_is_to_be_left_out(challenge: Command) -> None:
    Path("host.cu").write_text(f"{SUM}int main() {{}}\n", encoding="utf-8")
    outcome = challenge("reduce", "host.cu", *SHARED, *SMALL)
    assert outcome.code == 5
    assert "Leave host code out" in outcome.err
