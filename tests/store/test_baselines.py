import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError, UsageError
from shflbench.store import read_run
from shflbench.store.baselines import Baselines
from shflbench.store.kernel_archive import CompilerCall, KernelArchive
from shflbench.store.run_files import KERNELS_FILE
from tests.fakes.kept_runs import contents, quiet_run, several
from tests.fakes.runs import H200, info

B200 = replace(H200, name="NVIDIA B200", arch="sm_100", uuid="GPU-b2")
PLACE = "main/gtc2013/nvidia-h200"


# saving


def test_a_baseline_is_a_copy_of_the_run_byte_for_byte(kept: Baselines, run: Path) -> None:
    saved = kept.save("main", [run])
    assert saved.entry.folder == kept.folder / PLACE
    assert contents(kept.folder / PLACE / "1") == contents(run)
    assert len(contents(kept.folder)) == 3
    assert [row.case_id for row in read_run(kept.folder / PLACE / "1").rows] == [r.case_id for r in read_run(run).rows]


def test_a_baseline_keeps_the_kernels_of_its_run_and_loses_them_with_it(kept: Baselines, run: Path) -> None:
    (run / KERNELS_FILE).write_bytes(KernelArchive.of((), CompilerCall("sm_90", "13.5", ())).encode())
    saved = kept.save("main", [run])
    assert contents(kept.folder / PLACE / "1") == contents(run)
    assert (saved.entry.runs[0] / KERNELS_FILE) in saved.entry.files
    assert kept.remove("main").kept == ()
    assert not kept.folder.exists() or not contents(kept.folder)


def test_several_runs_are_one_baseline_in_the_order_given(kept: Baselines, tmp_path: Path) -> None:
    runs = several(tmp_path, 11)
    kept.save("main", runs)
    found = kept.find("main", "gtc2013", "NVIDIA H200")
    assert [path.name for path in found] == [str(number) for number in range(1, 12)]
    assert [contents(path) for path in found] == [contents(path) for path in runs]


def test_a_name_holds_every_suite_and_gpu(kept: Baselines, tmp_path: Path) -> None:
    for number, about in enumerate((info(), info(name="quick"), info(device=B200))):
        kept.save("main", [quiet_run(tmp_path / str(number), about=about)])
    kept.save("v1.0", [tmp_path / "0"])
    assert [(entry.name, entry.suite, entry.gpu) for entry in kept.entries()] == [
        ("main", "gtc2013", "nvidia-b200"),
        ("main", "gtc2013", "nvidia-h200"),
        ("main", "quick", "nvidia-h200"),
        ("v1.0", "gtc2013", "nvidia-h200"),
    ]
    assert kept.names() == ("main", "v1.0")
    assert kept.find("main", "quick", "nvidia-h200") == (kept.folder / "main/quick/nvidia-h200/1",)


def test_what_is_there_is_replaced_by_force_alone(kept: Baselines, run: Path, tmp_path: Path) -> None:
    kept.save("main", several(tmp_path, 3))
    before = contents(kept.folder)
    with pytest.raises(ResultsError) as caught:
        kept.save("main", [run])
    assert caught.value.message == (
        "the baseline `main` has runs of gtc2013 on nvidia-h200 already: 2026-11-20, commit 0123456, driver 580.159"
    )
    assert caught.value.advice == "replace them by --force, or choose another name"
    assert contents(kept.folder) == before

    kept.save("main", [run], force=True)
    assert contents(kept.folder / PLACE) == {f"1/{name}": content for name, content in contents(run).items()}
    assert [path.name for path in (kept.folder / "main/gtc2013").iterdir()] == ["nvidia-h200"]


def test_a_run_is_added_by_saving_the_baseline_with_it(kept: Baselines, tmp_path: Path) -> None:
    first, second = several(tmp_path, 2)
    kept.save("main", [first])
    kept.save("main", [*kept.find("main", "gtc2013", "nvidia-h200"), second], force=True)
    assert list(map(contents, kept.find("main", "gtc2013", "nvidia-h200"))) == [contents(first), contents(second)]


def test_a_gpu_without_a_letter_in_its_name_has_a_folder(kept: Baselines, tmp_path: Path) -> None:
    about = info(device=replace(H200, name="../.."))
    saved = kept.save("main", [quiet_run(tmp_path / "run", about=about)])
    assert saved.entry.folder == kept.folder / "main/gtc2013/gpu"
    assert kept.find("main", "gtc2013", "../..") == (saved.entry.folder / "1",)


@pytest.mark.parametrize("name", ["main", "v1.2.3", "0", "release_2-rc.1"])
def test_good_names_are_taken(kept: Baselines, run: Path, name: str) -> None:
    kept.save(name, [run])
    assert kept.has(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../up", "/etc/x", "a/b", "a\\b", ".hidden", "-f", "Main", "main\n", "grün", "a b", "a\0"]
)
def test_other_names_are_refused_before_anything_is_written(kept: Baselines, run: Path, name: str) -> None:
    with pytest.raises(UsageError, match="allowed: lower-case letters, digits"):
        kept.save(name, [run])
    assert not kept.folder.exists()
    assert not kept.has(name)
    with pytest.raises(ResultsError, match="there is no baseline"):
        kept.remove(name)


