// broken: RAW
// launch: 3x64

__device__ unsigned count;

// Only the store of thread 0 is fenced.
__global__ void k(const int *in, int *out, int *partial) {
    __shared__ bool last;
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    partial[g] = 2 * in[g];
    if (t == 0) __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&count, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += partial[i * blockDim.x + blockDim.x - 1 - t];
    out[t] = sum;
}
