"""Find pattern folders and load what their `pattern.py` declares."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import logging
import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, cast

from shflbench.core.files import MOST_SOURCE, irregular_kind, read_regular
from shflbench.errors import PatternError
from shflbench.patterns.check import problems
from shflbench.patterns.declare import Pattern
from shflbench.patterns.user_code import run_user_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.patterns.declare import Setting

    Array = NDArray[np.generic]
    DrawInputs = Callable[[np.random.Generator, Setting], Array | tuple[Array, ...]]
    Tolerance = Callable[[Setting, int], float]

SLOW_SECONDS = 5.0  # after which a user asks what the command waits for; nobody imports as long on purpose
HOW_TO = "`shflbench new my-exchange` writes a pattern folder that works."

_LOGGER = logging.getLogger(__name__)
_LOGGER.addHandler(logging.NullHandler())  # only the command shows it, not each process that it starts


@dataclass(frozen=True, slots=True)
class LoadedPattern:
    """A pattern with the code of its folder: declaration, reference and, where it has them, inputs and tolerance."""

    name: str
    folder: Path
    declaration: Pattern = field(compare=False)  # determined by the folder
    module: ModuleType = field(compare=False)

    def __reduce__(self) -> tuple[Callable[[Path], LoadedPattern], tuple[Path]]:
        """Let another process load the pattern from its folder, because a module cannot be sent."""
        return _load_once, (self.folder,)

    def reference(self, inputs: Sequence[Array], setting: Setting, iterations: int) -> tuple[Array, ...]:
        """Return what each buffer that the kernel writes must hold after `iterations` iterations.

        `inputs` are the buffers that the kernel reads, of shape [warps, 32·per_thread], or flat if the pattern gives
        their size; the components of a vector type are a last axis. PatternError if the pattern's function fails.
        """
        function = self.module.reference
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

    @property
    def draw_inputs(self) -> DrawInputs | None:
        """Return the pattern's own function that draws inputs; None if any distinct values will do."""
        return cast("DrawInputs | None", getattr(self.module, "inputs", None))

    @property
    def draw_other_inputs(self) -> DrawInputs | None:
        """Return the function that draws inputs for variants with `other_inputs`; None if there is none."""
        return cast("DrawInputs | None", getattr(self.module, "other_inputs", None))

    @property
    def draw_varied_inputs(self) -> DrawInputs | None:
        """Return the function that draws inputs of a wide range for all variants; None if there is none."""
        return cast("DrawInputs | None", getattr(self.module, "varied_inputs", None))

    def tolerance(self, setting: Setting, iterations: int) -> float:
        """Return the largest absolute error allowed per floating-point number; 0 if the bits must agree.

        PatternError if the pattern's function fails, or returns anything else than a number from 0 on.
        """
        function = cast("Tolerance | None", getattr(self.module, "tolerance", None))
        if function is None:
            return 0.0
        with self.calling("tolerance"):
            error = float(function(setting, iterations))
        if not 0 <= error < math.inf:
            raise self.wrong("tolerance", f"returns {error}, not a finite number from 0 on")
        return error

    @contextmanager
    def calling(self, function: str) -> Iterator[None]:
        """Turn whatever the pattern's own function raises into a PatternError; what it prints goes to stderr."""
        with run_user_code(self.folder / "pattern.py", lambda reason: self.wrong(function, f"fails: {reason}")):
            yield

    def wrong(self, function: str, what: str) -> PatternError:
        """Return the error that says what is wrong with the pattern's function."""
        return PatternError(f"{self.folder / 'pattern.py'}: `{function}` {what}", "Fix the function.")


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
    path = folder / "pattern.py"
    try:
        kind = irregular_kind(path)
    except OSError:
        raise PatternError(
            f"{folder} is not a pattern folder: it has no pattern.py",
            f"Give a folder with pattern.py and kernels.cu, or one of: {', '.join(builtin())}.",
        ) from None
    if kind:
        raise PatternError(f"{path} is {kind}, not a file", HOW_TO)
    module = _import(path)
    declaration = getattr(module, "PATTERN", None)
    if not isinstance(declaration, Pattern):
        raise PatternError(f"{path} does not define PATTERN as a shflbench Pattern", HOW_TO)
    if not declaration.reference_variant and not callable(getattr(module, "reference", None)):
        raise PatternError(
            f"{path} does not define the function `reference`",
            "Write the pattern in NumPy, or name the variant to trust as `reference_variant`.",
        )
    for problem in problems(declaration, module, folder):
        raise PatternError(f"{path}: {problem}", HOW_TO)
    return LoadedPattern(name_of(folder), folder, declaration, module)


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
