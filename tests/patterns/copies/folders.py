"""Write patterns whose kernels call the code that `copy_of` returns, in the timed loop of the original pattern."""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shflbench.core.model import DTYPES, Mechanism
from shflbench.cuda.compile.source import kernel_name
from shflbench.patterns.copies import copy_of, render, timed_namespace
from shflbench.patterns.declare import Variant
from shflbench.patterns.discover import builtin, load

WRAPPERS = Path(__file__).parent / "wrappers"

_KERNEL = re.compile(r"^__global__ void (\w+)\(", re.MULTILINE)
_ASSERTED = re.compile(r"^ *assert\(.*\);\n", re.MULTILINE)


@dataclass(frozen=True)
class Copies:
    """The code of variants of a pattern, for one dtype and one choice of options."""

    pattern: str
    dtype: str
    options: Mapping[str, str]
    texts: Mapping[str, str]  # variant → code

    def only(self, *variants: str) -> "Copies":
        return replace(self, texts={name: self.texts[name] for name in variants})

    def edited(self, old: str, new: str) -> "Copies":
        """Return the same code with another text in place of `old`, which each variant has."""
        assert all(old in text for text in self.texts.values())
        return replace(self, texts={name: text.replace(old, new) for name, text in self.texts.items()})

    def without_asserts(self) -> "Copies":
        """Return the same code as NDEBUG makes it, which is what is timed."""
        return replace(self, texts={name: _ASSERTED.sub("", text) for name, text in self.texts.items()})

    def write(self, into: Path) -> Path:
        """Write a pattern folder of the original's name whose kernels run the code, and return it."""
        original = builtin()[self.pattern]
        choice = ",".join([self.dtype, *(f"{name}={value}" for name, value in self.options.items())])
        folder = into / choice / original.name
        (folder / "copied").mkdir(parents=True)
        for file in (*original.glob("*.cuh"), *original.glob("*.cu")):
            shutil.copy(file, folder)
        declared = load(original).declaration
        variants = [self._write_variant(declared.variant(name), text, folder) for name, text in self.texts.items()]
        text = (original / "pattern.py").read_text(encoding="utf-8")
        (folder / "pattern.py").write_text(text + self._restriction(variants), encoding="utf-8")
        return folder

    def _write_variant(self, variant: Variant, text: str, folder: Path) -> str:
        """Write the files of a variant, and return its declaration: the original's with another source."""
        identifier = variant.name.replace("-", "_")
        namespace = timed_namespace(variant.name)
        named = text.replace(f"namespace {folder.name}_{identifier} {{", f"namespace {namespace} {{")
        copied, source = f"copied/{variant.name}.cuh", f"{variant.name}.cu"
        (folder / copied).write_text(named, encoding="utf-8")
        if f'#include "{copied}"' in (folder / variant.source).read_text(encoding="utf-8"):
            return self._declaration(variant, variant.source, variant.kernel)
        if kernel := _KERNEL.search(text):
            return self._declaration(variant, copied, f"{namespace}::{kernel[1]}")
        wrapper = (WRAPPERS / f"{folder.name}.cu").read_text(encoding="utf-8")
        (folder / copied).write_text(f"{named}\nusing namespace {namespace};\n", encoding="utf-8")
        words = {**self.options, "kernel": kernel_name(folder.name, variant), "copied": copied}
        (folder / source).write_text(render(wrapper, variant.name, DTYPES[self.dtype], words), encoding="utf-8")
        return self._declaration(variant, source, variant.kernel)

    def _declaration(self, variant: Variant, source: str, kernel: str) -> str:
        chosen = {name: (value,) for name, value in self.options.items()}
        may_fold = {name: chosen[name] for name, values in variant.may_fold.items() if self.options[name] in values}
        fields = f"source={source!r}, kernel={kernel!r}, may_fold={may_fold!r}, dtypes=(), only={{}}"
        return f"_replace(PATTERN.variant({variant.name!r}), {fields}, baseline="

    def _restriction(self, variants: Sequence[str]) -> str:
        """Return the end of a pattern.py: one dtype, one value per option, and the variants that have code."""
        options = {name: (value,) for name, value in self.options.items()}
        declarations = "".join(f"    {text}{not index}),\n" for index, text in enumerate(variants))
        return (
            "\n\nfrom dataclasses import replace as _replace\n\n"
            f"PATTERN = _replace(PATTERN, dtypes=({self.dtype!r},), options={options!r}, representative={{}},\n"
            f"    variants=(\n{declarations}))\n"
        )


def copies_of(pattern: str) -> Iterator[Copies]:
    """Yield the code of the safe variants for each dtype, and for the values of each option in turn."""
    declared = load(builtin()[pattern]).declaration
    for dtype in declared.dtypes:
        for options in declared.option_choices:
            variants = [variant for variant in declared.variants if variant.safe and variant.has(dtype, options)]
            texts = {variant.name: copy_of(pattern, variant.name, dtype, options) for variant in variants}
            yield Copies(pattern, dtype, options, {name: text for name, text in texts.items() if text})


def thorough_dtype(pattern: str) -> str:
    """Return the dtype whose code is checked with all options."""
    dtypes = load(builtin()[pattern]).declaration.dtypes
    return "f32" if "f32" in dtypes else dtypes[0]


def checked_copies_of(pattern: str) -> Iterator[Copies]:
    """Yield the code of one dtype with all options, and of the others with the default ones.

    Of a library, it is the code of one dtype with the first options that it has: each text is a translation unit of its
    own, and the headers of libraries take seconds; `advise` recommends none.
    """
    declared = load(builtin()[pattern]).declaration
    thorough = thorough_dtype(pattern)
    omitted: set[str] = set()  # libraries, once they were yielded
    for copies in copies_of(pattern):
        is_thorough = copies.dtype == thorough
        if not (is_thorough or copies.options == declared.option_choices[0]):
            continue
        libraries = {name for name in copies.texts if declared.variant(name).mechanism is Mechanism.LIBRARY}
        yield copies.only(*(name for name in copies.texts if name not in (omitted if is_thorough else libraries)))
        omitted |= libraries if is_thorough else set()


def first_copies(pattern: str, dtype: str) -> Copies:
    """Return the code for a dtype and the default options."""
    return next(copies for copies in copies_of(pattern) if copies.dtype == dtype)
