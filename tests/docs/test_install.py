"""The page on installing names extras, targets and files that exist."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
FOR_DEVELOPERS = {"dev", "nvbench", "docs", "browser"}


def test_the_page_lists_every_extra_for_users() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert listed == [extra for extra in PROJECT["optional-dependencies"] if extra not in FOR_DEVELOPERS]


def test_every_target_of_make_on_the_page_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake (?:EXTRA=\w+ )?([a-z]+)", PAGE))
    assert {"bench", "test", "wheel", "wheelhouse"} <= named <= targets


def test_the_container_copies_all_files_that_the_wheel_is_built_from() -> None:
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", CONTAINERFILE, re.MULTILINE) for name in line.split()}
    needed = {PROJECT["readme"], *PROJECT["license-files"], "constraints.txt", "pyproject.toml", "shflbench", "suites"}
    needed.add("tools/project_urls.py")
    assert copied == needed
    assert all((ROOT / name).exists() for name in copied)


def test_the_container_installs_an_extra_for_users() -> None:
    match = re.search(r"^ARG EXTRA=(\w+)$", CONTAINERFILE, re.MULTILINE)
    assert match is not None
    assert match[1] in PROJECT["optional-dependencies"]
    assert "has not been built" in PAGE
