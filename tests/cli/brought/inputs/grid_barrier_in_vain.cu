// Right: broken. Block 1 has one step more than block 0, and waits for it at the barrier of the grid.
#include <cuda_runtime.h>

__device__ unsigned arrived;

__device__ void sync_grid(int barrier) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < (barrier + 1) * gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void steps_of_segments(const float *in, float *out) {
    int i = blockIdx.x * 64 + threadIdx.x, steps = 2 + blockIdx.x;
    float sum = 0;
    for (int step = 0; step < steps; step++) {
        sum += in[step * 128 + i];
        out[step * 128 + i] = sum;
        sync_grid(step);
    }
}

int main() {
    float *in, *out;
    cudaMalloc(&in, 3 * 128 * sizeof(float));
    cudaMalloc(&out, 3 * 128 * sizeof(float));
    steps_of_segments<<<2, 64>>>(in, out);
    cudaDeviceSynchronize();
}
