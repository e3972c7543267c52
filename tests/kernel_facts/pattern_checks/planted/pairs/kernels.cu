// The neighbors of a pair swap their values and add one. Some variants are right; each of the others has one fault.
#include "shflbench.cuh"

template <typename T>
__global__ void pairs_right(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        x = add(slots[threadIdx.x ^ 1], T(1));
        __syncthreads();
    }
    result[thread()] = x;
}

// Right as well, and declared unsafe.
template <typename T>
__global__ void pairs_modest(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    result[thread()] = x;
}

template <typename T>
__global__ void pairs_one_barrier(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        x = add(slots[threadIdx.x ^ 1], T(1));
    }
    result[thread()] = x;
}

// Warp-synchronous: no barrier at all.
template <typename T>
__global__ void pairs_lockstep(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        x = add(T(slots[threadIdx.x ^ 1]), T(1));
    }
    result[thread()] = x;
}

// All threads write the number that is added to one place.
template <typename T>
__global__ void pairs_equal_writes(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    slots[0] = T(1);
    __syncthreads();
    const T one = slots[0];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), one);
    result[thread()] = x;
}

template <typename T>
__global__ void pairs_activemask(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(__activemask(), x, 1), T(1));
    result[thread()] = x;
}

// Reads the mask of active lanes, which does not change the result.
template <typename T>
__global__ void pairs_curious(const T* values, T* result, int iterations) {
    T x = values[thread()];
    const T one = __activemask() ? T(1) : T(2);
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), one);
    result[thread()] = x;
}

// The lanes that `continue` are named by the mask of the shuffle that they skip.
template <typename T>
__global__ void pairs_after_continue(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        if (lane() >= 16) continue;
        x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    }
    result[thread()] = x;
}

// `__fns` counts set bits from 1; counted from 0, the partner is one lane off.
template <typename T>
__global__ void pairs_fns(const T* values, T* result, int iterations) {
    T x = values[thread()];
    const int partner = __fns(FULL_WARP, 0, lane() ^ 1);
    REPEAT(iterations) x = add(__shfl_sync(FULL_WARP, x, partner), T(1));
    result[thread()] = x;
}

// Only lane 0 advances to the warp's part of the result.
template <typename T>
__global__ void pairs_pointer(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    if (lane() == 0) result += thread();
    result[lane()] = x;
}

// Half of the lanes add nothing.
template <typename T>
__global__ void pairs_half(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(lane() % 2));
    result[thread()] = x;
}

template <typename T>
__global__ void pairs_past_the_end(const T* values, T* result, int iterations) {
    T x = values[thread()];
    const T next = values[thread() + 1];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    result[thread()] = next == T(-1) ? next : x;  // no value is -1
}

template <typename T>
__global__ void pairs_past_shared(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        const T far = slots[threadIdx.x + 32];
        x = add(__shfl_xor_sync(FULL_WARP, x, 1), far == T(-1) ? T(2) : T(1));  // no value is -1
        __syncthreads();
    }
    result[thread()] = x;
}

template <typename T>
__global__ void pairs_deadlock(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
        if (lane() < 16) __syncthreads();
        else x = __shfl_sync(FULL_WARP, x, lane());
    }
    result[thread()] = x;
}

template <typename T>
__global__ void pairs_folded(const T* values, T* result, int iterations) {
    const T x = values[iterations % 2 ? thread() ^ 1 : thread()];
    result[thread()] = add(x, T(iterations));
}

template <typename T>
__global__ void pairs_tomorrow(const T* values, T* result, int iterations) {
    pairs_modest(values, result, iterations);
}

template <typename T>
__global__ void pairs_endless(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    slots[threadIdx.x] = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        while (slots[threadIdx.x] == 0) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    }
    result[thread()] = x;
}

// Swaps through shared memory; SYNC is the barrier.
#define SWAP_WITH(SYNC)                         \
    T* slots = shared<T>();                     \
    T x = values[thread()];                     \
    REPEAT(iterations) {                        \
        slots[threadIdx.x] = x;                 \
        SYNC;                                   \
        x = add(slots[threadIdx.x ^ 1], T(1));  \
        SYNC;                                   \
    }                                           \
    result[thread()] = x

// Right: each half of a warp has a barrier of its own.
template <typename T>
__global__ void pairs_half_warps(const T* values, T* result, int iterations) {
    const unsigned half = lane() < 16 ? 0xffffu : 0xffff0000u;
    SWAP_WITH(__syncwarp(half));
}

// The barriers are of quarters that split each pair.
template <typename T>
__global__ void pairs_split_pairs(const T* values, T* result, int iterations) {
    const unsigned even_lanes = 0x55555555u;
    SWAP_WITH(__syncwarp(lane() % 2 ? ~even_lanes : even_lanes));
}

// Right in blocks of one dimension; what it does in others is not known.
template <typename T>
__global__ void pairs_two_dimensions(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    result[thread() + threadIdx.y * blockDim.x] = x;
}

template <typename T>
__global__ void pairs_counted_barrier(const T* values, T* result, int iterations) {
    SWAP_WITH(asm volatile("bar.sync 1, 128;" ::: "memory"));
}

// Each half of the block waits at a barrier of its own.
template <typename T>
__global__ void pairs_computed_barrier(const T* values, T* result, int iterations) {
    const int half = threadIdx.x / 64;
    SWAP_WITH(asm volatile("bar.sync %0;" ::"r"(half + 1) : "memory"));
}
