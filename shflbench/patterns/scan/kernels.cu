// Each lane gets the sum of its own value and those of the lower lanes: in five exchanges, over distances
// that double, each lane adds the sum of a lower lane so far. `finish_scan` turns it into an exclusive sum.
#include "predicate.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"
#include "zeros.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) {
            slots[mine] = sum;
            __syncthreads();
            if (lane() >= distance) sum = add(sum, slots[mine - distance]);
            __syncthreads();
        }
        x = advance(x, finish_scan(x, sum, slots, [] { __syncthreads(); }, [] { __syncthreads(); }));
    }
    result[thread()] = x;
}

// Two buffers, one barrier per exchange: while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) {
            now[mine] = sum;
            __syncthreads();
            if (lane() >= distance) sum = add(sum, now[mine - distance]);
            swap(now, next);
        }
        x = advance(x, finish_scan(x, sum, now, next));
    }
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) {
            slots[mine] = sum;
            __syncwarp();
            if (lane() >= distance) sum = add(sum, slots[mine - distance]);
            __syncwarp();
        }
        x = advance(x, finish_scan(x, sum, slots, [] { __syncwarp(); }, [] { __syncwarp(); }));
    }
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) {
            slots[mine] = sum;
            if (lane() >= distance) sum = add(sum, T(slots[mine - distance]));
        }
        x = advance(x, finish_scan(x, sum, slots, [] {}, [] {}));
    }
    result[thread()] = x;
}

// Each lane adds up the values of its group of four and of all lower groups, which it loads 16 bytes at a time: loads that do
// not wait for one another, in place of exchanges that do. Zeros below the first group serve for those that do not exist.
// Two buffers, one barrier per iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_wide(const T* values, T* result, int iterations) {
    T *now = slots_above_zeros<T>(0), *next = slots_above_zeros<T>(1);
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        x = advance(x, prefix_sum(now));
        swap(now, next);
    }
    result[thread()] = x;
}

// Within groups of eight lanes through shared memory, between groups by shuffles: a lane adds up the values of its group, and
// gets the sums of the three lower groups.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem8_shfl(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        x = advance(x, prefix_sum_by_groups<EXCLUSIVE>(now));
        swap(now, next);
    }
    result[thread()] = x;
}

// All lanes shuffle; a lane adds if there is a lane that far below.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) {
            const T below = __shfl_up_sync(FULL_WARP, sum, distance);
            if (lane() >= distance) sum = add(sum, below);
        }
        x = advance(x, finish_scan(x, sum));
    }
    result[thread()] = x;
}

// The shuffle returns whether there is a lane that far below; this predicate guards the addition.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_shfl_predicate(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = 1; distance < WARP; distance *= 2) sum = add_from_below(sum, distance);
        x = advance(x, finish_scan(x, sum));
    }
    result[thread()] = x;
}
