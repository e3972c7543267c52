// broken: RAW
// launch: 2x64

__device__ unsigned place(const void *shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void copy(int *target, const int *source) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place(target)), "l"(source) : "memory");
}

// The barrier of the block does not wait for copies.
__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    __shared__ unsigned long long counter;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(place(&counter)) : "memory");
    __syncthreads();
    copy(values + t, in + i);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place(&counter)) : "memory");
    __syncthreads();
    out[i] = values[63 - t];
}
