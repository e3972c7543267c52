"""The values of the special registers before a launch."""

from collections.abc import Mapping, Sequence

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Program
from shflbench.emulator.machine.clusters import Clusters
from shflbench.emulator.machine.threads import Dimensions, Shape, coordinates
from shflbench.emulator.opcodes.addresses import MODULE_BASE, OWNER, owner_bytes
from shflbench.emulator.opcodes.forms import Values

RESERVED_SHARED = 288  # bytes that cooperative groups may use (cooperative_groups/details/memory.h)
RESERVED_SHARED_ALIGN = 16
AXES = ("x", "y", "z")


def special_values(
    program: Program, shape: Shape, clusters: Clusters, dynamic_shared: int
) -> Mapping[str, Values | int]:
    """Return the value of each special register, one for all threads or an array [warps, 32].

    A launch without clusters has clusters of one block (PTX ISA 9.0, "Special Registers").
    """
    thread = np.arange(shape.lanes).reshape(shape.warps, WARP)
    in_block, running = thread % shape.lanes_per_block, shape.block_of(thread)
    block = np.array(shape.sample)[running] if shape.sample else running
    lane = np.arange(WARP, dtype=np.uint64)
    one = np.uint64(1)
    workspace = MODULE_BASE + program.workspace
    return {
        **_indexes("tid", in_block, shape.block_dims),
        **_sizes("ntid", shape.block_dims),
        **_indexes("ctaid", block, shape.grid_dims),
        **_sizes("nctaid", shape.grid_dims),
        **{f"%clusterid.{axis}": index[running] for axis, index in zip(AXES, clusters.indexes, strict=True)},
        **_sizes("nclusterid", clusters.dims),
        **{f"%cluster_ctaid.{axis}": index[running] for axis, index in zip(AXES, clusters.in_cluster, strict=True)},
        **_sizes("cluster_nctaid", shape.cluster),
        "%cluster_ctarank": clusters.rank[running],
        "%cluster_nctarank": clusters.size,
        "%is_explicit_cluster": int(shape.has_clusters),
        OWNER: owner_bytes(thread),
        "%laneid": lane,
        "%warpid": in_block // WARP,
        "%nwarpid": shape.warps_per_block,
        "%smid": running,
        "%nsmid": shape.grid,
        "%gridid": 1,
        "%dynamic_smem_size": dynamic_shared,
        "%total_smem_size": dynamic_shared + program.shared_bytes,
        "%aggr_smem_size": dynamic_shared + program.shared_bytes,
        "%reserved_smem_offset_begin": 0,
        "%reserved_smem_offset_end": 0,
        "%reserved_smem_offset_cap": 0,
        # Cooperative groups keep the barriers of tiles of several warps there.
        "%reserved_smem_offset_1": reserved_shared_start(program.shared_bytes + dynamic_shared),
        "%lanemask_eq": one << lane,
        "%lanemask_lt": (one << lane) - one,
        "%lanemask_le": (one << (lane + one)) - one,
        "%lanemask_gt": ~((one << (lane + one)) - one),
        "%lanemask_ge": ~((one << lane) - one),
        # Cooperative groups read the address of the memory of grid barriers from these two.
        "%envreg1": workspace >> 32,
        "%envreg2": workspace & 0xFFFFFFFF,
    }


def reserved_shared_start(used: int) -> int:
    """Return where the shared memory begins that the system reserves, behind the `used` bytes of the program."""
    return -(-used // RESERVED_SHARED_ALIGN) * RESERVED_SHARED_ALIGN


def reserved_shared_bytes(program: Program, used: int) -> int:
    """Return the bytes behind the `used` ones of a block's shared memory that the system reserves."""
    if "%reserved_smem_offset_1" not in program.special:
        return 0
    return reserved_shared_start(used) + RESERVED_SHARED - used


def _indexes(name: str, numbers: Values, dims: Dimensions) -> dict[str, Values]:
    return {f"%{name}.{axis}": part for axis, part in zip(AXES, coordinates(numbers, dims), strict=True)}


def _sizes(name: str, dims: Sequence[int]) -> dict[str, int]:
    return {f"%{name}.{axis}": size for axis, size in zip(AXES, dims, strict=True)}
