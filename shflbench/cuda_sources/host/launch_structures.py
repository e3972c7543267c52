"""The structures of `cudaLaunchKernelEx`, which no file of the user declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# The members that launches are read from, as `driver_types.h` of CUDA 13 declares them, and the bytes of the whole.
DECLARATIONS = b"""
struct cudaClusterDimension { unsigned int x; unsigned int y; unsigned int z; };
struct cudaLaunchAttributeValue {
  int programmaticStreamSerializationAllowed; cudaClusterDimension clusterDim; int cooperative;
};
struct cudaLaunchAttribute { int id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t {
  dim3 gridDim; dim3 blockDim; size_t dynamicSmemBytes = 0; cudaStream_t stream = 0; cudaLaunchAttribute *attrs = 0;
  unsigned int numAttrs = 0;
};
"""
SIZES: Mapping[str, int] = {
    "cudaClusterDimension": 12,
    "cudaLaunchAttributeValue": 64,
    "cudaLaunchAttribute": 72,
    "cudaLaunchConfig_t": 56,
}

COOPERATIVE, CLUSTER, PROGRAMMATIC_SERIALIZATION = 2, 4, 6
IDS: Mapping[str, int] = {
    "cudaLaunchAttributeIgnore": 0,
    "cudaLaunchAttributeAccessPolicyWindow": 1,
    "cudaLaunchAttributeCooperative": COOPERATIVE,
    "cudaLaunchAttributeSynchronizationPolicy": 3,
    "cudaLaunchAttributeClusterDimension": CLUSTER,
    "cudaLaunchAttributeClusterSchedulingPolicyPreference": 5,
    "cudaLaunchAttributeProgrammaticStreamSerialization": PROGRAMMATIC_SERIALIZATION,
    "cudaLaunchAttributeProgrammaticEvent": 7,
    "cudaLaunchAttributePriority": 8,
    "cudaLaunchAttributeMemSyncDomainMap": 9,
    "cudaLaunchAttributeMemSyncDomain": 10,
    "cudaLaunchAttributePreferredClusterDimension": 11,
    "cudaLaunchAttributeLaunchCompletionEvent": 12,
    "cudaLaunchAttributeDeviceUpdatableKernelNode": 13,
    "cudaLaunchAttributePreferredSharedMemoryCarveout": 14,
}
