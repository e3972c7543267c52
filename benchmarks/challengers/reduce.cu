// Challengers of `reduce`, for the sum of 32 lanes.
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

static_assert(WIDTH == WARP);

// ---- Few warps: loads that are added in the order in which they arrive.

// The sum of LOADS x 4 slots. After the last load, three additions are left, not the five of a balanced tree.
template <int LOADS, typename T>
__device__ T sum_in_order(const T* slots) {
    static_assert(sizeof(T) == 4);
    uint4 wide[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) wide[i] = reinterpret_cast<const uint4*>(slots)[i];
    T sum;
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
        T part[4];
        memcpy(part, &wide[i], sizeof part);
        const T four = add(add(part[0], part[1]), add(part[2], part[3]));
        sum = i == 0 ? four : add(sum, four);
    }
    return sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_wide_order(const T* values, T* result, int iterations) {
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        x = advance(x, sum_in_order<8>(now));
        swap(now, next);
    }
    result[thread()] = x;
}

// Each lane adds the 16 values of its half of the warp; one shuffle exchanges the halves.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce_x_smem16_shfl(const T* values, T* result, int iterations) {
    const int half = lane() / 16 * 16;
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        const T sum = sum_in_order<4>(now + half);
        x = advance(x, add(sum, shfl_xor(sum, 16)));
        swap(now, next);
    }
    result[thread()] = x;
}

// ---- f32: tensor cores. A float is the sum of three numbers of 8 bits, each of which is a bfloat16; a tensor core adds
// their products with ones in single precision or better. (Not for infinity: its difference to itself is no number.)

// Lane 4 * g + t gives column g, rows 2 t, 2 t + 1, 2 t + 8 and 2 t + 9 of B: the parts of its value and a zero. So each
// column of the product with ones is the sum of four lanes, and the lane gets those of columns 2 t and 2 t + 1: of 8 lanes.
__device__ float2 sums_of_fours(float x) {
    const unsigned ones = 0x3f803f80u;
    const unsigned bits = __float_as_uint(x);
    const float first = __uint_as_float(bits & 0xffff0000u), first_two = __uint_as_float(bits & 0xffffff00u);
    const float second = first_two - first, last = x - first_two;  // exact
    const unsigned packed = __byte_perm(bits, __float_as_uint(second), 0x7632);
    float2 sums, same;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %6}, {%7, %7, %7, %7};"
        : "=f"(sums.x), "=f"(sums.y), "=f"(same.x), "=f"(same.y)
        : "r"(ones), "r"(packed), "r"(__float_as_uint(last)), "f"(0.0f));
    return sums;
}
__device__ float sum_of_eights(float x) {
    const float2 sums = sums_of_fours(x);
    return sums.x + sums.y;
}

__device__ float sum_mma_shfl(float x) {
    float sum = sum_of_eights(x);  // of 8 lanes: other ones in each of four adjacent lanes
    sum += shfl_xor(sum, 1);
    return sum + shfl_xor(sum, 2);
}
// With few warps: three shuffles that do not wait for one another.
__device__ float sum_mma_shfl3(float x) {
    const float sum = sum_of_eights(x);
    const float second = shfl_xor(sum, 1), third = shfl_xor(sum, 2), fourth = shfl_xor(sum, 3);
    return (sum + second) + (third + fourth);
}
// The second product adds the sums of 8 of four adjacent lanes.
__device__ float sum_mma_mma(float x) { return sums_of_fours(sum_of_eights(x)).x; }

// ---- f32: tensor cores with f64, in which no part is lost.
__device__ double2 dmma(double x) {
    double2 sums;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %4};"
                 : "=d"(sums.x), "=d"(sums.y)
                 : "d"(1.0), "d"(x), "d"(0.0));
    return sums;
}
__device__ float sum_dmma(float x) {
    const double2 sums = dmma(double(x));
    return float(dmma(sums.x + sums.y).x);
}

__device__ float sum_butterfly(float sum) {
#pragma unroll
    for (int distance = WARP / 2; distance > 0; distance /= 2) sum += shfl_xor(sum, distance);
    return sum;
}

#define F32(name, expression) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_reduce_##name(const T* values, T* result, int iterations) { \
        T x = values[thread()]; \
        REPEAT(iterations) x = advance(x, expression); \
        result[thread()] = x; \
    }
F32(x_mma_shfl, sum_mma_shfl(x))
F32(x_mma_shfl3, sum_mma_shfl3(x))
F32(x_mma_mma, sum_mma_mma(x))
F32(x_dmma, sum_dmma(x))

// In turn, so that the units work at the same time for different warps: one of PERIOD sums by other means. The warps of a
// scheduler start at different places of the period.
#define MIXED(name, PERIOD, usual, special) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_reduce_##name(const T* values, T* result, int iterations) { \
        T x = values[thread()]; \
        const int early = min(shfl(int((threadIdx.x / WARP / 4) % PERIOD), 0), iterations); \
        _Pragma("unroll 1") for (int i = 0; i < early; ++i) x = advance(x, usual(x)); \
        REPEAT(iterations - early) x = advance(x, iteration % PERIOD == PERIOD - 1 ? special(x) : usual(x)); \
        result[thread()] = x; \
    }
MIXED(x_dmma_or_shfl, 2, sum_butterfly, sum_dmma)
MIXED(x_dmma_or_mma, 2, sum_mma_shfl, sum_dmma)
MIXED(x_mma_or_shfl, 2, sum_mma_shfl, sum_butterfly)
