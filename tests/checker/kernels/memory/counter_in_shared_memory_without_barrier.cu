// broken: ATOMIC_RACE
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + threadIdx.x] % 2) atomicAdd(&count, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = count;
}
