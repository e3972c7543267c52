// two steps of one register in one line
__global__ void k(int* out, const int* flag) {
    __shared__ int s[1024];
    int tid = threadIdx.x, i = 0, sum = 0, r = 0;
    s[512 + ((tid + 32) & 255)] = 0;
    __syncthreads();
    asm volatile("{ .reg .pred p, q; .reg .u32 f, a, b; .reg .u64 g; mov.u32 %0, 0; mov.u32 %1, 0; mov.u64 g, %2; L0: shl.b32 b, %0, 2; add.u32 b, b, %3; st.shared.u32 [b], %1; ld.global.u32 f, [g]; setp.ne.u32 q, f, 0; @q bra L1; add.s32 %0, %0, 256; bra L2; L1: add.s32 %0, %0, 512; L2: add.s32 %1, %1, 1; setp.lt.s32 p, %1, 2; @p bra L0; }" : "+r"(i), "+r"(r) : "l"(flag), "r"((unsigned)__cvta_generic_to_shared(s + tid)) : "memory");
    __syncthreads();
    sum = s[512 + ((tid + 32) & 255)];
    out[blockIdx.x * 256 + tid] = sum;
}
int main() {
    int *out, *flag; cudaMalloc(&out, 16384 * 4); cudaMalloc(&flag, 64); cudaMemset(flag, 0, 64);
    k<<<4, 256>>>(out, flag);
    cudaDeviceSynchronize();
}
