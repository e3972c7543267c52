// broken: ATOMIC_RACE
// launch: 3x64

__device__ unsigned counter;

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        atomicAdd(&counter, 1);
        if (blockIdx.x == 0) {
            while (*(volatile unsigned *) &counter != gridDim.x) {
            }
            out[0] = in[0];
        }
    } else if (g == 1) {
        counter = 0;
    }
}
