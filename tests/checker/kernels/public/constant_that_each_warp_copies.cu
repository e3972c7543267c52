// broken: UNFINISHED_COPY
// launch: 2x64
// After deepseek-ai/DeepGEMM, smxx_clean_logits.cuh.
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// One lane of each warp copies the constant to two places, and nothing waits before the block ends.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int s[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        s[lane] = in[0];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (lane == 0) {
        for (int i = 0; i < 2; i++) {
            int *to = out + ((blockIdx.x * 2 + warp) * 2 + i) * 32;
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(to), "r"(place(s)) : "memory");
        }
    }
}
