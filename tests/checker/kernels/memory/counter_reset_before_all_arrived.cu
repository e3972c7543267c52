// broken: ATOMIC_RACE
// launch: 3x64
// cooperative

__device__ unsigned count;

// Block 2 waits for one other block, and not for both.
__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd(&count, 1);
        if (blockIdx.x == 2) {
            while (*(volatile unsigned *)&count < gridDim.x - 1);
            count = 0;
            out[0] = in[0];
        }
    }
}
