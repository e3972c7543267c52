// Neighbours of a pair swap their values and add one. Two variants are right; each other one makes one mistake.
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
__global__ void pairs_lock_step(const T* values, T* result, int iterations) {
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

// Counts on the active lanes for nothing that shows in the result.
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

// Only lane 0 moves on to the warp's part of the result.
template <typename T>
__global__ void pairs_pointer(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    if (lane() == 0) result += thread();
    result[lane()] = x;
}

// Half of what is to be added.
template <typename T>
__global__ void pairs_half(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(trip % 2));
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
