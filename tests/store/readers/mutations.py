"""Files of other tools with random damage, as a full disk, an editor or an attacker leaves them."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.store.readers.foreign_files import write_csv, write_nvbench

DATA = Path(__file__).parents[2] / "data/readers"
GOOGLE = DATA / "google-benchmark"
Files = dict[str, bytes]  # by path below the folder

VALUES: tuple[Any, ...] = (
    *(None, True, False, "", [], {}, 0, -1, 1, 2**31, 2**63, 10**400, 1e308, -1e308, 1e-320, float("nan")),
    *(float("inf"), "nan", "inf", "-5", "1e999", "9" * 5000, "0x10", "١٢", "\0", "\x1b[31mred", "a\nb", "\ud800"),
    *("sentinel/x", "x" * 600, "../../etc/passwd", "/etc/passwd", "1.json-bin/../../x", "..\\x", "1.json-bin", "."),
    *("us", "h", "aggregate", "stddev", "int64", [[[[[]]]]], {"name": "value"}, "2026-11-20T08:00:10Z", "9999-99-99"),
)
TOKENS = (
    "",
    " ",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "NaN",
    "-",
    "1e9",
    "\n",
    "\r",
    "\0",
    "\x1b",
    "é",
    "[" * 9000,
)
CELLS = (
    "",
    "-1",
    "0",
    "1e308",
    "nan",
    "inf",
    "1e-9",
    "x" * 600,
    "sentinel/y",
    '"',
    '"a\nb"',
    "\x07",
    "a,b",
    "=1+1",
    "٣",
)


@dataclass(frozen=True)
class ForeignMutant:
    """The files of a side, and what was changed in them."""

    files: Files
    changes: tuple[str, ...]


def originals(folder: Path) -> tuple[Files, ...]:
    """Return the files of a side in each format; `folder` is for writing them."""
    cases = {"copy/T=F32/Elements=2^20": 50.0, "scan": 200.0}
    for number in range(3):
        write_nvbench(folder / "nvbench" / f"{number}.json", cases, process=number, samples=40)
        write_nvbench(folder / "summaries" / f"{number}.json", cases, process=number, with_samples=False)
        write_csv(folder / "csv" / f"{number}.csv", cases, processes=range(number, number + 1), rounds=3)
    packed = {"all.csv.gz": gzip.compress(write_csv(folder / "all.csv", cases, rounds=3).read_bytes(), mtime=0)}
    folders = (folder / "nvbench", folder / "summaries", folder / "csv", GOOGLE / "base", GOOGLE / "aggregates")
    recorded = (
        "pytest-benchmark/base",
        "pytest-benchmark/summaries",
        "hyperfine/base",
        "kernel-tuner/base",
        "triton/1",
    )
    unfinished = {"unfinished.json": (DATA / "kernel-tuner/unfinished.json").read_bytes()}
    return (*map(files_of, folders), packed, *(files_of(DATA / name) for name in recorded), unfinished)


def files_of(folder: Path) -> Files:
    """Return the files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def mutant(number: int, sides: tuple[Files, ...]) -> ForeignMutant:
    """Return the mutant `number`, which is always the same: one of `sides` with one to three changes."""
    rng = Random(number)  # noqa: S311  (a test's, not a secret's)
    files = dict(rng.choice(sides))
    changes = rng.choices(CHANGES, k=rng.choice((1, 1, 1, 2, 3)))
    for change in changes:
        name = rng.choice([*files, *(name for name in files if name.endswith(".json"))])
        files[name] = change(rng, files[name])
    return ForeignMutant(files, tuple(change.__name__ for change in changes))


def lay(files: Files, folder: Path) -> Path:
    """Write the files into an empty folder."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def flipped(rng: Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(min(len(changed), rng.choice((1, 2, 8, 64)))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def cut(rng: Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def extended(rng: Random, content: bytes) -> bytes:
    return content + rng.choice((b"\0\0\0\0", b"x", content, b"\n{}", rng.randbytes(7)))


def replaced(rng: Random, content: bytes) -> bytes:
    del content
    return rng.choice(
        (b"", b"\0" * 64, b"{}", b"[]", b"null", b'{"context": 1}', b'{"benchmarks": 1, "devices": 2}', PNG)
    )


PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def with_token(rng: Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(TOKENS).encode() + content[place + rng.choice((0, 1, 5)) :]


def with_cell(rng: Random, content: bytes) -> bytes:
    """Replace a cell of CSV, or a part between commas of other text."""
    parts = content.split(b",")
    parts[rng.randrange(len(parts))] = rng.choice(CELLS).encode()
    return b",".join(parts)


def with_lines_moved(rng: Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    for _ in range(rng.choice((1, 3))):
        if lines:
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
            del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def with_value(rng: Random, content: bytes) -> bytes:
    """Replace, remove or repeat a value anywhere in JSON; other content gets flipped bytes."""
    try:
        root = json.loads(content)
    except (ValueError, RecursionError):
        return flipped(rng, content)
    places = list(_places(root))
    if not places:
        return content
    for _ in range(rng.choice((1, 1, 4))):
        holder, key = rng.choice(places)
        if rng.random() < 0.2 and isinstance(holder, dict):
            holder.pop(key, None)
        elif rng.random() < 0.2 and isinstance(holder, list):
            holder.append(holder[0])
        elif isinstance(holder, list) or key in holder:
            holder[key] = rng.choice(VALUES)
    return json.dumps(root).encode(errors="surrogatepass")


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each object or list with each of its keys or indices."""
    keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
    for key in keys:
        yield part, key
        yield from _places(part[key])


CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(flipped, cut, extended, replaced, with_token, with_cell, with_lines_moved),
    *(with_value,) * 7,
)


def with_links(files: Files, folder: Path) -> None:
    """Replace the folder of the first binary samples by a link to a folder outside."""
    outside = folder.parent.resolve() / "outside"
    outside.mkdir()
    lay(files, folder)
    samples = folder / "0.json-bin"
    for path in sorted(samples.iterdir()):
        path.rename(outside / path.name)
    samples.rmdir()
    samples.symlink_to(outside)
