"""The launch and the values with which each file is checked."""

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from benchmarks.public_sets.arguments import (
    TABLES,
    RunArguments,
    arguments_of,
    header_defines,
    header_launch,
    read_arguments,
)
from shflbench.checker.inputs.grammar import BufferValue, parse_arguments
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


def test_macros_come_from_the_header_comment_which_is_at_the_start() -> None:
    assert header_defines("//pass\n//--blockDim=64 --gridDim=16 -DWIDTH=256 -DFAST\n") == ("WIDTH=256", "FAST")
    assert header_launch("\n".join(["int a;"] * 5 + ["//--blockDim=64"])) == ()


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
    entries = read_arguments("s", tmp_path)
    [first] = arguments_of("a.cu", "", entries).runs
    [second] = arguments_of("b/a.cu", "", entries).runs
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
    first, second = arguments_of("a.cu", "", read_arguments("s", tmp_path)).runs
    assert first == RunArguments("first", ("2x64",), ("n=8",), 256)
    assert second == RunArguments("second", (), ("n=16", "m=2"), None)


def test_a_set_without_arguments_takes_what_the_file_says(tmp_path: Path) -> None:
    options = arguments_of("a.cu", "//pass\n//--blockDim=64 -DN=2\n", read_arguments("none", tmp_path))
    assert (options.runs, options.defines) == ((RunArguments(launches=("1x1x1:64x1x1",)),), ("N=2",))


@pytest.mark.parametrize("line", ['launch = "1x32"', '[[files.runs]]\nlaunch = "1x32"'])
def test_an_unknown_key_is_an_error(line: str, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(f'[[files]]\npaths = ["*"]\n{line}\n')
    with pytest.raises(ResultsError, match="unknown key launch"):
        read_arguments("s", tmp_path)


def test_check_accepts_every_committed_launch_and_argument() -> None:
    tables = [read_arguments(path.stem) for path in TABLES.glob("*.toml")]
    assert len(tables) >= 3
    for entries in tables:
        for run in (run for entry in entries for run in (entry, *entry.get("runs", ()))):
            assert len(parse_arguments(run.get("args", ()))) == len(run.get("args", ()))
            assert all(parse_shape(launch).threads <= 1 << 20 for launch in run.get("launches", ()))


def test_every_bug_shows_on_the_graph_of_indigo() -> None:
    [run] = arguments_of("a.cu", "", read_arguments("indigo")).runs
    values = {given.name: given.value for given in parse_arguments(run.args)}
    arrays = {
        name: [int(number) for number in value.fill]
        for name, value in values.items()
        if isinstance(value, BufferValue) and isinstance(value.fill, tuple)
    }
    nindex, nlist = arrays["nindex"], arrays["nlist"]
    # Without a check of the bounds, the first and the last vertex, which have no edges, leave the array of neighbors.
    assert (nindex[1], nindex[-2]) == (0, len(nlist))
    vertices = len(nindex) - 1
    assert sum(parent < vertex for vertex, parent in enumerate(arrays["data1"][:vertices])) >= 2  # compressed paths
    for chosen, upward in product((0, -1), (False, True)):  # whichever neighbor of each vertex a kernel takes
        neighbors = {vertex: nlist[nindex[vertex] : nindex[vertex + 1]] for vertex in range(vertices)}
        taken = {vertex: every[chosen] for vertex, every in neighbors.items() if every}
        pushed = Counter(other for vertex, other in taken.items() if not upward or vertex < other)
        assert max(pushed.values()) >= 2  # two vertices update the same cell
