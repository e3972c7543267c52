// missing barrier; conditional step that is read behind it
__global__ void k(int* out, const int* flag) {
    __shared__ int s[1024];
    int tid = threadIdx.x, i = 0;
    s[768 + ((tid + 32) & 255)] = 0;
#pragma unroll 1
    for (int r = 0; r < 3; r++) {
        if (flag[r]) { i += 256; __threadfence_block(); out[2048 + blockIdx.x * 256 + tid] = 1; }
        s[tid + i] = r;
    }
    out[blockIdx.x * 256 + tid] = s[tid ^ 1] + s[768 + ((tid + 32) & 255)];
}
int main() {
    int *out, *flag; cudaMalloc(&out, 16384 * 4); cudaMalloc(&flag, 64); cudaMemset(flag, 0, 64);
    k<<<4, 256>>>(out, flag);
    cudaDeviceSynchronize();
}
