"""Do work whose result is the same for every run once per process of the tests, not in each of the hundreds of runs.

- The checks of the built-in patterns take 10 ms for `neighbor`, and a run of three processes loads it four times or
  more. Patterns in other folders, which tests write and change, are checked each time.
- The hash of the package's files and the state of git take 30 ms per run.
- The references of the built-in patterns take most of the time of a scripted run, whose inputs are those of its seed.

tests/patterns and tests/store/test_surroundings.py test all three without this.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.cuda.backends.base import Array
from shflbench.patterns import discover
from shflbench.patterns.check import problems
from shflbench.patterns.declare import Pattern, Setting
from shflbench.patterns.discover import LoadedPattern
from shflbench.patterns.pattern_functions import PatternFunctions
from shflbench.store import surroundings

_PACKAGE = Path(discover.__file__).parent
_checkout, _source_hash = cache(surroundings.checkout), cache(surroundings.source_hash)
_problems: dict[tuple[Path, bytes], tuple[str, ...]] = {}
_reference = LoadedPattern.reference
_references: dict[object, tuple[Array, ...]] = {}


def do_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check and compute built-in patterns, hash the package and ask git only if no test of this process did."""
    monkeypatch.setattr(discover, "problems", _problems_once)
    monkeypatch.setattr(LoadedPattern, "reference", _reference_once)
    monkeypatch.setattr(surroundings, "checkout", _checkout)
    monkeypatch.setattr(surroundings, "source_hash", _source_hash)


def _problems_once(pattern: Pattern, functions: PatternFunctions, file: Path) -> Iterator[str]:
    if file.parents[1] != _PACKAGE:
        return problems(pattern, functions, file)
    key = (file, file.read_bytes())
    if key not in _problems:
        _problems[key] = tuple(problems(pattern, functions, file))
    return iter(_problems[key])


def _reference_once(
    pattern: LoadedPattern, inputs: Sequence[Array], setting: Setting, iterations: int
) -> tuple[Array, ...]:
    if pattern.folder.parent != _PACKAGE:
        return _reference(pattern, inputs, setting, iterations)
    digests = [sha256(array.tobytes()).digest() for array in inputs]
    key = (pattern.functions.reference, repr(setting), iterations, *digests)
    if key not in _references:
        _references[key] = _reference(pattern, inputs, setting, iterations)
    return tuple(array.copy() for array in _references[key])
