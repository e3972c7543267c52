"""The figures of a set."""

from benchmarks.public_sets.job import JobResult, KernelResult
from benchmarks.public_sets.selection import Exclusion
from benchmarks.public_sets.sets import SETS, Part, part_of
from benchmarks.public_sets.tables import SetOutcomes, comparison, costs, hidden_races, table
from benchmarks.public_sets.truth import FileOutcome, Kind, Truth, compare

SOUND = Truth(Kind.SOUND, "no memory is shared.")
RACE = Truth(Kind.RACE, "all threads write their number to p[0].")


def outcome(path: str, truth: Truth, verdict: str, *kinds: str, machine: str = "2 cores") -> FileOutcome:
    kernel = KernelResult("k", verdict, "reason", kinds=kinds)
    seconds = 6.0 if truth is RACE else 1.0
    result = JobResult((kernel,), compiler="NVRTC 13.5", cpu_seconds=seconds, megabytes=100, machine=machine)
    return compare(path, truth, result)


def outcomes(compiler: str = "NVRTC") -> SetOutcomes:
    files = (
        outcome("a.cu", SOUND, "clean"),
        outcome("b.cu", RACE, "clean"),
        outcome("c.cu", RACE, "broken", "OUT_OF_BOUNDS"),
        outcome("d.cu", RACE, "doubtful"),
        outcome("e.cu", SOUND, "broken"),
        outcome("f.cu", SOUND, "needs arguments"),
        outcome("g.cu", SOUND, "not compiled"),
    )
    return SetOutcomes(SETS["faial"], compiler, files, {"h.cu": Exclusion("WMMA", "wmma::")})


def test_the_parts_of_a_set_have_rows_of_their_own() -> None:
    rows = [line.split(" | ") for line in table([outcomes()]).splitlines()[2:]]
    parts = [part_of(one.path) for one in outcomes().outcomes]
    assert [row[1] for row in rows] == ["tuning", "held-out"]
    assert [int(row[3]) for row in rows] == [parts.count(Part.TUNING), parts.count(Part.HELD_OUT)]


def test_every_file_is_counted_in_one_column() -> None:
    tuning = [f"{number}.cu" for number in range(30) if part_of(f"{number}.cu") is Part.TUNING][:8]
    verdicts = ["clean", "clean", "broken", "doubtful", "broken", "needs arguments", "not checked", "broken"]
    truths = [SOUND, RACE, RACE, RACE, SOUND, SOUND, SOUND, RACE]
    files = [outcome(*one) for one in zip(tuning, truths, verdicts, strict=True)]
    [row] = table([SetOutcomes(SETS["faial"], "nvcc", files, {})]).splitlines()[2:]
    # files, taken, right, sound called broken, bug called clean, doubtful, needs arguments, not checked
    assert row == "| faial | tuning | nvcc | 8 | 87.5% | 37.5% | 1 | 1 | 1 | 1 | 1 |"


def test_both_compilers_have_rows() -> None:
    rows = [line.split(" | ") for line in table([outcomes("nvcc"), outcomes("NVRTC")]).splitlines()[2:]]
    assert [(row[1], row[2]) for row in rows] == [
        ("tuning", "nvcc"), ("tuning", "NVRTC"), ("held-out", "nvcc"), ("held-out", "NVRTC"),
    ]  # fmt: skip


def test_costs_are_those_of_each_machine() -> None:
    files = [outcome("c.cu", SOUND, "clean"), outcome("e.cu", RACE, "broken"), outcome("f.cu", SOUND, "clean")]
    files.append(outcome("g.cu", SOUND, "clean", machine="16 cores"))
    rows = costs([SetOutcomes(SETS["faial"], "NVRTC", files, {})]).splitlines()[2:]
    assert rows == [
        "| faial | tuning | NVRTC 13.5 | 2 cores | 1.0 s | 6.0 s | 33.3% | 100 MB |",
        "| faial | tuning | NVRTC 13.5 | 16 cores | 1.0 s | 1.0 s | 0.0% | 100 MB |",
    ]


def test_races_in_indigo_stand_beside_published_figures() -> None:
    files = [
        outcome("a.cu", RACE, "broken", "RAW"),
        outcome("b.cu", RACE, "clean"),
        outcome("c.cu", RACE, "broken", "OUT_OF_BOUNDS"),  # broken, but the race is not found
        outcome("d.cu", SOUND, "broken", "RAW"),
    ]
    indigo = SetOutcomes(SETS["indigo"], "nvcc", files, {})
    lines = comparison([outcomes(), indigo]).splitlines()
    assert "| HiRace | 346 | 346 | 0 | 0 |" in lines
    assert "| `check` with nvcc, without a GPU, all files | 3 | 1 | 2 | 1 of 1 |" in lines
    assert "| `check` with nvcc, without a GPU, tuning part | 1 | 0 | 1 | 0 of 0 |" in lines
    assert hidden_races(files) == 1
