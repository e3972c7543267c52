// broken: __syncthreads() inside a condition that only part of a warp fulfills
__global__ void first_dim(const float* in, float* out, int width) {
    __shared__ float s[256];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = threadIdx.x < width ? in[(blockIdx.x * blockDim.y + threadIdx.y) * width + threadIdx.x] : 0;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) {
            s[t] += s[t + w];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x * blockDim.y + threadIdx.y] = s[t];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 3 * 4 * 50 * sizeof(float));
    cudaMalloc(&out, 3 * 4 * sizeof(float));
    first_dim<<<3, dim3(64, 4)>>>(in, out, 50);
}
