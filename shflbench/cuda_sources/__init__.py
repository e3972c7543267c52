"""From a CUDA or PTX file to its kernels, their parameters and the launches of the host code.

These names are all that the rest of shflbench uses; the stub beside this file lists them, with their modules.
"""

from shflbench.core.lazy import from_stub

__getattr__, __all__ = from_stub(__name__, __file__)