def test_the_folder_of_noise_models_is_no_baseline(kept: Baselines, run: Path) -> None:
    with pytest.raises(UsageError, match="`noise` is the folder of learned noise"):
        kept.save("noise", [run])
    kept.save("main", [run])
    (kept.folder / "main").rename(kept.folder / "noise")
    assert kept.entries() == ()


def test_no_run_at_all_is_refused(kept: Baselines) -> None:
    with pytest.raises(UsageError, match="a baseline needs a run"):
        kept.save("main", [])


# finding


def test_no_folder_and_an_empty_one_hold_no_baseline(kept: Baselines) -> None:
    assert (kept.names(), kept.entries(), kept.has("main")) == ((), (), False)
    with pytest.raises(ResultsError, match=r"there is no baseline `main`: the folder .*baselines does not exist"):
        kept.find("main", "gtc2013", "NVIDIA H200")
    kept.folder.mkdir()
    with pytest.raises(ResultsError, match=r"there is no baseline `main`: the folder .*baselines contains none"):
        kept.find("main", "gtc2013", "NVIDIA H200")


def test_an_unknown_name_suggests_the_nearest_and_tells_all(kept: Baselines, run: Path) -> None:
    for name in ("main", "release"):
        kept.save(name, [run])
    with pytest.raises(ResultsError, match="there is no baseline `mian`") as caught:
        kept.find("mian", "gtc2013", "NVIDIA H200")
    assert caught.value.advice == "did you mean `main`? there are main, release"
    with pytest.raises(ResultsError, match="there is no baseline `xyz`") as caught:
        kept.find("xyz", "gtc2013", "NVIDIA H200")
    assert caught.value.advice == "there are main, release"


@pytest.mark.parametrize(("suite", "device"), [("quick", "NVIDIA H200"), ("gtc2013", "NVIDIA B200")])
def test_unknown_suite_or_gpu_lists_the_known_ones(kept: Baselines, run: Path, suite: str, device: str) -> None:
    kept.save("main", [run])
    with pytest.raises(ResultsError, match=rf"no runs of {suite} on nvidia-.200; it has gtc2013 on nvidia-h200"):
        kept.find("main", suite, device)


