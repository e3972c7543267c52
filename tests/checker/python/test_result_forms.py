"""The result of a check for a program, a terminal and a notebook."""

import json
from pathlib import Path

import numpy as np

import shflbench as package
from tests.checker.python.test_api import CUDA
from tests.conftest import Command
from tests.printed_json import problems

RACE = CUDA.replace("BARRIER", "")


def test_a_program_gets_what_the_command_prints(shflbench: Command) -> None:
    Path("reverse.cu").write_text(RACE, encoding="utf-8")
    result = package.check("reverse.cu", "reverse")
    outcome = shflbench("check", "reverse.cu", "--kernel", "reverse", "--format", "json")
    assert json.loads(json.dumps(result.to_dict())) == json.loads(outcome.out)
    result.to_dict()["files"][0]["kernels"] = []
    assert result.to_dict()["files"][0]["kernels"]


def test_a_source_that_does_not_compile_is_an_object_as_well(shflbench: Command) -> None:
    Path("wrong.cu").write_text("__global__ void wrong() { undeclared(); }", encoding="utf-8")
    (of_path, of_text) = (package.check("wrong.cu"), package.check(Path("wrong.cu").read_text(encoding="utf-8")))
    printed = json.loads(shflbench("check", "wrong.cu", "--format", "json").out)
    for result, name in ((of_path, "wrong.cu"), (of_text, "kernel.cu")):
        document = json.loads(json.dumps(result.to_dict()))
        assert problems("check", document) == []
        assert document["files"][0]["file"] == name
        assert document["files"][0]["kernels"][0]["verdict"] == "not compiled"
        assert document.keys() == printed.keys()


def test_the_representation_is_one_line_that_is_always_the_same() -> None:
    x = np.arange(96, dtype=np.float32)
    results = [package.check(RACE, "reverse", (1, 96), [x, 96], shared_bytes=384) for _ in range(2)]
    count = len(results[0].findings)
    assert [repr(result) for result in results] == [f"<CheckResult: reverse: broken, {count} findings>"] * 2


def test_a_notebook_shows_the_verdict_and_a_table_of_the_findings() -> None:
    x = np.arange(96, dtype=np.float32)
    html = package.check(RACE, "reverse", (1, 96), [x, 96], shared_bytes=384)._repr_html_()
    assert html.startswith("<p>reverse: broken: ")
    assert "<th>finding</th>" in html
    assert "<td>kernel.cu:6</td>" in html
    assert html.count("<p>`x[") == 1  # where the results of two schedules differ
    clean = package.check(CUDA.replace("BARRIER", "__syncthreads();"), "reverse", (1, 96), [x, 96], shared_bytes=384)
    assert "<table>" not in clean._repr_html_()


def test_names_of_a_file_and_a_kernel_are_escaped_in_a_notebook(shflbench: Command) -> None:
    del shflbench  # only for its folder
    path = Path("<img src=x onerror=alert(1)>.cu")
    path.write_text(
        "template <typename A> __global__ void k(A* x) { x[0] = threadIdx.x; }\n"
        "template __global__ void k<float>(float*);\n",
        encoding="utf-8",
    )
    html = package.check(path)._repr_html_()
    assert html.startswith("<p>k&lt;float&gt;: broken: ")
    assert "<td>&lt;img src=x onerror=alert(1)&gt;.cu:1</td>" in html
    assert "<img" not in html
