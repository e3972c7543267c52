"""The recipes that check kernel files in CI: valid files, whose commands run as written."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from ruamel.yaml import YAML

from shflbench.checker import KernelVerdict
from tests.checker.in_process import start_no_processes
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "check-files-in-ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ON_GITHUB, OPTIONS, STEPS, ON_GITLAB = (YAML(typ="safe").load(text) for kind, text in BLOCKS if kind == "yaml")
(JENKINS,) = (text for kind, text in BLOCKS if kind == "groovy")
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
SOUND = "__global__ void sound(int *out) { out[threadIdx.x] = 1; }\n"


@pytest.fixture
def kernels(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    Path("kernels").mkdir()
    Path("include").mkdir()
    (Path("kernels") / "sound.cu").write_text(SOUND, encoding="utf-8")
    return Path("kernels")


@pytest.mark.parametrize(("schema", "recipe"), [("github-workflows", ON_GITHUB), ("gitlab-ci", ON_GITLAB)])
def test_file_is_valid(tmp_path: Path, schema: str, recipe: dict[str, Any]) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(recipe), encoding="utf-8")
    words = ["--builtin-schema", f"vendor.{schema}", str(file)]
    assert subprocess.run([sys.executable, "-m", "check_jsonschema", *words], check=False).returncode == 0


def test_inputs_are_those_of_the_action() -> None:
    *_, use = ON_GITHUB["jobs"]["check"]["steps"]
    assert use["uses"] == "OWNER/shflbench@main"
    assert (use["with"].keys() | OPTIONS.keys()) <= ACTION["inputs"].keys()
    assert use["with"]["check"].splitlines() == ["kernels", "src/reduce.cu"]
    assert ON_GITHUB["permissions"]["security-events"] == "write"


def commands() -> list[list[str]]:
    texts = [STEPS[0]["run"], *ON_GITLAB["kernels"]["script"], *re.findall(r"^sh '(.*)'$", JENKINS, re.MULTILINE)]
    return [shlex.split(text)[1:] for text in texts if "shflbench check" in text]


@pytest.mark.archs
@pytest.mark.parametrize("words", commands())
def test_command_passes_and_fails_as_the_page_says(words: list[str], shflbench: Command, kernels: Path) -> None:
    assert shflbench(*words, *OPTIONS["options"].split()).code == 0
    (kernels / "racy.cu").write_text(RACY, encoding="utf-8")
    assert shflbench(*words, "--compiler", "nvrtc", "--launch", "1x64").code == 1
    (report,) = (Path(name) for name in ("check.sarif", "junit.xml") if Path(name).exists())
    text = report.read_text(encoding="utf-8")
    if report.suffix == ".xml":
        assert ET.fromstring(text).attrib["failures"] == "1"  # noqa: S314  (it is our own)
    else:
        assert json.loads(text)["runs"][0]["results"]


def test_there_is_a_command_for_each_system() -> None:
    assert len(commands()) == 3


def test_every_verdict_is_in_the_table_of_the_junit_report() -> None:
    (table,) = re.findall(r"^\| verdict \| in the report \|\n(.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    cells = " ".join(line.split(" | ")[0] for line in table.splitlines())
    assert set(re.findall(r"`([^`]+)`", cells)) == {str(verdict) for verdict in KernelVerdict}
