// Challengers of `row-norm`: RMSNorm of rows of 64 floats. Fewer bytes per thread, other exchanges. `rows`: of the launch.
#include "bulk.cuh"

static_assert(OPTION_LENGTH == 64);
constexpr int LENGTH = 64;
constexpr float EPSILON = 1e-5f;

__device__ inline float squares(float4 v) { return (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w); }
__device__ inline float scale_of(float sum) { return __fsqrt_rn(__fdiv_rn(LENGTH, __fadd_rn(sum, LENGTH * EPSILON))); }
__device__ inline void store4(float* to, float4 x) {
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(to), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w) : "memory");
}
__device__ inline float4 scaled(float4 v, float scale, float4 w) {
    return make_float4(__fmul_rn(__fmul_rn(v.x, scale), w.x), __fmul_rn(__fmul_rn(v.y, scale), w.y),
                       __fmul_rn(__fmul_rn(v.z, scale), w.z), __fmul_rn(__fmul_rn(v.w, scale), w.w));
}
__device__ inline float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ inline float4 load_once(const float* from) { return __ldcs(reinterpret_cast<const float4*>(from)); }

// A butterfly over THREADS adjacent lanes.
template <int THREADS>
__device__ float sum_shfl(float x) {
#pragma unroll
    for (int distance = THREADS / 2; distance > 0; distance /= 2) x += shfl_xor(x, distance);
    return x;
}
// The same sum of 16 lanes: one store, wide loads.
__device__ inline float sum_smem16(float x) {
    float* slots = shared<float>() + threadIdx.x;
    *slots = x;
    __syncwarp();
    const float* of_row = shared<float>() + threadIdx.x / 16 * 16;
    const float4 a = load4(of_row), b = load4(of_row + 4), c = load4(of_row + 8), d = load4(of_row + 12);
    return (((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w))) +
           (((c.x + c.y) + (c.z + c.w)) + ((d.x + d.y) + (d.z + d.w)));
}
// One store, two wide loads, one shuffle.
__device__ inline float sum_smem8(float x) {
    float* slots = shared<float>() + threadIdx.x;
    *slots = x;
    __syncwarp();
    const float* of_half = shared<float>() + threadIdx.x / 8 * 8;
    const float4 a = load4(of_half), b = load4(of_half + 4);
    const float sum = ((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w));
    return sum + shfl_xor(sum, 8);
}

// 16 lanes share a row, and a thread has 16 bytes.
template <typename SumUp>
__device__ void one(const float* x, const float* weight, float* y, int rows, SumUp sum_up) {
    const size_t place = size_t(thread()) * 4;
    const bool has_row = thread() / 16 < rows;
    float4 v = make_float4(0, 0, 0, 0);
    if (has_row) v = load_once(x + place);
    const float4 w = load4(weight + threadIdx.x % 16 * 4);
    const float scale = scale_of(sum_up(squares(v)));
    if (has_row) store4(y + place, scaled(v, scale, w));
}
#define ONE(name, bounds, sum_up) \
    template <typename T> \
    __global__ void __launch_bounds__ bounds my_row_norm_##name(const T* x, const T* weight, T* y, int rows) { \
        one(x, weight, y, rows, [](float of_lane) { return sum_up(of_lane); }); \
    }
ONE(x_one, (256, 8), sum_shfl<16>)
ONE(x_one512, (512, 4), sum_shfl<16>)
ONE(x_one_smem, (256, 8), sum_smem16)
ONE(x_one_smem8, (512, 4), sum_smem8)
ONE(x_one128, (128, 16), sum_shfl<16>)

// 8 lanes share a row, and a thread has twice 16 bytes of it: three shuffles.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_row_norm_x_octet2(const T* x, const T* weight, T* y, int rows) {
    const int row = thread() / 8, column = threadIdx.x % 8 * 4;
    const size_t place = size_t(row) * LENGTH + column;
    float4 a = make_float4(0, 0, 0, 0), b = a;
    if (row < rows) a = load_once(x + place), b = load_once(x + place + 32);
    const float4 wa = load4(weight + column), wb = load4(weight + column + 32);
    const float scale = scale_of(sum_shfl<8>(squares(a) + squares(b)));
    if (row >= rows) return;
    store4(y + place, scaled(a, scale, wa));
    store4(y + place + 32, scaled(b, scale, wb));
}

// 16 lanes have two rows; in the first step a lane passes on the sum of one. Four shuffles, and two for the factors.
template <typename T>
__global__ void __launch_bounds__(256, 8) my_row_norm_x_halving2(const T* x, const T* weight, T* y, int rows) {
    const int first = thread() / WARP * 4 + lane() / 16, column = threadIdx.x % 16 * 4;  // and the row first + 2
    const size_t place = size_t(first) * LENGTH + column;
    float4 a = make_float4(0, 0, 0, 0), b = a;
    if (first < rows) a = load_once(x + place);
    if (first + 2 < rows) b = load_once(x + place + 2 * LENGTH);
    const float4 w = load4(weight + column);
    const bool upper = lane() & 8;
    const float of_a = squares(a), of_b = squares(b);
    const float sum = (upper ? of_b : of_a) + shfl_xor(upper ? of_a : of_b, 8);
    const float scale = scale_of(sum_shfl<8>(sum));
    const float scale_a = __shfl_sync(FULL_WARP, scale, 0, 16), scale_b = __shfl_sync(FULL_WARP, scale, 8, 16);
    if (first < rows) store4(y + place, scaled(a, scale_a, w));
    if (first + 2 < rows) store4(y + place + 2 * LENGTH, scaled(b, scale_b, w));
}
