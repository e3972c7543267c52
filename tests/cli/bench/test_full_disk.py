"""`bench` on a disk that gets full, as a process: a run of it cannot be resumed, so that no sentence says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store import read_run
from shflbench.store.run_files import is_of_bench, writing
from tests.cli.bench.test_equal_results import program

# The limit holds from the start of the run on, so that no file before it is too large.
LIMITED = """
import resource
from shflbench.cli.main import main
from shflbench.store import append
start = append.RunFolder.create_at
def create(*given):
    folder = start(*given)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    return folder
append.RunFolder.create_at = create
raise SystemExit(main())
"""


@pytest.mark.archs
def test_a_full_disk_ends_bench_with_what_helps(tmp_path: Path, kernel_cache: Path) -> None:
    (tmp_path / "pair.cu").write_text(program("out[i] = x[i];", "float y = x[i]; out[i] = y;"), encoding="utf-8")
    words = ("bench", "pair.cu", "--device", "emulator", "--no-check", "--output", "run")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words],
        cwd=tmp_path,
        env={**os.environ, "SHFLBENCH_CACHE": str(kernel_cache), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.endswith(
        "\nerror: run cannot be written: the limit on file sizes is reached\n"
        "Raise the limit (`ulimit -f`); finished rows are kept: start bench again\n"
    )
    (note,) = read_run(tmp_path / "run").notes
    assert note.endswith("run contains an unfinished run; start bench again")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["shflbench", "bench", "k.cu"], True),
        (["shflbench", "--debug", "bench"], True),
        (["shflbench.bench"], True),
        (["shflbench", "run", "bench"], False),
        (["shflbench"], False),
    ],
)
def test_runs_of_bench_are_known_by_their_command(argv: list[str], *, expected: bool) -> None:
    assert is_of_bench(argv) == expected


def test_a_damaged_record_of_a_run_changes_only_the_advice(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(ResultsError) as raised, writing(tmp_path):
        raise OSError(28, "No space left on device", str(tmp_path / "a"))
    assert raised.value.advice == f"free some space; finished rows are kept: continue with --resume {tmp_path}"