def test_a_run_folder_is_no_name(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    assert [kept.has(text) for text in ("main", str(run), f"../{run.name}", "main/", PLACE)] == [True] + [False] * 4


def test_what_is_no_baseline_is_overlooked(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    for name in (
        "README.md",
        "noise/nvidia-h200-506755c1.json",
        "main/notes/today/x.txt",
        "Other/gtc2013/h200/1/run.json",
    ):
        path = kept.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (kept.folder / "empty/gtc2013/nvidia-h200/1").mkdir(parents=True)
    assert [(entry.name, len(entry.runs)) for entry in kept.entries()] == [("main", 1)]


def test_a_baseline_in_the_folder_of_another_gpu_is_not_found_there(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    (kept.folder / PLACE).rename(kept.folder / "main/gtc2013/nvidia-b200")
    with pytest.raises(ResultsError, match=r"nvidia-b200/1 contains a run of gtc2013 on nvidia-h200"):
        kept.find("main", "gtc2013", "NVIDIA B200")


def test_a_run_that_lost_its_run_json_is_not_passed_over(kept: Baselines, tmp_path: Path) -> None:
    kept.save("main", several(tmp_path, 2))
    (kept.folder / PLACE / "2/run.json").unlink()
    with pytest.raises(ResultsError, match=r"2 is not a run folder: it has no run\.json"):
        kept.find("main", "gtc2013", "NVIDIA H200")


# removing


def test_removing_takes_all_of_a_name_and_leaves_the_others(kept: Baselines, run: Path, tmp_path: Path) -> None:
    kept.save("main", several(tmp_path, 2))
    kept.save("main", [quiet_run(tmp_path / "b200", about=info(device=B200))])
    kept.save("other", [run])
    removed = kept.remove("main")
    assert [entry.gpu for entry in removed.entries] == ["nvidia-b200", "nvidia-h200"]
    assert removed.kept == ()
    assert [path.name for path in kept.folder.iterdir()] == ["other"]
    kept.remove("other")
    assert list(kept.folder.iterdir()) == []


def test_one_suite_or_gpu_can_be_removed(kept: Baselines, tmp_path: Path) -> None:
    for number, about in enumerate((info(), info(name="quick"), info(device=B200))):
        kept.save("main", [quiet_run(tmp_path / str(number), about=about)])
    kept.remove("main", suite="quick")
    assert [(entry.suite, entry.gpu) for entry in kept.entries()] == [
        ("gtc2013", "nvidia-b200"),
        ("gtc2013", "nvidia-h200"),
    ]
    kept.remove("main", device="NVIDIA B200")
    assert [entry.gpu for entry in kept.entries()] == ["nvidia-h200"]


def test_removing_asks_for_the_exact_name(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    for name in ("mai", "main/gtc2013", "*", "../baselines/main"):
        with pytest.raises(ResultsError, match="there is no baseline"):
            kept.remove(name)
    with pytest.raises(ResultsError, match="has no runs of quick; it has gtc2013 on nvidia-h200"):
        kept.remove("main", suite="quick")
    assert kept.has("main")


def test_files_of_others_stay_and_are_reported(kept: Baselines, run: Path) -> None:
    kept.save("main", [run])
    mine = [kept.folder / name for name in ("main/why.txt", f"{PLACE}/1/notes.txt", f"{PLACE}/1/deep/chart.svg")]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    (kept.folder / "README.md").write_text("mine")
    assert kept.remove("main").kept == tuple(sorted(mine))
    assert set(contents(kept.folder)) == {"README.md", *(str(path.relative_to(kept.folder)) for path in mine)}
    assert not kept.has("main")


def test_what_cannot_be_read_is_not_deleted(kept: Baselines, tmp_path: Path) -> None:
    run, other = several(tmp_path, 2)
    kept.save("main", [run])
    (kept.folder / PLACE / "1/run.json").write_text('{"scripts": {}}')
    before = contents(kept.folder)
    for attempt in (lambda: kept.remove("main"), lambda: kept.save("main", [other], force=True)):
        with pytest.raises(ResultsError, match="`schema` is missing") as caught:
            attempt()
        assert caught.value.advice == f"restore it, or delete {kept.folder / PLACE} yourself"
    assert contents(kept.folder) == before


def test_nothing_is_removed_where_one_of_several_is_damaged(kept: Baselines, tmp_path: Path) -> None:
    kept.save("main", [quiet_run(tmp_path / "b200", about=info(device=B200))])
    kept.save("main", [quiet_run(tmp_path / "h200")])
    (kept.folder / PLACE / "1/run.json").write_text("")
    before = contents(kept.folder)
    with pytest.raises(ResultsError, match=r"run\.json is empty"):
        kept.remove("main")
    assert contents(kept.folder) == before


@pytest.mark.parametrize("name", [f"{PLACE}/README.md", f"{PLACE}/1/results.csv.orig", f"{PLACE}/2/x", PLACE])
def test_files_of_others_are_not_replaced(kept: Baselines, run: Path, name: str) -> None:
    path = kept.folder / name
    if name != PLACE:
        kept.save("main", [run])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    before = contents(kept.folder)
    with pytest.raises(ResultsError, match="is in the way and not part of a baseline"):
        kept.save("main", [run], force=True)
    assert contents(kept.folder) == before


# links


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_linked_baseline_is_read_and_neither_replaced_nor_removed(kept: Baselines, run: Path, depth: int) -> None:
    kept.save("main", [run])
    before = contents(kept.folder)
    parts = ("latest", "gtc2013", "nvidia-h200")
    link = kept.folder.joinpath(*parts[:depth])
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(kept.folder.joinpath("main", *parts[1:depth]))
    assert kept.find("latest", "gtc2013", "nvidia-h200") == (kept.folder.joinpath(*parts) / "1",)
    for attempt in (lambda: kept.remove("latest"), lambda: kept.save("latest", [run], force=True)):
        with pytest.raises(ResultsError, match="is a symbolic link, not a folder"):
            attempt()
    assert contents(kept.folder / "main") == {name.removeprefix("main/"): data for name, data in before.items()}


def test_links_in_a_baseline_stay_and_what_they_lead_to(kept: Baselines, tmp_path: Path) -> None:
    first, second = several(tmp_path, 2)
    before = contents(second)
    kept.save("main", [first])
    link = kept.folder / PLACE / "2"
    link.symlink_to(second)
    with pytest.raises(ResultsError, match="2 is in the way"):
        kept.save("main", [first], force=True)
    assert kept.remove("main").kept == (link,)
    assert link.is_symlink()
    assert contents(second) == before


def test_a_linked_file_of_a_run_stays(kept: Baselines, run: Path, tmp_path: Path) -> None:
    kept.save("main", [run])
    file = kept.folder / PLACE / "1/samples.csv.gz"
    elsewhere = file.rename(tmp_path / "annex.gz")
    file.symlink_to(elsewhere)
    with pytest.raises(ResultsError, match=r"samples\.csv\.gz is in the way"):
        kept.save("main", [run], force=True)
    assert kept.remove("main").kept == (file,)
    assert file.is_symlink()
    assert elsewhere.is_file()


def test_the_folder_of_all_baselines_may_be_a_link(tmp_path: Path, run: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "baselines").symlink_to(tmp_path / "disk")
    kept = Baselines(tmp_path / "baselines")
    kept.save("main", [run])
    kept.save("main", [run], force=True)
    assert (tmp_path / "disk" / PLACE / "1/run.json").is_file()
    kept.remove("main")
    assert kept.names() == ()


def test_baselines_need_the_standard_library_alone(tmp_path: Path) -> None:
    code = """
import sys, pathlib
from shflbench.store.baselines import Baselines
print(Baselines(pathlib.Path("nowhere")).names(), sorted({"numpy", "pandas", "click"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "() []\n"
