// Each block passes over its tiles: they are staged in shared memory, where all threads read them.
#include "copied/bulk-4.cuh"
#include "copied/bulk.cuh"
#include "copied/cp-async-4.cuh"
#include "copied/cp-async.cuh"
#include "copied/ldg-sts-ahead.cuh"
#include "copied/ldg-sts.cuh"
#include "shflbench.cuh"
#include "tiles.cuh"

// Load, store, barrier, use, barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_ldg_sts(const T* values, T* result) {
    __shared__ uint4 tiles[1][BLOCK];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::ldg_sts::for_tiles<BLOCK>(tiles_of_block(values), tiles, use_tile);
    result[thread()] = T(sum);
}

// The next tile is loaded to registers before the last one is used. Two tiles in turn need one barrier each.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_ldg_sts_ahead(const T* values, T* result) {
    __shared__ uint4 tiles[2][BLOCK];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::ldg_sts_ahead::for_tiles<BLOCK>(tiles_of_block(values), tiles, use_tile);
    result[thread()] = T(sum);
}

// Copies that bypass the registers: one tile is on its way while one is used ...
template <typename T>
__global__ void LAUNCH_BOUNDS staging_cp_async(const T* values, T* result) {
    __shared__ uint4 tiles[2][BLOCK];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::cp_async::for_tiles<BLOCK>(tiles_of_block(values), tiles, use_tile);
    result[thread()] = T(sum);
}

// ... or three tiles are.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_cp_async_4(const T* values, T* result) {
    __shared__ uint4 tiles[4][BLOCK];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::cp_async_4::for_tiles<BLOCK>(tiles_of_block(values), tiles, use_tile);
    result[thread()] = T(sum);
}

// One thread copies a whole tile with one instruction, and a barrier in shared memory counts its bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_bulk(const T* values, T* result) {
    __shared__ uint4 tiles[2][BLOCK];
    __shared__ unsigned long long copied[2];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::bulk::for_tiles<BLOCK>(tiles_of_block(values), tiles, copied, use_tile);
    result[thread()] = T(sum);
}

template <typename T>
__global__ void LAUNCH_BOUNDS staging_bulk_4(const T* values, T* result) {
    __shared__ uint4 tiles[4][BLOCK];
    __shared__ unsigned long long copied[4];
    unsigned sum = 0;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    shflbench::bulk_4::for_tiles<BLOCK>(tiles_of_block(values), tiles, copied, use_tile);
    result[thread()] = T(sum);
}
