// Challengers of `scan`: inclusive sums of f32.
#include "predicate.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"
#include "zeros.cuh"

static_assert(!EXCLUSIVE);

// ---- Few warps: loads whose values are added in the order in which they arrive.
__device__ float in_order(const float* slots) {
    Wide<float> four[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) four[i] = wide_at(slots, -i);
    float sum = four[0].prefix_sum<false>();
#pragma unroll
    for (int i = 1; i < 8; ++i) sum = add(sum, four[i].sum());
    return sum;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_wide_order(const T* values, T* result, int iterations) {
    T *now = slots_above_zeros<T>(0), *next = slots_above_zeros<T>(1);
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        x = advance(x, in_order(now));
        swap(now, next);
    }
    result[thread()] = x;
}

// Groups of 16 lanes: four loads and one shuffle, in place of two loads and three shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_smem16_shfl(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    const int mine = lane() / 4 % 4;
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        const Wide<T> own = wide_at(now);
        T all = own.sum(), prefix = own.template prefix_sum<false>();
#pragma unroll
        for (int i = 1; i < 4; ++i) {
            const int other = (mine + i) % 4;
            const T sum = wide_at(now, other - mine).sum();
            all = add(all, sum);
            if (other < mine) prefix = add(prefix, sum);
        }
        const T below = shfl_up(all, 16);
        if (lane() >= 16) prefix = add(prefix, below);
        x = advance(x, prefix);
        swap(now, next);
    }
    result[thread()] = x;
}

// ---- Tensor cores. A float is the sum of three bfloat16, which their products with ones add in single precision. Lane 4 * g
// + t is lane t of four g.
struct Parts { unsigned packed, last; };
__device__ Parts parts_of(float x) {
    const unsigned bits = __float_as_uint(x);
    const float first = __uint_as_float(bits & 0xffff0000u), first_two = __uint_as_float(bits & 0xffffff00u);
    const float second = first_two - first, last = x - first_two;  // exact
    return {__byte_perm(bits, __float_as_uint(second), 0x7632), __float_as_uint(last)};
}

// As rows of A: one row per four lanes of their first two parts, another one of their last parts. Column 2 t of B has ones for
// the lanes up to t, so lane t gets their sum.
__device__ float prefix_in_four(Parts x, unsigned columns) {
    float sums[2], unused[2];
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
        : "=f"(sums[0]), "=f"(unused[0]), "=f"(sums[1]), "=f"(unused[1])
        : "r"(x.packed), "r"(x.last), "r"(columns), "f"(0.0f));
    return sums[0] + sums[1];
}
// As columns of B: lane t of each four gets the sums of the fours 2 t and 2 t + 1.
__device__ float2 sums_of_fours(Parts x) {
    float2 sums, same;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %6}, {%7, %7, %7, %7};"
        : "=f"(sums.x), "=f"(sums.y), "=f"(same.x), "=f"(same.y)
        : "r"(0x3f803f80u), "r"(x.packed), "r"(x.last), "f"(0.0f));
    return sums;
}
__device__ unsigned ones_up_to_own() {
    const int column = lane() / 4, row = lane() % 4;
    return row <= column / 2 ? 0x3f803f80u : 0u;
}
__device__ float scan_mma(float x, unsigned columns) {
    const int four = lane() / 4, first = lane() % 4 * 2;
    const Parts parts = parts_of(x);
    const float2 fours = sums_of_fours(parts);
    const float prefix = prefix_in_four(parts, columns);
    float below = first < four ? fours.x : 0.0f;
    if (first + 1 < four) below += fours.y;
    below += shfl_xor(below, 1);
    return prefix + (below + shfl_xor(below, 2));
}

__device__ void dmma(double2& sums, double a, double b, double2 c) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(sums.x), "=d"(sums.y)
                 : "d"(a), "d"(b), "d"(c.x), "d"(c.y));
}
__device__ double one_up_to_own() { return lane() % 4 <= lane() / 4 / 2 ? 1.0 : 0.0; }
// The same with f64, and the sum of the lower fours by a third product.
__device__ float scan_dmma(float single, double columns) {
    const int four = lane() / 4, first = lane() % 4 * 2;
    const double x = single;
    double2 prefix, fours;
    dmma(fours, 1.0, x, {0.0, 0.0});
    dmma(prefix, x, columns, {0.0, 0.0});
    double below = first < four ? fours.x : 0.0;
    if (first + 1 < four) below += fours.y;
    dmma(prefix, below, 1.0, prefix);
    return float(prefix.x);
}

__device__ float scan_shfl(float sum) {
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) sum = add_from_below(sum, distance);
    return sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_mma(const T* values, T* result, int iterations) {
    const unsigned columns = ones_up_to_own();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, scan_mma(x, columns));
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_scan_x_dmma(const T* values, T* result, int iterations) {
    const double columns = one_up_to_own();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, scan_dmma(x, columns));
    result[thread()] = x;
}

// In turn with shuffles, so that the units work at the same time for different warps. Half of the warps of a scheduler start
// with the other one.
#define MIXED(name, columns_of, scan) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_scan_##name(const T* values, T* result, int iterations) { \
        const auto columns = columns_of(); \
        T x = values[thread()]; \
        const int early = min(shfl(int(threadIdx.x / WARP / 4 % 2), 0), iterations); \
        _Pragma("unroll 1") for (int i = 0; i < early; ++i) x = advance(x, scan_shfl(x)); \
        REPEAT(iterations - early) x = advance(x, iteration % 2 == 1 ? scan_shfl(x) : scan(x, columns)); \
        result[thread()] = x; \
    }
MIXED(x_mma_or_shfl, ones_up_to_own, scan_mma)
MIXED(x_dmma_or_shfl, one_up_to_own, scan_dmma)
