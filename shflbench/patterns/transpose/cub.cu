// The exchange by CUB.
#include "copied/cub.cuh"
#include "copied/cub-shfl.cuh"
#include "tile.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS transpose_cub(const T* values, T* result, int iterations) {
    auto* storage = shared<shflbench::cub::WarpExchange::TempStorage>() + threadIdx.x / WARP;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::cub::striped_to_blocked(tile.word, *storage);
    tile.store(result);
}

#if OPTION_WORDS_32
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_cub_shfl(const T* values, T* result, int iterations) {
    auto* storage = shared<shflbench::cub_shfl::WarpExchange::TempStorage>() + threadIdx.x / WARP;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::cub_shfl::striped_to_blocked(tile.word, *storage);
    tile.store(result);
}
#endif
