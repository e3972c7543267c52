// Challengers of `broadcast`: one value.
#include "broadcast.cuh"
#include "shflbench.cuh"

static_assert(VALUES == 1);

template <typename T>
__device__ unsigned bits_of(T x) {
    static_assert(sizeof(T) == 4);
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// A shuffle takes the number of the source modulo 32, so the kernel need not: three instructions per iteration, not four.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_x_shfl_modulo(const T* numbers, const int* sources, T* result, int iterations) {
    unsigned source = first_source(sources);
    T x = numbers[thread()];
    REPEAT(iterations) x = mix(x, shfl(x, source++));
    result[thread()] = x;
}

// The bitwise or of the source's value and zeros.
template <typename T>
__device__ T broadcast_redux(T x, unsigned source) {
    const bool is_source = ((source ^ lane()) & (WARP - 1)) == 0;
    const unsigned bits = __reduce_or_sync(FULL_WARP, is_source ? bits_of(x) : 0u);
    memcpy(&x, &bits, sizeof x);
    return x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_x_redux(const T* numbers, const int* sources, T* result, int iterations) {
    unsigned source = first_source(sources);
    T x = numbers[thread()];
    REPEAT(iterations) x = mix(x, broadcast_redux(x, source++));
    result[thread()] = x;
}

// One of PERIOD by REDUX, which has a unit of its own. The warps of a scheduler start at different places.
template <int PERIOD, typename T>
__device__ void shfl_or_redux(const T* numbers, const int* sources, T* result, int iterations) {
    unsigned source = first_source(sources);
    T x = numbers[thread()];
    const int early = min(shfl(int((threadIdx.x / WARP / 4) % PERIOD), 0), iterations);
#pragma unroll 1
    for (int i = 0; i < early; ++i) x = mix(x, shfl(x, source++));
    REPEAT(iterations - early) {
        x = mix(x, iteration % PERIOD == PERIOD - 1 ? broadcast_redux(x, source) : shfl(x, source));
        ++source;
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_x_shfl_or_redux(const T* numbers, const int* sources, T* result, int iterations) {
    shfl_or_redux<8>(numbers, sources, result, iterations);
}

// One barrier per iteration, by two buffers. Each lane stores, so that no lane has to know whether it is the source.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_x_smem_all(const T* numbers, const int* sources, T* result, int iterations) {
    unsigned source = first_source(sources);
    T *now = shared<T>() + first_of_warp(), *next = now + blockDim.x;
    T x = numbers[thread()];
    REPEAT(iterations) {
        now[lane()] = x;
        __syncwarp();
        x = mix(x, now[source++ % WARP]);
        swap(now, next);
    }
    result[thread()] = x;
}

// Only the source stores; whether a lane is the next source is known before it is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS my_broadcast_x_smem_double(const T* numbers, const int* sources, T* result, int iterations) {
    unsigned source = first_source(sources);
    T *now = shared<T>() + threadIdx.x / WARP, *next = now + blockDim.x / WARP;
    T x = numbers[thread()];
    bool is_source = ((source ^ lane()) & (WARP - 1)) == 0;
    REPEAT(iterations) {
        if (is_source) *now = x;
        __syncwarp();
        ++source;
        is_source = ((source ^ lane()) & (WARP - 1)) == 0;
        x = mix(x, *now);
        swap(now, next);
    }
    result[thread()] = x;
}
