"""Run PTX without a GPU: read a module, link and run it under legal schedules, find races, count memory requests.

These names are all that the rest of shflbench uses; the stub beside this file lists them, with their modules.
"""

from shflbench.core.lazy import from_stub

__getattr__, __all__ = from_stub(__name__, __file__)
