// sound
// launch: 3x64

__device__ int flags[3];

// Each block waits for the one after it, which a GPU may start later.
__global__ void k(const int *in, int *out) {
    int b = blockIdx.x, t = threadIdx.x;
    if (t == 0 && b + 1 < gridDim.x) {
        while (atomicAdd(&flags[b + 1], 0) == 0) {}
        __threadfence();
    }
    __syncthreads();
    int before = b + 1 < gridDim.x ? out[64 * (b + 1) + t] : 0;
    out[64 * b + t] = before + in[64 * b + t];
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(&flags[b], 1);
}
