"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU.

These names are all that the rest of shflbench uses: check a file, or a kernel at given launches, with the report, its
findings and verdicts; read a file's kernels with the launches at which they can be timed. The stub beside this file
lists them, with their modules. `shflbench.check` is the interface for Python, in `checker.python`.
"""

from shflbench.core.lazy import from_stub

__getattr__, __all__ = from_stub(__name__, __file__)
