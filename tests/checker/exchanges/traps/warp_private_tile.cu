// launch: 1x128, args: n=5
__global__ void kernel(const float* in, float* out, int n) {
    __shared__ float tile[4][32][33];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    for (int k = 0; k < n; ++k) {
        for (int r = 0; r < 32; ++r) tile[w][r][lane] = in[(k * 4 + w) * 1024 + r * 32 + lane];
        __syncthreads();  // barrier: warp
        for (int r = 0; r < 32; ++r) out[(k * 4 + w) * 1024 + r * 32 + lane] = tile[w][lane][r];
        __syncthreads();  // barrier: warp
    }
}
