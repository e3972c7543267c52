// broken: ATOMIC_RACE
// launch: 3x64

__device__ unsigned counter;

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    __shared__ bool last;
    if (t == 0) {
        ((volatile int *) out)[1 + blockIdx.x] = in[g];
        __threadfence();
        last = atomicInc(&counter, gridDim.x) == 0;
    }
    __syncthreads();
    if (last && t == 63) {
        counter = 0;
    }
}
