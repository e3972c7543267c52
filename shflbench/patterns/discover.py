"""Find pattern folders and load what their `pattern.py`, or the data that `bench` or `challenge` wrote, declares."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import logging
import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from shflbench.core.files import MOST_SOURCE, irregular_kind, read_regular
from shflbench.errors import PatternError
from shflbench.patterns.check import problems
from shflbench.patterns.declare import Pattern
from shflbench.patterns.pattern_functions import PatternFunctions
from shflbench.patterns.user_code import run_user_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, ModuleType

    from shflbench.patterns.declare import Setting
    from shflbench.patterns.pattern_functions import Array

SLOW_SECONDS = 5.0  # after which a user asks what the command waits for; nobody imports as long on purpose
HOW_TO = "`shflbench new my-exchange` writes a pattern folder that works."
PYTHON, STORED, CHALLENGERS = "pattern.py", "pattern.json", "challengers.json"
ADVICE = {  # on each file that declares a pattern: of a user, or as `bench` or `challenge` writes it
    PYTHON: HOW_TO,
    STORED: "Remove its folder; `shflbench bench` writes it again.",
    CHALLENGERS: "Run `shflbench challenge` again.",
}

_LOGGER = logging.getLogger(__name__)
_LOGGER.addHandler(logging.NullHandler())  # only the command shows it, not each process that it starts


@dataclass(frozen=True, slots=True)
class LoadedPattern:
    """A pattern with the code of its folder: declaration, reference and, where it has them, inputs and tolerance."""

    name: str
    folder: Path
    declaration: Pattern = field(compare=False)  # determined by the folder
    functions: PatternFunctions = field(compare=False)
    file: str = field(default=PYTHON, compare=False)  # of the declaration

    def __reduce__(self) -> tuple[Callable[[Path], LoadedPattern], tuple[Path]]:
        """Let another process load the pattern from its folder, because functions cannot be sent."""
        return _load_once, (self.folder,)

    def reference(self, inputs: Sequence[Array], setting: Setting, iterations: int) -> tuple[Array, ...]:
        """Return what each buffer that the kernel writes must hold after `iterations` iterations.

        `inputs` are the buffers that the kernel reads, of shape [warps, 32·per_thread], or flat if the pattern gives
        their size; the components of a vector type are a last axis. PatternError if the pattern's function fails.
        """
        function = self.functions.reference
        if function is None:
            raise self.wrong("reference", "is not defined")
        named: dict[str, object] = dict(setting.options)
        if not self.declaration.one_pass:
            named["iterations"] = iterations
        if "at" in inspect.signature(function).parameters:
            named["at"] = setting
        unwritten = None
        with self.calling("reference"):
            try:
                result = function(*inputs, **named)
            except NotImplementedError as error:  # of the stub that `shflbench new --reference numpy` writes
                unwritten = str(error)
        if unwritten is not None:
            raise self.wrong("reference", f"is not written yet: {unwritten}")
        return result if isinstance(result, tuple) else (result,)

    def tolerance(self, setting: Setting, iterations: int) -> float:
        """Return the largest absolute error allowed per floating-point number; 0 if the bits must agree.

        PatternError if the pattern's function fails, or returns anything else than a number from 0 on.
        """
        if self.functions.tolerance is None:
            return 0.0
        with self.calling("tolerance"):
            error = float(self.functions.tolerance(setting, iterations))
        if not 0 <= error < math.inf:
            raise self.wrong("tolerance", f"returns {error}, not a finite number from 0 on")
        return error

    @contextmanager
    def calling(self, function: str) -> Iterator[None]:
        """Turn whatever the pattern's own function raises into a PatternError; what it prints goes to stderr."""
        with run_user_code(self.folder / self.file, lambda reason: self.wrong(function, f"fails: {reason}")):
            yield

    def wrong(self, function: str, what: str) -> PatternError:
        """Return the error that says what is wrong with the pattern's function."""
        advice = "Fix the function." if self.file == PYTHON else ADVICE[self.file]
        return PatternError(f"{self.folder / self.file}: `{function}` {what}", advice)


def builtin() -> dict[str, Path]:
    """Return the folders of the patterns that come with shflbench, by name."""
    package = Path(__file__).parent
    return {name_of(path.parent): path.parent for path in sorted(package.glob("*/pattern.py"))}


@cache
def builtin_declaration(pattern: str) -> Pattern | None:
    """Return what a pattern that comes with shflbench declares; None for another one, whose code is never run."""
    folders = builtin()
    return load(folders[pattern]).declaration if pattern in folders else None


def name_of(folder: Path) -> str:
    """Return the name of the pattern in `folder`: the folder's own, with hyphens for underscores."""
    return folder.name.replace("_", "-")


