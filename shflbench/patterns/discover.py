"""Find pattern folders and load what their `pattern.py` declares."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from shflbench.errors import PatternError
from shflbench.model import DTYPES
from shflbench.patterns.declare import Input, Output, Pattern

if TYPE_CHECKING:
    from collections.abc import Callable
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
        """Return the largest honest absolute error of one element; 0 where the bits must agree."""
        own = cast("Tolerance | None", getattr(self.module, "tolerance", None))
        return own(dtype, iterations) if own is not None else 0.0


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
    problem = _problem(declaration, folder)
    if problem:
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
    except Exception as error:  # the user's own code: whatever it raises is one sentence here
        del sys.modules[name]
        raise PatternError(
            f"{path} cannot be loaded: {type(error).__name__}: {error}", "Run `python -c` on the file to see where."
        ) from error
    return module


def _problem(pattern: Pattern, folder: Path) -> str:
    """Return the first thing wrong with a declaration, or an empty string."""
    names = [variant.name for variant in pattern.variants]
    if len(set(names)) != len(names):
        return "two variants have the same name"
    baselines = [variant.name for variant in pattern.variants if variant.baseline]
    if len(baselines) != 1:
        return f"exactly one variant must be the baseline, found {len(baselines)}"
    for dtype in {*pattern.dtypes, *(name for variant in pattern.variants for name in variant.dtypes)}:
        if dtype not in DTYPES:
            return f"unknown dtype `{dtype}`; known: {', '.join(DTYPES)}"
    for kind in (Input, Output):
        if not any(isinstance(buffer, kind) for buffer in pattern.buffers):
            return f"no {kind.__name__} buffer"
    for variant in pattern.variants:
        if not (folder / variant.source).is_file():
            return f"variant `{variant.name}` needs the file {variant.source}, which is not there"
    return ""
