"""Names of files and folders, and macros, that a shell would run: `check` with an nvcc that quotes nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts import write_script

# Starts its steps as nvcc does: through a shell, unquoted. It compiles nothing, and answers with PTX of the file.
NVCC = """\
import os, pathlib, re, sys
if "--version" in sys.argv:
    sys.exit(print("tools, release 13.0, V13.0.88"))
os.system(" ".join(["true", *sys.argv[1:], os.environ.get("TMPDIR", ""), os.environ.get("PWD", "")]))
included = re.search('#include "(.*)"', pathlib.Path(sys.argv[-1]).read_text())[1]
text = pathlib.Path(included).read_text()
line = 1 + text[: text.index("__global__")].count(chr(10))
if "#error" in text:
    sys.exit(f"{included}({line}): error: rejected")
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text(f'''.version 9.0
.target sm_90
.address_size 64
.visible .entry k(
	.param .u64 k_param_0
)
{{
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	.loc	1 {line} 0
	ld.param.u64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	st.global.u32 [%rd2], %r1;
	ret;
}}
	.file	1 "{os.getcwd()}/{included}"
''')
"""
KERNEL = 'extern "C" __global__ void k(int *p) { *p = threadIdx.x; }\n'
NAMES = ("$(touch $TRAP)", "`touch $TRAP`", ";touch $TRAP;", "|touch $TRAP", "&touch $TRAP&", "\ntouch $TRAP\n", "\"'")


class Machine:
    """A folder with an nvcc on the PATH, and a file that a hostile name would write."""

    def __init__(self, folder: Path) -> None:
        self.trap = folder / "trap"
        (folder / "bin").mkdir()
        write_script(folder / "bin" / "nvcc", NVCC)
        self.folder = folder / "work"
        self.folder.mkdir()

    def check(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {
            **os.environ,
            "PATH": f"{self.folder.parent / 'bin'}:{os.environ['PATH']}",
            "SHFLBENCH_CACHE": str(self.folder.parent / "cache"),
            "PYTHONPATH": str(Path(__file__).parents[2]),
            "HOME": "/h",
            "TRAP": str(self.trap),
            **environment,
        }
        command = [sys.executable, "-m", "shflbench", "check", *words]
        return subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False, timeout=120
        )

    @property
    def is_trapped(self) -> bool:
        return self.trap.exists()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.archs
def test_a_name_with_a_variable_is_compiled_and_reported_as_it_is(machine: Machine) -> None:
    (machine.folder / "a$HOME.cu").write_text(f"\n\n{KERNEL}")
    outcome = machine.check("a$HOME.cu", "--launch", "1x64", "--arg", "p=i32[1]", "--format", "json")
    (file,) = json.loads(outcome.stdout)["files"]
    assert (outcome.returncode, file["file"]) == (1, "a$HOME.cu")
    assert "a$HOME.cu:3" in json.dumps(file)
    assert "shflbench_" not in outcome.stdout + outcome.stderr


@pytest.mark.archs
def test_an_error_names_the_users_file(machine: Machine) -> None:
    (machine.folder / "a$HOME.cu").write_text(f"\n#error\n{KERNEL}")
    outcome = machine.check("a$HOME.cu")
    assert outcome.returncode == 5
    assert "a$HOME.cu:3: rejected" in outcome.stdout + outcome.stderr
    assert "shflbench_" not in outcome.stdout + outcome.stderr


@pytest.mark.archs
def test_no_name_reaches_a_shell(machine: Machine) -> None:
    """Files, folders that are searched, their parents, folders of headers, and macros."""
    hostile = machine.folder / NAMES[0] / NAMES[1]
    hostile.mkdir(parents=True)
    for name in NAMES:
        for folder in (machine.folder, hostile):
            (folder / f"{name}.cu").write_text(KERNEL)
    headers = [machine.folder / f"{name}headers" for name in NAMES]
    for folder in headers:
        folder.mkdir()
    include = [word for folder in headers for word in ("-I", str(folder))]
    define = [word for name in NAMES for word in ("-D", f"M={name}".replace("\n", " "))]
    searched = machine.check(".")
    named = machine.check(str(hostile / f"{NAMES[2]}.cu"), *include, *define)
    for outcome in (searched, named):
        assert outcome.returncode == 1, outcome.stderr
        assert "touch $TRAP" in outcome.stdout
    assert not machine.is_trapped


@pytest.mark.archs
def test_a_temporary_folder_of_a_hostile_name_is_not_used(machine: Machine) -> None:
    (machine.folder / "a.cu").write_text(KERNEL)
    folder = machine.folder / NAMES[0]
    folder.mkdir()
    outcome = machine.check("a.cu", "--launch", "1x64", "--arg", "p=i32[1]", TMPDIR=str(folder))
    assert outcome.returncode == 1, outcome.stderr
    assert not machine.is_trapped


@pytest.mark.archs
def test_an_nvcc_in_a_folder_of_a_hostile_name_is_not_started(machine: Machine) -> None:
    (machine.folder / "a.cu").write_text(KERNEL)
    folder = machine.folder.parent / NAMES[0]
    folder.mkdir()
    (machine.folder.parent / "bin" / "nvcc").rename(folder / "nvcc")
    outcome = machine.check("a.cu", PATH=f"{folder}:{os.environ['PATH']}")
    assert outcome.returncode == 4
    assert "a shell would interpret its path" in outcome.stdout + outcome.stderr
    assert not machine.is_trapped
