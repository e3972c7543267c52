// guarded comparison at the end of a loop (inline PTX)
__global__ void k(int* out, int n) {
    __shared__ int s[1024];
    int tid = threadIdx.x;
    s[512 + ((tid + 32) & 255)] = 0;
    __syncthreads();
    int r = 0;
    asm volatile("{\n .reg .pred p, q, z;\n .reg .u32 b;\n mov.u32 %0, 0;\n setp.eq.u32 p, %0, 0;\nL0:\n shl.b32 b, %0, 10; add.u32 b, b, %1;\n st.shared.u32 [b], %0;\n add.s32 %0, %0, 1;\n setp.ge.s32 z, %0, 3;\n @z bra L1;\n setp.ge.s32 q, %0, %2;\n @q setp.lt.s32 p, %0, 1;\n @p bra L0;\nL1:\n }" : "+r"(r) : "r"((unsigned)__cvta_generic_to_shared(s + tid)), "r"(n) : "memory");
    __syncthreads();
    out[blockIdx.x * 256 + tid] = s[512 + ((tid + 32) & 255)];
}
int main() {
    int *out; cudaMalloc(&out, 16384 * 4);
    k<<<4, 256>>>(out, 1);
    cudaDeviceSynchronize();
}
