// launch: 1x128, shared=1024
__global__ void kernel(const int* in, int* out) {
    extern __shared__ int memory[];
    int *a = memory, *b = memory + 128;
    int t = threadIdx.x;
    a[t] = in[t];
    __syncthreads();  // barrier: nothing
    b[t] = a[t] + 1;
    __syncthreads();  // barrier: warp
    out[t] = b[t ^ 3];
}
