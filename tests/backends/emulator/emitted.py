"""Which forms NVRTC emits on which architecture; `python -m tests.backends.emulator.emitted` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.agreement_subjects import torture_sources
from shflbench.backends.emulator.frontend.parse import parse
from shflbench.compile.nvrtc import compile_kernel
from tests import kernels
from tests.archs import ARCHS, forms, see_all
from tests.backends.emulator.declared import forms_under_test

if TYPE_CHECKING:
    from shflbench.backends.emulator.frontend.ptx import Module


def torture(arch: str) -> dict[str, Module]:
    """Return the files of nothing but instructions, by name."""
    return {source.name: parse(compile_kernel(source, arch, kernels.tools()).ptx) for source in torture_sources()}


def main() -> None:
    """Print each form with the architectures that it was seen on, and whether no property test runs it."""
    seen: dict[str, list[str]] = {}
    for arch, found in see_all(ARCHS, kernels.run_by_tests()).items():
        for form in set().union(*(item.forms for item in found.values()), *map(forms, torture(arch).values())):
            seen.setdefault(form, []).append(arch)
        for name, item in found.items():
            for problem in item.problems:
                print(arch, name, problem)  # noqa: T201  (its purpose)
    for form, archs in sorted(seen.items()):
        print(form, *archs, *([] if form in forms_under_test() else ["UNTESTED"]))  # noqa: T201


if __name__ == "__main__":
    main()
