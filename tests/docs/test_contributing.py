"""The pages for contributors: what they quote exists, each recipe ends with its test, and the first page is short."""

import re
import shlex
import subprocess
import tomllib
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.__main__ import module_of
from shflbench.cli.registry import COMMANDS
from shflbench.suite import find_shipped
from tools.docs.site_links import entries
from tools.docs.wrap import text_lines

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "contributing"
GUIDE = ROOT / "CONTRIBUTING.md"
OTHERS = {"index", "checks", "dependencies", "language", "packages"}  # of the folder, which are no recipes
RECIPES = sorted(page for page in FOLDER.glob("*.md") if page.stem not in OTHERS)
MOST_WORDS = 600  # of CONTRIBUTING.md
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
DONE = "It is done when"
PATH = re.compile(r"[\w.-]+/[\w./-]*|[\w.-]+\.(?:md|py|toml|yaml)")
TEXTS = {".cu", ".j2", ".md", ".py", ".toml", ".yaml"}
NAME = re.compile(r"\w+")
# Words that are no names of the code: what users of the command line and readers of PTX write.
WORDS = {*COMMANDS, *find_shipped(), "main", "make", "claims", "results"}


def code_of(text: str) -> list[list[str]]:
    """Return what each paragraph, item or row of a page quotes in backticks."""
    lines = text.splitlines()
    in_text = text_lines(lines)
    parts: list[str] = [""]
    for number, line in enumerate(lines):
        if line.startswith("|"):
            parts += [line, ""]
        elif number not in in_text or re.match(r"\s*(?:-|\d+\.) ", line):
            parts.append(line if number in in_text else "")
        else:
            parts[-1] += f" {line.strip()}"
    return [quoted for part in parts if (quoted := re.findall(r"`([^`]+)`", part))]


def is_path(word: str) -> bool:
    return bool(PATH.fullmatch(word))


def text_below(path: Path) -> str:
    """Return the text of a file, or of all files directly in a folder."""
    files = [path] if path.is_file() else sorted(path.iterdir())
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.suffix in TEXTS)


def missing(text: str) -> list[str]:
    """Return what a page quotes and does not exist.

    A path is relative to the root of the repository. A name is in a file that the same item names, or, where the item
    names none, in one of the page. Commands are targets of make, modules, and tests that exist.
    """
    parts = code_of(text)
    paths = [[ROOT / word for word in part if is_path(word) and (ROOT / word).exists()] for part in parts]
    every = [path for several in paths for path in several]
    unknown: list[str] = []
    for part, several in zip(parts, paths, strict=True):
        known = "\n".join(map(text_below, several or every))
        unknown += [word for word in part if not _exists(word, known)]
    return unknown


def _exists(word: str, known: str) -> bool:
    if is_path(word):
        return (ROOT / word).exists()
    if NAME.fullmatch(word) and word not in WORDS:
        return bool(re.search(rf"\b{word}\b", known))
    return word in WORDS or _is_command(shlex.split(word)) or word in known


def _is_command(words: list[str]) -> bool:
    match words:
        case ["make", target]:
            return target in TARGETS
        case [".venv/bin/pytest", "-q", *tests]:
            return bool(tests) and all((ROOT / test).exists() for test in tests)
        case [".venv/bin/python", "-m", "benchmarks", program, *_]:
            return module_of(program) is not None
        case [".venv/bin/python", "-m", module, *_] if not module.startswith("benchmarks."):  # which runs nothing
            return find_spec(module) is not None
        case ["git", "grep", *pattern]:
            return subprocess.run(["git", "grep", "-q", *pattern], cwd=ROOT, check=False).returncode == 0
        case _:  # `test_commands.py` checks the options
            return words[0] == "shflbench" or words[0] in COMMANDS


@pytest.mark.parametrize("page", [GUIDE, *RECIPES], ids=lambda page: page.stem)
def test_every_path_name_and_command_of_a_page_exists(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", ["checks", "language", "packages"])
def test_every_path_of_a_page_without_steps_exists(name: str) -> None:
    """These pages name files by the end of their paths, as in `compile`, `session`: stages of the package."""
    quoted = [word for part in code_of((FOLDER / f"{name}.md").read_text(encoding="utf-8")) for word in part]
    paths = [word for word in quoted if is_path(word) or word.endswith(".py")]
    assert len(paths) > 1
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    ends = [*listed, *{parent.as_posix() for file in listed for parent in Path(file).parents}, "build/site"]
    made = {"dist/", ".pytest_cache/kernels", "origin/main"}
    absent = [word for word in paths if not any(fnmatch(f"/{end}", f"*/{word.rstrip('/')}") for end in ends)]
    assert sorted(set(absent) - made) == []


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_every_list_of_steps_ends_with_the_test_that_tells_that_it_is_done(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(re.findall("^1[.] ", text, re.MULTILINE)) == text.count(DONE) > 0
    for end in text.split(DONE)[1:]:
        assert ".venv/bin/pytest -q tests/" in end.partition("\n\n")[0]


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_is_listed_on_both_indexes(page: Path) -> None:
    assert f"](docs/contributing/{page.name})" in GUIDE.read_text(encoding="utf-8")
    assert page.name in entries((FOLDER / "index.md").read_text(encoding="utf-8"))


def test_the_page_of_packages_lists_each_of_them_in_the_order_of_its_layer() -> None:
    rows = re.findall(r"^\| (`.+?`) \|", (FOLDER / "packages.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    folders = {path.parent.name for path in (ROOT / "shflbench").glob("*/__init__.py")}
    assert listed == [name for layer in layers for name in layer.split(" | ") if name in folders]
    assert len(listed) == len(folders)


def test_the_first_page_for_contributors_is_short() -> None:
    assert len(GUIDE.read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.mark.parametrize(
    "item",
    [
        "`shflbench/store/column.py`",
        "`shflbench/store/columns.py`: add a field to `Rowe`",
        "`KernelVerdict` in `shflbench/session/state.py`",
        "`make tset`",
        "`.venv/bin/python -m tools.sentinel sm_130`",
        "`.venv/bin/python -m benchmarks.claims`",
        "`.venv/bin/python -m benchmarks " + "clams`",
        "`.venv/bin/pytest -q tests/store/test_row.py`",
        "`git grep -n Absent" + "FromEveryFile`",
    ],
)
def test_what_does_not_exist_is_found(item: str) -> None:
    assert len(missing(f"1. Do this: {item}.\n")) == 1


def test_names_are_looked_up_in_the_files_of_their_item() -> None:
    text = "1. `shflbench/store/columns.py`: add to `Row`,\n   with `make docs`.\n2. `tests/fakes/runs.py`: fill it.\n"
    assert missing(text) == []
    assert code_of(text) == [["shflbench/store/columns.py", "Row", "make docs"], ["tests/fakes/runs.py"]]
