// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = in[0];
    __syncthreads();
    if (t == 0) atomicAdd(&count, 1);
    if (t == 32) atomicAdd(&count, 2);
    __syncthreads();
    if (t == 0) out[blockIdx.x] = count;
}
