"""The launch and the values with which each file is checked."""

from pathlib import Path

import pytest

from benchmarks.public_sets.arguments import TABLES, RunArguments, header_defines, header_launch, read_arguments
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.errors import ResultsError


@pytest.mark.parametrize(
    ("comment", "launch"),
    [
        ("//--blockDim=64 --gridDim=16", ("16x1x1:64x1x1",)),
        ("// --blockDim=32", ("1x1x1:32x1x1",)),
        ("//--gridDim=[32,32,1]      --blockDim=[16,16,1]", ("4x4x1:16x16x1",)),  # scaled down to 4096 threads
        ("//--blockDim=1024 --gridDim=1024 --no-inline", ("4x1x1:1024x1x1",)),
        ("//--blockDim=2048 --gridDim=64", ()),  # more than a block can have
        ("// --gridDim=[2,2,2]", ()),  # no block
        ("// blockDim=64", ()),
    ],
)
def test_a_launch_comes_from_the_header_comment(comment: str, launch: tuple[str, ...]) -> None:
    assert header_launch(f"//pass\n{comment}\n__global__ void k() {{}}") == launch


def test_a_comment_in_the_middle_of_a_file_is_no_header() -> None:
    assert header_launch("\n".join(["int a;"] * 5 + ["//--blockDim=64"])) == ()


def test_macros_come_from_the_header_comment() -> None:
    assert header_defines("//pass\n//--blockDim=64 --gridDim=16 -DWIDTH=256 -DFAST\n") == ("WIDTH=256", "FAST")


def test_later_entries_override_earlier_ones_argument_by_argument(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("""
[[files]]
paths = ["*"]
kernel = "k"
launches = ["1x32"]
args = ["n=8", "m=2"]

[[files]]
paths = ["b/*"]
launches = ["2x64"]
args = ["n=16"]
""")
    table = read_arguments("s", tmp_path)
    [first] = table.of("a.cu", "").runs
    [second] = table.of("b/a.cu", "").runs
    assert (first.launches, first.args) == (("1x32",), ("n=8", "m=2"))
    assert (second.launches, second.args, second.kernel) == (("2x64",), ("n=16", "m=2"), "k")


def test_a_file_whose_kernels_need_different_launches_has_several_runs(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("""
[[files]]
paths = ["a.cu"]
args = ["n=8"]

[[files.runs]]
kernel = "first"
launches = ["2x64"]
shared = 256

[[files.runs]]
kernel = "second"
args = ["n=16", "m=2"]
""")
    first, second = read_arguments("s", tmp_path).of("a.cu", "").runs
    assert first == RunArguments("first", ("2x64",), ("n=8",), 256)
    assert second == RunArguments("second", (), ("n=16", "m=2"), None)


def test_a_set_without_arguments_takes_what_the_file_says(tmp_path: Path) -> None:
    options = read_arguments("none", tmp_path).of("a.cu", "//pass\n//--blockDim=64 -DN=2\n")
    assert (options.runs, options.defines) == ((RunArguments(launches=("1x1x1:64x1x1",)),), ("N=2",))


@pytest.mark.parametrize("line", ['launch = "1x32"', '[[files.runs]]\nlaunch = "1x32"'])
def test_an_unknown_key_is_an_error(line: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(f'[[files]]\npaths = ["*"]\n{line}\n')
    with pytest.raises(ResultsError, match="unknown key launch"):
        read_arguments("s", tmp_path)


def test_check_accepts_every_committed_launch_and_argument() -> None:
    tables = [read_arguments(path.stem) for path in TABLES.glob("*.toml")]
    assert len(tables) >= 3
    for table in tables:
        for run in (run for entry in table.entries for run in (entry.values, *entry.values.get("runs", ()))):
            assert len(parse_arguments(run.get("args", ()))) == len(run.get("args", ()))
            assert all(parse_shape(launch).threads <= 1 << 20 for launch in run.get("launches", ()))
