// All threads of a block get the sum of its values: the sums of the warps lie in shared memory and are combined.
#include "combine.cuh"
#include "shflbench.cuh"

// Each warp loads one sum per lane, and adds them by a butterfly.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_shuffles(const T* values, T* result, int iterations) {
    __shared__ T room[2][WARPS];
    Sums<T> sums(room);
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sums.of_warps(x)[lane() % WARPS];
#pragma unroll
        for (int distance = 1; distance < WARPS; distance *= 2) sum = add(sum, shfl_xor(sum, distance));
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Each thread loads all sums one by one, and adds them; all lanes read the same address.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_adds(const T* values, T* result, int iterations) {
    __shared__ T room[2][WARPS];
    Sums<T> sums(room);
    T x = values[thread()];
    REPEAT(iterations) {
        const T* of_warps = sums.of_warps(x);
        T sum = volatile_load(of_warps);  // volatile: loads are not merged
#pragma unroll
        for (int i = 1; i < WARPS; ++i) sum = add(sum, volatile_load(of_warps + i));
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The same with loads of 16 bytes, or of all sums if they are fewer.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_wide_adds(const T* values, T* result, int iterations) {
    constexpr int PER_LOAD = 16 / sizeof(T) < WARPS ? 16 / sizeof(T) : WARPS;
    struct alignas(PER_LOAD * sizeof(T)) Wide {
        T sum[PER_LOAD];
    };
    __shared__ __align__(16) T room[2][WARPS];
    Sums<T> sums(room);
    T x = values[thread()];
    REPEAT(iterations) {
        const Wide* of_warps = reinterpret_cast<const Wide*>(sums.of_warps(x));
        T sum = T(0);
#pragma unroll
        for (int i = 0; i < WARPS / PER_LOAD; ++i) {
            const Wide wide = of_warps[i];
#pragma unroll
            for (int j = 0; j < PER_LOAD; ++j) sum = add(sum, wide.sum[j]);
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Each warp loads one sum per lane, and adds them by one instruction, of integers.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_redux(const T* values, T* result, int iterations) {
    __shared__ T room[2][WARPS];
    Sums<T> sums(room);
    T x = values[thread()];
    REPEAT(iterations) {
        const T* of_warps = sums.of_warps(x);
        const unsigned own = lane() < WARPS ? of_warps[lane()] : 0;
        x = advance(x, T(__reduce_add_sync(FULL_WARP, own)));
    }
    result[thread()] = x;
}
