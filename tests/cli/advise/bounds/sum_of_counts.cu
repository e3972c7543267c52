// a sum of two multiples of one counter, in a register that another loop advances
__global__ void k(int* out, int m) {
    __shared__ int s[2048];
    int tid = threadIdx.x, sum = 0;
    s[768 + ((tid + 32) & 255)] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        int* p = &s[tid | (i << 8)];
#pragma unroll 1
        for (int t = 0; t < m; t++) { p[i << 9] = t; p += 4096; }
    }
    __syncthreads();
    sum += s[768 + ((tid + 32) & 255)];
    out[blockIdx.x * 256 + tid] = sum;
}
int main() {
    int* out; cudaMalloc(&out, 4 * 256 * 4);
    k<<<4, 256>>>(out, 0);
    cudaDeviceSynchronize();
}
