"""Start a worker process of a local cluster; Dask imports this file by name (its option `preload`)."""

from __future__ import annotations

import os

from shflbench.core.processes import kill_on_parent_exit


def dask_setup(_worker: object) -> None:
    """End this process, and with it the measuring process, when the run is killed."""
    kill_on_parent_exit(os.getppid())
