"""The whole program, on two small kernels in the place of files of a set."""

import json
from pathlib import Path

import pytest

from benchmarks.public_sets.__main__ import main
from shflbench.errors import ResultsError

SOUND = """__global__ void saxpy(int n, float a, float *x, float *y)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""
RACY = SOUND.replace("+ y[i]", "+ y[i + 1]")


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    for name, text in (("saxpy.cu", SOUND), ("saxpy-buggy.cu", RACY), ("texture.cu", f"texture<int> t;\n{SOUND}")):
        path = tmp_path / "sets" / "faial" / "tutorial" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "sets"


@pytest.mark.archs
def test_right_verdicts_are_counted_and_recorded(
    sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, kept = tmp_path / "page.md", tmp_path / "kept.jsonl"
    words = ["--sets", str(sets), "--set", "faial", "--compiler", "nvrtc", "--record", str(page), "--resume", str(kept)]
    assert main(words) == 0
    assert "| faial | tuning | NVRTC | 2 | 100.0% | 100.0% | 0 | 0 | 0 | 0 | 0 |" in capsys.readouterr().out
    assert "textures or surfaces 1" in page.read_text()
    [faial] = json.loads(page.with_suffix(".json").read_text())["sets"]
    assert {file["path"]: file["verdict"] for file in faial["files"]} == {
        "tutorial/saxpy-buggy.cu": "broken",
        "tutorial/saxpy.cu": "clean",
    }
    assert list(faial["excluded"]) == ["tutorial/texture.cu"]
    # Another machine writes the record of that file, with the sets in another folder: a verdict was changed in it.
    sets.rename(tmp_path / "elsewhere")
    kept.write_text(kept.read_text().replace('"broken"', '"clean"'))
    assert main([str(tmp_path / "elsewhere") if word == str(sets) else word for word in [*words, "--no-run"]]) == 1
    assert "**bug called clean** faial/tutorial/saxpy-buggy.cu" in capsys.readouterr().out


def test_a_file_that_takes_too_long_is_not_checked(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sets", str(sets), "--set", "faial", "--seconds", "0.01"]) == 0
    assert "**not checked** faial/tutorial/saxpy.cu" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--set", "faial"], ["--sets", "sets", "--no-run"]])
def test_without_a_folder_or_its_results_there_is_an_error(words: list[str]) -> None:
    with pytest.raises(ResultsError, match=r"no folder with the sets|has no results to use"):
        main(words)
