"""An executor that counts what the real one does in processes of its own."""

from shflbench.measure.executor import InProcessExecutor
from tests.fakes.backend import FakeBackend


class FreshProcessExecutor(InProcessExecutor):
    """Runs jobs in this process, and counts fresh starts of the device as fresh processes."""

    def __init__(self, backend: FakeBackend) -> None:
        super().__init__(backend)
        self._fake = backend

    def restart(self) -> None:
        self._fake.restart()
        super().restart()
