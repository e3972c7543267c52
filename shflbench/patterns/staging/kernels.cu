// Each block passes over its tiles: they are staged in shared memory, where all threads read them.
#include "shflbench.cuh"
#include "tiles.cuh"

// Load, store, barrier, use, barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_ldg_sts(const T* values, T* result) {
    __shared__ uint4 tile[BLOCK];
    unsigned sum = 0;
    for (int number = 0; number < TILES; ++number) {
        tile[threadIdx.x] = *word_of(values, number);
        __syncthreads();
        sum = use(sum, tile);
        __syncthreads();
    }
    result[thread()] = T(sum);
}

// The next tile is loaded to registers before the last one is used. Two tiles in turn need one barrier each.
template <typename T>
__global__ void LAUNCH_BOUNDS staging_ldg_sts_ahead(const T* values, T* result) {
    __shared__ uint4 tiles[2][BLOCK];
    unsigned sum = 0;
    uint4 next = *word_of(values, 0);
    for (int number = 0; number < TILES; ++number) {
        uint4* tile = tiles[number % 2];
        tile[threadIdx.x] = next;
        if (number + 1 < TILES) next = *word_of(values, number + 1);
        __syncthreads();
        sum = use(sum, tile);
    }
    result[thread()] = T(sum);
}

// Copies that bypass the registers; STAGES - 1 tiles are on their way while one is used.
template <int STAGES, typename T>
__device__ void stage_by_copies(const T* values, T* result) {
    __shared__ uint4 tiles[STAGES][BLOCK];
    unsigned sum = 0;
#pragma unroll
    for (int number = 0; number < STAGES - 1; ++number) {
        start_copy(&tiles[number][threadIdx.x], word_of(values, number));
        end_group();
    }
    for (int number = 0; number < TILES; ++number) {
        wait_for_groups<STAGES - 2>();
        __syncthreads();  // all threads have their copies, and none still reads the tile that is copied next
        const int next = number + STAGES - 1;
        if (next < TILES) start_copy(&tiles[next % STAGES][threadIdx.x], word_of(values, next));
        end_group();
        sum = use(sum, tiles[number % STAGES]);
    }
    result[thread()] = T(sum);
}
template <typename T>
__global__ void LAUNCH_BOUNDS staging_cp_async(const T* values, T* result) { stage_by_copies<2>(values, result); }
template <typename T>
__global__ void LAUNCH_BOUNDS staging_cp_async_4(const T* values, T* result) { stage_by_copies<4>(values, result); }

// One thread copies a whole tile with one instruction, and a barrier in shared memory counts its bytes.
template <int STAGES, typename T>
__device__ void stage_by_bulk_copies(const T* values, T* result) {
    __shared__ __align__(16) uint4 tiles[STAGES][BLOCK];
    __shared__ unsigned long long copied[STAGES];
    const bool is_first = threadIdx.x == 0;
    const auto start = [&](int number) {
        if (is_first && number < TILES) {
            start_bulk_copy(tiles[number % STAGES], word_of(values, number), sizeof tiles[0], &copied[number % STAGES]);
        }
    };
    if (is_first) {
#pragma unroll
        for (int i = 0; i < STAGES; ++i) init(&copied[i]);
        fence_of_proxies();
    }
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int number = 0; number < STAGES - 1; ++number) start(number);
#pragma unroll
    for (int number = 0; number < TILES; ++number) {
        wait(&copied[number % STAGES], number / STAGES % 2);
        fence_of_proxies();
        __syncthreads();  // no thread still reads the tile that is copied next
        start(number + STAGES - 1);
        sum = use(sum, tiles[number % STAGES]);
    }
    result[thread()] = T(sum);
}
template <typename T>
__global__ void LAUNCH_BOUNDS staging_bulk(const T* values, T* result) { stage_by_bulk_copies<2>(values, result); }
template <typename T>
__global__ void LAUNCH_BOUNDS staging_bulk_4(const T* values, T* result) { stage_by_bulk_copies<4>(values, result); }
