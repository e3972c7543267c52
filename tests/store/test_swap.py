import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store.baselines import Baselines
from tests.fakes.kept_runs import contents, several

PLACE = "main/gtc2013/nvidia-h200"


def test_a_full_disk_leaves_the_old_baseline_whole_at_any_write(
    kept: Baselines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, *new = several(tmp_path, 3)
    kept.save("main", [old])
    before = contents(kept.folder)
    for write in range(6):
        monkeypatch.setattr(os, "fsync", _failing(write))
        with pytest.raises(ResultsError, match="cannot be written: the disk is full") as caught:
            kept.save("main", new, force=True)
        assert caught.value.advice == "free some space, or give another folder"
        assert contents(kept.folder) == before
    monkeypatch.setattr(os, "fsync", _failing(6))
    kept.save("main", new, force=True)
    assert len(kept.find("main", "gtc2013", "NVIDIA H200")) == 2


def test_a_first_baseline_on_a_full_disk_leaves_nothing(
    kept: Baselines, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", _failing(1))
    with pytest.raises(ResultsError, match="the disk is full"):
        kept.save("main", [run])
    assert list(kept.folder.iterdir()) == []


def test_a_rename_that_is_refused_leaves_the_old_baseline(
    kept: Baselines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = several(tmp_path, 2)
    kept.save("main", [old])
    before = contents(kept.folder)
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ResultsError, match="cannot be written: Input/output error"):
        kept.save("main", [new], force=True)
    assert contents(kept.folder) == before


def test_a_read_only_disk_is_one_sentence(kept: Baselines, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(ResultsError, match="cannot be written: the disk is read-only") as caught:
        kept.save("main", [run])
    assert caught.value.advice == "make it writable, or give another folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_is_one_sentence(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    (kept.folder / PLACE / "1").chmod(0o500)
    with pytest.raises(ResultsError, match="cannot be written: you have no permission to write there"):
        kept.remove("main")
    assert kept.find("main", "gtc2013", "NVIDIA H200")


def test_a_file_instead_of_the_folder_is_one_sentence(run: Path) -> None:
    kept = Baselines(run / "run.json")
    with pytest.raises(ResultsError, match=r"run\.json is a file, not a folder of baselines"):
        kept.names()
    with pytest.raises(ResultsError, match=r"run\.json.* cannot be written"):
        kept.save("main", [run])


KILLED = """
import os, shutil, sys
from pathlib import Path
from shflbench.store import baselines
from shflbench.store.baselines import Baselines
folder, new = Path(sys.argv[1]), [Path(text) for text in sys.argv[2:]]
candidates = {path: baselines.Candidate.read(path, allow_failed=False) for path in new}  # once, not in every child
baselines.Candidate.read = lambda path, allow_failed: candidates[path]
os.fsync = lambda _: None  # no power is cut here
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir"}

def killed_at(step):
    left = [step]
    def count(event, arguments):
        if event in CHANGES or (event == "open" and arguments[1] == "wb"):
            left[0] -= 1
            if left[0] < 0:
                os._exit(9)
    sys.addaudithook(count)
    Baselines(folder).save("main", new, force=True)

step = 0
while True:
    copy = folder.with_name(f"{folder.name}-{step}")
    shutil.copytree(folder, copy)
    child = os.fork()
    if not child:
        folder = copy
        killed_at(step)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
    step += 1
print(step)
"""


def test_a_kill_at_any_step_leaves_the_old_baseline_or_the_new_one_whole(kept: Baselines, tmp_path: Path) -> None:
    old, *new = several(tmp_path, 3)
    kept.save("main", [old])
    command = [sys.executable, "-c", KILLED, *map(str, (kept.folder, *new))]
    steps = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    outcomes = []
    for step in range(steps):
        killed = Baselines(kept.folder.with_name(f"baselines-{step}"))
        found = list(map(contents, killed.find("main", "gtc2013", "NVIDIA H200")))
        outcomes.append("old" if found == [contents(old)] else "new")
        assert found == list(map(contents, [old] if outcomes[-1] == "old" else new))
        if step % 2:
            killed.save("main", [old], force=True)
            assert contents(killed.folder) == {f"{PLACE}/1/{name}": data for name, data in contents(old).items()}
        else:
            killed.remove("main")
            assert contents(killed.folder) == {}
    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {"old", "new"}


def _failing(number: int) -> Callable[[int], None]:
    """Return an `fsync` that works so many times, and then finds the disk full."""
    left = [number]

    def fsync(_: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return fsync
