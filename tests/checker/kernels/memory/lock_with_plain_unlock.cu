// broken: ATOMIC_RACE
// launch: 2x64
// cooperative

__device__ int lock;
__device__ int total;

__global__ void k(const int *in, int *out) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        total += in[blockIdx.x];
        __threadfence();
        lock = 0;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
