// All lanes of a group of WIDTH lanes get the sum of the group's values, by a butterfly of log2(WIDTH) exchanges.
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            slots[mine] = sum;
            __syncthreads();
            sum = add(sum, slots[mine ^ distance]);
            __syncthreads();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Two buffers, one barrier per exchange. An iteration may have an odd number of exchanges, so the order of
// the buffers carries over to the next iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            now[mine] = sum;
            __syncthreads();
            sum = add(sum, now[mine ^ distance]);
            swap(now, next);
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            slots[mine] = sum;
            __syncwarp();
            sum = add(sum, slots[mine ^ distance]);
            __syncwarp();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One store, and each lane adds all values of its group, 16 bytes at a time.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, first = mine / WIDTH * WIDTH;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        const T sum = sum_of<WIDTH>(slots + first);
        __syncwarp();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One store, each lane adds the values of LANES lanes, and shuffles do the rest. From four such groups to their sum, three
// shuffles do not wait for one another.
template <int LANES, typename T>
__device__ T sum_by_shuffles(T sum) {
    if constexpr (WIDTH == 4 * LANES) {
        const T next = shfl_xor(sum, LANES), third = shfl_xor(sum, 2 * LANES), last = shfl_xor(sum, 3 * LANES);
        return add(add(sum, next), add(third, last));
    }
    for (int distance = LANES; distance < WIDTH; distance *= 2) sum = add(sum, shfl_xor(sum, distance));
    return sum;
}
template <int LANES, typename T>
__device__ void store_load_shuffle(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, first = mine / LANES * LANES;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        const T sum = sum_of<LANES>(slots + first);
        __syncwarp();
        x = advance(x, sum_by_shuffles<LANES>(sum));
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem4_shfl(const T* values, T* result, int iterations) {
    store_load_shuffle<4>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem8_shfl(const T* values, T* result, int iterations) {
    store_load_shuffle<8>(values, result, iterations);
}

// Two buffers in turn: the barrier of the next iteration separates the loads from the next store to the same buffer.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem8_shfl_double(const T* values, T* result, int iterations) {
    constexpr int LANES = 8;
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x, first = mine / LANES * LANES;
    T x = values[thread()];
    REPEAT(iterations) {
        now[mine] = x;
        __syncwarp();
        x = advance(x, sum_by_shuffles<LANES>(sum_of<LANES>(now + first)));
        swap(now, next);
    }
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            volatile_store(&slots[mine], sum);
            sum = add(sum, volatile_load(&slots[mine ^ distance]));
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            sum = add(sum, shfl_xor(sum, distance));
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One instruction sums the warp's 32-bit integers.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, T(__reduce_add_sync(FULL_WARP, unsigned(x))));
    result[thread()] = x;
}

// Each group passes a mask of its own. An instruction takes one mask: the groups of a warp take turns.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux_mask(const T* values, T* result, int iterations) {
    const unsigned mask = FULL_WARP >> (WARP - WIDTH) << lane() / WIDTH * WIDTH;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, T(__reduce_add_sync(mask, unsigned(x))));
    result[thread()] = x;
}

// All lanes take part in the sum of every group; those of other groups add nothing.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux_padded(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
#pragma unroll
        for (int group = 0; group < WARP / WIDTH; ++group) {
            const bool is_own = lane() / WIDTH == group;
            const T of_group = T(__reduce_add_sync(FULL_WARP, is_own ? unsigned(x) : 0));
            sum = is_own ? of_group : sum;
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
