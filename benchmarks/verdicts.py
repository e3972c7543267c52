"""Record what `check` says of many kernels, and compare two such records: `python -m benchmarks.verdicts`.

    python -m benchmarks.verdicts record FOLDER [FILE...] [--mutants N] [--jobs N]
    python -m benchmarks.verdicts compare BASE NEW

A record has, for each pattern, each test kernel (with its own launch, and without one), each damaged file of
`check_fuzz_mutants`, and each FILE: the exit code and the JSON report, and of every fifth file SARIF and the table.
The comparison lists what a refactoring must not move (exit codes, verdicts, kinds, places, keys), and apart from it
sentences that read otherwise; it exits with 1 for the first. Both trees are recorded from their own root.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.check_fuzz_mutants import mutant
from shflbench.cli.main import main as shflbench

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ("tests/checker", "tests/cli/check/programs")
FILES_PER_PROCESS = 50  # caches of a process that checks hundreds say nothing about one file
OTHER_FORMS, EVERY = ("sarif", "table"), 5
MUTANTS = 500
SHOWN = 40  # differences
_LAUNCH = re.compile(r"^// launch: (\S+)(?: in clusters of (\d+))?$", re.MULTILINE)
# Fields of a report whose texts are sentences: a refactoring may word them otherwise.
SENTENCES = frozenset({"sentence", "message", "detail", "history", "note", "notes", "errors", "text", "markdown"})


@dataclass(frozen=True, slots=True)
class Check:
    """One call of `check`."""

    name: str
    words: tuple[str, ...]
    mutant: int | None = None  # whose file is written before


def checks(files: Sequence[str], mutants: int) -> Iterator[Check]:
    """Yield the calls, those that take longest first."""
    for folder in sorted((ROOT / "shflbench" / "patterns").iterdir()):
        if (folder / "pattern.py").exists():
            yield from _forms(folder.name, ("check", folder.name))
    found = [path for folder in KERNELS for path in sorted((ROOT / folder).rglob("*.cu"))]
    for number, path in enumerate([*(str(path.relative_to(ROOT)) for path in found), *files]):
        yield from _forms(path, ("check", path), all_forms=number % EVERY == 0)
        text = Path(path).read_text(encoding="utf-8", errors="replace") if Path(path).is_file() else ""
        if launch := _LAUNCH.search(text):
            cluster = ("--cluster", launch[2]) if launch[2] else ()
            yield from _forms(f"{path} {launch[1]}", ("check", path, "--launch", launch[1], *cluster))
    for number in range(mutants):
        yield Check(f"mutant {number}", (), number)


def _forms(name: str, words: tuple[str, ...], *, all_forms: bool = False) -> Iterator[Check]:
    compiler = () if len(words) > 1 and "." not in words[1] else ("--compiler", "nvrtc")
    for form in ("json", *(OTHER_FORMS if all_forms else ())):
        yield Check(f"{name} {form}", (*words, *compiler, "--format", form))


def outcome(check: Check) -> dict[str, object]:
    """Run one call in this process, and return its exit code and what it printed."""
    out, err = StringIO(), StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(out), redirect_stderr(err):
        words = check.words
        if check.mutant is not None:
            damaged = mutant(0, check.mutant)
            path = Path(folder) / damaged.name
            path.write_bytes(damaged.content)
            words = ("check", str(path), "--compiler", "nvrtc", *damaged.words)
        code = shflbench([*words])
        texts = [text.getvalue().replace(folder, "FOLDER") for text in (out, err)]
    return {"name": check.name, "code": code, "out": texts[0], "err": texts[1]}


def record(folder: Path, files: Sequence[str], mutants: int, jobs: int) -> None:
    """Write one line of JSON per call to `folder`/verdicts.jsonl, in the order of the calls."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    todo = list(checks(files, mutants))
    context = multiprocessing.get_context("forkserver")
    with (
        (folder / "verdicts.jsonl").open("w", encoding="utf-8") as stream,
        context.Pool(jobs, maxtasksperchild=FILES_PER_PROCESS) as pool,
    ):
        for number, result in enumerate(pool.imap(outcome, todo), 1):
            stream.write(json.dumps(result) + "\n")
            print(f"\r{number} of {len(todo)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def read(folder: Path) -> dict[str, dict[str, object]]:
    """Return the outcomes of a record, by the names of their calls."""
    lines = (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    return {item["name"]: item for item in map(json.loads, lines)}


def compare(base: Path, new: Path) -> int:
    """Print what differs; return 1 if it is more than sentences."""
    before, after = read(base), read(new)
    moved: list[str] = []
    worded: list[str] = []
    for name in sorted(before.keys() & after.keys()):
        for place, one, other, is_sentence in differences(before[name], after[name]):
            (worded if is_sentence else moved).append(f"{name}: {place}\n  - {one}\n  + {other}")
    print(f"{len(before.keys() & after.keys())} calls; only in one record: {len(before.keys() ^ after.keys())}")
    codes = Counter(str(item["code"]) for item in after.values())
    print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
    for title, items in (("moved", moved), ("sentences that read otherwise", worded)):
        print(f"{title}: {len(items)}")
        for text in items[:SHOWN]:
            print(text)
    return 1 if moved or before.keys() ^ after.keys() else 0


def differences(one: dict[str, object], other: dict[str, object]) -> Iterator[tuple[str, object, object, bool]]:
    """Yield the places where two outcomes differ, both values, and whether they are sentences."""
    if one["code"] != other["code"]:
        yield "exit code", one["code"], other["code"], False
    if one["err"] != other["err"]:
        yield "stderr", one["err"], other["err"], True
    if one["out"] == other["out"]:
        return
    if not str(one["name"]).endswith("json") and not str(one["out"]).startswith("{"):
        yield "table", one["out"], other["out"], True
        return
    yield from _in_json(json.loads(str(one["out"])), json.loads(str(other["out"])), "")


def _in_json(one: object, other: object, place: str) -> Iterator[tuple[str, object, object, bool]]:
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            yield f"{place} keys", list(one), list(other), False
        for key in one.keys() & other.keys():
            yield from _in_json(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (item, changed) in enumerate(zip(one, other, strict=True)):
            yield from _in_json(item, changed, f"{place}[{number}]")
    elif one != other:
        is_sentence = re.sub(r"\[\d+\]$", "", place).rpartition(".")[2] in SENTENCES
        yield place, one, other, is_sentence


def main() -> int:
    """Record or compare; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("folder", type=Path)
    recording.add_argument("files", nargs="*")
    recording.add_argument("--mutants", type=int, default=MUTANTS)
    recording.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    comparing = commands.add_parser("compare")
    comparing.add_argument("base", type=Path)
    comparing.add_argument("new", type=Path)
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.base, given.new)
    record(given.folder.absolute(), [str(Path(file).absolute()) for file in given.files], given.mutants, given.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
