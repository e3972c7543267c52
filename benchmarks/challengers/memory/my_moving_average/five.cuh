// Means of five floats around each one, of arrays whose addresses are multiples of 16 bytes.
#pragma once
#include "bulk.cuh"

__device__ inline float mean5(float a, float b, float c, float d, float e) { return (a + b + c + d + e) * 0.2f; }
__device__ inline bool has_a_mean(int i, int count) { return i > 1 && i < count - 2; }

__device__ inline void one_mean(const float* x, float* y, int i, int count) {
    if (i >= count) return;
    y[i] = has_a_mean(i, count) ? mean5(x[i - 2], x[i - 1], x[i], x[i + 1], x[i + 2]) : 0.0f;
}

// Asks for `elements` floats that this and the next AT_ONCE - 1 blocks load, AHEAD bytes further on.
template <int AT_ONCE>
__device__ void prefetch_later(const float* x, int of_block, int count) {
    constexpr int AHEAD = 8 << 20;
    if (threadIdx.x != 0 || blockIdx.x % AT_ONCE != 0) return;
    const int elements = AT_ONCE * of_block, later = blockIdx.x * of_block + AHEAD / int(sizeof(float));
    if (later + elements <= count) prefetch_bytes(x + later, elements * int(sizeof(float)));
}

struct Plain {
    __device__ float4 operator()(const float4* at) const { return *at; }
};
struct PastL1 {
    __device__ float4 operator()(const float4* at) const { return load_past_l1(at); }
};

// Four adjacent floats from `first` on, a multiple of 4, and two on either side.
struct Four {
    float v[8];
    int first;

    __device__ void own(float4 four) { v[2] = four.x, v[3] = four.y, v[4] = four.z, v[5] = four.w; }

    template <typename Read>
    __device__ void load(const float* x, int at, int count, Read read) {
        first = at;
        if (first >= 2 && first + 6 <= count) {
            own(read(reinterpret_cast<const float4*>(x + first)));
            const float2 before = *reinterpret_cast<const float2*>(x + first - 2);
            const float2 after = *reinterpret_cast<const float2*>(x + first + 4);
            v[0] = before.x, v[1] = before.y, v[6] = after.x, v[7] = after.y;
        } else {
#pragma unroll
            for (int j = 0; j < 8; ++j) v[j] = first - 2 + j >= 0 && first - 2 + j < count ? x[first - 2 + j] : 0.0f;
        }
    }
    // The same; what lies beside comes from the neighbor's registers, or from memory at the edges of the warp.
    __device__ void load_shfl(const float* x, int at, int count) {
        first = at;
        if (first + 4 <= count) own(*reinterpret_cast<const float4*>(x + first));
        else {
#pragma unroll
            for (int j = 0; j < 4; ++j) v[2 + j] = first + j < count ? x[first + j] : 0.0f;
        }
        const int edge = lane() == 0 ? first - 2 : first + 4;
        float a = 0, b = 0;
        if (lane() % (WARP - 1) == 0) {
            if (edge >= 0 && edge < count) a = x[edge];
            if (edge + 1 >= 0 && edge + 1 < count) b = x[edge + 1];
        }
        const float2 before = shfl_up(make_float2(v[4], v[5]), 1), after = shfl_down(make_float2(v[2], v[3]), 1);
        v[0] = lane() == 0 ? a : before.x, v[1] = lane() == 0 ? b : before.y;
        v[6] = lane() == WARP - 1 ? a : after.x, v[7] = lane() == WARP - 1 ? b : after.y;
    }
    __device__ float of(int j, int count) const {
        return has_a_mean(first + j, count) ? mean5(v[j], v[j + 1], v[j + 2], v[j + 3], v[j + 4]) : 0.0f;
    }
    template <bool STREAM = false>
    __device__ void store(float* y, int count) const {
        if (first + 4 <= count) {
            const float4 means = make_float4(of(0, count), of(1, count), of(2, count), of(3, count));
            if (STREAM) __stcs(reinterpret_cast<float4*>(y + first), means);
            else *reinterpret_cast<float4*>(y + first) = means;
        } else {
#pragma unroll
            for (int j = 0; j < 4; ++j) if (first + j < count) y[first + j] = of(j, count);
        }
    }
};

// N times four floats of a thread, blockDim.x fours apart; all are loaded first.
template <int N, bool SHFL, bool STREAM = false, typename Read = Plain>
__device__ void fours(const float* x, float* y, int count, Read read = Read()) {
    Four part[N];
    const int start = (blockIdx.x * N * blockDim.x + threadIdx.x) * 4;
#pragma unroll
    for (int n = 0; n < N; ++n) {
        const int first = start + n * int(blockDim.x) * 4;
        if (SHFL) part[n].load_shfl(x, first, count);
        else part[n].load(x, first, count, read);
    }
#pragma unroll
    for (int n = 0; n < N; ++n) part[n].template store<STREAM>(y, count);
}
