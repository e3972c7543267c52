// The exchange by CUB.
#include <cub/warp/warp_exchange.cuh>

#include "tile.cuh"

template <typename T, cub::WarpExchangeAlgorithm ALGORITHM>
__device__ void exchange(const T* values, T* result, int iterations) {
    using Exchange = cub::WarpExchange<T, WORDS, WARP, ALGORITHM>;
    auto* storage = shared<typename Exchange::TempStorage>() + threadIdx.x / WARP;
    Tile<T> tile(values);
    REPEAT(iterations) {
        Exchange(*storage).StripedToBlocked(tile.word, tile.word);
        __syncwarp();  // the caller of CUB must not reuse the storage before all lanes have read
    }
    tile.store(result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS transpose_cub(const T* values, T* result, int iterations) {
    exchange<T, cub::WARP_EXCHANGE_SMEM>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS transpose_cub_shfl(const T* values, T* result, int iterations) {
    exchange<T, cub::WARP_EXCHANGE_SHUFFLE>(values, result, iterations);
}
