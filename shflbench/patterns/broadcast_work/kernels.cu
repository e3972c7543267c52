// Every lane processes every value of its warp: it sums up their distances from its own.
#include "shflbench.cuh"
#include "work.cuh"

// Two barriers: the first between the slots' write and their reads, the second between those reads and the
// slots' next write. `volatile` keeps one load per value: otherwise the compiler would merge four neighbors.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x, first = first_of_warp();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncthreads();
        T sum = 0;
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, T(slots[first + j])));
        __syncthreads();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_syncwarp(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x, first = first_of_warp();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        T sum = 0;
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, T(slots[first + j])));
        __syncwarp();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// All lanes need the same values in the same order, so a load may take 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* wide_slots = reinterpret_cast<const Wide<T>*>(slots + first_of_warp());
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        T sum = 0;
        for (int i = 0; i < WARP / Wide<T>::COUNT; ++i) {
            const Wide<T> wide = wide_slots[i];
            for (int j = 0; j < Wide<T>::COUNT; ++j) sum = add(sum, distance(x, wide.values[j]));
        }
        __syncwarp();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Four sums: an addition waits only for the one before the last three.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_smem_wide_sums(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* wide_slots = reinterpret_cast<const Wide<T>*>(slots + first_of_warp());
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        T sums[4];
        for (int i = 0; i < WARP / Wide<T>::COUNT; ++i) {
            const Wide<T> wide = wide_slots[i];
            for (int j = 0; j < Wide<T>::COUNT; ++j) {
                const int place = i * Wide<T>::COUNT + j;
                const T apart = distance(x, wide.values[j]);
                sums[place % 4] = place < 4 ? apart : add(sums[place % 4], apart);
            }
        }
        __syncwarp();
        x = advance(x, add(add(sums[0], sums[1]), add(sums[2], sums[3])));
    }
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
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, __shfl_sync(FULL_WARP, x, j)));
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// The warp keeps its values in global memory, where its result is stored at the end; the L1 cache holds them.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_work_global(const T* values, T* result, int iterations) {
    T* slots = result + thread() - lane();
    const int mine = lane();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        T sum = 0;
        for (int j = 0; j < WARP; ++j) sum = add(sum, distance(x, slots[j]));
        __syncwarp();
        x = advance(x, sum);
    }
    slots[mine] = x;
}
