// Challengers of `broadcast-work`: other assignments of the 32 x 32 distances to lanes, so that a lane loads fewer values.
#include "shflbench.cuh"
#include "work.cuh"

// Adds the distances of `values` from each of `rows`.
template <int ROWS, typename T>
__device__ inline void add_distances(T (&sums)[ROWS], const T (&rows)[ROWS], const Wide<T>& wide, bool first) {
#pragma unroll
    for (int j = 0; j < Wide<T>::COUNT; ++j) {
#pragma unroll
        for (int row = 0; row < ROWS; ++row) {
            const T apart = distance(rows[row], wide.values[j]);
            sums[row] = first && j == 0 ? apart : add(sums[row], apart);
        }
    }
}

// Two rows, of lanes l and l ^ 16, and half of the values: half as many loads, two shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_two_rows(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* half = reinterpret_cast<const Wide<T>*>(slots + first_of_warp() + lane() / 16 * 16);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        const T rows[2] = {x, __shfl_xor_sync(FULL_WARP, x, 16)};
        __syncwarp();
        T sums[2];
#pragma unroll
        for (int i = 0; i < 16 / Wide<T>::COUNT; ++i) add_distances(sums, rows, half[i], i == 0);
        __syncwarp();
        x = advance(x, add(sums[0], __shfl_xor_sync(FULL_WARP, sums[1], 16)));
    }
    result[thread()] = x;
}

// The same without shuffles before the sums: the second row comes from shared memory, too.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_two_rows_loaded(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* half = reinterpret_cast<const Wide<T>*>(slots + first_of_warp() + lane() / 16 * 16);
    const T* partner = slots + (threadIdx.x ^ 16);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        const T rows[2] = {x, *partner};
        T sums[2];
#pragma unroll
        for (int i = 0; i < 16 / Wide<T>::COUNT; ++i) add_distances(sums, rows, half[i], i == 0);
        __syncwarp();
        x = advance(x, add(sums[0], __shfl_xor_sync(FULL_WARP, sums[1], 16)));
    }
    result[thread()] = x;
}

// Four rows, of lanes that differ in bits 3 and 4, and the eight values of the lane's own group of eight: two loads of values,
// three of rows, and three shuffles to collect the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_four_rows(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* group = reinterpret_cast<const Wide<T>*>(slots + first_of_warp() + lane() / 8 * 8);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        const T rows[4] = {x, slots[threadIdx.x ^ 8], slots[threadIdx.x ^ 16], slots[threadIdx.x ^ 24]};
        T sums[4];
#pragma unroll
        for (int i = 0; i < 8 / Wide<T>::COUNT; ++i) add_distances(sums, rows, group[i], i == 0);
        __syncwarp();
        const T a = add(sums[0], __shfl_xor_sync(FULL_WARP, sums[1], 8));
        const T b = add(__shfl_xor_sync(FULL_WARP, sums[2], 16), __shfl_xor_sync(FULL_WARP, sums[3], 24));
        x = advance(x, add(a, b));
    }
    result[thread()] = x;
}

// Eight rows and four values: one load of values, two of rows; sums are collected through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_eight_rows(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* four = reinterpret_cast<const Wide<T>*>(slots + first_of_warp() + lane() / 4 * 4);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        T rows[8], sums[8];
        rows[0] = x;
#pragma unroll
        for (int i = 1; i < 8; ++i) rows[i] = slots[threadIdx.x ^ 4 * i];
        add_distances(sums, rows, four[0], true);
        __syncwarp();
#pragma unroll
        for (int i = 1; i < 8; ++i) sums[i] = __shfl_xor_sync(FULL_WARP, sums[i], 4 * i);
        x = advance(x, add(add(add(sums[0], sums[1]), add(sums[2], sums[3])), add(add(sums[4], sums[5]), add(sums[6], sums[7]))));
    }
    result[thread()] = x;
}

// Two arrays in turn: no barrier between the loads and the next stores. Two sums.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_double_sums(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        const auto* wide_slots = reinterpret_cast<const Wide<T>*>(now);
        T even, odd;
#pragma unroll
        for (int i = 0; i < WARP / Wide<T>::COUNT; ++i) {
            const Wide<T> wide = wide_slots[i];
#pragma unroll
            for (int j = 0; j < Wide<T>::COUNT; j += 2) {
                const T a = distance(x, wide.values[j]), b = distance(x, wide.values[j + 1]);
                even = i + j == 0 ? a : add(even, a);
                odd = i + j == 0 ? b : add(odd, b);
            }
        }
        swap(now, next);
        x = advance(x, add(even, odd));
    }
    result[thread()] = x;
}

// |x - a| + |x - b| is the larger one of |2x - (a + b)| and |a - b|. Pairs of lanes store a + b and a - b: three operations for
// two values, one of them by units that do not add. f32 only.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_pairs(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* wide_slots = reinterpret_cast<const Wide<T>*>(slots + first_of_warp());
    const T sign = lane() % 2 ? T(-1) : T(1);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = __shfl_xor_sync(FULL_WARP, x, 1) + x * sign;
        __syncwarp();
        const T twice = x + x;
        T sums[2];
#pragma unroll
        for (int i = 0; i < WARP / 4; ++i) {
            const Wide<T> wide = wide_slots[i];
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                const T both = fmaxf(fabsf(twice - wide.values[2 * j]), fabsf(wide.values[2 * j + 1]));
                sums[j] = i == 0 ? both : sums[j] + both;
            }
        }
        __syncwarp();
        x = advance(x, sums[0] + sums[1]);
    }
    result[thread()] = x;
}

// The same with two rows and half of the pairs per lane.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_work_x_pairs_two_rows(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const auto* half = reinterpret_cast<const Wide<T>*>(slots + first_of_warp() + lane() / 16 * 16);
    const T sign = lane() % 2 ? T(-1) : T(1);
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = __shfl_xor_sync(FULL_WARP, x, 1) + x * sign;
        const T other = __shfl_xor_sync(FULL_WARP, x, 16);
        __syncwarp();
        const T twice[2] = {x + x, other + other};
        T sums[2];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const Wide<T> wide = half[i];
#pragma unroll
            for (int j = 0; j < 2; ++j) {
#pragma unroll
                for (int row = 0; row < 2; ++row) {
                    const T both = fmaxf(fabsf(twice[row] - wide.values[2 * j]), fabsf(wide.values[2 * j + 1]));
                    sums[row] = i + j == 0 ? both : sums[row] + both;
                }
            }
        }
        __syncwarp();
        x = advance(x, sums[0] + __shfl_xor_sync(FULL_WARP, sums[1], 16));
    }
    result[thread()] = x;
}
