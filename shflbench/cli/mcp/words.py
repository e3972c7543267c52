"""The command line of a call: its words are made of typed parameters, and its files lie in the served folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.mcp.tools import TIME, TIME_LIMIT, FileKind
from shflbench.core.files import MOST_SOURCE, read_regular
from shflbench.errors import InputError, UsageError
from shflbench.patterns.discover import builtin
from shflbench.suite import find_shipped
from shflbench.user_kernels.file_options import SUFFIXES
from shflbench.user_kernels.judge.includes import refused_include

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cli.mcp.tools import FileParameter, ToolSpec

# A command ends its checks by itself, and prints their results, before it is ended: it takes seconds to start, and some
# of the time to finish.
START_S, CHECK_SHARE, LEAST_SHARE = 2.0, 0.8, 0.1
RUN_FILE = "run.json"
ALLOW = "Start it with --allow-tasks, and it runs Python in the folder."
RESULTS = "results"  # in the folder: where `bench` writes and `advise` reads
_NAME = re.compile(r"\w[\w.-]{0,99}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CallFiles:
    """The folders of a call."""

    root: Path  # the served one, resolved
    scratch: Path  # a private one for texts of kernels
    allow_tasks: bool

    def inside(self, text: str) -> Path:
        """Return the path of a file in the served folder, without links; UsageError if it lies elsewhere."""
        if "\0" in text:
            raise UsageError("a path contains a zero byte", "Give the path of a file.")
        path = (self.root / text).resolve()
        if not path.is_relative_to(self.root):
            raise UsageError(f"{text} is outside of the served folder {self.root}", "Give a path in this folder.")
        return path

    def shown(self, path: Path) -> str:
        """Return a path as the command is given it: relative to the served folder, in which it runs."""
        return str(path.relative_to(self.root))


def words_of(spec: ToolSpec, given: Mapping[str, Any], files: CallFiles) -> list[str]:
    """Return the arguments of the command, without its name; files that it may not read are refused.

    UsageError for a parameter that is missing, or a path outside; InputError for a file that cannot be read.
    """
    include = [files.inside(folder) for folder in given.get("include", ())]
    options = ["--format=json", "--verbose", *_option_words(spec, given, files)]
    options += [f"--include={folder}" for folder in include]
    arguments: list[str] = []
    for parameter in spec.files:
        words, is_text = _file_words(parameter, given, files, include)
        if is_text and f"--include={files.root}" not in options:
            options.append(f"--include={files.root}")
        if parameter.option:
            options += [f"{parameter.option}={word}" for word in words]
        else:
            arguments += words
    count = sum(Path(word).suffix.lower() in SUFFIXES for word in arguments)
    if count and any(item.name == "time_limit_s" for item in spec.command.params):
        limit = given.get(TIME, TIME_LIMIT)
        options.append(f"--time-limit={max(limit * CHECK_SHARE - START_S, limit * LEAST_SHARE) / count:.2f}")
    uses_results = spec.writes or any(parameter.name == RESULTS for parameter in spec.files)
    if uses_results and (files.root / RESULTS).exists():
        _refuse_links(files.inside(RESULTS), files)
    return [*options, "--", *arguments]


def _option_words(spec: ToolSpec, given: Mapping[str, Any], files: CallFiles) -> Iterator[str]:
    for name, item in spec.parameters().items():
        if name not in given or name == "include":
            continue
        value, flag = given[name], max(item.opts, key=len)
        if item.is_flag:
            if value or item.secondary_opts:
                yield flag if value else item.secondary_opts[0]
            continue
        for one in value if isinstance(value, list) else [value]:
            if name == "arg":
                _refuse_arrays_outside(one, files)
            is_whole = isinstance(item.type, click.types.IntParamType)
            yield f"{flag}={int(one) if is_whole else one}"


def _refuse_arrays_outside(argument: str, files: CallFiles) -> None:
    """Raise UsageError for `NAME=FILE.npy`, of which several may be listed, where the file lies outside."""
    value = argument.partition("=")[2]
    for part in (value, *value.split(",")):
        if ".npy" in part:
            files.inside(part.strip())


def _file_words(
    parameter: FileParameter, given: Mapping[str, Any], files: CallFiles, include: Sequence[Path]
) -> tuple[list[str], bool]:
    """Return the words of the files that a parameter names, and whether they are texts that the call gives."""
    paths, texts = given.get(parameter.name), given.get(parameter.source)
    if paths and texts:
        raise UsageError(f"`{parameter.name}` and `{parameter.source}` are both given", "Give one of them.")
    if texts:
        named = texts if isinstance(texts, dict) else {parameter.stem: texts}
        return [_stored(name, text, files, include) for name, text in named.items()], True
    if not paths:
        if parameter.is_required:
            names = " or ".join(f"`{name}`" for name in (parameter.name, parameter.source) if name)
            raise UsageError(f"{names} is missing", "Give it.")
        return [], False
    return [_accepted(parameter.kind, text, files, include) for text in _listed(paths)], False


def _listed(paths: str | list[str]) -> list[str]:
    return paths if isinstance(paths, list) else [paths]


def _stored(name: str, text: str, files: CallFiles, include: Sequence[Path]) -> str:
    """Write the text of a kernel to the private folder, and return the path."""
    if _NAME.fullmatch(name) is None:
        raise UsageError(f"`{name}` is not the name of a source", "Use letters, digits, `_`, `-` and `.`.")
    path = files.scratch / (name if Path(name).suffix in SUFFIXES else f"{name}.cu")
    if path.exists():
        raise UsageError(f"two sources are called {path.name}", "Give each another name.")
    _refuse_includes(text, path.name, None, [files.root, *include])
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    return str(path)


def _accepted(kind: FileKind, text: str, files: CallFiles, include: Sequence[Path]) -> str:
    """Return the word for a path or a name; UsageError if it is of another kind than the parameter takes."""
    if (kind is FileKind.ADVISED and text in builtin()) or (kind is FileKind.TARGET and text in _names()):
        return text
    path = files.inside(text)
    if kind is FileKind.RUN or (kind is FileKind.TARGET and (path / RUN_FILE).exists()):
        _refuse_links(path, files)
        return files.shown(path)
    if kind is FileKind.TARGET or (kind is FileKind.REFERENCE and path.suffix == ".py"):
        if files.allow_tasks:
            return files.shown(path)
        if path.suffix == ".py":
            raise UsageError(f"{text} is Python, which this server does not run", ALLOW)
        raise UsageError(f"{text} is neither a run nor the name of a pattern or suite of shflbench", ALLOW)
    if path.suffix.lower() not in SUFFIXES:
        other = " nor a pattern of shflbench" if kind is FileKind.ADVISED else ""
        raise UsageError(f"{text} is no .cu, .cuh or .ptx file{other}", "Give the path of a file in the served folder.")
    try:
        source = read_regular(path, MOST_SOURCE).decode(errors="replace")
    except OSError as error:
        raise InputError(f"{text} cannot be read: {error.strerror}", "Check the path.") from error
    _refuse_includes(source, files.shown(path), path.parent, [files.root, *include])
    return files.shown(path)


def _refuse_links(folder: Path, files: CallFiles) -> None:
    """Raise UsageError where a run in a folder has a link that leads outside of the served one."""
    for file in folder.rglob(RUN_FILE):
        for entry in file.parent.iterdir():
            files.inside(files.shown(entry))


def _names() -> set[str]:
    """Return the names of the patterns and suites of shflbench."""
    return {*builtin(), *find_shipped()}


def _refuse_includes(source: str, name: str, folder: Path | None, allowed: Sequence[Path]) -> None:
    """Raise UsageError for a source that includes a file outside: messages of the compiler would quote it."""
    if refused := refused_include(source, name, folder, allowed):
        raise UsageError(f"{refused.file}:{refused.line}: {refused.sentence}", "Include files of the served folder.")
