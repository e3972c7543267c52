//! *
#include "{copied}"
#include "shflbench.cuh"
#include "tiles.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result) {
    __shared__ uint4 tiles[1][BLOCK];  //! ldg-sts
    __shared__ uint4 tiles[2][BLOCK];  //! ldg-sts-ahead cp-async
    __shared__ uint4 tiles[4][BLOCK];  //! cp-async-4
    unsigned sum = 0;
    for_tiles<BLOCK>(word_of(values, 0) - threadIdx.x, tiles, [&](const uint4* tile) { sum = use(sum, tile); });
    result[thread()] = T(sum);
}
