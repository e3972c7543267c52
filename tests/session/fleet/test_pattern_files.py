"""The folder of a user's pattern reaches a worker under its name, from which the pattern is loaded."""

from pathlib import Path

from shflbench.core.model import MeasureRules
from shflbench.measure.job import Job
from shflbench.patterns.discover import load
from shflbench.session.fleet.pattern_files import pack_patterns, unpack_patterns

PATTERNS = Path(__file__).parents[2] / "patterns"
JOB = Job(groups=(), folders={}, rules=MeasureRules(), seed=0)


def unpacked(folder: Path) -> Path:
    return unpack_patterns(JOB, pack_patterns({folder.name: folder})).folders[folder.name]


def test_patterns_are_loaded_whatever_their_files_are(tmp_path: Path) -> None:
    # The digest of the files must not decide whether the folder's name is one of a pattern.
    source = next(path.parent for path in sorted(PATTERNS.rglob("pattern.py")))
    for number in range(8):
        folder = tmp_path / str(number) / "doubled"
        folder.mkdir(parents=True)
        for path in source.iterdir():
            if path.is_file():
                (folder / path.name).write_bytes(path.read_bytes())
        (folder / "note.txt").write_text(str(number), encoding="utf-8")
        copy = unpacked(folder)
        assert copy.name == "doubled"
        assert copy != folder
        assert load(copy).declaration.variants


def test_a_folder_of_the_package_is_sent_as_its_path() -> None:
    from shflbench.patterns.discover import builtin

    assert unpacked(builtin()["neighbor"]) == builtin()["neighbor"]
