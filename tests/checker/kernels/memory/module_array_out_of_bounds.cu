// broken: OUT_OF_BOUNDS
// launch: 1x64

__device__ int table[64];

__global__ void k(const int *in, int *out) {
    table[threadIdx.x + 1] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = table[64 - threadIdx.x];
}
