"""The functions of libraries that do the same work, on arrays of cupy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata, util
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from benchmarks.peers_works import Work

TORCH_DTYPES = {"f32": "float32", "bf16": "bfloat16", "i32": "int32"}
# Members of `cuda.compute.Determinism`: sums in a fixed order, and by atomic additions in any.
DETERMINISM = {"deterministic": "RUN_TO_RUN", "atomic": "NOT_GUARANTEED"}
CUPY_CUB = 1  # cupy's number of the accelerator CUB (cupy/_core/_accelerator.pyx)


@dataclass(frozen=True, slots=True)
class Peer:
    """One function of a library for one work."""

    name: str
    call: Callable[[], Any]
    of_torch: bool  # whether torch must capture it, because torch allocates its memory


class Libraries:
    """The libraries that are installed; the others have a reason."""

    def __init__(self, cupy: ModuleType) -> None:
        """Import what is installed."""
        self.cupy = cupy
        self.torch: ModuleType | None = import_module("torch") if util.find_spec("torch") else None
        if self.torch:
            self.torch.cuda.set_device(cupy.cuda.runtime.getDevice())  # the default stream of both is then the same
        has_compute = util.find_spec("cuda") is not None and util.find_spec("cuda.compute") is not None
        self.compute: ModuleType | None = import_module("cuda.compute") if has_compute else None

    def versions(self) -> dict[str, str]:
        """Return the version of each library, or that it is not installed."""
        missing = "not installed"
        return {
            "torch": str(self.torch.__version__) if self.torch else missing,
            "cupy": str(self.cupy.__version__),
            "CUB in cupy": str(self.cupy.cuda.cub.get_build_version()) if hasattr(self.cupy.cuda, "cub") else "unknown",
            "cuda-cccl": metadata.version("cuda-cccl") if self.compute else missing,
        }

    def peers(self, work: Work, arrays: Mapping[str, Any], epsilon: float) -> Iterator[Peer]:
        """Yield the peers for a work; `arrays` are the inputs by name, as bytes."""
        if self.torch:
            yield Peer(f"torch {work.function}", _torch_call(self.torch, work, arrays, epsilon), of_torch=True)
        if work.function == "sum" and work.dtype != "bf16":  # of which cupy has no arrays
            values = arrays["values"].view(np.dtype(TORCH_DTYPES[work.dtype]))
            yield Peer("cub::DeviceReduce (cupy)", partial(_cupy_sum, self.cupy, values), of_torch=False)
            if self.compute:
                for name, member in DETERMINISM.items():
                    call = _ComputeSum(self.cupy, self.compute, values, member)
                    yield Peer(f"cub::DeviceReduce (cuda.compute, {name})", call, of_torch=False)


def _cupy_sum(cupy: ModuleType, values: Any) -> Any:  # noqa: ANN401  (an array of cupy)
    """Return the sum by CUB; RuntimeError where cupy would use a kernel of its own."""
    if CUPY_CUB not in cupy._core.get_routine_accelerators():  # noqa: SLF001  (what CUPY_ACCELERATORS sets)
        raise RuntimeError("cupy does not use CUB; set CUPY_ACCELERATORS=cub")
    return values.sum(dtype=values.dtype)


def _torch_call(torch: ModuleType, work: Work, arrays: Mapping[str, Any], epsilon: float) -> Callable[[], Any]:
    """Return a function that calls torch on the same memory."""
    dtype = getattr(torch, TORCH_DTYPES[work.dtype])
    tensors = {name: torch.as_tensor(array, device="cuda").view(dtype) for name, array in arrays.items()}
    functional = torch.nn.functional
    if work.function == "sum":
        # A sum of bf16 in f32, which is exact as ours; torch would round it to bf16.
        total = torch.int32 if work.dtype == "i32" else torch.float32
        return lambda: torch.sum(tensors["values"], dtype=total)
    x, shape = tensors["x"].view(-1, work.length), (work.length,)
    if work.function == "rms-norm":
        return lambda: functional.rms_norm(x, shape, tensors["weight"], epsilon)
    if work.function == "layer-norm":
        return lambda: functional.layer_norm(x, shape, tensors["weight"], tensors["bias"], epsilon)
    return lambda: torch.softmax(x, -1)


class _ComputeSum:
    """CUB's reduction by `cuda.compute`; the first call, which is not captured, compiles and allocates."""

    def __init__(self, cupy: ModuleType, compute: ModuleType, values: Any, determinism: str) -> None:  # noqa: ANN401
        """Sum up `values`, an array of cupy, in an order that the member of `Determinism` of this name allows."""
        self._cupy, self._compute, self._determinism = cupy, compute, determinism
        self._result = cupy.zeros(1, values.dtype)
        self._workspace: Any = None
        self._reduce: Callable[..., Any] | None = None
        self._given = {"d_in": values, "d_out": self._result, "h_init": np.zeros(1, values.dtype)}

    def __call__(self) -> Any:  # noqa: ANN401  (an array of cupy)
        """Queue the reduction on the current stream, and return the array of its result."""
        if self._reduce is None:
            self._given["op"] = self._compute.OpKind.PLUS
            kind = getattr(self._compute.Determinism, self._determinism)
            self._reduce = self._compute.make_reduce_into(**self._given, determinism=kind)
            self._given["num_items"] = self._given["d_in"].size
            nbytes = self._reduce(temp_storage=None, **self._given)
            self._workspace = self._cupy.zeros(max(1, nbytes), np.uint8)
        stream = _Handle(self._cupy.cuda.get_current_stream().ptr)
        self._reduce(temp_storage=self._workspace, **self._given, stream=stream)
        return self._result


@dataclass(frozen=True, slots=True)
class _Handle:
    """A stream as `cuda.compute` takes it."""

    ptr: int

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of the protocol and the handle."""
        return 0, self.ptr
