"""Report phrases and names that phrases.toml replaces: `python -m tools.language.check [PATH...]`.

Without a path, all files of the repository are read, except recorded ones.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIST = Path(__file__).with_name("phrases.toml")
SUFFIXES = {".cff", ".cu", ".cuh", ".md", ".py", ".sh", ".toml", ".yaml", ".yml", ""}
BORDER = r"(?:(?<![A-Za-z])|(?<=\\n))"  # before a phrase: no letter, except that of a line break in a string
START = r"(?=[A-Za-z0-9#]|[ \u00a0\u202f]%)"  # how every phrase begins: where nothing else can, none is searched
# Between two words of a phrase: blanks, or the end of a line with what continues a comment, a list or a string.
GAP = r"(?:[ \t]+|[ \t]*[\"']?[ \t]*\n[ \t]*(?:(?:#+|//+|\*|>)[ \t]*)?(?:f?[\"'] ?)?)"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words to replace in all files but those that match `allowed_in`, and what to write instead."""

    pattern: re.Pattern[str]
    instead: str
    wrong: tuple[str, ...]
    allowed_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Identifiers:
    """Names to replace in the files that match `where`, and what to write instead."""

    names: frozenset[str]
    where: str
    instead: str
    allowed_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase or a name to replace, where it stands in a text."""

    line: int
    words: str
    instead: str


@cache
def load_list() -> dict[str, Any]:
    """Return phrases.toml."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


@cache
def phrases() -> tuple[Phrase, ...]:
    """Return all phrases to replace."""
    return tuple(
        Phrase(
            _compile(item["pattern"], item.get("not_after")),
            item["instead"],
            tuple(item["wrong"]),
            tuple(item.get("allowed_in", ())),
        )
        for item in load_list()["phrase"]
    )


@cache
def identifiers() -> tuple[Identifiers, ...]:
    """Return all names to replace."""
    items = load_list()["identifier"]
    return tuple(
        Identifiers(frozenset(item["wrong"]), item.get("in", "*"), item["instead"], tuple(item.get("allowed_in", ())))
        for item in items
    )


def _compile(pattern: str, not_after: str | None) -> re.Pattern[str]:
    for name, words in load_list()["words"].items():
        pattern = pattern.replace(f"<{name}>", words)
    exception = rf"(?<!{not_after}[\s-])" if not_after else ""
    return re.compile(f"{BORDER}{exception}(?:{pattern.replace(' ', GAP)})(?![A-Za-z])", re.IGNORECASE)


@cache
def _any_phrase() -> re.Pattern[str]:
    """Return what matches where any phrase does: one search takes less time than one per phrase."""
    patterns = (phrase.pattern.pattern.removeprefix(BORDER) for phrase in phrases())
    return re.compile(f"{BORDER}{START}(?:{'|'.join(patterns)})", re.IGNORECASE)


def find_phrases(text: str, path: str = "") -> Iterator[Hit]:
    """Yield each phrase to replace in the text of the file `path`."""
    if not _any_phrase().search(text):
        return
    for phrase in phrases():
        if path in phrase.allowed_in:
            continue
        for match in phrase.pattern.finditer(text):
            words = " ".join(match[0].split())
            yield Hit(text.count("\n", 0, match.start()) + 1, words, phrase.instead)


def find_identifiers(source: str, path: str) -> Iterator[Hit]:
    """Yield each name to replace that the Python file `path` with the text `source` defines, its own among them."""
    lists = [item for item in identifiers() if fnmatch(path, item.where) and path not in item.allowed_in]
    words = {Path(path).stem, *re.findall(r"\w+", normalize("NFKC", source))}  # as Python normalizes names
    if not any(words & item.names for item in lists):
        return
    for line, name in [(1, Path(path).stem), *_defined_names(source)]:
        for item in lists:
            if name in item.names:
                yield Hit(line, name, item.instead)


def _defined_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield each name to which `source` gives a value, and its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()) | ast.arg(name):
                yield node.lineno, name
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield node.lineno, name
            case ast.alias(_, str(name)):
                yield node.lineno, name


def find_questions(source: str) -> Iterator[Hit]:
    """Yield the first word of a file's docstring if it makes the docstring half a question, which is read twice."""
    if word := re.match(r'"""(What|Which|Who)\b', source):
        yield Hit(1, word[1], "a noun or a verb: `Choose the kernels …`, `The result of …`")


def check(path: str, text: str) -> list[Hit]:
    """Return what to replace in the file `path` with the text `text`, by line."""
    hits = [*find_phrases(text, path)]
    if path.endswith(".py"):
        hits += [*find_identifiers(text, path), *find_questions(text)]
    return sorted(hits, key=lambda hit: hit.line)


def files(paths: Sequence[str]) -> Iterator[str]:
    """Yield the text files of the repository in the current folder that lie under `paths`, except recorded ones."""
    recorded = load_list()["recorded"]
    listed = subprocess.run(["git", "ls-files", "-z", *paths], check=True, capture_output=True, text=True).stdout
    for name in listed.split("\0"):
        if name and Path(name).suffix in SUFFIXES and not any(fnmatch(name, pattern) for pattern in recorded):
            yield name


def text_of(name: str) -> str:
    """Return the text of a file; some samples of what people bring are in older encodings."""
    return Path(name).read_text(encoding="utf-8", errors="replace")


def main(paths: Sequence[str]) -> int:
    """Print what to replace, and return 1 if there is anything."""
    hits = [(name, hit) for name in files(paths) for hit in check(name, text_of(name))]
    for name, hit in hits:
        print(f"{name}:{hit.line}: `{hit.words}`: write {hit.instead}")
    if hits:
        print(f"Replace {len(hits)} phrases and names; tools/language/phrases.toml lists them.", file=sys.stderr)
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
