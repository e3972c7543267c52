//! *
#include "{copied}"
#include "tile.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
//! shfl shfl-xor
    REPEAT(iterations) striped_to_blocked(tile.word);
//! smem smem-wide smem-stmatrix
    T* slots = shared<T>() + first_of_warp() * WORDS;
    REPEAT(iterations) striped_to_blocked(tile.word, slots);
//! smem-padded smem-syncwarp
    T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    REPEAT(iterations) striped_to_blocked(tile.word, slots);
//! cub cub-shfl
    auto* storage = shared<WarpExchange::TempStorage>() + threadIdx.x / WARP;
    REPEAT(iterations) striped_to_blocked(tile.word, *storage);
//! *
    tile.store(result);
}
