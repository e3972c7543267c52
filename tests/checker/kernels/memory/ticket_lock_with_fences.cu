// sound
// launch: 3x32

__device__ unsigned counter, serving;

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        unsigned mine = atomicAdd(&counter, 1u);
        while (*(volatile unsigned *) &serving != mine) {
        }
        __threadfence();
        out[0] += in[g];
        __threadfence();
        *(volatile unsigned *) &serving = mine + 1;
    }
}
