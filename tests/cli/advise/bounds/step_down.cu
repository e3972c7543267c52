// 16 x 16 blocks; half of a warp per row, counter counts down, conditional step
__global__ void k(int* out, const int* flag) {
    __shared__ int s[64][16];
    int x = threadIdx.x, y = threadIdx.y, i = 48;
    s[(y + 2) & 15][x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int r = 2; r >= 0; r--) {
        if (flag[r]) { i -= 16; __threadfence_block(); out[2048 + blockIdx.x * 256 + y * 16 + x] = 1; }
        s[i + y][x] = r;
    }
    __syncthreads();
    out[blockIdx.x * 256 + y * 16 + x] = s[(y + 2) & 15][x];
}
int main() {
    int *out, *flag; cudaMalloc(&out, 16384 * 4); cudaMalloc(&flag, 64); cudaMemset(flag, 0, 64);
    k<<<4, dim3(16, 16)>>>(out, flag);
    cudaDeviceSynchronize();
}
