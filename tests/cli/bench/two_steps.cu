// A sum in two steps, and the same sum in one.

__global__ void partial(float* sums, const float* in, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void final(float* out, const float* sums, int count) {
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += 32) sum += sums[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *out = sum;
}

__global__ void single(float* out, const float* in, int n) {
    __shared__ float part[256];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

void sum_in_two_steps(float* out, float* sums, const float* in, int n) {
    const int blocks = 16;
    partial<<<blocks, 256>>>(sums, in, n);
    final<<<1, 32>>>(out, sums, blocks);
}

int main() {
    const int n = 10000;
    float *in, *sums, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&sums, 16 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    sum_in_two_steps(out, sums, in, n);
    single<<<1, 256>>>(out, in, n);
    cudaDeviceSynchronize();
}
