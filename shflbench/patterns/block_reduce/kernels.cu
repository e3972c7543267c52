// All threads of a block, or only thread 0, get the sum of the block's values.
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// A tree in shared memory: in each step, the lower half of the threads adds the values of the upper half. One barrier
// per step; with ALL, one more between the read of the sum and the next write of its slot.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        slots[mine] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half > 0; half /= 2) {
            if (mine < half) slots[mine] = sum = add(sum, slots[mine + half]);
            __syncthreads();
        }
        if (ALL) {
            sum = slots[0];
            __syncthreads();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The same tree. Its last five steps concern only the first warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        slots[mine] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half >= WARP; half /= 2) {
            if (mine < half) slots[mine] = sum = add(sum, slots[mine + half]);
            __syncthreads();
        }
        if (mine < WARP) {
            for (int half = WARP / 2; half > 0; half /= 2) {
                if (mine < half) slots[mine] = sum = add(sum, slots[mine + half]);
                __syncwarp();
            }
        }
        if (ALL) {
            __syncthreads();
            sum = slots[0];
            __syncthreads();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// UNSAFE: in its last five steps, the tree relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        slots[mine] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half >= WARP; half /= 2) {
            if (mine < half) slots[mine] = sum = add(sum, slots[mine + half]);
            __syncthreads();
        }
        if (mine < WARP) {
            for (int half = WARP / 2; half > 0; half /= 2) {
                if (mine < half) {
                    sum = add(sum, volatile_load(&slots[mine + half]));
                    volatile_store(&slots[mine], sum);
                }
            }
        }
        if (ALL) {
            __syncthreads();
            sum = slots[0];
            __syncthreads();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// A tree in the shared memory of one warp. The first COUNT lanes have a value each, which is also in their slots; lane 0
// gets the sum. Of each step's sums, only those that the next step reads are stored; a __syncwarp() follows.
template <int COUNT, typename T>
__device__ T tree_of_warp(T sum, T* slots) {
    for (int half = COUNT / 2; half > 0; half /= 2) {
        if (lane() < half) sum = add(sum, slots[lane() + half]);
        if (half > 1) {
            if (lane() / (half / 2) == 1) slots[lane()] = sum;
            __syncwarp();
        }
    }
    return sum;
}

// Each warp sums its values by a tree in its own part of shared memory, and the first warp sums the warps' sums by
// another one: two block barriers, as with shuffles. No further barrier is needed: `sums` is written after the second
// barrier, and `all` after the next first one.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_warps(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK], sums[WARPS], all;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        T sum = tree_of_warp<WARP>(x, &slots[first_of_warp()]);
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (warp() == 0) {
            const T sum_of_lane = lane() < WARPS ? sums[lane()] : T(0);
            sum = tree_of_warp<WARPS>(sum_of_lane, sums);
            if (ALL && lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, ALL ? all : sum);
    }
    result[thread()] = x;
}

// The sum of a warp, in all of its lanes.
template <typename T>
__device__ T sum_of_warp(T x) {
    for (int distance = WARP / 2; distance > 0; distance /= 2) x = add(x, __shfl_xor_sync(FULL_WARP, x, distance));
    return x;
}

// The sum of the warps' sums, in all lanes of the calling warp.
template <typename T>
__device__ T sum_of_sums(const T* sums) {
    T sum = sums[lane() % WARPS];
    for (int distance = WARPS / 2; distance > 0; distance /= 2) {
        sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    }
    return sum;
}

// Shuffles within the warps, and again in each warp that needs the sum. One barrier between the writes of the warps'
// sums and their reads, one between those reads and the next writes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sum_of_warp(x);
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (adds_sums()) sum = sum_of_sums(sums);
        __syncthreads();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Only the first warp adds the warps' sums; all threads read the result from shared memory. No further barrier is
// needed: `sums` is written after the second barrier, and `all` after the next first one.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_first_warp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], all;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sum_of_warp(x);
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (warp() == 0) {
            sum = sum_of_sums(sums);
            if (lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, all);
    }
    result[thread()] = x;
}

// The same, except that the warps sum their values by trees in shared memory: shuffles add the warps' sums only.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_warps_shfl(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK], sums[WARPS], all;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        T sum = tree_of_warp<WARP>(x, &slots[first_of_warp()]);
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (warp() == 0) {
            sum = sum_of_sums(sums);
            if (ALL && lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, ALL ? all : sum);
    }
    result[thread()] = x;
}

// Each lane of the first warp adds up a row of adjacent values, one after another. An unused slot at the end of a row
// makes the distance between rows odd, so that the lanes read from different banks.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_raking(const T* values, T* result, int iterations) {
    __shared__ T slots[WARP][WARPS + 1], all;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x / WARPS][threadIdx.x % WARPS] = x;
        __syncthreads();
        T sum = x;
        if (warp() == 0) {
            sum = slots[lane()][0];
            for (int next = 1; next < WARPS; ++next) sum = add(sum, slots[lane()][next]);
            sum = sum_of_warp(sum);
            if (ALL && lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, ALL ? all : sum);
    }
    result[thread()] = x;
}

