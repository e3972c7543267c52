"""Results of several types, names that NumPy has too, and numbers at the end of their range."""

import os
from pathlib import Path

import pytest

from shflbench.errors import PatternError
from shflbench.patterns.discover import load
from shflbench.store import read_run
from tests import cases
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def two(parameters: str, first: str, second: str) -> str:
    """Return a file with two kernels of these parameters and statements."""
    kernels = (("one", first), ("other", second))
    return "".join(f"__global__ void {name}({parameters}) {{ {INDEX} {body} }}\n" for name, body in kernels)


def statuses() -> dict[str, str]:
    return {row.variant: row.status.value for row in read_run(Path("run")).rows}


def given(*arguments: str) -> list[str]:
    words = ["--no-check", "--launch", "4x256"]
    for argument in arguments:
        words += ["--arg", argument]
    return words


@pytest.mark.parametrize(
    ("parameters", "first", "second", "arguments", "status"),
    [
        pytest.param(
            *("float *f, double *d, const double *in", "f[i] = in[i]; d[i] = in[i] * 3.0;"),
            *("f[i] = in[i]; d[i] = (float)in[i] * 3.0f;", ("f=f32[1024]", "d=f64[1024]", "in=f64[1024]"), "incorrect"),
            id="double-after-float",
        ),
        pytest.param(
            *("double *d, float *f, const float *in", "d[i] = i; f[i] = (in[i] * 1.1f + 2.3f) + 1e3f;"),
            *(
                "d[i] = i; f[i] = in[i] * 1.1f + (2.3f + 1e3f);",
                ("d=f64[1024]", "f=f32[1024]", "in=f32[1024]"),
                "verified",
            ),
            id="float-after-double",
            marks=pytest.mark.archs,
        ),
    ],
)
def test_each_result_has_the_tolerance_of_its_type(
    bench: BenchCommand, parameters: str, first: str, second: str, arguments: tuple[str, ...], status: str
) -> None:
    bench(two(parameters, first, second), *given(*arguments))
    assert statuses() == {"one": "verified", "other": status}


@pytest.mark.archs
def test_the_tolerance_that_is_given_holds_for_all(bench: BenchCommand) -> None:
    text = two(
        "float *f, double *d, const double *in", "f[i] = in[i]; d[i] = in[i];", "f[i] = in[i]; d[i] = in[i] * 1.01;"
    )
    bench(text, *given("f=f32[1024]", "d=f64[1024]", "in=f64[1024]"), "--rtol", "0.1")
    assert statuses() == {"one": "verified", "other": "verified"}


def test_bytes_in_any_order_may_have_the_values_that_stand_for_unwritten_ones(bench: BenchCommand) -> None:
    parameters = "const unsigned char *in, unsigned char *out"
    text = two(parameters, "out[i] = in[i];", "out[1023 - i] = in[i];")
    outcome = bench(text, *given("in=u8[1024]", "out=u8[1024]"), "--any-order", "out")
    assert outcome.code == 0, outcome.err
    assert statuses() == {"one": "verified", "other": "verified"}


@pytest.mark.parametrize("kind", ["int2", "Item"])
def test_elements_that_are_no_numbers_have_no_other_order(bench: BenchCommand, kind: str) -> None:
    body = f"{kind} item; item.x = i; item.y = in[i]; out[i] = item;"
    text = "struct Item { short x; int y; };\n" + two(f"const int *in, {kind} *out", body, body)
    outcome = bench(text, *given("in=i32[1024]", "out=i32[2048]"), "--any-order", "out")
    assert outcome.code == 2
    assert "elements in any order: those of `out` are no single numbers" in outcome.err


@pytest.mark.parametrize("name", ["file", "allow_pickle", "self"])
def test_parameters_may_have_the_names_of_arguments_of_numpy(bench: BenchCommand, name: str) -> None:
    text = two(f"const float *{name}, float *out", f"out[i] = 2 * {name}[i];", f"out[i] = {name}[i] + {name}[i];")
    outcome = bench(text, *given(f"{name}=f32[1024]", "out=f32[1024]"))
    assert outcome.code == 0, outcome.err


def test_integers_at_the_end_of_their_range_have_others_below(bench: BenchCommand) -> None:
    parameters = "const int *in, int *out, int low, int high"
    text = two(parameters, "out[i] = max(low, min(in[i], high));", "out[i] = min(max(in[i], low), high);")
    outcome = bench(text, *given("in=i32[1024]", "out=i32[1024]", "low=2147483647", "high=2147483647"))
    assert outcome.code == 0, outcome.err


def test_every_size_that_is_compared_is_named(bench: BenchCommand) -> None:
    body = "if (i < n && i < m) out[i] = in[i];"
    text = two("const float *in, float *out, int n, int m", body, body.replace("in[i];", "in[i] * 1;"))
    program = (
        f"{text}int main() {{ const int n = 1024; float *in, *out; cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);"
    )
    launches = "one<<<n / 256, 256>>>(in, out, n, n); other<<<n / 256, 256>>>(in, out, n, n); }"
    outcome = bench(f"{program} {launches}\n", "--no-check", "--arg", "n=1024,2048")
    assert outcome.code == 0, outcome.err
    assert "with other values of `n` than 1024 and 2048" in outcome.err


@pytest.mark.parametrize("changed", ["kernels.cu", "pattern.json", "inputs.npz"])
def test_files_of_the_cache_that_were_changed_are_written_again(
    tmp_path: Path, bench: BenchCommand, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    words = (*given("in=f32[1024]", "out=f32[1024]"), "--device", "none")
    text = two("const float *in, float *out", "out[i] = in[i] * 3;", "out[i] = in[i] * 5;")
    assert bench(text, *words).code == 0
    (folder,) = (tmp_path / "cache/bench").glob("*/sums")
    right = (folder / changed).read_bytes()
    (folder / changed).write_bytes(right.replace(b"5", b"3"))
    (folder / "more").touch()
    assert bench(text, *words, "--output", "again").code == 0
    assert (folder / changed).read_bytes() == right
    assert not (folder / "more").exists()
    assert load(folder).declaration.relative_tolerance == 1e-4


def test_contents_that_are_no_file_are_refused(
    tmp_path: Path, bench: BenchCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    text = two("const float *in, float *out", "out[i] = in[i] * 3;", "out[i] = in[i] * 5;")
    bench(text, *given("in=f32[1024]", "out=f32[1024]"), "--device", "none")
    (folder,) = (tmp_path / "cache/bench").glob("*/sums")
    (folder / "inputs.npz").unlink()
    os.mkfifo(folder / "inputs.npz")
    with pytest.raises(PatternError, match=r"inputs\.npz is a FIFO, not a file"):
        cases.workload(load(folder), launch="4x256").inputs(0)


def test_a_new_pattern_of_a_file_with_capitals_runs(bench: BenchCommand, shflbench: Command) -> None:
    bench("")
    Path("Sums.cu").write_text(two("const float *in, float *out", "out[i] = in[i];", "out[i] = in[i] * 1;"))
    words = ("--launch", "4x256", "--arg", "in=f32[1024]", "--arg", "out=f32[1024]")
    outcome = shflbench("new", "--from", "Sums.cu", *words)
    assert (outcome.code, outcome.out.splitlines()) == (0, ["sums/kernels.cu", "sums/pattern.py", "sums.yaml"])
    assert shflbench("validate", "sums.yaml").code == 0
