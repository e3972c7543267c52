// Each lane gets the sum of its own value and those of the lower lanes: in five exchanges, over distances
// that double, each lane adds the sum of a lower lane so far. The last steps turn it into an exclusive sum.
#include "copied/shfl-predicate.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-double.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-wide.cuh"
#include "copied/smem.cuh"
#include "copied/smem8-shfl.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::prefix_sum(x, slots));
    result[thread()] = x;
}

// Two buffers, one barrier per exchange: while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_double::prefix_sum(x, now, next));
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::prefix_sum(x, slots));
    result[thread()] = x;
}

// An exclusive sum is the inclusive one without the lane's own value. Floating point would round differently: one more
// exchange gives each lane the inclusive sum of the lane below, and the first lane 0.
template <typename T>
__device__ T finish_scan(T x, T sum, volatile T* slots) {
    if constexpr (EXCLUSIVE && IS_INTEGER<T>) {
        return add(sum, add(~x, T(1)));
    } else if constexpr (EXCLUSIVE) {
        slots[threadIdx.x] = sum;
        return lane() > 0 ? T(slots[threadIdx.x - 1]) : T(0);
    } else {
        return sum;
    }
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
        x = advance(x, finish_scan(x, sum, slots));
    }
    result[thread()] = x;
}

// Each lane adds up the values of its group of four and of all lower groups, which it loads 16 bytes at a time: loads that do
// not wait for one another, in place of exchanges that do. Zeros below the first group serve for those that do not exist.
// Two buffers, one barrier per iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem_wide(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + 2 * blockDim.x;
    now[2 * first_of_warp() + lane()] = next[2 * first_of_warp() + lane()] = 0;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_wide::prefix_sum(x, now, next));
    result[thread()] = x;
}

// Within groups of eight lanes through shared memory, between groups by shuffles: a lane adds up the values of its group, and
// gets the sums of the three lower groups.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem8_shfl(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem8_shfl::prefix_sum(x, now, next));
    result[thread()] = x;
}

// All lanes shuffle; a lane adds if there is a lane that far below.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::prefix_sum(x));
    result[thread()] = x;
}

// The shuffle returns whether there is a lane that far below; this predicate guards the addition.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_shfl_predicate(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_predicate::prefix_sum(x));
    result[thread()] = x;
}
