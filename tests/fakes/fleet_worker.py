"""Give the machine of a worker of a test scripted GPUs; Dask imports this file (its option `--preload`)."""

from tests.fakes.device import Plan
from tests.fakes.machine import install


def dask_setup(_worker: object) -> None:
    """Install the scripted GPUs."""
    install(Plan.read())
