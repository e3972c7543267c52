"""Reasons why the emulator cannot run a kernel."""

from shflbench.emulator.link.unsupported import UnsupportedKernelError, link_whole
from shflbench.emulator.ptx.syntax import Module


def problems(module: Module, kernel: str) -> list[str]:
    """Return a sentence for each reason; empty if the kernel can run."""
    try:
        link_whole(module, kernel)
    except UnsupportedKernelError as error:
        return list(error.problems)
    return []
