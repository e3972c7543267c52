__device__ __forceinline__ float block_sum(float v) {   // result valid in thread 0
    __shared__ float warp_part[32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) warp_part[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < (int)((blockDim.x + 31) / 32) ? warp_part[lane] : 0.f;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    }
    __syncthreads();
    return v;
}
__device__ __forceinline__ float row_sum(const float* row, long n) {
    float v = 0.f;
    for (long i = threadIdx.x; i < n; i += blockDim.x) v += row[i];
    return block_sum(v);
}
