"""Write a challenge as a pattern folder and a suite: the sources of the pattern, and the challengers as data."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.words import join_words
from shflbench.errors import UsageError
from shflbench.patterns.discover import CHALLENGERS
from shflbench.patterns.stored_challengers import StoredChallenger, StoredChallengers, revision_of
from shflbench.patterns.stored_file import stored_json
from shflbench.user_kernels.challenge.code_text import included_names
from shflbench.user_kernels.challenge.shared_memory import NOBODY
from shflbench.user_kernels.challenge.template import template_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Mechanism
    from shflbench.patterns.stored_challengers import SharedMemory
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern
    from shflbench.user_kernels.challenge.kernels import Challenger
    from shflbench.user_kernels.challenge.settings import ChallengeSettings

SOURCES = "challengers"  # below the pattern's folder: the user's file and its headers
FOLDER = "challenge"  # below a run: the pattern's folder and the suite
_PLAIN = re.compile(r"[\w.-]+", re.ASCII)  # a name that `#line` can have


@dataclass(frozen=True, slots=True)
class ChallengeFiles:
    """The files of a challenge."""

    suite: Path
    pattern: Path  # the folder
    source: str  # of the challengers, relative to the pattern's folder


def copy_pattern(challenged: ChallengedPattern, file: Path, text: str, below: Path) -> ChallengeFiles:
    """Copy the pattern's sources and the user's file below a folder; UsageError for headers outside of the file's."""
    folder = below / challenged.pattern.folder.name
    shutil.copytree(challenged.pattern.folder, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    name = file.name if _PLAIN.fullmatch(file.name) else "file.cu"
    name = name if not (challenged.pattern.folder / name).exists() else f"my-{name}"
    (folder / SOURCES).mkdir()
    (folder / SOURCES / name).write_text(text, encoding="utf-8")
    for header, content in _headers(file, text).items():
        target = folder / SOURCES / header
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return ChallengeFiles(below / f"challenge-{challenged.name}.yaml", folder, f"{SOURCES}/{name}")


def _headers(file: Path, text: str) -> Mapping[str, bytes]:
    """Return the user's headers that a file includes, directly or through others, by their paths from its folder.

    As for the compiler, a header is searched in the folder of the file that includes it, and then beside the user's.
    """
    root = file.parent.absolute()
    headers: dict[str, bytes] = {}
    waiting = [(file.absolute(), name) for name in included_names(text)]
    while waiting:
        includer, name = waiting.pop()
        paths = (Path(os.path.normpath(folder / name)) for folder in (includer.parent, root))
        path = next((path for path in paths if path.is_file()), None)
        if path is None:  # of the pattern, of CUDA, or missing
            continue
        if not path.is_relative_to(root):
            shown = file if includer == file.absolute() else file.parent / includer.relative_to(root)
            raise UsageError(f"{shown} includes `{name}`, outside of its folder", "Put the header beside the file.")
        inside = path.relative_to(root).as_posix()
        if inside not in headers:
            headers[inside] = path.read_bytes()
            waiting += [(path, other) for other in included_names(headers[inside].decode(errors="replace"))]
    return headers


def write_challengers(
    challenged: ChallengedPattern,
    files: ChallengeFiles,
    challengers: Sequence[Challenger],
    mechanisms: Mapping[str, Mechanism],
    shared: Mapping[str, SharedMemory],
) -> None:
    """Write the challengers as variants of the pattern; `shared` is by kernel, "" for all others."""
    stored = StoredChallengers(
        pattern=challenged.name,
        revision=revision_of(challenged.pattern.folder),
        dtype=challenged.dtype.name,
        options=challenged.options,
        model=template_of(challenged).model.name,
        source=files.source,
        challengers=tuple(
            StoredChallenger(
                name=item.name,
                mechanism=mechanisms[item.name],
                kernel=item.expression,
                arguments=item.signature.arguments,
                shared=shared.get(item.name) or shared.get(NOBODY),
            )
            for item in challengers
        ),
    )
    (files.pattern / CHALLENGERS).write_bytes(stored_json(stored))


def write_suite(
    challenged: ChallengedPattern, files: ChallengeFiles, challengers: Sequence[Challenger], settings: ChallengeSettings
) -> None:
    """Write the suite that times the challengers beside the published variants."""
    files.suite.write_text("".join(_suite(challenged, files, challengers, settings)), encoding="utf-8")


def _suite(
    challenged: ChallengedPattern, files: ChallengeFiles, challengers: Sequence[Challenger], settings: ChallengeSettings
) -> Iterator[str]:
    names = [item.name for item in challengers]
    published = [variant.name for variant in challenged.rivals]
    rules = settings.rules
    yield f"# Written by `shflbench challenge {challenged.name}`.\nschema: 1\nname: challenge-{challenged.name}\n"
    yield f"title: {json.dumps(f'Challengers of {challenged.name}: {join_words(names)}'[:200])}\n"
    yield f"measure: {{precision: {rules.precision:.3%}, max_seconds: {rules.max_seconds:g}}}\nexperiments:\n"
    for iterations, launches in group_by(settings.launches, lambda item: item.iterations).items():
        yield f"  - pattern: ./{files.pattern.name}\n    dtypes: [{challenged.dtype.name}]\n"
        yield f"    variants: [{', '.join(json.dumps(name) for name in (*published, *names))}]\n"
        for name, value in {**challenged.options, **challenged.launch_options}.items():
            yield f"    {name}: {json.dumps(value)}\n"
        yield f"    launch: [{', '.join(item.expression for item in launches)}]\n"
        yield "" if challenged.declared.one_pass else f"    iterations: {iterations}\n"


def keep_in(files: ChallengeFiles, run: Path) -> ChallengeFiles:
    """Copy the files of a challenge into the folder of its run, so that they last as long as its results."""
    below = run / FOLDER
    shutil.copytree(files.suite.parent, below, ignore=shutil.ignore_patterns("__pycache__"))
    return ChallengeFiles(below / files.suite.name, below / files.pattern.name, files.source)
