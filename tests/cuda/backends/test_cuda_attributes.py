"""Launches with attributes: what the driver is asked for."""

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cuda.bindings import driver

from shflbench.core.dimensions import Dims, LaunchDims
from shflbench.cuda.backends.base import KernelLaunch
from shflbench.cuda.backends.cuda_attributes import AttributedLaunch
from shflbench.errors import LaunchError
from tests.cases import kernel

DIMS = LaunchDims((8, 2, 1), (64, 1, 1))
ID = driver.CUlaunchAttributeID


class FakeDriver:
    """What the driver was asked for; it answers with `result`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, result: Any = driver.CUresult.CUDA_SUCCESS) -> None:
        self.launches: list[tuple[Any, Any]] = []
        self.allowed: list[int] = []
        self.result = result
        monkeypatch.setattr(driver, "cuLaunchKernelEx", self._launch)
        monkeypatch.setattr(driver, "cuFuncSetAttribute", self._set)

    def _launch(self, config: Any, *_: object) -> tuple[Any]:
        self.launches.append((config, [attribute.id for attribute in config.attrs]))
        return (self.result,)

    def _set(self, _function: object, attribute: Any, value: int) -> tuple[Any]:
        assert attribute.name == "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED"
        self.allowed.append(value)
        return (driver.CUresult.CUDA_SUCCESS,)


def start(cluster: Dims, *, programmatic: bool = False) -> None:
    launch = KernelLaunch(kernel("work"), DIMS, 0, (), programmatic, cluster)
    AttributedLaunch(SimpleNamespace(ptr=0), launch)(())


def test_a_launch_in_clusters_names_their_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeDriver(monkeypatch)
    start((4, 2, 1))
    ((config, ids),) = fake.launches
    assert ids == [ID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION]
    sizes = config.attrs[0].value.clusterDim
    assert ((sizes.x, sizes.y, sizes.z), (config.gridDimX, config.gridDimY)) == ((4, 2, 1), (8, 2))
    assert fake.allowed == []


def test_large_clusters_are_allowed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeDriver(monkeypatch)
    start((8, 2, 1))
    assert fake.allowed == [1]


def test_a_programmatic_launch_may_have_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeDriver(monkeypatch)
    start((1, 1, 1), programmatic=True)
    start((2, 1, 1), programmatic=True)
    overlap, cluster = (
        ID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        ID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
    )
    assert [ids for _, ids in fake.launches] == [[overlap], [overlap, cluster]]


def test_a_cooperative_launch_asks_for_all_blocks_at_once_and_an_error_counts_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = FakeDriver(monkeypatch)
    launch = KernelLaunch(kernel("work"), DIMS, 0, (), cooperative=True)
    AttributedLaunch(SimpleNamespace(ptr=0), launch)(())
    ((config, ids),) = fake.launches
    assert ids == [ID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE]
    assert config.attrs[0].value.cooperative == 1
    FakeDriver(monkeypatch, driver.CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
    with pytest.raises(LaunchError, match=r"a cooperative launch of 16 blocks, .*: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO"):
        AttributedLaunch(SimpleNamespace(ptr=0), launch)(())


def test_a_structure_is_passed_as_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[bytes] = []

    def launch(_config: object, _function: object, parameters: int, _extra: int) -> tuple[Any]:
        address = ctypes.c_void_p.from_address(parameters).value
        passed.append(ctypes.string_at(address or 0, 24))
        return (driver.CUresult.CUDA_SUCCESS,)

    FakeDriver(monkeypatch)
    monkeypatch.setattr(driver, "cuLaunchKernelEx", launch)
    structure = np.frombuffer(bytes(range(24)), "V24").reshape(())
    AttributedLaunch(SimpleNamespace(ptr=0), KernelLaunch(kernel("work"), DIMS, 0, (), cluster=(2, 1, 1)))([structure])
    assert passed == [bytes(range(24))]


def test_an_error_names_the_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDriver(monkeypatch, driver.CUresult.CUDA_ERROR_INVALID_CLUSTER_SIZE)
    with pytest.raises(LaunchError, match="launch in clusters of 4x2 blocks: CUDA_ERROR_INVALID_CLUSTER_SIZE"):
        start((4, 2, 1))
