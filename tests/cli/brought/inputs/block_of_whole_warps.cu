// Sound: blocks have whole warps, and threads beyond the tokens count for nothing.
__inline__ __device__ float sum_of_warp(float value) {
    for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(0xffffffff, value, mask);
    return value;
}

__global__ void normalize(float *scores, int tokens) {
    __shared__ float partial[32];
    __shared__ float total;
    int place = (blockIdx.x * gridDim.y + blockIdx.y) * tokens + threadIdx.x;
    float sum = sum_of_warp(threadIdx.x < tokens ? scores[place] : 0);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (int i = 0; i < (blockDim.x + 31) / 32; i++) total += partial[i];
    }
    __syncthreads();
    if (threadIdx.x < tokens) scores[place] /= total;
}

void launch_normalize(int batch, int tokens, int heads, cudaStream_t stream, float *scores) {
    normalize<<<dim3(batch, heads * tokens), (tokens + 31) / 32 * 32, 0, stream>>>(scores, tokens);
}
