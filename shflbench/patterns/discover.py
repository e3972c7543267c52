"""Find pattern folders and load what their `pattern.py` declares."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from shflbench.errors import PatternError
from shflbench.patterns.check import problems
from shflbench.patterns.declare import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.model import Dtype

    Array = NDArray[np.generic]
    DrawInputs = Callable[[np.random.Generator, Dtype, int], Array]
    Tolerance = Callable[[Dtype, int], float]


class Reference(Protocol):
    """The NumPy reference: inputs of shape [warps, 32·per_thread] → outputs by name."""

    def __call__(self, *inputs: Array, iterations: int, **options: str) -> Array | tuple[Array, ...]:
        """Return what each output buffer must hold after `iterations` trips."""
        ...


@dataclass(frozen=True, slots=True)
class LoadedPattern:
    """A pattern with the code of its folder: declaration, reference and, where it has them, its own rules."""

    name: str
    folder: Path
    declaration: Pattern
    module: ModuleType

    @property
    def reference(self) -> Reference:
        """Return the NumPy reference."""
        return cast("Reference", self.module.reference)

    @property
    def draw_inputs(self) -> DrawInputs | None:
        """Return the pattern's own generator of inputs, None where any distinct values do."""
        return cast("DrawInputs | None", getattr(self.module, "inputs", None))

    def tolerance(self, dtype: Dtype, iterations: int) -> float:
        """Return the largest honest absolute error of one element; 0 where the bits must agree.

        PatternError where the pattern's own function fails, or returns what is no such number.
        """
        own = cast("Tolerance | None", getattr(self.module, "tolerance", None))
        if own is None:
            return 0.0
        with self.calling("tolerance"):
            error = float(own(dtype, iterations))
        if not 0 <= error < math.inf:
            raise self.wrong("tolerance", f"returns {error}, not a number from 0 on")
        return error

    @contextmanager
    def calling(self, function: str) -> Iterator[None]:
        """Turn whatever the pattern's own function raises into a PatternError."""
        try:
            yield
        except (Exception, SystemExit) as error:
            raise self.wrong(function, f"fails: {_said(error, self.folder / 'pattern.py')}") from error

    def wrong(self, function: str, what: str) -> PatternError:
        """Return the error that says what the pattern's own function does wrong."""
        return PatternError(f"{self.folder / 'pattern.py'}: `{function}` {what}", "Mend the function.")


def builtin() -> dict[str, Path]:
    """Return the folders of the patterns that come with shflbench, by name."""
    here = Path(__file__).parent
    return {path.parent.name: path.parent for path in sorted(here.glob("*/pattern.py"))}


def load(folder: Path) -> LoadedPattern:
    """Load the pattern in `folder`; PatternError says what is wrong with it."""
    path = folder / "pattern.py"
    if not path.is_file():
        known = ", ".join(builtin())
        raise PatternError(
            f"{folder} is not a pattern folder: it has no pattern.py",
            f"Name a folder with pattern.py and kernels.cu, or one of: {known}.",
        )
    module = _import(path)
    declaration = getattr(module, "PATTERN", None)
    if not isinstance(declaration, Pattern):
        raise PatternError(
            f"{path} does not define PATTERN as a shflbench Pattern", "See docs/how-to/add-a-pattern.md."
        )
    if not callable(getattr(module, "reference", None)):
        raise PatternError(
            f"{path} does not define the function `reference`",
            "Every pattern needs a NumPy reference to be verified against.",
        )
    for problem in problems(declaration, module, folder):
        raise PatternError(f"{path}: {problem}", "See docs/how-to/add-a-pattern.md.")
    return LoadedPattern(folder.name, folder, declaration, module)


def _import(path: Path) -> ModuleType:
    # Keyed by path, so that two folders of the same name do not meet in sys.modules.
    name = f"shflbench_pattern_{path.parent.name}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:  # only for suffixes that Python cannot import
        raise PatternError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: whatever it raises is one sentence here
        del sys.modules[name]
        raise PatternError(f"{path} cannot be loaded: {_said(error, path)}", "Mend the file.") from error
    return module


def _said(error: BaseException, path: Path) -> str:
    """Return in one line what an error of the file at `path` says, and the last line of it that was running."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    return where + ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
