import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.store.history.folder import read_history
from shflbench.store.kernel_archive import KernelArchive
from tests.cli.demo import SCRIPTS, Plug, copy_neighbor
from tests.conftest import Command
from tests.fakes.backend import FakeBackend
from tests.fakes.kept_runs import contents, edit, quiet_run

BENCHMARKS = Path(__file__).parents[2] / "data/readers/google-benchmark"
SUITE = (
    "schema: 1\nname: suite\ntitle: Mine\nmeasure: {min_seconds: 0.001, processes: 1}\nexperiments:\n"
    "  - {pattern: ./neighbor, variants: [smem, shfl], launch: 2x64, iterations: 4096, dtypes: f32}\n"
)
NO_KERNELS = "warning: run has no kernels.zip: its changes cannot be attributed to code\n"


@pytest.fixture
def added(shflbench: Command) -> str:
    """Add a run in the folder `run` to the history in `history`, and return the name of its file."""
    quiet_run(Path("run"))
    assert shflbench("history", "add", "run", "--to", "history").code == 0
    (path,) = Path("history/runs").rglob("*.gz")
    return str(path)


def test_each_run_has_a_line(shflbench: Command) -> None:
    quiet_run(Path("run"))
    outcome = shflbench("history", "add", "run", "--to", "history", "--revision", "v1.2")
    (path,) = Path("history/runs").rglob("*.gz")
    (run,) = read_history(Path("history")).runs
    count = len(run.cases)
    assert (
        outcome.out == f"run added as {path}: {count} of {count} cases timed, {run.machine.gpu_name}, revision v1.2\n"
    )
    assert outcome.err == NO_KERNELS
    assert outcome.code == 0


def test_a_run_that_is_added_twice_is_said_and_changes_nothing(shflbench: Command, added: str) -> None:
    before = contents(Path("history"))
    outcome = shflbench("history", "add", "run", "--to", "history")
    assert (outcome.code, outcome.out) == (0, f"run is in the history already: {added}\n")
    assert contents(Path("history")) == before


def test_a_run_that_is_refused_exits_with_3_and_the_others_are_added(shflbench: Command) -> None:
    edit(quiet_run(Path("runs/a")), backend="emulator")
    quiet_run(Path("runs/b"))
    outcome = shflbench("history", "add", "runs", "--to", "history")
    assert outcome.code == 3
    assert outcome.out.startswith("runs/b added as ")
    assert "error: runs/a is not added: it has no times, because its backend is emulator\n" in outcome.err


def test_a_converted_run_is_kept_without_identity(shflbench: Command) -> None:
    assert shflbench("convert", BENCHMARKS / "base", "--output", "converted").code == 0
    outcome = shflbench("history", "add", "converted", "--to", "history")
    assert outcome.code == 0
    assert "4 of 5 cases timed, unknown GPU, unknown revision" in outcome.out
    (run,) = read_history(Path("history")).runs
    assert run.machine.method == "google-benchmark 1.9.5"


def test_a_folder_without_runs_and_one_of_a_run_are_refused(shflbench: Command, added: str) -> None:
    outcome = shflbench("history", "add", "none", "--to", "history")
    assert (outcome.code, outcome.err.splitlines()[0]) == (3, "error: none holds no run: there is no such folder")
    outcome = shflbench("history", "add", "run", "--to", "run")
    assert (outcome.code, outcome.err.splitlines()[0]) == (2, "error: run is the folder of a run")
    assert added


def test_the_folder_of_the_history_is_required(shflbench: Command) -> None:
    assert shflbench("history", "add", "run").code == 2


def test_the_group_alone_prints_its_help(shflbench: Command) -> None:
    outcome = shflbench("history")
    assert outcome.code == 2
    assert "Add runs to a history." in outcome.err


def git(*words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *identity, *words], capture_output=True, text=True, check=True).stdout.strip()


def commit(message: str) -> str:
    git("add", "--all", ":!results", ":!history")
    git("commit", "--quiet", "--no-verify", "--message", message)
    return git("rev-parse", "HEAD")


def test_runs_have_the_revision_of_their_repository_and_identities_of_kernels(
    run: Command, plug: Plug, shflbench: Command
) -> None:
    del run  # only for its folder
    plug(FakeBackend(SCRIPTS))
    folder = copy_neighbor("neighbor")
    Path("suite.yaml").write_text(SUITE)
    git("init", "--quiet")
    commits = [commit("one")]
    assert shflbench("run", "suite.yaml", "-o", "results/1").code == 0
    source = folder / "kernels.cu"
    source.write_text(f"// a comment\n{source.read_text()}")
    commits.append(commit("two"))
    assert shflbench("run", "suite.yaml", "-o", "results/2").code == 0
    for day in (1, 2):
        edit(Path(f"results/{day}"), started=f"2026-11-2{day}T08:00:10Z")
    assert shflbench("history", "add", "results", "--to", "history").code == 0
    before, now = read_history(Path("history")).runs
    assert [(run.commit, run.is_dirty) for run in (before, now)] == [(one, False) for one in commits]
    assert [case.kernel.code for case in before.cases] == [case.kernel.code for case in now.cases]
    assert all(case.kernel.code for case in now.cases)
    assert all(one.kernel.source != other.kernel.source for one, other in zip(before.cases, now.cases, strict=True))


def test_an_old_source_is_compiled_again_where_source_and_compiler_changed(
    run: Command, plug: Plug, shflbench: Command
) -> None:
    plug(FakeBackend(SCRIPTS))
    source = copy_neighbor("neighbor") / "kernels.cu"
    Path("suite.yaml").write_text(SUITE)
    assert run("suite.yaml", "-o", "results/1").code == 0
    compiled_by_another(Path("results/1/kernels.zip"))
    source.write_text(f"// a comment\n{source.read_text()}")
    assert run("suite.yaml", "-o", "results/2").code == 0
    for day in (1, 2):
        edit(Path(f"results/{day}"), started=f"2026-11-2{day}T08:00:10Z")
    outcome = shflbench("history", "add", "results", "--to", "history")
    assert outcome.out.endswith("earlier source recompiled for 2 cases\n")
    before, now = read_history(Path("history")).runs
    for one, other in zip(before.cases, now.cases, strict=True):
        assert one.kernel.recompiled == ""
        assert other.kernel.recompiled == other.kernel.code != one.kernel.code


def compiled_by_another(path: Path) -> None:
    """Change the archive as if an older compiler had made other machine code."""
    archive = KernelArchive.read(path)
    kernels = tuple(replace(kernel, code_sha256=kernel.code_sha256[::-1]) for kernel in archive.index.kernels)
    compiler = replace(archive.index.compiler, nvrtc="12.0")
    path.write_bytes(replace(archive, index=replace(archive.index, compiler=compiler, kernels=kernels)).encode())
