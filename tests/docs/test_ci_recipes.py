"""The recipes for CI systems: their files are valid, their scripts run, and their tables are those of the code."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from ruamel.yaml import YAML

from benchmarks.nvbench.recording import SLOWER, UNCHANGED
from shflbench.analysis.compare import Outcome
from tests.conftest import Outcome as CommandOutcome
from tests.docs.ci_machine import ROOT, SUITE, CiMachine
from tests.docs.ci_machine import SLOWER as SLOWER_SCRIPTS
from tests.docs.commands import unknown
from tests.docs.nvbench_sides import recording
from tests.fakes.nvbench_recordings import write_sides

PAGE = (ROOT / "docs" / "how-to" / "ci-recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ON_GITHUB, ON_GITLAB, OF_NVBENCH = (text for kind, text in BLOCKS if kind == "yaml")
(JENKINSFILE,) = (text for kind, text in BLOCKS if kind == "groovy")
(SCRIPT,) = (text for kind, text in BLOCKS if kind == "bash")
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))


def content(text: str) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load(text)
    return loaded


@pytest.fixture
def machine(tmp_path: Path, kernel_cache: Path) -> CiMachine:
    return CiMachine(tmp_path, kernel_cache)


def without_templates(text: str) -> dict[str, Any]:
    """Return the jobs of GitLab with the keys that they extend, which the schema does not check in a template."""
    jobs = content(text)
    whole = {name: jobs[job.pop("extends")] | job for name, job in jobs.items() if "extends" in job}
    assert whole.keys() == {name for name in jobs if not name.startswith(".")}
    return whole


@pytest.mark.parametrize(
    ("schema", "recipe"),
    [
        ("github-workflows", content(ON_GITHUB)),
        ("github-workflows", content(OF_NVBENCH)),
        ("gitlab-ci", without_templates(ON_GITLAB)),
    ],
    ids=["GitHub", "NVBench", "GitLab"],
)
def test_file_is_valid(tmp_path: Path, schema: str, recipe: dict[str, Any]) -> None:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(recipe), encoding="utf-8")
    words = ["--builtin-schema", f"vendor.{schema}", str(file)]
    assert subprocess.run([sys.executable, "-m", "check_jsonschema", *words], check=False).returncode == 0


def tables() -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the first head of each table, and its rows."""
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in line.strip("|\n").split(" | ")] for line in table.splitlines())
        yield head[0], rows


def test_inputs_and_outputs_of_the_action_are_those_of_the_tables() -> None:
    rows = dict(tables())
    inputs = {name: row[2] for row in rows["input"] for name in re.findall(r"`(\w+)`", row[0])}
    defaults = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
    assert inputs.keys() == defaults.keys()
    assert {name: text for name, text in inputs.items() if defaults[name]} == {
        name: f"`{text}`" for name, text in defaults.items() if text
    }
    assert {row[0].strip("`") for row in rows["output"]} == ACTION["outputs"].keys()
    (used,) = [step for step in content(ON_GITHUB)["jobs"]["gate"]["steps"] if "/shflbench@" in step["uses"]]
    assert used["with"].keys() <= defaults.keys()


def test_every_verdict_is_in_the_table_of_the_junit_report() -> None:
    cells = " ".join(row[0] for row in dict(tables())["verdict"])
    assert {word for word in re.findall(r"`([\w-]+)`", cells) if not word.startswith("--")} == set(Outcome)


def commands() -> Iterator[list[str]]:
    for _, text in BLOCKS:
        joined = re.sub(r"\\\n +|(?<=gate/run)\n +", " ", text)
        for line in joined.splitlines():
            if match := re.search(r"(?:^|[ -])(?:\.venv/bin/)?shflbench ((?:gate|run|baseline|compare) .*)", line):
                yield match[1].replace('"$@"', "").split()


def test_every_command_and_option_of_the_files_exists() -> None:
    found = list(commands())
    assert [words[0] for words in found] == [*["gate", "run", "baseline"] * 2, "compare"]
    assert [missing for words in found if (missing := unknown(words))] == []


def test_code_of_forks_does_not_reach_the_runners() -> None:
    for text in (ON_GITHUB, OF_NVBENCH):
        assert content(text)["permissions"] == {"contents": "read"}
        assert "head.repo.full_name == github.repository" in content(text)["jobs"]["gate"]["if"]
    jobs = content(ON_GITLAB)
    for name in (".shflbench", "baseline"):
        conditions = [rule["if"] for rule in jobs[name]["rules"]]
        assert conditions == [
            "$CI_MERGE_REQUEST_SOURCE_PROJECT_PATH == $CI_PROJECT_PATH",
            "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH",
        ]


def gitlab(name: str) -> str:
    """Return the script of a job."""
    jobs = content(ON_GITLAB)
    return "\n".join([*jobs[jobs[name]["extends"]]["before_script"], *jobs[name]["script"]])


def jenkins(stage: str) -> str:
    """Return the steps `sh` of a stage."""
    part = JENKINSFILE.partition(f"stage('{stage}')")[2].partition("stage(")[0]
    (script,) = re.findall(r"sh '''\n(.*?)'''", part, re.DOTALL)
    assert isinstance(script, str)
    return script


