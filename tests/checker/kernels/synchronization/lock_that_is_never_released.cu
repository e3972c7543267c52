// broken: ENDLESS
// launch: 1x32
// hangs

__device__ int lock;

__global__ void k(const int *in, int *out) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    out[threadIdx.x] = in[threadIdx.x];
}
