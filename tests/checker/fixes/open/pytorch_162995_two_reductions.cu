// broken: WAR the reduction over x stores into shared memory that the reduction over y still reads
// fixed: clean
// launch: 2:64x2
// source: https://github.com/pytorch/pytorch/pull/162995
// Written anew after the thread: no code of it.
// Both reductions use the same shared memory, and nothing separates the last read of one from the first store of the other one.
// The fix: a barrier between both.
// Left out: types, vectors, the reduction over blocks.
__device__ float reduce_y(float value, float *shared) {
    int place = threadIdx.y * blockDim.x + threadIdx.x;
    shared[place] = value;
    for (int offset = blockDim.y / 2; offset > 0; offset /= 2) {
        __syncthreads();
        if (threadIdx.y < offset) {
            value += shared[place + offset * blockDim.x];  // earlier
            shared[place] = value;
        }
    }
    return value;
}

__device__ float reduce_x(float value, float *shared) {
    int place = threadIdx.y * blockDim.x + threadIdx.x;
    shared[place] = value;  // later
    for (int offset = blockDim.x / 2; offset >= 32; offset /= 2) {
        __syncthreads();
        if (threadIdx.x < offset) {
            value += shared[place + offset];
            shared[place] = value;
        }
    }
    __syncthreads();
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sum(const float *in, float *out) {
    __shared__ float shared[128];
    int place = threadIdx.y * blockDim.x + threadIdx.x;
    float value = reduce_y(in[blockIdx.x * 128 + place], shared);
#ifdef FIXED
    __syncthreads();
#endif
    value = reduce_x(value, shared);
    if (place == 0) out[blockIdx.x] = value;
}
