// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int values[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&values[threadIdx.x]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[i] = values[63 - threadIdx.x];
}
