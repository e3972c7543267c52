// Every lane processes every value of its warp: it sums up their distances from its own.
#include "copied/global.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-rows-shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-two-rows-shfl.cuh"
#include "copied/smem-wide-double.cuh"
#include "copied/smem-wide-sums.cuh"
#include "copied/smem-wide.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"
#include "work.cuh"

// Two barriers: the first between the slots' write and their reads, the second between those reads and the
// slots' next write. `volatile` keeps one load per value: otherwise the compiler would merge four neighbors.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        shflbench::smem::visit_warp(x, slots, [&](T value) { sum = add(sum, distance(x, value)); });
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        shflbench::smem_syncwarp::visit_warp(x, slots, [&](T value) { sum = add(sum, distance(x, value)); });
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// All lanes need the same values in the same order, so a load may take 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        shflbench::smem_wide::visit_warp(x, slots, [&](T value) { sum = add(sum, distance(x, value)); });
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Four sums: an addition waits only for the one before the last three.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_wide_sums(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        x = advance(x, shflbench::smem_wide_sums::sum_over_warp(x, slots, [=](T value) { return distance(x, value); }));
    }
    result[thread()] = x;
}

// Two buffers, one barrier per iteration, and two sums.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_wide_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        const auto visit = [=](T value) { return distance(x, value); };
        x = advance(x, shflbench::smem_wide_double::sum_over_warp(x, now, next, visit));
    }
    result[thread()] = x;
}

// Four rows of the table of distances, and eight of its columns: five loads instead of eight, and three shuffles for the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_rows_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    const auto term = [](T mine, T value) { return distance(mine, value); };
    REPEAT(iterations) x = advance(x, shflbench::smem_rows_shfl::sum_over_warp(x, slots, term));
    result[thread()] = x;
}

// Two rows and sixteen columns: as many loads, and one shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_two_rows_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    const auto term = [](T mine, T value) { return distance(mine, value); };
    REPEAT(iterations) x = advance(x, shflbench::smem_two_rows_shfl::sum_over_warp(x, slots, term));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x, first = first_of_warp();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        T sum = 0;
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, T(slots[first + j])));
        x = advance(x, sum);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        shflbench::shfl::visit_warp(x, [&](T value) { sum = add(sum, distance(x, value)); });
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The warp keeps its values in global memory, where its result is stored at the end; the L1 cache holds them.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_global(const T* values, T* result, int iterations) {
    T* slots = result + thread() - lane();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = 0;
        shflbench::global::visit_warp(x, slots, [&](T value) { sum = add(sum, distance(x, value)); });
        x = advance(x, sum);
    }
    result[thread()] = x;
}
