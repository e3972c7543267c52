// sound
// launch: 3x64

__device__ unsigned count;

__global__ void k(const int *in, int *out, volatile int *partial) {
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        partial[blockIdx.x] = in[blockIdx.x * blockDim.x] + in[blockIdx.x * blockDim.x + 1];
        __threadfence();
        last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += partial[i];
        out[0] = sum;
    }
}
