"""The hook of pre-commit: valid, and its entry runs on the files of a commit as pre-commit passes them."""

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.checker.in_process import start_no_processes
from tests.conftest import Command, Outcome

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "check-before-a-commit.md").read_text(encoding="utf-8")
YAML_BLOCKS = [YAML(typ="safe").load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
(HOOK,) = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
# https://pre-commit.com/#new-hooks
REQUIRED = {"id", "name", "entry", "language"}
KNOWN = {"description", "files", "require_serial"}
RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
FILES = {
    "kernels/racy.cu": RACY,
    "kernels/fixed.cu": RACY.replace("    out[", "    __syncthreads();\n    out["),
    "kernels/header.cuh": "#pragma once\n__device__ inline int twice(int x) { return 2 * x; }\n",
    "kernels/host.cu": "int main() { return 0; }\n",
    "kernels/guess.cu": "__global__ void count(const int *to, int *out) { out[to[threadIdx.x]] += threadIdx.x; }\n",
}


@pytest.fixture
def commit(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the entry on files of a commit that `files` chooses, with the `args` in between."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    for name, text in FILES.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")

    def call(*words: str | Path) -> Outcome:
        program, *entry = shlex.split(HOOK["entry"])
        assert program == "shflbench"
        given = [word for word in map(str, words) if word not in FILES]
        chosen = [word for word in map(str, words) if word in FILES and re.search(HOOK["files"], word)]
        return shflbench(*entry, "--compiler", "nvrtc", "--launch", "1x64", *given, *chosen)

    return call


def test_hook_is_valid() -> None:
    """`pre-commit validate-manifest` checks the same."""
    assert REQUIRED <= HOOK.keys() <= REQUIRED | KNOWN
    assert all(isinstance(HOOK[name], str) for name in REQUIRED)


def test_page_names_the_hook() -> None:
    config, folder, options = YAML_BLOCKS
    assert config["repos"][0]["hooks"] == [{"id": HOOK["id"]}]
    assert folder[0]["id"] == options[0]["id"] == HOOK["id"]
    assert HOOK["name"] in PAGE


@pytest.mark.archs
def test_commit_with_a_race_is_refused_at_its_line(commit: Command) -> None:
    outcome = commit(*FILES)
    assert outcome.code == 1
    assert outcome.out.startswith("kernels/racy.cu:4:1: error: shift: ")


@pytest.mark.archs
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("kernels/fixed.cu",), 0),
        (("kernels/header.cuh", "kernels/host.cu"), 0),
        (("kernels/guess.cu",), 0),
        (("--strict", "kernels/guess.cu"), 6),
        (("--strict", "kernels/header.cuh", "kernels/fixed.cu"), 0),
    ],
)
def test_commit_goes_through_as_the_page_says(commit: Command, words: tuple[str, ...], code: int) -> None:
    assert commit(*words).code == code


def test_options_of_the_page_are_some_of_check(commit: Command) -> None:
    Path("include").mkdir()
    (hook,) = YAML_BLOCKS[2]
    assert commit(*hook["args"], "kernels/fixed.cu").code == 0
    assert [name for name in ("src/a/b.cu", "src/a.cuh", "b.cu") if re.search(hook["files"], name)] == ["src/a/b.cu"]


@pytest.mark.parametrize(("name", "chosen"), [("a.cu", True), ("a/b.cuh", True), ("k.ptx", True), ("a.cuda", False)])
def test_hook_gets_cuda_and_ptx(name: str, chosen: bool) -> None:  # noqa: FBT001
    assert bool(re.search(HOOK["files"], name)) is chosen


def test_the_hook_of_a_folder_reads_files_that_include_a_changed_header(commit: Command) -> None:
    (hook,) = YAML_BLOCKS[1]
    assert hook["pass_filenames"] is False
    Path("kernels").mkdir(exist_ok=True)
    Path("kernels/shift.cuh").write_text(
        "__device__ void put(float *s, float v) { s[threadIdx.x] = v; }\n", encoding="utf-8"
    )
    text = '#include "shift.cuh"\n__global__ void shift(float *x) {\n    __shared__ float s[64];\n'
    text += "    put(s, x[threadIdx.x]);\n"
    Path("kernels/uses.cu").write_text(f"{text}    x[threadIdx.x] = s[(threadIdx.x + 1) % 64];\n}}\n", encoding="utf-8")
    outcome = commit(*hook["args"])
    assert outcome.code == 1
    assert "kernels/uses.cu:5:1: error: shift: " in outcome.out
