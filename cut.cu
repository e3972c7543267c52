
extern "C" __global__ void row_sum(const float* in, float* out, int n) {
    __shared__ float warps[2];
    float sum = 0;
    for (int i = threadIdx.x; i < n - n % 2; i += blockDim.x) sum += in[blockIdx.x * n + i];
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = warps[0] + warps[1];
}