def load(folder: Path) -> LoadedPattern:
    """Load the pattern in `folder`; PatternError says what is wrong with it."""
    kinds = {name: kind for name in ADVICE if (kind := _kind(folder / name)) is not None}
    if not kinds:
        raise PatternError(
            f"{folder} is not a pattern folder: it has no {PYTHON}",
            f"Give a folder with {PYTHON} and kernels.cu, or one of: {', '.join(builtin())}.",
        )
    file, kind = next(iter(kinds.items()))
    path, advice = folder / file, ADVICE[file]
    if kind:
        raise PatternError(f"{path} is {kind}, not a file", advice)
    declaration, functions = {PYTHON: _defined, STORED: _stored, CHALLENGERS: _joined}[file](path)
    for problem in problems(declaration, functions, path):
        raise PatternError(f"{path}: {problem}", advice)
    return LoadedPattern(name_of(folder), folder, declaration, functions, file)


def is_pattern(folder: Path) -> bool:
    """Whether a folder has the declaration of a pattern."""
    return any(_kind(folder / name) is not None for name in ADVICE)


def _kind(path: Path) -> str | None:
    """Return what `path` is if it is not a file, nothing if it is one; None if nothing is there."""
    try:
        return irregular_kind(path)
    except OSError:
        return None


def _defined(path: Path) -> tuple[Pattern, PatternFunctions]:
    """Return what a `pattern.py` defines."""
    module = _import(path)
    declaration = getattr(module, "PATTERN", None)
    if not isinstance(declaration, Pattern):
        raise PatternError(f"{path} does not define PATTERN as a shflbench Pattern", HOW_TO)
    functions = PatternFunctions(**{item.name: getattr(module, item.name, None) for item in fields(PatternFunctions)})
    if not declaration.reference_variant and not callable(functions.reference):
        raise PatternError(
            f"{path} does not define the function `reference`",
            "Write the pattern in NumPy, or name the variant to trust as `reference_variant`.",
        )
    return declaration, functions


def _stored(path: Path) -> tuple[Pattern, PatternFunctions]:
    """Return the declaration of a stored pattern, and the functions that draw its inputs."""
    from shflbench.patterns.stored_file import read_stored
    from shflbench.patterns.stored_inputs import CONTENTS, StoredInputs

    try:
        pattern = read_stored(path)
        declaration = pattern.declared
    except ValueError as error:
        raise PatternError(f"{path} is no pattern that `bench` wrote: {error}", ADVICE[STORED]) from error
    drawn = StoredInputs(pattern, path.with_name(CONTENTS))
    other = drawn.other_inputs if pattern.needs_other_inputs else None
    return declaration, PatternFunctions(inputs=drawn.inputs, other_inputs=other, varied_inputs=drawn.varied_inputs)


def _joined(path: Path) -> tuple[Pattern, PatternFunctions]:
    """Return the declaration of a published pattern with challengers, and the functions of the published pattern."""
    from shflbench.patterns.stored_challengers import StoredChallengers
    from shflbench.patterns.stored_file import read_json

    try:
        stored = read_json(path, StoredChallengers)
        stored.check(path.parent)
        published = _load_once(stored.published(builtin()))
        return stored.joined(published.declaration), published.functions
    except ValueError as error:
        raise PatternError(f"{path} has no challengers that can run: {error}", ADVICE[CHALLENGERS]) from error


@cache
def _load_once(folder: Path) -> LoadedPattern:
    return load(folder)


class _SourceLoader(SourceFileLoader):
    """Compiles the source anew: byte code of an older version looks current if its size and second are the same."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the source, without reading or writing byte code."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _import(path: Path) -> ModuleType:
    # Keyed by path and content: neither two folders of the same name nor two versions of one file share a module.
    identity = str(path).encode() + read_regular(path, MOST_SOURCE)
    name = f"shflbench_pattern_{path.parent.name}_{hashlib.sha256(identity).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    is_shipped = path.is_relative_to(Path(__file__).parent)
    loader = None if is_shipped else _SourceLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:  # only for suffixes that Python cannot import
        raise PatternError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _warn_if_slow(path), run_user_code(path, partial(_import_error, path)):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_error(path: Path, reason: str) -> PatternError:
    return PatternError(
        f"{path} cannot be imported: {reason}", f"Fix the file; `python {path}` shows the whole traceback."
    )


@contextmanager
def _warn_if_slow(path: Path) -> Iterator[None]:
    """Log which file a command waits for; an import may take as long as it likes."""
    sentence = "importing %s has taken %g s so far; Ctrl-C stops it"
    timer = Timer(SLOW_SECONDS, _LOGGER.warning, (sentence, path, SLOW_SECONDS))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
