// the inner loop's condition compares a counter that starts outside of the outer loop
__global__ void k(int* out, int n) {
    __shared__ int s[1024];
    int tid = threadIdx.x, sum = 0;
    unsigned j = 0;
    s[256 + ((tid + 32) & 255)] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("{\n .reg .pred p;\n .reg .u32 t, b;\n mov.u32 t, 0;\n$Lin:\n shl.b32 b, t, 10;\n add.u32 b, b, %1;\n st.shared.u32 [b], t;\n add.u32 %0, %0, 1;\n add.u32 t, t, 1;\n setp.eq.u32 p, %0, 5;\n @p bra $Lin;\n}" : "+r"(j) : "r"((unsigned)__cvta_generic_to_shared(s + tid)) : "memory");
        __syncthreads();
        sum += s[256 + ((tid + 32) & 255)];
        __syncthreads();
    }
    out[blockIdx.x * 256 + tid] = sum;
}
int main() {
    int* out; cudaMalloc(&out, 4 * 256 * 4);
    k<<<4, 256>>>(out, 3);
    cudaDeviceSynchronize();
}
