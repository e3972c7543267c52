"""Real suite files with random changes that a person, an editor or an attacker might make."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from shflbench.suite import find_shipped
from tests.suite.changes import CHANGES, ENTRY, Change, flipped_bytes

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"^```yaml\n(schema: 1\n.*?)^```", re.DOTALL | re.MULTILINE)
_ENCODINGS = ("utf-8",) * 92 + ("utf-8-sig",) * 4 + ("utf-16", "utf-16-le", "utf-32", "latin-1")


@dataclass(frozen=True)
class Mutant:
    """A changed suite file, and its changes in order."""

    changes: tuple[str, ...]
    data: bytes


def originals() -> tuple[str, ...]:
    """Return the suites of this repository: those it ships, the tests' own, and those of the documentation."""
    files = [*find_shipped().values(), *sorted((ROOT / "tests" / "patterns").glob("*/suite.yaml"))]
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    fenced = [text for page in pages for text in _FENCED.findall(page)]
    return (*(path.read_text(encoding="utf-8") for path in files), *fenced)


def mutant(number: int, texts: tuple[str, ...]) -> Mutant:
    """Return the mutant `number`, which is always the same: one of `texts` with one to four changes."""
    rng = Random(number)  # noqa: S311  (a test's, not a secret's)
    text = rng.choice(texts)
    changes = rng.choices(
        [*CHANGES, *[borrowed_from(texts)] * 4, merged_with(texts)], k=rng.choice((1, 1, 1, 1, 2, 2, 3, 4))
    )
    for change in changes:
        text = change(rng, text)
    names = [change.__name__ for change in changes]
    data = text.encode(rng.choice(_ENCODINGS), errors="replace")
    if rng.random() < 0.05:
        data = flipped_bytes(rng, data)
        names.append(flipped_bytes.__name__)
    return Mutant(tuple(names), data)


def merged_with(texts: tuple[str, ...]) -> Change:
    """Return the change that joins two texts, or mixes them line by line."""

    def merged(rng: Random, text: str) -> str:
        other = rng.choice(texts)
        if rng.random() < 0.5:
            return text + rng.choice(("", "---\n", "\n", "...\n")) + other
        lines = (text.splitlines(keepends=True), other.splitlines(keepends=True))
        return "".join(rng.choice(lines)[index] for index in range(min(map(len, lines))))

    return merged


@cache
def borrowed_from(texts: tuple[str, ...]) -> Change:
    """Return the change that gives a key the value of another occurrence."""
    known = [entry for text in texts for entry in ENTRY.finditer(text)]

    def borrowed(rng: Random, text: str) -> str:
        entry = rng.choice(list(ENTRY.finditer(text)) or known)
        other = rng.choice([each for each in known if each["key"] == entry["key"]] or known)
        return text[: entry.start("value")] + other["value"] + text[entry.end("value") :]

    return borrowed
