"""Further CUDA contexts on a device, each with its own queue, local memory and memory pool."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shflbench.cuda.backends.base import POISON
from shflbench.cuda.backends.cuda_kernel import CudaKernel
from shflbench.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from shflbench.cuda.backends.base import Array, Burst, KernelCall
    from shflbench.cuda.backends.cuda_harness import Harness

OLD_BINDINGS = 12  # major version of cuda-bindings whose cuCtxCreate has no parameters of a context


class CudaContext:
    """A context of its own on the current device, with its own harness; cupy's default context is another one."""

    def __init__(self, cupy: ModuleType, open_harness: Callable[[], Harness]) -> None:
        """Create it, and open its harness in it; LaunchError if the driver refuses."""
        from cuda.bindings import __version__, driver

        self._driver, self._cupy = driver, cupy
        device = self._checked(driver.cuCtxGetDevice())
        words = (0, device) if int(__version__.partition(".")[0]) <= OLD_BINDINGS else (None, 0, device)
        self._handle = self._checked(driver.cuCtxCreate(*words))
        self._checked(driver.cuCtxPopCurrent())
        # The blocks of a pool belong to the context in which they were allocated.
        self._pool = cupy.cuda.MemoryPool()
        with self.current():
            self._harness = open_harness()

    def open(self, call: KernelCall) -> KernelInContext:
        """Load a kernel in this context and allocate its buffers; the caller translates CUDA errors."""
        with self.current():
            return KernelInContext(self, CudaKernel(self._harness, call))

    def usable(self) -> bool:
        """Whether kernels can still run in it."""
        try:
            with self.current():
                return self._harness.usable()
        except LaunchError:
            return False

    @contextmanager
    def current(self) -> Iterator[None]:
        """Use this context, and allocate in it."""
        self._checked(self._driver.cuCtxPushCurrent(self._handle))
        try:
            with self._cupy.cuda.using_allocator(self._pool.malloc):
                yield
        finally:
            self._driver.cuCtxPopCurrent()  # unchecked: an error here would hide that of a crashed kernel

    def _checked(self, result: tuple[Any, ...]) -> Any:  # noqa: ANN401  (a handle of the driver)
        """Return the value of a call of the driver; LaunchError if it failed."""
        status, *values = result
        if int(status):
            raise LaunchError(f"the driver refuses a further CUDA context ({status.name})")
        return values[0] if values else None


class KernelInContext:
    """A kernel that is open in a further context."""

    def __init__(self, context: CudaContext, kernel: CudaKernel) -> None:
        """Enter `context` for every use of `kernel`."""
        self._context = context
        self._open = [kernel]  # empty after `close`

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        """Launch once and return the outputs, flat; LaunchError if the kernel crashes."""
        with self._context.current():
            return self._open[0].run(inputs, iterations, fill)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once with the outputs as they are, and return them; LaunchError if the kernel crashes."""
        with self._context.current():
            return self._open[0].run_again(inputs, iterations)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        """Take `samples`, each of `launches` launches, after one launch that is not timed."""
        with self._context.current():
            return self._open[0].burst(iterations, samples, launches)

    def close(self) -> None:
        """Release the buffers, and unload the code in the context that loaded it."""
        with self._context.current():
            while self._open:
                self._open.pop().close()
