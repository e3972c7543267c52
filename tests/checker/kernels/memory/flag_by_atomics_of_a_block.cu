// broken: ATOMIC_RACE
// launch: 2x32
// cooperative

// The atomics concern one block only.
__device__ int data;
__device__ int flag;

__global__ void k(const int *in, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        data = in[0];
        __threadfence();
        atomicExch_block(&flag, 1);
    } else {
        while (atomicAdd_block(&flag, 0) == 0) {}
        __threadfence();
        out[0] = data;
    }
}
