"""What Dask imports in a worker of a test (its option `--preload`): the machine of the worker has scripted GPUs."""

from tests.fakes.device import Plan
from tests.fakes.machine import install


def dask_setup(_worker: object) -> None:
    """Install the scripted GPUs."""
    install(Plan.read())
