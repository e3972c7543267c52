// Sound: measure.cu launches 1024 threads, which are SIDE * SIDE, and main.cu refuses numbers that name no kernel.
#include "transpose.h"

template <int SIDE>
__global__ void transpose_tile(int n, float *out, const float *in) {
    __shared__ float tile[SIDE * SIDE];
    int place = threadIdx.x;
    in += blockIdx.y * SIDE * n + blockIdx.x * SIDE;
    out += blockIdx.x * SIDE * n + blockIdx.y * SIDE;
    tile[place] = in[place / SIDE * n + place % SIDE];
    __syncthreads();
    out[place / SIDE * n + place % SIDE] = tile[place % SIDE * SIDE + place / SIDE];
}

template __global__ void transpose_tile<32>(int n, float *out, const float *in);
