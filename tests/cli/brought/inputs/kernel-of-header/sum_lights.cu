// clean: the kernel of the header is launched with one thread.
#include "darken.h"

__global__ void sum_lights(float *sum, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

void run_sum_lights(float *sum, const float *in, int n) {
    darken<<<1, 1>>>(sum);
    sum_lights<<<(n + 255) / 256, 256>>>(sum, in, n);
}
