// sound
// launch: 1x64

__device__ unsigned place(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void copy(int *target, const int *source) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place(target)), "l"(source) : "memory");
}

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    int t = threadIdx.x;
    copy(values + t, out + 64 + t);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[64 + t] = t;
    __syncthreads();
    out[t] = values[63 - t] + in[t];
}