@pytest.mark.expensive
@pytest.mark.archs
def test_gate_of_gitlab_and_jenkins_writes_the_reports_and_fails_if_a_kernel_got_slower(machine: CiMachine) -> None:
    performance = content(ON_GITLAB)["performance"]["artifacts"]
    (folder,), report = performance["paths"], performance["reports"]["junit"]
    assert f"junit testResults: '{report}'" in JENKINSFILE
    assert f"artifacts: '{folder}**'" in JENKINSFILE

    def failures(ended: CommandOutcome, code: int) -> str:
        assert ended.code == code, ended.err
        assert {"report.md", "junit.xml", "forest.svg", "run"} == {
            path.name for path in (machine.work / folder).iterdir()
        }
        return ET.parse(machine.work / report).getroot().attrib["failures"]  # noqa: S314  (it is our own)

    machine.save_baseline()
    assert failures(machine.run(gitlab("performance")), 0) == "0"
    assert machine.installed()[-1] == "/opt/shflbench[cuda13]"
    machine.plan = {"scripts": SLOWER_SCRIPTS}
    assert failures(machine.run(jenkins("Install") + jenkins("Gate")), 1) == "1"  # in the folder of the last build


@pytest.mark.expensive
@pytest.mark.archs
def test_baseline_of_gitlab_and_jenkins_is_measured_and_replaced(machine: CiMachine) -> None:
    (machine.work / "gate.yaml").write_text(SUITE, encoding="utf-8")
    assert machine.run(gitlab("baseline")).code == 0
    (first,) = (path.read_bytes() for path in (machine.work / "baselines" / "main").rglob("results.csv"))
    machine.plan = {"scripts": SLOWER_SCRIPTS}
    assert machine.run(jenkins("Install") + jenkins("Baseline")).code == 0  # in the folder of the last build
    (second,) = (path.read_bytes() for path in (machine.work / "baselines" / "main").rglob("results.csv"))
    assert first != second


CMAKE = """\
#!/bin/sh
# As CMake with a project that builds `my_library_bench` of a file in the source folder.
if [ "$1" = -S ]; then
  mkdir -p "$4" && cp "$2/kernels" "$4"
else
  mkdir -p "$2/bin" && { echo '#!/bin/sh'; cat "$2/kernels" "$BENCHMARK"; } > "$2/bin/$4" && chmod +x "$2/bin/$4"
fi
"""
# Takes what the next process of a side wrote: `side` and `first` are in the file `kernels` of the revision.
BENCHMARK = """
[ "$1 $2 $3" = "--devices 0 --jsonbin" ] || exit 99
number=$(($(basename "$4" .json) + first))
cp "$RECORDED/$side/process-$number.json" "$4"
cp -r "$RECORDED/$side/process-$number.json-"* "$(dirname "$4")"
echo "$4" >> "$TURNS"
"""
REVISIONS: Mapping[str, str] = {  # tag → kernels: six processes of unchanged ones are recorded
    "v1": f"side={UNCHANGED} first=0",
    "v2": f"side={UNCHANGED} first=3",
    "v3": f"side={SLOWER} first=0",
}


@pytest.fixture
def library(machine: CiMachine) -> CiMachine:
    """A machine with the repository of a library, whose kernels are slower since v3."""
    write_sides(recording(), machine.folder / "recorded")
    (machine.folder / "benchmark").write_text(BENCHMARK, encoding="utf-8")
    machine.write(machine.programs / "cmake", CMAKE)
    machine.write(machine.programs / "shflbench", (machine.folder / "venv" / "shflbench").read_text(encoding="utf-8"))
    git = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false"
    lines = ["git init --quiet", "mkdir ci"]
    for tag, kernels in REVISIONS.items():
        lines += [f"echo '{kernels}' > kernels", "git add kernels", f"{git} commit --quiet -m {tag}", f"git tag {tag}"]
    assert machine.run("\n".join(lines)).code == 0
    machine.write(machine.work / "ci" / "nvbench-gate.sh", SCRIPT)
    return machine


def compare_revisions(library: CiMachine, *words: str) -> CommandOutcome:
    return library.run(
        'exec ci/nvbench-gate.sh "$@"',
        *words,
        RECORDED=str(library.folder / "recorded"),
        BENCHMARK=str(library.folder / "benchmark"),
        TURNS=str(library.folder / "turns"),
        TMPDIR=str(library.folder),
    )


@pytest.mark.archs
def test_nvbench_gate_runs_both_revisions_in_turn_and_finds_slower_kernels(library: CiMachine) -> None:
    ended = compare_revisions(library, "v1", "HEAD")
    assert ended.code == 1, ended.err
    assert ended.out.endswith("13 slower, 2 inconclusive of 16 cases\n")
    turns = (library.folder / "turns").read_text(encoding="utf-8").split()
    assert turns == [f"gate/{side}/{number}.json" for number in (1, 2, 3) for side in ("base", "new")]
    reports = {path.name for path in (library.work / "gate").iterdir()} - {"base", "new"}
    assert reports == {"report.md", "junit.xml", "forest.svg"}
    assert library.run("git worktree list").out.count("\n") == 1  # both are removed
    assert list(library.folder.glob("tmp.*")) == []


@pytest.mark.archs
def test_nvbench_gate_passes_unchanged_kernels_and_takes_options_of_compare(library: CiMachine) -> None:
    (options,) = re.findall(r"^ci/nvbench-gate.sh origin/main HEAD (.*)$", PAGE, re.MULTILINE)
    ended = compare_revisions(library, "v1", "v2", *options.split(), "--format", "github")
    assert ended.code == 0, ended.err
    assert "\n::notice title=shflbench::" in ended.out


@pytest.mark.archs
def test_nvbench_gate_stops_where_a_revision_cannot_be_built(library: CiMachine) -> None:
    ended = compare_revisions(library, "v1", "v9")
    assert ended.code == 128
    assert "invalid reference: v9" in ended.err
    library.write(library.programs / "cmake", "#!/bin/sh\nexit 7\n")
    assert compare_revisions(library, "v1", "v2").code == 7
    assert library.run("git worktree list").out.count("\n") == 1
