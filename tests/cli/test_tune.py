"""`shflbench tune` on a scripted GPU, and on a machine without one."""

import csv
import errno
import json
import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shflbench.cuda.backends.base import KernelCall, OpenKernel
from shflbench.errors import DeviceError, LaunchError
from shflbench.patterns.discover import builtin_declaration
from shflbench.patterns.family import Family
from shflbench.store import read_info, read_run, run_files
from shflbench.store.lock import sole_writer
from tests.cli.demo import Plug
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane

SETTING = ("reduce", "--launch", "sms x 32", "-o", "tuned")
FAST, SECOND, WRONG = "lanes16-bits128", "lanes8-bits128-apart-late", "lanes1-bits32"
NEAR = "lanes16-bits128-double"
MEMBERS = (FAST, SECOND, WRONG, NEAR, "lanes2-bits64", "lanes2-bits64-double", "lanes16-bits64", "lanes32-bits128")


@pytest.fixture(autouse=True)
def few_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give `reduce` a family of eight members: ranking 141 of them takes seconds."""
    declared = builtin_declaration("reduce")
    assert declared
    family = declared.family
    assert family
    known = {name: family.members[name] for name in MEMBERS}
    monkeypatch.setattr(Family, "members", property(lambda other: known if other is family else {}))


@pytest.fixture
def tuned(demo: Command, plug: Plug, measured: Path) -> Path:
    """Return the folder of a finished search in the current folder, which the first test that needs one measures."""
    plug(scripts())
    kept = measured / "tuned"
    if kept.exists():
        shutil.copytree(kept, "tuned")
    else:
        demo("tune", *SETTING)
        shutil.copytree("tuned", kept)
    return Path("tuned")


def tried(folder: str = "tuned") -> Mapping[str, Mapping[str, str]]:
    with (Path(folder) / "tried.csv").open(encoding="utf-8") as file:
        return {row["variant"]: row for row in csv.DictReader(file)}


def times_of(**others: Script) -> Mapping[str, Script]:
    """Return the times of a GPU with a fastest member, one that may be as fast, and one that takes 10% longer."""
    near = Script(ns_per_iteration=10, offsets_us=(0.1, -0.15, 0.1) * 10)  # faster in every third process
    times = {FAST: Script(ns_per_iteration=10), NEAR: near, SECOND: Script(ns_per_iteration=11)}
    return times | others  # which take 20 ns per iteration


def scripts(**others: Script) -> FakeBackend:
    return FakeBackend(times_of(**others))


class RaisesFrom(FakeBackend):
    """A GPU on which a candidate cannot be opened once there is a folder, such as that of a rung."""

    def __init__(self, variant: str, folder: str, error: BaseException, scripts: Mapping[str, Script]) -> None:
        super().__init__(scripts)
        self.variant, self.folder, self.error = variant, Path(folder), error

    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        is_sentinel = call.kernel.symbol.startswith("sentinel")
        if not is_sentinel and self.name_of(call.kernel) == f"reduce/{self.variant}" and self.folder.exists():
            raise self.error
        return super().open(call, place)


def all_names() -> Sequence[str]:
    declared = builtin_declaration("reduce")
    assert declared
    return [*MEMBERS, *(variant.name for variant in declared.variants)]


def variants_of(rung: int) -> Sequence[str]:
    return [row.variant for row in read_run(Path("tuned") / f"rung-{rung}").rows]


@pytest.mark.archs
def test_the_fastest_member_wins_and_what_is_slower_is_dropped_in_each_rung(demo: Command, plug: Plug) -> None:
    plug(scripts())
    outcome = demo("tune", *SETTING)
    assert outcome.code == 0, outcome.err
    assert f"sms x 32: {FAST}, a member of the family, is fastest, tied with {NEAR}; " in outcome.err
    assert outcome.out == "tuned\n"
    assert {FAST, NEAR, SECOND} < {*variants_of(1)}
    assert {*variants_of(2)} == {*variants_of(3)} > {FAST, NEAR}
    assert len(variants_of(3)) == 3  # with the fastest variant of the pattern
    assert read_run(Path("tuned/rung-3")).info.settings.processes == 3
    rows = tried()
    assert len(rows) == len(MEMBERS) + sum(row["is_member"] == "False" for row in rows.values())
    for name, row in rows.items():
        last = max((number for number in (1, 2, 3) if name in variants_of(number)), default=None)
        assert row["rung"] == ("" if last is None else str(last))
        assert (row["left_out"] == "") == (last == 3)
        assert (row["time_us"] == "") == (last is None)
    dropped = [row["left_out"] for row in rows.values() if row["rung"] == "1"]
    assert all(reason.endswith(f"the time of {FAST} in rung 1") for reason in dropped)


@pytest.mark.archs
def test_the_fastest_measured_of_each_mechanism_is_named_with_its_rung(demo: Command, plug: Plug) -> None:
    plug(scripts())
    err = " ".join(demo("tune", *SETTING).err.split())
    assert f"sms x 32: the fastest measured of each mechanism: hybrid {FAST} 14.24 µs (rung 3), " in err
    assert "smem smem-wide-double 24.48 µs (rung 1)" in err


@pytest.mark.archs
def test_the_fastest_of_a_mechanism_may_have_been_dropped_before_a_slower_one(demo: Command, plug: Plug) -> None:
    smem = {"lanes32-bits128": Script(ns_per_iteration=12), "smem-wide": Script(ns_per_iteration=14)}
    plug(scripts(**smem))
    err = " ".join(demo("tune", *SETTING).err.split())
    assert "smem-wide" in variants_of(2)  # as the fastest variant of the pattern
    assert "lanes32-bits128" not in variants_of(2)
    assert "smem lanes32-bits128 16.29 µs (rung 1)" in err


@pytest.mark.archs
def test_a_launch_that_the_second_rung_decides_has_no_third(demo: Command, plug: Plug) -> None:
    plug(scripts(**{NEAR: Script(ns_per_iteration=11)}))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 0, outcome.err
    assert "by times of launches, decided in 2 processes." in " ".join(outcome.err.split())
    assert not Path("tuned/rung-3").exists()
    assert tried()[FAST]["rung"] == "2"
    assert tried()[FAST]["left_out"] == ""


@pytest.mark.archs
def test_candidates_dropped_beside_one_that_fails_later_are_measured_again(demo: Command, plug: Plug) -> None:
    wrong = times_of(**{WRONG: Script(ns_per_iteration=5)})
    plug(RaisesFrom(WRONG, "tuned/rung-2", LaunchError("it crashed"), wrong))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 5
    assert f"sms x 32: {FAST}, a member of the family, is fastest" in outcome.err
    assert {WRONG} <= {*variants_of(2)}
    assert not {FAST, NEAR} & {*variants_of(2)}
    again = {row.variant for row in read_run(Path("tuned/rung-2-again-1")).rows}
    assert {FAST, NEAR} < again
    assert WRONG not in again
    assert tried()[WRONG]["left_out"].startswith("failed in rung 2: it crashed")
    assert tried()[FAST]["left_out"] == ""
    assert demo("tune", "--resume", "tuned").code == 5  # which measures nothing more
    assert not Path("tuned/rung-2-again-2").exists()


@pytest.mark.archs
def test_where_all_candidates_fail_the_outcome_says_so(demo: Command, plug: Plug) -> None:
    plug(FakeBackend({"reduce/" + name: Script(open_raises=LaunchError("it crashed")) for name in all_names()}))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 5
    assert "sms x 32: nothing was timed." in outcome.err
    assert all(row["left_out"] for row in tried().values())
    assert not Path("tuned/winners.yaml").exists()


@pytest.mark.archs
def test_the_best_three_of_each_mechanism_are_written_as_a_suite(demo: Command, plug: Plug) -> None:
    plug(scripts())
    demo("tune", *SETTING)
    outcome = demo("run", "tuned/winners.yaml", "--output", "winners")
    assert outcome.code == 0, outcome.err
    kinds = Counter(row.mechanism for row in read_run(Path("winners")).rows)
    assert kinds["shfl"] == 2
    assert max(kinds.values()) == 3


@pytest.mark.archs
def test_two_runs_with_one_seed_measure_the_same_candidates(demo: Command, plug: Plug) -> None:
    for folder in ("first", "second"):
        plug(scripts())
        assert demo("tune", *SETTING[:-1], folder).code == 0
    assert Path("first/tried.csv").read_text("utf-8") == Path("second/tried.csv").read_text("utf-8")


@pytest.mark.archs
@pytest.mark.parametrize("stopped", [1, 2, 3])
def test_a_stopped_run_is_resumed_where_it_was(demo: Command, plug: Plug, stopped: int) -> None:
    plug(RaisesFrom(FAST, f"tuned/rung-{stopped}", KeyboardInterrupt(), times_of()))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 130
    assert "Resume it with: shflbench tune --resume tuned" in outcome.err
    ranked = Path("tuned/tune.json").read_text("utf-8")
    began = [read_info(Path(f"tuned/rung-{number}")).started for number in range(1, stopped + 1)]
    plug(scripts())
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 0, outcome.err
    assert f"sms x 32: {FAST}, a member of the family, is fastest" in outcome.err
    assert Path("tuned/tune.json").read_text("utf-8") == ranked
    assert [read_info(Path(f"tuned/rung-{number}")).started for number in range(1, stopped + 1)] == began


@pytest.mark.archs
def test_a_finished_rung_of_another_seed_is_refused(demo: Command, tuned: Path) -> None:
    record = tuned / "tune.json"
    record.write_text(record.read_text("utf-8").replace('"seed": 0', '"seed": 1'), "utf-8")
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert "rung-1 was measured with the seed 0, and tune.json has 1" in " ".join(outcome.err.split())


@pytest.mark.archs
def test_a_finished_rung_without_a_candidate_is_refused(demo: Command, tuned: Path) -> None:
    rows = tuned / "rung-1/results.csv"
    lines = rows.read_text("utf-8").splitlines(keepends=True)
    rows.write_text("".join(line for line in lines if f"/{SECOND}/" not in line), "utf-8")
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert f"tuned/rung-1 has no row of {SECOND} at sms x 32" in " ".join(outcome.err.split())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"pattern": "reduce"', '"pattern": "redcue"', "there is no pattern redcue"),
        (f'"variant": "{FAST}"', '"variant": "lanes3"', "reduce has no variant lanes3"),
        (f'"variant": "{FAST}"', f'"variant": "{SECOND}"', "sms x 32 has a candidate twice"),
        ('"launch": "sms x 32"', '"launch": "sms x 64"', "the launches of `settings` are not those of `request`"),
        ('"iterations": 1024', '"iterations": 0', "sms x 32 has 0 iterations"),
        ('"settings"', '"set"', "settings"),
        ("{", "", "tune.json"),
    ],
)
def test_an_edited_record_is_refused(demo: Command, tuned: Path, old: str, new: str, sentence: str) -> None:
    record = tuned / "tune.json"
    text = record.read_text("utf-8")
    assert old in text
    record.write_text(text.replace(old, new, 1), "utf-8")
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert sentence in " ".join(outcome.err.split())


def test_an_edited_list_of_what_was_tried_is_written_anew(demo: Command, tuned: Path) -> None:
    text = (tuned / "tried.csv").read_text("utf-8")
    (tuned / "tried.csv").write_text("nothing", "utf-8")
    assert demo("tune", "--resume", "tuned").code == 0
    assert (tuned / "tried.csv").read_text("utf-8") == text


@pytest.mark.archs
def test_a_full_disk_names_how_to_resume(demo: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(scripts())
    append = run_files.append

    def full(path: Path, content: bytes) -> None:
        if "rung-2" in path.parts:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        append(path, content)

    monkeypatch.setattr(run_files, "append", full)
    outcome = demo("tune", *SETTING)
    assert outcome.code == 3
    err = " ".join(outcome.err.split())
    assert "tuned/rung-2" in err
    assert "the disk is full" in err
    assert "shflbench tune --resume tuned" in err
    assert "shflbench run" not in err
    monkeypatch.undo()


@pytest.mark.archs
def test_a_lost_gpu_names_how_to_resume(demo: Command, plug: Plug) -> None:
    plug(RaisesFrom(FAST, "tuned/rung-2", DeviceError("the GPU is lost", "start the machine again"), times_of()))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 4
    err = " ".join(outcome.err.split())
    assert "the GPU is lost" in err
    assert "tart the machine again; what was measured is kept: shflbench tune --resume tuned" in err
    plug(scripts())
    assert demo("tune", "--resume", "tuned").code == 0


@pytest.mark.archs
def test_a_full_disk_at_the_start_names_another_folder(
    demo: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(scripts())

    def full(path: Path, content: bytes) -> None:  # noqa: ARG001  (as `run_files.replace` has them)
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(run_files, "replace", full)
        outcome = demo("tune", *SETTING)
    assert outcome.code == 3
    assert "the disk is full" in outcome.err
    assert "--resume" not in outcome.err


@pytest.mark.archs
def test_a_ranking_without_a_gpu_is_not_measured_when_resumed(demo: Command, plug: Plug) -> None:
    assert demo("tune", *SETTING).code == 0
    plug(scripts())
    outcome = demo("tune", "--resume", "tuned", "--gpu", "0")
    assert outcome.code == 2
    assert "tuned was ranked without a GPU, and --gpu asks for one" in " ".join(outcome.err.split())
    assert "nothing was measured" in demo("tune", "--resume", "tuned").err


def test_an_interrupted_ranking_leaves_no_folder(demo: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(scripts())

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shflbench.advice.tuner.candidates.predicted_kernels", stopped)
    assert demo("tune", *SETTING).code == 130
    assert not Path("tuned").exists()


@pytest.mark.archs
def test_a_folder_that_another_process_writes_is_refused(demo: Command, plug: Plug) -> None:
    plug(scripts())
    demo("tune", *SETTING)
    with sole_writer(Path("tuned")):
        outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert "tuned is being written by another shflbench process" in " ".join(outcome.err.split())


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("tuned", "tuned already contains a tuning run"),
        ("my runs", "shflbench tune --resume 'my runs', or give another folder"),
        ("notes", "notes exists and is not empty"),
        ("notes/text", "notes/text is a file, not a folder"),
        ("notes/text/below", "notes/text is not a folder"),
    ],
)
def test_a_folder_that_cannot_take_the_run_is_refused_before_work(
    demo: Command, plug: Plug, path: str, sentence: str
) -> None:
    plug(scripts())
    for name, file in (("tuned", "tune.json"), ("my runs", "tune.json"), ("notes", "text")):
        Path(name).mkdir()
        (Path(name) / file).touch()
    outcome = demo("tune", "reduce", "--launch", "sms x 32", "-o", path)
    assert outcome.code == 3
    assert sentence in " ".join(outcome.err.split())
    assert "ranking" not in outcome.err


@pytest.mark.parametrize("option", ["-o", "--results"])
def test_a_folder_that_may_not_be_written_is_refused_before_work(
    demo: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    plug(scripts())
    Path("kept").mkdir()
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != "kept")
    outcome = demo("tune", "reduce", "--launch", "sms x 32", option, "kept/new")
    assert outcome.code == 3
    assert "kept cannot be written" in " ".join(outcome.err.split())
    assert "ranking" not in outcome.err


def test_a_finished_rung_of_another_suite_is_refused(demo: Command, tuned: Path) -> None:
    shutil.rmtree(tuned / "rung-3")
    shutil.copytree(tuned / "rung-1", tuned / "rung-3")
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert "tuned/rung-3 is a run of another suite than tuned/rung-3.yaml" in outcome.err


@pytest.mark.archs
def test_a_candidate_with_a_wrong_result_is_dropped_with_its_reason(demo: Command, plug: Plug) -> None:
    plug(scripts(**{WRONG: Script(ns_per_iteration=5, fault=one_lane(in_iteration(2)))}))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 5
    assert f"warning: {WRONG} at sms x 32: incorrect in rung 1: " in outcome.err
    assert tried()[WRONG]["has_failed"] == "True"
    assert WRONG not in variants_of(2)


def test_without_a_gpu_the_model_ranks_and_nothing_is_measured(demo: Command) -> None:
    outcome = demo("tune", *SETTING)
    assert outcome.code == 0
    assert "ranked by the limit model; nothing is measured" in " ".join(outcome.err.split())
    assert "(predicted, not measured)" in outcome.err
    rows = tried()
    assert all(row["predicted_cycles"] and not row["time_us"] for row in rows.values())
    assert any("predicted to take" in row["left_out"] for row in rows.values())


@pytest.mark.archs
def test_json_has_what_was_tried(demo: Command, plug: Plug) -> None:
    plug(scripts())
    record = json.loads(demo("tune", *SETTING, "--format", "json").out)
    assert record["answers"][0]["launch"] == "sms x 32"
    assert record["winners"]["sms x 32"][0] == FAST
    assert record["gpu_seconds"] > 0
    assert {one["variant"] for one in record["tried"]} == set(tried())


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "no pattern is named"),
        (("redcue",), 2, "unknown pattern `redcue`; did you mean `reduce`?"),
        (("neighbor",), 2, "neighbor has no family of variants to choose from"),
        (("reduce", "--dtype", "f64"), 2, "no member of the family of reduce supports f64, width=32"),
        (("reduce", "--dtype", "f31"), 2, "unknown dtype `f31`"),
        (("reduce", "--option", "width=3"), 2, "reduce has no width=3"),
        (("reduce", "--option", "width"), 2, "--option `width` is not NAME=VALUE"),
        (("reduce", "--launch", "1x33"), 2, "--launch `1x33` is no launch"),
        (("reduce", "--launch", "26x1024"), 2, "--launch 26x1024 says no blocks per SM without a GPU"),
        (("reduce", "--device", "cuda", "--arch", "sm_90"), 2, "--device cuda asks for a GPU, and --arch for none"),
        (("reduce", "--device", "cuda"), 4, "the driver lists no GPU"),
        (("reduce", "--gpu", "3"), 4, "the driver lists no GPU"),
        (("reduce", "--gpu", "0", "--arch", "sm_90"), 2, "--gpu asks for a GPU, and --arch for none"),
        (("reduce", "-o", "a", "--results", "b"), 2, "--output and --results both name a place for the run"),
        (("--resume", "nowhere"), 3, "nowhere/tune.json"),
        (("--resume", "nowhere", "--launch", "sms x 32"), 2, "--launch cannot change them"),
        (("--resume", "nowhere", "--seed", "1"), 2, "--seed cannot change them"),
    ],
)
def test_wrong_use_gets_one_sentence(demo: Command, words: Sequence[str], code: int, sentence: str) -> None:
    outcome = demo("tune", *words)
    assert outcome.code == code
    assert sentence in " ".join(outcome.err.split())
    assert not Path("results").exists()
