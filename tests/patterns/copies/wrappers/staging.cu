//! *
#include "{copied}"
#include "shflbench.cuh"
#include "tiles.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result) {
    __shared__ uint4 tiles[1][BLOCK];  //! ldg-sts
    __shared__ uint4 tiles[2][BLOCK];  //! ldg-sts-ahead cp-async bulk
    __shared__ uint4 tiles[4][BLOCK];  //! cp-async-4 bulk-4
    __shared__ unsigned long long copied[4];  //! bulk bulk-4
    unsigned sum = 0;
    const uint4* from = word_of(values, 0) - threadIdx.x;
    const auto use_tile = [&](const uint4* tile) { sum = use(sum, tile); };
    for_tiles<BLOCK>(from, tiles, use_tile);          //! ldg-sts ldg-sts-ahead cp-async cp-async-4
    for_tiles<BLOCK>(from, tiles, copied, use_tile);  //! bulk bulk-4
    result[thread()] = T(sum);
}
