// Challengers of: each lane sums the distances between its own value and all values of its warp.
#include "loads.cuh"
#include "work.cuh"
#include "shflbench.cuh"

#define KERNEL(name, ...) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_broadcast_work_##name(const T* values, T* result, int iterations) { \
        T *now = shared<T>(), *next = now + blockDim.x; \
        T x = values[thread()]; \
        REPEAT(iterations) { __VA_ARGS__ } \
        result[thread()] = x; \
    }
// ---- published ----
template <typename T>
__device__ T wide(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const Quad<T>* q = reinterpret_cast<const Quad<T>*>(slots + threadIdx.x / 32 * 32);
    T sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 4; ++k) sum = add(sum, distance(x, q[i].v[k]));
    __syncwarp();
    return sum;
}
KERNEL(smem_wide, x = advance(x, wide(x, now));)
template <typename T>
__device__ T wide_sums(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const Quad<T>* q = reinterpret_cast<const Quad<T>*>(slots + threadIdx.x / 32 * 32);
    T sums[4];
#pragma unroll
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 4; ++k) sums[k] = i == 0 ? distance(x, q[i].v[k]) : add(sums[k], distance(x, q[i].v[k]));
    __syncwarp();
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
}
KERNEL(smem_wide_sums, x = advance(x, wide_sums(x, now));)
template <typename T>
__device__ T rows_shfl(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T rows[4] = {x, slots[threadIdx.x ^ 8], slots[threadIdx.x ^ 16], slots[threadIdx.x ^ 24]};
    const Quad<T>* group = reinterpret_cast<const Quad<T>*>(slots + threadIdx.x / 8 * 8);
    T sums[4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 4; ++k)
            for (int row = 0; row < 4; ++row) {
                const T term = distance(rows[row], group[i].v[k]);
                sums[row] = i == 0 && k == 0 ? term : add(sums[row], term);
            }
    __syncwarp();
    for (int row = 1; row < 4; ++row) sums[row] = __shfl_xor_sync(FULL_WARP, sums[row], 8 * row);
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
}
KERNEL(smem_rows_shfl, x = advance(x, rows_shfl(x, now));)

// ---- challengers ----
// Two rows of the table, sixteen of its columns. First the other lane's row, then its shuffle, and the own row while it is on its way.
template <int SUMS, typename T>
__device__ T two_rows(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T other = load1(slots + (threadIdx.x ^ 16));
    const T* first = slots + threadIdx.x / 16 * 16;
    const Quad<T> q[4] = {load4(first), load4(first + 4), load4(first + 8), load4(first + 12)};
    T sums[SUMS], own[SUMS];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const T term = distance(other, q[i / 4].v[i % 4]);
        sums[i % SUMS] = i < SUMS ? term : add(sums[i % SUMS], term);
    }
    for (int i = 1; i < SUMS; ++i) sums[0] = add(sums[0], sums[i]);
    T got;
    if constexpr (T(1) / T(2) != T(0)) asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, 0xffffffff;" : "=f"(got) : "f"(sums[0]));
    else asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 31, 0xffffffff;" : "=r"(got) : "r"(sums[0]));
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const T term = distance(x, q[i / 4].v[i % 4]);
        own[i % SUMS] = i < SUMS ? term : add(own[i % SUMS], term);
    }
    for (int i = 1; i < SUMS; ++i) own[0] = add(own[0], own[i]);
    return add(own[0], got);
}
KERNEL(x_two_rows2, x = advance(x, two_rows<2>(x, now)); swap(now, next);)
KERNEL(x_two_rows4, x = advance(x, two_rows<4>(x, now)); swap(now, next);)
KERNEL(x_two_rows_one, x = advance(x, two_rows<2>(x, now)); __syncwarp();)

// Four rows as smem-rows-shfl, the three rows of others first; two buffers.
template <typename T>
__device__ T four_rows(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T* first = slots + threadIdx.x / 8 * 8;
    const T rows[3] = {load1(slots + (threadIdx.x ^ 8)), load1(slots + (threadIdx.x ^ 16)), load1(slots + (threadIdx.x ^ 24))};
    const Quad<T> q[2] = {load4(first), load4(first + 4)};
    T got[3];
#pragma unroll
    for (int row = 0; row < 3; ++row) {
        T a = distance(rows[row], q[0].v[0]), b = distance(rows[row], q[0].v[1]);
        for (int i = 2; i < 8; i += 2) {
            a = add(a, distance(rows[row], q[i / 4].v[i % 4]));
            b = add(b, distance(rows[row], q[i / 4].v[i % 4 + 1]));
        }
        got[row] = __shfl_xor_sync(FULL_WARP, add(a, b), 8 * (row + 1));
    }
    T a = distance(x, q[0].v[0]), b = distance(x, q[0].v[1]);
    for (int i = 2; i < 8; i += 2) {
        a = add(a, distance(x, q[i / 4].v[i % 4]));
        b = add(b, distance(x, q[i / 4].v[i % 4 + 1]));
    }
    return add(add(add(add(a, b), got[0]), got[1]), got[2]);
}
KERNEL(x_four_rows_double, x = advance(x, four_rows(x, now)); swap(now, next);)
// As smem-wide and smem-wide-sums with two buffers and one barrier; the own row starts with two sums.
template <int SUMS, typename T>
__device__ T wide_double(T x, T* slots) {
    slots[threadIdx.x] = x;
    __syncwarp();
    const T* first = slots + threadIdx.x / 32 * 32;
    T sums[SUMS];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const Quad<T> q = load4(first + 4 * i);
        for (int k = 0; k < 4; ++k) {
            const int place = 4 * i + k;
            const T term = distance(x, q.v[k]);
            sums[place % SUMS] = place < SUMS ? term : add(sums[place % SUMS], term);
        }
    }
    for (int i = 1; i < SUMS; ++i) sums[0] = add(sums[0], sums[i]);
    return sums[0];
}
KERNEL(x_wide_double2, x = advance(x, wide_double<2>(x, now)); swap(now, next);)
KERNEL(x_wide_double3, x = advance(x, wide_double<3>(x, now)); swap(now, next);)

// Two buffers whose offset one XOR changes, in place of two pointers that change places.
#define TOGGLED(name, sum) \
    template <typename T> __global__ void LAUNCH_BOUNDS my_broadcast_work_##name(const T* values, T* result, int iterations) { \
        int offset = 0; \
        const int other_buffer = blockDim.x; \
        T x = values[thread()]; \
        REPEAT(iterations) { T* const now = shared<T>() + offset; x = advance(x, sum); offset ^= other_buffer; } \
        result[thread()] = x; \
    }
TOGGLED(x_two_rows_xor, two_rows<2>(x, now))
TOGGLED(x_four_rows_xor, four_rows(x, now))
TOGGLED(x_wide_xor, wide_double<4>(x, now))
KERNEL(x_two_rows_one4, x = advance(x, two_rows<4>(x, now)); __syncwarp();)
KERNEL(x_four_rows_one, x = advance(x, four_rows(x, now)); __syncwarp();)