// Each lane of the first warp adds up a column: its own value, and those of the same lane of all other warps. The lanes
// of a warp write and read adjacent slots, so that no padding is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_raking_columns(const T* values, T* result, int iterations) {
    __shared__ T slots[WARPS][WARP], all;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        if (warp() > 0) slots[warp()][lane()] = x;
        __syncthreads();
        if (warp() == 0) {
            for (int other = 1; other < WARPS; ++other) sum = add(sum, slots[other][lane()]);
            sum = sum_of_warp(sum);
            if (ALL && lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, ALL ? all : sum);
    }
    result[thread()] = x;
}

// Each thread that needs the sum loads the sums of all warps, 16 bytes at a time, and adds them up: in place of a
// second butterfly, loads of the same address by all lanes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_loads(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sum_of_warp(x);
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (ALL || threadIdx.x == 0) {
            sum = sums[0];
            for (int other = 1; other < WARPS; ++other) sum = add(sum, sums[other]);
        }
        __syncthreads();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other. It cannot write the
// first again before the next barrier, at which all warps have read it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_once(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sum_of_warp(x);
        if (lane() == 0) now[warp()] = sum;
        __syncthreads();
        if (adds_sums()) sum = sum_of_sums(now);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One instruction sums the 32-bit integers of a warp, and one the warps' sums.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_redux(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = __reduce_add_sync(FULL_WARP, unsigned(x));
        if (lane() == 0) sums[warp()] = sum;
        __syncthreads();
        if (adds_sums()) sum = __reduce_add_sync(FULL_WARP, lane() < WARPS ? unsigned(sums[lane()]) : 0);
        __syncthreads();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

__device__ inline void add_atomically(float* sum, float x) { atomicAdd(sum, x); }
__device__ inline void add_atomically(double* sum, double x) { atomicAdd(sum, x); }
__device__ inline void add_atomically(int* sum, int x) { atomicAdd(sum, x); }
__device__ inline void add_atomically(long long* sum, long long x) {
    atomicAdd(reinterpret_cast<unsigned long long*>(sum), (unsigned long long)x);
}

// Shuffles within the warps, then one atomic addition per warp in shared memory. One barrier: `now` receives the sums
// of an iteration, `next` is zero, and `last`, which all threads have read before the barrier, is cleared after it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_atomic(const T* values, T* result, int iterations) {
    __shared__ T sums[3];
    if (threadIdx.x < 3) sums[threadIdx.x] = 0;
    __syncthreads();
    T *now = &sums[0], *next = &sums[1], *last = &sums[2];
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = sum_of_warp(x);
        if (lane() == 0) add_atomically(now, sum);
        __syncthreads();
        if (threadIdx.x == 0) *last = 0;
        x = advance(x, ALL || threadIdx.x == 0 ? *now : sum);
        swap(now, next);
        swap(next, last);
    }
    result[thread()] = x;
}

// The sum of the warps' sums, in all lanes of the calling warp. Each lane loads up to eight of them, 16 bytes at a time; in
// larger blocks, shuffles add up what the lanes have loaded.
template <typename T>
__device__ T load_sums(const T* sums) {
    constexpr int PART = WARPS < 8 ? WARPS : 8, PARTS = WARPS / PART;
    const T* part = sums + lane() % PARTS * PART;
    T even = part[0], odd = part[1];
#pragma unroll
    for (int i = 2; i < PART; i += 2) {
        even = add(even, part[i]);
        odd = add(odd, part[i + 1]);
    }
    T sum = add(even, odd);
#pragma unroll
    for (int distance = PARTS / 2; distance > 0; distance /= 2) {
        sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    }
    return sum;
}

// As `shfl-loads`, with two buffers and one barrier as in `shfl-once`.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = sum_of_warp(x);
        if (lane() == 0) now[warp()] = sum;
        __syncthreads();
        if (adds_sums()) sum = load_sums(now);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The same, except that the warps sum their values by groups of eight lanes through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem8_shfl_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK], sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        T sum = sum_by_groups(&slots[first_of_warp()]);
        if (lane() == 0) now[warp()] = sum;
        __syncthreads();  // also between the reads of the slots and their next writes
        if (adds_sums()) sum = load_sums(now);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// One instruction sums the 32-bit integers of a warp; then as before.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_redux_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = __reduce_add_sync(FULL_WARP, unsigned(x));
        if (lane() == 0) now[warp()] = sum;
        __syncthreads();
        if (adds_sums()) sum = load_sums(now);
        swap(now, next);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
